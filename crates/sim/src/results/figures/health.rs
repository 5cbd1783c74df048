//! What the log pages of a drive would say of a run.

use crate::metric::figures;
use crate::metrics::WrittenResult;

figures! {
    /// `written` in the units of a drive's log pages, rounded up.
    #[derive(Copy, Eq)]
    #[allow(clippy::struct_field_names, reason = "as log pages name them")]
    pub struct HealthResult {
        /// Data Units Written, of the SMART log (02h): `written.host_bytes`.
        data_units_written: u64 => "512,000 bytes",
        /// Media Units Written, of the Endurance Group log (09h): `written.nand_bytes`.
        media_units_written: u64 => "10^9 bytes",
        /// Physical Media Units Written, of the extended SMART log of OCP (C0h): `written.nand_bytes`.
        physical_media_units_written: u64 => "bytes",
    }
}

pub(crate) fn health(written: &WrittenResult) -> HealthResult {
    HealthResult {
        data_units_written: written.host_bytes.div_ceil(512_000),
        media_units_written: written.nand_bytes.div_ceil(1_000_000_000),
        physical_media_units_written: written.nand_bytes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mapping::FtlCounters;

    #[test]
    fn units_are_rounded_up() {
        let of = |host_bytes: u64, host_programs: u64| {
            let counters = FtlCounters { host_bytes, host_programs, ..FtlCounters::default() };
            let found = health(&WrittenResult::of(&counters, 1_000));
            (found.data_units_written, found.media_units_written, found.physical_media_units_written)
        };
        assert_eq!(of(0, 0), (0, 0, 0));
        assert_eq!(of(512, 1), (1, 1, 1_000));
        assert_eq!(of(512_000, 1_000_000), (1, 1, 1_000_000_000));
        assert_eq!(of(512_001, 1_000_001), (2, 2, 1_000_001_000));
    }
}
