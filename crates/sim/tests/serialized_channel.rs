//! A channel that serves one whole operation at a time, and perhaps one whole collection job.

use crate::common::{TestDrive, at, config, rows, run_rows};
use reclaim_sim::ids::PlaneId;
use reclaim_sim::random::RandomStream;
use reclaim_sim::{GcLog, Outcome};
use reclaim_trace::{Op, Record};
use rstest::rstest;

/// Channel-aware GC, Table 2: NAND 25, 200 and 700 us, and 12 us for a page into the buffer and 12 us out of it.
#[test]
fn a_page_passes_the_buffer_on_both_sides() {
    let drive = config("channel-aware-mini", &[]);
    let records = vec![at(0, Op::Write, 0, 1), at(1_000, Op::Read, 0, 1)];
    assert_eq!(run_rows(&drive, records), [224_000, 49_000]);
}

/// The first of two pages of one channel takes as long either way; the second waits only for what takes the channel.
#[rstest]
#[case("channel", [49_000, 98_000], [224_000, 448_000])]
#[case("controller", [49_000, 86_000], [224_000, 436_000])]
fn pages_pass_the_buffer_on_the_channel_or_off_it(
    #[case] path: &str,
    #[case] reads: [u64; 2],
    #[case] writes: [u64; 2],
) {
    let drive = config("channel-aware-mini", &[("channel.host_buffer_path", path)]);
    let planes = reclaim_sim::flash::Geometry::new(&drive).unwrap().planes();
    let other = u64::from(planes);
    let written = vec![at(0, Op::Write, 0, 1), at(0, Op::Write, other, 1)];
    assert_eq!(run_rows(&drive, written.clone()), writes);
    let read = [at(1_000, Op::Read, 0, 1), at(1_000, Op::Read, other, 1)];
    assert_eq!(run_rows(&drive, [written, read.to_vec()].concat())[2..], reads);
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
        .set("flash.t_read", "25us")
        .set("flash.t_program", "200us")
        .set("flash.t_erase", "700us")
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

/// Two channels of two chips of two dies, half of them busy with collection most of the time.
fn drive(gc_tasks: &str) -> TestDrive {
    TestDrive::of([2, 2, 2, 1])
        .blocks(24, 8)
        .set("geometry.spare_factor", "35%")
        .set("gc.trigger", "{ kind = \"free-blocks\", start = \"4 blocks\", hard = \"1 block\" }")
        .set("interconnect", format!("{{ kind = \"serialized-channel\", gc_tasks = \"{gc_tasks}\" }}"))
        .set("warmup.kind", "overwrite")
}

fn mixed(count: u64) -> Vec<Record> {
    let mut stream = RandomStream::new(5, "mixed");
    let record = |k| {
        let op = if stream.below(2) == 0 { Op::Read } else { Op::Write };
        at(k * 700, op, u64::from(stream.below(900)), 1)
    };
    (0..count).map(record).collect()
}

fn channel(outcome: &Outcome, row: usize) -> u32 {
    // Pages go to the channels in turn.
    (outcome.requests.as_ref().unwrap().offset_bytes[row] / 4096 % 2) as u32
}

/// Jobs within which something of the host ended on their channel: within the time that a job needs for itself, before
/// its end. One whose pages the host overwrote meanwhile needs less, so that a few are counted that were left alone.
fn interrupted(outcome: &Outcome, log: &GcLog, alone_ns: impl Fn(u32) -> u64) -> usize {
    let rows = outcome.requests.as_ref().unwrap();
    let within = |job: usize| {
        let on = log.plane[job] / 4;
        let from = log.end_ns[job] - alone_ns(log.valid_pages[job]);
        (0..rows.op.len()).any(|row| {
            channel(outcome, row) == on
                && rows.completion_ns[row] - rows.arrival_ns[row] > 0
                && from < rows.completion_ns[row]
                && rows.completion_ns[row] < log.end_ns[job]
        })
    };
    (0..log.plane.len()).filter(|job| within(*job)).count()
}

#[test]
fn nobody_gets_between_the_operations_of_a_whole_task() {
    let geometry = reclaim_sim::flash::Geometry::new(&drive("whole").config()).unwrap();
    assert_eq!(geometry.channel_of(geometry.die_of(PlaneId(4))).0, 1);
    let count = |gc_tasks: &str| {
        let drive = drive(gc_tasks).set("controller.write_buffer", "1MiB");
        let outcome = drive.run(mixed(6_000));
        let log = outcome.gc_log.clone().unwrap();
        let timing = reclaim_sim::flash::Timing::new(&drive.config());
        let page_ns = timing.unloaded_read().0 + timing.unloaded_program().0;
        let least = |valid: u32| u64::from(valid) * page_ns + timing.unloaded_erase().0;
        (log.plane.len(), interrupted(&outcome, &log, least), rows(&outcome).len())
    };
    let (jobs, whole, _) = count("whole");
    assert!(jobs > 100, "only {jobs} jobs");
    let (_, interleaved, _) = count("interleaved");
    assert!(interleaved > jobs / 4, "only {interleaved} of {jobs}: the test can hardly fail");
    assert!(whole <= jobs / 20, "{whole} of {jobs}");
}

#[rstest]
#[case("controller")]
#[case("copyback")]
#[case("copyback-odd-even")]
#[case("buffered")]
fn whole_tasks_come_to_an_end_whatever_waits(#[case] relocation: &str, #[values(1, 5)] in_flight: u32) {
    let drive = drive("whole")
        .set("gc.relocation", format!("{{ kind = \"{relocation}\" }}"))
        .set("gc.pages_in_flight", in_flight)
        .set("flash.multi_plane", "any-page");
    let outcome = drive.run(mixed(2_000));
    assert_eq!(outcome.requests.unwrap().op.len(), 2_000);
}

#[test]
fn several_jobs_in_a_plane_are_refused() {
    let set = [("interconnect.gc_tasks", "whole"), ("gc.trigger", "frontier-filled")];
    let request = reclaim_sim::config::LoadRequest {
        device: "channel-aware".to_owned(),
        schemes: Vec::new(),
        set: set.map(|(key, value)| (key.to_owned(), value.to_owned())).into(),
    };
    let error = reclaim_sim::config::load(&request).unwrap_err().to_string();
    assert!(error.contains("whole: jobs of one plane would wait for each other"), "{error}");
}
