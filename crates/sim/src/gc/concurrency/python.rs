//! Python: a function or class of the user's says whether one more plane may collect (`reclaim.concurrency_policy`).

use super::{Build, Concurrency, JobsView};
use crate::ids::PlaneId;
use crate::metric::{Metric, Reading};
use crate::own::{Named, OwnPolicy, make, or_end};
use crate::registry::{Member, ParameterSpec, parameters};

const REFUSED: Metric = Metric {
    name: "refused_starts",
    unit: "requests to start",
    about: "Times a plane wanted to collect and the function said no; it asks again.",
};

pub const MEMBER: Member<Build> = Member {
    name: "python",
    about: "a function or class of your own decides, in Python",
    parameters: &ParameterSpec::of::<Named>(),
    conflicts: &[],
    metrics: &[REFUSED],
    build: |choice, context| {
        let own = make("gc.concurrency", &parameters::<Named>(choice), context)?;
        Ok(Box::new(Python { own, rows: Vec::new(), refused: 0 }))
    },
};

struct Python {
    own: Box<dyn OwnPolicy>,
    rows: Vec<i64>,
    refused: u64,
}

impl Concurrency for Python {
    fn may_start(&mut self, plane: PlaneId, view: &JobsView<'_>) -> bool {
        self.rows.clear();
        self.rows.extend(view.jobs_per_channel.iter().map(|jobs| i64::from(*jobs)));
        let numbers = [
            i64::from(plane.0),
            i64::from(view.geometry.channel_of(view.geometry.die_of(plane)).0),
            view.used_pages.cast_signed(),
            view.valid_pages.cast_signed(),
            i64::from(view.channel_idle),
        ];
        let may = or_end(self.own.ask(&numbers, &self.rows)) != 0;
        self.refused += u64::from(!may);
        may
    }

    /// It is told whether the channel is idle, so planes that it holds back are asked again when channels fall idle.
    fn waits_for_idle(&self) -> bool {
        true
    }

    fn save(&self) -> Vec<u8> {
        or_end(self.own.save())
    }

    fn load(&mut self, state: &[u8]) -> bool {
        self.own.load(state)
    }

    fn metrics(&self) -> Vec<Reading> {
        vec![REFUSED.is(self.refused)]
    }
}
