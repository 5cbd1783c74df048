//! Which columns a table's own header names, as far as the names tell: the `--columns` that would fit.

use std::fmt::Write;

use super::columns::{LEAST, SEPARATORS, is_comment, trial};
use super::doubtful_times::unit_of_this_century;
use crate::error::excerpt;

mod cells;

/// What a column can be, with the words of a header that say so: the sooner in the list, the surer.
const ROLES: [(&str, &[&str]); 5] = [
    (
        "time",
        &[
            "timestamp",
            "time",
            "arrival",
            "ts",
            "date",
            "when",
            "clock",
            "start",
            "issue",
            "issued",
            "t",
            "datetime",
            "arrived",
            "submit",
            "submitted",
            "begin",
            "epoch",
        ],
    ),
    (
        "op",
        &[
            "op",
            "opcode",
            "operation",
            "rw",
            "rwbs",
            "ddir",
            "direction",
            "opname",
            "cmd",
            "command",
            "iotype",
            "type",
            "kind",
            "action",
            "dir",
            "access",
            "mode",
            "rwflag",
            "request",
            "io",
            "readwrite",
            "iswrite",
            "write",
        ],
    ),
    (
        "offset",
        &[
            "offset", "lba", "lbn", "slba", "address", "addr", "lpn", "sector", "blkno", "position", "pos",
            "block", "blk", "page",
        ],
    ),
    (
        "size",
        &[
            "size", "length", "len", "nbytes", "nsectors", "nsector", "nlb", "nblocks", "nblk", "bytes",
            "sectors", "blocks", "pages", "bs", "count", "num", "nr",
        ],
    ),
    ("device", &["device", "dev", "disk", "volume", "lun", "drive", "disknumber", "volumeid", "deviceid"]),
];

/// Places in that list.
const TIME: usize = 0;
const SIZE: usize = 3;

/// Words of columns that hold something else, whatever other words their names have.
const OTHER: [&str; 15] = [
    "response",
    "resp",
    "latency",
    "lat",
    "duration",
    "elapsed",
    "service",
    "complete",
    "completed",
    "completion",
    "end",
    "finish",
    "finished",
    "wait",
    "pid",
];

/// Rows of a table by which its columns are judged.
const LINES_LOOKED_AT: usize = 1000;

/// Units of time by the words of a header.
const TIMES: [(&str, &[&str]); 5] = [
    ("ns", &["ns", "nsec", "nsecs", "nanos", "nanosec", "nanosecs", "nanoseconds", "nanosecond"]),
    ("100ns", &["100ns", "filetime", "ticks"]),
    (
        "us",
        &[
            "us",
            "usec",
            "usecs",
            "micros",
            "microsec",
            "microsecs",
            "microseconds",
            "microsecond",
            "\u{b5}s",
            "\u{3bc}s",
            "\u{b5}sec",
            "\u{3bc}sec",
        ],
    ),
    ("ms", &["ms", "msec", "msecs", "millis", "millisec", "millisecs", "milliseconds", "millisecond"]),
    ("s", &["s", "sec", "secs", "seconds", "second"]),
];

/// Units of space by the words of a header.
const SPACES: [(&str, &[&str]); 4] = [
    ("bytes", &["bytes", "byte", "b", "nbytes"]),
    ("sectors", &["sectors", "sector", "lba", "slba", "lbn", "nsectors", "nsector", "nlb", "blkno"]),
    ("1KiB", &["kib", "kb"]),
    ("4KiB", &["lpn", "page", "pages"]),
];

/// What to do about a table whose first line, or whose first line below comments, names its columns, if one does: which
/// it names, and the option that says what they hold.
pub(super) fn advice(lines: &[&[u8]]) -> Option<String> {
    let filled: Vec<&[u8]> = lines.iter().copied().filter(|line| !line.trim_ascii().is_empty()).collect();
    let above = filled.iter().take_while(|line| is_comment(line)).count();
    // A header may begin as a comment does.
    let at = |skipped: usize| advice_on(filled.get(skipped..)?, skipped);
    at(0).or_else(|| at(above))
}

/// The same of lines below `skipped` others, the first of which may name the columns of the rest.
fn advice_on(lines: &[&[u8]], skipped: usize) -> Option<String> {
    let (line, below) = lines.split_first()?;
    let fields = |line: &[u8], separator: u8| -> Vec<String> {
        let fields = line.split(move |byte| *byte == separator).map(bare);
        let blanks = separator == b' ';
        fields.filter(|field| !blanks || !field.is_empty()).map(shown).collect()
    };
    let (names, separator, option) = SEPARATORS.into_iter().find_map(|(separator, option)| {
        let names = fields(line, separator);
        let fit = names.len() >= LEAST && names.iter().all(|name| is_name(name));
        // A sentence has words between blanks, too.
        let sure = separator != b' ' || roles(&names).iter().flatten().count() >= LEAST;
        (fit && sure).then_some((names, separator, option))
    })?;
    let below = &below[..below.len().min(LINES_LOOKED_AT)];
    let rows: Vec<Vec<String>> = below.iter().map(|line| fields(line, separator)).collect();
    let place = if skipped == 0 { "" } else { " below the comments" };
    let (told, columns) = said_of(&names, &rows, option, std::str::from_utf8(line).is_ok(), skipped);
    // What is advised is tried: a column may hold what its name does not tell.
    let refused = columns.and_then(|columns| {
        let separator = (separator != b',').then(|| char::from(separator).to_string());
        let lines = vec![&b"#"[..]; skipped].into_iter().chain([*line]).chain(below.iter().copied());
        trial(columns, separator, lines)
    });
    let refused = refused.map(|why| format!("; that much is not enough: {why}")).unwrap_or_default();
    Some(format!("\n  its first line{place} names the columns {}; {told}{refused}", names.join(", ")))
}

/// A field as text. What is no UTF-8 is taken for Latin-1, whose characters have the numbers of their bytes: there `µs`
/// is two bytes.
fn shown(field: &[u8]) -> String {
    match std::str::from_utf8(field) {
        Ok(_) => excerpt(field),
        Err(_) => excerpt(field.iter().map(|byte| char::from(*byte)).collect::<String>().as_bytes()),
    }
}

/// How to say what the columns of a table hold that calls them `names`.
pub(in crate::formats) fn said(names: &[String]) -> String {
    said_of(names, &[], "", true, 0).0
}

/// The same of a table below `skipped` lines with its first `rows`, and the columns alone, if each role has one; the
/// names can be asked for only where the file writes them in UTF-8.
fn said_of(
    names: &[String],
    rows: &[Vec<String>],
    separator: &str,
    in_utf_8: bool,
    skipped: usize,
) -> (String, Option<String>) {
    let held = roles(names);
    let mut doubts = Vec::new();
    let mut items: Vec<(usize, String)> = Vec::new();
    let mut missing = Vec::new();
    let mut one_of = String::new();
    for ((role, _), place) in ROLES.iter().zip(&held) {
        match place {
            Some(at) => {
                let cells: Vec<&str> =
                    rows.iter().filter_map(|row| row.get(*at).map(String::as_str)).collect();
                if let Some(first) = cells.first()
                    && *role == "device"
                    && cells.iter().any(|cell| cell != first)
                {
                    one_of = format!(" --trace-device {first}");
                }
                items.push((*at, item(role, &names[*at], &cells, &mut doubts)));
            }
            None if *role != "device" => missing.push(*role),
            None => {}
        }
    }
    items.sort();
    let columns = written(names, &items, &missing, in_utf_8, skipped);
    let is_plain = |each: char| each.is_alphanumeric() || "_:=,-./*".contains(each);
    let quote = if columns.chars().all(is_plain) { "" } else { "'" };
    let mut told = format!("say what they hold: --columns {quote}{columns}{quote}{separator}{one_of}");
    if !missing.is_empty() {
        let roles = missing.join(" and the ");
        let _ = write!(told, " (no name says which column is the {roles})");
    }
    if !doubts.is_empty() {
        let _ = write!(told, " (guessed, so check: {})", doubts.join(", "));
    }
    (told, missing.is_empty().then_some(columns))
}

/// A field without quotation marks and blanks around it.
fn bare(field: &[u8]) -> &[u8] {
    let field = field.trim_ascii();
    field.strip_prefix(b"\"").and_then(|field| field.strip_suffix(b"\"")).unwrap_or(field)
}

fn is_name(field: &str) -> bool {
    field.starts_with(|first: char| first.is_alphabetic() || "_#".contains(first))
        && !field.contains(|each: char| each.is_control())
}

/// The words of a name: `StartTime(us)` has three, and `timestampms` two.
fn words(name: &str) -> Vec<String> {
    let mut found = Vec::new();
    for word in parts(name) {
        match unit_behind(&word) {
            Some((before, unit)) => found.extend([before.to_owned(), unit.to_owned()]),
            None => found.push(word),
        }
    }
    found
}

/// A word that is one of a role with a unit behind it, taken apart. A single letter may belong to the word: `times` is
/// no time in seconds.
fn unit_behind(word: &str) -> Option<(&str, &'static str)> {
    let is_known = |word: &str| ROLES.iter().any(|(_, known)| known.contains(&word));
    let units = TIMES.iter().chain(&SPACES).flat_map(|(_, units)| *units).filter(|unit| unit.len() > 1);
    let mut ends = units.filter_map(|unit| Some((word.strip_suffix(unit)?, *unit)));
    if is_known(word) { None } else { ends.find(|(before, _)| is_known(before)) }
}

/// The parts of a name between other characters than letters and digits, and before capitals.
fn parts(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for each in name.chars() {
        if !each.is_alphanumeric() || (each.is_uppercase() && before.is_lowercase()) {
            words.push(String::new());
        }
        if each.is_alphanumeric() {
            words.last_mut().expect("begun with one").extend(each.to_lowercase());
        }
        before = each;
    }
    words.retain(|word| !word.is_empty());
    words
}

/// The column of each role, in the order of the roles: the surest of all pairs first.
fn roles(names: &[String]) -> [Option<usize>; ROLES.len()] {
    let mut pairs = Vec::new();
    for (at, name) in names.iter().enumerate() {
        let mut words = words(name);
        if words.iter().any(|word| OTHER.contains(&word.as_str())) {
            continue;
        }
        // `disk_number` is `disknumber`, too.
        words.push(words.concat());
        for (role, (_, known)) in ROLES.iter().enumerate() {
            let found = known.iter().position(|known| words.iter().any(|word| word == known));
            pairs.extend(found.map(|sureness| (sureness, at, role)));
        }
    }
    pairs.sort_unstable();
    let mut held = [None; ROLES.len()];
    for (_, at, role) in pairs {
        if held[role].is_none() && !held.contains(&Some(at)) {
            held[role] = Some(at);
        }
    }
    // A column may be called by its unit alone: seconds. Of two, `sec` and `nsec`, neither is the time.
    for (role, units) in [(TIME, &TIMES[..]), (SIZE, &SPACES[..])] {
        let is_unit = |name: &String| {
            let words = words(name);
            words
                .iter()
                .all(|word| word.len() > 1 && units.iter().any(|(_, known)| known.contains(&word.as_str())))
        };
        let mut called = (0..names.len()).filter(|at| !held.contains(&Some(*at)) && is_unit(&names[*at]));
        if let (None, Some(at), None) = (held[role], called.next(), called.next()) {
            held[role] = Some(at);
        }
    }
    held
}

/// What `--columns` says of a column; what its name does not tell is guessed and doubted.
fn item(role: &str, name: &str, cells: &[&str], doubts: &mut Vec<String>) -> String {
    let words = words(name);
    let named = |units: &[(&'static str, &[&str])]| {
        units
            .iter()
            .find(|(_, known)| words.iter().any(|word| known.contains(&word.as_str())))
            .map(|(unit, _)| *unit)
    };
    let owned = |unit: Option<&str>| unit.map(str::to_owned);
    let (unit, otherwise) = match role {
        "time" if !cells.is_empty() && cells::are_dates(cells) => (owned(Some("date")), "us"),
        "time" => (owned(named(&TIMES).or_else(|| cells.first().and_then(|cell| unit_of_time(cell)))), "us"),
        "offset" | "size" => {
            let unit = unit_of_size(&words).or_else(|| owned(named(&SPACES)));
            if cells::is_hex(cells) {
                (Some(format!("{}:hex", unit.as_deref().unwrap_or("bytes"))), "bytes")
            } else {
                (unit, "bytes")
            }
        }
        "op" => {
            let (found, is_guess) = cells::op(cells);
            doubts.extend(is_guess.then(|| found.clone()));
            return found;
        }
        _ => return role.to_owned(),
    };
    let found = format!("{role}:{}", unit.as_deref().unwrap_or(otherwise));
    if unit.is_none() {
        doubts.push(found.clone());
    }
    found
}

/// The specification: by name where the names can stand in it, else by place.
fn written(
    names: &[String],
    items: &[(usize, String)],
    missing: &[&str],
    in_utf_8: bool,
    skipped: usize,
) -> String {
    let occurs = |name: &String| names.iter().filter(|other| *other == name).count();
    let by_name = |name: &String| {
        (in_utf_8 || name.is_ascii())
            && !name.contains([',', '=', '\u{2026}'])
            && !name.starts_with("op:")
            && occurs(name) == 1
    };
    if missing.is_empty() && !items.iter().all(|(at, _)| by_name(&names[*at])) {
        let last = items.last().map_or(0, |(at, _)| *at);
        let kind = |at| items.iter().find(|(place, _)| *place == at).map_or("_", |(_, item)| item.as_str());
        let columns: Vec<_> = (0..=last).map(kind).collect();
        let more = if last + 1 < names.len() { ",_*" } else { "" };
        return format!("skip:{},{}{more}", skipped + 1, columns.join(","));
    }
    let unnamed = |role: &&str| match *role {
        "time" => "NAME=time:us".to_owned(),
        "op" => "NAME=op".to_owned(),
        role => format!("NAME={role}:bytes"),
    };
    let known = items.iter().map(|(at, item)| format!("{}={item}", names[*at]));
    let above = (skipped > 0).then(|| format!("skip:{skipped}"));
    above.into_iter().chain(known).chain(missing.iter().map(unnamed)).collect::<Vec<_>>().join(",")
}

/// The unit that a time tells by itself, if it is one of this century.
fn unit_of_time(cell: &str) -> Option<&'static str> {
    let (whole, _) = cell.split_once('.').unwrap_or((cell, ""));
    Some(unit_of_this_century(whole.parse().ok()?)?.name())
}

/// The unit that a name tells as a size, as `LBA (4K)` does.
fn unit_of_size(words: &[String]) -> Option<String> {
    words.iter().find_map(|word| {
        let digits = ["k", "kb", "kib"].iter().find_map(|unit| word.strip_suffix(unit))?;
        digits.parse::<u32>().ok().filter(|size| *size > 0).map(|size| format!("{size}KiB"))
    })
}
