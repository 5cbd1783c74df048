//! How a configuration names a policy, and where a choice goes among equals.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A policy as configuration names it: `kind` plus the parameters that kind takes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PolicyChoice {
    /// Which policy of its kind; `reclaim policy list` shows them.
    pub kind: String,
    /// Parameters of that member.
    #[serde(flatten)]
    pub parameters: serde_json::Map<String, serde_json::Value>,
}

impl PolicyChoice {
    /// The member called `kind` with its default parameters.
    pub fn of(kind: &str) -> Self {
        Self { kind: kind.to_owned(), parameters: serde_json::Map::new() }
    }

    /// Whether it is the member called `all`, for a kind that is written down only where it is another.
    pub(super) fn is_all(&self) -> bool {
        self.kind == "all"
    }

    /// The text that was given for a parameter, if any was.
    pub(crate) fn text(&self, parameter: &str) -> Option<&str> {
        self.parameters.get(parameter)?.as_str()
    }
}

/// Where a choice goes among several that are as good as each other (`docs/model.md`, section 19).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Ties {
    /// To the one taken longest ago; one never taken goes before all, of several of those the lowest number.
    Rotating,
    /// To the lowest number.
    Lowest,
    /// To any, each with the same chance.
    Random,
}
