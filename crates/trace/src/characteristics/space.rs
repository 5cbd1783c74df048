//! The parts of the address space that a trace touches, and how much of what it writes replaces data written before.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::distribution::ratio;
use super::lifetimes::{LifetimeCounters, Lifetimes};
use super::units::{MAP_UNITS, Maps};
use super::{Requests, Skew, skew};
use crate::{Op, Record};

/// The parts of the address space that a trace touches. Bytes are those of whole units, except for the ends of the
/// address range.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Space {
    /// Lowest byte that a read, write or trim addresses.
    pub min_offset_bytes: u64,
    /// One more than the highest.
    pub max_end_bytes: u64,
    /// From the lowest byte to the highest that a read or write addresses: the working set of some papers.
    pub address_span_bytes: u64,
    /// Distinct units read or written, in bytes.
    pub footprint_bytes: u64,
    /// Distinct units read, in bytes.
    pub read_footprint_bytes: u64,
    /// Distinct units written, in bytes: the unique write space.
    pub write_footprint_bytes: u64,
    /// Units that reads found never written in this trace, counted at every read.
    pub reads_of_unwritten_units: u64,
    /// That as a share of all units read.
    pub reads_of_unwritten_share: f64,
}

/// How much of what is written replaces data written before.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Overwrites {
    /// Units written, counted at every write.
    pub written_units: u64,
    /// Those that had been written before: the update write size of some papers, in units.
    pub rewritten_units: u64,
    /// `rewritten_units / written_units`.
    pub overwrite_ratio: f64,
    /// Those of the rewritten units that had not been trimmed since.
    pub rewritten_live_units: u64,
    /// Units whose data a trim removed.
    pub trimmed_live_units: u64,
    /// Units that hold data of this trace at its end.
    pub live_units_at_end: u64,
    /// Writes that touch at least one unit written before.
    pub updating_writes: u64,
    /// That as a share of all writes.
    pub updating_writes_share: f64,
    /// Writes that touch only units written before, as a share of all writes.
    pub only_updating_writes_share: f64,
    /// Distinct units written at least twice.
    pub updated_units: u64,
    /// That as a share of the distinct units written.
    pub updated_share_of_written: f64,
    /// That as a share of the distinct units read or written: the update coverage of cloud block-storage studies.
    pub update_coverage: f64,
    /// Mean number of writes to a unit that is written at all.
    pub writes_per_written_unit: f64,
    /// Most writes to one unit.
    pub max_writes_per_unit: u64,
}

pub(super) struct SpaceCounters {
    unit_shift: u32,
    maps: Maps,
    lifetimes: LifetimeCounters,
    /// Lowest byte and end of everything, and of reads and writes.
    all: (u64, u64),
    transfers: (u64, u64),
    read_units: u64,
    unwritten_units: u64,
    written_units: u64,
    rewritten_units: u64,
    rewritten_live_units: u64,
    trim_units: u64,
    trimmed_live_units: u64,
    updating_writes: u64,
    only_updating_writes: u64,
}

impl SpaceCounters {
    pub(super) fn new(unit_bytes: u64) -> Self {
        Self {
            unit_shift: unit_bytes.trailing_zeros(),
            maps: Maps::default(),
            lifetimes: LifetimeCounters::default(),
            all: (u64::MAX, 0),
            transfers: (u64::MAX, 0),
            read_units: 0,
            unwritten_units: 0,
            written_units: 0,
            rewritten_units: 0,
            rewritten_live_units: 0,
            trim_units: 0,
            trimmed_live_units: 0,
            updating_writes: 0,
            only_updating_writes: 0,
        }
    }

    #[inline]
    pub(super) fn add(&mut self, record: &Record) {
        let widen = |range: &mut (u64, u64)| {
            *range = (range.0.min(record.offset_bytes), range.1.max(record.end_bytes()));
        };
        widen(&mut self.all);
        let first = record.offset_bytes >> self.unit_shift;
        let last = (record.end_bytes() - 1) >> self.unit_shift;
        match record.op {
            Op::Read => {
                widen(&mut self.transfers);
                self.read(first, last);
            }
            Op::Write => {
                widen(&mut self.transfers);
                self.write(first, last, record.time_ns);
            }
            Op::Trim => self.trim(record),
            Op::Flush => {}
        }
    }

    fn read(&mut self, first: u64, last: u64) {
        self.read_units += last - first + 1;
        for (number, from, to) in parts(first, last) {
            self.unwritten_units += self.maps.at(number).read(from, to);
        }
    }

    fn write(&mut self, first: u64, last: u64, time_ns: u64) {
        let (mut rewritten, mut live_units) = (0, 0);
        let lifetimes = &mut self.lifetimes;
        for (number, from, to) in parts(first, last) {
            let position = self.written_units;
            self.maps.at(number).write((from, to), position, time_ns, |before, position, live| {
                rewritten += 1;
                live_units += u64::from(live);
                lifetimes.updated(before.age(position, time_ns), live);
            });
            self.written_units += to - from + 1;
        }
        self.rewritten_units += rewritten;
        self.rewritten_live_units += live_units;
        self.updating_writes += u64::from(rewritten > 0);
        self.only_updating_writes += u64::from(rewritten == last - first + 1);
    }

    fn trim(&mut self, record: &Record) {
        let mask = (1_u64 << self.unit_shift) - 1;
        let first = (record.offset_bytes >> self.unit_shift) + u64::from(record.offset_bytes & mask != 0);
        let end = record.end_bytes() >> self.unit_shift;
        if first >= end {
            return;
        }
        let last = end - 1;
        self.trim_units = self.trim_units.saturating_add(end - first);
        let (position, lifetimes) = (self.written_units, &mut self.lifetimes);
        let mut trimmed = 0;
        self.maps.existing(first / MAP_UNITS, last / MAP_UNITS, |number, map| {
            let from = first.max(number * MAP_UNITS) % MAP_UNITS;
            let to = last.min(number * MAP_UNITS + (MAP_UNITS - 1)) % MAP_UNITS;
            map.trim(from, to, |unit| {
                trimmed += 1;
                lifetimes.trimmed(unit.age(position, record.time_ns));
            });
        });
        self.trimmed_live_units += trimmed;
    }

    pub(super) fn count_units(&self, requests: &mut Requests) {
        requests.read_units = self.read_units;
        requests.write_units = self.written_units;
        requests.trim_units = self.trim_units;
    }

    pub(super) fn finish(self, requests: &Requests) -> (Space, Overwrites, Lifetimes, Skew) {
        let mut census = [0; 4];
        let mut counts = WriteCounts::default();
        for map in self.maps.all() {
            census.iter_mut().zip(map.census()).for_each(|(sum, part)| *sum += part);
            map.write_counts().for_each(|count| counts.add(count));
        }
        let [touched, read, written, live] = census;
        let bytes = |units: u64| units << self.unit_shift;
        let counts = counts.finish();
        let updated: u64 = counts.iter().filter(|(writes, _)| *writes > 1).map(|(_, units)| units).sum();
        let span = |(from, to): (u64, u64)| to.saturating_sub(from);
        let space = Space {
            min_offset_bytes: if self.all.1 == 0 { 0 } else { self.all.0 },
            max_end_bytes: self.all.1,
            address_span_bytes: span(self.transfers),
            footprint_bytes: bytes(touched),
            read_footprint_bytes: bytes(read),
            write_footprint_bytes: bytes(written),
            reads_of_unwritten_units: self.unwritten_units,
            reads_of_unwritten_share: ratio(self.unwritten_units, self.read_units),
        };
        let overwrites = Overwrites {
            written_units: self.written_units,
            rewritten_units: self.rewritten_units,
            overwrite_ratio: ratio(self.rewritten_units, self.written_units),
            rewritten_live_units: self.rewritten_live_units,
            trimmed_live_units: self.trimmed_live_units,
            live_units_at_end: live,
            updating_writes: self.updating_writes,
            updating_writes_share: ratio(self.updating_writes, requests.writes),
            only_updating_writes_share: ratio(self.only_updating_writes, requests.writes),
            updated_units: updated,
            updated_share_of_written: ratio(updated, written),
            update_coverage: ratio(updated, touched),
            writes_per_written_unit: ratio(self.written_units, written),
            max_writes_per_unit: counts.last().map_or(0, |(writes, _)| *writes),
        };
        (space, overwrites, self.lifetimes.finish(live), skew::skew(&counts))
    }
}

/// A range of units, cut where maps end: number of the map, and first and last unit in it.
#[inline]
fn parts(first: u64, last: u64) -> impl Iterator<Item = (u64, u64, u64)> {
    (first / MAP_UNITS..=last / MAP_UNITS).map(move |number| {
        let from = first.max(number * MAP_UNITS) % MAP_UNITS;
        (number, from, last.min(number * MAP_UNITS + (MAP_UNITS - 1)) % MAP_UNITS)
    })
}

/// How many units were written how often.
#[derive(Default)]
struct WriteCounts {
    few: Vec<u64>,
    many: BTreeMap<u64, u64>,
}

impl WriteCounts {
    /// Writes that are counted in a table.
    const FEW: usize = 1 << 16;

    #[inline]
    fn add(&mut self, writes: u64) {
        if (writes as usize) < Self::FEW {
            if self.few.is_empty() {
                self.few = vec![0; Self::FEW];
            }
            self.few[writes as usize] += 1;
        } else {
            *self.many.entry(writes).or_default() += 1;
        }
    }

    /// (writes, units written so often), in rising order.
    fn finish(self) -> Vec<(u64, u64)> {
        let few = self.few.into_iter().enumerate().filter(|(_, units)| *units > 0);
        few.map(|(writes, units)| (writes as u64, units)).chain(self.many).collect()
    }
}
