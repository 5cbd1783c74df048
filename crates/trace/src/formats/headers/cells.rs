//! What the cells of a table tell of its columns, where their names do not.

use crate::Op;
use crate::formats::columns::OpCode;
use crate::formats::scsi;

/// The codes of block commands that are suggested whatever a table's first lines hold: reads and writes of 10 and 16
/// bytes, and cache flushes.
const SCSI: [u16; 5] = [0x28, 0x2a, 0x88, 0x8a, 0x35];
/// Values of a column of operations; one with more holds something else.
const MOST_VALUES: usize = 12;

/// What `--columns` says of a column of operations with these cells, and whether it is a guess.
pub(super) fn op(cells: &[&str]) -> (String, bool) {
    let mut values: Vec<&str> = Vec::new();
    for cell in cells {
        if !values.contains(cell) && values.len() <= MOST_VALUES {
            values.push(cell);
        }
    }
    let all = |is: &dyn Fn(&str) -> bool| values.iter().all(|value| is(value));
    if all(&|value| OpCode::Words.read(value.as_bytes()).is_some()) {
        return ("op".to_owned(), false);
    }
    if values.len() > MOST_VALUES || all(&|value| matches!(value, "0" | "1")) {
        return ("op:1=write".to_owned(), true);
    }
    let written = |map: Vec<String>| format!("op:{}", map.join(","));
    for radix in [16, 10] {
        let codes: Option<Vec<u16>> = values.iter().map(|value| scsi_code(value, radix)).collect();
        if let Some(mut codes) = codes {
            codes.extend(SCSI.iter().filter(|code| !codes.contains(code)).copied().collect::<Vec<_>>());
            let entry = |code: &u16| {
                let code_as_written = if radix == 16 { format!("{code:02x}") } else { code.to_string() };
                format!("{code_as_written}={}", word(scsi::op(*code).ok().flatten()))
            };
            return (written(codes.iter().map(entry).collect()), true);
        }
    }
    // Words such as Rd and Wr; of numbers nobody can tell.
    let named = |value: &str| match value.as_bytes().first().map(u8::to_ascii_lowercase) {
        Some(b'r') => "read",
        Some(b'w') => "write",
        Some(b'd' | b't') => "trim",
        Some(b'f' | b's') => "flush",
        _ => "skip",
    };
    let mut map: Vec<(&str, &str)> = values.iter().map(|value| (*value, named(value))).collect();
    if map.iter().all(|(_, word)| *word == "skip") {
        for (at, (_, word)) in map.iter_mut().enumerate() {
            *word = if at == 0 { "write" } else { "read" };
        }
    }
    if let [(only, _)] = map.as_slice() {
        // One value alone could not tell reads from writes.
        map.push((if only.eq_ignore_ascii_case("w") { "r" } else { "w" }, "write"));
    }
    (written(map.iter().map(|(value, word)| format!("{value}={word}")).collect()), true)
}

fn scsi_code(value: &str, radix: u32) -> Option<u16> {
    let digits = value.strip_prefix("0x").unwrap_or(value);
    u16::from_str_radix(digits, radix).ok().filter(|code| scsi::op(*code).is_ok())
}

fn word(op: Option<Op>) -> &'static str {
    op.map_or("skip", Op::name)
}

/// Whether numbers of a column are hexadecimal without saying so.
pub(super) fn is_hex(cells: &[&str]) -> bool {
    let hex = |cell: &&str| !cell.is_empty() && cell.bytes().all(|byte| byte.is_ascii_hexdigit());
    cells.iter().all(hex) && cells.iter().any(|cell| cell.bytes().any(|byte| byte.is_ascii_alphabetic()))
}

/// Whether the cells of a column are dates: `2016-02-22`, a time of day behind it or in the next column.
pub(super) fn are_dates(cells: &[&str]) -> bool {
    let is_date = |cell: &&str| match cell.as_bytes() {
        [y1, y2, y3, y4, b'-' | b'/', m1, m2, b'-' | b'/', d1, d2, ..] => {
            [y1, y2, y3, y4, m1, m2, d1, d2].iter().all(|byte| byte.is_ascii_digit())
        }
        _ => false,
    };
    cells.iter().all(is_date)
}
