//! What every page should hold: each accepted write gets a version number, which travels with the data.

use crate::ids::{BlockId, Lpn, Ppn, SlotId};
use crate::mapping::{Bits, BlockTable, Mapping, Place};

/// What a buffer slot holds.
#[derive(Debug, Clone, Copy, Default)]
struct SlotContent {
    version: u32,
    /// A partial write that has not read the rest of its page yet.
    owes_read: bool,
}

/// Version numbers of logical pages, buffered pages and flash pages; and which flash pages are programmed.
#[derive(Debug, Clone)]
pub struct Versions {
    newest: Vec<u32>,
    flash: Vec<u32>,
    slots: Vec<SlotContent>,
    /// Logical pages that were written and not trimmed since.
    live: Bits,
    programmed: Bits,
    pages_per_block: u32,
    /// The first rule broken.
    breach: Option<String>,
}

impl Versions {
    /// Nothing is written.
    pub fn new(logical_pages: u32, physical_pages: u32, pages_per_block: u32) -> Self {
        Self {
            newest: vec![0; logical_pages as usize],
            flash: vec![0; physical_pages as usize],
            slots: Vec::new(),
            live: Bits::new(logical_pages),
            programmed: Bits::new(physical_pages),
            pages_per_block,
            breach: None,
        }
    }

    /// The version written last.
    pub fn newest(&self, lpn: Lpn) -> u32 {
        self.newest[lpn.index()]
    }

    /// The version a flash page holds.
    pub fn in_flash(&self, ppn: Ppn) -> u32 {
        self.flash[ppn.index()]
    }

    /// Take what a restored drive holds as the first version of everything.
    pub(crate) fn adopt(&mut self, map: &Mapping, blocks: &BlockTable) {
        for block in (0..blocks.len() as u32).map(BlockId) {
            let first = block.0 * self.pages_per_block;
            for page in first..first + blocks.allocated(block) {
                self.programmed.set(page);
                self.flash[page as usize] = 1;
            }
        }
        for lpn in (0..map.logical_pages()).map(Lpn) {
            self.newest[lpn.index()] = 1;
            if map.place(lpn) != Place::Nowhere {
                self.live.set(lpn.0);
            }
        }
    }

    /// Whether a logical page was written and not trimmed since.
    pub fn is_live(&self, lpn: Lpn) -> bool {
        self.live.get(lpn.0)
    }

    /// A write was accepted into a slot; `owes_read` when it needs the rest of the page from flash.
    pub(crate) fn accepted(&mut self, lpn: Lpn, slot: SlotId, owes_read: bool) {
        self.newest[lpn.index()] += 1;
        self.live.set(lpn.0);
        if self.slots.len() <= slot.index() {
            self.slots.resize(slot.index() + 1, SlotContent::default());
        }
        self.slots[slot.index()] = SlotContent { version: self.newest[lpn.index()], owes_read };
    }

    /// The rest of a partly written page was read, or is no longer wanted.
    pub(crate) fn settled(&mut self, slot: SlotId) {
        self.slots[slot.index()].owes_read = false;
    }

    /// A write went straight to flash.
    pub(crate) fn written_now(&mut self, lpn: Lpn, ppn: Ppn) {
        self.newest[lpn.index()] += 1;
        self.live.set(lpn.0);
        self.program(ppn, self.newest[lpn.index()]);
    }

    /// The page was trimmed: whatever is read of it now is a new version.
    pub(crate) fn trimmed(&mut self, lpn: Lpn) {
        self.newest[lpn.index()] += 1;
        self.live.clear(lpn.0);
    }

    /// A page went from flash into a slot, whole.
    pub(crate) fn lifted(&mut self, from: Ppn, slot: SlotId) {
        if self.slots.len() <= slot.index() {
            self.slots.resize(slot.index() + 1, SlotContent::default());
        }
        self.slots[slot.index()] = SlotContent { version: self.flash[from.index()], owes_read: false };
    }

    /// A slot's content was programmed.
    pub(crate) fn programmed_from_slot(&mut self, ppn: Ppn, slot: SlotId) {
        let content = self.slots[slot.index()];
        if content.owes_read {
            self.note(format!("{ppn:?} was programmed with part of a page whose rest was never read"));
        }
        self.program(ppn, content.version);
    }

    /// A page was moved.
    pub(crate) fn copied(&mut self, from: Ppn, to: Ppn) {
        if !self.programmed.get(from.0) {
            self.note(format!("{from:?} was copied although it is erased"));
        }
        self.program(to, self.flash[from.index()]);
    }

    /// A page was used up without data.
    pub(crate) fn left_empty(&mut self, page: Ppn) {
        if self.programmed.get(page.0) {
            self.note(format!("{page:?} was programmed, and then left empty"));
        }
        self.programmed.set(page.0);
    }

    /// A block was erased.
    pub(crate) fn erased(&mut self, first: Ppn, pages: u32) {
        (first.0..first.0 + pages).for_each(|page| self.programmed.clear(page));
    }

    fn program(&mut self, ppn: Ppn, version: u32) {
        if self.programmed.get(ppn.0) {
            self.note(format!("{ppn:?} was programmed twice without an erase"));
        }
        if !ppn.0.is_multiple_of(self.pages_per_block) && !self.programmed.get(ppn.0 - 1) {
            self.note(format!("{ppn:?} was programmed before the page below it in its block"));
        }
        self.programmed.set(ppn.0);
        self.flash[ppn.index()] = version;
    }

    fn note(&mut self, breach: String) {
        self.breach.get_or_insert(breach);
    }

    /// # Errors
    /// The first rule broken so far.
    pub fn breach(&self) -> Result<(), String> {
        self.breach.clone().map_or(Ok(()), Err)
    }
}
