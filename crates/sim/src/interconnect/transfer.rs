//! What an interconnect is told of a transfer: where it goes, which way, for whom, and how much that matters.

use crate::ids::{DieId, JobId};

/// Who wants to move something, and why.
#[derive(Debug, Clone, Copy)]
pub struct Transfer {
    /// The die at the far end.
    pub die: DieId,
    /// Moves for garbage collection or wear levelling rather than for the host.
    pub for_gc: bool,
    /// Controllers from which it may come, where a topology has controllers of several kinds.
    pub entry: EntryPoint,
    /// Which way data goes: links that carry both ways need not ask.
    pub direction: Direction,
    /// What it may remove: circuits that rest with less.
    pub priority: Priority,
    /// The collection job that it belongs to; [`JobId::NONE`] of the host and of pages written back after their job.
    pub owner: JobId,
    /// Whether the circuit stays reserved when the transfer is over, for what follows to the same chip
    /// ([`super::Keeping::end_hold`]). Where an interconnect keeps no circuits it is no matter.
    pub keeps_circuit: bool,
    /// Free blocks of the plane that it is for; of relocated pages where [`super::Sharing::asks_space`], else 0.
    pub free_blocks: u32,
    /// Free blocks with which collection of that plane starts; likewise.
    pub start_blocks: u32,
}

impl Transfer {
    /// A transfer of normal priority that keeps no circuit; for collection it comes from the collector's controllers.
    #[inline]
    pub fn new(die: DieId, for_gc: bool, direction: Direction, owner: JobId) -> Self {
        let entry = if for_gc { EntryPoint::Collector } else { EntryPoint::Host };
        Self {
            die,
            for_gc,
            entry,
            direction,
            priority: Priority::Normal,
            owner,
            keeps_circuit: false,
            free_blocks: 0,
            start_blocks: 0,
        }
    }
}

/// The controllers from which a transfer may come. Where all are of one kind, both names mean any of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryPoint {
    /// Those of the host.
    Host,
    /// The collector's own.
    Collector,
}

/// Which way a transfer goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Commands, and data to be programmed.
    ToFlash,
    /// Data that was read.
    FromFlash,
}

/// How much a transfer matters. It decides which circuits at rest it may remove, and never touches one that is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Priority {
    /// Whatever else is asked for goes first.
    Low,
    /// That of everything unless somebody says otherwise.
    Normal,
}
