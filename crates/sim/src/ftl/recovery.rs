//! What a controller rebuilds of stripes from flash alone after a power cut. `docs/model.md`, 8.9a.
//!
//! A write of a stripe programs several pages on several chips, and a cut may come between them: the write hole. It is
//! closed by what parity says of itself (`parity_names.rs`): the newest parity of which every page that it names is in
//! flash is that of the last write that ended.

use crate::flash::Stripes;
use crate::ids::{Lpn, Ppn};
use crate::mapping::{Mapping, Place};

use super::versions::{Sorted, Versions, made_up};

/// What recovery finds, over all stripes.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Recovered {
    /// Stripes of whose write under way some pages, but not all, have been programmed.
    pub(crate) torn_stripes: u32,
    /// Pages that were trimmed, and are there again.
    pub(crate) revived_pages: u32,
}

impl Versions {
    /// Recover every stripe from the pages of flash that survive, and compare with what was acknowledged.
    ///
    /// # Errors
    /// When a stripe comes back otherwise than it was acknowledged, or its parity does not fit.
    pub(crate) fn recover_stripes(
        &mut self,
        map: &Mapping,
        stripes: &Stripes,
        erasing: &[Ppn],
    ) -> Result<Recovered, String> {
        let mut sorted = std::mem::take(&mut self.sorted);
        self.sort_by_stripe(map, stripes, erasing, &mut sorted);
        let mut found = Recovered::default();
        let mut from = 0;
        for stripe in 0..stripes.count() {
            let to = sorted.ends[stripe as usize] as usize;
            found.torn_stripes += u32::from(stripes.members(stripe).any(|lpn| has_landed(map, lpn)));
            found.revived_pages += self.recover(map, stripes, stripe, &sorted.pages[from..to])?;
            from = to;
        }
        self.sorted = sorted;
        Ok(found)
    }

    fn sort_by_stripe(&self, map: &Mapping, stripes: &Stripes, erasing: &[Ppn], sorted: &mut Sorted) {
        let survives = |page: Ppn| {
            !erasing.iter().any(|first| (first.0..first.0 + self.pages_per_block).contains(&page.0))
        };
        let of_data = || {
            let all = (0..self.flash.len() as u32).map(Ppn);
            all.filter(|page| self.is_programmed(*page) && self.in_flash(*page) > 0 && survives(*page))
        };
        sorted.ends.clear();
        sorted.ends.resize(stripes.count() as usize + 1, 0);
        for page in of_data() {
            sorted.ends[stripes.stripe_of(map.owner(page)) as usize + 1] += 1;
        }
        for stripe in 1..sorted.ends.len() {
            sorted.ends[stripe] += sorted.ends[stripe - 1];
        }
        sorted.pages.clear();
        sorted.pages.resize(sorted.ends[stripes.count() as usize] as usize, Ppn::NONE);
        for page in of_data() {
            // Where a stripe's pages begin moves on to where they end.
            let at = &mut sorted.ends[stripes.stripe_of(map.owner(page)) as usize];
            sorted.pages[*at as usize] = page;
            *at += 1;
        }
    }

    /// One stripe, from its pages in flash: how many trimmed pages come back.
    fn recover(&self, map: &Mapping, stripes: &Stripes, stripe: u32, pages: &[Ppn]) -> Result<u32, String> {
        let holds = |lpn: Lpn, version: u32| {
            pages.iter().copied().find(|page| map.owner(*page) == lpn && self.in_flash(*page) == version)
        };
        let is_whole = |parity: &Ppn| {
            let named = self.names.as_ref().and_then(|names| names.of(*parity));
            named.is_some_and(|named| {
                stripes
                    .data(stripe)
                    .zip(named)
                    .all(|(lpn, version)| *version == 0 || holds(lpn, *version).is_some())
            })
        };
        let parity = stripes.parity_of(stripe);
        let whole = pages.iter().filter(|page| map.owner(**page) == parity).filter(|page| is_whole(page));
        let newest = whole.max_by_key(|page| self.in_flash(**page)).copied();
        let named = newest.and_then(|page| self.names.as_ref().and_then(|names| names.of(page)));
        let (mut revived, mut sum) = (0, newest.map_or(0, |page| self.content(page)));
        for (at, lpn) in stripes.data(stripe).enumerate() {
            let version = named.map_or(0, |named| named[at]);
            let acknowledged = self.acknowledged(lpn);
            if acknowledged > 0 && version != acknowledged {
                return Err(format!(
                    "after a power cut stripe {stripe} has version {version} of {lpn:?}, but \
                     {acknowledged} was acknowledged"
                ));
            }
            let content = holds(lpn, version).map_or(0, |page| self.content(page));
            if version > 0 && content != made_up(lpn, version) {
                return Err(format!("after a power cut {lpn:?} holds something else than was written"));
            }
            revived += u32::from(version > acknowledged);
            sum ^= content;
        }
        if sum != 0 {
            return Err(format!("after a power cut the parity of stripe {stripe} does not fit its data"));
        }
        Ok(revived)
    }
}

/// Whether a page of a stripe that is being written has been programmed in its new version.
fn has_landed(map: &Mapping, lpn: Lpn) -> bool {
    matches!(map.place(lpn), Place::Buffer(slot) if map.new_copy(slot).is_some())
}
