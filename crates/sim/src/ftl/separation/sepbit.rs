//! SepBIT (Wang et al., FAST 2022, section 3 and algorithm 1): blocks are told apart by when their data will be
//! invalid, as far as that can be inferred. What replaces data that lived shortly is short-lived; what collection finds
//! valid lives on the longer the older it is.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Build, CONFLICTS, HOST_ELSEWHERE, Knows, RELOCATED_ELSEWHERE, Separation, Terms};
use crate::mapping::{PageMove, PageWrite};
use crate::metric::{Metric, Reading};
use crate::registry::{Member, ParameterSpec, parameters};
use crate::settings::alternatives::unprinted;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Parameters {
    /// Short-lived is what replaces data younger than ℓ, the mean lifespan of so many victims that were opened for
    /// short-lived data; ℓ is taken anew after each so many. At least 1.
    #[schemars(extend("x-alternatives" = unprinted(
        &["4", "16", "64"],
        "The paper takes 16 segments of a log; a drive has an open block in every plane."
    )))]
    lifespans: u32,
}

impl Default for Parameters {
    fn default() -> Self {
        Self { lifespans: 16 }
    }
}

/// What is written as short-lived, and the rest.
const OF_HOST: u32 = 2;
const SHORT_LIVED: u8 = 0;
const LONG_LIVED: u8 = 1;

/// Relocated pages: out of a block of short-lived data; and others younger than 4 ℓ, than 16 ℓ, or older.
const RELOCATED: u32 = 4;
const AGES: [u64; 2] = [4, 16];

pub const MEMBER: Member<Build> = Member {
    name: "sepbit",
    about: "SepBIT: two open blocks by the age of what is replaced, four by the age of what is relocated",
    parameters: &ParameterSpec::of::<Parameters>(),
    conflicts: CONFLICTS,
    metrics: &[HOST_ELSEWHERE, RELOCATED_ELSEWHERE, SHORT_LIVED_PAGES],
    build: |choice, _| {
        let Parameters { lifespans } = parameters(choice);
        if lifespans == 0 {
            return Err("lifespans = 0; a mean is taken of at least 1".to_owned());
        }
        Ok(Box::new(SepBit { lifespans: lifespans.into(), state: State::default(), short_lived: 0 }))
    },
};

const SHORT_LIVED_PAGES: Metric = Metric {
    name: "short_lived_pages",
    unit: "pages",
    about: "Pages of the host that were written as short-lived.",
};

struct SepBit {
    /// How many lifespans make a mean.
    lifespans: u64,
    state: State,
    short_lived: u64,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct State {
    /// The sum of the lifespans of which ℓ is the mean, once there are as many.
    sum: Option<u64>,
    /// The same of those since, and how many they are.
    next_sum: u64,
    next_count: u64,
    /// Of so many writes, the last ones, the pages are remembered: the length of the paper's queue.
    remembered: u64,
}

impl SepBit {
    /// Whether so many pages are fewer than `times` ℓ. Before that is known, all are.
    fn below(&self, pages: u64, times: u64) -> bool {
        self.state.sum.is_none_or(|sum| pages * self.lifespans < times * sum)
    }

    /// Whether the queue is longer than ℓ.
    fn remembers_too_much(&self) -> bool {
        self.state.sum.is_some_and(|sum| self.state.remembered * self.lifespans > sum)
    }
}

impl Separation for SepBit {
    fn terms(&self) -> Option<Terms> {
        Some(Terms { classes: OF_HOST, relocated: RELOCATED, knows: Knows::Blocks })
    }

    fn unwritten(&self) -> u8 {
        LONG_LIVED
    }

    fn class(&mut self, write: &PageWrite) -> u8 {
        let lived = write.since_last.map(u64::from).filter(|lived| *lived < self.state.remembered);
        let short = lived.is_some_and(|lived| self.below(lived, 1));
        self.state.remembered += 1;
        // The queue forgets at most two pages a write, one of them for being longer than there are valid pages.
        if self.state.remembered > write.valid_pages || self.remembers_too_much() {
            self.state.remembered -= 1;
            if self.remembers_too_much() {
                self.state.remembered -= 1;
            }
        }
        self.short_lived += u64::from(short);
        if short { SHORT_LIVED } else { LONG_LIVED }
    }

    fn relocated_class(&mut self, page: &PageMove) -> u8 {
        if page.block_class == SHORT_LIVED {
            return 0;
        }
        // Nobody has seen the host write it: it is older than everything.
        let age = page.age.map_or(u64::from(u32::MAX), u64::from);
        1 + AGES.iter().filter(|times| !self.below(age, **times)).count() as u8
    }

    fn on_victim(&mut self, block_class: u8, lived: u32) {
        if block_class != SHORT_LIVED {
            return;
        }
        self.state.next_sum += u64::from(lived);
        self.state.next_count += 1;
        if self.state.next_count == self.lifespans {
            self.state.sum = Some(self.state.next_sum);
            (self.state.next_sum, self.state.next_count) = (0, 0);
        }
    }

    fn save(&self) -> Vec<u8> {
        postcard::to_stdvec(&self.state).expect("numbers")
    }

    fn load(&mut self, state: &[u8]) -> bool {
        postcard::from_bytes(state).map(|state| self.state = state).is_ok()
    }

    fn metrics(&self, elsewhere: [u64; 2]) -> Vec<Reading> {
        vec![
            HOST_ELSEWHERE.is(elsewhere[0]),
            RELOCATED_ELSEWHERE.is(elsewhere[1]),
            SHORT_LIVED_PAGES.is(self.short_lived),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::Lpn;

    fn of(lifespans: u64) -> SepBit {
        SepBit { lifespans, state: State::default(), short_lived: 0 }
    }

    fn write(policy: &mut SepBit, since_last: Option<u32>, valid_pages: u64) -> u8 {
        policy.class(&PageWrite { lpn: Lpn(0), stream: 0, class: 0, since_last, valid_pages })
    }

    fn moved(policy: &mut SepBit, age: Option<u32>, block_class: u8) -> u8 {
        policy.relocated_class(&PageMove { lpn: Lpn(0), class: 0, age, block_class })
    }

    #[test]
    fn what_replaces_young_data_is_short_lived() {
        let mut policy = of(1);
        assert_eq!(write(&mut policy, None, 9), LONG_LIVED, "never written");
        assert_eq!(
            write(&mut policy, Some(1), 9),
            LONG_LIVED,
            "one write is remembered: younger than that is none"
        );
        assert_eq!(write(&mut policy, Some(1), 9), SHORT_LIVED);
        assert_eq!(write(&mut policy, Some(3), 9), LONG_LIVED, "as old as the queue is long");
        // ℓ = 2.
        policy.on_victim(LONG_LIVED, 7);
        policy.on_victim(SHORT_LIVED, 2);
        assert_eq!(write(&mut policy, Some(2), 9), LONG_LIVED);
        assert_eq!(write(&mut policy, Some(1), 9), SHORT_LIVED);
        assert_eq!(policy.short_lived, 2);
    }

    #[test]
    fn the_queue_forgets_what_is_older_than_the_mean_and_what_is_not_valid() {
        let mut policy = of(2);
        for _ in 0..6 {
            write(&mut policy, None, 4);
        }
        assert_eq!(policy.state.remembered, 4, "no longer than there are valid pages");
        policy.on_victim(SHORT_LIVED, 2);
        assert_eq!(policy.state.sum, None, "a mean of two");
        policy.on_victim(SHORT_LIVED, 3);
        // ℓ = 2.5, and the queue loses one page a write until it holds two.
        let lengths = [0; 3].map(|_| {
            write(&mut policy, None, 4);
            policy.state.remembered
        });
        assert_eq!(lengths, [3, 2, 2]);
        policy.state.remembered = 3;
        assert_eq!(write(&mut policy, Some(2), 4), SHORT_LIVED, "below 2.5");
        policy.state.remembered = 4;
        assert_eq!(write(&mut policy, Some(3), 4), LONG_LIVED);
    }

    /// ℓ = 2: as long as that the queue may be, and it loses a page when it is longer.
    #[test]
    fn the_queue_may_be_as_long_as_the_mean() {
        let mut policy = of(1);
        policy.on_victim(SHORT_LIVED, 2);
        let lengths = [0; 3].map(|_| {
            write(&mut policy, None, 9);
            policy.state.remembered
        });
        assert_eq!(lengths, [1, 2, 2]);
        assert_eq!(policy.unwritten(), LONG_LIVED);
    }

    #[test]
    fn relocated_pages_go_by_their_block_and_their_age() {
        let mut policy = of(2);
        assert_eq!(
            [Some(0), Some(1 << 30), None].map(|age| moved(&mut policy, age, 1)),
            [1; 3],
            "nothing is known"
        );
        // ℓ = 2.5: 10 and 40 are the bounds.
        policy.on_victim(SHORT_LIVED, 2);
        policy.on_victim(SHORT_LIVED, 3);
        let ages = [Some(9), Some(10), Some(39), Some(40), None];
        assert_eq!(ages.map(|age| moved(&mut policy, age, 1)), [1, 2, 2, 3, 3]);
        assert_eq!(ages.map(|age| moved(&mut policy, age, 5)), [1, 2, 2, 3, 3]);
        assert_eq!(ages.map(|age| moved(&mut policy, age, SHORT_LIVED)), [0; 5]);
    }

    #[test]
    fn a_saved_state_goes_on() {
        let mut policy = of(2);
        for _ in 0..3 {
            write(&mut policy, Some(1), 9);
        }
        policy.on_victim(SHORT_LIVED, 2);
        let mut other = of(2);
        assert!(other.load(&policy.save()));
        assert_eq!(other.save(), policy.save());
        other.on_victim(SHORT_LIVED, 3);
        assert_eq!(other.state.sum, Some(5));
        assert!(!other.load(&[]));
    }
}
