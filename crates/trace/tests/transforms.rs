//! Transforms: each step in a situation worked out by hand, all of them together on any records.

use crate::common;
use crate::common::{collect, record};
use proptest::prelude::*;
use reclaim_trace::transform::{JitterSpec, MergeSpec, RepeatSpec, RotateSpec, SampleSpec, Transforms};
use reclaim_trace::{Op, Record, Trace};

const KIB: u64 = 1024;

fn apply(records: &[Record], transforms: Transforms) -> Result<Vec<Record>, String> {
    let trace = Trace::from_records("memory", records.to_vec());
    let changed = trace.transformed(transforms).map_err(|error| error.to_string())?;
    let played = changed.source().and_then(|mut source| collect(source.as_mut()));
    played.map_err(|error| error.to_string())
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
fn alignment_grows_transfers_and_shrinks_trims() {
    let found = apply(&four(), Transforms { align_bytes: Some(4 * KIB), ..Transforms::default() }).unwrap();
    let expected = vec![
        record(0, Op::Write, 0, 8 * KIB),
        record(10, Op::Trim, 4 * KIB, 8 * KIB),
        record(20, Op::Flush, 0, 0),
        record(40, Op::Read, 8 * KIB, 4 * KIB),
    ];
    assert_eq!(found, expected);
    let small_trim = [record(3, Op::Trim, 1, 4 * KIB), record(7, Op::Read, 0, 1)];
    let found =
        apply(&small_trim, Transforms { align_bytes: Some(4 * KIB), ..Transforms::default() }).unwrap();
    assert_eq!(found, [record(0, Op::Read, 0, 4 * KIB)], "a trim of no whole unit is no request");
}

#[test]
fn a_shift_moves_addresses_before_they_are_aligned() {
    let sectors = [record(0, Op::Read, 7 * 512, 4 * KIB)];
    let both = Transforms { shift_bytes: 512, align_bytes: Some(4 * KIB), ..Transforms::default() };
    assert_eq!(apply(&sectors, both).unwrap(), [record(0, Op::Read, 4 * KIB, 4 * KIB)]);
}

#[test]
fn a_window_of_time_starts_anew_at_zero() {
    let window = Transforms { from_ns: Some(10), to_ns: Some(40), ..Transforms::default() };
    let found = apply(&four(), window).unwrap();
    assert_eq!(found, [record(0, Op::Trim, 1000, 12 * KIB), record(10, Op::Flush, 0, 0)]);
}

#[test]
fn rounds_follow_after_the_mean_gap_or_the_one_given() {
    let two = [record(0, Op::Read, 0, 1), record(30, Op::Write, 5, 1)];
    let repeat = |gap_ns| Transforms {
        repeat: Some(RepeatSpec { times: 3, gap_ns, shuffled_by: None }),
        ..Transforms::default()
    };
    let times = |gap_ns| apply(&two, repeat(gap_ns)).unwrap().iter().map(|r| r.time_ns).collect::<Vec<_>>();
    assert_eq!(times(None), [0, 30, 60, 90, 120, 150]);
    assert_eq!(times(Some(5)), [0, 30, 35, 65, 70, 100]);
    let at_once = [record(0, Op::Read, 0, 1), record(0, Op::Write, 5, 1)];
    assert_eq!(apply(&at_once, repeat(Some(1))).unwrap().len(), 6);
}

/// The draws of stream `repeat order` of seed 42 for four requests (docs/model.md, 6.2 and 6.3, by hand): 1 of 4, 1 of
/// 3, 0 of 2; then 0, 0, 1. Each changes places with the last of those that are left.
#[test]
fn in_another_order_each_request_of_a_later_round_arrives_when_another_did() {
    let repeat = RepeatSpec { times: 3, gap_ns: Some(5), shuffled_by: Some(42) };
    let shuffled = Transforms { repeat: Some(repeat), ..Transforms::default() };
    let [a, b, c, d] = four()[..] else { unreachable!() };
    let at = |record: Record, time_ns| Record { time_ns, ..record };
    let expected = [
        [a, b, c, d],
        [at(c, 45), at(a, 55), at(d, 65), at(b, 85)],
        [at(d, 90), at(a, 100), at(b, 110), at(c, 130)],
    ];
    assert_eq!(apply(&four(), shuffled.clone()).unwrap(), expected.concat());
    let said = "played 3 times, 5 ns between rounds, the requests of each after the first in another order \
                (seed 42)";
    assert_eq!(shuffled.describe(), [said]);
}

#[test]
fn merged_traces_meet_in_time_each_at_its_own_addresses() {
    let other = Trace::from_records("other", vec![record(5, Op::Read, 0, 1), record(40, Op::Write, 0, 1)]);
    let merge = vec![MergeSpec { trace: other, shift_bytes: 1 << 30 }];
    let found = apply(&four(), Transforms { merge, ..Transforms::default() }).unwrap();
    assert_eq!(found.iter().map(|r| r.time_ns).collect::<Vec<_>>(), [0, 5, 10, 20, 40, 40]);
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
    let twice = Transforms { time_scale: Some(2.0), ..Transforms::default() };
    let times: Vec<u64> = apply(&four(), twice).unwrap().iter().map(|each| each.time_ns).collect();
    assert_eq!(times, [0, 5, 10, 20]);
    let late = [record(0, Op::Read, 0, 1), record(u64::MAX / 2, Op::Read, 0, 1)];
    let slow = Transforms { time_scale: Some(0.1), ..Transforms::default() };
    assert!(apply(&late, slow).unwrap_err().contains("64 bits of ns"));
}

#[test]
fn what_cannot_be_done_to_any_trace_is_reported_in_the_units_of_the_user() {
    let sample = |rate_ppm| SampleSpec { rate_ppm, unit_bytes: 1 << 20, seed: 0 };
    let cases = [
        (
            Transforms { from_ns: Some(10_000_000_000), to_ns: Some(5_000_000_000), ..Transforms::default() },
            "10s to 5s",
        ),
        (Transforms { sample: Some(sample(1_500_000)), ..Transforms::default() }, "not 150%"),
        (Transforms { compact_unit_bytes: Some(0), ..Transforms::default() }, "from 512 bytes"),
        (Transforms { time_scale: Some(0.0), ..Transforms::default() }, "between 1e-6 and 1e6"),
        (Transforms { time_scale: Some(f64::NAN), ..Transforms::default() }, "between 1e-6 and 1e6"),
    ];
    for (transforms, hint) in cases {
        let error = apply(&four(), transforms).unwrap_err();
        assert!(error.contains(hint), "{error}");
    }
}

#[test]
fn what_lies_behind_the_last_request_wanted_is_not_read() {
    let (_folder, path) =
        common::file("t", b"time_us,op,offset_bytes,size_bytes\n0,R,0,1\n1,R,0,1\n2,R,0,1\nbroken\n");
    let trace = Trace::open(&path, &reclaim_trace::OpenOptions::default()).unwrap();
    let first =
        |count| trace.transformed(Transforms { max_requests: Some(count), ..Transforms::default() }).unwrap();
    // The reader hands over what it read before the line that it cannot read.
    assert_eq!(first(3).scan().unwrap().requests, 3);
    assert!(first(4).scan().unwrap_err().to_string().contains("broken"));
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
    let all = rotated(&four(), RotateSpec::Requests(4)).unwrap_err();
    assert!(all.contains("cannot begin after 4 requests: it holds only 4"), "{all}");
    assert!(rotated(&four(), RotateSpec::Share { ppm: 1_000_000 }).unwrap_err().contains("below 100%"));
}

#[test]
fn a_trace_is_rotated_after_it_is_limited_and_before_it_is_repeated() {
    let steps = Transforms {
        max_requests: Some(3),
        rotate: Some(RotateSpec::Requests(1)),
        repeat: Some(RepeatSpec { times: 2, gap_ns: None, shuffled_by: None }),
        ..Transforms::default()
    };
    let found = apply(&four(), steps).unwrap();
    assert_eq!(found.iter().map(|r| r.time_ns).collect::<Vec<_>>(), [0, 10, 20, 30, 40, 50]);
    let ops: Vec<Op> = found.iter().map(|r| r.op).collect();
    assert_eq!(ops, [Op::Trim, Op::Flush, Op::Write, Op::Trim, Op::Flush, Op::Write]);
}

fn jittered(records: &[Record], most_ns: u64, seed: u64) -> Vec<Record> {
    let jitter = Some(JitterSpec { most_ns, seed });
    apply(records, Transforms { jitter, ..Transforms::default() }).unwrap()
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
    let moved: Vec<i64> = before
        .iter()
        .zip(&after)
        .map(|(before, after)| {
            assert_eq!(after.offset_bytes, before.offset_bytes);
            after.time_ns.cast_signed() - before.time_ns.cast_signed()
        })
        .collect();
    assert_eq!(moved[0], 0, "the trace begins with the same request at time 0");
    assert_eq!((moved.iter().min(), moved.iter().max()), (Some(&-400), Some(&400)));
    let mean = moved.iter().sum::<i64>() as f64 / moved.len() as f64;
    // Four standard deviations of the mean of so many draws from 801 numbers.
    assert!(mean.abs() < 4.0 * 231.2 / (20_000.0_f64).sqrt(), "{mean}");
    let early = moved.iter().filter(|by| **by < -200).count() as f64 / 20_000.0;
    assert!((early - 0.249).abs() < 0.0125, "{early}");
    // The very times are part of the promise that the same seed gives the same bytes.
    assert_eq!(moved[1..6], FIRST_MOVES);
}

/// What the seed 1 draws first.
const FIRST_MOVES: [i64; 5] = [-88, 156, 309, 127, 333];

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
    let far = Transforms { jitter: Some(JitterSpec { most_ns: u64::MAX, seed: 0 }), ..Transforms::default() };
    assert!(apply(&at_once, far).unwrap_err().contains("jitter must be at most"));
}

#[test]
fn every_round_has_a_jitter_of_its_own() {
    let twice = Transforms {
        repeat: Some(RepeatSpec { times: 2, gap_ns: None, shuffled_by: None }),
        jitter: Some(JitterSpec { most_ns: 400, seed: 1 }),
        ..Transforms::default()
    };
    let found = apply(&regular(50, 1000), twice).unwrap();
    let in_round = |range: std::ops::Range<usize>| -> Vec<u64> {
        found[range].iter().map(|r| (r.time_ns + 400) % 1000).collect()
    };
    assert_ne!(in_round(1..50), in_round(51..100));
}

#[test]
fn nothing_left_is_an_error_that_says_why() {
    let window = Transforms { from_ns: Some(100), ..Transforms::default() };
    assert_eq!(
        apply(&four(), window).unwrap_err(),
        "trace \"memory\": no request arrives 100 ns after the first or later"
    );
    let twice = Transforms { from_ns: Some(9), to_ns: Some(9), ..Transforms::default() };
    assert!(apply(&four(), twice).unwrap_err().contains("is empty"));
    let far = Transforms { shift_bytes: u64::MAX, ..Transforms::default() };
    assert!(apply(&four(), far).unwrap_err().contains("beyond what 64 bits can address"));
    let torn = SampleSpec { rate_ppm: 500_000, unit_bytes: 4096, seed: 0 };
    let torn = Transforms { sample: Some(torn), align_bytes: Some(16 * KIB), ..Transforms::default() };
    assert!(apply(&four(), torn).unwrap_err().contains("multiple of the alignment"));
}

fn any_records() -> impl Strategy<Value = Vec<Record>> {
    let op = prop::sample::select(vec![Op::Read, Op::Write, Op::Write, Op::Trim, Op::Flush]);
    let one = (0_u64..1 << 20, 0_u64..1 << 24, 1_u64..1 << 18, op);
    prop::collection::vec(one, 1..80).prop_map(|parts| {
        let mut time_ns = 0;
        let mut next = |gap| {
            time_ns += gap;
            time_ns
        };
        let made = parts.into_iter().enumerate().map(|(index, (gap, offset, size, op))| {
            let time_ns = next(if index == 0 { 0 } else { gap });
            let (offset, size) = if op == Op::Flush { (0, 0) } else { (offset, size) };
            record(time_ns, op, offset, size)
        });
        made.collect()
    })
}

fn any_transforms() -> impl Strategy<Value = Transforms> {
    let window = (prop::option::of(0_u64..1 << 21), prop::option::of(1_u64 << 21..1 << 26));
    let align = prop::option::of(prop::sample::select(vec![512_u64, 4096]));
    let sample =
        prop::option::of((1_u32..=1_000_000, prop::sample::select(vec![4096_u64, 65536, 1 << 20]), 0_u64..3));
    let order = prop::option::of(any::<u64>());
    let repeat = prop::option::of((1_u64..4, prop::option::of(0_u64..1 << 20), order));
    let merge = prop::option::of((any_records(), 0_u64..1 << 30));
    let rotate = prop::option::of((0_u32..1_000_000).prop_map(|ppm| RotateSpec::Share { ppm }));
    let jitter = prop::option::of(any_jitter());
    let of_time = (repeat, rotate, jitter);
    (
        window,
        prop::sample::select(vec![0_u64, 512]),
        align,
        sample,
        prop::option::of(1_u64..100),
        of_time,
        merge,
    )
        .prop_map(
            |((from_ns, to_ns), shift_bytes, align_bytes, sample, max_requests, of_time, merge)| {
                let (repeat, rotate, jitter) = of_time;
                Transforms {
                    merge: merge
                        .map(|(records, shift_bytes)| MergeSpec {
                            trace: Trace::from_records("b", records),
                            shift_bytes,
                        })
                        .into_iter()
                        .collect(),
                    from_ns,
                    to_ns,
                    shift_bytes,
                    align_bytes,
                    sample: sample.map(|(rate_ppm, unit_bytes, seed)| SampleSpec {
                        rate_ppm,
                        unit_bytes,
                        seed,
                    }),
                    max_requests,
                    rotate,
                    repeat: repeat.map(|(times, gap_ns, shuffled_by)| RepeatSpec {
                        times,
                        gap_ns,
                        shuffled_by,
                    }),
                    jitter,
                    ..Transforms::default()
                }
            },
        )
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
        let rounds = |shuffled_by| {
            let repeat = Some(RepeatSpec { times: 4, gap_ns: None, shuffled_by });
            apply(&records, Transforms { repeat, ..Transforms::default() }).unwrap()
        };
        let (found, as_recorded) = (rounds(Some(seed)), rounds(None));
        let times = |records: &[Record]| records.iter().map(|r| r.time_ns).collect::<Vec<_>>();
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
        let numbered: Vec<Record> = records
            .iter()
            .enumerate()
            .map(|(index, r)| record(r.time_ns, Op::Read, index as u64, 1))
            .collect();
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
        let all = SampleSpec { rate_ppm: 1_000_000, unit_bytes: 4096, seed: 9 };
        let nothing = Transforms {
            from_ns: Some(0),
            to_ns: Some(u64::MAX),
            align_bytes: Some(1),
            sample: Some(all),
            max_requests: Some(u64::MAX),
            repeat: Some(RepeatSpec { times: 1, gap_ns: Some(7), shuffled_by: None }),
            ..Transforms::default()
        };
        prop_assert_eq!(&apply(&records, nothing).unwrap(), &records);
        let same = Trace::from_records("memory", records).transformed(Transforms::default()).unwrap();
        prop_assert!(same.transforms().is_empty());
    }

    #[test]
    fn sampling_keeps_every_access_to_a_unit_or_none(records in any_records(), rate_ppm in 1_u32..1_000_000) {
        const UNIT: u64 = 65536;
        let spec = SampleSpec { rate_ppm, unit_bytes: UNIT, seed: 1 };
        let Ok(found) = apply(&records, Transforms { sample: Some(spec), ..Transforms::default() }) else {
            return Ok(());
        };
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
