//! What every page should hold: each accepted write gets a version number, which travels with the data.

use super::parity_names::ParityNames;
use crate::flash::Geometry;
use crate::ids::{BlockId, Lpn, Ppn, SlotId};
use crate::mapping::{Bits, BlockTable, Mapping, Place};

/// What a buffer slot holds.
#[derive(Debug, Clone, Copy, Default)]
struct SlotContent {
    version: u32,
    /// A partial write that has not read the rest of its page yet.
    owes_read: bool,
    /// Whether collection has lifted it out of flash.
    lifted: bool,
    /// What its page holds, where there are stripes.
    content: u64,
}

/// What a version of a page holds: 64 bits that no other version of any page is likely to have.
pub(super) fn made_up(lpn: Lpn, version: u32) -> u64 {
    // The finaliser of splitmix64.
    let mut bits = (u64::from(lpn.0) << 32 | u64::from(version)).wrapping_add(0x9E37_79B9_7F4A_7C15);
    bits = (bits ^ bits >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ bits >> 31
}

/// Acknowledged pages that a power cut would destroy.
#[derive(Debug, Default)]
pub(crate) struct Lost {
    /// Only in the collector's buffer: lifted, and their block erased.
    pub(crate) collector_pages: u32,
    /// Replaced by a write that is not programmed yet, and their block erased.
    pub(crate) replaced_pages: u32,
    /// A page that no buffer has either.
    pub(crate) breach: Option<String>,
}

/// Version numbers of logical pages, buffered pages and flash pages; and which flash pages are programmed.
#[derive(Debug, Clone)]
pub struct Versions {
    newest: Vec<u32>,
    pub(super) flash: Vec<u32>,
    slots: Vec<SlotContent>,
    /// Logical pages that were written and not trimmed since.
    live: Bits,
    programmed: Bits,
    /// What every flash page holds; empty where there are no stripes.
    content: Vec<u64>,
    /// Per logical page: the newest version that was ever programmed; 0 without one, and after a trim. Empty, like the
    /// next, where no power cuts are counted.
    acknowledged: Vec<u32>,
    /// Per logical page: versions below this one are forgotten, because they were trimmed.
    trimmed_at: Vec<u32>,
    /// Kept for the next power cut, so that none needs memory of its own.
    found: Vec<u32>,
    pub(super) sorted: Sorted,
    /// What pages of parity say of themselves, where power cuts are counted.
    pub(super) names: Option<ParityNames>,
    pub(super) pages_per_block: u32,
    /// The first rule broken.
    breach: Option<String>,
}

impl Versions {
    /// Nothing is written. With `counts_cuts` it is followed which versions are acknowledged.
    pub fn new(logical_pages: u32, geometry: &Geometry, counts_cuts: bool) -> Self {
        let (physical_pages, pages_per_block) = (geometry.pages(), geometry.pages_per_block);
        let stripes = geometry.stripes.as_ref().filter(|_| counts_cuts);
        Self {
            content: if geometry.stripes.is_some() { vec![0; physical_pages as usize] } else { Vec::new() },
            newest: vec![0; logical_pages as usize],
            acknowledged: vec![0; if counts_cuts { logical_pages as usize } else { 0 }],
            trimmed_at: vec![0; if counts_cuts { logical_pages as usize } else { 0 }],
            found: Vec::new(),
            sorted: Sorted::default(),
            names: stripes.map(|stripes| ParityNames::new(physical_pages, stripes.data_pages())),
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

    /// Whether a flash page was programmed, and not erased since.
    pub(super) fn is_programmed(&self, ppn: Ppn) -> bool {
        self.programmed.get(ppn.0)
    }

    /// The version of a page that must not be lost; 0 without one.
    pub(super) fn acknowledged(&self, lpn: Lpn) -> u32 {
        self.acknowledged[lpn.index()]
    }

    /// The version that a slot holds.
    pub(super) fn in_slot(&self, slot: SlotId) -> u32 {
        self.slots[slot.index()].version
    }

    /// Take what a restored drive holds as the first version of everything.
    pub(crate) fn adopt(&mut self, map: &Mapping, blocks: &BlockTable) {
        for block in (0..blocks.len() as u32).map(BlockId) {
            let first = block.0 * self.pages_per_block;
            for page in first..first + blocks.allocated(block) {
                self.programmed.set(page);
                self.flash[page as usize] = u32::from(map.is_valid(Ppn(page)));
            }
        }
        for lpn in (0..map.logical_pages()).map(Lpn) {
            self.newest[lpn.index()] = 1;
            if map.place(lpn) != Place::Nowhere {
                self.live.set(lpn.0);
            }
            if let Place::Flash(ppn) = map.place(lpn) {
                self.set_content(ppn, made_up(lpn, 1));
                self.set_acknowledged(lpn, 1);
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
        let version = self.newest[lpn.index()];
        let content = if self.content.is_empty() { 0 } else { made_up(lpn, version) };
        self.fill(slot, SlotContent { version, owes_read, lifted: false, content });
    }

    fn fill(&mut self, slot: SlotId, content: SlotContent) {
        if self.slots.len() <= slot.index() {
            self.slots.resize(slot.index() + 1, SlotContent::default());
        }
        self.slots[slot.index()] = content;
    }

    /// The rest of a partly written page was read, or is no longer wanted.
    pub(crate) fn settled(&mut self, slot: SlotId) {
        self.slots[slot.index()].owes_read = false;
    }

    /// A write went straight to flash.
    pub(crate) fn written_now(&mut self, lpn: Lpn, ppn: Ppn) {
        self.newest[lpn.index()] += 1;
        self.live.set(lpn.0);
        let version = self.newest[lpn.index()];
        self.program(ppn, version);
        self.set_acknowledged(lpn, version);
        self.set_content(ppn, made_up(lpn, version));
    }

    /// What a flash page holds, where there are stripes.
    pub fn content(&self, ppn: Ppn) -> u64 {
        self.content[ppn.index()]
    }

    /// What a flash page holds now, if that is kept.
    pub(crate) fn set_content(&mut self, ppn: Ppn, content: u64) {
        if let Some(of_page) = self.content.get_mut(ppn.index()) {
            *of_page = content;
        }
    }

    /// What a slot holds, where there are stripes.
    pub(crate) fn slot_content(&self, slot: SlotId) -> u64 {
        self.slots[slot.index()].content
    }

    /// What a slot holds now: parity is made of what the other pages hold.
    pub(crate) fn set_slot_content(&mut self, slot: SlotId, content: u64) {
        self.slots[slot.index()].content = content;
    }

    /// A page of a lost chip is in a slot again, in the version that it had.
    pub(crate) fn rebuilt(&mut self, lpn: Lpn, slot: SlotId, content: u64) {
        let version = self.newest[lpn.index()];
        self.fill(slot, SlotContent { version, owes_read: false, lifted: false, content });
    }

    /// Whether that is what the newest version of a page of data holds.
    pub(crate) fn is_newest(&self, lpn: Lpn, content: u64) -> bool {
        content == made_up(lpn, self.newest[lpn.index()])
    }

    /// The page was trimmed: whatever is read of it now is a new version.
    pub(crate) fn trimmed(&mut self, lpn: Lpn) {
        self.newest[lpn.index()] += 1;
        self.set_acknowledged(lpn, 0);
        if let Some(trimmed_at) = self.trimmed_at.get_mut(lpn.index()) {
            *trimmed_at = self.newest[lpn.index()];
        }
        self.live.clear(lpn.0);
    }

    /// A page went from flash into a slot, whole.
    pub(crate) fn lifted(&mut self, from: Ppn, slot: SlotId) {
        let version = self.flash[from.index()];
        self.fill(slot, SlotContent { version, owes_read: false, lifted: true, content: 0 });
    }

    /// The host has overwritten a page that was lifted, where it is; that is acknowledged at once.
    pub(crate) fn absorbed(&mut self, lpn: Lpn, slot: SlotId) {
        self.merged(lpn, slot);
        self.acknowledge(lpn, slot);
    }

    /// The host has overwritten a page of the write buffer, where it is.
    pub(crate) fn merged(&mut self, lpn: Lpn, slot: SlotId) {
        self.newest[lpn.index()] += 1;
        self.slots[slot.index()].version = self.newest[lpn.index()];
    }

    /// A slot's content was programmed.
    pub(crate) fn programmed_from_slot(&mut self, ppn: Ppn, slot: SlotId) {
        let content = self.slots[slot.index()];
        if content.owes_read {
            self.note(format!("{ppn:?} was programmed with part of a page whose rest was never read"));
        }
        self.program(ppn, content.version);
        self.set_content(ppn, content.content);
        if let Some(names) = &mut self.names {
            names.programmed(ppn, slot);
        }
    }

    /// The write of what a slot holds is acknowledged: from now on the drive must not lose it.
    pub(crate) fn acknowledge(&mut self, lpn: Lpn, slot: SlotId) {
        let version = self.slots[slot.index()].version;
        if self.trimmed_at.get(lpn.index()).is_some_and(|trimmed_at| version > *trimmed_at) {
            self.set_acknowledged(lpn, version.max(self.acknowledged[lpn.index()]));
        }
    }

    fn set_acknowledged(&mut self, lpn: Lpn, version: u32) {
        if let Some(acknowledged) = self.acknowledged.get_mut(lpn.index()) {
            *acknowledged = version;
        }
    }

    /// What is lost if the power fails now and the blocks from these pages on are being erased. Flash keeps every page
    /// until its block is erased, valid or not, and the drive finds the newest version of each.
    pub(crate) fn lost_by_power_cut(&mut self, map: &Mapping, erasing: &[Ppn]) -> Lost {
        let mut found = std::mem::take(&mut self.found);
        found.clear();
        found.resize(self.acknowledged.len(), 0);
        let mut from = 0;
        while let Some(page) = self.programmed.next_one(from, self.flash.len() as u32) {
            from = page + 1;
            let version = self.flash[page as usize];
            let gone = erasing.iter().any(|first| (first.0..first.0 + self.pages_per_block).contains(&page));
            if version > 0 && !gone {
                let newest = &mut found[map.owner(Ppn(page)).index()];
                *newest = version.max(*newest);
            }
        }
        let mut lost = Lost::default();
        for (lpn, (found, acknowledged)) in found.iter().zip(&self.acknowledged).enumerate() {
            if found >= acknowledged {
                continue;
            }
            match map.place(Lpn(lpn as u32)) {
                Place::Buffer(slot) if self.slots[slot.index()].version >= *acknowledged => {
                    let lifted = self.slots[slot.index()].lifted;
                    lost.collector_pages += u32::from(lifted);
                    lost.replaced_pages += u32::from(!lifted);
                }
                place => {
                    lost.breach.get_or_insert_with(|| {
                        format!(
                            "page {lpn} is {place:?}: its version {acknowledged} is neither in flash nor in \
                             a buffer"
                        )
                    });
                }
            }
        }
        self.found = found;
        lost
    }

    /// A page was moved.
    pub(crate) fn copied(&mut self, from: Ppn, to: Ppn) {
        if !self.programmed.get(from.0) {
            self.note(format!("{from:?} was copied although it is erased"));
        }
        self.program(to, self.flash[from.index()]);
        if let Some(content) = self.content.get(from.index()) {
            self.set_content(to, *content);
        }
        if let Some(names) = &mut self.names {
            names.copied(from, to);
        }
    }

    /// A page was used up without data.
    pub(crate) fn left_empty(&mut self, page: Ppn) {
        if self.programmed.get(page.0) {
            self.note(format!("{page:?} was programmed, and then left empty"));
        }
        self.programmed.set(page.0);
        self.flash[page.index()] = 0;
    }

    /// A block was erased.
    pub(crate) fn erased(&mut self, first: Ppn, pages: u32) {
        (first.0..first.0 + pages).for_each(|page| self.programmed.clear(page));
        if let Some(names) = &mut self.names {
            names.erased(first.0..first.0 + pages);
        }
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

/// Pages of flash by the stripe that they belong to: made anew at each cut, in memory that is kept.
#[derive(Debug, Clone, Default)]
pub(super) struct Sorted {
    /// By stripe: where its pages end in `pages`.
    pub(super) ends: Vec<u32>,
    /// All of them, stripe by stripe.
    pub(super) pages: Vec<Ppn>,
}
