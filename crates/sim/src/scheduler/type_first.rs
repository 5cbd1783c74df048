//! Reads before programs before erases; collection before the host where it is urgent, or always. The order of MQSim's
//! transaction scheduling units: always is its non-preemptible collection, urgent its preemptible one.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Build, Class, DieView, FirstOfEach, Scheduler, first_of_each};
use crate::metric::{Metric, Reading};
use crate::registry::{Member, ParameterSpec, parameters};
use crate::settings::alternatives::reading;

/// When collection goes before the host.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum GcFirst {
    /// Where a plane of the die is short of space.
    #[default]
    Urgent,
    /// Always: the host waits until nothing of collection is left to start on the die.
    Always,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Parameters {
    /// When collection goes before the host.
    #[schemars(extend("x-alternatives" = reading(
        &["urgent", "always"],
        "Collection goes before the host when space is short, or always."
    )))]
    gc_first: GcFirst,
}

const URGENT: Metric = Metric {
    name: "urgent_picks",
    unit: "picks",
    about: "Times a die had a choice, and collection went first because a plane was short of space.",
};

pub const MEMBER: Member<Build> = Member {
    name: "type-first",
    about: "reads, programs, erases; collection before the host when urgent, or always (MQSim's order)",
    parameters: &ParameterSpec::of::<Parameters>(),
    conflicts: &[],
    metrics: &[URGENT],
    build: |choice, _| {
        Ok(Box::new(TypeFirst { gc_first: parameters::<Parameters>(choice).gc_first, urgent: 0 }))
    },
};

struct TypeFirst {
    gc_first: GcFirst,
    urgent: u64,
}

static HOST_FIRST: FirstOfEach =
    first_of_each([Class::HostRead, Class::HostWrite, Class::GcRead, Class::GcWrite, Class::Erase]);
static GC_FIRST: FirstOfEach =
    first_of_each([Class::GcRead, Class::GcWrite, Class::Erase, Class::HostRead, Class::HostWrite]);

impl Scheduler for TypeFirst {
    fn pick(&mut self, die: &DieView) -> Option<Class> {
        self.pick_by_class(die.startable(), die.gc_urgent)
    }

    fn goes_by_age(&self) -> bool {
        false
    }

    fn pick_by_class(&mut self, startable: u8, gc_urgent: bool) -> Option<Class> {
        let gc_first = gc_urgent || self.gc_first == GcFirst::Always;
        self.urgent += u64::from(gc_urgent);
        let order = if gc_first { &GC_FIRST } else { &HOST_FIRST };
        order[usize::from(startable)]
    }

    fn metrics(&self) -> Vec<Reading> {
        vec![URGENT.is(self.urgent)]
    }
}
