//! Placement by level and history: data is expected to live as long as that which it replaces did.

use super::levels::{CONFLICTS, LEVELS_OFF, Levels, ON_WANTED_LEVEL, Parameters};
use super::{Build, Placement};
use crate::ids::Lpn;
use crate::metric::Reading;
use crate::registry::{Member, ParameterSpec, parameters};

pub const MEMBER: Member<Build> = Member {
    name: "level-by-history",
    about: "the open block with the wanted page level: lifetimes as of the data that is replaced",
    parameters: &ParameterSpec::of::<Parameters>(),
    conflicts: CONFLICTS,
    metrics: &[ON_WANTED_LEVEL, LEVELS_OFF],
    build: |choice, context| {
        let levels = Levels::new(&parameters(choice), context)?;
        let pages = vec![Page::default(); context.geometry.logical_pages as usize];
        Ok(Box::new(LevelByHistory { levels, pages, now: 0 }))
    },
};

/// What is known of a logical page, in pages that the host has written to the drive; modulo 2^32.
#[derive(Debug, Clone, Copy, Default)]
struct Page {
    /// When it was written last; 0 if it holds nothing.
    written: u32,
    /// How long its data lived before; 0 if it never had other data.
    lived: u32,
}

struct LevelByHistory {
    levels: Levels,
    pages: Vec<Page>,
    /// Pages that the host has written.
    now: u32,
}

impl LevelByHistory {
    fn ends(&mut self, lpn: Lpn) {
        let page = &mut self.pages[lpn.index()];
        if page.written != 0 {
            page.lived = self.now.wrapping_sub(page.written).max(1);
            page.written = 0;
        }
    }
}

impl Placement for LevelByHistory {
    fn open_blocks(&self) -> Option<u32> {
        Some(self.levels.open_blocks())
    }

    fn on_write(&mut self, lpn: Lpn) {
        // 0 means never.
        self.now = self.now.checked_add(1).unwrap_or(1);
        self.ends(lpn);
        self.pages[lpn.index()].written = self.now;
    }

    fn on_trim(&mut self, lpn: Lpn) {
        self.ends(lpn);
    }

    fn choose(&mut self, lpn: Lpn, next_levels: &[u32]) -> usize {
        let lived = self.pages[lpn.index()].lived;
        self.levels.choose((lived != 0).then_some(u64::from(lived)), next_levels)
    }

    fn bytes(&self) -> u64 {
        size_of_val(&*self.pages) as u64
    }

    fn save(&self) -> Vec<u8> {
        let pages = self.pages.iter().flat_map(|page| [page.written, page.lived]);
        let words = std::iter::once(self.now).chain(pages);
        words.flat_map(u32::to_le_bytes).chain(self.levels.save()).collect()
    }

    fn load(&mut self, state: &[u8]) -> bool {
        let length = 4 * (1 + 2 * self.pages.len());
        let Some((words, levels)) = state.split_at_checked(length) else { return false };
        let mut words = words.chunks_exact(4).map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]]));
        self.now = words.next().unwrap_or(0);
        for page in &mut self.pages {
            *page = Page { written: words.next().unwrap_or(0), lived: words.next().unwrap_or(0) };
        }
        self.levels.load(levels)
    }

    fn metrics(&self) -> Vec<Reading> {
        self.levels.metrics()
    }
}
