//! The cumulative latency distributions of a run beside the exact latencies of its requests.

use crate::common::prelude::*;

#[test]
fn points_lie_between_shortest_and_longest_and_tell_the_exact_share() {
    // Its bucket in the histogram ends at 754,175 ns.
    let one = TestDrive::one_plane().run(vec![at(0, Op::Write, 0, 1)]).results;
    assert_eq!(one.latency_cdf.write, [(WRITE, 1.0)]);
    assert!(one.latency_cdf.read.is_empty());

    let drive = TestDrive::of([2, 2, 1, 1]).set("warmup.kind", "overwrite");
    let outcome = drive.play(&uniform(128, 5_000, 0.5, 400_000, 1));
    let (results, table) = (&outcome.results, outcome.requests.as_ref().unwrap());
    let (cdf, requests) = (&results.latency_cdf, &results.requests);
    for (op, points, class) in
        [(Op::Read, &cdf.read, &requests.read), (Op::Write, &cdf.write, &requests.write)]
    {
        let of_class = (0..table.op.len()).filter(|row| table.op[*row] == op as u8);
        let exact: Vec<u64> = of_class.map(|row| table.completion_ns[row] - table.arrival_ns[row]).collect();
        assert_eq!(exact.len() as u64, class.count);
        assert_eq!(points.last(), Some(&(class.max_ns, 1.0)), "{op:?}");
        assert!(points.is_sorted_by(|a, b| a.0 < b.0 && a.1 < b.1), "{op:?}");
        for (latency, share) in points {
            assert!((class.min_ns..=class.max_ns).contains(latency), "{op:?}: {latency} ns, {class:?}");
            let at_or_below = exact.iter().filter(|each| *each <= latency).count();
            assert_eq!(*share, at_or_below as f64 / exact.len() as f64, "{op:?} at {latency} ns");
        }
    }
    assert!(cdf.write.len() > 100, "a distribution worth the name");
}
