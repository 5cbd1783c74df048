//! The policies that decide what happens, without time: built together, saved together.

use super::allocation::{self, Allocation, StaticOrder};
use super::mapping_cache::{self, MappingCache};
use super::placement::{self, Placement};
use super::separation::{self, Separation};
use super::slc_cache::{self, SlcCache};
use crate::building::BuildContext;
use crate::flash::Geometry;
use crate::gc::concurrency::{self, Concurrency};
use crate::gc::events::BlockEvents;
use crate::gc::relocation::{self, Copies, CopybackRule, Relocation, Way};
use crate::gc::trigger::{self, Trigger};
use crate::gc::victim::{self, VictimPolicy};
use crate::metric::Reading;
use crate::redundancy::{self, Redundancy};
use crate::settings::{Config, Ties};
use crate::ties::TieBreaker;

/// One policy of each kind, and what is asked of them once.
pub(super) struct Policies {
    pub(super) victim: Box<dyn VictimPolicy>,
    pub(super) allocation: Box<dyn Allocation>,
    pub(super) placement: Box<dyn Placement>,
    pub(super) separation: Box<dyn Separation>,
    pub(super) slc_cache: Box<dyn SlcCache>,
    pub(super) mapping_cache: Box<dyn MappingCache>,
    /// What that asks, if there is a cache.
    pub(super) cache: Option<slc_cache::Terms>,
    pub(super) trigger: Box<dyn Trigger>,
    pub(super) relocation: Box<dyn Relocation>,
    pub(super) concurrency: Box<dyn Concurrency>,
    pub(super) redundancy: Box<dyn Redundancy>,
    /// Among the least-erased blocks of a plane, for static wear levelling.
    pub(super) wear_ties: TieBreaker,
    /// What the trigger says about space: free blocks out of the host's reach, and most jobs at once in a plane.
    pub(super) host_stop: u32,
    pub(super) jobs_per_plane: u32,
    /// Free blocks at which it starts to collect.
    pub(super) start_blocks: u32,
    /// Free blocks of the whole drive at or below which it asks every plane.
    pub(super) asks_all_at: Option<u32>,
    /// Events of blocks that the victim policy, and that the trigger hears of.
    pub(super) victim_hears: BlockEvents,
    pub(super) trigger_hears: BlockEvents,
    /// Events that either hears of, or that change how many valid pages a plane holds, where that is counted.
    pub(super) somebody_hears: BlockEvents,
    pub(super) waits_for_idle: bool,
    /// Whether the limit of jobs is to be looked at whenever something has happened.
    pub(super) limit_remembers: bool,
    /// Where pages go, if allocation need not be asked for each.
    pub(super) static_order: Option<StaticOrder>,
    /// The way of every page, where relocation takes them one by one.
    pub(super) every_page: Option<Way>,
    pub(super) copyback_rule: Option<CopybackRule>,
    /// Whether relocation counts copybacks of a page, and whether it takes pages of other blocks than victims.
    pub(super) counts_copybacks: bool,
    pub(super) borrows: bool,
}

impl Policies {
    /// Those that a checked configuration chooses.
    pub(super) fn new(config: &Config, geometry: &Geometry) -> Self {
        let (context, gc) = (BuildContext::new(config, geometry), &config.gc);
        // Where planes share superblocks, these are what is chosen.
        let of_victims = match geometry.superblock_planes {
            1 => &context,
            _ => &BuildContext::new(config, &geometry.of_superblocks()),
        };
        let victim = victim::MEMBERS.build_checked(&gc.victim, of_victims);
        let trigger = trigger::MEMBERS.build_checked(&gc.trigger, &context);
        let terms = trigger.terms();
        let mut relocation = relocation::MEMBERS.build_checked(&gc.relocation, &context);
        let allocation = allocation::MEMBERS.build_checked(&config.ftl.allocation, &context);
        let placement = placement::MEMBERS.build_checked(&config.ftl.placement, &context);
        let separation = separation::MEMBERS.build_checked(&config.ftl.separation, &context);
        let slc_cache = slc_cache::MEMBERS.build_checked(&config.ftl.slc_cache, &context);
        let mapping_cache = mapping_cache::MEMBERS.build_checked(&config.ftl.mapping_cache, &context);
        let redundancy = redundancy::MEMBERS.build_checked(&config.redundancy, &context);
        let concurrency = concurrency::MEMBERS.build_checked(&gc.concurrency, &context);
        let wear_ties = config.ftl.wear.ties.unwrap_or(Ties::Lowest);
        Self {
            wear_ties: TieBreaker::new(wear_ties, geometry.blocks(), context.stream("wear")),
            host_stop: terms.host_stop_blocks,
            jobs_per_plane: terms.jobs_per_plane,
            start_blocks: terms.start_blocks,
            asks_all_at: terms.of_drive.then(|| terms.start_blocks * geometry.planes()),
            victim_hears: victim.listens(),
            somebody_hears: victim.listens().and(terms.listens).and(if geometry.stripes.is_some() {
                BlockEvents::PROGRAMMED.and(BlockEvents::INVALIDATED)
            } else {
                BlockEvents::NONE
            }),
            every_page: if geometry.unit_pages == 1 { relocation.every_page() } else { None },
            trigger_hears: terms.listens,
            waits_for_idle: terms.waits_for_idle || concurrency.waits_for_idle(),
            limit_remembers: concurrency.remembers(),
            copyback_rule: relocation.copyback_rule(),
            counts_copybacks: relocation.copies().is_some_and(Copies::count),
            borrows: relocation.borrowing().is_some(),
            static_order: allocation.static_order(),
            allocation,
            placement,
            separation,
            cache: slc_cache.terms(),
            slc_cache,
            mapping_cache,
            concurrency,
            victim,
            trigger,
            relocation,
            redundancy,
        }
    }

    /// The state of each, in a fixed order.
    pub(super) fn save(&self) -> Vec<Vec<u8>> {
        vec![
            self.victim.save(),
            self.allocation.save(),
            self.trigger.save(),
            self.relocation.save(),
            self.concurrency.save(),
            self.placement.save(),
            self.wear_ties.save(),
            self.separation.save(),
            self.mapping_cache.save(),
        ]
    }

    /// Take up what [`Self::save`] gave. Tells whether all of it was understood.
    pub(super) fn load(&mut self, states: &[Vec<u8>]) -> bool {
        let [victim, allocation, trigger, relocation, concurrency, placement, wear, separation, mapping] =
            states
        else {
            return false;
        };
        self.victim.load(victim)
            && self.allocation.load(allocation)
            && self.trigger.load(trigger)
            && self.relocation.load(relocation)
            && self.concurrency.load(concurrency)
            && self.placement.load(placement)
            && self.wear_ties.load(wear)
            && self.separation.load(separation)
            && self.mapping_cache.load(mapping)
    }

    /// Where the counters of each stand.
    pub(super) fn readings(&self) -> Readings {
        Readings {
            allocation: self.allocation.metrics(),
            placement: self.placement.metrics(),
            separation: Vec::new(),
            slc_cache: Vec::new(),
            mapping_cache: Vec::new(),
            trigger: self.trigger.metrics(),
            victim: self.victim.metrics(),
            relocation: self.relocation.metrics(),
            concurrency: self.concurrency.metrics(),
            redundancy: self.redundancy.metrics(),
        }
    }
}

/// Where the counters of the policies that decide without time stand.
#[derive(Debug)]
pub struct Readings {
    /// Of `ftl.allocation`.
    pub allocation: Vec<Reading>,
    /// Of `ftl.placement`.
    pub placement: Vec<Reading>,
    /// Of `ftl.separation`.
    pub separation: Vec<Reading>,
    /// Of `ftl.slc_cache`.
    pub slc_cache: Vec<Reading>,
    /// Of `ftl.mapping_cache`.
    pub mapping_cache: Vec<Reading>,
    /// Of `gc.trigger`.
    pub trigger: Vec<Reading>,
    /// Of `gc.victim`.
    pub victim: Vec<Reading>,
    /// Of `gc.relocation`.
    pub relocation: Vec<Reading>,
    /// Of `gc.concurrency`.
    pub concurrency: Vec<Reading>,
    /// Of `redundancy`.
    pub redundancy: Vec<Reading>,
}
