//! What a run left, as a list of numbers in a fixed order: names may change, these may not.

use reclaim_sim::Outcome;
use reclaim_sim::results::ClassResult;

/// The list. Time on the host link counts with the transfers inside the drive, whether or not it is a part of its own.
pub fn values(outcome: &Outcome) -> Vec<u64> {
    let mut list = Vec::new();
    summary(outcome, &mut list);
    rows(outcome, &mut list);
    for histogram in &outcome.histograms {
        list.push(histogram.len());
        for step in histogram.iter_recorded() {
            list.extend([step.value_iterated_to(), step.count_at_value()]);
        }
    }
    list
}

/// `NaN` and absent figures are one value.
fn bits(value: Option<f64>) -> u64 {
    value.map_or(u64::MAX, f64::to_bits)
}

fn class(of: &ClassResult, list: &mut Vec<u64>) {
    list.extend([of.count, of.bytes, of.min_ns, of.max_ns]);
    list.extend([of.p50_ns, of.p90_ns, of.p95_ns, of.p99_ns, of.p99_9_ns, of.p99_99_ns]);
    list.extend([of.mean_ns, of.iops, of.bandwidth_bytes_per_s].map(f64::to_bits));
    let parts = &of.breakdown;
    // Sums of whole nanoseconds divided by the count: adding parts must not depend on where one part was cut in two.
    let whole = |mean_ns: f64| (mean_ns * of.count as f64).round() as u64;
    let moved = whole(parts.transfer_ns) + whole(parts.link_ns);
    list.extend([whole(parts.queue_ns), whole(parts.gc_ns), moved, whole(parts.array_ns)]);
    list.push(whole(parts.other_ns));
}

fn summary(outcome: &Outcome, list: &mut Vec<u64>) {
    let results = &outcome.results;
    let requests = &results.requests;
    for of in [&requests.read, &requests.write, &requests.trim, &requests.flush] {
        class(of, list);
    }
    let flash = &results.flash;
    list.extend([
        flash.host_reads,
        flash.gc_reads,
        flash.host_programs,
        flash.gc_programs,
        flash.wear_programs,
    ]);
    list.extend([
        flash.erases,
        flash.wear_erases,
        flash.copybacks,
        flash.multi_plane_operations,
        flash.suspends,
    ]);
    list.extend([flash.rmw_reads, flash.unmapped_reads, flash.buffer_hits, flash.trimmed_pages]);
    let gc = &results.gc;
    list.extend([bits(gc.write_amplification), gc.jobs, gc.pages_moved, bits(gc.valid_pages_per_victim)]);
    list.extend([
        gc.dropped_moves,
        u64::from(gc.free_blocks_low_water),
        gc.host_write_stall_ns,
        gc.stalled_writes,
    ]);
    let buffer = &results.buffer;
    list.extend([u64::from(buffer.max_pages), buffer.waits, buffer.wait_ns]);
    let warmup = &results.warmup;
    list.extend([warmup.host_writes, bits(warmup.write_amplification), warmup.steady.map_or(2, u64::from)]);
    let wear = &results.wear;
    list.extend([u64::from(wear.min_erases), u64::from(wear.max_erases)]);
    list.extend([wear.mean_erases, wear.stddev_erases].map(f64::to_bits));
    let busy = &results.utilisation;
    list.extend([busy.die, busy.die_max, busy.channel, busy.channel_max].map(f64::to_bits));
    list.extend(busy.per_die.iter().chain(&busy.per_channel).map(|share| share.to_bits()));
    list.extend([results.simulated_ns, results.max_outstanding_requests, results.events]);
}

fn rows(outcome: &Outcome, list: &mut Vec<u64>) {
    if let Some(table) = &outcome.requests {
        for row in 0..table.op.len() {
            list.extend([table.arrival_ns[row], table.completion_ns[row], u64::from(table.op[row])]);
            list.extend([table.offset_bytes[row], table.size_bytes[row]]);
            let moved = table.transfer_ns[row] + table.link_ns[row];
            list.extend([table.queue_ns[row], table.gc_ns[row], moved, table.array_ns[row]]);
        }
    }
    if let Some(log) = &outcome.gc_log {
        for row in 0..log.plane.len() {
            list.extend([log.start_ns[row], log.end_ns[row], u64::from(log.cause[row])]);
            let small =
                [log.plane[row], log.victim_block[row], log.valid_pages[row], log.free_blocks_after[row]];
            list.extend(small.map(u64::from));
        }
    }
}
