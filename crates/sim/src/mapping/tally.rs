//! What a drive has done, counted in all, by plane and by stream; and the clock that ages blocks.

use super::blocks::Cause;
use super::counters::{FtlCounters, PlaneCounters};
use super::streams::Streams;
use crate::flash::TranslationPages;
use crate::ids::{Lpn, PlaneId};

/// What was counted since the last reset, and pages programmed and erased since the drive was made.
#[derive(Debug)]
pub struct Tally {
    counters: FtlCounters,
    /// By plane, the same in coarser parts.
    of_planes: Box<[PlaneCounters]>,
    /// Where requests name streams: of which the data of every page is, and what was done with it.
    streams: Option<Box<Streams>>,
    /// Pages that are the host's to write, and are counted apart.
    translation: Option<TranslationPages>,
    /// Number of them programmed since the drive was made, but for those that were relocated.
    translation_programs: u64,
    /// Pages programmed since the drive was made: the clock that ages blocks.
    programmed: u64,
    /// Pages of all blocks erased since the drive was made.
    erased: u64,
    /// What `programmed` was when counting began.
    programmed_at_reset: u64,
}

impl Tally {
    /// Nothing was done yet.
    pub fn new(planes: u32, translation: Option<TranslationPages>) -> Self {
        Self {
            counters: FtlCounters::default(),
            of_planes: vec![PlaneCounters::default(); planes as usize].into(),
            streams: None,
            translation,
            translation_programs: 0,
            programmed: 0,
            erased: 0,
            programmed_at_reset: 0,
        }
    }

    /// Start counting afresh; the clock goes on.
    pub(crate) fn reset(&mut self) {
        if let Some(streams) = &mut self.streams {
            streams.reset();
        }
        self.counters = FtlCounters::default();
        self.of_planes.fill(PlaneCounters::default());
        self.programmed_at_reset = self.programmed;
    }

    /// Operations since the last reset.
    pub fn counters(&self) -> &FtlCounters {
        &self.counters
    }

    /// The same of each plane, by its number.
    pub fn of_planes(&self) -> &[PlaneCounters] {
        &self.of_planes
    }

    /// Streams, where requests name them.
    #[inline]
    pub(crate) fn streams(&self) -> Option<&Streams> {
        self.streams.as_deref()
    }

    /// The same, to be told what comes.
    #[inline]
    pub(crate) fn streams_mut(&mut self) -> Option<&mut Streams> {
        self.streams.as_deref_mut()
    }

    /// From now on these streams are counted, too.
    pub(crate) fn count_streams(&mut self, streams: Streams) {
        self.streams = Some(Box::new(streams));
    }

    /// Those of a drive that is given up.
    pub(crate) fn into_streams(self) -> Option<Box<Streams>> {
        self.streams
    }

    // The clock.

    /// Pages programmed since the drive was made, with data or without.
    #[inline]
    pub fn programmed(&self) -> u64 {
        self.programmed
    }

    /// Pages written and not erased since, valid or not: a gauge of how full the flash is.
    #[inline]
    pub fn used_pages(&self) -> u64 {
        self.programmed - self.erased
    }

    /// Pages taken since counting began, whatever for.
    pub fn pages_taken(&self) -> u64 {
        self.programmed - self.programmed_at_reset
    }

    /// Both, to be [set](Self::set_clock) again.
    pub(crate) fn clock(&self) -> (u64, u64) {
        (self.programmed, self.erased)
    }

    /// The clock is set: so many pages were programmed, and so many erased.
    pub(crate) fn set_clock(&mut self, programmed: u64, erased: u64) {
        (self.programmed, self.erased) = (programmed, erased);
    }

    /// Pages of a block are taken, whatever is to be in them.
    #[inline]
    pub(crate) fn note_taken(&mut self, pages: u32) {
        self.programmed += u64::from(pages);
    }

    /// Pages of a block are gone that no job has emptied.
    pub(crate) fn note_gone(&mut self, pages: u32) {
        self.erased += u64::from(pages);
    }

    // What pages are taken for, and erases.

    /// So many bytes of a write of the host enter the write buffer.
    #[inline]
    pub(crate) fn note_host_bytes(&mut self, bytes: u64) {
        self.counters.host_bytes += bytes;
        if let Some(streams) = &mut self.streams {
            streams.note_host_bytes(bytes);
        }
    }

    /// Number of translation pages programmed since the drive was made, but for those that were relocated.
    pub(crate) fn translation_programs(&self) -> u64 {
        self.translation_programs
    }

    /// Whether a page is of no stream: it has no data of the host.
    #[inline]
    fn is_translation_page(&self, lpn: Lpn) -> bool {
        self.translation.is_some_and(|pages| pages.has(lpn))
    }

    /// A page of a plane is for what the host has written of `lpn`, or for a translation page.
    #[inline]
    pub(crate) fn note_host_page(&mut self, plane: PlaneId, lpn: Lpn) {
        if self.is_translation_page(lpn) {
            self.counters.translation_programs += 1;
            self.translation_programs += 1;
            return;
        }
        self.note_host_pages(plane, 1);
        if let Some(streams) = &mut self.streams {
            streams.note_host_program(lpn);
        }
    }

    /// The same of many, but for their streams.
    #[inline]
    pub(crate) fn note_host_pages(&mut self, plane: PlaneId, pages: u32) {
        self.counters.host_programs += u64::from(pages);
        self.of_planes[plane.index()].host_programs += u64::from(pages);
    }

    /// A page of the host is one that the SLC cache takes.
    pub(crate) fn note_cached(&mut self) {
        self.counters.cached_pages += 1;
    }

    /// A page of a plane is for parity, or for one that is rebuilt.
    pub(crate) fn note_parity(&mut self, plane: PlaneId) {
        self.counters.parity_programs += 1;
        self.of_planes[plane.index()].parity_programs += 1;
    }

    /// A page of a plane is for `lpn`, which is relocated.
    #[inline]
    pub(crate) fn note_relocated(&mut self, plane: PlaneId, lpn: Lpn, cause: Cause) {
        self.note_relocated_pages(plane, 1, cause);
        if self.is_translation_page(lpn) {
            return;
        }
        if let Some(streams) = &mut self.streams {
            streams.note_relocation(lpn);
        }
    }

    /// The same of many, but for their streams.
    #[inline]
    pub(crate) fn note_relocated_pages(&mut self, plane: PlaneId, pages: u32, cause: Cause) {
        let counted = match cause {
            Cause::Gc => &mut self.counters.gc_programs,
            Cause::Wear => &mut self.counters.wear_programs,
            Cause::Fold => &mut self.counters.fold_programs,
        };
        *counted += u64::from(pages);
        self.of_planes[plane.index()].relocated_pages += u64::from(pages);
    }

    /// Pages without data fill up a unit.
    pub(crate) fn note_padded(&mut self, pages: u32) {
        self.counters.padded_pages += u64::from(pages);
    }

    /// A rule of relocation forbids pages; if `stays_empty`, nothing of their units is programmed.
    pub(crate) fn note_wasted(&mut self, pages: u32, stays_empty: bool) {
        self.counters.wasted_pages += u64::from(pages);
        self.counters.empty_pages += if stays_empty { u64::from(pages) } else { 0 };
    }

    /// A job begins in a plane, on a victim with so many valid pages.
    pub(crate) fn note_job(&mut self, plane: PlaneId, valid: u32) {
        self.counters.jobs += 1;
        self.of_planes[plane.index()].jobs += 1;
        self.counters.victim_valid_pages += u64::from(valid);
    }

    /// A block that was erased has failed.
    pub(crate) fn note_failed(&mut self) {
        self.counters.failed_blocks += 1;
    }

    /// A block of so many pages of a plane is erased.
    pub(crate) fn note_erased(&mut self, plane: PlaneId, pages: u32, cause: Cause) {
        let counted = match cause {
            Cause::Gc => &mut self.counters.erases,
            Cause::Wear => &mut self.counters.wear_erases,
            Cause::Fold => &mut self.counters.fold_erases,
        };
        *counted += 1;
        self.of_planes[plane.index()].erases += 1;
        self.erased += u64::from(pages);
    }
}
