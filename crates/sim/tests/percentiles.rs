//! Percentiles and distributions of latencies that can be counted on one's fingers.

use crate::common::prelude::*;
use reclaim_sim::results::ClassResult;

/// A read of a page that was written; a read of any other page takes no time.
const READS: u64 = 10_000;

/// Statistics of reads 0.1 ms apart, of which so many take no time.
fn reads(at_once: u64) -> reclaim_sim::Results {
    let mut records = vec![at(0, Op::Write, 0, 1)];
    // Spread over the run, so that nothing depends on when they come.
    let instant = |k: u64| k * at_once / READS != (k + 1) * at_once / READS;
    records.extend((0..READS).map(|k| at(10_000 + 100 * k, Op::Read, u64::from(instant(k)), 1)));
    TestDrive::one_plane().run(records).results
}

type Percentile = fn(&ClassResult) -> u64;

/// With exactly the share q of the reads at once, the q-quantile is one of them: q of all latencies are no longer. With
/// one fewer it is a slow one.
#[test]
fn a_percentile_is_the_smallest_latency_that_the_share_does_not_exceed() {
    let percentiles: [(u64, Percentile); 6] = [
        (5_000, |read| read.p50_ns),
        (9_000, |read| read.p90_ns),
        (9_500, |read| read.p95_ns),
        (9_900, |read| read.p99_ns),
        (9_990, |read| read.p99_9_ns),
        (9_999, |read| read.p99_99_ns),
    ];
    for (at_once, percentile) in percentiles {
        assert_eq!(percentile(&reads(at_once).requests.read), 0, "{at_once} at once");
        assert_eq!(percentile(&reads(at_once - 1).requests.read), READ, "{} at once", at_once - 1);
    }
}

#[test]
fn counts_means_and_rates() {
    let results = reads(6_000);
    let read = &results.requests.read;
    assert_eq!((read.count, read.bytes), (READS, READS * 4096));
    assert_eq!((read.min_ns, read.max_ns), (0, READ));
    let close =
        |value: f64, expected: f64| assert!((value / expected - 1.0).abs() < 1e-12, "{value}, {expected}");
    // Four of ten take 7 ns of command and 4096 ns of data on the channel and 75 us in the array.
    close(read.mean_ns, 0.4 * READ as f64);
    close(read.breakdown.transfer_ns, 0.4 * 4103.0);
    close(read.breakdown.array_ns, 0.4 * 75_000.0);
    assert_eq!((read.breakdown.queue_ns, read.breakdown.gc_ns, read.breakdown.other_ns), (0.0, 0.0, 0.0));
    // The last read comes at 10 ms + 0.9999 s, and is one of those at once.
    assert_eq!(results.simulated_ns, 1_009_900_000);
    close(read.iops, 10_000.0 / 1.0099);
    close(read.bandwidth_bytes_per_s, 10_000.0 * 4096.0 / 1.0099);
    // The one write occupied the only die and channel, and so did the reads.
    let busy = 7.0 + 4096.0 + 750_000.0 + 4_000.0 * READ as f64;
    close(results.utilisation.die, busy / 1_009_900_000.0);
    close(results.utilisation.channel, 4_001.0 * 4_103.0 / 1_009_900_000.0);
    assert_eq!((results.flash.unmapped_reads, results.flash.host_reads), (6_000, 4_000));
}
