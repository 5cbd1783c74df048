//! The fields of a blkparse event that say where a request goes.

use crate::cursor::Cursor;

/// What follows the flags.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Payload {
    /// `first + count [command]`, or only `[command]`, which is how blkparse prints a request without sectors.
    /// Newer ones print the priority of the request before it.
    Sectors { first: u64, count: u64 },
    /// `bytes (command block in hexadecimal) [command]`: a device command that went past the block layer.
    Passthrough,
}

impl Payload {
    #[inline]
    pub(super) fn parse(rest: &[u8]) -> Result<Self, String> {
        let mut cursor = Cursor::new(rest.trim_ascii_end());
        if matches!(cursor.peek(), Some(first) if first.is_ascii_alphabetic()) {
            cursor.word();
            cursor.blanks();
        }
        match cursor.peek() {
            Some(b'[') => return closed(cursor, Self::Sectors { first: 0, count: 0 }),
            // The completion of a command is printed without a sector before its bytes.
            Some(b'(') => return closed(cursor, Self::Passthrough),
            _ => {}
        }
        let mut first = cursor.number().map_err(|fault| fault.of("the start sector"))?;
        cursor.blanks();
        if matches!(cursor.peek(), Some(b'0'..=b'9')) {
            // What came before the sector was a priority.
            first = cursor.number().map_err(|fault| fault.of("the start sector"))?;
            cursor.blanks();
        }
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
