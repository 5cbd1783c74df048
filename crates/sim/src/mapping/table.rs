//! A long table of numbers that is read at random: anonymous memory on huge pages, because on ordinary pages nearly
//! every access to a table of this size misses the address translation cache as well as the data cache.

use std::fmt;

use memmap2::MmapMut;
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::prefetch::prefetch;

/// A fixed number of `u32`.
#[derive(Debug)]
pub struct Table(MmapMut);

impl Table {
    /// `len` times `value`.
    ///
    /// # Panics
    /// When the memory cannot be had: that ends the run, and is no defect.
    pub fn new(len: u32, value: u32) -> Self {
        let mut table = Self::zeroed(len as usize);
        table.as_mut_slice().fill(value);
        table
    }

    fn zeroed(len: usize) -> Self {
        let bytes = len.max(1) * 4;
        let map = MmapMut::map_anon(bytes).unwrap_or_else(|_| {
            crate::own::end(format!("out of memory: {bytes} bytes more could not be had"))
        });
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
    pub(super) fn as_mut_slice(&mut self) -> &mut [u32] {
        bytemuck::cast_slice_mut(&mut self.0)
    }

    /// The number at `index`. By its four bytes: a cast of the whole slice checks alignment and length every time.
    #[inline]
    pub fn get(&self, index: u32) -> u32 {
        u32::from_ne_bytes(self.0.as_chunks().0[index as usize])
    }

    /// The number at `index` will be needed soon.
    #[inline]
    pub fn prefetch(&self, index: u32) {
        prefetch(self.0.as_chunks::<4>().0, index as usize);
    }

    /// Replace the number at `index`.
    #[inline]
    pub fn set(&mut self, index: u32, value: u32) {
        self.0.as_chunks_mut().0[index as usize] = value.to_ne_bytes();
    }
}

impl Clone for Table {
    fn clone(&self) -> Self {
        let mut copy = Self::zeroed(self.as_slice().len());
        copy.as_mut_slice().copy_from_slice(self.as_slice());
        copy
    }
}

/// Written down as bytes, lowest first: number by number, a large drive would take seconds.
impl Serialize for Table {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if cfg!(target_endian = "little") {
            return serializer.serialize_bytes(bytemuck::cast_slice(self.as_slice()));
        }
        let bytes: Vec<u8> = self.as_slice().iter().flat_map(|number| number.to_le_bytes()).collect();
        serializer.serialize_bytes(&bytes)
    }
}

impl<'de> Deserialize<'de> for Table {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Bytes;
        impl Visitor<'_> for Bytes {
            type Value = Table;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the bytes of a table")
            }

            fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Table, E> {
                if bytes.is_empty() || !bytes.len().is_multiple_of(4) {
                    return Err(E::invalid_length(bytes.len(), &self));
                }
                let mut table = Table::zeroed(bytes.len() / 4);
                let numbers = table.as_mut_slice();
                bytemuck::cast_slice_mut(numbers).copy_from_slice(bytes);
                for number in numbers {
                    *number = u32::from_le(*number);
                }
                Ok(table)
            }
        }
        deserializer.deserialize_bytes(Bytes)
    }
}
