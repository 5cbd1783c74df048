//! Who asks a network first when something of it has become free: those who wait, or whoever comes at that instant.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Sharing;

/// Who asks first at an instant at which dies that wait are served; `docs/model.md`, 12.13.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Order {
    /// Whoever comes asks at once, even if others are about to be served.
    #[default]
    NewcomersFirst,
    /// Whoever comes then joins its line, and is served in its turn.
    WaitingFirst,
}

impl Order {
    /// How dies share a network of which each needs something else.
    pub(super) fn sharing(self) -> Sharing {
        Sharing { others_may_try: true, waiting_first: self == Self::WaitingFirst, ..Sharing::default() }
    }
}

/// Alternatives of the key, for every network that has it.
pub(super) const ORDERS: &[&str] = &["newcomers-first", "waiting-first"];

/// Why there are two.
pub(super) const ORDER_IS_READ: &str =
    "Venice is said to serve requests first come, first served, and not whether that holds across paths.";
