//! By lifetime: data is expected to live as long as that which it replaces did, counted in pages that the host writes.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Build, CONFLICTS, Knows, METRICS, Relocated, Separation, Terms};
use crate::mapping::PageWrite;
use crate::registry::{Member, ParameterSpec, parameters};
use crate::settings::alternatives::unprinted;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Parameters {
    /// Classes of lifetimes, from 2 to 8: each has an open block of the host in every plane.
    #[schemars(extend("x-alternatives" = unprinted(
        &["2", "4", "8"],
        "How many classes a drive keeps apart is seldom printed."
    )))]
    open_blocks: u32,
    /// Where pages go that collection relocates.
    #[schemars(extend("x-alternatives" = unprinted(
        &["together", "by-class"],
        "Whether collection keeps classes apart is seldom printed."
    )))]
    relocated: Relocated,
    /// Class bounds are the powers of this number, in pages that the host writes between two writes of a page: class 0
    /// is below `base`, class 1 below its square, and so on. The last class has all others, and pages never written
    /// before. Absent: the smallest base whose last bound reaches the number of logical pages.
    #[schemars(extend("x-alternatives" = unprinted(
        &["64", "4096"],
        "Where one class ends and the next begins is seldom printed."
    )))]
    base: Option<u32>,
}

impl Default for Parameters {
    fn default() -> Self {
        Self { open_blocks: 4, relocated: Relocated::default(), base: None }
    }
}

pub const MEMBER: Member<Build> = Member {
    name: "by-lifetime",
    about: "an open block for each class of time between the last two writes of a page",
    parameters: &ParameterSpec::of::<Parameters>(),
    conflicts: CONFLICTS,
    metrics: METRICS,
    build: |choice, context| {
        let Parameters { open_blocks, relocated, base } = parameters(choice);
        let terms = Terms::like(open_blocks, relocated, Knows::Ages).checked()?;
        let bounds = open_blocks - 1;
        let base = base.unwrap_or_else(|| reaching(context.geometry.logical_pages, bounds));
        if base < 2 {
            return Err(format!("base = {base}; bounds between classes are its powers, so at least 2"));
        }
        let bounds = (1..=bounds).map(|power| u64::from(base).saturating_pow(power)).collect();
        Ok(Box::new(ByLifetime { terms, bounds }))
    },
};

/// The smallest number, at least 2, of which that power is at least `most`.
fn reaching(most: u32, power: u32) -> u32 {
    let reaches = |base: &u32| u64::from(*base).saturating_pow(power) >= u64::from(most);
    // Of a square or more the base is below 2^16.
    let least = if power == 1 { most.max(2) } else { 2 };
    (least..=u32::MAX).find(reaches).unwrap_or(u32::MAX)
}

struct ByLifetime {
    terms: Terms,
    /// Where the next class begins, pages that the host has written, in ascending order.
    bounds: Box<[u64]>,
}

impl Separation for ByLifetime {
    fn terms(&self) -> Option<Terms> {
        Some(self.terms)
    }

    fn unwritten(&self) -> u8 {
        self.bounds.len() as u8
    }

    fn class(&mut self, write: &PageWrite) -> u8 {
        let reached = |lived: u32| self.bounds.partition_point(|bound| *bound <= u64::from(lived));
        write.since_last.map_or(self.bounds.len(), reached) as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::Lpn;

    #[test]
    fn what_was_never_written_is_of_the_last_class() {
        let terms = Terms::like(3, Relocated::Together, Knows::Ages);
        let mut policy = ByLifetime { terms, bounds: [4, 16].into() };
        let mut class = |since_last| {
            policy.class(&PageWrite { lpn: Lpn(0), stream: 0, class: 0, since_last, valid_pages: 9 })
        };
        let lived = [None, Some(3), Some(4), Some(15), Some(16)];
        assert_eq!(lived.map(&mut class), [2, 0, 1, 1, 2]);
        assert_eq!(policy.unwritten(), 2);
    }

    #[test]
    fn the_base_is_as_small_as_can_be() {
        for (most, power, base) in
            [(1, 1, 2), (2, 1, 2), (3, 1, 3), (1000, 3, 10), (1001, 3, 11), (999, 3, 10)]
        {
            assert_eq!(reaching(most, power), base, "{most} {power}");
        }
        assert_eq!((reaching(u32::MAX, 1), reaching(u32::MAX, 7)), (u32::MAX, 24));
    }
}
