//! First come, first served, whatever it is.

use super::{Build, Class, DieView, Scheduler};
use crate::registry::{Member, NoParameters, ParameterSpec};

pub const MEMBER: Member<Build> = Member {
    name: "fcfs",
    about: "first come, first served, host and collection alike",
    parameters: &ParameterSpec::of::<NoParameters>(),
    conflicts: &[],
    metrics: &[],
    build: |_, _| Ok(Box::new(Fcfs)),
};

struct Fcfs;

impl Scheduler for Fcfs {
    fn pick(&mut self, die: &DieView) -> Option<Class> {
        let oldest = Class::ALL.into_iter().min_by_key(|class| die.oldest[*class as usize])?;
        die.has(oldest).then_some(oldest)
    }
}
