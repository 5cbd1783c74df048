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
        Ok(Box::new(Dac { terms, above: vec![0; context.geometry.stored_pages as usize] }))
    },
};

struct Dac {
    terms: Terms,
    /// The region of each page and 1; 0 if it has none. A table of zeros costs nothing until it is used, and a drive is
    /// built many times before it runs.
    above: Vec<u8>,
}

impl Separation for Dac {
    fn terms(&self) -> Option<Terms> {
        Some(self.terms)
    }

    fn class(&mut self, write: &PageWrite) -> u8 {
        let above = &mut self.above[write.lpn.index()];
        *above = (*above + 1).min(self.terms.classes as u8);
        *above - 1
    }

    fn relocated_class(&mut self, page: &PageMove) -> u8 {
        let above = &mut self.above[page.lpn.index()];
        *above = above.saturating_sub(1).max(1);
        *above - 1
    }

    fn bytes(&self) -> u64 {
        self.above.len() as u64
    }

    fn save(&self) -> Vec<u8> {
        self.above.clone()
    }

    fn load(&mut self, state: &[u8]) -> bool {
        let fits = state.len() == self.above.len();
        if fits {
            self.above.copy_from_slice(state);
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
        Dac { terms, above: vec![0; pages] }
    }

    #[test]
    fn a_write_moves_a_page_up_and_a_relocation_down() {
        let mut dac = of(2);
        let mut write = |lpn| {
            dac.class(&PageWrite { lpn: Lpn(lpn), stream: 0, class: 0, since_last: None, valid_pages: 0 })
        };
        assert_eq!([write(0), write(0), write(0), write(0)], [0, 1, 2, 2]);
        let mut moved =
            |lpn| dac.relocated_class(&PageMove { lpn: Lpn(lpn), class: 0, age: None, block_class: 0 });
        assert_eq!([moved(0), moved(0), moved(0), moved(1)], [1, 0, 0, 0]);
        assert_eq!(dac.above, [1, 1], "what was relocated has a region");
    }

    #[test]
    fn a_saved_state_goes_on() {
        let mut dac = of(2);
        dac.above = vec![3, 0];
        let mut other = of(2);
        assert!(other.load(&dac.save()));
        assert_eq!(other.above, dac.above);
        assert!(!other.load(&[0]) && !of(3).load(&dac.save()));
        assert_eq!((other.bytes(), other.unwritten()), (2, 0), "a byte a page");
    }
}
