//! What a verdict consists of.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::codes::Code;
use crate::metric::figures;

figures! {
    /// One thing a reader should know.
    #[derive(Eq)]
    pub struct Remark {
        /// Stable name, for programs; docs/verdicts.md has them all.
        code: Code,
        /// One or two sentences, for people.
        message: String,
        /// The results it concerns, as paths into the results file: `gc.write_amplification`,
        /// `requests.read.p99_99_ns`.
        figures: Vec<String>,
        /// The option or setting that would settle it; null if there is none.
        remedy: Option<String>,
    }
}

/// How far the numbers can be trusted: as far as the worst remark allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// Nothing speaks against them.
    #[default]
    Trustworthy,
    /// Some may be right, but this run does not show it.
    NotEstablished,
    /// They are figures of something else than was asked for.
    NotTrustworthy,
}

figures! {
    /// Whether the numbers can be trusted; docs/verdicts.md has the rules.
    #[derive(Eq, Default)]
    pub struct Verdict {
        /// The worst that was found.
        level: Level,
        /// Reasons not to trust the numbers.
        warnings: Vec<Remark>,
        /// Reasons why some figures are not established.
        doubts: Vec<Remark>,
        /// Things to know that do not make the numbers wrong.
        notes: Vec<Remark>,
    }
}

impl Remark {
    pub(super) fn new(code: Code, message: String) -> Self {
        Self { code, message, figures: Vec::new(), remedy: None }
    }

    pub(super) fn of(mut self, figures: Vec<String>) -> Self {
        self.figures = figures;
        self
    }

    pub(super) fn settled_by(mut self, remedy: impl Into<String>) -> Self {
        self.remedy = Some(remedy.into());
        self
    }
}

/// A share as people write it.
pub(super) fn percent(share: f64) -> String {
    let percent = share * 100.0;
    if percent.abs() < 9.95 { format!("{percent:.1} %") } else { format!("{percent:.0} %") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_below_a_tenth_have_a_decimal() {
        let written = [0.007, 0.05, 0.0994, 0.0996, 0.25, -0.05, -0.4].map(percent);
        assert_eq!(written, ["0.7 %", "5.0 %", "9.9 %", "10 %", "25 %", "-5.0 %", "-40 %"]);
    }
}
