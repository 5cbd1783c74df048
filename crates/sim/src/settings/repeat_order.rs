//! In which order the requests of a trace come that is played again.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// In which order the requests of a trace come that is played again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RepeatOrder {
    /// In that of the trace, every time.
    #[default]
    Same,
    /// In another every time, drawn from `seed`; each arrives when another did.
    Shuffled,
}

impl RepeatOrder {
    /// Whether it is that of the trace.
    pub fn is_same(&self) -> bool {
        *self == Self::Same
    }
}
