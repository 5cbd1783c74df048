//! Reads before programs before erases; collection before the host where it is urgent, or always. The order of MQSim's
//! transaction scheduling units: always is its non-preemptible collection, urgent its preemptible one.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Build, Class, DieView, Scheduler};
use crate::registry::{Member, ParameterSpec, parameters};

/// When collection goes before the host.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
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
    gc_first: GcFirst,
}

pub const MEMBER: Member<Build> = Member {
    name: "type-first",
    about: "reads, programs, erases; collection before the host when urgent, or always (MQSim's order)",
    parameters: &ParameterSpec::of::<Parameters>(),
    conflicts: &[],
    build: |choice, _| Box::new(TypeFirst { gc_first: parameters::<Parameters>(choice).gc_first }),
};

struct TypeFirst {
    gc_first: GcFirst,
}

const HOST_FIRST: [Class; 5] =
    [Class::HostRead, Class::HostWrite, Class::GcRead, Class::GcWrite, Class::Erase];
const GC_FIRST: [Class; 5] = [Class::GcRead, Class::GcWrite, Class::Erase, Class::HostRead, Class::HostWrite];

impl Scheduler for TypeFirst {
    fn pick(&self, die: &DieView) -> Option<Class> {
        let gc_first = die.gc_urgent || self.gc_first == GcFirst::Always;
        let order = if gc_first { GC_FIRST } else { HOST_FIRST };
        order.into_iter().find(|class| die.has(*class))
    }
}
