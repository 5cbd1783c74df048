//! Placement by level with an oracle: how long data lives is read off the trace. A bound, not a policy for a drive.

use super::levels::{CONFLICTS, LEVELS_OFF, Levels, ON_WANTED_LEVEL, Parameters};
use super::{Build, Future, Placement};
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
        Ok(Box::new(LevelByFuture { levels, future: None, now: 0 }))
    },
};

struct LevelByFuture {
    levels: Levels,
    /// Nothing is known before the trace is played.
    future: Option<Future>,
    /// Page writes of this play of the trace so far.
    now: u32,
}

impl Placement for LevelByFuture {
    fn open_blocks(&self) -> Option<u32> {
        Some(self.levels.open_blocks())
    }

    fn on_write(&mut self, _: Lpn) {
        let Some(future) = &self.future else { return };
        self.now += 1;
        if self.now >= future.writes() {
            self.now = 0;
        }
    }

    fn choose(&mut self, lpn: Lpn, next_levels: &[u32]) -> usize {
        let lifetime = self.future.as_ref().and_then(|future| future.lifetime(lpn, self.now));
        self.levels.choose(lifetime, next_levels)
    }

    fn wants_future(&self) -> bool {
        true
    }

    fn foresee(&mut self, future: Future) {
        (self.future, self.now) = (Some(future), 0);
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
