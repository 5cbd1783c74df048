//! FADaC (Kremer and Brinkmann, SYSTOR 2019), as the program of SepBIT abridges it: classes by how often a page was
//! written, in powers of ten of a fading average. The average is of writes per valid page: a request adds its pages,
//! and what was there fades by one part in as many as there are valid pages. Relocation takes one write back.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Build, CONFLICTS, Knows, METRICS, Relocated, Separation, Terms};
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
}

impl Default for Parameters {
    fn default() -> Self {
        Self { open_blocks: 6 }
    }
}

pub const MEMBER: Member<Build> = Member {
    name: "fadac",
    about: "FADaC (as in sepbit): an open block for each power of ten of a page's writes over a fading \
            average",
    parameters: &ParameterSpec::of::<Parameters>(),
    conflicts: CONFLICTS,
    metrics: METRICS,
    build: |choice, context| {
        let Parameters { open_blocks } = parameters(choice);
        let terms = Terms::like(open_blocks, Relocated::ByClass, Knows::Pages).checked()?;
        let state = State { writes: vec![0; context.geometry.stored_pages as usize], average: 0.0 };
        Ok(Box::new(Fadac { terms, state }))
    },
};

struct Fadac {
    terms: Terms,
    state: State,
}

#[derive(Debug, Serialize, Deserialize)]
struct State {
    /// Of each page how often it was written, less how often it was relocated, and not below 0.
    writes: Vec<u32>,
    average: f64,
}

/// Classes are so far apart.
const BASE: f64 = 10.0;

impl Fadac {
    fn class_of(&self, lpn: Lpn) -> u8 {
        let (writes, last) = (f64::from(self.state.writes[lpn.index()]), self.terms.classes as u8 - 1);
        let (mut above, mut class) = (self.state.average, 0);
        while above > 0.0 && writes > above && class < last {
            above *= BASE;
            class += 1;
        }
        class
    }
}

impl Separation for Fadac {
    fn terms(&self) -> Option<Terms> {
        Some(self.terms)
    }

    fn on_request(&mut self, _: Lpn, pages: u32, valid_pages: u64) {
        if valid_pages > 0 {
            let (average, valid) = (self.state.average, valid_pages as f64);
            self.state.average = average + f64::from(pages) / valid - average / valid;
        }
    }

    fn class(&mut self, write: &PageWrite) -> u8 {
        let writes = &mut self.state.writes[write.lpn.index()];
        *writes = writes.saturating_add(1);
        self.class_of(write.lpn)
    }

    fn relocated_class(&mut self, page: &PageMove) -> u8 {
        let writes = &mut self.state.writes[page.lpn.index()];
        *writes = writes.saturating_sub(1);
        self.class_of(page.lpn)
    }

    fn bytes(&self) -> u64 {
        size_of_val(self.state.writes.as_slice()) as u64
    }

    fn save(&self) -> Vec<u8> {
        postcard::to_stdvec(&self.state).expect("numbers")
    }

    fn load(&mut self, state: &[u8]) -> bool {
        let Ok(state) = postcard::from_bytes::<State>(state) else { return false };
        let fits = state.writes.len() == self.state.writes.len();
        if fits {
            self.state = state;
        }
        fits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pages: usize) -> Fadac {
        let terms = Terms::like(3, Relocated::ByClass, Knows::Pages);
        Fadac { terms, state: State { writes: vec![0; pages], average: 0.0 } }
    }

    fn written(policy: &mut Fadac, lpn: u32, times: u32) -> u8 {
        let write = PageWrite { lpn: Lpn(lpn), stream: 0, class: 0, since_last: None, valid_pages: 0 };
        (0..times).map(|_| policy.class(&write)).last().unwrap()
    }

    fn moved(policy: &mut Fadac, lpn: u32) -> u8 {
        policy.relocated_class(&PageMove { lpn: Lpn(lpn), class: 0, age: None, block_class: 0 })
    }

    #[test]
    fn the_average_is_of_writes_per_valid_page_and_fades() {
        let mut policy = of(1);
        policy.on_request(Lpn(0), 9, 0);
        assert_eq!(policy.state.average, 0.0, "nothing is valid");
        policy.on_request(Lpn(0), 2, 4);
        assert_eq!(policy.state.average, 0.5);
        policy.on_request(Lpn(0), 1, 4);
        assert_eq!(policy.state.average, 0.625, "a quarter more, and an eighth less");
        policy.on_request(Lpn(0), 3, 1);
        assert_eq!(policy.state.average, 3.0, "of the one valid page");
    }

    #[test]
    fn classes_are_powers_of_ten_of_the_average() {
        let mut policy = of(2);
        assert_eq!(written(&mut policy, 0, 9), 0, "of no average");
        policy.state.average = 0.5;
        assert_eq!([1, 4, 1].map(|times| written(&mut policy, 1, times)), [1, 1, 2], "1, 5 and 6 writes");
        policy.state.average = 1.0;
        assert_eq!([1, 4].map(|times| written(&mut policy, 1, times)), [1, 2], "7 and 11 writes");
        assert_eq!(written(&mut policy, 1, 90), 2, "101 writes; there are three classes");
        policy.state.average = 101.0;
        assert_eq!([written(&mut policy, 1, 1), moved(&mut policy, 1)], [1, 0], "102 and 101");
    }

    #[test]
    fn relocation_takes_a_write_back() {
        let mut policy = of(1);
        policy.state.average = 1.0;
        written(&mut policy, 0, 3);
        assert_eq!([0; 4].map(|lpn| moved(&mut policy, lpn)), [1, 0, 0, 0], "2, 1, 0 and 0 writes");
        assert_eq!(policy.state.writes, [0]);
        assert_eq!(written(&mut policy, 0, 2), 1, "of 2 writes");
    }

    #[test]
    fn a_saved_state_goes_on() {
        let mut policy = of(2);
        written(&mut policy, 1, 3);
        policy.state.average = 0.1;
        let mut other = of(2);
        assert!(other.load(&policy.save()));
        assert_eq!((&other.state.writes[..], other.state.average), (&[0, 3][..], 0.1));
        assert!(!of(3).load(&policy.save()) && !other.load(&[]));
        assert_eq!(other.bytes(), 8);
    }
}
