//! How often pages have been copied back without a check by the controller's ECC. Bit errors that a copyback carries
//! along add up, so there can be a limit after which a page must go through the controller.

use crate::flash::Geometry;
use crate::ids::Ppn;
use crate::metric::Metric;

pub(super) const CHECKED: Metric = Metric {
    name: "checked_pages",
    unit: "pages",
    about: "Pages that went through the controller because one of their unit had been copied back as \
            often as max_consecutive_copybacks allows.",
};

/// Of each physical page: copybacks since its data was programmed over the channel last.
#[derive(Debug)]
pub struct Copies {
    limit: Option<u8>,
    of_page: Vec<u8>,
}

impl Copies {
    /// With a limit, or without: nothing is counted then.
    ///
    /// # Errors
    /// When the limit is 0.
    pub(super) fn new(limit: Option<u8>, geometry: &Geometry) -> Result<Self, String> {
        if limit == Some(0) {
            let instead = "at least 1, or gc.relocation.kind = \"controller\" for none";
            return Err(format!("max_consecutive_copybacks 0: {instead}"));
        }
        let pages = if limit.is_some() { geometry.pages() as usize } else { 0 };
        Ok(Self { limit, of_page: vec![0; pages] })
    }

    /// Without a limit.
    pub(super) fn unlimited() -> Self {
        Self { limit: None, of_page: Vec::new() }
    }

    /// Whether anything is counted.
    pub(crate) fn count(&self) -> bool {
        self.limit.is_some()
    }

    /// Whether a page must go through the controller.
    #[inline]
    pub(super) fn is_due(&self, page: Ppn) -> bool {
        self.limit.is_some_and(|limit| self.of_page[page.index()] >= limit)
    }

    /// Whether one of some pages must.
    pub(super) fn are_due(&self, pages: &[Ppn]) -> bool {
        self.limit.is_some() && pages.iter().any(|page| self.is_due(*page))
    }

    /// A page was copied back.
    pub(crate) fn copied(&mut self, from: Ppn, to: Ppn) {
        self.of_page[to.index()] = self.of_page[from.index()].saturating_add(1);
    }

    /// Pages were erased; what is programmed into them next comes over the channel, or is copied back.
    pub(crate) fn erased(&mut self, first: Ppn, pages: u32) {
        self.of_page[first.index()..first.index() + pages as usize].fill(0);
    }

    /// For a snapshot.
    pub(super) fn save(&self) -> &[u8] {
        &self.of_page
    }

    /// Takes up a saved state. Tells whether it was understood.
    pub(super) fn load(&mut self, state: &[u8]) -> bool {
        let fits = state.len() == self.of_page.len();
        if fits {
            self.of_page.copy_from_slice(state);
        }
        fits
    }
}
