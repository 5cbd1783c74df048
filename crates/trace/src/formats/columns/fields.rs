//! The fields of a table's line, between separators.

/// The separator between two fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::formats) enum Separator {
    /// Exactly this byte, as a comma or a tabulator.
    Byte(u8),
    /// Any number of blanks and tabulators.
    Blanks,
}

/// The text before the next separator; `None` when the line is used up. Blanks around a field are not part of it.
#[inline]
pub(super) fn next_field<'a>(rest: &mut Option<&'a [u8]>, separator: Separator) -> Option<&'a [u8]> {
    let line = (*rest)?;
    match separator {
        Separator::Byte(byte) => {
            let (field, after) = match memchr::memchr(byte, line) {
                Some(at) => (&line[..at], Some(&line[at + 1..])),
                None => (line, None),
            };
            *rest = after;
            Some(field.trim_ascii())
        }
        Separator::Blanks => {
            let line = line.trim_ascii_start();
            let length = line.iter().position(|byte| matches!(byte, b' ' | b'\t')).unwrap_or(line.len());
            if length == 0 {
                *rest = None;
                return None;
            }
            *rest = Some(&line[length..]);
            Some(&line[..length])
        }
    }
}

/// A field without the quotation marks that some programs put around every field.
#[inline]
pub(super) fn unquoted(field: &[u8]) -> &[u8] {
    match field {
        [b'"', inner @ .., b'"'] => inner,
        _ => field,
    }
}
