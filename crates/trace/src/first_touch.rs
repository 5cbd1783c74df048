//! Units of an address space numbered in the order in which they are first touched.

const CHUNK: usize = 1024;

/// A unit that has no number yet.
const NONE: u32 = u32::MAX;

/// Numbers from 0 up for pages or other units, each with the first touch; 8 bytes for 1024 units up to the farthest,
/// and 4 for each of those near one that was touched.
#[derive(Debug, Clone, Default)]
pub struct FirstTouch {
    /// The number of each unit, in chunks made when first touched.
    table: Vec<Option<Box<[u32; CHUNK]>>>,
    next: u32,
}

impl FirstTouch {
    /// Units from this one on are too far to be numbered (256 TiB of 4 KiB units).
    pub const FARTHEST: u64 = 1 << 36;

    /// The number of a unit below [`Self::FARTHEST`], a new one if it had none; `None` once `most` units have theirs.
    #[inline]
    pub fn touch(&mut self, unit: u64, most: u32) -> Option<u32> {
        let index = unit as usize / CHUNK;
        if index >= self.table.len() {
            self.table.resize(index + 1, None);
        }
        let chunk = self.table[index].get_or_insert_with(|| Box::new([NONE; CHUNK]));
        let entry = &mut chunk[unit as usize % CHUNK];
        if *entry == NONE {
            if self.next == most {
                return None;
            }
            *entry = self.next;
            self.next += 1;
        }
        Some(*entry)
    }

    /// The number of a unit, if it was touched.
    #[inline]
    pub fn known(&self, unit: u64) -> Option<u32> {
        let chunk = self.table.get(unit as usize / CHUNK)?.as_ref()?;
        Some(chunk[unit as usize % CHUNK]).filter(|number| *number != NONE)
    }

    /// The units of `from..to` that were touched, with their numbers; what is far from all of them costs nothing.
    pub fn touched(&self, from: u64, to: u64) -> impl Iterator<Item = (u64, u32)> {
        let chunk = CHUNK as u64;
        let to = to.min(self.table.len() as u64 * chunk);
        let chunks = (from / chunk..to.div_ceil(chunk)).filter(|index| self.table[*index as usize].is_some());
        let units = chunks.flat_map(move |index| from.max(index * chunk)..to.min((index + 1) * chunk));
        units.filter_map(|unit| Some((unit, self.known(unit)?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_numbered_as_they_are_touched() {
        let mut numbers = FirstTouch::default();
        assert_eq!(numbers.known(5), None);
        let touched = [5_000_000, 7, 5_000_000, 8, 6].map(|unit| numbers.touch(unit, 3));
        assert_eq!(touched, [Some(0), Some(1), Some(0), Some(2), None]);
        assert_eq!((numbers.known(7), numbers.known(6), numbers.known(1 << 60)), (Some(1), None, None));
        assert_eq!(numbers.touched(0, u64::MAX).collect::<Vec<_>>(), [(7, 1), (8, 2), (5_000_000, 0)]);
        assert_eq!(numbers.touched(8, 5_000_000).collect::<Vec<_>>(), [(8, 2)]);
        assert_eq!(numbers.touched(9, 9).count(), 0);
    }
}
