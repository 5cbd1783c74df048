//! Writes stay where their stripe puts them, and collection waits for nothing.

use super::{Build, Concern, Deferral, HomeView, TargetsView};
use crate::ids::PlaneId;
use crate::registry::{Member, NoParameters, ParameterSpec};

pub const MEMBER: Member<Build> = Member {
    name: "none",
    about: "no write is redirected, and idle chips are not collected for it",
    parameters: &ParameterSpec::of::<NoParameters>(),
    conflicts: &[],
    metrics: &[],
    build: |_, _| Ok(Box::new(Undeferred)),
};

struct Undeferred;

impl Deferral for Undeferred {
    fn is_active(&self) -> bool {
        false
    }

    fn on_queued(&mut self, _: PlaneId, _: &HomeView) -> Concern {
        Concern::Nothing
    }

    fn redirects_parity(&self) -> bool {
        false
    }

    fn choose(&mut self, _: &TargetsView<'_>) -> Option<PlaneId> {
        None
    }

    fn wants_when_idle(&self, _: PlaneId, _: u32) -> bool {
        false
    }

    fn collects_when_idle(&self) -> bool {
        false
    }

    fn on_idle_job(&mut self, _: PlaneId) {}

    fn on_erased(&mut self, _: PlaneId, _: u32) {}
}
