//! What is done to a trace before it is played.

use std::path::Path;

use reclaim_trace::transform::{MergeSpec, RepeatSpec, SampleSpec, Transforms};
use reclaim_trace::{OpenOptions, Trace, TraceError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ConfigError, Ratio, Size, Time};
use crate::host::Fit;

/// What is done to the trace before it is played, always in the order merge, window, shift, align, sample, limit,
/// repeat, fit, whatever the order of the keys.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TraceConfig {
    /// Other traces merged in by time: a list of tables with `file` and, where wanted, `shift` (added to its
    /// addresses), `format` and `device`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub merge: Vec<MergeConfig>,
    /// Merged traces get address ranges of their own, each after the end of the one before it, in whole MiB.
    pub separate: bool,
    /// Leave out requests before this time after the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<Time>,
    /// Leave out requests from this time on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<Time>,
    /// Added to all addresses, for example to undo the offset of a partition.
    pub shift: Size,
    /// Reads and writes grow outward to whole multiples of this; trims shrink inward, and empty ones are left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub align: Option<Size>,
    /// Keep this share of the units of the address space, chosen by a hash, and all accesses to them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sample: Option<Ratio>,
    /// The unit of sampling: a power of two.
    pub sample_unit: Size,
    /// Chooses one of the possible samples.
    pub sample_seed: u64,
    /// Stop after so many requests.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_requests: Option<u64>,
    /// Play what is left so many times.
    pub repeat: u64,
    /// From the last arrival of a round to the first of the next. Absent: the mean gap of the first round.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repeat_gap: Option<Time>,
    /// How addresses beyond the drive are brought inside.
    pub fit: Fit,
}

impl Default for TraceConfig {
    fn default() -> Self {
        Self {
            merge: Vec::new(),
            separate: false,
            from: None,
            to: None,
            shift: Size(0),
            align: None,
            sample: None,
            sample_unit: Size(1 << 20),
            sample_seed: 0,
            max_requests: None,
            repeat: 1,
            repeat_gap: None,
            fit: Fit::None,
        }
    }
}

/// A trace to merge in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MergeConfig {
    /// The file; its time 0 is that of the first trace.
    pub file: String,
    /// Added to its addresses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shift: Option<Size>,
    /// Its format, where recognition is to be overruled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// Which device of a file that holds several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
}

/// Separate address ranges begin at multiples of this.
const RANGE_BYTES: u64 = 1 << 20;

impl TraceConfig {
    /// `trace` with everything done to it but the fit, which needs the drive.
    ///
    /// # Errors
    /// When a trace to merge cannot be opened (or, for separate ranges, read), or a step cannot be done.
    pub fn apply(&self, trace: &Trace) -> Result<Trace, TraceError> {
        let mut transforms = self.steps();
        let mut end = 0;
        if self.separate && !self.merge.is_empty() {
            end = trace.scan()?.max_end_bytes;
        }
        for merge in &self.merge {
            let options = OpenOptions {
                format: merge.format.clone(),
                device: merge.device.clone(),
                ..OpenOptions::default()
            };
            let other = Trace::open(Path::new(&merge.file), &options)?;
            let mut shift_bytes = merge.shift.map_or(0, |size| size.0);
            if self.separate {
                shift_bytes =
                    shift_bytes.saturating_add(end).checked_next_multiple_of(RANGE_BYTES).unwrap_or(u64::MAX);
                end = shift_bytes.saturating_add(other.scan()?.max_end_bytes);
            }
            transforms.merge.push(MergeSpec { trace: other, shift_bytes });
        }
        trace.transformed(transforms)
    }

    fn steps(&self) -> Transforms {
        let repeat = RepeatSpec { times: self.repeat, gap_ns: self.repeat_gap.map(|gap| gap.0.0) };
        Transforms {
            merge: Vec::new(),
            from_ns: self.from.map(|time| time.0.0),
            to_ns: self.to.map(|time| time.0.0),
            shift_bytes: self.shift.0,
            align_bytes: self.align.map(|size| size.0),
            sample: self.sample.map(|share| SampleSpec {
                rate_ppm: share.ppm,
                unit_bytes: self.sample_unit.0,
                seed: self.sample_seed,
            }),
            max_requests: self.max_requests,
            repeat: (self.repeat != 1).then_some(repeat),
        }
    }

    pub(super) fn validate(&self) -> Result<(), ConfigError> {
        match self.steps().fault() {
            Some(reason) => Err(ConfigError::at("trace", &reason)),
            None => Ok(()),
        }
    }
}
