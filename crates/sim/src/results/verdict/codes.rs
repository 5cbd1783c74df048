//! The names of everything a verdict can say.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
