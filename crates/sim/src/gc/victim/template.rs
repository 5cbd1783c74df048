//! A template: the block that has lost its first page last. Copy the file and change what is in it.
//!
//! `docs/extending.md`, "Add a victim policy", has the steps. Only tests compile this file, so it is no policy that can
//! be chosen; the tests at its end run it on a drive.

use super::support::{from_bytes, to_bytes};
use super::{BlockView, Build, VictimPolicy};
use crate::ids::{BlockId, PlaneId, Ppn};
use crate::registry::{Member, NoParameters, ParameterSpec};

pub const MEMBER: Member<Build> = Member {
    // What configuration calls it: gc.victim = "newest-loss".
    name: "newest-loss",
    // One sentence, for lists and documentation.
    about: "the block that lost its first page last",
    // A struct with #[serde(deny_unknown_fields, default)] if it takes parameters: see d_choices.rs.
    parameters: &ParameterSpec::of::<NoParameters>(),
    // What it cannot be combined with, and why: see interconnect/serialized_channel.rs.
    conflicts: &[],
    // Counters of its own, which appear in results, table, report and documentation: see d_choices.rs.
    metrics: &[],
    build: |_, context| {
        let geometry = &context.geometry;
        // Everything is allocated here: nothing allocates while a drive runs.
        let stack = || Vec::with_capacity(geometry.blocks_per_plane as usize);
        Ok(Box::new(NewestLoss { stacks: (0..geometry.planes()).map(|_| stack()).collect() }))
    },
};

struct NewestLoss {
    /// Of each plane: the blocks that hold an invalid page, in the order in which they lost their first.
    stacks: Vec<Vec<BlockId>>,
}

impl VictimPolicy for NewestLoss {
    fn on_sealed(&mut self, block: BlockId, view: &BlockView<'_>) {
        // Pages can be overwritten while the block still fills.
        if view.blocks.valid(block) < view.geometry.pages_per_block {
            self.stacks[view.geometry.plane_of(block).index()].push(block);
        }
    }

    fn on_invalidated(&mut self, block: BlockId, _: Ppn, view: &BlockView<'_>) {
        // The view shows the block after the loss.
        if view.blocks.valid(block) + 1 == view.geometry.pages_per_block {
            self.stacks[view.geometry.plane_of(block).index()].push(block);
        }
    }

    fn on_removed(&mut self, block: BlockId, view: &BlockView<'_>) {
        let stack = &mut self.stacks[view.geometry.plane_of(block).index()];
        // The victim is at the end; only static wear levelling takes a block from further down.
        if let Some(at) = stack.iter().rposition(|candidate| *candidate == block) {
            stack.remove(at);
        }
    }

    fn select(&mut self, plane: PlaneId, _: &BlockView<'_>) -> Option<BlockId> {
        self.stacks[plane.index()].last().copied()
    }

    fn save(&self) -> Vec<u8> {
        to_bytes(&self.stacks)
    }

    fn load(&mut self, state: &[u8]) -> bool {
        from_bytes(&mut self.stacks, state)
    }
}

/// Tests of a real policy use its name instead: `TestDrive::one_plane().victim("my-policy")` in `tests/victims.rs`.
mod tests {
    use super::*;
    use crate::building::BuildContext;
    use crate::config::{LoadRequest, load};
    use crate::flash::Geometry;
    use crate::ftl::Ftl;
    use crate::ids::Lpn;

    /// One plane of 16 blocks of 4 pages; block k holds pages 4k to 4k + 3.
    fn filled() -> Ftl {
        let dimensions = ["channels", "chips_per_channel", "dies_per_chip", "planes_per_die"];
        let mut set: Vec<_> = dimensions.map(|name| (format!("geometry.{name}"), "1".to_owned())).into();
        let sizes = [("blocks_per_plane", "16"), ("pages_per_block", "4"), ("spare_factor", "50%")];
        set.extend(sizes.map(|(name, size)| (format!("geometry.{name}"), size.to_owned())));
        set.push(("gc.trigger.start".to_owned(), "1 block".to_owned()));
        let config = load(&LoadRequest { device: "gc-bypass".to_owned(), schemes: Vec::new(), set }).unwrap();
        let geometry = Geometry::new(&config).unwrap();
        let policy = (MEMBER.build)(&config.gc.victim, &BuildContext::new(&config, &geometry)).unwrap();
        let mut ftl = Ftl::new(&config, &geometry, true).with_victim(policy);
        (0..32).for_each(|page| ftl.write_now(Lpn(page)));
        ftl
    }

    #[test]
    fn it_takes_the_block_that_lost_its_first_page_last() {
        let mut ftl = filled();
        for page in [0, 4, 8, 9, 5] {
            ftl.trim(Lpn(page));
        }
        let order: Vec<u32> =
            std::iter::from_fn(|| ftl.begin_collection(PlaneId(0))).map(|block| block.0).collect();
        assert_eq!(order, [2, 1, 0]);
    }

    #[test]
    fn a_drive_that_collects_with_it_stays_consistent() {
        let mut ftl = filled();
        // Every page again, three times over, in an order that leaves valid pages behind.
        (0..96).for_each(|k| ftl.write_now(Lpn(k * 7 % 32)));
        assert!(ftl.counters().erases > 0, "it must have collected");
        crate::audit::check(&ftl, true).unwrap();
    }

    #[test]
    fn a_saved_state_goes_on_as_it_was() {
        let config = load(&LoadRequest { device: "gc-bypass-mini".to_owned(), schemes: vec![], set: vec![] });
        let (config, choice) = (config.unwrap(), crate::settings::PolicyChoice::of(MEMBER.name));
        let context = BuildContext::new(&config, &Geometry::new(&config).unwrap());
        let mut policy = (MEMBER.build)(&choice, &context).unwrap();
        assert!(policy.load(&to_bytes(&vec![vec![BlockId(3), BlockId(1)]])));
        assert_eq!(policy.save(), to_bytes(&vec![vec![BlockId(3), BlockId(1)]]));
        assert!(!policy.load(b"nothing of the kind"));
    }
}
