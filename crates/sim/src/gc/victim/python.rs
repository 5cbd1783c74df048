//! Python: a function or class of the user's chooses (`reclaim.victim_policy`).

use super::candidates::{Candidates, Quantity};
use super::support::{restored, to_bytes};
use super::{BlockView, Build, VictimPolicy};
use crate::gc::events::{BlockEvent, BlockEvents};
use crate::ids::{BlockId, PlaneId, Ppn};
use crate::metric::{Metric, Reading};
use crate::own::{Named, OwnPolicy, make, or_end};
use crate::registry::{Member, ParameterSpec, parameters};

const CALLS: Metric =
    Metric { name: "python_calls", unit: "calls", about: "Times that the function was asked for a victim." };

pub const MEMBER: Member<Build> = Member {
    name: "python",
    about: "a function or class of your own chooses, in Python",
    parameters: &ParameterSpec::of::<Named>(),
    conflicts: &[],
    metrics: &[CALLS],
    build: |choice, context| {
        let own = make("gc.victim", &parameters::<Named>(choice), context)?;
        let candidates = Candidates::new(&context.geometry, &context.timing, |_| true);
        let quantities =
            [Quantity::Valid, Quantity::Erases, Quantity::Age, Quantity::SinceSealed].into_iter();
        let quantities = quantities.chain((0..candidates.levels()).map(Quantity::OfLevel)).collect();
        Ok(Box::new(Python { own, candidates, quantities, rows: Vec::new(), calls: 0 }))
    },
};

struct Python {
    own: Box<dyn OwnPolicy>,
    candidates: Candidates,
    /// What `rows` hold after the numbers of the blocks: a value for each of these.
    quantities: Vec<Quantity>,
    rows: Vec<i64>,
    calls: u64,
}

impl VictimPolicy for Python {
    fn on_sealed(&mut self, block: BlockId, view: &BlockView<'_>) {
        self.candidates.changed(block, view);
    }

    fn on_invalidated(&mut self, block: BlockId, _: Ppn, view: &BlockView<'_>) {
        self.candidates.changed(block, view);
    }

    fn on_removed(&mut self, _: BlockId, _: &BlockView<'_>) {}

    fn select(&mut self, plane: PlaneId, view: &BlockView<'_>) -> Option<BlockId> {
        let Self { rows, candidates, quantities, .. } = self;
        let first = view.geometry.first_block(plane).0;
        rows.clear();
        rows.extend(Candidates::of_plane(plane, view).map(|block| i64::from(block.0 - first)));
        let count = rows.len();
        for quantity in quantities.iter() {
            for position in 0..count {
                let block = BlockId(first + rows[position].cast_unsigned() as u32);
                rows.push(candidates.of(*quantity, block, view).cast_signed());
            }
        }
        if count == 0 {
            return None;
        }
        self.calls += 1;
        let numbers = [i64::from(plane.0), view.programmed.cast_signed()];
        let block = or_end(self.own.ask(&numbers, &self.rows));
        Some(BlockId(first + block.cast_unsigned() as u32))
    }

    fn listens(&self) -> BlockEvents {
        self.candidates.listens()
    }

    fn on_block(&mut self, event: BlockEvent, block: BlockId, view: &BlockView<'_>) {
        self.candidates.on_block(event, block, view);
    }

    fn depends_on(&self) -> String {
        self.candidates.depends_on()
    }

    fn save(&self) -> Vec<u8> {
        to_bytes(&(to_bytes(&self.candidates.save()), or_end(self.own.save())))
    }

    fn load(&mut self, state: &[u8]) -> bool {
        restored::<(Vec<u8>, Vec<u8>)>(state)
            .is_some_and(|(kept, own)| self.candidates.load(&kept) && self.own.load(&own))
    }

    fn metrics(&self) -> Vec<Reading> {
        vec![CALLS.is(self.calls)]
    }
}
