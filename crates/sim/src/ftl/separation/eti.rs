//! ETI, extent-based temperature identification (Shafaei, Desnoyers and Fitzpatrick, HotStorage 2016), as the program
//! of SepBIT has it: the address space is cut into extents where requests begin and end, and an extent that was written
//! often lately is hot. Temperatures halve from time to time, and neighbours that are alike become one again.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Build, CONFLICTS, HOST_ELSEWHERE, Knows, METRICS_OF_HOST, Separation, Terms};
use crate::ids::Lpn;
use crate::mapping::PageWrite;
use crate::metric::Reading;
use crate::registry::{Member, ParameterSpec, parameters};
use crate::settings::alternatives::unprinted;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Parameters {
    /// Most extents that there are, from 1; an extent is cut only while there are fewer.
    #[schemars(extend("x-alternatives" = unprinted(
        &["×0.25", "×4"],
        "How many extents are kept is a matter of memory."
    )))]
    extents: u32,
    /// Requests between two halvings of all temperatures, from 1.
    #[schemars(extend("x-alternatives" = unprinted(
        &["×0.25", "×4"],
        "How fast old writes are forgotten is a matter of tuning."
    )))]
    halving: u32,
}

impl Default for Parameters {
    fn default() -> Self {
        Self { extents: 1024, halving: 4096 }
    }
}

pub const MEMBER: Member<Build> = Member {
    name: "eti",
    about: "ETI: an open block for extents of the address space that are written often, and one for the rest",
    parameters: &ParameterSpec::of::<Parameters>(),
    conflicts: CONFLICTS,
    metrics: METRICS_OF_HOST,
    build: |choice, _| {
        let Parameters { extents, halving } = parameters(choice);
        for (key, value) in [("extents", extents), ("halving", halving)] {
            if value == 0 {
                return Err(format!("{key} = 0; at least 1"));
            }
        }
        Ok(Box::new(Eti { most: extents as usize, halving, state: State::default() }))
    },
};

/// Classes of the host.
const HOT: u8 = 0;
const COLD: u8 = 1;

/// From here on an extent is hot, and further it does not rise.
const HOT_FROM: u8 = 4;
const HOTTEST: u8 = 15;

struct Eti {
    most: usize,
    halving: u32,
    state: State,
}

#[derive(Debug, Serialize, Deserialize)]
struct State {
    /// First page and temperature of each extent, ascending; it ends where the next begins, the last one nowhere.
    extents: Vec<(u32, u8)>,
    /// Requests since temperatures were halved.
    requests: u32,
}

impl Default for State {
    fn default() -> Self {
        Self { extents: vec![(0, 0)], requests: 0 }
    }
}

impl Eti {
    /// Temperatures halve; of neighbours that are equal, or both cold, the first goes on.
    fn halve(&mut self) {
        let mut before = None;
        self.state.extents.retain_mut(|(_, temperature)| {
            *temperature /= 2;
            let alike = |before: u8| before == *temperature || before.max(*temperature) < HOT_FROM;
            let kept = !before.is_some_and(alike);
            if kept {
                before = Some(*temperature);
            }
            kept
        });
    }

    /// Which extent holds a page.
    fn at(&self, page: u32) -> usize {
        // The first begins at page 0.
        self.state.extents.partition_point(|(first, _)| *first <= page) - 1
    }
}

impl Separation for Eti {
    fn terms(&self) -> Option<Terms> {
        Some(Terms { classes: 2, relocated: 1, knows: Knows::Pages })
    }

    fn unwritten(&self) -> u8 {
        COLD
    }

    /// What the request covers of each extent becomes warmer, and an extent of its own.
    fn on_request(&mut self, first: Lpn, pages: u32, _: u64) {
        self.state.requests += 1;
        if self.state.requests >= self.halving {
            self.halve();
            self.state.requests = 0;
        }
        let (mut from, end, mut at) = (first.0, first.0 + pages, self.at(first.0));
        let extents = &mut self.state.extents;
        while from < end {
            let (begin, temperature) = extents[at];
            let behind = extents.get(at + 1).map_or(u32::MAX, |(next, _)| *next);
            let is_whole = begin == from && end >= behind;
            if temperature < HOTTEST && (is_whole || extents.len() < self.most) {
                if begin == from {
                    extents[at].1 += 1;
                } else {
                    at += 1;
                    extents.insert(at, (from, temperature + 1));
                }
                if end < behind {
                    extents.insert(at + 1, (end, temperature));
                }
            }
            (from, at) = (behind, at + 1);
        }
    }

    fn class(&mut self, write: &PageWrite) -> u8 {
        if self.state.extents[self.at(write.lpn.0)].1 >= HOT_FROM { HOT } else { COLD }
    }

    fn bytes(&self) -> u64 {
        (self.most * size_of::<(u32, u8)>()) as u64
    }

    fn metrics(&self, [host, _]: [u64; 2]) -> Vec<Reading> {
        vec![HOST_ELSEWHERE.is(host)]
    }

    fn save(&self) -> Vec<u8> {
        postcard::to_stdvec(&self.state).expect("numbers")
    }

    fn load(&mut self, state: &[u8]) -> bool {
        postcard::from_bytes(state).map(|state| self.state = state).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(most: usize, halving: u32) -> Eti {
        Eti { most, halving, state: State::default() }
    }

    fn requests(policy: &mut Eti, requests: &[(u32, u32)]) -> Vec<(u32, u8)> {
        for (first, pages) in requests {
            policy.on_request(Lpn(*first), *pages, 99);
        }
        policy.state.extents.clone()
    }

    fn class(policy: &mut Eti, lpn: u32) -> u8 {
        policy.class(&PageWrite { lpn: Lpn(lpn), stream: 0, class: 0, since_last: None, valid_pages: 9 })
    }

    #[test]
    fn extents_are_cut_where_requests_begin_and_end() {
        let mut policy = of(9, 99);
        assert_eq!(requests(&mut policy, &[(4, 4)]), [(0, 0), (4, 1), (8, 0)], "in the middle");
        assert_eq!(requests(&mut policy, &[(4, 2)]), [(0, 0), (4, 2), (6, 1), (8, 0)], "the first half");
        assert_eq!(
            requests(&mut policy, &[(7, 1)]),
            [(0, 0), (4, 2), (6, 1), (7, 2), (8, 0)],
            "the last part"
        );
        assert_eq!(requests(&mut policy, &[(6, 1)]), [(0, 0), (4, 2), (6, 2), (7, 2), (8, 0)], "the whole");
        let over_all = [(0, 0), (3, 1), (4, 3), (6, 3), (7, 3), (8, 1), (9, 0)];
        assert_eq!(requests(&mut policy, &[(3, 6)]), over_all, "several, of each what is covered");
    }

    #[test]
    fn there_are_no_more_extents_than_permitted_before_one_is_cut() {
        let mut policy = of(3, 99);
        assert_eq!(requests(&mut policy, &[(0, 2)]), [(0, 1), (2, 0)]);
        assert_eq!(requests(&mut policy, &[(3, 1)]), [(0, 1), (2, 0), (3, 1), (4, 0)], "there were two");
        assert_eq!(requests(&mut policy, &[(0, 1), (1, 1), (6, 1)]), [(0, 1), (2, 0), (3, 1), (4, 0)]);
        assert_eq!(
            requests(&mut policy, &[(1, 3)]),
            [(0, 1), (2, 1), (3, 2), (4, 0)],
            "what is covered wholly"
        );
        assert_eq!(requests(&mut of(3, 99), &[(0, 2), (2, 1), (6, 1)]), [(0, 1), (2, 1), (3, 0)], "three");
    }

    #[test]
    fn what_is_written_often_is_hot() {
        let mut policy = of(9, 99);
        requests(&mut policy, &[(4, 2); 3]);
        assert_eq!(class(&mut policy, 4), COLD, "written three times");
        requests(&mut policy, &[(4, 2)]);
        assert_eq!([3, 4, 5, 6].map(|page| class(&mut policy, page)), [1, 0, 0, 1]);
        assert_eq!(requests(&mut policy, &[(4, 2); 20])[1], (4, 15));
        assert_eq!(requests(&mut policy, &[(4, 1)])[1..], [(4, 15), (6, 0)], "not even cut");
        let terms = policy.terms().unwrap();
        assert_eq!((policy.unwritten(), terms.classes, terms.relocated), (1, 2, 1));
    }

    #[test]
    fn temperatures_halve_and_neighbours_that_are_alike_join() {
        let mut policy = of(9, 3);
        policy.state.extents = vec![(0, 7), (1, 1), (2, 8), (3, 9), (4, 10), (6, 0)];
        assert_eq!(requests(&mut policy, &[(9, 1), (9, 1)])[..5], [(0, 7), (1, 1), (2, 8), (3, 9), (4, 10)]);
        // Halves are 3, 0, 4, 4, 5, 0, and 1 of page 9, which joins page 6; then page 9 is written.
        let halved = [(0, 3), (2, 4), (4, 5), (6, 0), (9, 1), (10, 0)];
        assert_eq!(requests(&mut policy, &[(9, 1)]), halved);
        assert_eq!(policy.state.requests, 0);
        assert_eq!(requests(&mut policy, &[(2, 2); 2])[1], (2, 6), "the next halving comes with the third");
    }

    #[test]
    fn a_saved_state_goes_on() {
        let mut policy = of(9, 9);
        requests(&mut policy, &[(4, 4), (5, 1)]);
        let mut other = of(9, 9);
        assert!(other.load(&policy.save()));
        assert_eq!((other.state.requests, other.save()), (2, policy.save()));
        assert!(!other.load(&[]));
        assert_eq!(other.bytes(), 9 * 8);
        assert_eq!(other.metrics([7, 8]), [HOST_ELSEWHERE.is(7)]);
    }
}
