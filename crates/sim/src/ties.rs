//! Breaks ties: among several that are as good as each other, one is taken by a declared rule, so that no chip, plane
//! or controller does more than its share because of its number. `docs/model.md`, section 19.

use serde::{Deserialize, Serialize};

use crate::random::RandomStream;
use crate::settings::Ties;

/// The rule of one place where something is chosen, and what it remembers.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct TieBreaker {
    ties: Ties,
    /// By number: how many were taken up to when it was taken last, 0 if never. Empty unless that is the rule.
    taken: Box<[u64]>,
    /// How many were taken.
    takes: u64,
    stream: RandomStream,
}

impl TieBreaker {
    /// Among things that are numbered from 0 to below `count`; `stream` is that of the place.
    pub fn new(ties: Ties, count: u32, stream: RandomStream) -> Self {
        let remembered = if ties == Ties::Rotating { count as usize } else { 0 };
        Self { ties, taken: vec![0; remembered].into(), takes: 0, stream }
    }

    /// What it remembers, for a snapshot.
    pub fn save(&self) -> Vec<u8> {
        postcard::to_stdvec(self).expect("plain tables can be written down")
    }

    /// Takes up what was saved of one with the same rule for as many things. Tells whether it was understood.
    pub fn load(&mut self, state: &[u8]) -> bool {
        postcard::from_bytes(state).is_ok_and(|saved| self.take_up(saved))
    }

    /// The same of one that was saved together with others.
    pub fn take_up(&mut self, saved: Self) -> bool {
        let fits = (self.ties, self.taken.len()) == (saved.ties, saved.taken.len());
        if fits {
            *self = saved;
        }
        fits
    }

    /// The number of the candidate of the least rank, of several of those the one that the rule says. Candidates are
    /// `(rank, number)` in ascending order of their numbers. `None` if there are none.
    #[inline]
    pub fn choose<Rank: Ord>(
        &mut self,
        candidates: impl Iterator<Item = (Rank, u32)> + Clone,
    ) -> Option<u32> {
        match self.ties {
            Ties::Lowest => candidates.min().map(|(_, number)| number),
            Ties::Rotating => self.rotate(candidates),
            Ties::Random => self.draw(candidates),
        }
    }

    fn rotate<Rank: Ord>(&mut self, candidates: impl Iterator<Item = (Rank, u32)>) -> Option<u32> {
        let ranked = candidates.map(|(rank, number)| (rank, self.taken[number as usize], number));
        let (.., chosen) = ranked.min()?;
        self.takes += 1;
        self.taken[chosen as usize] = self.takes;
        Some(chosen)
    }

    /// Twice through the candidates rather than once with a draw for each equal: a single candidate draws nothing.
    fn draw<Rank: Ord>(&mut self, candidates: impl Iterator<Item = (Rank, u32)> + Clone) -> Option<u32> {
        let (least, first) = candidates.clone().min()?;
        let mut equals = candidates.filter(|(rank, _)| *rank == least);
        let count = equals.clone().count() as u32;
        if count == 1 { Some(first) } else { equals.nth(self.stream.below(count) as usize).map(|(_, at)| at) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn breaker(ties: Ties) -> TieBreaker {
        TieBreaker::new(ties, 4, RandomStream::new(42, "victim"))
    }

    fn chosen(breaker: &mut TieBreaker, candidates: &[(u32, u32)]) -> Option<u32> {
        breaker.choose(candidates.iter().copied())
    }

    #[test]
    fn lowest_takes_the_least_rank_and_of_equals_the_lowest_number() {
        let mut lowest = breaker(Ties::Lowest);
        assert_eq!(chosen(&mut lowest, &[(5, 0), (3, 1), (3, 2)]), Some(1));
        assert_eq!(chosen(&mut lowest, &[(5, 0), (3, 1), (3, 2)]), Some(1));
        assert_eq!(chosen(&mut lowest, &[]), None);
    }

    /// All never taken: 0, then 1. Then of 0 and 2 the one never taken; of 0 and 1 the one taken first. The rank goes
    /// before: 3 waits although it was never taken. What was taken without a tie counts as taken, too.
    #[test]
    fn rotating_takes_the_one_taken_longest_ago() {
        let mut rotating = breaker(Ties::Rotating);
        let all = [(7, 0), (7, 1), (7, 2), (8, 3)];
        assert_eq!([(); 2].map(|()| chosen(&mut rotating, &all)), [Some(0), Some(1)]);
        assert_eq!(chosen(&mut rotating, &[(7, 0), (7, 2)]), Some(2));
        assert_eq!(chosen(&mut rotating, &[(6, 0), (7, 1), (7, 2)]), Some(0), "alone, and taken");
        assert_eq!(chosen(&mut rotating, &all), Some(1));
        assert_eq!(chosen(&mut rotating, &all), Some(2));
        assert_eq!(chosen(&mut rotating, &[]), None);
        assert_eq!(chosen(&mut rotating, &all), Some(0));
    }

    /// `below(3)` of the stream's first draws: 117, 303, 777, 49 in a thousand are 0, 0, 2, 0 of three.
    #[test]
    fn random_draws_among_equals_only() {
        let mut random = breaker(Ties::Random);
        let three = [(9, 0), (7, 1), (7, 2), (7, 3)];
        assert_eq!(chosen(&mut random, &[(9, 0), (7, 1)]), Some(1), "nothing is drawn");
        let drawn = [(); 4].map(|()| chosen(&mut random, &three));
        assert_eq!(drawn, [Some(1), Some(1), Some(3), Some(1)]);
        assert_eq!(chosen(&mut random, &[]), None);
    }
}
