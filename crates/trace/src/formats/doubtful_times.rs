//! Signs in the first lines of a file that its times are in another unit than its format has. Read in the wrong one, a
//! trace is a thousand times too slow or too fast, without a message.

use crate::OpenOptions;
use crate::input::Input;
use crate::units::TimeUnit;

/// Lines at the beginning of a file by which its unit is judged.
const LINES_TRIED: usize = 1000;
/// Requests by which a mean gap can be judged.
const ENOUGH: usize = 8;
const UNITS: [TimeUnit; 5] = [
    TimeUnit::Seconds,
    TimeUnit::Milliseconds,
    TimeUnit::Microseconds,
    TimeUnit::Ticks,
    TimeUnit::Nanoseconds,
];
/// The years 2000 to 2100, in seconds since 1970.
const CENTURY_S: std::ops::Range<u128> = 946_684_800..4_102_444_800;
/// From 1601, when Windows begins to count, to 1970.
const WINDOWS_S: u128 = 11_644_473_600;

/// The times of the first lines as they are written, by a function that finds that of a line.
pub(super) fn times(input: &Input, time: impl Fn(&[u8]) -> Option<u64>) -> Vec<u64> {
    input.head_lines().take(LINES_TRIED).filter_map(time).collect()
}

/// Whether a number is a time of this century, counted in `unit` as Unix does, or in ticks as Windows does.
pub(super) fn is_of_this_century(number: u64, unit: TimeUnit) -> bool {
    let seconds = u128::from(number) * u128::from(unit.ns()) / 1_000_000_000;
    CENTURY_S.contains(&seconds)
        || unit == TimeUnit::Ticks && seconds.checked_sub(WINDOWS_S).is_some_and(|s| CENTURY_S.contains(&s))
}

/// The unit in which a number is a time of this century, if there is one.
pub(super) fn unit_of_this_century(number: u64) -> Option<TimeUnit> {
    UNITS.into_iter().find(|unit| is_of_this_century(number, *unit))
}

/// A doubt if the first of the times is of this century in another unit than `unit`, in which the format counts.
pub(super) fn epoch(times: &[u64], unit: TimeUnit, options: &OpenOptions) -> Option<String> {
    let first = *times.first().filter(|_| options.time_unit.is_none())?;
    if is_of_this_century(first, unit) {
        return None;
    }
    let other = UNITS.into_iter().find(|other| *other != unit && is_of_this_century(first, *other))?;
    let (name, other) = (unit.name(), other.name());
    Some(format!(
        "has times in {name} by its format, but {first} is a time of this century only in {other}; say which \
         with --time-unit {other} or --time-unit {name}"
    ))
}

/// A doubt if the mean gap between the times is not in `usual`, and would be in `other`, of which `unit` is a multiple
/// or a part.
pub(super) fn pace(
    times: &[u64],
    unit: TimeUnit,
    usual: std::ops::RangeInclusive<u64>,
    other: TimeUnit,
    options: &OpenOptions,
) -> Option<String> {
    let (first, last) = (times.first()?, times.last()?);
    let span = last.saturating_sub(*first);
    if options.time_unit.is_some() || times.len() < ENOUGH || span == 0 {
        return None;
    }
    let gap = span as f64 / (times.len() - 1) as f64;
    if gap >= *usual.start() as f64 && gap <= *usual.end() as f64 {
        return None;
    }
    let (name, other) = (unit.name(), other.name());
    Some(format!(
        "has times in {name} by its format, but its first requests would then be {gap:.1} {name} apart on \
         average: they are probably in {other}; say which with --time-unit {other} or --time-unit {name}"
    ))
}
