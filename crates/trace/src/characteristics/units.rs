//! What is known of every unit of the space: whether it was read, written and still holds data, and, where it was
//! written, how often and when last.
//!
//! Three bits for every unit in a map of 32 Ki units, made when something in it is touched; 16 bytes for every unit in
//! a leaf of 64 units, made when something in it is written.

use std::collections::BTreeMap;

/// Units of a map.
pub(super) const MAP_UNITS: u64 = 1 << 15;
const WORD_UNITS: u64 = u64::BITS as u64;
const WORDS: usize = (MAP_UNITS / WORD_UNITS) as usize;

const COUNT_BITS: u32 = 40;
const POSITION_BITS: u32 = 40;
const TIME_BITS: u32 = 48;
/// Times are kept in steps of so many nanoseconds, as a power of two.
const TIME_STEP: u32 = 6;

/// The last write of a unit and how many there were, in 16 bytes.
///
/// Position and time wrap around: differences are right up to 2^40 units and 2^54 ns (208 days).
#[derive(Clone, Copy, Default)]
pub(super) struct Written(u128);

impl Written {
    const NONE: Self = Self(0);

    #[inline]
    fn pack(count: u64, position: u64, time_ns: u64) -> Self {
        let field = |value: u64, bits: u32| u128::from(value & (u64::MAX >> (64 - bits)));
        let time = field(time_ns >> TIME_STEP, TIME_BITS);
        Self(
            field(count, COUNT_BITS)
                | field(position, POSITION_BITS) << COUNT_BITS
                | time << (COUNT_BITS + POSITION_BITS),
        )
    }

    /// Writes so far.
    #[inline]
    pub(super) fn count(self) -> u64 {
        self.0 as u64 & (u64::MAX >> (64 - COUNT_BITS))
    }

    /// Units written since this one was, and nanoseconds since then.
    #[inline]
    pub(super) fn age(self, position: u64, time_ns: u64) -> (u64, u64) {
        let then = (self.0 >> COUNT_BITS) as u64 & (u64::MAX >> (64 - POSITION_BITS));
        let when = (self.0 >> (COUNT_BITS + POSITION_BITS)) as u64;
        let units = position.wrapping_sub(then) & (u64::MAX >> (64 - POSITION_BITS));
        let steps = (time_ns >> TIME_STEP).wrapping_sub(when) & (u64::MAX >> (64 - TIME_BITS));
        (units, steps << TIME_STEP)
    }

    #[inline]
    fn again(self, position: u64, time_ns: u64) -> Self {
        let most = u64::MAX >> (64 - COUNT_BITS);
        Self::pack((self.count() + 1).min(most), position, time_ns)
    }
}

type Leaf = [Written; WORD_UNITS as usize];

/// The state of 32 Ki units.
pub(super) struct Map {
    read: [u64; WORDS],
    written: [u64; WORDS],
    live: [u64; WORDS],
    leaves: [Option<Box<Leaf>>; WORDS],
}

/// One word of a map and the units of it that a request covers.
#[derive(Clone, Copy)]
struct Piece {
    word: usize,
    bits: u64,
}

/// The pieces from unit `first` to unit `last` of a map.
#[inline]
fn pieces(first: u64, last: u64) -> impl Iterator<Item = Piece> {
    (first / WORD_UNITS..=last / WORD_UNITS).map(move |word| {
        let from = first.max(word * WORD_UNITS) % WORD_UNITS;
        let to = last.min(word * WORD_UNITS + WORD_UNITS - 1) % WORD_UNITS;
        Piece { word: word as usize, bits: (u64::MAX >> (WORD_UNITS - 1 - (to - from))) << from }
    })
}

/// Numbers of the bits that are set.
#[inline]
fn ones(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (bits != 0).then(|| {
            let lowest = bits.trailing_zeros() as usize;
            bits &= bits - 1;
            lowest
        })
    })
}

impl Map {
    fn new() -> Box<Self> {
        Box::new(Self {
            read: [0; WORDS],
            written: [0; WORDS],
            live: [0; WORDS],
            leaves: [const { None }; WORDS],
        })
    }

    /// Note a read; says how many of its units were never written.
    #[inline]
    pub(super) fn read(&mut self, first: u64, last: u64) -> u64 {
        let mut unwritten = 0;
        for Piece { word, bits } in pieces(first, last) {
            self.read[word] |= bits;
            unwritten += u64::from((bits & !self.written[word]).count_ones());
        }
        unwritten
    }

    /// Note a write whose first unit here is the `position`th written; `each` hears of every unit written before and
    /// whether it still held data.
    #[inline]
    pub(super) fn write(
        &mut self,
        (first, last): (u64, u64),
        mut position: u64,
        time_ns: u64,
        mut each: impl FnMut(Written, u64, bool),
    ) {
        for Piece { word, bits } in pieces(first, last) {
            let (written, live) = (self.written[word], self.live[word]);
            self.written[word] |= bits;
            self.live[word] |= bits;
            let leaf =
                self.leaves[word].get_or_insert_with(|| Box::new([Written::NONE; WORD_UNITS as usize]));
            for at in ones(bits) {
                let unit = &mut leaf[at];
                if written >> at & 1 == 1 {
                    each(*unit, position, live >> at & 1 == 1);
                }
                *unit = unit.again(position, time_ns);
                position += 1;
            }
        }
    }

    /// Note a trim; `each` hears of every unit that held data.
    pub(super) fn trim(&mut self, first: u64, last: u64, mut each: impl FnMut(Written)) {
        for Piece { word, bits } in pieces(first, last) {
            let dying = bits & self.live[word];
            if let (true, Some(leaf)) = (dying != 0, &self.leaves[word]) {
                ones(dying).for_each(|at| each(leaf[at]));
                self.live[word] &= !dying;
            }
        }
    }

    /// Units that were (read or written, read, written, hold data).
    pub(super) fn census(&self) -> [u64; 4] {
        let count =
            |words: &mut dyn Iterator<Item = u64>| words.map(|word| u64::from(word.count_ones())).sum();
        [
            count(&mut self.read.iter().zip(&self.written).map(|(read, written)| read | written)),
            count(&mut self.read.iter().copied()),
            count(&mut self.written.iter().copied()),
            count(&mut self.live.iter().copied()),
        ]
    }

    /// How often each written unit was written.
    pub(super) fn write_counts(&self) -> impl Iterator<Item = u64> {
        self.leaves.iter().flatten().flat_map(|leaf| leaf.iter()).map(|unit| unit.count()).filter(|n| *n > 0)
    }
}

/// The maps of a whole device, made as they are touched.
#[derive(Default)]
pub(super) struct Maps {
    made: Vec<Box<Map>>,
    index: BTreeMap<u64, usize>,
    /// The map that was asked for last: requests stay in a neighbourhood more often than not.
    last: Option<(u64, usize)>,
}

impl Maps {
    /// The map with this number.
    #[inline]
    pub(super) fn at(&mut self, number: u64) -> &mut Map {
        let at = match self.last {
            Some((last, at)) if last == number => at,
            _ => {
                let made = &mut self.made;
                let at = *self.index.entry(number).or_insert_with(|| {
                    made.push(Map::new());
                    made.len() - 1
                });
                self.last = Some((number, at));
                at
            }
        };
        &mut self.made[at]
    }

    /// The maps there are between two numbers.
    pub(super) fn existing(&mut self, first: u64, last: u64, mut each: impl FnMut(u64, &mut Map)) {
        for (number, at) in self.index.range(first..=last) {
            each(*number, &mut self.made[*at]);
        }
    }

    /// All maps, in order of first touch.
    pub(super) fn all(&self) -> impl Iterator<Item = &Map> {
        self.made.iter().map(Box::as_ref)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_right_where_position_and_time_wrap_around() {
        let (position, time_ns) = ((1 << POSITION_BITS) - 1, (1_u64 << 54) - 64);
        let written = Written::pack(1, position, time_ns);
        assert_eq!(written.age(position + 3, time_ns + 640), (3, 640));
        assert_eq!(written.count(), 1);
        assert_eq!(written.again(5, 9).count(), 2);
    }

    #[test]
    fn pieces_cover_a_range_once() {
        let covered: Vec<u64> = pieces(3, 200)
            .flat_map(|piece| ones(piece.bits).map(move |at| piece.word as u64 * 64 + at as u64))
            .collect();
        assert_eq!(covered, (3..=200).collect::<Vec<_>>());
    }
}
