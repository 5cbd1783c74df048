//! How long every page takes in the array and on the channel.

use crate::common::prelude::*;
use reclaim_sim::time::Nanos;

const TLC: [(&str, &str); 3] = [
    ("flash.cell", "TLC"),
    ("flash.t_read", r#"["50us", "75us", "100us"]"#),
    ("flash.t_program", r#"["500us", "750us", "1ms"]"#),
];

fn timing(more: &[(&str, &str)]) -> Timing {
    Timing::new(&config("gc-bypass", more))
}

/// Levels of the pages of a block, word line by word line: a page per level, level by level, or in turn.
#[test]
fn pages_of_a_word_line() {
    let six = ("flash.pages_per_word_line", "6");
    for (more, levels) in [
        (&[][..], [0, 1, 2, 0, 1, 2, 0]),
        (&[six], [0, 0, 1, 1, 2, 2, 0]),
        (&[six, ("flash.level_order", "interleaved")], [0, 1, 2, 0, 1, 2, 0]),
    ] {
        let timing = timing(&[&TLC, more].concat());
        let pages = [0, 1, 2, 3, 4, 5, 6];
        assert_eq!(pages.map(|page| timing.level(page)), levels, "{more:?}");
        let of_level = |times: [u64; 3]| levels.map(|level| Nanos(times[level as usize]));
        assert_eq!(pages.map(|page| timing.t_read(page)), of_level([50_000, 75_000, 100_000]));
        assert_eq!(pages.map(|page| timing.t_program(page)), of_level([500_000, 750_000, 1_000_000]));
    }
}

#[test]
fn one_bit_cells_have_one_level() {
    let timing = timing(&[("flash.cell", "SLC"), ("flash.pages_per_word_line", "4")]);
    assert_eq!([0, 1, 2, 3, 4].map(|page| timing.level(page)), [0; 5]);
}

/// Pages 0 to 3 of a block, written and then read, each on a drive at rest.
#[test]
fn reads_and_programs_take_the_time_of_their_page() {
    let records = (0..4)
        .map(|k| at(k * 10_000, Op::Write, k, 1))
        .chain((0..4).map(|k| at(40_000 + k * 10_000, Op::Read, k, 1)))
        .collect();
    let in_transfer = 7 + 4096;
    let expected = [500_000, 750_000, 1_000_000, 500_000, 50_000, 75_000, 100_000, 50_000];
    assert_eq!(
        rows(&TestDrive::one_plane().with(&TLC).run(records)),
        expected.map(|array| array + in_transfer)
    );
}

#[test]
fn commands_are_cycles_and_fixed_times() {
    let timing = timing(&[
        ("channel.command_cycle", "30ns"),
        ("channel.commands.read_cycles", "6"),
        ("channel.commands.program_cycles", "7"),
        ("channel.commands.erase_cycles", "4"),
        ("channel.commands.read_overhead", "100ns"),
        ("channel.commands.program_overhead", "200ns"),
        ("channel.commands.erase_overhead", "300ns"),
        ("channel.commands.program_further_plane", "50ns"),
    ]);
    let first = (timing.read_command, timing.program_command, timing.erase_command);
    assert_eq!(first, (Nanos(280), Nanos(410), Nanos(420)));
    // A further plane costs as much as the first unless it is given.
    let further = (timing.read_further_plane, timing.program_further_plane, timing.erase_further_plane);
    assert_eq!(further, (Nanos(280), Nanos(50), Nanos(420)));
    // One byte per nanosecond, 75 us, 750 us, 3.8 ms.
    assert_eq!(timing.unloaded_read(), Nanos(280 + 75_000 + 4096));
    assert_eq!(timing.unloaded_program(), Nanos(410 + 4096 + 750_000));
    assert_eq!(timing.unloaded_erase(), Nanos(420 + 3_800_000));
}

/// 333 million bytes a second: 4096 bytes take 12,300.3 ns, 512 take 1,537.5, 1024 take 3,075.1, 1536 take 4,612.6.
#[rstest]
#[case::whole_pages(&[], [12_300, 12_300, 12_300, 12_300], 12_300)]
#[case::sectors(&[("channel.granularity", "512B")], [1_538, 1_538, 3_075, 12_300], 12_300)]
#[case::larger_units(&[("channel.granularity", "1536B")], [4_613, 4_613, 4_613, 12_300], 12_300)]
#[case::no_larger_than_a_page(&[("channel.granularity", "8KiB")], [12_300, 12_300, 12_300, 12_300], 12_300)]
#[case::partial_programs(
    &[("channel.granularity", "512B"), ("channel.partial_programs", "true")],
    [1_538, 1_538, 3_075, 12_300],
    3_075
)]
fn data_moves_in_units(#[case] more: &[(&str, &str)], #[case] expected: [u64; 4], #[case] program: u64) {
    let timing = timing(&[&[("channel.rate", "333 MT/s")], more].concat());
    assert_eq!([1, 512, 513, 4096].map(|bytes| timing.data(bytes).0), expected);
    // 4,095 bytes are 4,608 in units of 1,536, which is more than a page.
    assert_eq!(timing.data(4095).0, 12_300);
    assert_eq!(timing.program_data(513), Nanos(program));
    assert_eq!(timing.program_data(4096), Nanos(12_300));
}
