//! Reads before writes before erases, host before collection; collection first when space is short.

use super::{Build, Class, DieView, Scheduler};
use crate::registry::{Member, NoParameters, ParameterSpec};

pub const MEMBER: Member<Build> = Member {
    name: "read-first",
    about: "host reads, host writes, then collection; collection first when a plane runs out of space",
    parameters: &ParameterSpec::of::<NoParameters>(),
    conflicts: &[],
    build: |_, _| Box::new(ReadFirst),
};

struct ReadFirst;

/// Erases end jobs and free space, so they go before further moves.
const LAZY: [Class; 5] = [Class::HostRead, Class::HostWrite, Class::Erase, Class::GcWrite, Class::GcRead];
const URGENT: [Class; 5] = [Class::Erase, Class::GcWrite, Class::GcRead, Class::HostRead, Class::HostWrite];

impl Scheduler for ReadFirst {
    fn pick(&self, die: &DieView) -> Option<Class> {
        let order = if die.gc_urgent { URGENT } else { LAZY };
        order.into_iter().find(|class| die.has(*class))
    }
}
