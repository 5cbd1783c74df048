//! What is told of a drive at its best beside runs of the drive itself: the latency of single requests to the
//! nanosecond, and what sequential requests reach where many are outstanding.

use crate::common::prelude::*;
use reclaim_sim::config::presets;
use reclaim_sim::{RequestTable, peak_rates};

/// How far what is told may be from what a run reaches.
const TOLERANCE: f64 = 0.05;

/// Times of the two levels of an MLC drive that are far apart.
const TWO_LEVELS: (&str, &str) = ("flash.t_program", "[\"200us\", \"900us\"]");
const SPARE: (&str, &str) = ("geometry.spare_factor", "30%");
const TLC: [(&str, &str); 2] = [("flash.cell", "TLC"), ("geometry.pages_per_block", "240")];

/// Outstanding requests for each plane and page of a program unit.
const DEPTH: u32 = 12;

/// A preset with schemes and settings.
struct Drive<'a>(&'a str, &'a [&'a str], Vec<(&'a str, &'a str)>);

impl Drive<'_> {
    fn with(&self, more: &[(&str, &str)]) -> Config {
        let schemes = self.1.iter().map(|scheme| (*scheme).to_owned()).collect();
        let set = owned(&[&self.2, more].concat());
        load(&LoadRequest { device: self.0.to_owned(), schemes, set })
            .unwrap_or_else(|e| panic!("{}: {e}", self.0))
    }

    /// Told of single requests, and what one of each takes on the drive itself, ten seconds apart.
    fn check_unloaded(&self) {
        let config = self.with(&[]);
        let geometry = Geometry::new(&config).unwrap();
        let kind = if geometry.stripes.is_some() { "filled" } else { "empty" };
        let one = |k: u64, op| Record {
            size_bytes: u64::from(geometry.page_bytes),
            ..at_ns(k * 10_000_000_000, op, 0)
        };
        let records = vec![one(0, Op::Write), one(1, Op::Read)];
        let table = played(&self.with(&[("warmup.kind", kind)]), records);
        let measured = [0, 1].map(|row| table.completion_ns[row] - table.arrival_ns[row]);
        let facts = derive_facts(&config, None);
        assert_eq!([facts.unloaded_write_ns, facts.unloaded_read_ns], measured, "{} {:?}", self.0, self.1);
    }

    /// Pages a second over the middle of a run of sequential requests.
    fn measured_rate(&self, op: Op) -> f64 {
        let geometry = Geometry::new(&self.with(&[])).unwrap();
        let (planes, bytes) = (u64::from(geometry.planes()), u64::from(geometry.page_bytes));
        let stripe = geometry.stripes.as_ref().map_or(1, |stripes| u64::from(stripes.data_pages()));
        let pages = if op == Op::Write { stripe } else { 1 };
        let kind = if op == Op::Write && stripe == 1 { "empty" } else { "filled" };
        let depth = (DEPTH * geometry.planes() * geometry.unit_pages).to_string();
        let set = [("warmup.kind", kind), ("host.mode", "closed-loop"), ("host.queue_depth", &depth)];
        let count = (planes * 160).min(u64::from(geometry.logical_pages) / 2) / pages;
        let size_bytes = pages * bytes;
        let record = |k: u64| Record { time_ns: 0, offset_bytes: k * size_bytes, size_bytes, op, stream: 0 };
        let ends = played(&self.with(&set), (0..count).map(record).collect()).completion_ns;
        let (first, last) = (ends.len() / 5, ends.len() * 4 / 5);
        (last - first) as f64 * pages as f64 * 1e9 / (ends[last] - ends[first]) as f64
    }

    fn check_rates(&self) {
        let told = peak_rates(&self.with(&[]));
        for (told, op) in [(told.read_pages_per_s, Op::Read), (told.write_pages_per_s, Op::Write)] {
            let (told, run) = (told.unwrap(), self.measured_rate(op));
            let off = told / run - 1.0;
            let what = format!("{} {:?}: {op:?}", self.0, self.1);
            assert!(off.abs() <= TOLERANCE, "{what}: {told:.0} told, {run:.0} in a run ({off:+.3})");
        }
    }
}

fn played(config: &Config, records: Vec<Record>) -> RequestTable {
    let options = RunOptions { record_requests: true, ..RunOptions::default() };
    go(config, &Trace::from_records("requests", records), &options).requests.unwrap()
}

#[test]
fn every_preset_is_told_as_it_runs() {
    for preset in presets() {
        let drive = Drive(&preset.name, &[], Vec::new());
        drive.check_unloaded();
        if preset.name.ends_with("-mini") {
            drive.check_rates();
        }
    }
}

#[rstest]
#[case::staged_in_a_small_buffer(
    &[], &[("controller.acknowledge", "staged"), ("controller.write_buffer", "64KiB")]
)]
#[case::small_buffer(&[], &[("controller.write_buffer", "64KiB")])]
#[case::word_lines(&[], &[("flash.program_unit", "word-line")])]
#[case::parts_of_pages(&[], &[("geometry.page_size", "16KiB"), ("geometry.mapping_unit", "4KiB")])]
#[case::staged_word_lines_of_all_planes(
    &[],
    &[
        ("flash.program_unit", "word-line"),
        ("flash.multi_plane", "any-page"),
        ("controller.acknowledge", "staged"),
    ]
)]
#[case::word_lines_of_three(&["copyback-fsp"], &[TLC[0], TLC[1], ("flash.flush_after", "300us")])]
#[case::ospada(&["ospada"], &TLC)]
#[case::same_page(&[], &[("flash.multi_plane", "same-page")])]
#[case::same_page_anywhere(&[], &[("flash.multi_plane", "same-page-anywhere")])]
#[case::any_page(&[], &[("flash.multi_plane", "any-page"), TWO_LEVELS])]
#[case::by_level(&[], &[TWO_LEVELS, ("flash.t_read", "[\"30us\", \"70us\"]")])]
#[case::placed_by_level(&[], &[TWO_LEVELS, ("ftl.placement", "level-by-history")])]
#[case::long_word_lines(&[], &[("flash.pages_per_word_line", "96"), TWO_LEVELS])]
#[case::dies_in_turn(&[], &[("flash.dies_overlap", "false")])]
#[case::suspension(&["suspend"], &[])]
#[case::slow_channel(&[], &[("channel.rate", "40 MT/s")])]
#[case::buffer_on_the_channel(&[], &[("channel.host_buffer", "12us")])]
#[case::buffer_in_the_controller(
    &[], &[("channel.host_buffer", "12us"), ("channel.host_buffer_path", "controller")]
)]
#[case::cores(&[], &[("controller.command", "5us"), ("controller.cores", "4")])]
#[case::lookups(&[], &[("controller.lookup", "5us")])]
#[case::link(&[], &[("host.link.lanes", "1"), ("host.link.lane_rate", "250 MT/s")])]
#[case::dynamic(&[], &[("ftl.allocation", "dynamic")])]
#[case::shared(&[], &[("ftl.gc_frontier", "shared")])]
#[case::copyback(&["copyback-odd-even"], &[])]
#[case::serialized(&["serialized-channel"], &[])]
#[case::ideal(&["ideal-channel"], &[])]
#[case::mesh(&["mesh"], &[])]
#[case::pssd(&["pssd"], &[])]
#[case::pnssd(&["pnssd"], &[])]
#[case::nossd(&["nossd"], &[])]
#[case::venice(&["venice"], &[])]
#[case::smartnetssd(&["smartnetssd"], &[])]
#[case::gc_bypass(&["gc-bypass"], &[])]
#[case::raid5_with_sums(&["raid5"], &[("redundancy.xor", "10us"), ("redundancy.stripe_chips", "4")])]
#[case::dgc(&["dgc"], &[])]
fn drives_are_told_as_they_run(#[case] schemes: &[&str], #[case] set: &[(&str, &str)]) {
    let drive = Drive("gc-bypass-mini", schemes, [&[SPARE], set].concat());
    drive.check_unloaded();
    drive.check_rates();
}

/// One of its parity sets is slower than the others, and in the end all requests that are outstanding wait there: how
/// fast a run is until then depends on how many there are.
#[test]
fn single_requests_of_a_drive_without_a_chip_are_told_as_they_run() {
    let set = vec![SPARE, ("redundancy.unreadable_chip", "0")];
    Drive("gc-bypass-mini", &["raid5"], set).check_unloaded();
}

#[test]
fn a_drive_of_too_many_planes_says_why_it_has_no_rates() {
    let chips = [("geometry.channels", "64"), ("geometry.chips_per_channel", "64")];
    let told = peak_rates(
        &TestDrive::preset()
            .blocks(16, 16)
            .with(&chips)
            .with(&[("geometry.spare_factor", "50%"), ("gc.trigger.start", "1 block")])
            .config(),
    );
    assert_eq!((told.read_pages_per_s, told.write_pages_per_s), (None, None));
    let why = told.rates_unknown.unwrap();
    assert!(why.contains("4096") && why.contains("16384"), "{why}");
}

#[test]
fn no_write_amplification_without_a_reason() {
    let facts =
        |schemes: &[&str]| derive_facts(&Drive("gc-bypass-mini", schemes, vec![SPARE]).with(&[]), None);
    for (scheme, reason) in [
        ("cost-benefit", "gc.victim = \"cost-benefit\""),
        ("raid5", "redundancy = \"raid5\""),
        ("adaptive", "gc.trigger = \"invalid-ratio\""),
        ("copyback-odd-even", "gc.relocation = \"copyback-odd-even\""),
        ("word-line", "gc.victim = \"word-line\""),
    ] {
        let facts = facts(&[scheme]);
        assert_eq!(facts.light_load.write_amplification, None);
        assert!(facts.write_amplification_unknown.is_some_and(|why| why.contains(reason)), "{scheme}");
    }
    let greedy = facts(&[]);
    assert!(greedy.light_load.write_amplification.is_some());
    assert_eq!(greedy.write_amplification_unknown, None);
}
