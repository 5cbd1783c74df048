//! A drive that takes over the flash which another drive, with other policies, has prepared (docs/model.md, 7.5).

use super::spare::most_valid_pages;
use super::state::Ftl;
use crate::gc::events::{BlockEvent, BlockEvents};
use crate::ids::{BlockId, Lpn, PlaneId, Ppn};
use crate::mapping::{AppendPoints, BlockState, BlockTable, FreeBlocks, Mapping, Place, PlaneState};
use crate::settings::{Config, ConfigError, OWN_START};

/// What lies in the flash of a drive at rest, whatever policies brought it there.
pub(super) struct Contents {
    pub(super) map: Mapping,
    pub(super) blocks: BlockTable,
    pub(super) planes: Vec<PlaneState>,
    pub(super) points: AppendPoints,
    pub(super) programmed: u64,
}

impl Ftl {
    /// Takes over what lies in the flash of `prepared`, a drive at rest of the same dimensions and redundancy. The
    /// policies of this drive, which is new, hear of the sealed blocks in the order in which those were sealed.
    ///
    /// # Errors
    /// When a plane could come to hold more than collection copes with.
    pub fn take_over(&mut self, config: &Config, prepared: Self) -> Result<(), ConfigError> {
        let Self { map, blocks, planes, points, tally, versions, .. } = prepared;
        let programmed = tally.programmed();
        if let Some(streams) = tally.into_streams() {
            self.tally.count_streams(*streams);
        }
        self.versions = versions;
        self.hold(config, Contents { map, blocks, planes, points, programmed })
    }

    /// This drive, which is new, now holds the contents. What the audit knows of them is there already, or comes after.
    pub(super) fn hold(&mut self, config: &Config, contents: Contents) -> Result<(), ConfigError> {
        self.copes_with(config, &contents.map)?;
        let Contents { map, blocks, planes, points, programmed } = contents;
        self.map = map;
        self.placed_elsewhere = true;
        self.map.recount_valid_pages();
        self.blocks = blocks;
        self.count_programmed(programmed);
        for (state, was) in self.planes.iter_mut().zip(&planes) {
            let free = was.free.in_order();
            state.free = match &state.free {
                FreeBlocks::Fifo(_) => FreeBlocks::Fifo(free.collect()),
                FreeBlocks::LeastErased(_) => {
                    FreeBlocks::LeastErased(free.map(|block| (self.blocks.erases(block), block)).collect())
                }
            };
            state.erases = was.erases;
        }
        self.free_blocks = self.planes.iter().map(|plane| plane.free.len()).sum();
        self.recount_failed()?;
        self.tell_of_valid_pages();
        self.tell_of_sealed_blocks();
        for plane in (0..self.geometry.planes()).map(PlaneId) {
            self.keep_open(plane, &points);
            self.note_free(plane);
        }
        self.signals.clear();
        Ok(())
    }

    /// Where every page has a plane of its own, pages that lie elsewhere may stay there while those that belong there
    /// come: of both together, a plane must not get more than its collection copes with.
    fn copes_with(&self, config: &Config, map: &Mapping) -> Result<(), ConfigError> {
        let home = |lpn| match (&self.geometry.stripes, &self.policies.static_order) {
            (Some(stripes), _) => Some(stripes.home(lpn)),
            (None, order) => order.as_ref().map(|order| order.plane_of(lpn)),
        };
        let mut pages = vec![0_u32; self.planes.len()];
        for lpn in (0..map.logical_pages()).map(Lpn) {
            let Some(home) = home(lpn) else { return Ok(()) };
            pages[home.index()] += 1;
            if let Place::Flash(ppn) = map.place(lpn) {
                let plane = self.geometry.plane_of(self.geometry.block_of(ppn));
                pages[plane.index()] += u32::from(plane != home);
            }
        }
        let most = most_valid_pages(config, &self.geometry);
        let Some(plane) = pages.iter().position(|count| *count > most) else { return Ok(()) };
        let reason = format!(
            "plane {plane} could come to hold {} valid pages of a drive that was prepared by other \
             policies, and collects with {most} at most: ftl.allocation sends its own pages there whatever \
             lies there already; prepare it with the same ftl.allocation and a relocation that keeps pages \
             in their planes, or let it prepare itself (warmup.scheme = \"{OWN_START}\")",
            pages[plane]
        );
        Err(ConfigError::at("warmup.scheme", &reason))
    }

    /// The clock that ages blocks, and what follows from it.
    pub(super) fn count_programmed(&mut self, programmed: u64) {
        let initial = self.initial_erases;
        let erases = (0..).map(BlockId).zip(self.blocks.all_erases());
        let pages = |(block, erases): (BlockId, &u32)| {
            u64::from(*erases - initial) * u64::from(self.geometry.pages_of(block))
        };
        self.tally.set_clock(programmed, erases.map(pages).sum());
    }

    /// For those who count what blocks and planes hold.
    fn tell_of_valid_pages(&mut self) {
        if !self.policies.somebody_hears.has(BlockEvents::PROGRAMMED) {
            return;
        }
        for page in (0..self.geometry.pages()).map(Ppn) {
            if self.map.is_valid(page) {
                self.tell(BlockEvent::Programmed(page), self.geometry.block_of(page));
            }
        }
    }

    /// As though each of them were sealed now, one after the other, at the age that it has.
    fn tell_of_sealed_blocks(&mut self) {
        let mut sealed: Vec<_> = (0..self.blocks.len() as u32)
            .map(BlockId)
            .filter(|block| self.blocks.state(*block) == BlockState::Sealed)
            .collect();
        sealed.sort_by_key(|block| (self.blocks.sealed_at(*block), *block));
        let (programmed, erased) = self.tally.clock();
        for block in sealed {
            self.tally.set_clock(self.blocks.sealed_at(block), erased);
            self.seal(block);
        }
        self.tally.set_clock(programmed, erased);
    }

    /// Open blocks for which this drive has a stream stay open; the others are filled up without data.
    fn keep_open(&mut self, plane: PlaneId, was: &AppendPoints) {
        let open = |stream| was.open(plane, stream);
        let of_gc = was.of_collection().filter(|_| !was.is_shared());
        let mut of_host = was.of_host().map(open).filter(|block| block.is_some());
        let mut of_gc = of_gc.map(open).filter(|block| block.is_some());
        let points = &mut self.points;
        if points.is_shared() {
            let mut either = of_host.next().or_else(|| of_gc.next()).into_iter();
            points.fill(plane, points.of_host(), &mut either);
        } else {
            points.fill(plane, points.of_host(), &mut of_host);
            points.fill(plane, points.of_collection(), &mut of_gc);
        }
        points.fill(plane, std::iter::once(points.parity()), &mut std::iter::once(open(was.parity())));
        for block in of_host.chain(of_gc) {
            self.leave_empty(block, self.left(block));
        }
    }
}
