//! Dates with a time of day, as tables write them for people.

use chrono::{DateTime, NaiveDateTime};

use crate::error::excerpt;

/// `2016-02-22`.
const DATE_BYTES: usize = 10;
/// More than any date has.
const MOST_BYTES: usize = 64;

/// Whether a field has a date and no time of day.
pub(super) fn is_alone(field: &[u8]) -> bool {
    field.len() == DATE_BYTES
}

/// The ns since 1970 of `2016-02-22T07:00:00.013118Z` and the like: with a T or a blank before the time of day, which
/// may also be in a field of its own, `/` for `-`, up to nine decimals, and `Z`, an offset such as `+09:00`, or
/// nothing, which is as good, as times count from the first.
pub(super) fn time(date: &[u8], of_day: Option<&[u8]>, name: &str) -> Result<u64, String> {
    let parts = [date, b" ", of_day.unwrap_or_default()].concat();
    let fault = || {
        format!(
            "{name} is \"{}\", which is no date with a time of day, as in 2016-02-22T07:00:00.013 or \
             2016-02-22 07:00:00.013+09:00",
            excerpt(parts.trim_ascii())
        )
    };
    let text = std::str::from_utf8(&parts).ok().map(str::trim).filter(|text| text.len() <= MOST_BYTES);
    let text = text.ok_or_else(fault)?;
    let (day, of_day) = text.split_at_checked(DATE_BYTES).ok_or_else(fault)?;
    let of_day = of_day.trim_start_matches(['T', 't', ' ']);
    let text = format!("{} {of_day}", day.replace('/', "-"));
    let zoned = DateTime::parse_from_str(&text, "%Y-%m-%d %H:%M:%S%.f%#z").map(|time| time.to_utc());
    let time = zoned.or_else(|_| {
        let plain = text.trim_end_matches(['Z', 'z']);
        NaiveDateTime::parse_from_str(plain, "%Y-%m-%d %H:%M:%S%.f").map(|time| time.and_utc())
    });
    let time = time.map_err(|_| fault())?;
    // From 1970 to 2262.
    let time_ns = time.timestamp_nanos_opt().and_then(|ns| u64::try_from(ns).ok());
    time_ns.ok_or_else(|| format!("{name} is \"{text}\": dates from 1970 to 2262 can be read"))
}

#[cfg(test)]
mod tests {
    use super::time;

    fn read(date: &str, of_day: Option<&str>) -> Result<u64, String> {
        time(date.as_bytes(), of_day.map(str::as_bytes), "When")
    }

    #[test]
    fn dates_as_tables_write_them() {
        // As `date -ud 2016-02-22T07:00:00 +%s` says.
        const SECONDS: u64 = 1_456_124_400;
        let ns = SECONDS * 1_000_000_000 + 13_118_001;
        for date in [
            "2016-02-22T07:00:00.013118001",
            "2016-02-22 07:00:00.013118001",
            "2016-02-22T07:00:00.013118001Z",
            "2016/02/22 16:00:00.013118001+09:00",
            "2016-02-22T16:00:00.013118001 +0900",
            "2016-02-21 23:00:00.013118001-08",
        ] {
            assert_eq!(read(date, None), Ok(ns), "{date}");
        }
        assert_eq!(read("2016-02-22", Some("07:00:00.013118001")), Ok(ns));
        assert_eq!(read("2016-02-22 07:00:00", None), Ok(SECONDS * 1_000_000_000));
        assert_eq!(read("1970-01-01 00:00:00.000000001", None), Ok(1));
    }

    #[test]
    fn what_is_no_date() {
        const WRONG: [&str; 6] = [
            "",
            "1456124400",
            "22/02/2016 07:00:00",
            "2016-02-30 07:00:00",
            "2016-02-22 25:00:00",
            "2016-02-22",
        ];
        for wrong in WRONG {
            let told = read(wrong, None).unwrap_err();
            assert!(told.contains("no date with a time of day"), "{wrong}: {told}");
        }
        assert!(read("1969-12-31 23:59:59", None).unwrap_err().contains("1970 to 2262"));
        assert!(read("\u{20ac}016-02-22 07:00:00", None).is_err());
    }
}
