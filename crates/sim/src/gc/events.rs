//! What policies hear of blocks: events, told to whoever asks for them.

use crate::flash::Geometry;
use crate::ids::Ppn;
use crate::mapping::{BlockTable, Mapping};

/// What a policy may look at when it hears of a block.
#[derive(Debug, Clone, Copy)]
pub struct BlockView<'a> {
    /// The drive's dimensions.
    pub geometry: &'a Geometry,
    /// What every block holds.
    pub blocks: &'a BlockTable,
    /// Which pages are valid.
    pub map: &'a Mapping,
    /// Pages programmed since the drive was made: the clock that ages blocks.
    pub programmed: u64,
}

/// Something has happened to a block; the view shows it afterwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockEvent {
    /// The program of a page of it ended, and the page is valid.
    Programmed(Ppn),
    /// A page of it is not valid any more: overwritten, trimmed or relocated.
    Invalidated(Ppn),
    /// All its pages are programmed: it is a candidate.
    Sealed,
    /// It is no candidate any more: it was chosen, or moved by wear levelling.
    Removed,
    /// It was erased.
    Erased,
}

/// Kinds of block events, as a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BlockEvents(u8);

impl BlockEvents {
    /// The empty set: a policy that hears of nothing.
    pub const NONE: Self = Self(0);
    /// [`BlockEvent::Programmed`].
    pub const PROGRAMMED: Self = Self(1);
    /// [`BlockEvent::Invalidated`].
    pub const INVALIDATED: Self = Self(2);
    /// [`BlockEvent::Sealed`].
    pub const SEALED: Self = Self(4);
    /// [`BlockEvent::Removed`].
    pub const REMOVED: Self = Self(8);
    /// [`BlockEvent::Erased`].
    pub const ERASED: Self = Self(16);

    /// The events of both sets.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether the sets have an event in common.
    #[inline]
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

impl BlockEvent {
    /// The set of this event alone.
    pub const fn kind(self) -> BlockEvents {
        match self {
            Self::Programmed(_) => BlockEvents::PROGRAMMED,
            Self::Invalidated(_) => BlockEvents::INVALIDATED,
            Self::Sealed => BlockEvents::SEALED,
            Self::Removed => BlockEvents::REMOVED,
            Self::Erased => BlockEvents::ERASED,
        }
    }
}
