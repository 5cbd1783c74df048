//! Pages of flash by the stripe that they belong to.

use crate::ids::Ppn;

/// Pages of flash by the stripe that they belong to: made anew at each cut, in memory that is kept.
#[derive(Debug, Clone, Default)]
pub(super) struct Sorted {
    /// By stripe: where its pages end in `pages`.
    pub(super) ends: Vec<u32>,
    /// All of them, stripe by stripe.
    pub(super) pages: Vec<Ppn>,
}
