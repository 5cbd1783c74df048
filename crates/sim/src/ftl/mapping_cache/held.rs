//! A part of the mapping in memory, the least recently used of which goes when more is needed.

use super::lru::Lru;
use super::{LookUp, MappingCache};
use crate::flash::Geometry;
use crate::ids::Lpn;
use crate::mapping::Bits;
use crate::registry::parameters;
use crate::settings::{CachedMapping, PolicyChoice};

/// What is held or goes as one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    /// A translation page: as many bytes as a page has.
    Page,
    /// An entry, which names its page beside where that is: twice the bytes that it has in a translation page.
    Entry,
}

/// The units used last.
pub(crate) struct Held {
    unit: Unit,
    /// Entries of a translation page, and of a unit.
    page_entries: u32,
    unit_entries: u32,
    capacity: u32,
    in_order: Lru,
    /// By unit: whether it differs from what its translation page has in flash.
    changed: Bits,
}

impl Held {
    /// Nothing is held yet.
    ///
    /// # Errors
    /// When there is no room for a single unit.
    pub(super) fn new(choice: &PolicyChoice, geometry: &Geometry, unit: Unit) -> Result<Self, String> {
        let CachedMapping { size, entry } = parameters(choice);
        let Some(pages) = geometry.translation else { unreachable!("a part of the mapping is in flash") };
        let (bytes, count, unit_entries) = match unit {
            Unit::Page => (u64::from(geometry.page_bytes), pages.count, pages.entries),
            Unit::Entry => (2 * entry.0, geometry.logical_pages, 1),
        };
        let capacity = (size.0 / bytes).min(u64::from(count)) as u32;
        if capacity == 0 {
            return Err(format!("size = \"{size}\" holds nothing; at least {bytes}B"));
        }
        Ok(Self {
            unit,
            page_entries: pages.entries,
            unit_entries,
            capacity,
            in_order: Lru::new(count, capacity),
            changed: Bits::new(count),
        })
    }

    /// The units of a translation page that may be held.
    fn units_of(&self, page: u32) -> std::ops::Range<u32> {
        let per_page = self.page_entries / self.unit_entries;
        page * per_page..((page + 1) * per_page).min(self.in_order.count())
    }
}

impl MappingCache for Held {
    fn look_up(&mut self, lpn: Lpn, changes: bool) -> LookUp {
        let unit = lpn.0 / self.unit_entries;
        let misses = !self.in_order.touch(unit);
        let gone = if misses { self.in_order.insert(unit) } else { None };
        let write_back = gone.filter(|gone| self.changed.get(*gone)).map(|gone| {
            let page = gone * self.unit_entries / self.page_entries;
            self.written(page);
            page
        });
        if changes {
            self.changed.set(unit);
        }
        LookUp { misses, write_back }
    }

    fn change(&mut self, lpn: Lpn) -> bool {
        let unit = lpn.0 / self.unit_entries;
        let held = self.in_order.has(unit);
        if held {
            self.changed.set(unit);
        }
        held
    }

    fn written(&mut self, page: u32) {
        let units = self.units_of(page);
        self.changed.take_ones(units.start, units.end, u32::MAX, |_| ());
    }

    fn holds_whole_pages(&self) -> bool {
        self.unit == Unit::Page
    }

    fn bytes(&self) -> u64 {
        Lru::bytes(self.in_order.count(), self.capacity) + u64::from(self.in_order.count() / 8)
    }

    fn save(&self) -> Vec<u8> {
        let units: Vec<_> = self.in_order.keys().map(|unit| (unit, self.changed.get(unit))).collect();
        postcard::to_stdvec(&units).expect("numbers")
    }

    fn load(&mut self, state: &[u8]) -> bool {
        let Ok(units) = postcard::from_bytes::<Vec<(u32, bool)>>(state) else { return false };
        let fits = units.len() <= self.capacity as usize
            && units.iter().all(|(unit, _)| *unit < self.in_order.count());
        if fits {
            self.in_order = Lru::new(self.in_order.count(), self.capacity);
            self.changed = Bits::new(self.in_order.count());
            for (unit, changed) in units {
                if self.in_order.has(unit) {
                    return false;
                }
                self.in_order.insert(unit);
                if changed {
                    self.changed.set(unit);
                }
            }
        }
        fits
    }
}
