//! Where a key of a TOML text stands: the parser has read it, and knows.

use toml::de::{DeTable, DeValue};

/// A step down from a table or a list of a TOML text.
#[derive(Debug, Clone, Copy)]
pub enum Step<'a> {
    /// A key. One with dots is meant as it is, in quotes, or as the keys that it is made of.
    Key(&'a str),
    /// An entry of a list, counted from 0.
    Entry(usize),
}

/// A place in a TOML text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Counted from 1.
    pub line: usize,
    /// Whether what was looked for is not there, and this is the nearest above it.
    pub above: bool,
}

/// The place of what a path leads to, or of the nearest above it; `None` if not even its first step is there.
///
/// ```
/// use reclaim_trace::toml_place::{Step, toml_place};
///
/// let text = "name = \"x\"\n[[schemes]]\nname = \"a\"\n[[schemes]]\nset = [\n  1,\n  2,\n]\n";
/// let line = |path: &[Step]| toml_place(text, path.iter().copied()).map(|place| (place.line, place.above));
/// let (schemes, second) = (Step::Key("schemes"), Step::Entry(1));
/// assert_eq!(line(&[schemes, second]), Some((4, false)));
/// assert_eq!(line(&[schemes, second, Step::Key("set"), Step::Entry(1)]), Some((7, false)));
/// assert_eq!(line(&[schemes, second, Step::Key("name")]), Some((4, true)));
/// assert_eq!(line(&[Step::Key("axes")]), None);
/// ```
pub fn toml_place<'a>(text: &str, path: impl IntoIterator<Item = Step<'a>>) -> Option<Place> {
    let document = DeTable::parse(text).ok()?;
    let mut inside = Inside::Table(document.get_ref());
    let (mut offset, mut above) = (None, false);
    for step in path {
        let next = match (step, inside) {
            (Step::Key(key), Inside::Table(table)) => in_table(table, key),
            (Step::Entry(at), Inside::List(list)) => {
                list.get(at).map(|entry| (entry.span().start, entry.get_ref()))
            }
            // A value has nothing inside: what is said of it is said there.
            _ => break,
        };
        let Some((start, value)) = next else {
            above = true;
            break;
        };
        offset = Some(start);
        inside = match value {
            DeValue::Table(table) => Inside::Table(table),
            DeValue::Array(list) => Inside::List(list),
            _ => Inside::Nothing,
        };
    }
    offset.map(|offset| Place { line: line_at(text, offset), above })
}

#[derive(Clone, Copy)]
enum Inside<'a, 'text> {
    Table(&'a DeTable<'text>),
    List(&'a [toml::Spanned<DeValue<'text>>]),
    Nothing,
}

/// Where a key of a table begins, and its value.
fn in_table<'a, 'text>(table: &'a DeTable<'text>, key: &str) -> Option<(usize, &'a DeValue<'text>)> {
    let exactly = |key: &str| table.iter().find(|(name, _)| name.get_ref() == key);
    if let Some((name, value)) = exactly(key) {
        return Some((name.span().start, value.get_ref()));
    }
    key.match_indices('.').find_map(|(dot, _)| match exactly(&key[..dot])?.1.get_ref() {
        DeValue::Table(inner) => in_table(inner, &key[dot + 1..]),
        _ => None,
    })
}

/// The line, counted from 1, on which a byte of a text is.
pub fn line_at(text: &str, offset: usize) -> usize {
    text[..offset.min(text.len())].matches('\n').count() + 1
}
