//! The ASCII traces of MQSim, and of SSDsim, which has the same five columns in the same units.
//!
//! `arrival_ns device start_sector sectors type` with whole nanoseconds, sectors of 512 B, type 0 for a write and 1 for
//! a read (MQSim, `ASCII_Trace_Definition.h`). A time with a decimal point is DiskSim's, in milliseconds.

use super::doubtful_times::{pace, times};
use super::five_columns::{FiveColumns, Flags, like, time};
use crate::format::{Format, any_early_line};
use crate::line_reader::LineReader;
use crate::options::Setting;
use crate::units::TimeUnit;

/// A load whose requests are closer together, ns, is more than any drive serves.
const LEAST_GAP_NS: u64 = 100;

pub(super) const FORMAT: Format = Format {
    name: "mqsim",
    aliases: &["ssdsim"],
    about: "MQSim and SSDsim ASCII: time in whole ns, device, sector, sectors, 1 for a read or 0 for a write",
    expected: "938513000 4 264719034 16 0",
    settings: &[Setting::Device, Setting::TimeUnit],
    recognise: |input| any_early_line(input, |line| like(line, Flags::ZeroOrOne) == Some(0)),
    doubt: |input, options| {
        let times = times(input, |line| time(line, Flags::ZeroOrOne));
        pace(&times, TimeUnit::Nanoseconds, LEAST_GAP_NS..=u64::MAX, TimeUnit::Microseconds, options)
    },
    read: |input, how| {
        let parser = FiveColumns::new(how, TimeUnit::Nanoseconds, Flags::ZeroOrOne)?;
        Ok(Box::new(LineReader::new(input, parser, FORMAT.expected, how)))
    },
    ..Format::PLAIN
};
