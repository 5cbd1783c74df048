//! Placement by level with an oracle: how long data lives is read off the trace. A bound, not a policy for a drive.

use super::levels::{CONFLICTS, LEVELS_OFF, Levels, ON_WANTED_LEVEL, Parameters};
use super::{Build, Placement};
use crate::future::{Foresight, Future};
use crate::ids::Lpn;
use crate::metric::Reading;
use crate::registry::{Member, ParameterSpec, parameters};

pub const MEMBER: Member<Build> = Member {
    name: "level-by-future",
    about: "the open block with the wanted page level: lifetimes as the trace will have them (a bound)",
    parameters: &ParameterSpec::of::<Parameters>(),
    conflicts: CONFLICTS,
    metrics: &[ON_WANTED_LEVEL, LEVELS_OFF],
    build: |choice, context| {
        let levels = Levels::new(&parameters(choice), context)?;
        Ok(Box::new(LevelByFuture { levels, foresight: Foresight::default() }))
    },
};

struct LevelByFuture {
    levels: Levels,
    foresight: Foresight,
}

impl Placement for LevelByFuture {
    fn open_blocks(&self) -> Option<u32> {
        Some(self.levels.open_blocks())
    }

    fn on_write(&mut self, _: Lpn) {
        self.foresight.page_written();
    }

    fn choose(&mut self, lpn: Lpn, next_levels: &[u32]) -> usize {
        self.levels.choose(self.foresight.lifetime(lpn), next_levels)
    }

    fn wants_future(&self) -> bool {
        true
    }

    fn foresee(&mut self, future: Future) {
        self.foresight.begin(future);
    }

    fn save(&self) -> Vec<u8> {
        // A state is saved between two plays: the future is foreseen anew, from its beginning.
        self.levels.save()
    }

    fn load(&mut self, state: &[u8]) -> bool {
        self.levels.load(state)
    }

    fn metrics(&self) -> Vec<Reading> {
        self.levels.metrics()
    }
}
