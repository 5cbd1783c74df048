//! When the requests of a generated trace arrive, as its description has it.

use serde::{Deserialize, Serialize};

use super::units::Time;

/// When requests arrive. `interval` is the mean gap between them over the whole trace, unless said otherwise.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum ArrivalSpec {
    /// All at time 0: for replay by queue depth.
    #[default]
    ClosedLoop,
    /// At equal gaps.
    Constant {
        /// The gap between one arrival and the next.
        interval: Time,
    },
    /// With independent exponential gaps.
    Poisson {
        /// The mean gap.
        interval: Time,
    },
    /// Bursts and pauses of exponential length; within a burst, exponential gaps (an interrupted Poisson process).
    OnOff {
        /// The mean gap within a burst.
        interval: Time,
        /// Mean length of a burst.
        on: Time,
        /// Mean length of a pause.
        off: Time,
    },
    /// With independent log-normal gaps.
    LogNormal {
        /// The mean gap.
        interval: Time,
        /// Standard deviation of the gap's natural logarithm: 0 is a constant rate; the larger, the burstier.
        sigma: f64,
    },
    /// Windows of equal length, each with a rate of its own; within a window, requests arrive at random.
    Windows {
        /// The mean gap over the whole trace.
        interval: Time,
        /// Length of a window.
        window: Time,
        /// The rates and how often each occurs.
        levels: Vec<LevelSpec>,
    },
}

/// A rate of [`ArrivalSpec::Windows`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LevelSpec {
    /// Rate as a multiple of the mean (all are scaled so that the mean is met).
    pub rate: f64,
    /// Weight of windows with this rate, of any scale.
    pub weight: f64,
}
