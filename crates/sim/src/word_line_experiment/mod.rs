//! The experiment of the paper on word-line-aware GC (Campos et al., section IV-B): pools of blocks whose pages are
//! valid at random, from which policies take a quarter each, and what relocating and erasing these costs.
//!
//! No drive and no time: blocks never change, and only which are chosen differs. The authors drew every page and
//! searched the pool once for each victim, which took them 90 hours. Pages of a level cost the same and are valid
//! independently of each other, so only their number matters: a binomial variable for each level and block, drawn at
//! once. Victims are found by partial sorting. `Drawing::ByPage` draws every page, to show that both agree.

mod experiment;

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use experiment::{POLICIES, Pool};
use serde::Serialize;

pub use experiment::{Counts, Drawing, Experiment, LEVELS};

use crate::sim_error::SimError;

/// What one policy's victims of one pool hold and cost.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Row {
    /// Chance of a page to be valid, per cent.
    pub valid_percent: u32,
    /// Number of the pool among those of the same chance, from 0.
    pub batch: u32,
    /// Name of the policy that chose.
    pub policy: &'static str,
    /// Blocks it chose, those counted more than once included.
    pub victims: u32,
    /// Valid pages of all of them.
    pub valid_pages: u64,
    /// Time to relocate these and to erase each victim, added up, ns.
    pub latency_ns: u64,
}

/// The valid pages of every block of a pool, as [`run`] draws them.
///
/// # Errors
/// When the experiment is impossible.
pub fn pool(experiment: &Experiment, valid_percent: u32, batch: u32) -> Result<Vec<Counts>, SimError> {
    experiment.check()?;
    let pool = Pool::draw(experiment, valid_percent, batch, &|| false);
    Ok(pool.expect("nothing stops it").blocks().to_vec())
}

/// How often the caller is asked whether to go on.
const LOOK: Duration = Duration::from_millis(50);

/// Runs an experiment on so many threads; `control` is told how many pools of how many are done.
///
/// A pool has random streams of its own and sums are whole numbers, so that the rows, ordered by chance, batch and
/// policy, are the same however many threads share the pools.
///
/// # Errors
/// When the experiment is impossible, or the caller interrupts.
pub fn run(
    experiment: &Experiment,
    threads: usize,
    control: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
) -> Result<Vec<Row>, SimError> {
    experiment.check()?;
    let percents = experiment.valid_percents.iter();
    let pools: Vec<(u32, u32)> =
        percents.flat_map(|percent| (0..experiment.batches).map(|batch| (*percent, batch))).collect();
    let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
    let stopped = || stop.load(Ordering::Relaxed);
    let mut done: Vec<Option<Vec<Row>>> = vec![None; pools.len()];
    thread::scope(|scope| {
        let (sender, receiver) = channel();
        for _ in 0..threads.clamp(1, pools.len().max(1)) {
            let sender = sender.clone();
            let (next, pools) = (&next, &pools);
            scope.spawn(move || {
                while let Some((at, (percent, batch))) = {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    pools.get(at).map(|pool| (at, *pool))
                } {
                    let Some(pool) = Pool::draw(experiment, percent, batch, &stopped) else { return };
                    // Nobody listens only when the caller has panicked.
                    let _ = sender.send((at, rows(experiment, &pool, percent, batch)));
                }
            });
        }
        drop(sender);
        let mut finished = 0;
        loop {
            match receiver.recv_timeout(LOOK) {
                Ok((at, rows)) => {
                    done[at] = Some(rows);
                    finished += 1;
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if control(finished, pools.len() as u64).is_break() {
                stop.store(true, Ordering::Relaxed);
            }
        }
    });
    let rows = done.into_iter().collect::<Option<Vec<_>>>().ok_or(SimError::Interrupted)?;
    Ok(rows.concat())
}

fn rows(experiment: &Experiment, pool: &Pool<'_>, valid_percent: u32, batch: u32) -> Vec<Row> {
    let row = |(policy, select): &experiment::Policy| {
        let selected = select(pool);
        Row {
            valid_percent,
            batch,
            policy,
            victims: experiment.victims(),
            valid_pages: selected.valid_pages,
            latency_ns: selected.latency_ns,
        }
    };
    POLICIES.iter().map(row).collect()
}
