//! By stream: the host says which data belongs together, as with streams or placement handles (FDP) of NVMe.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Build, CONFLICTS, Knows, METRICS, Relocated, Separation, Terms};
use crate::mapping::PageWrite;
use crate::registry::{Member, ParameterSpec, parameters};
use crate::settings::alternatives::{scope, unprinted};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Parameters {
    /// Streams that are kept apart, numbered from 0: each has an open block of the host in every plane. From 2 to 8;
    /// a trace with another stream is refused.
    #[schemars(extend("x-alternatives" = scope(
        &["8"],
        "How many streams a drive keeps apart differs from drive to drive."
    )))]
    open_blocks: u32,
    /// Where pages go that collection relocates.
    #[schemars(extend("x-alternatives" = unprinted(
        &["together", "by-class"],
        "Whether collection keeps streams apart is seldom printed; NVMe permits both."
    )))]
    relocated: Relocated,
}

impl Default for Parameters {
    fn default() -> Self {
        Self { open_blocks: 4, relocated: Relocated::default() }
    }
}

pub const MEMBER: Member<Build> = Member {
    name: "by-stream",
    about: "an open block for each stream that the trace names",
    parameters: &ParameterSpec::of::<Parameters>(),
    conflicts: CONFLICTS,
    metrics: METRICS,
    build: |choice, _| {
        let Parameters { open_blocks, relocated } = parameters(choice);
        let terms = Terms::like(open_blocks, relocated, Knows::Streams).checked()?;
        Ok(Box::new(ByStream { terms }))
    },
};

struct ByStream {
    terms: Terms,
}

impl Separation for ByStream {
    fn terms(&self) -> Option<Terms> {
        Some(self.terms)
    }

    fn class(&mut self, write: &PageWrite) -> u8 {
        write.stream
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a separation has that says nothing of itself.
    #[test]
    fn it_remembers_nothing() {
        let mut policy = ByStream { terms: Terms::like(3, Relocated::Together, Knows::Streams) };
        assert_eq!((policy.bytes(), policy.unwritten(), policy.save()), (0, 0, vec![]));
        assert!(policy.load(&[]) && !policy.load(&[0]));
        assert!(!policy.wants_pages_of_victim() && !policy.wants_future());
    }
}
