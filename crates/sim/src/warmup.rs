//! Untimed preparation of a drive: filled, overwritten, steady. What the trace itself does is in `replay.rs`.

use std::ops::ControlFlow;

use crate::engine::{Fault, Progress, Round};
use crate::fill::Fill;
use crate::flash::Stripes;
use crate::ftl::Ftl;
use crate::ids::Lpn;
use crate::mapping::FtlCounters;
use crate::metrics::{WarmupResult, finite};
use crate::random::RandomStream;
use crate::settings::{Config, WarmupKind};

/// Pages written between two looks at the caller.
const PAGES_PER_LOOK: u64 = 1 << 16;

/// Random pages are drawn so many writes before they are written, so that their mapping entries can be fetched; half
/// and a quarter as many before, what these point to.
const DRAWN_AHEAD: usize = 64;

/// Brings the drive into the state the configuration asks for; where the trace is played, what comes before that. Only
/// the pages of `pages` are written.
///
/// # Errors
/// Only when the caller interrupts.
pub fn warm_up(
    config: &Config,
    ftl: &mut Ftl,
    pages: &Fill,
    control: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Result<WarmupResult, Fault> {
    let settings = &config.warmup;
    let capacity = u64::from(ftl.geometry().logical_pages);
    let random_writes = match settings.kind {
        WarmupKind::Overwrite => (settings.overwrites * capacity as f64).round() as u64,
        WarmupKind::Steady => (settings.limit * capacity as f64).round() as u64,
        WarmupKind::Empty | WarmupKind::Filled | WarmupKind::Replay | WarmupKind::Workload => 0,
    };
    let fill = if settings.fills() { u64::from(pages.count()) } else { 0 };
    let until_flat = settings.kind == WarmupKind::Steady;
    let most = random_writes.div_ceil(capacity);
    let mut pace = Pace {
        control,
        // What follows after filling has another measure: requests.
        phase: if settings.kind.plays_the_trace() { "fill" } else { "warm-up" },
        round: until_flat.then_some(Round { what: "round", number: 0, most }),
        done: 0,
        total: fill + random_writes,
    };
    let data_pages = ftl.geometry().stripes.as_ref().map(Stripes::data_pages);
    match (data_pages, pages) {
        (None, Fill::First(_)) => {
            for from in (0..fill as u32).step_by(PAGES_PER_LOOK as usize) {
                let to = (fill as u32).min(from + PAGES_PER_LOOK as u32);
                ftl.fill_now(from..to);
                pace.steps(u64::from(to - from))?;
            }
        }
        _ => fill_page_by_page(ftl, pages, fill as u32, &mut pace)?,
    }
    let mut stream = RandomStream::new(config.seed, "warmup");
    let mut rounds = Rounds::new(ftl.counters());
    let mut steady = until_flat.then_some(false);
    let mut draw = || pages.page(stream.below(pages.count()));
    let mut batch = if random_writes > 0 { ftl.batch() } else { None };
    let mut drawn = [Lpn::NONE; DRAWN_AHEAD];
    if random_writes > 0 && batch.is_none() {
        drawn.fill_with(&mut draw);
    }
    for written in 1..=random_writes {
        if let Some(round) = &mut pace.round {
            round.number = written.div_ceil(capacity);
        }
        let round_ends = written.is_multiple_of(capacity);
        if let Some(batch) = &mut batch {
            ftl.write_later(batch, draw());
            if batch.is_full() || round_ends || written == random_writes {
                ftl.write_batch(batch);
            }
        } else {
            let at = (written - 1) as usize % DRAWN_AHEAD;
            let lpn = std::mem::replace(&mut drawn[at], draw());
            ftl.prefetch(drawn[at]);
            ftl.prefetch_replaced(drawn[(at + DRAWN_AHEAD / 2) % DRAWN_AHEAD], false);
            ftl.prefetch_replaced(drawn[(at + DRAWN_AHEAD / 4) % DRAWN_AHEAD], true);
            ftl.note_request(true);
            if data_pages.is_some() {
                ftl.write_stripe_now(&[lpn]);
            } else {
                ftl.write_now(lpn);
            }
        }
        pace.steps(1)?;
        if round_ends {
            rounds.close(ftl.counters());
            steady = rounds.found_flat(settings.tolerance.value()).or(steady);
            if until_flat && steady == Some(true) {
                break;
            }
        }
    }
    Ok(rounds.result(settings.kind, pace.done, steady))
}

/// The same where pages are not simply the first ones, or lie in stripes.
fn fill_page_by_page(ftl: &mut Ftl, pages: &Fill, fill: u32, pace: &mut Pace<'_>) -> Result<(), Fault> {
    let mut stripe = Vec::new();
    let data_pages = ftl.geometry().stripes.as_ref().map(Stripes::data_pages);
    for at in 0..fill {
        ftl.note_request(true);
        match data_pages {
            None => ftl.write_now(pages.page(at)),
            // The last of a stripe's pages brings the others with it.
            Some(count) if (at + 1) % count == 0 => {
                stripe.clear();
                stripe.extend((at + 1 - count..=at).map(Lpn));
                ftl.write_stripe_now(&stripe);
            }
            Some(_) => {}
        }
        pace.steps(1)?;
    }
    Ok(())
}

struct Pace<'a> {
    control: &'a mut dyn FnMut(&Progress) -> ControlFlow<()>,
    phase: &'static str,
    round: Option<Round>,
    done: u64,
    total: u64,
}

impl Pace<'_> {
    #[inline]
    fn steps(&mut self, pages: u64) -> Result<(), Fault> {
        self.done += pages;
        if self.done.is_multiple_of(PAGES_PER_LOOK) {
            let progress = Progress { round: self.round, ..Progress::of(self.phase, self.done, self.total) };
            if (self.control)(&progress).is_break() {
                return Err(Fault::Interrupted);
            }
        }
        Ok(())
    }
}

/// Write amplification of consecutive rounds of warming up.
pub(crate) struct Rounds {
    start: FtlCounters,
    amplification: Vec<f64>,
}

/// Rounds that must agree. One change within the tolerance alone can be the turn of a curve.
const FLAT_ROUNDS: usize = 3;

/// Write amplification up to which a round counts as one without moves: what little is moved varies more, in relation,
/// than any tolerance allows, and matters to nobody.
const NEXT_TO_NO_MOVES: f64 = 1.01;

impl Rounds {
    /// Counting begins with the first round.
    pub fn new(now: &FtlCounters) -> Self {
        Self { start: *now, amplification: Vec::new() }
    }

    /// How many have ended.
    pub fn count(&self) -> usize {
        self.amplification.len()
    }

    /// Pages the host has written in the round that goes on.
    pub fn written(&self, now: &FtlCounters) -> u64 {
        now.host_programs - self.start.host_programs
    }

    /// A round ends; one without a write counts for nothing.
    pub fn close(&mut self, now: &FtlCounters) {
        self.amplification.extend(finite(now.amplification_since(&self.start)));
        self.start = *now;
    }

    /// Whether the last rounds agree; `None` with too few of them.
    pub fn found_flat(&self, tolerance: f64) -> Option<bool> {
        (self.count() >= FLAT_ROUNDS).then(|| self.are_flat(tolerance))
    }

    fn are_flat(&self, tolerance: f64) -> bool {
        let Some(last) = self.amplification.last_chunk::<FLAT_ROUNDS>() else { return false };
        last.windows(2).all(|pair| (pair[1] / pair[0] - 1.0).abs() <= tolerance)
            || last.iter().all(|round| *round <= NEXT_TO_NO_MOVES)
    }

    /// What results say of the warm-up.
    pub fn result(self, kind: WarmupKind, host_writes: u64, steady: Option<bool>) -> WarmupResult {
        WarmupResult {
            kind: kind.name().to_owned(),
            prepared_by: None,
            host_writes,
            rounds: self.amplification.len() as u32,
            write_amplification: self.amplification.last().copied(),
            amplification_by_round: self.amplification,
            order_of_replay: None,
            steady,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_are_flat_when_three_agree_or_move_next_to_nothing() {
        let flat = |amplification: &[f64]| {
            Rounds { start: FtlCounters::default(), amplification: amplification.to_vec() }.are_flat(0.005)
        };
        assert!(flat(&[9.0, 2.0, 2.009, 2.0]));
        assert!(!flat(&[2.0, 2.0]), "two can be the turn of a curve");
        assert!(!flat(&[2.0, 2.009, 2.020]), "a slow rise");
        assert!(flat(&[1.0, 1.009, 1.0]), "hardly anything is moved");
        assert!(!flat(&[1.0, 1.009, 1.011]));
    }
}
