//! How the times of the array change with the erases of a block.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ConfigError, Ratio};

/// Array times of blocks from so many erases on, as factors of the times of the drive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TimesByWear {
    /// Holds for a block that was erased so often, until it comes to the next row.
    pub erases: u32,
    /// Factor of tR, the time of a read, and of `flash.read_retry.t_retry`.
    #[serde(default = "as_configured")]
    pub read: Ratio,
    /// Factor of tPROG, the time of a program.
    #[serde(default = "as_configured")]
    pub program: Ratio,
    /// Factor of tBERS, the time of an erase.
    #[serde(default = "as_configured")]
    pub erase: Ratio,
}

const fn as_configured() -> Ratio {
    Ratio { ppm: 1_000_000 }
}

/// The largest factor, ppm.
const MOST: u32 = 10_000_000;

impl TimesByWear {
    /// The times of the drive as they are.
    pub(crate) const NONE: Self =
        Self { erases: 0, read: as_configured(), program: as_configured(), erase: as_configured() };

    /// The row that holds for a block erased so often.
    pub(crate) fn of(rows: &[Self], erases: u32) -> Self {
        rows.iter().rev().find(|row| row.erases <= erases).copied().unwrap_or(Self::NONE)
    }

    /// Refuses a table that is in no order, or leaves nothing of a time.
    ///
    /// # Errors
    /// With the row that is wrong.
    pub(crate) fn check(rows: &[Self]) -> Result<(), ConfigError> {
        let fail = |reason: String| Err(ConfigError::at("flash.wear", &reason));
        for pair in rows.windows(2) {
            if pair[0].erases >= pair[1].erases {
                return fail(format!(
                    "a row from {} erases on follows one from {} on; give each number of erases once, in \
                     ascending order",
                    pair[1].erases, pair[0].erases
                ));
            }
        }
        for row in rows {
            for (name, factor) in [("read", row.read), ("program", row.program), ("erase", row.erase)] {
                if !(1..=MOST).contains(&factor.ppm) {
                    let erases = row.erases;
                    return fail(format!(
                        "{name} = \"{factor}\" from {erases} erases on is not more than 0% of the time and \
                         at most 1000%; \"100%\" leaves it as it is"
                    ));
                }
            }
        }
        Ok(())
    }
}
