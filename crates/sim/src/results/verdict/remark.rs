//! What a verdict consists of: remarks, each with a code.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
        /// Reasons why some figures are inconclusive.
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

// The names of everything a verdict can say.

macro_rules! codes {
    ($($(#[$about:meta])* $name:ident $text:literal,)*) => {
        /// What a remark is about: a stable name, for programs. `docs/verdicts.md` has them all.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        pub enum Code {
            $($(#[$about])* #[serde(rename = $text)] $name,)*
        }

        impl Code {
            /// All there are.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// Its text.
            pub fn text(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)*
                }
            }
        }
    };
}

codes! {
    /// The trace wrote nothing.
    NoWrites "no-writes",
    /// The trace writes next to nothing.
    FewWrites "few-writes",
    /// Collection never ran while it was measured.
    GcNeverRan "gc-never-ran",
    /// Write amplification rose or fell while it was measured.
    AmplificationDrifts "write-amplification-drifts",
    /// Write amplification varied too much for its mean to mean anything.
    AmplificationImprecise "write-amplification-imprecise",
    /// Space was used up or gained while it was measured.
    FreeSpaceDrifts "free-space-drifts",
    /// The drive is in the state that another workload left.
    AnotherWorkload "another-workload",
    /// Warm-up ended before write amplification was flat.
    WarmupNotSteady "warmup-not-steady",
    /// The timed run differs from the same workload without time.
    UnlikeWarmup "unlike-warmup",
    /// The write buffer held much of the drive's data.
    LargeBuffer "large-write-buffer",
    /// Requests came faster than the drive could serve them.
    UnboundedQueue "unbounded-queue",
    /// Requests in flight rose while it was measured.
    OutstandingDrifts "outstanding-requests-drift",
    /// Requests in flight varied too much between plays of the trace for a mean to mean anything.
    OutstandingImprecise "outstanding-requests-imprecise",
    /// Latencies are those of windows, and the whole run may have others.
    OfWindows "latencies-of-windows",
    /// Percentiles with next to no request beyond them.
    FewSamples "few-samples",
    /// Measuring was to begin after something that never happened.
    NeverMeasured "measuring-never-began",
    /// Lines of the trace were left out.
    BadLines "bad-lines",
    /// Parts of the recording seem to be missing.
    Incomplete "incomplete-recording",
    /// Reads of the host met a die of which collection was urgent.
    UrgentReads "urgent-reads",
    /// Most of the requests were served by nothing: they took no time.
    NothingServed "nothing-served",
    /// Pages were read that nobody had written.
    UnwrittenReads "reads-of-unwritten-pages",
    /// Another order of the requests has another write amplification.
    OrderOfReplay "order-of-replay",
    /// Every victim was empty, where random overwrites would leave data in them.
    EmptyVictims "victims-all-empty",
    /// The trace writes less than the drive holds, and was played several times.
    RepeatedTrace "repeated-trace",
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
