//! Histories: what a trace's is played as, what its words mean, clear refusals.

use crate::common::collect;
use reclaim_trace::generate::HistorySpec;
use reclaim_trace::{Characteristics, GeneratorSpec, Op, Record, Trace};
use rstest::rstest;

const UNIT: u64 = 4096;

/// A file written in order, half of it written again in order, some of it at random; then a small hot place, and trims.
fn source() -> Trace {
    let mut records = Vec::new();
    let mut add = |op, unit: u64, units: u64| {
        let time_ns = records.len() as u64 * 1000;
        records.push(Record { time_ns, offset_bytes: unit * UNIT, size_bytes: units * UNIT, op });
    };
    for round in 0..4 {
        for unit in (0..2000).step_by(8) {
            add(Op::Write, 1000 + unit, 8);
            add(Op::Write, 50_000 + (unit * 7919 + round) % 16, 1);
        }
        for step in 0..400 {
            add(Op::Write, 1000 + (step * 7919 * (round + 1)) % 2000, 1);
            add(Op::Read, 1000 + step, 1);
        }
        add(Op::Flush, 0, 0);
        for unit in (0..512).step_by(32) {
            add(Op::Trim, 1000 + unit, 32);
        }
    }
    records.iter_mut().filter(|record| record.op == Op::Flush).for_each(|record| record.size_bytes = 0);
    Trace::from_records("source", records)
}

fn described(history: &HistorySpec, requests: u64, rest: &str) -> String {
    let told = toml::to_string(history).unwrap();
    // Its own tables become tables of the history.
    let told = told.replace("[[zones]]", "[[history.zones]]");
    format!(
        "generator = 2\nrequests = {requests}\n[read]\nsize = \"4KiB\"\naddress = {{ kind = \"uniform\", \
         footprint = \"8MiB\" }}\n{rest}\n[history]\n{told}"
    )
}

fn stand_in(zones: usize, slots: usize) -> (Characteristics, Characteristics) {
    let source = source();
    let before = source.characteristics().unwrap();
    let history = source.history(zones, slots).unwrap().unwrap();
    let spec = GeneratorSpec::parse(&described(&history, before.requests.total, ""), "t.toml").unwrap();
    let after = Trace::generated(spec, "t").unwrap().characteristics().unwrap();
    (before, after)
}

#[test]
fn requests_and_sizes_are_those_of_the_source() {
    let (before, after) = stand_in(16, 32);
    assert_eq!(before.requests.total, after.requests.total);
    assert_eq!(before.requests.writes, after.requests.writes);
    assert_eq!(before.requests.trims, after.requests.trims);
    assert_eq!(before.requests.flushes, after.requests.flushes);
    assert_eq!(before.sizes.write, after.sizes.write);
    assert_eq!(before.sizes.trim, after.sizes.trim);
}

#[test]
fn as_much_is_written_and_overwritten() {
    let (before, after) = stand_in(16, 32);
    let written = |found: &Characteristics| found.space.write_footprint_bytes as f64;
    assert!((written(&after) / written(&before) - 1.0).abs() < 0.05, "{}", written(&after));
}

#[test]
fn a_description_makes_the_same_requests_every_time_and_reads_back() {
    let history = source().history(16, 32).unwrap().unwrap();
    let requests = source().characteristics().unwrap().requests.total;
    let spec = GeneratorSpec::parse(&described(&history, requests, ""), "t.toml").unwrap();
    let again = GeneratorSpec::parse(&spec.to_toml(), "t.toml").unwrap();
    assert_eq!(spec, again);
    let records = |spec: GeneratorSpec| {
        collect(Trace::generated(spec, "t").unwrap().source().unwrap().as_mut()).unwrap()
    };
    assert_eq!(records(spec), records(again));
}

#[test]
fn what_writes_nothing_has_no_history() {
    let read = Record { time_ns: 0, offset_bytes: 0, size_bytes: UNIT, op: Op::Read };
    assert_eq!(Trace::from_records("reads", vec![read]).history(8, 8).unwrap(), None);
}

fn small(zone: &str, slots: &str) -> String {
    format!(
        "generator = 2\nrequests = 4\n[history]\nstay = 0.5\nadjacent = 0.5\n\
         shapes = [[\"4KiB\", \"0B\"]]\nslots = {slots}\n[[history.zones]]\n{zone}"
    )
}

#[test]
fn words_mean_what_they_say() {
    let spec = small("units = 8\nwrite = \"3x0n0\"\ntrim = \"1x0o0\"", "[\"0*3\", \"-0\"]");
    let trace = Trace::generated(GeneratorSpec::parse(&spec, "t.toml").unwrap(), "t").unwrap();
    let records = collect(trace.source().unwrap().as_mut()).unwrap();
    let ops: Vec<Op> = records.iter().map(|record| record.op).collect();
    assert_eq!(ops, [Op::Write, Op::Write, Op::Write, Op::Trim]);
    // Three units, each written once and none where the one before ended; then the oldest is trimmed.
    let units: Vec<u64> = records.iter().map(|record| record.offset_bytes / UNIT).collect();
    assert!(units[0] != units[1] && units[1] != units[2] && units[0] != units[2], "{units:?}");
    assert!(units[1] != units[0] + 1 && units.iter().all(|unit| *unit < 8), "{units:?}");
    assert_eq!(units[3], units[0]);
}

/// First units of the requests of a description with these zones.
fn units_of(head: &str, zones: &str, slots: &str, requests: usize) -> Vec<(u64, u64)> {
    let spec = format!(
        "generator = 2\nrequests = {requests}\n[history]\n{head}\nslots = {slots}\n{}",
        zones.replace("[[zones]]", "[[history.zones]]")
    );
    let trace = Trace::generated(GeneratorSpec::parse(&spec, "t.toml").unwrap(), "t").unwrap();
    let records = collect(trace.source().unwrap().as_mut()).unwrap();
    records.iter().map(|record| (record.offset_bytes / UNIT, record.size_bytes / UNIT)).collect()
}

#[test]
fn a_write_can_nearly_continue_another() {
    let head = "stay = 0.5\nadjacent = 0.5\nshapes = [[\"4KiB\", \"0B\"]]";
    let zones = "[[zones]]\nunits = 16\nwrite = \"1x0n0 4x0e2\"";
    let found = units_of(head, zones, "[\"0*5\"]", 5);
    // Two units are left out each time.
    assert_eq!(found.iter().map(|each| each.0).collect::<Vec<_>>(), [0, 3, 6, 9, 12]);
}

#[test]
fn streams_go_on_with_the_shape_that_they_have() {
    let head = "stay = 1.0\nadjacent = 1.0\nshapes = [[\"4KiB\", \"0B\"], [\"32KiB\", \"0B\"]]";
    let zones = "[[zones]]\nunits = 200\nwrite = \"1x0n0 1x1n0 3x0g= 9x1g=\"";
    let found = units_of(head, zones, "[\"0*14\"]", 14);
    let mut ends = std::collections::BTreeMap::new();
    let mut continued = 0;
    for (first, units) in found {
        if let Some(before) = ends.get(&first) {
            assert_eq!(*before, units);
            continued += 1;
        }
        ends.insert(first + units, units);
    }
    assert!(continued >= 10, "{continued}");
}

/// The zones that 120 requests go to, in two slots of twenty for each of three zones.
fn zones_of(keys: &str) -> Vec<u64> {
    let head = format!("{keys}\nshapes = [[\"4KiB\", \"0B\"]]");
    let zones = "[[zones]]\nunits = 100\nwrite = \"40x0n0\"\n".repeat(3);
    let found = units_of(&head, &zones, "[\"0*20 1*20 2*20\", \"0*20 1*20 2*20\"]", 120);
    found.iter().map(|each| each.0 / 100).collect()
}

#[test]
fn zones_can_come_in_turn() {
    let zones = zones_of("stay = 1.0\nadjacent = 1.0\nin_turn = 1.0");
    assert!(zones[..60].is_sorted() && zones[60..].is_sorted(), "{zones:?}");
}

#[test]
fn zones_can_come_in_order_in_some_slots() {
    let zones = zones_of("stay = 0.0\nadjacent = 0.5\nin_order = 0.5");
    assert!(!zones[..60].is_sorted() && zones[60..].is_sorted(), "{zones:?}");
}

#[test]
fn interleaved_streams_with_gaps_are_kept() {
    let mut records = Vec::new();
    let mut add = |unit: u64, units: u64| {
        let time_ns = records.len() as u64 * 1000;
        records.push(Record { time_ns, offset_bytes: unit * UNIT, size_bytes: units * UNIT, op: Op::Write });
    };
    for step in 0..300 {
        // Each begins one unit behind where the one of its stream before it ended.
        add(3 * step, 2);
        add(5000 + 3 * step, 2);
        add(3 * step + 2, 1);
    }
    (0..300).for_each(|step| add(5000 + 3 * step + 2, 1));
    let source = Trace::from_records("source", records);
    let before = source.characteristics().unwrap();
    let history = source.history(2, 4).unwrap().unwrap();
    let laws: String = history.zones.iter().map(|zone| zone.write.as_str()).collect();
    assert!(laws.contains("0e"), "{laws}");
    let text = described(&history, before.requests.total, "");
    let after = Trace::generated(GeneratorSpec::parse(&text, "t.toml").unwrap(), "t").unwrap();
    // Requests that begin one unit behind where one of the 32 before them ended.
    let near = |trace: &Trace| {
        let records = collect(trace.source().unwrap().as_mut()).unwrap();
        let follows = |at: usize| {
            let ends =
                records[at.saturating_sub(32)..at].iter().map(|each| each.offset_bytes + each.size_bytes);
            ends.into_iter().any(|end| end + UNIT == records[at].offset_bytes)
        };
        (0..records.len()).filter(|at| follows(*at)).count() as f64
    };
    assert!(near(&after) > 0.8 * near(&source), "{} of {}", near(&after), near(&source));
}

#[rstest]
#[case::slot("units = 8\nwrite = \"4x0n0\"", "[\"0*4 9*1\"]", "history.slots[0]: \"9*1\" is not understood")]
#[case::law("units = 8\nwrite = \"4x0z\"", "[\"0*4\"]", "history.zones[0].write: \"4x0z\" is not understood")]
#[case::shape("units = 8\nwrite = \"4x3n0\"", "[\"0*4\"]", "a shape from 0 to 0")]
#[case::tail("units = 8\nwrite = \"4x0t1\"", "[\"0*4\"]", "\"4x0t1\" is not understood")]
#[case::sum("units = 8\nwrite = \"3x0n0\"", "[\"0*4\"]", "has -1 requests more than the slots have writes")]
#[case::units("units = 0\nwrite = \"4x0n0\"", "[\"0*4\"]", "history.zones[0].units: must be at least 1")]
#[case::total(
    "units = 8\nwrite = \"5x0n0\"",
    "[\"0*5\"]",
    "requests: is 4, but the slots of the history have 5"
)]
fn what_cannot_be_played_is_refused(#[case] zone: &str, #[case] slots: &str, #[case] says: &str) {
    let error = GeneratorSpec::parse(&small(zone, slots), "t.toml").unwrap_err().to_string();
    assert!(error.contains(says), "{error}");
}

#[rstest]
#[case("generator = 2", "generator = 1", "must be 2 for a description with a history")]
#[case("requests = 4", "requests = 4\noperations = { write = 1.0 }", "contradicts the history")]
#[case("stay = 0.5", "stay = 1.5", "history.stay: must be from 0 to 1, not 1.5")]
#[case("stay = 0.5", "stay = 0.5\nin_turn = 2.0", "history.in_turn: must be from 0 to 1, not 2")]
#[case("stay = 0.5", "stay = 0.5\nin_order = 2.0", "history.in_order: must be from 0 to 1, not 2")]
#[case("stay = 0.5", "stay = 0.5\nsteps = 9.0", "history.steps: must be from 0.5 to 8, not 9")]
#[case("stay = 0.5", "stay = 0.5\nfavour = -2.0", "history.favour: must be from -1 to 1, not -2")]
fn a_history_that_contradicts_is_refused(#[case] from: &str, #[case] to: &str, #[case] says: &str) {
    let text = small("units = 8\nwrite = \"4x0n0\"", "[\"0*4\"]").replacen(from, to, 1);
    let error = GeneratorSpec::parse(&text, "t.toml").unwrap_err().to_string();
    assert!(error.contains(says), "{error}");
}
