//! Whether the drive keeps up with the requests.

use super::evidence::Evidence;
use super::remark::{Code, Remark, Verdict, percent};
use crate::settings::HostMode;

/// Share of the trace's span that the drive may need after the last arrival before that counts as a backlog.
const BACKLOG: f64 = 0.1;

/// Requests beyond those that dies can work on that make a queue, not a burst.
const QUEUE: f64 = 100.0;

/// Windows from which on steady growth is no accident.
const GROWS_OVER: usize = 32;

/// Rise of the requests in flight, as a share of their mean, that is worth a doubt. A queue that grows from nothing all
/// the time rises by twice its mean; what the trace itself brings, more work in one part than in another, by less.
const RISE: f64 = 0.5;

/// Rise or fall of the requests in flight from play to play of the same trace, as a share of their mean. What the trace
/// brings is the same in each, so this is the drive's doing.
const DRIFT: f64 = 0.05;

/// Half-width of the 95 % confidence interval of the requests in flight, from plays of the same trace, beyond which
/// latencies are not the same from play to play.
const IMPRECISE: f64 = 0.10;

/// Where a window begins queues are empty, and a drive has collected whatever it wanted to: `docs/windows.md` has how
/// far that was from whole runs of a busy drive.
fn of_windows(evidence: &Evidence<'_>, verdict: &mut Verdict) {
    let windows = &evidence.run.measure.windows;
    let measured: u64 = windows.iter().map(|window| window.requests).sum();
    let requests = evidence.with.trace.requests;
    let (of, settled_by) = if evidence.run.config.measure.is_of_life() {
        (format!("{} plays of the trace", windows.len()), "a longer trace, or --plays N")
    } else if windows.is_empty() || measured == requests {
        return;
    } else {
        (format!("{measured} of {requests} requests"), "the whole run, without --windows")
    };
    let message = format!(
        "Latencies are those of windows: {of}, before which no queue is older than the lead-in. On a busy \
         drive the whole run can have several times as high or as low ones."
    );
    let remark = Remark::new(Code::OfWindows, message).of(evidence.latencies());
    verdict.doubts.push(remark.settled_by(settled_by));
}

pub(super) fn judge(evidence: &Evidence<'_>, verdict: &mut Verdict) {
    of_windows(evidence, verdict);
    let run = evidence.run;
    // In a closed loop the host waits: nothing can pile up.
    if run.config.host.mode == HostMode::ClosedLoop {
        return;
    }
    let recorder = &run.recorder;
    let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len().max(1) as f64;
    let (sums, width) = recorder.in_flight.sums();
    let windows: Vec<f64> = sums.iter().map(|sum| *sum as f64 / width as f64).collect();
    let eighth = windows.len() / 8;
    let parts: Vec<f64> = (3..8).map(|k| mean(&windows[k * eighth..(k + 1) * eighth])).collect();
    let grows = windows.len() >= GROWS_OVER && parts.windows(2).all(|pair| pair[1] > pair[0]);
    let dies = f64::from(run.geometry.dies());
    let long = parts[4] > dies + QUEUE;
    let span = run.arrivals_ns as f64;
    let drain = run.completions_ns.saturating_sub(run.arrivals_ns) as f64;
    // A trace of a moment proves nothing: its last request alone can outlast it.
    let late =
        recorder.max_outstanding > u64::from(run.geometry.dies()) && span > 1e9 && drain > BACKLOG * span;
    if (grows && long) || late {
        // Had the requests come in the time that the drive took, it had kept up, about.
        let slower = evidence.slower((span > 0.0).then_some(span / (span + drain)));
        let message = format!(
            "The drive could not keep up: up to {} requests were in flight, and the last ended {:.3} s \
             after the last had arrived, so latencies measure the backlog. Slow the trace down \
             ({slower}) or replay it with --mode closed-loop.",
            recorder.max_outstanding,
            drain / 1e9
        );
        let remark = Remark::new(Code::UnboundedQueue, message).of(evidence.latencies());
        verdict.warnings.push(remark.settled_by(format!("{slower}, or --mode closed-loop")));
        return;
    }
    let Some(trend) = evidence.drift.outstanding else { return };
    let plays = evidence.drift.compares_plays();
    // What the dies can work on at once is no queue, however it varies.
    let rises = trend.change_share > 0.0 && trend.moves(RISE) && parts[4] > dies;
    if rises || plays && trend.moves(DRIFT) {
        let message = format!(
            "Requests in flight {} by {} of their mean ({:.1}) while it was measured, which chance does \
             not explain: latencies depend on how long the trace is.{}",
            if trend.change_share > 0.0 { "rose" } else { "fell" },
            percent(trend.change_share.abs()),
            trend.mean,
            if rises { " The drive may be falling behind." } else { "" },
        );
        let remedy = if rises {
            format!("{}, or --plays N", evidence.slower(None))
        } else {
            "--measure-after 25%, or a higher --plays".to_owned()
        };
        let remark = Remark::new(Code::OutstandingDrifts, message).of(evidence.latencies());
        verdict.doubts.push(remark.settled_by(remedy));
    } else if plays && trend.half_width_share > IMPRECISE {
        // By Little's law, requests in flight are to mean latency as arrivals are to time.
        let message = format!(
            "Requests in flight, and with them latencies, differed so much from play to play of the trace \
             that their mean ({:.1}) is known to ± {} only (95 % confidence).",
            trend.mean,
            percent(trend.half_width_share)
        );
        let remark = Remark::new(Code::OutstandingImprecise, message).of(evidence.latencies());
        verdict.doubts.push(remark.settled_by("--measure-after 25%, or a higher --plays"));
    }
}
