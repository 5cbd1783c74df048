//! The ASCII traces of DiskSim: `time_ms device block blocks flags`.
//!
//! Time in milliseconds with decimals, blocks of 512 B, flags in hexadecimal of which bit 0 is set for a read (DiskSim
//! 4.0 Reference Manual, section 3.4.3 "Format of trace input").

use super::five_columns::{FiveColumns, Flags, addressed, like};
use crate::format::{Format, any_early_line};
use crate::input::Input;
use crate::line_reader::LineReader;
use crate::options::Setting;
use crate::units::{SECTOR_BYTES, TimeUnit};

pub(super) const FORMAT: Format = Format {
    name: "disksim",
    about: "DiskSim ASCII: time in ms with decimals, device, sector, sectors, flags (bit 0: read)",
    expected: "5265.313 0 6357144 8 0",
    settings: &[Setting::Device, Setting::TimeUnit],
    recognise: |input| {
        any_early_line(input, |line| like(line, Flags::BitZero).is_some_and(|digits| digits > 0))
    },
    doubt: |input| looks_like_bytes(input).then(|| DOUBT.to_owned()),
    read: |input, how| {
        let parser = FiveColumns::new(how.options, TimeUnit::Milliseconds, Flags::BitZero)?;
        Ok(Box::new(LineReader::new(input, parser, FORMAT.expected, how)))
    },
    ..Format::PLAIN
};

/// Other programs' traces have these five columns with addresses and sizes in bytes. Taken for sectors they would be
/// 512 times too large, without a message.
const DOUBT: &str = "has the five columns of DiskSim, but every address and size in its first lines is a \
multiple of 512: they are probably bytes, not sectors; say which with --format disksim (sectors) or \
--columns time:ms,device,offset:bytes,size:bytes,op:1=read --separator blanks";

fn looks_like_bytes(input: &Input) -> bool {
    const LINES_TRIED: usize = 1000;
    const ENOUGH: usize = 4;
    let mut rows = 0;
    for line in input.head_lines().take(LINES_TRIED) {
        match addressed(line) {
            Some((first, count))
                if first.is_multiple_of(SECTOR_BYTES) && count.is_multiple_of(SECTOR_BYTES) =>
            {
                rows += 1;
            }
            Some(_) => return false,
            None => {}
        }
    }
    rows >= ENOUGH
}
