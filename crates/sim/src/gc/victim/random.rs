//! Random: any full block of the plane, all equally likely.

use super::support::{self, CandidateSet, to_bytes};
use super::{BlockView, Build, Losses, VictimPolicy};
use crate::ids::{BlockId, PlaneId, Ppn};
use crate::random::RandomStream;
use crate::registry::{Member, NoParameters, ParameterSpec};

pub const MEMBER: Member<Build> = Member {
    name: "random",
    about: "any full block of the plane, all equally likely",
    parameters: &ParameterSpec::of::<NoParameters>(),
    conflicts: &[],
    metrics: &[],
    build: |_, context| {
        Ok(Box::new(Random {
            candidates: CandidateSet::new(&context.geometry),
            stream: context.stream("victim"),
        }))
    },
};

struct Random {
    candidates: CandidateSet,
    stream: RandomStream,
}

impl VictimPolicy for Random {
    fn on_sealed(&mut self, block: BlockId, view: &BlockView<'_>) {
        self.candidates.insert(block, view);
    }

    fn on_invalidated(&mut self, _: BlockId, _: Ppn, _: &BlockView<'_>) {}

    fn on_removed(&mut self, block: BlockId, view: &BlockView<'_>) {
        self.candidates.remove(block, view);
    }

    fn select(&mut self, plane: PlaneId, _: &BlockView<'_>) -> Option<BlockId> {
        let count = self.candidates.len(plane);
        (count > 0).then(|| self.candidates.at(plane, self.stream.below(count)))
    }

    fn by_plane(&mut self) -> Option<Losses<'_>> {
        Some(Losses::Ignored)
    }

    fn save(&self) -> Vec<u8> {
        to_bytes(&(&self.candidates, &self.stream))
    }

    fn load(&mut self, state: &[u8]) -> bool {
        support::restored(state)
            .map(|(candidates, stream)| (self.candidates, self.stream) = (candidates, stream))
            .is_some()
    }
}
