//! Future knowledge (FK; Wang et al., FAST 2022, section 2.3): classes by how long data will live, read off the trace.
//! An oracle, not a policy for a drive, and no optimum.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Build, CONFLICTS, Knows, METRICS, Relocated, Separation, Terms};
use crate::future::{Foresight, Future};
use crate::ids::Lpn;
use crate::mapping::{PageMove, PageWrite};
use crate::registry::{Member, ParameterSpec, parameters};
use crate::settings::alternatives::unprinted;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Parameters {
    /// Classes, from 2 to 8: each has two open blocks in every plane, one of the host and one of collection.
    #[schemars(extend("x-alternatives" = unprinted(
        &["4", "6", "8"],
        "How many classes a drive keeps apart is seldom printed."
    )))]
    open_blocks: u32,
    /// What a class spans, in pages that the host writes: data of class c dies after c to c + 1 times as many. The last
    /// class has all that lives longer. Absent: the pages of a block in every plane.
    #[schemars(extend("x-alternatives" = unprinted(
        &["512", "4096"],
        "In a log a class spans a segment; a drive opens a block in every plane."
    )))]
    span: Option<u32>,
}

impl Default for Parameters {
    fn default() -> Self {
        Self { open_blocks: 6, span: None }
    }
}

pub const MEMBER: Member<Build> = Member {
    name: "future-knowledge",
    about: "an open block for each class of remaining lifetimes as the trace will have them (an oracle)",
    parameters: &ParameterSpec::of::<Parameters>(),
    conflicts: CONFLICTS,
    metrics: METRICS,
    build: |choice, context| {
        let Parameters { open_blocks, span } = parameters(choice);
        let terms = Terms::like(open_blocks, Relocated::ByClass, Knows::Pages).checked()?;
        let span = span.unwrap_or(context.geometry.pages_per_block * context.geometry.planes());
        if span == 0 {
            return Err("span = 0; a class spans at least 1 page".to_owned());
        }
        Ok(Box::new(FutureKnowledge { terms, span, foresight: Foresight::default() }))
    },
};

struct FutureKnowledge {
    terms: Terms,
    span: u32,
    foresight: Foresight,
}

impl FutureKnowledge {
    fn class_of(&mut self, lpn: Lpn) -> u8 {
        let last = u64::from(self.terms.classes - 1);
        let lifetime = self.foresight.lifetime(lpn);
        lifetime.map_or(last, |lifetime| (lifetime / u64::from(self.span)).min(last)) as u8
    }
}

impl Separation for FutureKnowledge {
    fn terms(&self) -> Option<Terms> {
        Some(self.terms)
    }

    fn unwritten(&self) -> u8 {
        self.terms.classes as u8 - 1
    }

    fn class(&mut self, write: &PageWrite) -> u8 {
        self.foresight.page_written();
        self.class_of(write.lpn)
    }

    fn relocated_class(&mut self, page: &PageMove) -> u8 {
        self.class_of(page.lpn)
    }

    fn wants_future(&self) -> bool {
        true
    }

    // A state is saved between two plays: the future is foreseen anew, from its beginning.
    fn foresee(&mut self, future: Future) {
        self.foresight.begin(future);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::future::Foreseen;

    #[test]
    fn classes_go_by_what_is_left_of_a_lifetime() {
        let terms = Terms::like(3, Relocated::ByClass, Knows::Pages);
        let mut policy = FutureKnowledge { terms, span: 2, foresight: Foresight::default() };
        let write = |policy: &mut FutureKnowledge, lpn| {
            policy.class(&PageWrite { lpn: Lpn(lpn), stream: 0, class: 0, since_last: None, valid_pages: 0 })
        };
        let moved = |policy: &mut FutureKnowledge, lpn| {
            policy.relocated_class(&PageMove { lpn: Lpn(lpn), class: 0, age: None, block_class: 0 })
        };
        assert_eq!(write(&mut policy, 0), 2, "nothing is foreseen");
        let mut seen = Foreseen::new(8);
        for lpn in [0, 1, 2, 0, 3, 1, 4] {
            seen.write(Lpn(lpn));
        }
        policy.foresee(seen.finish().once());
        assert_eq!(write(&mut policy, 0), 1, "written again three pages later");
        assert_eq!(write(&mut policy, 1), 2, "four pages later");
        assert_eq!(moved(&mut policy, 0), 1, "two pages are left");
        assert_eq!(write(&mut policy, 2), 2, "never again");
        assert_eq!((moved(&mut policy, 0), moved(&mut policy, 1)), (0, 1), "one page, three pages");
        assert_eq!((policy.unwritten(), policy.wants_future()), (2, true));
    }
}
