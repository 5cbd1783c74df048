//! Writes and trims that live as long as those of another trace: which zone of the space is written when, and what a
//! request replaces there.
//!
//! Victim policies see when a page dies and what lies beside it. So the space is cut into zones that are written alike
//! over time ([`fit`]), time into slots, and each slot says how many requests go to which zone: what is written
//! together lies together, and phases stay phases. Within a zone a request replaces what its law says: what is young or
//! old in the order of writing ([`space`]), an extent of its own size or a part of one, new space, the end of a stream
//! ([`law`]). All counts are met exactly; which request of a slot comes when is random ([`play`]).

mod fit;
mod follow;
mod law;
mod places;
mod play;
mod pool;
mod recent;
mod space;
mod stack;
mod streams;
mod text;

pub(crate) use fit::fit;
pub(in crate::generate) use play::{Move, Play};
pub(in crate::generate) use text::{counts, parse};

/// Space is counted in units of so many bytes.
pub(super) const UNIT: u64 = 4096;

/// Operations with a place: writes and trims have a law each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(in crate::generate) enum Kind {
    Write = 0,
    Trim = 1,
}
