//! A serialised channel: one whole operation at a time, array time included (channel-aware GC, section 4;
//! SSDsim's collector).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Build, Busy, Domain, Interconnect, Keeping, Lease, Sharing, Transfer};
use crate::building::BuildContext;
use crate::flash::Geometry;
use crate::gc::{relocation, trigger};
use crate::ids::{DieId, JobId};
use crate::metric::{Metric, Reading};
use crate::registry::{Conflict, Member, ParameterSpec, parameters};
use crate::settings::Config;
use crate::settings::alternatives::reading;
use crate::time::{Nanos, SimTime};

/// What a channel does between the operations of a collection job.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum GcTasks {
    /// It serves whoever waits: no single operation is interrupted, a job is.
    #[default]
    Interleaved,
    /// It is kept for the job from the begin of its first operation to the end of its erase.
    Whole,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Parameters {
    /// What the channel does between the operations of a collection job.
    #[schemars(extend("x-alternatives" = reading(
        &["interleaved", "whole"],
        "A job of collection keeps its channel, or lets requests in between its operations."
    )))]
    gc_tasks: GcTasks,
}

fn keeps_tasks(config: &Config) -> bool {
    parameters::<Parameters>(&config.interconnect).gc_tasks == GcTasks::Whole
}

fn jobs_share_planes(config: &Config) -> bool {
    let Ok(geometry) = Geometry::new(config) else { return false };
    let trigger = trigger::MEMBERS.build(&config.gc.trigger, &BuildContext::new(config, &geometry));
    trigger.is_ok_and(|trigger| trigger.terms().jobs_per_plane > 1)
}

fn jobs_have_batches(config: &Config) -> bool {
    let Ok(geometry) = Geometry::new(config) else { return false };
    let relocation = relocation::MEMBERS.build(&config.gc.relocation, &BuildContext::new(config, &geometry));
    relocation.is_ok_and(|policy| policy.buffer_rules().is_some_and(|rules| rules.batches > 1))
}

const REFUSED: Metric = Metric {
    name: "refused_transfers",
    unit: "attempts",
    about: "Attempts to begin a transfer on a channel that was taken; a transfer may try several times.",
};

pub const MEMBER: Member<Build> = Member {
    name: "serialized-channel",
    about: "one whole operation at a time on a channel, array time included",
    parameters: &ParameterSpec::of::<Parameters>(),
    conflicts: &[
        Conflict {
            key: "interconnect.gc_tasks",
            with: &["interconnect.gc_tasks = whole with gc.relocation.batches above 1"],
            why: "whole: a job that writes pages back before its end would keep several channels; use \
                  gc.relocation.batches = 1, or gc_tasks = \"interleaved\"",
            applies: |config| keeps_tasks(config) && jobs_have_batches(config),
        },
        Conflict {
            key: "flash.suspend",
            with: &["flash.suspend.program = true", "flash.suspend.erase = true"],
            why: "a serialized-channel is held for the whole operation, so no read can reach the die to \
                  suspend it; use interconnect.kind = \"bus\" or leave suspension off",
            applies: |config| config.flash.suspend.program || config.flash.suspend.erase,
        },
        Conflict {
            key: "flash.plane_reads",
            with: &["flash.plane_reads = independent"],
            why: "a serialized-channel is held for the whole operation, so no plane can read beside another; \
                  use interconnect.kind = \"bus\" or flash.plane_reads = \"shared\"",
            applies: |config| !config.flash.plane_reads.are_shared(),
        },
        Conflict {
            key: "flash.cache_programs",
            with: &["flash.cache_programs = true"],
            why: "a serialized-channel is held for the whole operation, so no data can be loaded under its \
                  array time; use interconnect.kind = \"bus\" or leave flash.cache_programs out",
            applies: |config| config.flash.cache_programs,
        },
        Conflict {
            key: "interconnect.gc_tasks",
            with: &["interconnect.gc_tasks = whole with gc.trigger.jobs above 1"],
            why: "whole: jobs of one plane would wait for each other in its queues; use gc.trigger.jobs = 1, \
                  or gc_tasks = \"interleaved\"",
            applies: |config| keeps_tasks(config) && jobs_share_planes(config),
        },
    ],
    metrics: &[REFUSED],
    build: |choice, context| {
        let given: Parameters = parameters(choice);
        Ok(Box::new(SerializedChannel::new(&context.geometry, given.gc_tasks == GcTasks::Whole)))
    },
};

/// The operation that has a channel, and since when.
#[derive(Debug, Clone, Copy)]
struct Holder {
    since: SimTime,
    for_gc: bool,
    /// The job that keeps the channel when the operation is over.
    task: JobId,
}

struct SerializedChannel {
    channel_of: Box<[u32]>,
    holder: Box<[Option<Holder>]>,
    keeps_tasks: bool,
    /// The job that each channel is kept for.
    kept_for: Box<[JobId]>,
    /// Time of the operations that have ended, per channel, ns.
    held: Box<[Nanos]>,
    held_for_gc: Box<[Nanos]>,
    refused: u64,
}

impl SerializedChannel {
    fn new(geometry: &Geometry, keeps_tasks: bool) -> Self {
        let channels = geometry.channels as usize;
        Self {
            channel_of: (0..geometry.dies()).map(|die| geometry.channel_of(DieId(die)).0).collect(),
            holder: vec![None; channels].into(),
            keeps_tasks,
            kept_for: vec![JobId::NONE; channels].into(),
            held: vec![Nanos(0); channels].into(),
            held_for_gc: vec![Nanos(0); channels].into(),
            refused: 0,
        }
    }
}

impl Interconnect for SerializedChannel {
    fn reserve(&mut self, now: SimTime, transfer: &Transfer) -> Result<Lease, Busy> {
        let channel = self.channel_of[transfer.die.index()];
        let holder = &mut self.holder[channel as usize];
        let task = self.kept_for[channel as usize];
        if holder.is_some() || (task.is_some() && task != transfer.owner) {
            self.refused += 1;
            return Err(Busy { until: None });
        }
        let task = if self.keeps_tasks { transfer.owner } else { JobId::NONE };
        *holder = Some(Holder { since: now, for_gc: transfer.for_gc, task });
        Ok(Lease(channel))
    }

    fn activate(&mut self, now: SimTime, _: Lease, _: &Transfer, length: Nanos) -> SimTime {
        now + length
    }

    fn release(&mut self, at: SimTime, lease: Lease) {
        let channel = lease.0 as usize;
        let holder = self.holder[channel].take().expect("only a held channel is released");
        let length = at.since(holder.since);
        self.held[channel] += length;
        if holder.for_gc {
            self.held_for_gc[channel] += length;
        }
        self.kept_for[channel] = holder.task;
    }

    fn keeping(&mut self) -> Option<&mut dyn Keeping> {
        Some(self)
    }

    fn sharing(&self) -> Sharing {
        Sharing {
            domain: Domain::Channel,
            holds_during_array_time: true,
            keeps_tasks: self.keeps_tasks,
            ..Sharing::default()
        }
    }

    fn kept_for(&self, domain: u32) -> JobId {
        self.kept_for[domain as usize]
    }

    fn gc_time(&self, now: SimTime, die: DieId) -> Nanos {
        let channel = self.channel_of[die.index()] as usize;
        let under_way = self.holder[channel].filter(|h| h.for_gc).map_or(Nanos(0), |h| now.since(h.since));
        self.held_for_gc[channel] + under_way
    }

    fn busy_time(&self) -> &[Nanos] {
        &self.held
    }

    fn metrics(&self) -> Vec<Reading> {
        vec![REFUSED.is(self.refused)]
    }
}

impl Keeping for SerializedChannel {
    fn release_kept(&mut self, _: SimTime, owner: JobId) -> bool {
        if !self.keeps_tasks {
            return false;
        }
        for holder in
            self.holder.iter_mut().flatten().filter(|holder| holder.task == owner && owner.is_some())
        {
            // The job's erase, which still has the channel.
            holder.task = JobId::NONE;
        }
        let mut fell_free = false;
        for (task, holder) in self.kept_for.iter_mut().zip(&self.holder) {
            if *task == owner {
                *task = JobId::NONE;
                fell_free |= holder.is_none();
            }
        }
        fell_free
    }
}
