//! Reads before writes before erases, host before collection; collection first when space is short.

use super::{Build, Class, DieView, FirstOfEach, Scheduler, first_of_each};
use crate::metric::{Metric, Reading};
use crate::registry::{Member, NoParameters, ParameterSpec};

const URGENT: Metric = Metric {
    name: "urgent_picks",
    unit: "picks",
    about: "Times a die had a choice, and collection went first because a plane was short of space.",
};

pub const MEMBER: Member<Build> = Member {
    name: "read-first",
    about: "host reads, host writes, then collection; collection first when a plane runs out of space",
    parameters: &ParameterSpec::of::<NoParameters>(),
    conflicts: &[],
    metrics: &[URGENT],
    build: |_, _| Ok(Box::new(ReadFirst { urgent: 0 })),
};

struct ReadFirst {
    urgent: u64,
}

/// Erases end jobs and free space, so they go before further moves.
static HOST_FIRST: FirstOfEach =
    first_of_each([Class::HostRead, Class::HostWrite, Class::Erase, Class::GcWrite, Class::GcRead]);
static GC_FIRST: FirstOfEach =
    first_of_each([Class::Erase, Class::GcWrite, Class::GcRead, Class::HostRead, Class::HostWrite]);

impl Scheduler for ReadFirst {
    fn pick(&mut self, die: &DieView) -> Option<Class> {
        self.pick_by_class(die.startable(), die.gc_urgent)
    }

    fn goes_by_age(&self) -> bool {
        false
    }

    fn pick_by_class(&mut self, startable: u8, gc_urgent: bool) -> Option<Class> {
        self.urgent += u64::from(gc_urgent);
        let order = if gc_urgent { &GC_FIRST } else { &HOST_FIRST };
        order[usize::from(startable)]
    }

    fn metrics(&self) -> Vec<Reading> {
        vec![URGENT.is(self.urgent)]
    }
}
