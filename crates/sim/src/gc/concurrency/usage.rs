//! How full the flash is, for limits that depend on it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::JobsView;
use crate::settings::Ratio;

/// Which pages are in use.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Usage {
    /// All that were programmed and not erased since, valid or not.
    #[default]
    Programmed,
    /// Those that hold valid data. Deletes lower it just when they make victims.
    Valid,
}

impl Usage {
    /// Number of pages in use.
    pub(super) fn pages(self, view: &JobsView<'_>) -> u64 {
        match self {
            Self::Programmed => view.used_pages,
            Self::Valid => view.valid_pages,
        }
    }

    /// Whether at least this share of `pages`, all of the drive's, is in use.
    pub(super) fn is_at_least(self, share: Ratio, pages: u64, view: &JobsView<'_>) -> bool {
        u128::from(self.pages(view)) * 1_000_000 >= u128::from(share.ppm) * u128::from(pages)
    }
}
