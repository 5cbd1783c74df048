//! First come, first served, whatever it is; or the host in that order, and collection before it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Build, Class, DieView, Scheduler};
use crate::registry::{Member, ParameterSpec, parameters};
use crate::settings::alternatives::reading;

/// When collection goes before the host.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum GcFirst {
    /// When it came first.
    #[default]
    ByArrival,
    /// Always: a job that has begun is finished before the host goes on (DiskSim's SSD extension).
    Always,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Parameters {
    /// When collection goes before the host.
    #[schemars(extend("x-alternatives" = reading(
        &["by-arrival", "always"],
        "Collection waits its turn, or a job that has begun is finished first."
    )))]
    gc_first: GcFirst,
}

pub const MEMBER: Member<Build> = Member {
    name: "fcfs",
    about: "first come, first served, host and collection alike, or collection first",
    parameters: &ParameterSpec::of::<Parameters>(),
    conflicts: &[],
    metrics: &[],
    build: |choice, _| Ok(Box::new(Fcfs(parameters::<Parameters>(choice).gc_first))),
};

struct Fcfs(GcFirst);

impl Scheduler for Fcfs {
    fn pick(&mut self, die: &DieView) -> Option<Class> {
        let oldest = |classes: &[Class]| {
            let startable = classes.iter().copied().filter(|class| die.has(*class));
            startable.min_by_key(|class| die.oldest[*class as usize])
        };
        let of_collection = match self.0 {
            GcFirst::ByArrival => None,
            GcFirst::Always => oldest(&[Class::GcRead, Class::GcWrite, Class::Erase]),
        };
        of_collection.or_else(|| oldest(&Class::ALL))
    }
}
