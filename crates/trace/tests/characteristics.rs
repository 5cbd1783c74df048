//! Characteristics of traces: compared with sets and lists that need no cleverness, and in situations worked out by
//! hand.

use std::collections::{BTreeMap, BTreeSet};

use crate::common::{names, record};
use proptest::prelude::*;
use reclaim_trace::characteristics::Characteristics;
use reclaim_trace::{CharacteristicsOptions, Op, Record, Summary, Trace};

const UNIT: u64 = 4096;

fn of(records: &[Record]) -> Characteristics {
    Trace::from_records("memory", records.to_vec()).characteristics().unwrap()
}

/// Few addresses, so that they meet often; some far away; trims from tiny to everything.
fn any_records() -> impl Strategy<Value = Vec<Record>> {
    let size = prop_oneof![1_u64..20_000, Just(UNIT), Just(8 * UNIT), 1_u64..2_000_000];
    let offset = prop_oneof![0_u64..200_000, (0_u64..64).prop_map(|unit| unit * UNIT), 0_u64..1 << 40];
    let op =
        prop_oneof![3 => Just(Op::Read), 6 => Just(Op::Write), 2 => Just(Op::Trim), 1 => Just(Op::Flush)];
    let gap = prop_oneof![Just(0_u64), 1_u64..10_000, 1_u64..3_000_000_000];
    let one = (gap, offset, size, op, any::<bool>());
    prop::collection::vec(one, 1..120).prop_map(|parts| {
        let (mut time_ns, mut end) = (0, 0);
        let mut records = Vec::new();
        for (gap, offset, size, op, follows) in parts {
            time_ns += if records.is_empty() { 0 } else { gap };
            let offset = if follows { end } else { offset };
            records.push(match op {
                Op::Flush => record(time_ns, op, 0, 0),
                Op::Trim if size > 1_900_000 => record(time_ns, op, 0, 1 << 42),
                _ => record(time_ns, op, offset, size),
            });
            if op != Op::Flush {
                end = offset + size;
            }
        }
        records
    })
}

/// Everything about space and lifetimes, with a map entry for every unit.
#[derive(Default)]
struct Model {
    written: BTreeMap<u64, (u64, u64, u64)>,
    live: BTreeSet<u64>,
    read: BTreeSet<u64>,
    position: u64,
    rewritten: u64,
    rewritten_live: u64,
    trimmed: u64,
    updating: u64,
    unwritten_reads: u64,
    update_units: Vec<u64>,
    update_ns: Vec<u64>,
    life_units: Vec<u64>,
    life_ns: Vec<u64>,
}

impl Model {
    fn play(records: &[Record]) -> Self {
        let mut model = Self::default();
        for record in records {
            match record.op {
                Op::Read => {
                    for unit in record.offset_bytes / UNIT..=(record.end_bytes() - 1) / UNIT {
                        model.unwritten_reads += u64::from(!model.written.contains_key(&unit));
                        model.read.insert(unit);
                    }
                }
                Op::Write => model.write(record),
                Op::Trim => {
                    let range = record.offset_bytes.div_ceil(UNIT)..record.end_bytes() / UNIT;
                    let dying: Vec<u64> =
                        model.live.iter().copied().filter(|unit| range.contains(unit)).collect();
                    for unit in dying {
                        model.live.remove(&unit);
                        model.trimmed += 1;
                        let (_, position, time_ns) = model.written[&unit];
                        model.life_units.push(model.position - position);
                        model.life_ns.push((record.time_ns / 64 - time_ns / 64) * 64);
                    }
                }
                Op::Flush => {}
            }
        }
        model
    }

    fn write(&mut self, record: &Record) {
        let mut any = false;
        for unit in record.offset_bytes / UNIT..=(record.end_bytes() - 1) / UNIT {
            let live = !self.live.insert(unit);
            let before = self.written.get(&unit).copied();
            if let Some((_, position, time_ns)) = before {
                any = true;
                self.rewritten += 1;
                let (units, ns) = (self.position - position, (record.time_ns / 64 - time_ns / 64) * 64);
                self.update_units.push(units);
                self.update_ns.push(ns);
                if live {
                    self.rewritten_live += 1;
                    self.life_units.push(units);
                    self.life_ns.push(ns);
                }
            }
            let count = before.map_or(0, |(count, ..)| count) + 1;
            self.written.insert(unit, (count, self.position, record.time_ns));
            self.position += 1;
        }
        self.updating += u64::from(any);
    }
}

fn mean(values: &[u64]) -> f64 {
    if values.is_empty() {
        0.0
    } else {
        values.iter().map(|value| *value as f64).sum::<f64>() / values.len() as f64
    }
}

fn close(found: f64, expected: f64) -> bool {
    (found - expected).abs() <= 1e-9 * expected.abs().max(1.0)
}

proptest! {
    #[test]
    fn space_overwriting_and_lifetimes_are_those_of_a_set_of_units(records in any_records()) {
        let (found, model) = (of(&records), Model::play(&records));
        let touched: BTreeSet<u64> = model.read.iter().chain(model.written.keys()).copied().collect();
        let (space, over) = (&found.space, &found.overwrites);
        prop_assert_eq!(space.footprint_bytes, touched.len() as u64 * UNIT);
        prop_assert_eq!(space.read_footprint_bytes, model.read.len() as u64 * UNIT);
        prop_assert_eq!(space.write_footprint_bytes, model.written.len() as u64 * UNIT);
        prop_assert_eq!(space.reads_of_unwritten_units, model.unwritten_reads);
        let live = model.live.len() as u64;
        let counts = || model.written.values().map(|(count, ..)| *count);
        prop_assert_eq!(
            [over.written_units, over.rewritten_units, over.rewritten_live_units, over.trimmed_live_units],
            [model.position, model.rewritten, model.rewritten_live, model.trimmed],
        );
        prop_assert_eq!(
            [over.live_units_at_end, found.lifetimes.survivor_units, over.updating_writes],
            [live, live, model.updating],
        );
        prop_assert_eq!(over.updated_units, counts().filter(|count| *count > 1).count() as u64);
        prop_assert_eq!(over.max_writes_per_unit, counts().max().unwrap_or(0));
        for (found, expected) in [
            (&found.lifetimes.update_interval_units, &model.update_units),
            (&found.lifetimes.update_interval_ns, &model.update_ns),
            (&found.lifetimes.lifetime_units, &model.life_units),
            (&found.lifetimes.lifetime_ns, &model.life_ns),
        ] {
            prop_assert_eq!(found.count, expected.len() as u64);
            prop_assert!(close(found.mean, mean(expected)), "{} for {}", found.mean, mean(expected));
            prop_assert_eq!(found.max, expected.iter().copied().max().unwrap_or(0));
        }
    }

    #[test]
    fn skew_is_that_of_the_sorted_counts(records in any_records()) {
        let (found, model) = (of(&records).skew, Model::play(&records));
        let mut counts: Vec<u64> = model.written.values().map(|(count, ..)| *count).collect();
        counts.sort_unstable_by(|a, b| b.cmp(a));
        let total: u64 = counts.iter().sum();
        let wanted = counts.len() as f64 * 0.2;
        let whole: u64 = counts[..wanted as usize].iter().sum();
        let part = counts.get(wanted as usize).map_or(0.0, |next| *next as f64 * (wanted - wanted.floor()));
        let expected = if total == 0 { 0.0 } else { (whole as f64 + part) / total as f64 };
        prop_assert!(close(found.hottest_20_percent_share, expected), "{found:?} for {expected}");
        prop_assert!(found.lorenz.is_sorted_by(|a, b| a.0 <= b.0 && a.1 <= b.1));
        prop_assert!((0.0..=1.0).contains(&found.gini));
    }

    #[test]
    fn streams_and_windows_of_arrivals_are_those_of_plain_lists(
        records in any_records(),
        window in 1_usize..10,
    ) {
        let options = CharacteristicsOptions { stream_window: window, ..CharacteristicsOptions::default() };
        let trace = Trace::from_records("memory", records.clone());
        let (_, found) = trace.describe(options).unwrap();
        for (op, order) in [
            (Op::Read, &found.sequentiality.read),
            (Op::Write, &found.sequentiality.write),
            (Op::Trim, &found.sequentiality.trim),
        ] {
            let kind: Vec<&Record> = records.iter().filter(|record| record.op == op).collect();
            let starts_at = |index: usize, back: usize| {
                let before = &kind[index.saturating_sub(back)..index];
                before.iter().any(|b| b.end_bytes() == kind[index].offset_bytes)
            };
            prop_assert_eq!(order.requests, kind.len() as u64);
            let count = |back| (0..kind.len()).filter(|index| starts_at(*index, back)).count() as u64;
            prop_assert_eq!(order.next_to_previous, count(1));
            prop_assert_eq!(order.in_stream, count(window));
        }
        for bursts in &found.arrivals.burstiness {
            let full = (found.arrivals.span_ns / bursts.window_ns) as usize;
            let mut counts = vec![0_u64; full + 1];
            for record in &records {
                counts[(record.time_ns / bursts.window_ns) as usize] += 1;
            }
            counts.pop();
            prop_assert_eq!(bursts.windows, full as u64);
            prop_assert_eq!(bursts.peak_requests, counts.iter().copied().max().unwrap_or(0));
            prop_assert!(close(bursts.mean_requests, mean(&counts)));
            if let Some(dispersion) = bursts.index_of_dispersion {
                let mean = mean(&counts);
                let variance = counts.iter().map(|c| (*c as f64 - mean).powi(2)).sum::<f64>() / full as f64;
                prop_assert!(close(dispersion, variance / mean), "{dispersion}");
            }
        }
    }

    #[test]
    fn the_summary_of_the_same_pass_is_that_of_a_scan(records in any_records()) {
        let trace = Trace::from_records("memory", records);
        let (summary, found) = trace.describe(CharacteristicsOptions::default()).unwrap();
        prop_assert_eq!(&summary, &trace.scan().unwrap());
        prop_assert_eq!(summary.footprint_bytes, found.space.footprint_bytes);
        prop_assert_eq!(summary.write_footprint_bytes, found.space.write_footprint_bytes);
        prop_assert_eq!(summary.span_ns, found.arrivals.span_ns);
        let text = serde_json::to_string(&found).unwrap();
        // Floats may lose their last bit in JSON, whole numbers may not.
        let read = serde_json::from_str::<Characteristics>(&text).unwrap();
        prop_assert_eq!(
            (read.sizes.write.counts, read.overwrites.rewritten_units),
            (found.sizes.write.counts, found.overwrites.rewritten_units),
        );
    }
}

#[test]
fn a_scan_counts_everything() {
    let records = vec![
        record(10, Op::Read, 0, 512),
        record(10, Op::Write, 4096, 8192),
        record(20, Op::Write, 6144, 4096),
        record(25, Op::Trim, 1 << 40, 4096),
        record(30, Op::Flush, 0, 0),
    ];
    let summary = Trace::from_records("five", records).scan().unwrap();
    let expected = Summary {
        name: "five".to_owned(),
        format: "memory".to_owned(),
        provenance: "records in memory".to_owned(),
        requests: 5,
        reads: 1,
        writes: 2,
        trims: 1,
        flushes: 1,
        read_bytes: 512,
        write_bytes: 12288,
        trim_bytes: 4096,
        span_ns: 20,
        max_end_bytes: (1 << 40) + 4096,
        // Units 0 (read), 1 and 2 (written); the trim touches nothing.
        footprint_bytes: 3 * 4096,
        write_footprint_bytes: 2 * 4096,
        last_stream: 0,
        unaligned_requests: 2,
        content_hash: "f1c1113a1e03fc737252709f834a315fbe20d85570126d38643a519196938c25".to_owned(),
        bad_lines: 0,
        first_bad_lines: Vec::new(),
        warnings: Vec::new(),
    };
    assert_eq!(summary, expected);
    let json = serde_json::to_string(&summary).unwrap();
    assert_eq!(serde_json::from_str::<Summary>(&json).unwrap(), summary);
}

#[test]
fn the_hash_is_of_the_requests_and_nothing_else() {
    let hash = |name: &str, size| {
        Trace::from_records(name, vec![record(0, Op::Read, 0, size)]).scan().unwrap().content_hash
    };
    assert_eq!(hash("one", 512), hash("two", 512));
    assert_ne!(hash("one", 512), hash("one", 513));
}

#[test]
fn bad_records() {
    for (records, parts) in [
        (vec![], "holds no requests"),
        (vec![record(0, Op::Write, 0, 0)], "record 0 (from 0): a write of zero bytes"),
        (vec![record(5, Op::Read, 0, 1), record(4, Op::Read, 0, 1)], "record 1 (from 0): |4 ns after 5 ns"),
    ] {
        let trace = Trace::from_records("m", records);
        let error = trace.scan().unwrap_err();
        names(&error.to_string(), &format!("trace \"m\": |{parts}"));
        assert_eq!(trace.source().err(), Some(error));
    }
}

#[test]
fn a_write_of_two_units_rewritten_after_a_trim_of_one() {
    let found = of(&[
        record(0, Op::Write, 0, 2 * UNIT),
        record(6400, Op::Trim, UNIT, UNIT),
        record(12800, Op::Write, 0, 2 * UNIT),
        record(64000, Op::Read, 4 * UNIT, UNIT),
    ]);
    let over = &found.overwrites;
    assert_eq!((over.written_units, over.rewritten_units, over.rewritten_live_units), (4, 2, 1));
    assert_eq!((over.trimmed_live_units, over.live_units_at_end, over.overwrite_ratio), (1, 2, 0.5));
    // Both units were written again two units later; when one was trimmed, only its own write had passed since.
    assert_eq!(
        (found.lifetimes.update_interval_units.mean, found.lifetimes.update_interval_ns.mean),
        (2.0, 12800.0)
    );
    assert_eq!((found.lifetimes.lifetime_units.count, found.lifetimes.lifetime_units.mean), (2, 1.5));
    assert_eq!(found.lifetimes.lifetime_ns.mean, 9600.0);
    assert_eq!((over.update_coverage, over.updated_share_of_written), (2.0 / 3.0, 1.0));
    assert_eq!((found.space.footprint_bytes, found.space.address_span_bytes), (3 * UNIT, 5 * UNIT));
}

#[test]
fn sectors_are_counted_when_asked_for() {
    let records = vec![record(0, Op::Write, 512, 1024), record(1, Op::Write, 1024, 1024)];
    let trace = Trace::from_records("memory", records);
    let sectors = CharacteristicsOptions { unit_bytes: 512, ..CharacteristicsOptions::default() };
    let (_, found) = trace.describe(sectors).unwrap();
    assert_eq!((found.overwrites.written_units, found.overwrites.rewritten_units), (4, 1));
    assert_eq!(trace.characteristics().unwrap().overwrites.overwrite_ratio, 0.5);
    let error =
        trace.describe(CharacteristicsOptions { unit_bytes: 1000, ..sectors }).unwrap_err().to_string();
    assert!(error.contains("power of two") && error.contains("1000"), "{error}");
}

#[test]
fn arrivals_of_a_metronome_and_of_one_burst() {
    let steady: Vec<Record> = (0..1000).map(|i| record(i * 10_000_000, Op::Read, 0, 512)).collect();
    let found = of(&steady).arrivals;
    assert_eq!((found.interarrival_ns.mean, found.interarrival_ns.coefficient_of_variation), (1e7, 0.0));
    assert_eq!(found.requests_per_s, 100.0);
    let second = &found.burstiness[1];
    assert_eq!((second.windows, second.mean_requests, second.peak_requests), (9, 100.0, 100));
    assert_eq!((second.index_of_dispersion, second.peak_to_mean), (Some(0.0), Some(1.0)));

    // 100 in the first of ten seconds and one at the end: mean 10, variance (90² + 9 · 10²) / 10 = 900.
    let mut burst: Vec<Record> = (0..100).map(|i| record(i * 1_000_000, Op::Read, 0, 512)).collect();
    burst.push(record(10_000_000_000, Op::Read, 0, 512));
    let second = &of(&burst).arrivals.burstiness[1];
    assert_eq!((second.windows, second.mean_requests), (10, 10.0));
    assert_eq!(
        (second.index_of_dispersion, second.peak_to_mean, second.idle_share),
        (Some(90.0), Some(10.0), 0.9)
    );
}

#[test]
fn one_request_and_a_trace_of_flushes_have_characteristics() {
    let one = of(&[record(0, Op::Write, u64::MAX - 1, 1)]);
    assert_eq!((one.space.footprint_bytes, one.arrivals.interarrival_ns.count), (UNIT, 0));
    assert_eq!(one.arrivals.burstiness[0].index_of_dispersion, None);
    let flushes = of(&[record(0, Op::Flush, 0, 0), record(5, Op::Flush, 0, 0)]);
    assert_eq!((flushes.requests.flush_share, flushes.space.max_end_bytes), (1.0, 0));
    assert_eq!((flushes.skew.zipf, flushes.sizes.write.count), (None, 0));
}
