//! Pages of flash that hold the mapping itself, where it does not all lie in memory.

use crate::ids::Lpn;
use crate::registry::parameters;
use crate::settings::{CachedMapping, Config, ConfigError};

/// The translation pages of a drive: stored as pages are, with the numbers behind those of the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TranslationPages {
    /// Number of the first one.
    first: u32,
    /// How many there are.
    pub count: u32,
    /// Number of pages of the user whose places each of them holds.
    pub entries: u32,
}

impl TranslationPages {
    /// Those of a drive with so many pages of the user, if it has any.
    ///
    /// # Errors
    /// When an entry is larger than a page.
    pub(super) fn new(
        config: &Config,
        user_pages: u32,
        page_bytes: u32,
    ) -> Result<Option<Self>, ConfigError> {
        let choice = &config.ftl.mapping_cache;
        if choice.kind == "all" {
            return Ok(None);
        }
        let CachedMapping { entry, .. } = parameters(choice);
        let entries = u64::from(page_bytes).checked_div(entry.0).unwrap_or(0) as u32;
        if entries == 0 {
            let reason = format!("{entry}; from 1B to a page, {page_bytes}B");
            return Err(ConfigError::at("ftl.mapping_cache.entry", &reason));
        }
        Ok(Some(Self { first: user_pages, count: user_pages.div_ceil(entries), entries }))
    }

    /// Whether a page is one of them.
    #[inline]
    pub fn has(&self, lpn: Lpn) -> bool {
        lpn.0 >= self.first
    }

    /// The one that says where a page of the user is.
    #[inline]
    pub fn page_of(&self, lpn: Lpn) -> Lpn {
        Lpn(self.first + lpn.0 / self.entries)
    }

    /// Its number among them.
    #[inline]
    pub fn index(&self, page: Lpn) -> u32 {
        page.0 - self.first
    }

    /// The page of that number among them.
    #[inline]
    pub fn page(&self, index: u32) -> Lpn {
        Lpn(self.first + index)
    }
}
