//! Transforms: each step in a situation worked out by hand, all of them together on any records.

use crate::common::{collect, file, in_order, names, record, with};
use proptest::prelude::*;
use reclaim_trace::transform::{JitterSpec, MergeSpec, RepeatSpec, RotateSpec, SampleSpec, Transforms};
use reclaim_trace::{Op, OpenOptions, Record, Trace, UniformSpec};
use rstest::rstest;

const KIB: u64 = 1024;

fn apply(records: &[Record], transforms: Transforms) -> Result<Vec<Record>, String> {
    let trace = Trace::from_records("memory", records.to_vec());
    let changed = trace.transformed(transforms).map_err(|error| error.to_string())?;
    let played = changed.source().and_then(|mut source| collect(source.as_mut()));
    played.map_err(|error| error.to_string())
}

fn times(records: &[Record]) -> Vec<u64> {
    records.iter().map(|record| record.time_ns).collect()
}

fn repeated(times: u64, gap_ns: Option<u64>, shuffled_by: Option<u64>) -> Transforms {
    Transforms { repeat: Some(RepeatSpec { times, gap_ns, shuffled_by }), ..Transforms::default() }
}

fn merged(trace: Trace, shift_bytes: u64) -> Transforms {
    Transforms { merge: vec![MergeSpec { trace, shift_bytes, stream: None }], ..Transforms::default() }
}

fn window(from_ns: Option<u64>, to_ns: Option<u64>) -> Transforms {
    Transforms { from_ns, to_ns, ..Transforms::default() }
}

fn jitter(most_ns: u64, seed: u64) -> Transforms {
    Transforms { jitter: Some(JitterSpec { most_ns, seed }), ..Transforms::default() }
}

fn aligned(bytes: u64) -> Transforms {
    Transforms { align_bytes: Some(bytes), ..Transforms::default() }
}

fn sampled(rate_ppm: u32, unit_bytes: u64, seed: u64) -> Transforms {
    Transforms { sample: Some(SampleSpec { rate_ppm, unit_bytes, seed }), ..Transforms::default() }
}

fn at_most(requests: u64) -> Transforms {
    Transforms { max_requests: Some(requests), ..Transforms::default() }
}

fn four() -> Vec<Record> {
    vec![
        record(0, Op::Write, 512, 4 * KIB),
        record(10, Op::Trim, 1000, 12 * KIB),
        record(20, Op::Flush, 0, 0),
        record(40, Op::Read, 8 * KIB, 1),
    ]
}

#[test]
fn alignment_grows_transfers_and_shrinks_trims_after_a_shift() {
    let expected = vec![
        record(0, Op::Write, 0, 8 * KIB),
        record(10, Op::Trim, 4 * KIB, 8 * KIB),
        record(20, Op::Flush, 0, 0),
        record(40, Op::Read, 8 * KIB, 4 * KIB),
    ];
    assert_eq!(apply(&four(), aligned(4 * KIB)).unwrap(), expected);
    let small_trim = [record(3, Op::Trim, 1, 4 * KIB), record(7, Op::Read, 0, 1)];
    let found = apply(&small_trim, aligned(4 * KIB)).unwrap();
    assert_eq!(found, [record(0, Op::Read, 0, 4 * KIB)], "a trim of no whole unit is no request");
    let sectors = [record(0, Op::Read, 7 * 512, 4 * KIB)];
    let both = Transforms { shift_bytes: 512, ..aligned(4 * KIB) };
    assert_eq!(apply(&sectors, both).unwrap(), [record(0, Op::Read, 4 * KIB, 4 * KIB)]);
}

#[test]
fn a_window_of_time_starts_anew_at_zero() {
    let found = apply(&four(), window(Some(10), Some(40))).unwrap();
    assert_eq!(found, [record(0, Op::Trim, 1000, 12 * KIB), record(10, Op::Flush, 0, 0)]);
}

#[test]
fn rounds_follow_after_the_mean_gap_or_the_one_given() {
    let two = [record(0, Op::Read, 0, 1), record(30, Op::Write, 5, 1)];
    let played = |gap_ns| times(&apply(&two, repeated(3, gap_ns, None)).unwrap());
    assert_eq!(played(None), [0, 30, 60, 90, 120, 150]);
    assert_eq!(played(Some(5)), [0, 30, 35, 65, 70, 100]);
    let at_once = [record(0, Op::Read, 0, 1), record(0, Op::Write, 5, 1)];
    assert_eq!(apply(&at_once, repeated(3, Some(1), None)).unwrap().len(), 6);
}

/// The draws of stream `repeat order` of seed 42 for four requests (docs/model.md, 6.2 and 6.3, by hand): 1 of 4, 1 of
/// 3, 0 of 2; then 0, 0, 1. Each changes places with the last of those that are left.
#[test]
fn in_another_order_each_request_of_a_later_round_arrives_when_another_did() {
    let shuffled = repeated(3, Some(5), Some(42));
    let [a, b, c, d] = four()[..] else { unreachable!() };
    let at = |record: Record, time_ns| Record { time_ns, ..record };
    let expected = [
        [a, b, c, d],
        [at(c, 45), at(a, 55), at(d, 65), at(b, 85)],
        [at(d, 90), at(a, 100), at(b, 110), at(c, 130)],
    ];
    assert_eq!(apply(&four(), shuffled.clone()).unwrap(), expected.concat());
    names(&shuffled.describe().join("\n"), "3 times|5 ns|seed 42");
}

/// The first trace names stream 3, the others name 1: one of these is said to be of 2, the other keeps it.
#[test]
fn a_merged_trace_is_of_the_stream_that_is_said() {
    let of = |stream: u8, time: u64| Record { stream, ..record(time, Op::Write, 0, 512) };
    let merge = [Some(2), None].map(|stream| {
        let trace = Trace::from_records("other", vec![of(1, 5)]);
        MergeSpec { trace, shift_bytes: 0, stream }
    });
    let steps = Transforms { merge: merge.to_vec(), ..Transforms::default() };
    assert!(steps.describe()[0].ends_with(" as stream 2"), "{:?}", steps.describe());
    let found = apply(&[of(3, 0)], steps).unwrap();
    assert_eq!(found.iter().map(|record| record.stream).collect::<Vec<_>>(), [3, 2, 1]);
    let alone = |stream| {
        let trace = Trace::from_records("plain", vec![of(0, 0)]);
        let merge = vec![MergeSpec { trace: trace.clone(), shift_bytes: 0, stream }];
        trace.transformed(Transforms { merge, ..Transforms::default() }).unwrap().has_streams()
    };
    assert_eq!([None, Some(0), Some(9)].map(alone), [false, false, true]);
}

#[test]
fn merged_traces_meet_in_time_each_at_its_own_addresses() {
    let other = Trace::from_records("other", vec![record(5, Op::Read, 0, 1), record(40, Op::Write, 0, 1)]);
    let found = apply(&four(), merged(other, 1 << 30)).unwrap();
    assert_eq!(times(&found), [0, 5, 10, 20, 40, 40]);
    assert_eq!(found[1], record(5, Op::Read, 1 << 30, 1));
    // At the same time the first trace's request comes first.
    assert_eq!((found[4].op, found[5].op), (Op::Read, Op::Write));
}

#[test]
fn compaction_numbers_units_as_they_are_touched_and_cuts_what_no_longer_lies_together() {
    let records = [
        record(5, Op::Trim, 0, 1 << 40),
        record(10, Op::Write, 100 * 4 * KIB + 512, 6 * KIB),
        record(20, Op::Read, 99 * 4 * KIB, 12 * KIB),
        record(30, Op::Flush, 0, 0),
        record(40, Op::Trim, 0, 1 << 40),
        record(50, Op::Trim, 7 * 4 * KIB, 4 * KIB),
        record(60, Op::Write, 1 << 47, 1),
    ];
    let compact = Transforms { compact_unit_bytes: Some(4 * KIB), ..Transforms::default() };
    let expected = vec![
        // The first trim was of nothing: time starts at the write, whose two units stay together.
        record(0, Op::Write, 512, 6 * KIB),
        record(10, Op::Read, 8 * KIB, 4 * KIB),
        record(10, Op::Read, 0, 8 * KIB),
        record(20, Op::Flush, 0, 0),
        record(30, Op::Trim, 8 * KIB, 4 * KIB),
        record(30, Op::Trim, 0, 8 * KIB),
        record(50, Op::Write, 12 * KIB, 1),
    ];
    assert_eq!(apply(&records, compact.clone()).unwrap(), expected);
    let far = apply(&[record(0, Op::Read, 1 << 60, 1)], compact.clone()).unwrap_err();
    assert!(far.contains("cannot be compacted"), "{far}");
    let trims = apply(&records[..1], compact).unwrap_err();
    assert!(trims.contains("never read or written"), "{trims}");
}

#[test]
fn a_time_scale_divides_all_times() {
    let scaled = |time_scale| Transforms { time_scale: Some(time_scale), ..Transforms::default() };
    assert_eq!(times(&apply(&four(), scaled(2.0)).unwrap()), [0, 5, 10, 20]);
    let late = [record(0, Op::Read, 0, 1), record(u64::MAX / 2, Op::Read, 0, 1)];
    names(&apply(&late, scaled(0.1)).unwrap_err(), "64 bits of ns");
    for odd in [0.0, f64::NAN] {
        names(&apply(&four(), scaled(odd)).unwrap_err(), "between 1e-6 and 1e6");
    }
}

#[test]
fn what_cannot_be_done_is_said_in_the_units_of_the_user() {
    let sample_and_align = Transforms { align_bytes: Some(16 * KIB), ..sampled(500_000, 4096, 0) };
    for (transforms, parts) in [
        (window(Some(10_000_000_000), Some(5_000_000_000)), "10s to 5s"),
        (sampled(1_500_000, 1 << 20, 0), "not 150%"),
        (Transforms { compact_unit_bytes: Some(0), ..Transforms::default() }, "from 512 bytes"),
        (window(Some(100), None), "trace \"memory\"|no request arrives 100 ns after"),
        (window(Some(9), Some(9)), "is empty"),
        (Transforms { shift_bytes: u64::MAX, ..Transforms::default() }, "64 bits"),
        (sample_and_align, "multiple of the alignment"),
        (jitter(u64::MAX, 0), "jitter must be at most"),
    ] {
        names(&apply(&four(), transforms).unwrap_err(), parts);
    }
}

#[test]
fn what_lies_behind_the_last_request_wanted_is_not_read() {
    let (_folder, path) =
        file("t", "time_us,op,offset_bytes,size_bytes\n0,R,0,1\n1,R,0,1\n2,R,0,1\nbroken\n");
    let trace = Trace::open(&path, &OpenOptions::default()).unwrap();
    let first = |count| trace.transformed(at_most(count)).unwrap().scan();
    // The reader hands over what it read before the line that it cannot read.
    assert_eq!(first(3).unwrap().requests, 3);
    names(&first(4).unwrap_err().to_string(), "broken");
}

fn rotated(records: &[Record], spec: RotateSpec) -> Result<Vec<Record>, String> {
    apply(records, Transforms { rotate: Some(spec), ..Transforms::default() })
}

#[test]
fn a_rotated_trace_goes_round_with_the_mean_gap_where_it_turns() {
    // Gaps of 10, 10 and 20: the mean is 13, rounded down.
    let expected = vec![
        record(0, Op::Flush, 0, 0),
        record(20, Op::Read, 8 * KIB, 1),
        record(33, Op::Write, 512, 4 * KIB),
        record(43, Op::Trim, 1000, 12 * KIB),
    ];
    assert_eq!(rotated(&four(), RotateSpec::Requests(2)).unwrap(), expected);
    assert_eq!(rotated(&four(), RotateSpec::Share { ppm: 500_000 }).unwrap(), expected);
    // A share is rounded down to whole requests, at the least to none.
    assert_eq!(rotated(&four(), RotateSpec::Share { ppm: 749_999 }).unwrap(), expected);
    assert_eq!(rotated(&four(), RotateSpec::Share { ppm: 249_999 }).unwrap(), four());
    let one = [record(7, Op::Read, 0, 1)];
    assert_eq!(rotated(&one, RotateSpec::Share { ppm: 999_999 }).unwrap(), [record(0, Op::Read, 0, 1)]);
    names(&rotated(&four(), RotateSpec::Requests(4)).unwrap_err(), "after 4 requests|only 4");
    names(&rotated(&four(), RotateSpec::Share { ppm: 1_000_000 }).unwrap_err(), "below 100%");
}

#[test]
fn a_trace_is_rotated_after_it_is_limited_and_before_it_is_repeated() {
    let rotate = Some(RotateSpec::Requests(1));
    let found =
        apply(&four(), Transforms { max_requests: Some(3), rotate, ..repeated(2, None, None) }).unwrap();
    assert_eq!(times(&found), [0, 10, 20, 30, 40, 50]);
    let ops: Vec<Op> = found.iter().map(|r| r.op).collect();
    assert_eq!(ops, [Op::Trim, Op::Flush, Op::Write, Op::Trim, Op::Flush, Op::Write]);
}

fn jittered(records: &[Record], most_ns: u64, seed: u64) -> Vec<Record> {
    apply(records, jitter(most_ns, seed)).unwrap()
}

/// Requests that addresses tell apart, so often every `gap_ns`.
fn regular(count: u64, gap_ns: u64) -> Vec<Record> {
    (0..count).map(|index| record(index * gap_ns, Op::Read, index, 1)).collect()
}

#[test]
fn jitter_moves_arrivals_evenly_and_no_farther_than_said() {
    let before = regular(20_000, 1000);
    let after = jittered(&before, 400, 1);
    // Less than half the gap: the order is the same.
    assert!(after.iter().zip(&before).all(|(after, before)| after.offset_bytes == before.offset_bytes));
    let by = |(after, before): (u64, u64)| after.cast_signed() - before.cast_signed();
    let moved: Vec<i64> = times(&after).into_iter().zip(times(&before)).map(by).collect();
    assert_eq!(moved[0], 0, "the trace begins with the same request at time 0");
    assert_eq!((moved.iter().min(), moved.iter().max()), (Some(&-400), Some(&400)));
    let mean = moved.iter().sum::<i64>() as f64 / moved.len() as f64;
    // Four standard deviations of the mean of so many draws from 801 numbers.
    assert!(mean.abs() < 4.0 * 231.2 / (20_000.0_f64).sqrt(), "{mean}");
    let early = moved.iter().filter(|by| **by < -200).count() as f64 / 20_000.0;
    assert!((early - 0.249).abs() < 0.0125, "{early}");
    // The very times are part of the promise that the same seed gives the same bytes.
    assert_eq!(moved[1..6], [-88, 156, 309, 127, 333]);
}

#[test]
fn jitter_puts_requests_in_the_order_of_their_new_times() {
    let at_once: Vec<Record> = (0..500).map(|index| record(0, Op::Read, index, 1)).collect();
    let after = jittered(&at_once, 1000, 3);
    assert_ne!(after.iter().map(|r| r.offset_bytes).collect::<Vec<_>>(), (0..500).collect::<Vec<_>>());
    // Nothing comes before time 0; of those at the same time, the earlier one comes first.
    assert!(after.is_sorted_by_key(|r| (r.time_ns, r.offset_bytes)));
    let at_zero = after.iter().filter(|r| r.time_ns == 0).count();
    assert!((200..300).contains(&at_zero), "{at_zero} of 500, half of them expected");
    assert_eq!(jittered(&at_once, 1000, 3), after);
    assert_ne!(jittered(&at_once, 1000, 4), after);
}

#[test]
fn every_round_has_a_jitter_of_its_own() {
    let twice = Transforms { jitter: jitter(400, 1).jitter, ..repeated(2, None, None) };
    let found = apply(&regular(50, 1000), twice).unwrap();
    let moved: Vec<u64> = times(&found).into_iter().map(|time_ns| (time_ns + 400) % 1000).collect();
    assert_ne!(moved[1..50], moved[51..100]);
}

fn any_records() -> impl Strategy<Value = Vec<Record>> {
    let op = prop::sample::select(vec![Op::Read, Op::Write, Op::Write, Op::Trim, Op::Flush]);
    let one = (0_u64..1 << 20, 0_u64..1 << 24, 1_u64..1 << 18, op);
    prop::collection::vec(one, 1..80).prop_map(in_order)
}

prop_compose! {
    fn any_transforms()(
        from_ns in prop::option::of(0_u64..1 << 21),
        to_ns in prop::option::of(1_u64 << 21..1 << 26),
        shift_bytes in prop::sample::select(vec![0_u64, 512]),
        align_bytes in prop::option::of(prop::sample::select(vec![512_u64, 4096])),
        sample in prop::option::of(
            (1_u32..=1_000_000, prop::sample::select(vec![4096_u64, 65536, 1 << 20]), 0_u64..3)
        ),
        max_requests in prop::option::of(1_u64..100),
        rounds in 1_u64..4,
        gap_ns in prop::option::of(0_u64..1 << 20),
        shuffled_by in prop::option::of(any::<u64>()),
        rotate in prop::option::of(0_u32..1_000_000),
        jitter in prop::option::of(any_jitter()),
        merge in prop::option::of((any_records(), 0_u64..1 << 30)),
    ) -> Transforms {
        let merge = merge.map(|(records, shift)| merged(Trace::from_records("b", records), shift).merge);
        let merge = merge.unwrap_or_default();
        let sample = sample.and_then(|(rate, unit, seed)| sampled(rate, unit, seed).sample);
        let repeat = repeated(rounds, gap_ns, shuffled_by).repeat.filter(|repeat| repeat.times > 1);
        let rotate = rotate.map(|ppm| RotateSpec::Share { ppm });
        Transforms {
            merge, from_ns, to_ns, shift_bytes, align_bytes, sample, max_requests, rotate, repeat, jitter,
            ..Transforms::default()
        }
    }
}

fn any_jitter() -> impl Strategy<Value = JitterSpec> {
    // From less than the gaps between requests to more than the whole trace.
    let most_ns = prop_oneof![0_u64..10, 0_u64..1 << 16, 0_u64..1 << 28];
    (most_ns, any::<u64>()).prop_map(|(most_ns, seed)| JitterSpec { most_ns, seed })
}

proptest! {
    #[test]
    fn any_steps_together_give_a_sound_trace_and_the_same_one_again(
        records in any_records(),
        transforms in any_transforms(),
    ) {
        let trace = Trace::from_records("memory", records.clone());
        let changed = trace.transformed(transforms.clone()).unwrap();
        let all = |trace: &Trace| trace.source().and_then(|mut source| collect(source.as_mut()));
        let Ok(found) = all(&changed) else { return Ok(()) };
        prop_assert_eq!(&all(&changed).unwrap(), &found);
        prop_assert_eq!(found[0].time_ns, 0);
        prop_assert!(found.is_sorted_by_key(|record| record.time_ns));
        prop_assert!(found.iter().all(|record| (record.op == Op::Flush) == (record.size_bytes == 0)));
        // In memory every record is checked for what makes it a request.
        let again = Trace::from_records("again", found.clone()).scan().unwrap();
        prop_assert_eq!(again.content_hash, changed.scan().unwrap().content_hash);
        if let Some(align) = transforms.align_bytes {
            let aligned = |record: &Record| (record.offset_bytes | record.size_bytes).is_multiple_of(align);
            prop_assert!(found.iter().all(aligned));
        }
        let rounds = transforms.repeat.map_or(1, |repeat| repeat.times);
        if let Some(most) = transforms.max_requests {
            prop_assert!(found.len() as u64 <= most * rounds);
        }
        prop_assert_eq!(found.len() as u64 % rounds, 0);
    }

    #[test]
    fn shuffled_rounds_have_the_same_requests_at_the_same_times(
        records in any_records(),
        seed in any::<u64>(),
    ) {
        let rounds = |shuffled_by| apply(&records, repeated(4, None, shuffled_by)).unwrap();
        let (found, as_recorded) = (rounds(Some(seed)), rounds(None));
        prop_assert_eq!(times(&found), times(&as_recorded));
        prop_assert_eq!(&rounds(Some(seed)), &found);
        let sorted = |round: &[Record]| {
            let mut what: Vec<_> = round.iter().map(|r| (r.op as u8, r.offset_bytes, r.size_bytes)).collect();
            what.sort_unstable();
            what
        };
        prop_assert_eq!(&found[..records.len()], &records[..]);
        for round in found.chunks(records.len()) {
            prop_assert_eq!(sorted(round), sorted(&records));
        }
    }

    #[test]
    fn a_rotated_trace_has_the_same_requests_one_after_the_other(
        records in any_records(),
        ppm in 0_u32..1_000_000,
    ) {
        let found = rotated(&records, RotateSpec::Share { ppm }).unwrap();
        let moved = records.len() * ppm as usize / 1_000_000;
        let what = |r: &Record| (r.op, r.offset_bytes, r.size_bytes);
        let mut expected: Vec<_> = records.iter().map(what).collect();
        expected.rotate_left(moved);
        prop_assert_eq!(found.iter().map(what).collect::<Vec<_>>(), expected);
        // Gaps are as before; where it turns, the mean gap.
        let gaps = |records: &[Record]| -> Vec<u64> {
            records.windows(2).map(|pair| pair[1].time_ns - pair[0].time_ns).collect()
        };
        let before = gaps(&records);
        let expected = if moved == 0 {
            before
        } else {
            let mean = records[records.len() - 1].time_ns / (records.len() as u64 - 1);
            [&before[moved..], &[mean], &before[..moved - 1]].concat()
        };
        prop_assert_eq!(gaps(&found), expected);
    }

    #[test]
    fn jitter_gives_the_same_requests_each_close_to_where_it_was(
        records in any_records(),
        spec in any_jitter(),
    ) {
        // Numbered, so that each is known again.
        let number = |(index, r): (u64, &Record)| record(r.time_ns, Op::Read, index, 1);
        let numbered: Vec<Record> = (0..).zip(&records).map(number).collect();
        let mut found = jittered(&numbered, spec.most_ns, spec.seed);
        prop_assert_eq!(&jittered(&numbered, spec.most_ns, spec.seed), &found);
        prop_assert!(found.is_sorted_by_key(|r| (r.time_ns, r.offset_bytes)));
        found.sort_by_key(|r| r.offset_bytes);
        for (before, after) in numbered.iter().zip(&found) {
            prop_assert_eq!(after.offset_bytes, before.offset_bytes);
            prop_assert!(after.time_ns.abs_diff(before.time_ns) <= spec.most_ns);
        }
        prop_assert_eq!(found.len(), numbered.len());
    }

    #[test]
    fn steps_that_change_nothing_give_the_same_trace(records in any_records()) {
        let nothing = Transforms {
            align_bytes: Some(1),
            sample: sampled(1_000_000, 4096, 9).sample,
            max_requests: Some(u64::MAX),
            repeat: repeated(1, Some(7), None).repeat,
            ..window(Some(0), Some(u64::MAX))
        };
        prop_assert_eq!(&apply(&records, nothing).unwrap(), &records);
        let same = Trace::from_records("memory", records).transformed(Transforms::default()).unwrap();
        prop_assert!(same.transforms().is_empty());
    }

    #[test]
    fn sampling_keeps_every_access_to_a_unit_or_none(records in any_records(), rate_ppm in 1_u32..1_000_000) {
        const UNIT: u64 = 65536;
        let Ok(found) = apply(&records, sampled(rate_ppm, UNIT, 1)) else { return Ok(()) };
        let bytes_in = |records: &[Record], unit: u64| -> u64 {
            let part = |r: &Record| {
                r.end_bytes().min((unit + 1) * UNIT).saturating_sub(r.offset_bytes.max(unit * UNIT))
            };
            records.iter().map(part).sum()
        };
        for unit in 0..=((1 << 24) + (1 << 18)) / UNIT {
            let (before, after) = (bytes_in(&records, unit), bytes_in(&found, unit));
            prop_assert!(after == before || after == 0, "unit {unit}: {after} of {before} bytes");
        }
        let flushes = |records: &[Record]| records.iter().filter(|r| r.op == Op::Flush).count();
        prop_assert_eq!(flushes(&found), flushes(&records));
    }
}

/// The times of two devices of one file, of which the second is merged into the first, in us.
fn merged_from_one_file(text: &str, devices: [&str; 2], sort: bool, steps: &Transforms) -> Vec<u64> {
    let (folder, path) = file("t", text);
    // The same file by another name is the same file.
    let link = folder.path().join("link");
    std::os::unix::fs::symlink(&path, &link).unwrap();
    let played = |scan: bool, other: &std::path::Path| {
        let opened = [(&*path, devices[0]), (other, devices[1])].map(|(path, device)| {
            Trace::open(path, &OpenOptions { sort, ..with(&[("device", device)]) }).unwrap()
        });
        if scan {
            // What was scanned is played from memory.
            let _ = [&opened[0], &opened[1]].map(|trace| trace.scan().unwrap());
        }
        let [first, second] = opened;
        let merge = merged(second, 1 << 30).merge;
        let trace = first.transformed(Transforms { merge, ..steps.clone() }).unwrap();
        collect(trace.source().unwrap().as_mut()).unwrap()
    };
    let found = played(false, &path);
    assert_eq!(played(true, &link), found);
    found.iter().map(|record| record.time_ns / 1000).collect()
}

#[rstest]
#[case::spc("0,100,4096,W,0.5\n1,100,4096,W,1.5\n", ["0", "1"])]
#[case::msr("100,h,0,Write,0,512,1\n10000100,h,1,Write,0,512,1\n", ["h_0", "h_1"])]
#[case::alibaba("1,W,0,512,1577808144000000\n2,W,0,512,1577808145000000\n", ["1", "2"])]
#[case::tencent("1538323200,8,8,1,1\n1538323201,8,8,1,2\n", ["1", "2"])]
#[case::systor("1456135200.5,0.1,W,4,0,512\n1456135201.5,0.1,W,6,0,512\n", ["4", "6"])]
#[case::fio("fio version 3 iolog\n5 /a write 0 512\n1000005 /b write 0 512\n", ["/a", "/b"])]
#[case::mqsim("5 0 8 8 0\n1000000005 1 8 8 0\n", ["0", "1"])]
#[case::blkparse("8,0 1 1 1.000000000 5 D W 8 + 8 [x]\n8,16 1 1 2.000000000 5 D W 8 + 8 [x]\n",
    ["8,0", "8,16"])]
#[case::ftrace("x-1 [0] . 1.0: block_rq_issue: 8,0 W 4096 () 8 + 8 [x]\n\
    x-1 [0] . 2.0: block_rq_issue: 8,1 W 4096 () 8 + 8 [x]\n", ["8,0", "8,1"])]
fn traces_of_one_file_keep_its_clock(#[case] text: &str, #[case] devices: [&str; 2]) {
    let [first, second] = devices;
    let plain = Transforms::default();
    for sort in [false, true] {
        assert_eq!(merged_from_one_file(text, [first, second], sort, &plain), [0, 1_000_000]);
        // Whichever is merged into the other: time 0 is that of the first request of all.
        assert_eq!(merged_from_one_file(text, [second, first], sort, &plain), [0, 1_000_000]);
        assert_eq!(merged_from_one_file(text, [first, first], sort, &plain), [0, 0]);
        for half in [window(Some(500_000_000), None), window(None, Some(1_000_000_000))] {
            assert_eq!(merged_from_one_file(text, [first, second], sort, &half), [0]);
        }
        let jittered = merged_from_one_file(text, [first, second], sort, &jitter(1, 1));
        assert!((999_999..=1_000_001).contains(&jittered[1]), "{jittered:?}");
    }
}

/// Volumes in files of their own that one clock recorded.
#[test]
fn files_of_a_common_clock_keep_it() {
    let of = |time: &str| file("t", format!("{time},0.1,W,4,0,512\n"));
    let (early, late) = (of("1456135200.5"), of("1456135203.5"));
    let open = |path: &std::path::Path| Trace::open(path, &with(&[])).unwrap();
    let together = |first: &std::path::Path, other: Trace, common_clock: bool| {
        let merge = merged(other, 1 << 20).merge;
        let steps = Transforms { merge, common_clock, ..Transforms::default() };
        let trace = open(first).transformed(steps).unwrap();
        let found = collect(trace.source().unwrap().as_mut());
        found.map(|found| found.iter().map(|each| (each.time_ns, each.offset_bytes)).collect::<Vec<_>>())
    };
    let apart = together(&early.1, open(&late.1), true).unwrap();
    assert_eq!(apart, [(0, 0), (3_000_000_000, 1 << 20)]);
    assert_eq!(together(&late.1, open(&early.1), true).unwrap(), [(0, 1 << 20), (3_000_000_000, 0)]);
    assert_eq!(together(&early.1, open(&late.1), false).unwrap(), [(0, 0), (0, 1 << 20)]);
    let mine = Trace::from_records("mine", vec![record(0, Op::Write, 0, 512)]);
    let told = together(&early.1, mine, true).unwrap_err().to_string();
    assert!(told.contains("mine has no clock of a recording"), "{told}");
}

/// A third trace, from elsewhere, begins with the first as it always did; a first that was cut keeps its clock, too.
#[test]
fn a_clock_is_kept_through_windows_and_beside_other_traces() {
    let (_folder, path) = file("t", "0,0,512,W,5\n1,0,512,W,2\n0,0,512,W,7\n1,0,512,W,8\n");
    let open = |device: &str| Trace::open(&path, &with(&[("device", device), ("sort", "")])).unwrap();
    let seconds = |trace: &Trace| -> Vec<u64> {
        let found = collect(trace.source().unwrap().as_mut()).unwrap();
        found.iter().map(|record| record.time_ns / 1_000_000_000).collect()
    };
    let other = Trace::from_records("other", vec![record(1_000_000_000, Op::Write, 0, 512)]);
    let merge = [merged(open("1"), 0).merge, merged(other, 0).merge].concat();
    // 2 of device 1; 5 of device 0, with which the other begins; 6, of the other; 7 and 8.
    let all = open("0").transformed(Transforms { merge, ..Transforms::default() }).unwrap();
    assert_eq!(seconds(&all), [0, 3, 4, 5, 6]);
    let cut = open("0").transformed(window(Some(1_000_000_000), None)).unwrap();
    assert_eq!(seconds(&cut), [0]);
    let and_1 = |trace: &Trace| trace.transformed(merged(open("1"), 0)).unwrap();
    // 2 and 8 of device 1, 7 of the first.
    assert_eq!(seconds(&and_1(&cut)), [0, 5, 6]);
    // What was merged has the clock of its first.
    assert_eq!(seconds(&and_1(&and_1(&cut))), [0, 0, 5, 6, 6]);
    // Played twice as fast, no clock fits any longer: both begin at time 0.
    let fast = cut.transformed(Transforms { time_scale: Some(2.0), ..Transforms::default() }).unwrap();
    assert_eq!(seconds(&and_1(&fast)), [0, 0, 6]);
}

/// What is made of a trace twice is one trace, read once, while somebody has it.
#[test]
fn the_same_steps_and_draws_give_the_same_trace_and_others_another() {
    let uniform = || {
        Trace::uniform(UniformSpec {
            footprint_bytes: 1 << 20,
            request_bytes: 4096,
            count: 100,
            write_fraction: 0.5,
            trim_fraction: 0.0,
            mean_interarrival_ns: 1000,
            seed: 7,
        })
    };
    let trace = uniform();
    let changed = trace.transformed(jitter(50, 1)).unwrap();
    assert!(trace.transformed(jitter(50, 1)).unwrap().is(&changed));
    let drawn = trace.drawn(2).unwrap().transformed(jitter(50, 1)).unwrap();
    assert!(trace.drawn(2).unwrap().transformed(jitter(50, 1)).unwrap().is(&drawn));
    // It is as if it were made anew.
    let anew = uniform().transformed(jitter(50, 1)).unwrap();
    assert_eq!(changed.scan().unwrap(), anew.scan().unwrap());
    // Traces to merge of one name are not taken for each other.
    let with_one = |offset| {
        let other = Trace::from_records("x", vec![record(0, Op::Write, offset, 512)]);
        trace.transformed(merged(other, 0)).unwrap()
    };
    let (one, two) = (with_one(0), with_one(1 << 30));
    assert!(!one.is(&two) && two.scan().unwrap().max_end_bytes > 1 << 30);
    for other in [
        trace.clone(),
        trace.transformed(jitter(50, 2)).unwrap(),
        trace.transformed(Transforms { max_requests: Some(9), ..jitter(50, 1) }).unwrap(),
        trace.drawn(1).unwrap().transformed(jitter(50, 1)).unwrap(),
        anew,
    ] {
        assert!(!other.is(&changed), "{:?}", other.transforms());
    }
}
