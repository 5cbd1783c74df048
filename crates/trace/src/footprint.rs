//! Which parts of a device a trace touches: two bits for every 4 KiB, kept only where something was touched.

use std::collections::BTreeMap;

use crate::{Op, Record};

/// Unit of the count, in bytes.
pub(crate) const UNIT_BYTES: u64 = 4096;
/// Units of one bitmap: 32 Ki units, 128 MiB of the device.
const MAP_UNITS: u64 = 1 << 15;
/// 8 TiB of the device.
const NEAR_MAPS: u64 = 1 << 16;
const WORD_BITS: u64 = u64::BITS as u64;
const WORDS: usize = (MAP_UNITS / WORD_BITS) as usize;

/// For every 64 units, which were read and which were written: by the number of the operation.
type Map = [[u64; 2]; WORDS];

/// The units touched so far. Requests only mark them: they are counted at the end.
#[derive(Default)]
pub(crate) struct Footprint {
    /// Maps of the first `NEAR_MAPS` parts of the device, found without a search.
    near: Vec<Option<Box<Map>>>,
    far: BTreeMap<u64, Box<Map>>,
}

impl Footprint {
    /// Mark what a read or write covers; trims and flushes touch nothing.
    #[inline]
    pub(crate) fn add(&mut self, record: &Record) {
        let how = record.op as usize;
        if how > Op::Write as usize {
            return;
        }
        let unit = record.offset_bytes / UNIT_BYTES;
        let last = (record.end_bytes() - 1) / UNIT_BYTES;
        // Most requests lie within one word of a map that is there already.
        if unit / WORD_BITS == last / WORD_BITS
            && let Some(Some(map)) = self.near.get_mut((unit / MAP_UNITS) as usize)
        {
            map[word(unit)][how] |= bits(unit, last);
        } else {
            self.add_words(unit, last, how);
        }
    }

    fn add_words(&mut self, mut unit: u64, last: u64, how: usize) {
        while unit <= last {
            let map = map(&mut self.near, &mut self.far, unit / MAP_UNITS);
            let map_last = last.min(unit | (MAP_UNITS - 1));
            while unit <= map_last {
                let word_last = map_last.min(unit | (WORD_BITS - 1));
                map[word(unit)][how] |= bits(unit, word_last);
                unit = word_last + 1;
            }
        }
    }

    /// Bytes of the units that were read or written, and of those that were written.
    pub(crate) fn bytes(&self) -> (u64, u64) {
        let (mut touched, mut written) = (0, 0);
        for [read_bits, written_bits] in
            self.near.iter().flatten().chain(self.far.values()).flat_map(|map| **map)
        {
            touched += u64::from((read_bits | written_bits).count_ones());
            written += u64::from(written_bits.count_ones());
        }
        (touched * UNIT_BYTES, written * UNIT_BYTES)
    }
}

/// Where a map has a unit.
#[inline]
fn word(unit: u64) -> usize {
    (unit % MAP_UNITS / WORD_BITS) as usize
}

/// The bits of the units from one to another of the same word.
#[inline]
fn bits(unit: u64, last: u64) -> u64 {
    (u64::MAX >> (WORD_BITS - 1 - (last - unit))) << (unit % WORD_BITS)
}

#[inline]
fn map<'a>(
    near: &'a mut Vec<Option<Box<Map>>>,
    far: &'a mut BTreeMap<u64, Box<Map>>,
    number: u64,
) -> &'a mut Map {
    let empty = || Box::new([[0; 2]; WORDS]);
    if number >= NEAR_MAPS {
        return far.entry(number).or_insert_with(empty);
    }
    let number = number as usize;
    if number >= near.len() {
        near.resize_with(number + 1, || None);
    }
    near[number].get_or_insert_with(empty)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a set would count is compared with in `tests/characteristics.rs`.
    #[test]
    fn the_last_byte_of_the_address_space() {
        let mut footprint = Footprint::default();
        let (offset_bytes, size_bytes) = (u64::MAX - 1, 1);
        footprint.add(&Record { time_ns: 0, offset_bytes, size_bytes, op: Op::Write, stream: 0 });
        assert_eq!(footprint.bytes(), (4096, 4096));
    }
}
