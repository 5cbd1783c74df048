//! The flags of a request, as the kernel and blkparse print them.

use crate::Op;
use crate::error::excerpt;

/// The flags that blkparse and the kernel call RWBS.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::formats) struct Rwbs {
    /// Whether everything written before must be durable first, or nothing else is asked.
    pub(in crate::formats) flush: bool,
    /// What is done with the sectors, if anything.
    pub(in crate::formats) op: Option<Op>,
    /// A write to a zone, whose place the drive chooses.
    pub(in crate::formats) appends: bool,
    /// A command for zones that moves no data; its sectors say which zone.
    pub(in crate::formats) manages: bool,
}

impl Rwbs {
    /// An optional F (flush first), one letter for the operation, or Z and one, then letters for how it is done.
    /// Kernels before 2.6.37 write a B there, for a barrier: what was written before must be durable first, as with F.
    #[inline]
    pub(in crate::formats) fn parse(flags: &[u8]) -> Result<Self, String> {
        let (flush, rest) = match flags {
            [b'F', rest @ ..] => (true, rest),
            _ => (false, flags),
        };
        let (mut appends, mut manages) = (false, false);
        let (op, hints) = match rest {
            [b'Z', b'A', hints @ ..] => {
                appends = true;
                (Some(Op::Write), hints)
            }
            // A zone that is reset holds nothing; opened, closed or finished it holds what it did. All zones at once
            // (ZRA) have no address.
            [b'Z', b'R', hints @ ..] if hints.first() != Some(&b'A') => (Some(Op::Trim), hints),
            [b'Z', b'O' | b'C' | b'F', hints @ ..] => {
                manages = true;
                (None, hints)
            }
            [b'R', hints @ ..] => (Some(Op::Read), hints),
            [b'W', hints @ ..] => (Some(Op::Write), hints),
            // An E after it makes the discard a secure erase.
            [b'D', b'E', hints @ ..] | [b'D', hints @ ..] => (Some(Op::Trim), hints),
            // The kernel writes a flush request as FF or F, blkparse as FN.
            [b'F' | b'N', hints @ ..] => (None, hints),
            [] if flush => (None, rest),
            _ => return Err(unknown(flags)),
        };
        // Force unit access, ahead of need, synchronous, metadata, untorn: how, not what.
        if hints.iter().all(|hint| matches!(hint, b'F' | b'A' | b'B' | b'S' | b'M' | b'U')) {
            Ok(Self { flush: flush || hints.contains(&b'B'), op, appends, manages })
        } else {
            Err(unknown(flags))
        }
    }
}

#[cold]
fn unknown(flags: &[u8]) -> String {
    format!(
        "unknown RWBS flags \"{}\"; valid: R, W, D (discard), DE, N or F (flush), ZA (zone append), ZR, ZO, \
         ZC, ZF (zone reset, open, close, finish), after an optional F (flush first), followed by any of \
         F, A, B (barrier), S, M, U",
        excerpt(flags)
    )
}
