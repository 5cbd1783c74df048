//! Which runs can share one warm-up.

use reclaim_trace::Trace;

use crate::flash::Geometry;
use crate::ftl::fingerprint_text;
use crate::replay::{one_round, played_by_warm_up, plays_of_replay};
use crate::settings::{Config, RepeatOrder, TraceConfig, WarmupKind};
use crate::sim_error::SimError;

/// The key of the state in which a run of `trace` on the drive of `config` starts, as hexadecimal text: if it is the
/// same for two runs, each may load the state that the other has saved after its warm-up, and has the same results as
/// if it had warmed up itself.
///
/// It is a hash of what a saved state must agree with to be loaded, of the `warmup` section (which results name) and,
/// of warm-ups that play the trace, of its requests after all steps, with their times, of how they are remapped, of the
/// order in which they come again, and, where units are padded, of the timer that pads them.
///
/// # Errors
/// Of warm-ups that play the trace: when it cannot be read.
pub fn warm_up_key(config: &Config, trace: &Trace) -> Result<String, SimError> {
    let mut parts = of_drive(config)?;
    if config.warmup.kind.plays_the_trace() {
        let changed = config.trace.apply(trace, config.seed)?;
        let round = one_round(config, trace, &changed)?;
        parts.push(played_by_warm_up(config, &round, &changed)?.scan()?.content_hash);
        parts.push(serde_json::to_string(&config.trace.remap).expect("a word"));
        if config.trace.repeat_order == RepeatOrder::Shuffled {
            // Which orders are drawn follows from the seed, which a saved state must agree with.
            let plays = match config.warmup.kind {
                WarmupKind::Replay => plays_of_replay(config).to_string(),
                _ => "any".to_owned(),
            };
            parts.push(format!("{plays} plays, each in another order"));
        }
    }
    Ok(hashed(&parts))
}

/// The same without reading a trace: two runs of one trace share a warm-up if this is the same for both, and runs of
/// whatever traces where the warm-up plays none. (Runs may share one although it differs, where steps that are done to
/// the trace change nothing in it.)
///
/// # Errors
/// Of a geometry that cannot be.
pub fn warm_up_key_of_any_trace(config: &Config) -> Result<String, SimError> {
    let mut parts = of_drive(config)?;
    if config.warmup.kind.plays_the_trace() {
        // Rounds of `workload` are single plays, however many the run has.
        let repeat = if config.warmup.kind == WarmupKind::Workload { 1 } else { config.trace.repeat };
        let steps = TraceConfig { repeat, ..config.trace.clone() };
        parts.push(serde_json::to_string(&(steps, config.seed)).expect("settings are plain tables"));
    }
    Ok(hashed(&parts))
}

/// What a saved state must agree with, whatever was played.
fn of_drive(config: &Config) -> Result<Vec<String>, SimError> {
    let geometry = Geometry::new(config)?;
    let mut parts = vec![
        fingerprint_text(config, &geometry),
        serde_json::to_string(&config.warmup).expect("settings are plain tables"),
    ];
    if config.warm_up_pads() {
        // Which units are padded follows from when requests arrive, and from how long a page waits for others.
        let waits = config.flush_after();
        parts.push(serde_json::to_string(&(&config.host, waits)).expect("plain tables"));
    }
    Ok(parts)
}

fn hashed(parts: &[String]) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        // With their lengths, so that no two lists of parts look alike.
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    hasher.finalize().to_hex().to_string()
}
