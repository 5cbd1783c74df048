//! The ASCII traces of DiskSim: `time_ms device block blocks flags`.
//!
//! Time in milliseconds with decimals, blocks of 512 B, flags in hexadecimal of which bit 0 is set for a read (DiskSim
//! 4.0 Reference Manual, section 3.4.3 "Format of trace input").

use std::ops::RangeInclusive;

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
    doubt: |input, _| {
        if looks_like_bytes(input) { Some(DOUBT.to_owned()) } else { page_sectors(input).map(doubted_pages) }
    },
    read: |input, how| {
        let parser = FiveColumns::new(how, TimeUnit::Milliseconds, Flags::BitZero)?;
        Ok(Box::new(LineReader::new(input, parser, FORMAT.expected, how)))
    },
    ..Format::PLAIN
};

/// Other programs' traces have these five columns with addresses and sizes in bytes. Taken for sectors they would be
/// 512 times too large, without a message.
const DOUBT: &str = "has the five columns of DiskSim, but every address and size in its first lines is a \
multiple of 512: they are probably bytes, not sectors; say which with --format disksim (sectors) or \
--columns time:ms,device,offset:bytes,size:bytes,op:bit0=read --separator blanks";

/// Lines at the beginning of a file by which units are judged.
const LINES_TRIED: usize = 1000;

/// Sectors of the least and the greatest page that sizes may be counted in: 4 to 64 KiB.
const PAGE_SECTORS: RangeInclusive<u64> = 8..=128;

/// Sectors of a page, if in the first lines every request starts at a page, but not every size is one of whole pages.
/// Whoever addresses pages asks for whole ones: sizes such as 1 or 3 are then probably pages, too.
fn page_sectors(input: &Input) -> Option<u64> {
    /// One address in eight starts a page by chance.
    const ENOUGH: usize = 16;
    let rows: Vec<_> = input.head_lines().take(LINES_TRIED).filter_map(addressed).collect();
    let common = rows.iter().fold(0, |bits, (first, _)| bits | first);
    let aligned = if common == 0 { 0 } else { 1_u64 << common.trailing_zeros() };
    let page = aligned.min(*PAGE_SECTORS.end());
    let whole = |(_, count): &(u64, u64)| count.is_multiple_of(*PAGE_SECTORS.start());
    (rows.len() >= ENOUGH && PAGE_SECTORS.contains(&page) && !rows.iter().all(whole)).then_some(page)
}

#[cold]
fn doubted_pages(sectors: u64) -> String {
    let kib = sectors * SECTOR_BYTES / 1024;
    format!(
        "has the five columns of DiskSim, and every address in its first lines is a multiple of \
         {sectors}, but not every size is: sizes are probably pages, not sectors, and would be read \
         {sectors} times too small; say which with --format disksim (sectors) or --columns \
         time:ms,device,offset:sectors,size:{kib}KiB,op:bit0=read --separator blanks"
    )
}

fn looks_like_bytes(input: &Input) -> bool {
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
