//! The fields of a blkparse event that say what a request does and where.

use crate::Op;
use crate::cursor::Cursor;
use crate::error::excerpt;

/// The flags that blkparse and the kernel call RWBS.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Rwbs {
    /// Whether everything written before must be durable first, or nothing else is asked.
    pub(super) flush: bool,
    /// What is done with the sectors, if anything.
    pub(super) op: Option<Op>,
}

impl Rwbs {
    /// An optional F (flush first), one letter for the operation, then letters for how it is done. Kernels before
    /// 2.6.37 write a B there, for a barrier: what was written before must be durable first, as with F.
    #[inline]
    pub(super) fn parse(flags: &[u8]) -> Result<Self, String> {
        let (flush, rest) = match flags {
            [b'F', rest @ ..] => (true, rest),
            _ => (false, flags),
        };
        let (op, hints) = match rest {
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
            Ok(Self { flush: flush || hints.contains(&b'B'), op })
        } else {
            Err(unknown(flags))
        }
    }
}

#[cold]
fn unknown(flags: &[u8]) -> String {
    format!(
        "unknown RWBS flags \"{}\"; valid: R, W, D (discard), DE, N or F (flush), after an optional F \
         (flush first), followed by any of F, A, B (barrier), S, M, U",
        excerpt(flags)
    )
}

/// What follows the flags.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Payload {
    /// `first + count [command]`, or only `[command]`, which is how blkparse prints a request without sectors.
    Sectors { first: u64, count: u64 },
    /// `bytes (command block in hexadecimal) [command]`: a device command that went past the block layer.
    Passthrough,
}

impl Payload {
    #[inline]
    pub(super) fn parse(rest: &[u8]) -> Result<Self, String> {
        let mut cursor = Cursor::new(rest.trim_ascii_end());
        match cursor.peek() {
            Some(b'[') => return closed(cursor, Self::Sectors { first: 0, count: 0 }),
            // The completion of a command is printed without a sector before its bytes.
            Some(b'(') => return closed(cursor, Self::Passthrough),
            _ => {}
        }
        let first = cursor.number().map_err(|fault| fault.of("the start sector"))?;
        cursor.blanks();
        if matches!(cursor.peek(), Some(b'[' | b'(')) {
            return closed(cursor, Self::Passthrough);
        }
        if !(cursor.eat(b'+') && cursor.blanks()) {
            return Err("the start sector is not followed by \"+ sectors\"".to_owned());
        }
        let count = cursor.number().map_err(|fault| fault.of("the number of sectors"))?;
        if !cursor.blanks() {
            return Err("the line ends before the command in brackets".to_owned());
        }
        closed(cursor, Self::Sectors { first, count })
    }
}

/// `payload`, if the line ends as it should: `[command]`, before it perhaps something in parentheses (how long the
/// previous step took, or the bytes of a passed-through command).
#[inline]
fn closed(mut cursor: Cursor, payload: Payload) -> Result<Payload, String> {
    if cursor.eat(b'(') {
        cursor.until(b')');
        cursor.blanks();
    }
    match cursor.rest() {
        [b'[', .., b']'] => Ok(payload),
        _ => Err("the line does not end with the command in brackets".to_owned()),
    }
}
