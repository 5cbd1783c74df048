//! A long table of numbers that is read at random: anonymous memory on huge pages, because on ordinary pages nearly
//! every access to a table of this size misses the address translation cache as well as the data cache.

use memmap2::MmapMut;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A fixed number of `u32`.
#[derive(Debug)]
pub struct Table(MmapMut);

impl Table {
    /// `len` times `value`.
    ///
    /// # Panics
    /// When the memory cannot be had.
    pub fn new(len: u32, value: u32) -> Self {
        let mut table = Self::zeroed(len as usize);
        table.as_mut_slice().fill(value);
        table
    }

    fn zeroed(len: usize) -> Self {
        let map = MmapMut::map_anon(len.max(1) * 4).expect("memory for the mapping tables");
        // Only a wish: without huge pages everything works, slower.
        #[cfg(target_os = "linux")]
        let _ = map.advise(memmap2::Advice::HugePage);
        Self(map)
    }

    /// The numbers.
    #[inline]
    pub fn as_slice(&self) -> &[u32] {
        bytemuck::cast_slice(&self.0)
    }

    #[inline]
    fn as_mut_slice(&mut self) -> &mut [u32] {
        bytemuck::cast_slice_mut(&mut self.0)
    }

    /// The number at `index`.
    #[inline]
    pub fn get(&self, index: u32) -> u32 {
        self.as_slice()[index as usize]
    }

    /// Replace the number at `index`.
    #[inline]
    pub fn set(&mut self, index: u32, value: u32) {
        self.as_mut_slice()[index as usize] = value;
    }
}

impl Clone for Table {
    fn clone(&self) -> Self {
        let mut copy = Self::zeroed(self.as_slice().len());
        copy.as_mut_slice().copy_from_slice(self.as_slice());
        copy
    }
}

impl Serialize for Table {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.as_slice().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Table {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let numbers = Vec::<u32>::deserialize(deserializer)?;
        if numbers.is_empty() {
            return Err(D::Error::custom("an empty table"));
        }
        let mut table = Self::zeroed(numbers.len());
        table.as_mut_slice().copy_from_slice(&numbers);
        Ok(table)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_back_what_was_set_and_survives_writing_down() {
        let mut table = Table::new(1000, 7);
        table.set(999, 1);
        assert_eq!((table.get(0), table.get(999), table.as_slice().len()), (7, 1, 1000));
        let bytes = postcard::to_stdvec(&table).unwrap();
        let read: Table = postcard::from_bytes(&bytes).unwrap();
        assert_eq!(read.as_slice(), table.as_slice());
        assert_eq!(table.clone().as_slice(), table.as_slice());
    }
}
