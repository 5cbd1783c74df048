//! Python: a function or class of the user's chooses (`reclaim.victim_policy`).

use super::candidates::{Candidates, Quantity};
use super::support::{restored, to_bytes};
use super::{BlockView, Build, VictimPolicy};
use crate::ids::{BlockId, PlaneId, Ppn};
use crate::metric::{Metric, Reading};
use crate::own::{Named, OwnPolicy, end, make, or_end};
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
        let levels = (0..context.timing.by_level().len() as u32).map(Quantity::OfLevel);
        let quantities = [
            ("valid", vec![Quantity::Valid]),
            ("erases", vec![Quantity::Erases]),
            ("age", vec![Quantity::Age]),
            ("since_sealed", vec![Quantity::SinceSealed]),
            ("of_level", levels.collect()),
        ];
        let quantities: Vec<_> = quantities.into_iter().filter(|(name, _)| own.answers(name)).collect();
        let widths = quantities.iter().map(|(_, of)| of.len()).collect();
        let quantities: Vec<_> = quantities.into_iter().flat_map(|(_, of)| of).collect();
        let needs = |each| quantities.contains(&each);
        let candidates = Candidates::new(&context.geometry, &context.timing, needs);
        let rows = vec![0; context.geometry.blocks_per_plane as usize * (1 + quantities.len())];
        Ok(Box::new(Python { own, candidates, quantities, widths, rows, calls: 0 }))
    },
};

/// The numbers of the blocks, and an array for each quantity that a policy may look at.
const MOST_COLUMNS: usize = 6;

struct Python {
    own: Box<dyn OwnPolicy>,
    candidates: Candidates,
    /// What `rows` hold after the numbers of the blocks: a value for each of these, which are those that the policy may
    /// look at.
    quantities: Vec<Quantity>,
    /// How many of them make up each array that the policy sees.
    widths: Vec<usize>,
    /// Room for all blocks of a plane.
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
        let Self { rows, candidates, quantities, widths, .. } = self;
        let first = view.geometry.first_block(plane).0;
        let mut count = 0;
        Candidates::each_of_plane(plane, view, |block| {
            rows[count] = i64::from(block.0 - first);
            count += 1;
        });
        if count == 0 {
            return None;
        }
        let rows = &mut rows[..count * (1 + quantities.len())];
        let (blocks, values) = rows.split_at_mut(count);
        for (quantity, row) in quantities.iter().zip(values.chunks_exact_mut(count)) {
            candidates.of_each(*quantity, (BlockId(first), blocks), view, row);
        }
        self.calls += 1;
        let numbers = [i64::from(plane.0), view.programmed.cast_signed()];
        let mut columns = [blocks as &[i64]; MOST_COLUMNS];
        let mut rest = values as &[i64];
        for (column, width) in columns[1..].iter_mut().zip(widths.iter()) {
            (*column, rest) = rest.split_at(width * count);
        }
        let block = or_end(self.own.ask(&numbers, &columns[..=widths.len()]));
        if columns[0].binary_search(&block).is_err() {
            let why = format!(
                "which is none of the {count} candidates of plane {}; return one of plane.blocks, as in \
                 plane.blocks[plane.valid.argmin()]",
                plane.0
            );
            end(self.own.blame(block, &why));
        }
        Some(BlockId(first + block.cast_unsigned() as u32))
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
