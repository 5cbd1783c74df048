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
            let closed = quoted(line, |after| after.first().is_none_or(|next| *next == byte));
            let from = closed.unwrap_or(0);
            let found = memchr::memchr(byte, &line[from..]).map(|at| from + at);
            let (field, after) = match found {
                Some(at) => (&line[..at], Some(&line[at + 1..])),
                None => (line, None),
            };
            *rest = after;
            Some(field.trim_ascii())
        }
        Separator::Blanks => {
            let line = line.trim_ascii_start();
            let closed = quoted(line, |after| after.first().is_none_or(|next| matches!(next, b' ' | b'\t')));
            let unquoted = || line.iter().position(|byte| matches!(byte, b' ' | b'\t')).unwrap_or(line.len());
            let length = closed.unwrap_or_else(unquoted);
            if length == 0 {
                *rest = None;
                return None;
            }
            *rest = Some(&line[length..]);
            Some(&line[..length])
        }
    }
}

/// Where a field between quotation marks ends, behind the second: separators between them are part of it, and so is a
/// quotation mark that is doubled. `None` if the line does not begin with such a field; `ends` says whether what stands
/// behind a mark may follow a field.
#[inline]
fn quoted(line: &[u8], ends: impl Fn(&[u8]) -> bool) -> Option<usize> {
    let start = line.len() - line.trim_ascii_start().len();
    if line.get(start) != Some(&b'"') {
        return None;
    }
    let mut at = start + 1;
    while let Some(found) = memchr::memchr(b'"', &line[at..]) {
        at += found + 1;
        match line.get(at) {
            Some(b'"') => at += 1,
            _ if ends(&line[at..]) || ends(line[at..].trim_ascii_start()) => return Some(at),
            _ => {}
        }
    }
    None
}

/// A field without the quotation marks that some programs put around every field.
#[inline]
pub(super) fn unquoted(field: &[u8]) -> &[u8] {
    match field {
        [b'"', inner @ .., b'"'] => inner,
        _ => field,
    }
}
