//! What is made of a trace twice is one trace, read once, while somebody has it.

use reclaim_trace::transform::{JitterSpec, MergeSpec, Transforms};
use reclaim_trace::{Op, Record, Trace, UniformSpec};

use crate::common::record;

fn uniform() -> Trace {
    Trace::uniform(UniformSpec {
        footprint_bytes: 1 << 20,
        request_bytes: 4096,
        count: 100,
        write_fraction: 0.5,
        trim_fraction: 0.0,
        mean_interarrival_ns: 1000,
        seed: 7,
    })
}

fn jittered(seed: u64) -> Transforms {
    Transforms { jitter: Some(JitterSpec { most_ns: 50, seed }), ..Transforms::default() }
}

#[test]
fn the_same_steps_and_draws_give_the_same_trace() {
    let trace = uniform();
    let changed = trace.transformed(jittered(1)).unwrap();
    assert!(trace.transformed(jittered(1)).unwrap().is(&changed));
    let drawn = trace.drawn(2).unwrap().transformed(jittered(1)).unwrap();
    assert!(trace.drawn(2).unwrap().transformed(jittered(1)).unwrap().is(&drawn));
    // It is as if it were made anew.
    assert_eq!(changed.scan().unwrap(), uniform().transformed(jittered(1)).unwrap().scan().unwrap());
}

#[test]
fn others_are_others() {
    let trace = uniform();
    let changed = trace.transformed(jittered(1)).unwrap();
    for other in [
        trace.clone(),
        trace.transformed(jittered(2)).unwrap(),
        trace.transformed(Transforms { max_requests: Some(9), ..jittered(1) }).unwrap(),
        trace.drawn(1).unwrap().transformed(jittered(1)).unwrap(),
        uniform().transformed(jittered(1)).unwrap(),
    ] {
        assert!(!other.is(&changed), "{:?}", other.transforms());
    }
}

#[test]
fn traces_to_merge_of_one_name_are_not_taken_for_each_other() {
    let merged = |offset| {
        let records: Vec<Record> = vec![record(0, Op::Write, offset, 512)];
        let trace = Trace::from_records("x", records);
        Transforms { merge: vec![MergeSpec { trace, shift_bytes: 0 }], ..Transforms::default() }
    };
    let trace = uniform();
    let (one, two) = (trace.transformed(merged(0)).unwrap(), trace.transformed(merged(1 << 30)).unwrap());
    assert!(!one.is(&two));
    assert!(two.scan().unwrap().max_end_bytes > 1 << 30);
}
