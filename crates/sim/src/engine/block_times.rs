//! Array times of blocks by themselves: by how often they were erased (`flash.wear`), and of the SLC cache.

use super::drive::Drive;
use super::ops::OpKind;
use crate::flash::ArrayTimes;
use crate::ids::{BlockId, OpId, Ppn};
use crate::time::Nanos;

impl<const PLAIN: bool> Drive<PLAIN> {
    fn times_of_block(&self, block: BlockId) -> &ArrayTimes {
        self.timing.of_block(self.geometry.is_cache_block(block), self.ftl.blocks().erases(block))
    }

    fn times_of_page(&self, page: Ppn) -> &ArrayTimes {
        self.times_of_block(self.geometry.block_of(page))
    }

    /// Time of an operation in the array (of a copyback: of its first half), by what its block is.
    #[inline(never)]
    pub(super) fn array_time_by_block(&self, id: OpId) -> Nanos {
        let op = &self.ops[id];
        let page = if op.kind == OpKind::Copyback { op.source } else { op.ppn };
        let (times, in_block) = (self.times_of_page(page), self.geometry.page_in_block(page));
        match op.kind {
            OpKind::Read | OpKind::Copyback => times.t_read(in_block),
            OpKind::Program => times.t_program(in_block),
            OpKind::Erase => times.erase,
        }
    }

    /// tPROG of a page: of the second half of a copyback.
    #[inline]
    pub(super) fn t_program_of(&self, page: Ppn) -> Nanos {
        let in_block = self.geometry.page_in_block(page);
        if self.needs.times_by_block() {
            self.times_of_page(page).t_program(in_block)
        } else {
            self.timing.t_program(in_block)
        }
    }

    /// tPROG of the pages of a unit of a block, which was left open and is closed.
    pub(super) fn t_program_of_unit(&self, block: BlockId) -> Nanos {
        if self.needs.times_by_block() {
            self.times_of_block(block).t_program(0)
        } else {
            self.timing.t_program(0)
        }
    }

    /// What a repetition of a read adds, if not tR of its page.
    pub(super) fn t_retry_of(&self, page: Ppn) -> Option<Nanos> {
        if self.needs.times_by_block() { self.times_of_page(page).retry } else { self.timing.t_retry() }
    }
}
