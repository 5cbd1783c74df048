//! DAC (Chiang, Lee and Chang, Software: Practice and Experience 1999), as the program of SepBIT has it: regions by how
//! often a page was written. Every write moves a page one region up, every relocation one down. The paper's conditions
//! on the time between writes are not in that program, and not here.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Build, CONFLICTS, Knows, METRICS, Relocated, Separation, Terms};
use crate::mapping::{PageMove, PageWrite};
use crate::registry::{Member, ParameterSpec, parameters};
use crate::settings::alternatives::unprinted;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Parameters {
    /// Regions, from 2 to 8: each has two open blocks in every plane, one of the host and one of collection.
    #[schemars(extend("x-alternatives" = unprinted(
        &["4", "6", "8"],
        "How many regions a drive keeps apart is seldom printed."
    )))]
    open_blocks: u32,
}

impl Default for Parameters {
    fn default() -> Self {
        Self { open_blocks: 6 }
    }
}

pub const MEMBER: Member<Build> = Member {
    name: "dac",
    about: "DAC: an open block for each region; a write moves a page one region up, a relocation one down",
    parameters: &ParameterSpec::of::<Parameters>(),
    conflicts: CONFLICTS,
    metrics: METRICS,
    build: |choice, context| {
        let Parameters { open_blocks } = parameters(choice);
        let terms = Terms::like(open_blocks, Relocated::ByClass, Knows::Pages).checked()?;
        Ok(Box::new(Dac { terms, regions: vec![NEVER_WRITTEN; context.geometry.stored_pages as usize] }))
    },
};

const NEVER_WRITTEN: u8 = u8::MAX;

struct Dac {
    terms: Terms,
    /// The region of each page.
    regions: Vec<u8>,
}

impl Separation for Dac {
    fn terms(&self) -> Option<Terms> {
        Some(self.terms)
    }

    fn class(&mut self, write: &PageWrite) -> u8 {
        let region = &mut self.regions[write.lpn.index()];
        *region = match *region {
            NEVER_WRITTEN => 0,
            region => (region + 1).min(self.terms.classes as u8 - 1),
        };
        *region
    }

    fn relocated_class(&mut self, page: &PageMove) -> u8 {
        let region = &mut self.regions[page.lpn.index()];
        *region = match *region {
            NEVER_WRITTEN => 0,
            region => region.saturating_sub(1),
        };
        *region
    }

    fn bytes(&self) -> u64 {
        self.regions.len() as u64
    }

    fn save(&self) -> Vec<u8> {
        self.regions.clone()
    }

    fn load(&mut self, state: &[u8]) -> bool {
        let fits = state.len() == self.regions.len();
        if fits {
            self.regions.copy_from_slice(state);
        }
        fits
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::Lpn;

    fn of(pages: usize) -> Dac {
        let terms = Terms::like(3, Relocated::ByClass, Knows::Pages);
        Dac { terms, regions: vec![NEVER_WRITTEN; pages] }
    }

    #[test]
    fn a_write_moves_a_page_up_and_a_relocation_down() {
        let mut dac = of(2);
        let mut write =
            |lpn| dac.class(&PageWrite { lpn: Lpn(lpn), stream: 0, since_last: None, valid_pages: 0 });
        assert_eq!([write(0), write(0), write(0), write(0)], [0, 1, 2, 2]);
        let mut moved =
            |lpn| dac.relocated_class(&PageMove { lpn: Lpn(lpn), class: 0, age: None, block_class: 0 });
        assert_eq!([moved(0), moved(0), moved(0), moved(1)], [1, 0, 0, 0]);
        assert_eq!(dac.regions, [0, 0], "what was relocated has a region");
    }

    #[test]
    fn a_saved_state_goes_on() {
        let mut dac = of(2);
        dac.regions = vec![2, NEVER_WRITTEN];
        let mut other = of(2);
        assert!(other.load(&dac.save()));
        assert_eq!(other.regions, dac.regions);
        assert!(!other.load(&[0]) && !of(3).load(&dac.save()));
    }
}
