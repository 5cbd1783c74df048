//! What happens before the timed run, and from when on that run is measured.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{MeasureAfter, Ratio};

/// The state of the drive before the timed run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WarmupKind {
    /// Factory-fresh: nothing written.
    #[default]
    Empty,
    /// Every logical page written once, in order.
    Filled,
    /// Filled, then `overwrites` times the logical capacity written at random.
    Overwrite,
    /// Filled, then overwritten at random until write amplification is flat.
    Steady,
    /// Everything the trace itself writes and trims, in its order, `replays` times.
    Replay,
    /// Filled, then what the trace itself writes and trims, in its order, until write amplification is flat.
    Workload,
}

impl WarmupKind {
    /// Its name in configuration and results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::Filled => "filled",
            Self::Overwrite => "overwrite",
            Self::Steady => "steady",
            Self::Replay => "replay",
            Self::Workload => "workload",
        }
    }

    /// Whether the trace itself is played on the drive.
    pub fn plays_the_trace(self) -> bool {
        matches!(self, Self::Replay | Self::Workload)
    }
}

/// Untimed preparation of the drive.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct WarmupConfig {
    /// How the drive is prepared.
    pub kind: WarmupKind,
    /// Random overwrites of `overwrite`, in multiples of the logical capacity.
    pub overwrites: f64,
    /// `steady` and `workload` end when write amplification changes by less than this from round to round. A round of
    /// `steady` writes one logical capacity; one of `workload` is as many replays of the trace as write at least that.
    pub tolerance: Ratio,
    /// `steady` and `workload` give up (and say so) after this many logical capacities.
    pub limit: f64,
    /// How often `replay` plays the trace.
    pub replays: u32,
    /// `replay` starts from a drive on which every logical page was written, not from an empty one.
    pub fill: bool,
}

impl Default for WarmupConfig {
    fn default() -> Self {
        Self {
            kind: WarmupKind::Empty,
            overwrites: 2.0,
            tolerance: Ratio { ppm: 5_000 },
            limit: 40.0,
            replays: 1,
            fill: false,
        }
    }
}

impl WarmupConfig {
    /// Whether every logical page is written before anything else.
    pub fn fills(&self) -> bool {
        match self.kind {
            WarmupKind::Empty => false,
            WarmupKind::Replay => self.fill,
            WarmupKind::Filled | WarmupKind::Overwrite | WarmupKind::Steady | WarmupKind::Workload => true,
        }
    }
}

/// The part of the timed run that is measured. Requests that arrived before it are played and not counted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct MeasureConfig {
    /// Measuring begins after this: the `start` of the trace; its `first-round` of collection, when every plane has
    /// collected from its trigger's start to its stop (a warmed-up drive is close to the start, and a short run would
    /// pay for space that it does not use); or a share of its requests, for the effects of time that the untimed
    /// warm-up leaves out.
    pub after: MeasureAfter,
    /// At instants so many events apart on the average, drawn at random, what a power cut would destroy is counted. The
    /// run goes on as if nothing had happened. Absent: never.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub power_cut_every: Option<u32>,
}
