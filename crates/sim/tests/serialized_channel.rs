//! A channel that serves one whole operation at a time, and perhaps one whole collection job.

use crate::common::prelude::*;

/// Channel-aware GC, Table 2: NAND 25, 200 and 700 us, and 12 us for a page into the buffer and 12 us out of it. The
/// first of two pages of one channel takes as long either way; the second waits only for what takes the channel.
#[rstest]
#[case("channel", [49_000, 98_000], [224_000, 448_000])]
#[case("controller", [49_000, 86_000], [224_000, 436_000])]
fn pages_pass_the_buffer_on_the_channel_or_off_it(
    #[case] path: &str,
    #[case] reads: [u64; 2],
    #[case] writes: [u64; 2],
) {
    let drive = config("channel-aware-mini", &[("channel.host_buffer_path", path)]);
    let other = u64::from(Geometry::new(&drive).unwrap().planes());
    let both = |time_us, op| [0, other].map(|page| at(time_us, op, page, 1));
    let found = run_rows(&drive, [both(0, Op::Write), both(1_000, Op::Read)].concat());
    assert_eq!(found, [writes, reads].concat());
}

/// The old bytes of the page are read (25 + 12 us of the array and the channel) while the new ones pass the buffer for
/// 12 us; then the page is programmed (12 + 200 us).
#[test]
fn a_partial_write_passes_while_its_rest_is_read() {
    let drive = config("channel-aware-mini", &[("channel.host_buffer_path", "controller")]);
    let whole = at(0, Op::Write, 0, 1);
    let part = Record { time_ns: 1_000_000, size_bytes: 512, ..whole };
    assert_eq!(run_rows(&drive, vec![whole, part]), [224_000, 25_000 + 12_000 + 212_000]);
}

/// Relocating a page takes 25 + 12 + 12 + 200 us, an erase 700: the host's side of the buffer is not passed.
#[test]
fn relocating_a_page_takes_what_it_takes() {
    let drive = TestDrive::one_plane()
        .with(&[("flash.t_read", "25us"), ("flash.t_program", "200us"), ("flash.t_erase", "700us")])
        .set("channel", "{ rate = \"341.333333 MT/s\", command_cycle = \"0ns\", host_buffer = \"12us\" }")
        .set("interconnect", "{ kind = \"serialized-channel\", gc_tasks = \"whole\" }")
        .set("warmup.kind", "filled");
    let mut stream = RandomStream::new(2, "pages");
    let writes = (0..200).map(|k| at(k * 20_000, Op::Write, u64::from(stream.below(32)), 1));
    let log = drive.run(writes.collect()).gc_log.unwrap();
    assert!(log.valid_pages.iter().any(|valid| *valid > 0));
    for (job, valid) in log.valid_pages.iter().enumerate() {
        let took_ns = log.end_ns[job] - log.start_ns[job];
        // The first of a row begins with the write that opens the last block but one, and waits for that.
        let waited_ns = took_ns - (u64::from(*valid) * 249_000 + 700_000);
        assert!(waited_ns == 0 || waited_ns == 224_000, "{waited_ns}");
    }
}

fn serialized(dimensions: [u32; 4], gc_tasks: &str) -> TestDrive {
    TestDrive::of(dimensions)
        .set("interconnect", format!("{{ kind = \"serialized-channel\", gc_tasks = \"{gc_tasks}\" }}"))
}

/// Two chips, the first of which collects: a read of the other comes while the job reads its page. It gets the channel
/// behind that read, or behind the page's program and the erase, too.
#[rstest]
#[case("interleaved", READ)]
#[case("whole", READ + WRITE + ERASE)]
fn nobody_gets_between_the_operations_of_a_whole_task(#[case] gc_tasks: &str, #[case] until: u64) {
    let drive = serialized([1, 2, 1, 1], gc_tasks).set("geometry.blocks_per_plane", 8);
    let records = [nine_of(2), vec![at_ns(JOB + 1_000, Op::Read, 1)]].concat();
    let outcome = drive.set("warmup.kind", "filled").run(records);
    assert_eq!(parts(&outcome, JOB + 1_000), [0, until - 1_000, TRANSFER, T_R]);
}

/// Two channels of two chips of two dies, half of them busy with collection most of the time.
#[rstest]
fn whole_tasks_come_to_an_end_whatever_waits(
    #[values("controller", "copyback", "copyback-odd-even", "buffered")] relocation: &str,
    #[values(1, 5)] in_flight: u32,
) {
    let drive = serialized([2, 2, 2, 1], "whole")
        .blocks(24, 8)
        .set("geometry.spare_factor", "35%")
        .set("gc.trigger", "{ kind = \"free-blocks\", start = \"4 blocks\", hard = \"1 block\" }")
        .set("gc.relocation", relocation)
        .set("gc.pages_in_flight", in_flight)
        .with(&[("flash.multi_plane", "any-page"), ("warmup.kind", "overwrite")]);
    assert_eq!(rows(&drive.play(&uniform(900, 2_000, 0.5, 700_000, 5))).len(), 2_000);
}
