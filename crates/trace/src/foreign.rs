//! Files that people take for traces and that hold none, or hold one inside: known by how they begin, to say what they
//! are instead of what is wrong with their first line.

use std::fmt::Write;

/// The beginning of a tar archive's first entry: the name of a file; and where its magic word stands.
const TAR_MAGIC: (usize, &[u8]) = (257, b"ustar");

/// Beginnings, and what a file that has it is.
const BEGINNINGS: [(&[u8], &str); 7] = [
    (
        b"version https://git-lfs",
        "is a git-LFS pointer, not the file it stands for; fetch that with git lfs pull",
    ),
    (b"PK\x03\x04", "is a ZIP archive; unpack it, and name one file in it"),
    (b"7z\xBC\xAF\x27\x1C", "is a 7-Zip archive; unpack it, and name one file in it"),
    (b"Rar!\x1A\x07", "is a RAR archive; unpack it, and name one file in it"),
    (b"\x04\x22\x4D\x18", "is packed with LZ4, which is not read here; unpack it, or pack it with zstd"),
    (b"\x1F\x9D", "is packed with compress (.Z), which is not read here; unpack it, or pack it with zstd"),
    (b"SQLite format 3\0", "is an SQLite database; write its requests to a table first"),
];

/// What a file with this beginning is instead of a trace, and what to do about it.
pub(crate) fn recognise(head: &[u8]) -> Option<String> {
    let (at, magic) = TAR_MAGIC;
    if head.get(at..).is_some_and(|rest| rest.starts_with(magic)) {
        let name: String =
            String::from_utf8_lossy(&head[..at.min(100)]).chars().take_while(|c| *c != '\0').collect();
        let name: String = name.chars().filter(|c| !c.is_control()).collect();
        return Some(format!(
            "is a tar archive, whose first entry is called {name}; unpack it (tar -xf), and name one file \
             in it"
        ));
    }
    if let Some((_, told)) = BEGINNINGS.iter().find(|(begins, _)| head.starts_with(begins)) {
        return Some((*told).to_owned());
    }
    if is_web_page(head) {
        return Some("is a web page, not a trace; was a page that leads to the file downloaded?".to_owned());
    }
    utf_16(head).map(|name| format!("is {name} text; make it UTF-8, as with iconv -f {name} -t UTF-8"))
}

fn is_web_page(head: &[u8]) -> bool {
    let start = head.trim_ascii_start();
    [&b"<!doctype html"[..], b"<html"]
        .iter()
        .any(|tag| start.get(..tag.len()).is_some_and(|beginning| beginning.eq_ignore_ascii_case(tag)))
}

/// The name of the encoding, if the text is of two bytes a character: a byte order mark or none, then printable ASCII
/// with a zero before or behind each.
fn utf_16(head: &[u8]) -> Option<&'static str> {
    const LOOKED_AT: usize = 64;
    const LEAST: usize = 8;
    let text =
        [&b"\xFF\xFE"[..], b"\xFE\xFF"].iter().find_map(|mark| head.strip_prefix(*mark)).unwrap_or(head);
    let text = &text[..text.len().min(LOOKED_AT) & !1];
    let printable = |byte: u8| matches!(byte, b'\t' | b'\r' | b'\n' | b' '..=b'~');
    let all = |low: usize| {
        text.len() >= LEAST && text.chunks_exact(2).all(|pair| printable(pair[low]) && pair[1 - low] == 0)
    };
    if all(0) { Some("UTF-16LE") } else { all(1).then_some("UTF-16BE") }
}

/// Whether there are bytes that no text has.
pub(crate) fn is_binary(head: &[u8]) -> bool {
    head.contains(&0)
}

/// The first bytes of a file that is no text, for a message.
pub(crate) fn first_bytes(head: &[u8]) -> String {
    const SHOWN: usize = 16;
    head.iter().take(SHOWN).fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{}{byte:02x}", if text.is_empty() { "" } else { " " });
        text
    })
}
