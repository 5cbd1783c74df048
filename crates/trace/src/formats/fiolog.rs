//! The logs of latency, bandwidth and I/O operations that fio writes, a line for every request (`write_lat_log`,
//! `write_bw_log`, `write_iops_log`; fio documentation, "Log File Formats").
//!
//! `time (ms), value, direction, block size (bytes)[, offset (bytes)][, priority[, issue time (ns)]]`: which of the
//! last three are there depends on options and version, and only the numbers themselves tell it.

use crate::checked::Parsed;
use crate::format::Format;
use crate::input::Input;
use crate::line_reader::{LineParser, LineReader};
use crate::{Op, Record};

const MILLISECOND_NS: u64 = 1_000_000;
/// Lines from which the columns are told apart.
const LINES_TRIED: usize = 1000;
/// `time, value, direction, size, offset, priority, issue time`.
const MOST_COLUMNS: usize = 7;
/// What makes fio write something that can be read.
const WAY_OUT: &str = "write_iolog=FILE logs every request with its offset, as does write_lat_log=FILE with \
                       log_offset=1 and without log_avg_msec";

pub(super) const FORMAT: Format = Format {
    name: "fiolog",
    about: "fio's log of latencies, bandwidth or IOPS, with offsets: ms, value, direction, bytes, offset",
    expected: "878, 104215, 1, 16384, 3173736448, 0",
    recognise: |input| rows(input).is_some(),
    read: |input, how| {
        let columns = Columns::of(&rows(&input).unwrap_or_default()).map_err(|reason| input.fail(reason))?;
        Ok(Box::new(LineReader::new(input, columns, FORMAT.expected, how)))
    },
    ..Format::PLAIN
};

/// A line in numbers, and whether each is in the form of a priority: 0, 1, or four hexadecimal digits.
#[derive(Debug, Clone, Copy)]
struct Row {
    numbers: [u64; MOST_COLUMNS + 1],
    priority: [bool; MOST_COLUMNS + 1],
    columns: usize,
}

impl Row {
    /// The line's numbers; why it has none.
    #[inline]
    fn of(line: &[u8]) -> Result<Self, String> {
        let mut row =
            Self { numbers: [0; MOST_COLUMNS + 1], priority: [false; MOST_COLUMNS + 1], columns: 0 };
        for field in line.split(|byte| *byte == b',') {
            let field = field.trim_ascii();
            if row.columns > MOST_COLUMNS {
                return Err(format!("more than {MOST_COLUMNS} columns"));
            }
            let (digits, radix) = match field {
                [b'0', b'x', digits @ ..] => (digits, 16),
                _ => (field, 10),
            };
            let plain = !digits.is_empty() && digits.iter().all(u8::is_ascii_hexdigit);
            let number = std::str::from_utf8(digits).ok().filter(|_| plain);
            row.numbers[row.columns] =
                number.and_then(|text| u64::from_str_radix(text, radix).ok()).ok_or_else(|| {
                    let shown = crate::error::excerpt(field);
                    format!("\"{shown}\" in column {} is no whole number of 64 bits", row.columns + 1)
                })?;
            row.priority[row.columns] = radix == 16 || matches!(field, b"0" | b"1");
            row.columns += 1;
        }
        Ok(row)
    }
}

/// The first lines of the file, if all are lines of such a log; a damaged one must not hide what it is.
fn rows(input: &Input) -> Option<Vec<Row>> {
    const BAD: usize = 20;
    let lines = || input.head_lines().filter(|line| !line.trim_ascii().is_empty()).take(LINES_TRIED);
    // fio puts a blank behind every comma, which tells its logs from other tables of numbers.
    let is_spaced = |line: &&[u8]| line.windows(2).filter(|pair| pair[0] == b',').all(|pair| pair[1] == b' ');
    let rows: Vec<Row> = lines().filter(is_spaced).filter_map(|line| Row::of(line).ok()).collect();
    let columns = rows.first()?.columns;
    let fit = |row: &Row| row.columns == columns && columns >= 4 && (is_request(row) || is_average(row));
    let good = rows.iter().filter(|row| fit(row)).count();
    let rows = || rows.iter().copied().filter(fit).collect();
    (good > 0 && (lines().count() - good) * BAD <= lines().count()).then(rows)
}

fn is_request(row: &Row) -> bool {
    row.numbers[2] <= 2
}

/// With `log_avg_msec` the block size is 0; with `log_window_value=both` there is a second value before the direction.
fn is_average(row: &Row) -> bool {
    let both = row.columns > 4 && row.numbers[3] <= 2 && row.numbers[4] == 0;
    (is_request(row) && row.numbers[3] == 0) || both
}

/// Which column holds what.
struct Columns {
    count: usize,
    /// Where the time of issue stands, if it is there: then it is the arrival.
    issue: Option<usize>,
}

/// Where the offset stands, if it is there.
const OFFSET: usize = 4;

impl Columns {
    fn of(rows: &[Row]) -> Result<Self, String> {
        let Some(first) = rows.first() else {
            return Err("has no line of a log of fio: time, value, direction, block size, offset".to_owned());
        };
        if rows.iter().all(is_average) {
            return Err(format!("is a log of fio with averages over time, no requests; {WAY_OUT}"));
        }
        // A priority is 0 or 1, or has its own form; of offsets and times of issue not all do.
        let is_priority = |column: usize| rows.iter().all(|row| row.priority[column]);
        let without = match first.columns {
            4 => true,
            5 => is_priority(OFFSET),
            6 => is_priority(OFFSET) && !is_priority(5),
            _ => false,
        };
        if without {
            return Err(format!(
                "is a log of fio without offsets: it says when and how much, not where; {WAY_OUT}"
            ));
        }
        let issue = (first.columns == MOST_COLUMNS && rows.iter().all(|row| row.numbers[6] > 0)).then_some(6);
        Ok(Self { count: first.columns, issue })
    }
}

impl LineParser for Columns {
    #[inline]
    fn parse(&mut self, line: &[u8]) -> Result<Parsed, String> {
        let Row { numbers, columns, .. } = Row::of(line)?;
        if columns != self.count {
            return Err(format!("{columns} columns in a log of {}", self.count));
        }
        let op = match numbers[2] {
            0 => Op::Read,
            1 => Op::Write,
            2 => Op::Trim,
            other => {
                return Err(format!("unknown direction {other}; valid: 0 (read), 1 (write), 2 (trim)"));
            }
        };
        let time_ns = match self.issue {
            Some(column) => numbers[column],
            None => numbers[0]
                .checked_mul(MILLISECOND_NS)
                .ok_or("the time in the first column is too large for 64 bits of nanoseconds")?,
        };
        Ok(Parsed::One(Record {
            time_ns,
            offset_bytes: numbers[OFFSET],
            size_bytes: numbers[3],
            op,
            stream: 0,
        }))
    }
}
