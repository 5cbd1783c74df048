//! Python: a function or class of the user's says whether one more plane may collect (`reclaim.concurrency_policy`).

use super::{Build, Concurrency, JobsView};
use crate::ids::PlaneId;
use crate::metric::{Metric, Reading};
use crate::own::{Named, OwnPolicy, end, make, or_end};
use crate::registry::{Conflict, Member, ParameterSpec, parameters};

const REFUSED: Metric = Metric {
    name: "refused_starts",
    unit: "requests to start",
    about: "Times a plane wanted to collect and the function said no; it asks again.",
};

const EMERGENCIES: Metric = Metric {
    name: "emergency_starts",
    unit: "jobs",
    about: "Jobs that started without a question, because a host write waited for a page of their plane.",
};

/// Most channels that may collect now. Whoever answers it is asked again when there may be more.
const LIMIT: &str = "limit";

/// Something has happened.
const NOTE: &str = "note";

pub const MEMBER: Member<Build> = Member {
    name: "python",
    about: "a function or class of your own decides, in Python",
    parameters: &ParameterSpec::of::<Named>(),
    conflicts: &[Conflict::with_untimed(
        "python: a limit of one's own counts the jobs under way, and without time one job ends before \
         the next begins; use gc.concurrency = \"all\", or a timed run",
    )],
    metrics: &[REFUSED, EMERGENCIES],
    build: |choice, context| {
        let own = make("gc.concurrency", &parameters::<Named>(choice), context)?;
        let (limits, remembers) = (own.answers(LIMIT), own.answers(NOTE));
        Ok(Box::new(Python { own, limits, remembers, refused: 0, emergencies: 0 }))
    },
};

struct Python {
    own: Box<dyn OwnPolicy>,
    limits: bool,
    remembers: bool,
    refused: u64,
    emergencies: u64,
}

/// Jobs of each channel.
fn rows(view: &JobsView<'_>) -> Vec<i64> {
    view.jobs_per_channel.iter().map(|jobs| i64::from(*jobs)).collect()
}

impl Python {
    /// A start that the policy allows, against the limit that it names.
    fn check(&self, plane: PlaneId, view: &JobsView<'_>) {
        let (active, is_active) = (view.active_channels(), view.is_active(plane));
        let Some(limit) = self.channel_limit(view) else { return };
        if limit == 0 || (!is_active && active >= limit) {
            let why = format!(
                "although {active} channels collect, that of plane {} {}, and its limit is {limit}",
                plane.0,
                if is_active { "among them" } else { "not among them" }
            );
            end(self.own.blame(1, &why));
        }
    }
}

impl Concurrency for Python {
    fn may_start(&mut self, plane: PlaneId, view: &JobsView<'_>) -> bool {
        let numbers = [
            i64::from(plane.0),
            i64::from(view.geometry.channel_of(view.geometry.die_of(plane)).0),
            view.used_pages.cast_signed(),
            view.valid_pages.cast_signed(),
            i64::from(view.channel_idle),
        ];
        let may = or_end(self.own.ask(&numbers, &[&rows(view)])) != 0;
        self.refused += u64::from(!may);
        if may && self.limits {
            self.check(plane, view);
        }
        may
    }

    /// It is told whether the channel is idle, so planes that it holds back are asked again when channels fall idle.
    fn waits_for_idle(&self) -> bool {
        true
    }

    fn channel_limit(&self, view: &JobsView<'_>) -> Option<u32> {
        let numbers = [view.used_pages.cast_signed(), view.valid_pages.cast_signed()];
        let limit = self.limits.then(|| or_end(self.own.ask_further(LIMIT, &numbers, &[&rows(view)])))?;
        Some(u32::try_from(limit).unwrap_or(u32::MAX))
    }

    fn limit_changes(&self) -> bool {
        self.limits
    }

    fn changes_with_everything(&self) -> bool {
        !self.limits
    }

    fn remembers(&self) -> bool {
        self.remembers
    }

    fn note_jobs(&mut self, view: &JobsView<'_>, drained: bool) {
        let numbers = [view.used_pages.cast_signed(), view.valid_pages.cast_signed(), i64::from(drained)];
        or_end(self.own.ask_further(NOTE, &numbers, &[&rows(view)]));
    }

    fn on_emergency(&mut self, _: PlaneId, _: &JobsView<'_>) {
        self.emergencies += 1;
    }

    fn save(&self) -> Vec<u8> {
        or_end(self.own.save())
    }

    fn load(&mut self, state: &[u8]) -> bool {
        self.own.load(state)
    }

    fn metrics(&self) -> Vec<Reading> {
        vec![REFUSED.is(self.refused), EMERGENCIES.is(self.emergencies)]
    }
}
