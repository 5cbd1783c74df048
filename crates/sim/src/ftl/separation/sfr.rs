//! SFR of AutoStream (Yang et al., SYSTOR 2017), as the program of SepBIT has it: sequential writes go where the
//! request before them went, others by how often and how recently their chunk of the address space was written. The
//! weight of a chunk halves with every period without a write to it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Build, CONFLICTS, HOST_ELSEWHERE, Knows, METRICS_OF_HOST, Relocated, Separation, Terms};
use crate::ids::Lpn;
use crate::mapping::PageWrite;
use crate::metric::Reading;
use crate::registry::{Member, ParameterSpec, parameters};
use crate::settings::alternatives::unprinted;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Parameters {
    /// Classes of what the host writes, from 2 to 8: each has an open block in every plane, and what collection
    /// relocates has one more.
    #[schemars(extend("x-alternatives" = unprinted(
        &["3", "5", "8"],
        "How many streams a drive keeps apart is seldom printed."
    )))]
    open_blocks: u32,
    /// Pages of a chunk, from 1.
    #[schemars(extend("x-alternatives" = unprinted(
        &["×0.25", "×4"],
        "Chunks are as large as the memory for their counters permits."
    )))]
    chunk_pages: u32,
    /// Pages that the host writes while the weight of a chunk that it does not write halves, from 1.
    #[schemars(extend("x-alternatives" = unprinted(
        &["×0.25", "×4"],
        "How fast old writes are forgotten is a matter of tuning."
    )))]
    decay: u32,
}

impl Default for Parameters {
    fn default() -> Self {
        Self { open_blocks: 5, chunk_pages: 512, decay: 16_384 }
    }
}

pub const MEMBER: Member<Build> = Member {
    name: "sfr",
    about: "SFR of AutoStream: an open block for each class of how often a chunk is written; sequential \
            writes stay",
    parameters: &ParameterSpec::of::<Parameters>(),
    conflicts: CONFLICTS,
    metrics: METRICS_OF_HOST,
    build: |choice, context| {
        let Parameters { open_blocks, chunk_pages, decay } = parameters(choice);
        let terms = Terms::like(open_blocks, Relocated::Together, Knows::Pages).checked()?;
        for (key, value) in [("chunk_pages", chunk_pages), ("decay", decay)] {
            if value == 0 {
                return Err(format!("{key} = 0; at least 1"));
            }
        }
        let chunks = context.geometry.stored_pages.div_ceil(chunk_pages) as usize;
        let state = State { chunks: vec![(0, 0); chunks], ..State::default() };
        Ok(Box::new(Sfr { terms, chunk_pages, decay, state }))
    },
};

struct Sfr {
    terms: Terms,
    chunk_pages: u32,
    decay: u32,
    state: State,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct State {
    /// Of each chunk the weight of its writes, and how many pages had been written at the last of them.
    chunks: Vec<(u32, u64)>,
    /// Pages that the host has written.
    now: u64,
    /// The page behind the last request, and the class of what was written last.
    end: u32,
    class: u8,
    /// Whether the request begins where the one before has ended.
    is_sequential: bool,
}

impl Separation for Sfr {
    fn terms(&self) -> Option<Terms> {
        Some(self.terms)
    }

    fn on_request(&mut self, first: Lpn, pages: u32, _: u64) {
        let State { chunks, now, end, is_sequential, .. } = &mut self.state;
        *is_sequential = first.0 == *end;
        *end = first.0 + pages;
        let last = (*end - 1) / self.chunk_pages;
        for (weight, written) in
            chunks.iter_mut().take(last as usize + 1).skip((first.0 / self.chunk_pages) as usize)
        {
            let halved = (*now - *written) / u64::from(self.decay);
            *weight = weight.checked_shr(halved.min(32) as u32).unwrap_or(0).saturating_add(1);
            *written = *now;
        }
    }

    fn class(&mut self, write: &PageWrite) -> u8 {
        self.state.now += 1;
        if !self.state.is_sequential {
            let weight = self.state.chunks[write.lpn.index() / self.chunk_pages as usize].0;
            self.state.class = natural_logarithm(weight).min(self.terms.classes - 1) as u8;
        }
        self.state.class
    }

    fn bytes(&self) -> u64 {
        size_of_val(self.state.chunks.as_slice()) as u64
    }

    fn metrics(&self, [host, _]: [u64; 2]) -> Vec<Reading> {
        vec![HOST_ELSEWHERE.is(host)]
    }

    fn save(&self) -> Vec<u8> {
        postcard::to_stdvec(&self.state).expect("numbers")
    }

    fn load(&mut self, state: &[u8]) -> bool {
        let Ok(state) = postcard::from_bytes::<State>(state) else { return false };
        let fits = state.chunks.len() == self.state.chunks.len();
        if fits {
            self.state = state;
        }
        fits
    }
}

/// The least whole numbers whose natural logarithm is not below 1, 2, ..., 7: more classes there are not.
const POWERS_OF_E: [u32; 7] = [3, 8, 21, 55, 149, 404, 1097];

/// The natural logarithm, rounded down; 0 of 0, and 7 of all above.
fn natural_logarithm(number: u32) -> u32 {
    POWERS_OF_E.iter().filter(|power| number >= **power).count() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Four chunks of 4 pages, three classes; weights halve every 10 pages.
    fn of() -> Sfr {
        let terms = Terms::like(3, Relocated::Together, Knows::Pages);
        let state = State { chunks: vec![(0, 0); 4], ..State::default() };
        Sfr { terms, chunk_pages: 4, decay: 10, state }
    }

    /// The class of the last page of a request.
    fn request(policy: &mut Sfr, first: u32, pages: u32) -> u8 {
        policy.on_request(Lpn(first), pages, 99);
        let mut write = |lpn| {
            policy.class(&PageWrite { lpn: Lpn(lpn), stream: 0, class: 0, since_last: None, valid_pages: 9 })
        };
        (first..first + pages).map(&mut write).last().unwrap()
    }

    fn weights(policy: &Sfr) -> Vec<u32> {
        policy.state.chunks.iter().map(|(weight, _)| *weight).collect()
    }

    #[test]
    fn logarithms_are_those_of_arithmetic() {
        assert_eq!(natural_logarithm(0), 0);
        for number in 1..3000_u32 {
            assert_eq!(natural_logarithm(number), (f64::from(number).ln() as u32).min(7), "{number}");
        }
    }

    #[test]
    fn classes_go_by_how_often_a_chunk_is_written() {
        let mut policy = of();
        assert_eq!([8, 9, 8, 10, 8].map(|page| request(&mut policy, page, 1)), [0, 0, 1, 1, 1]);
        assert_eq!(weights(&policy), [0, 0, 5, 0]);
        assert_eq!([10, 8, 10].map(|page| request(&mut policy, page, 1)), [1, 1, 2], "e² is between 7 and 8");
        // Eight pages were written. A request over two chunks counts for both; each page has the class of its own.
        assert_eq!(request(&mut policy, 6, 3), 2);
        assert_eq!(weights(&policy), [0, 1, 9, 0]);
        policy.on_request(Lpn(14), 9, 99);
        assert_eq!(weights(&policy), [0, 1, 9, 1], "pages behind the last chunk count for none");
    }

    #[test]
    fn there_are_no_more_classes_than_permitted() {
        let mut policy = of();
        policy.state.chunks[2].0 = 54;
        assert_eq!(request(&mut policy, 8, 1), 2, "e⁴ is between 54 and 55");
    }

    #[test]
    fn sequential_writes_stay_where_the_last_one_went() {
        let mut policy = of();
        assert_eq!(request(&mut policy, 0, 1), 0, "as if something had ended at page 0");
        assert!(policy.state.is_sequential);
        assert_eq!([8, 8, 8].map(|page| request(&mut policy, page, 4)), [0, 0, 1]);
        assert_eq!(weights(&policy), [1, 0, 3, 0], "up to the end of their chunk");
        assert_eq!(request(&mut policy, 12, 2), 1, "behind page 11, though its chunk was never written");
        assert_eq!(request(&mut policy, 14, 1), 1);
        assert_eq!(request(&mut policy, 14, 1), 1, "again: its chunk was written three times");
        assert_eq!(request(&mut policy, 4, 1), 0);
    }

    #[test]
    fn weights_halve_with_every_period() {
        let mut policy = of();
        for _ in 0..9 {
            request(&mut policy, 9, 1);
        }
        assert_eq!(policy.state.chunks[2], (9, 8), "the last when eight pages had been written");
        // 18 is a period later, 28 two.
        let mut at = |now| {
            policy.state.chunks[2] = (9, 8);
            policy.state.now = now;
            policy.on_request(Lpn(9), 1, 99);
            policy.state.chunks[2]
        };
        assert_eq!([at(17), at(18), at(27), at(28)], [(10, 17), (5, 18), (5, 27), (3, 28)]);
        assert_eq!(at(8 + 320), (1, 328), "a weight has 32 bits");
    }

    #[test]
    fn a_saved_state_goes_on() {
        let mut policy = of();
        request(&mut policy, 8, 3);
        let mut other = of();
        assert!(other.load(&policy.save()));
        assert_eq!((other.save(), other.state.end), (policy.save(), 11));
        let fewer = State { chunks: vec![(0, 0); 3], ..State::default() };
        assert!(!other.load(&[]) && !other.load(&postcard::to_stdvec(&fewer).unwrap()));
        assert_eq!(other.bytes(), 4 * 16);
        assert_eq!(other.metrics([7, 8]), [HOST_ELSEWHERE.is(7)]);
    }
}
