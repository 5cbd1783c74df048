//! The cumulative latency distributions of a run beside the exact latencies of its requests.

use crate::common::{at, config, run};
use reclaim_sim::{RunOptions, simulate};
use reclaim_trace::{Op, Trace, UniformSpec};
use std::ops::ControlFlow;

/// Command, data, program. Its bucket in the histogram ends at 754,175 ns.
const WRITE: u64 = 7 + 4096 + 750_000;

#[test]
fn one_request_is_one_point_at_its_latency() {
    let records = vec![at(0, Op::Write, 0, 1)];
    let results = run(&config("gc-bypass", &[]), &Trace::from_records("one", records)).unwrap().results;
    assert_eq!(results.requests.write.max_ns, WRITE);
    assert_eq!(results.latency_cdf.write, [(WRITE, 1.0)]);
    assert!(results.latency_cdf.read.is_empty());
}

#[test]
fn points_lie_between_shortest_and_longest_and_tell_the_exact_share() {
    let config = config("gc-bypass-mini", &[("warmup.kind", "overwrite"), ("warmup.overwrites", "0.5")]);
    let trace = Trace::uniform(UniformSpec {
        footprint_bytes: 256 << 20,
        request_bytes: 6 << 10,
        count: 20_000,
        write_fraction: 0.5,
        trim_fraction: 0.02,
        mean_interarrival_ns: 20_000,
        seed: 1,
    });
    let options = RunOptions { record_requests: true, ..RunOptions::default() };
    let outcome = simulate(&config, &trace, &options, &mut |_| ControlFlow::Continue(())).unwrap();
    let (results, table) = (&outcome.results, outcome.requests.as_ref().unwrap());
    let classes = [
        (Op::Read, &results.latency_cdf.read, &results.requests.read),
        (Op::Write, &results.latency_cdf.write, &results.requests.write),
        (Op::Trim, &results.latency_cdf.trim, &results.requests.trim),
    ];
    for (op, points, class) in classes {
        let exact: Vec<u64> = (0..table.op.len())
            .filter(|row| table.op[*row] == op as u8)
            .map(|row| table.completion_ns[row] - table.arrival_ns[row])
            .collect();
        assert_eq!(exact.len() as u64, class.count);
        assert_eq!(points.last(), Some(&(class.max_ns, 1.0)), "{op:?}");
        assert!(points.is_sorted_by(|a, b| a.0 < b.0 && a.1 < b.1), "{op:?}");
        for (latency, share) in points {
            assert!((class.min_ns..=class.max_ns).contains(latency), "{op:?}: {latency} ns, {class:?}");
            let at_or_below = exact.iter().filter(|each| *each <= latency).count();
            assert_eq!(*share, at_or_below as f64 / exact.len() as f64, "{op:?} at {latency} ns");
        }
    }
    assert!(results.latency_cdf.write.len() > 100, "a distribution worth the name");
}
