//! Translation pages: which must be read before a page is found, and which must be written because entries have
//! changed.

use super::mapping_cache::LookUp;
use super::state::Ftl;
use crate::ids::Lpn;

impl Ftl {
    /// The host needs the entry of a page, and changes it, if it writes the page. Tells which translation page must be
    /// read first, if any, and which must be written.
    pub(crate) fn look_up(&mut self, lpn: Lpn, changes: bool) -> (Option<Lpn>, Option<Lpn>) {
        let Some(translation) = &mut self.translation else { return (None, None) };
        let LookUp { misses, write_back } = self.policies.mapping_cache.look_up(lpn, changes);
        translation.counts.look_ups += 1;
        translation.counts.misses += u64::from(misses);
        let pages = translation.pages();
        (misses.then(|| pages.page_of(lpn)), write_back.map(|index| pages.page(index)))
    }

    /// The translation page that has the entry of a page.
    pub(crate) fn translation_page_of(&self, lpn: Lpn) -> Lpn {
        self.translation.as_ref().map_or(Lpn::NONE, |translation| translation.pages().page_of(lpn))
    }

    /// Whether a page is a translation page.
    #[inline]
    pub(crate) fn is_translation_page(&self, lpn: Lpn) -> bool {
        self.translation.as_ref().is_some_and(|translation| translation.pages().has(lpn))
    }

    /// Whether nothing is read before a translation page is written that leaves memory.
    pub(crate) fn holds_whole_translation_pages(&self) -> bool {
        self.policies.mapping_cache.holds_whole_pages()
    }

    /// Whether a translation page must be read from flash, which counts it. Otherwise nothing was written of it, or it
    /// is on its way to flash.
    pub(crate) fn begin_translation_read(&mut self, page: Lpn) -> bool {
        let in_flash = self.map.flash_copy(page).is_some();
        if let Some(translation) = &mut self.translation {
            translation.counts.reads += u64::from(in_flash);
        }
        in_flash
    }

    /// Something else than a write of the host has changed where a page is.
    #[inline]
    pub(super) fn entry_changes(&mut self, lpn: Lpn) {
        if self.translation.is_some() {
            self.note_changed_entry(lpn);
        }
    }

    #[cold]
    #[inline(never)]
    fn note_changed_entry(&mut self, lpn: Lpn) {
        let Some(translation) = &mut self.translation else { return };
        let pages = translation.pages();
        // Where translation pages are is in memory.
        if !pages.has(lpn) && !self.policies.mapping_cache.change(lpn) {
            translation.note_outdated(pages.page_of(lpn));
        }
    }

    /// The translation pages that must be brought up to date before anything is looked up: they are, from now on.
    pub(crate) fn take_outdated(&mut self) -> Vec<Lpn> {
        let Some(translation) = &mut self.translation else { return Vec::new() };
        let taken = translation.take_outdated();
        for page in &taken {
            self.policies.mapping_cache.written(translation.pages().index(*page));
        }
        taken
    }

    /// Without time: the host writes a page, whose entry is looked up.
    #[cold]
    pub(super) fn look_up_now(&mut self, lpn: Lpn) {
        for page in self.take_outdated() {
            self.begin_translation_read(page);
            self.write_page_now(page);
        }
        let (read, write_back) = self.look_up(lpn, true);
        if let Some(page) = write_back {
            if !self.holds_whole_translation_pages() {
                self.begin_translation_read(page);
            }
            self.write_page_now(page);
        }
        if let Some(page) = read {
            self.begin_translation_read(page);
        }
    }
}
