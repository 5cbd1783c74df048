//! MiDAS (Oh et al., FAST 2024) in a bounded log, by the rules of the program that it was published with: repository
//! `sungkyun123/MiDAS-Simulation`, commit a226265. That program asks its model in a thread beside the log, so that its
//! counts depend on how fast that runs; here the model answers at once. Its rules, in the order of the files:
//!
//! **Log.** Every page is written once before the trace. Four segments are kept free; after each page of a write
//! segments are collected until they are. Free segments are taken in the order in which they became free. Full
//! segments of a group wait in a queue. Group 0 is hot. What the host writes goes to group 0 or 1, what collection
//! finds valid to the group behind that of the victim, or back to the last.
//!
//! **Collection.** The first group with more full segments than its size is collected, else the last; of the last the
//! victim is chosen as asked for, of the others it is the oldest. An open segment becomes full in the queue when the
//! next page for its group comes.
//!
//! **No model.** At first, and where the model erred, groups behind a certain one are a *chain*: four numbers of
//! relocations share one queue, which is collected as the last group. If that is group 1, hot segments wait there, too.
//!
//! **Hot filter.** A page counts from 0 to 3, and is hot at 3. When it is replaced in group 0, or in group 1 while its
//! segment has been full no longer than hot segments live, it counts one more; otherwise in group 1 one less. When it
//! is relocated from group 0 it counts two less, from group 1 one less. How long hot segments live is the mean of what
//! it was and of the ages of those collected since, and at most half more than it was; it is looked at anew after so
//! many pages were replaced. Nothing counts for the first events, as many as there are pages.
//!
//! **Intervals.** An epoch is four times the log. In it, on a hundredth of the pages, it is counted after how long they
//! are written again, in quarters of a segment.
//!
//! **Sizes.** At the end of an epoch the model searches for numbers and sizes of groups with the least write
//! amplification: the valid share of each group from the intervals, that of the last from a closed form for two kinds
//! of data (Desnoyers), amplification from a Markov chain of these shares. First the hot group, then group after group
//! from the last, then all anew, four times. Where much of the hot group was valid, or few writes were hot, it is taken
//! as measured. An epoch in which even more was valid is counted again, twice as long.
//!
//! **Change.** A choice is taken if amplification, over the last time that the whole log was written, was not lower.
//! Surplus segments of a group go to the last. The log then watches until each group was collected, and compares.
//!
//! **Merging.** Where a group had a tenth more valid pages than was expected, or 25 collections in a row found no room,
//! groups from that on become one and a chain. Valid pages of the open segment that is merged are relocated; this is
//! not counted. Two epochs in a row whose lower groups erred make the next twice as long.

mod hot_filter;
mod intervals;
mod log;
mod sizes;

use std::ops::ControlFlow;

use reclaim_trace::{Op, Trace};

use super::{Bounds, Written, play};
use crate::engine::Progress;
use crate::settings::ConfigError;
use crate::sim_error::SimError;

use log::Log;
pub use log::Victim;

/// The rules of such a log.
#[derive(Debug, Clone)]
pub struct Rules {
    /// Of the last group; the others are collected first in, first out.
    pub victim: Victim,
    /// Bytes of a page.
    pub page_bytes: u32,
    /// Pages of a segment.
    pub segment_pages: u32,
    /// Pages beyond those that the trace addresses, as a share of these.
    pub spare: f64,
}

/// The model leaves 50 to the last group, and up to 29 to the hot one. With twice as many segments it takes four times
/// as long for each choice, and cannot be interrupted: with the most, half a minute.
const SEGMENTS: std::ops::RangeInclusive<u32> = 100..=4096;

/// Fills a log and writes a trace to it.
///
/// # Errors
/// When the rules make no sense or leave collection no room, the trace cannot be read or writes nothing, or the caller
/// interrupts.
pub fn replay(
    rules: &Rules,
    trace: &Trace,
    control: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Result<Written, SimError> {
    let summary = trace.scan()?;
    let bounds = Bounds::of(&summary, rules.page_bytes, rules.segment_pages, rules.spare)?;
    if rules.segment_pages < 8 || !rules.segment_pages.is_multiple_of(4) {
        let reason = format!("{}: MiDAS takes a multiple of 4, from 8", rules.segment_pages);
        return Err(ConfigError::at("segment_pages", &reason).into());
    }
    if !SEGMENTS.contains(&bounds.segments) {
        let reason = format!(
            "{}: makes {} segments for {} pages; MiDAS takes from {} to {}",
            rules.segment_pages,
            bounds.segments,
            bounds.pages,
            SEGMENTS.start(),
            SEGMENTS.end()
        );
        return Err(ConfigError::at("segment_pages", &reason).into());
    }
    let mut log = Log::new(rules.victim, rules.segment_pages, bounds);
    log.fill()?;
    play(rules.page_bytes, trace, &summary, control, &mut |_, op, _, pages| {
        if op == Op::Write {
            return log.write(pages);
        }
        log.trim(pages);
        Ok(())
    })?;
    Ok(log.counts)
}
