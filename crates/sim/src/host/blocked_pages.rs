//! Pages of requests that wait until collection has relocated them, where `gc.block_victim_access` asks for that.

use super::write_buffer::OfferedPage;
use crate::ids::Lpn;
use crate::time::SimTime;

/// A page of a request that waits.
#[derive(Debug, Clone, Copy)]
pub struct BlockedPage {
    pub(crate) page: OfferedPage,
    pub(crate) write: bool,
    pub(crate) since: SimTime,
}

/// All of them, in the order in which they came.
#[derive(Debug, Default)]
pub struct BlockedPages {
    line: Vec<BlockedPage>,
}

impl BlockedPages {
    /// Whether none waits.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.line.is_empty()
    }

    /// One more.
    pub fn push(&mut self, page: BlockedPage) {
        self.line.push(page);
    }

    /// Takes the first from place `at` on that need not wait any longer, and moves `at` there.
    pub fn take_next(&mut self, at: &mut usize, must_wait: impl Fn(Lpn) -> bool) -> Option<BlockedPage> {
        while must_wait(self.line.get(*at)?.page.lpn) {
            *at += 1;
        }
        Some(self.line.remove(*at))
    }
}
