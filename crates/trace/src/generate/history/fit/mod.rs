//! The history of a trace: zones, slots and laws that a stand-in of it is played from.

mod segment;
mod shapes;
mod written;

use std::collections::BTreeMap;

use super::law::{Extent, Place, Request, SKIPS, STEPS, bin, rounded};
use super::recent::Recent;
use super::space::Space;
use super::text::{Slot, law_text, slot_text};
use super::{Kind, UNIT};
use crate::generate::spec::{HistorySpec, Size, ZoneHistory};
use crate::source::RecordSource;
use crate::{Op, Record, TraceError};
use written::Written;

/// Stretches of time in which zones are told apart.
const STRETCHES: usize = 64;
const CHUNK: usize = 4096;

type Pass<'a> = dyn Fn() -> Result<Box<dyn RecordSource>, TraceError> + 'a;

/// What happened in a zone, by kind of request.
#[derive(Default)]
struct Seen {
    counts: [BTreeMap<Request, u64>; 2],
    last: [Option<Place>; 2],
    /// How often the kind of place was that of the request before, and how often there was one before.
    again: [(u64, u64); 2],
    /// Units trimmed behind those that were written.
    dead: u64,
}

/// Find at most so many zones and slots of time in what `open` reads, in a few passes; `None` if it writes nothing.
pub(crate) fn fit(open: &Pass<'_>, zones: usize, slots: usize) -> Result<Option<HistorySpec>, TraceError> {
    let mut written = Written::default();
    let mut shapes = shapes::Counter::default();
    let mut moves = 0;
    each(open, |record| {
        match record.op {
            Op::Write => written.add(record),
            Op::Trim => {}
            _ => return,
        }
        shapes.add(record);
        moves += 1;
    })?;
    let written = written.finish();
    if written.units() == 0 {
        return Ok(None);
    }
    let mut map = segment::Map::new(written.units(), STRETCHES);
    let mut done = 0_u64;
    each(open, |record| {
        if record.op == Op::Write {
            let (first, end) = written.range(record.offset_bytes, record.offset_bytes + record.size_bytes);
            map.add(first, end, (done * STRETCHES as u64 / moves) as usize);
        }
        done += u64::from(matches!(record.op, Op::Write | Op::Trim));
    })?;
    let lengths = map.zones(zones);
    let shapes = shapes.finish();
    let mut reader = Reader::new(&lengths, &written, &shapes, slots, moves);
    each(open, |record| reader.take(record))?;
    Ok(Some(reader.finish()))
}

fn each(open: &Pass<'_>, mut take: impl FnMut(&Record)) -> Result<(), TraceError> {
    let mut source = open()?;
    let mut records = Vec::new();
    while source.fill(&mut records, CHUNK)? > 0 {
        records.iter().for_each(&mut take);
        records.clear();
    }
    Ok(())
}

struct Reader<'a> {
    lengths: &'a [u64],
    written: &'a written::Compact,
    shapes: &'a shapes::Shapes,
    space: Space,
    seen: Vec<Seen>,
    slots: Vec<BTreeMap<(Kind, u16), u64>>,
    others: Vec<(u64, u64)>,
    recent: [Recent; 2],
    /// The units behind where the last writes ended.
    behind: Recent,
    done: u64,
    moves: u64,
    largest: u64,
}

impl<'a> Reader<'a> {
    fn new(
        lengths: &'a [u64],
        written: &'a written::Compact,
        shapes: &'a shapes::Shapes,
        slots: usize,
        moves: u64,
    ) -> Self {
        let slots = slots.clamp(1, moves as usize);
        Self {
            lengths,
            written,
            shapes,
            space: Space::new(lengths.iter().copied()),
            seen: lengths.iter().map(|_| Seen::default()).collect(),
            slots: vec![BTreeMap::new(); slots],
            others: vec![(0, 0); slots],
            recent: Default::default(),
            behind: Recent::default(),
            done: 0,
            moves,
            largest: 0,
        }
    }

    fn take(&mut self, record: &Record) {
        let at = (u128::from(self.done) * self.slots.len() as u128 / u128::from(self.moves)) as usize;
        let slot = at.min(self.slots.len() - 1);
        let kind = match record.op {
            Op::Read => return self.others[slot].0 += 1,
            Op::Flush => return self.others[slot].1 += 1,
            Op::Write => Kind::Write,
            Op::Trim => Kind::Trim,
        };
        self.done += 1;
        let end_bytes = record.offset_bytes + record.size_bytes;
        let shape = self.shapes.of(record);
        let before = self.recent[kind as usize].shape_at(record.offset_bytes);
        self.recent[kind as usize].add(end_bytes, shape);
        let (zone, place, extent) = match kind {
            Kind::Write => self.write(record.offset_bytes, end_bytes, before, shape),
            Kind::Trim => self.trim(record.offset_bytes, end_bytes, before.is_some()),
        };
        let seen = &mut self.seen[zone];
        *seen.counts[kind as usize].entry(Request { place, shape, extent }).or_insert(0) += 1;
        if let Some(last) = seen.last[kind as usize].replace(place) {
            seen.again[kind as usize].0 += u64::from(last == place);
            seen.again[kind as usize].1 += 1;
        }
        *self.slots[slot].entry((kind, zone as u16)).or_insert(0) += 1;
    }

    fn write(
        &mut self,
        offset: u64,
        end_bytes: u64,
        before: Option<u16>,
        shape: u16,
    ) -> (usize, Place, Extent) {
        let (first, end) = self.written.range(offset, end_bytes);
        let zone = self.space.zone_of(first);
        self.largest = self.largest.max(u64::from(end - first));
        let gap = (first..end).find(|unit| !self.space.is_live(*unit));
        let next = first + u32::from(!offset.is_multiple_of(UNIT));
        let alike = |before: u16| if before == shape { Extent::Same } else { Extent::Start };
        let (place, extent) = if let Some(before) = before {
            (if next < end { self.space.stream_at(next) } else { Place::Stream }, alike(before))
        } else if let Some((skip, before)) = self.nearly(zone, first) {
            (if gap.is_none() { Place::Beyond(skip) } else { Place::Empty(skip) }, alike(before))
        } else if let Some(unit) = gap {
            let before = rounded(u64::from(unit - first));
            let new = self.space.writes(unit) == 0;
            (if new { Place::New(before) } else { Place::Freed(before) }, Extent::Inside)
        } else {
            self.aged(zone, first, end - first)
        };
        self.space.write(first, end - first);
        self.behind.add(end.into(), shape);
        (zone, place, extent)
    }

    /// How many units lie between the end of another write in the zone and one that begins near it, and the shape of
    /// that other one.
    fn nearly(&self, zone: usize, unit: u32) -> Option<(i8, u16)> {
        let ends = self.behind.latest_first();
        let in_zone = ends.filter(|(end, _)| self.space.zone_of(*end as u32 - 1) == zone);
        let near = in_zone.filter_map(|(end, shape)| {
            Some((i8::try_from(i64::from(unit) - end.cast_signed()).ok()?, shape))
        });
        near.filter(|(skip, _)| SKIPS.contains(skip)).min_by_key(|(skip, _)| skip.abs())
    }

    /// The place of a live unit.
    fn aged(&self, zone: usize, unit: u32, count: u32) -> (Place, Extent) {
        let depth = self.space.depth(unit);
        let below = self.space.live(zone) - 1 - depth;
        let extent = match self.space.extent(unit) {
            0 => Extent::Inside,
            units if units == count => Extent::Same,
            _ => Extent::Start,
        };
        (if below <= depth { Place::Old(bin(below, STEPS)) } else { Place::Young(bin(depth, STEPS)) }, extent)
    }

    fn trim(&mut self, offset: u64, end_bytes: u64, streams: bool) -> (usize, Place, Extent) {
        let (from, to) = (offset.div_ceil(UNIT) * UNIT, end_bytes / UNIT * UNIT);
        let (first, end) = self.written.range(from, to.max(from));
        let whole = to.saturating_sub(from) / UNIT;
        let known = u64::from(end - first);
        let start = first.min(self.space.units() - 1);
        let mut lost = BTreeMap::new();
        for unit in first..end {
            if self.space.is_live(unit) {
                *lost.entry(self.space.zone_of(unit)).or_insert(0_u64) += 1;
            }
        }
        // Where most die, or where it begins.
        let most = lost.iter().max_by_key(|(_, count)| **count).map(|(zone, _)| *zone);
        let killed = rounded(lost.values().sum());
        let tail = known * 2 < whole || (known < whole && !streams) || known == 0;
        // Dead units divide zones, and streams end there: what ends nothing is all put behind the last.
        let elsewhere = if tail { self.seen.len() - 1 } else { self.space.zone_of(start) };
        let zone = most.unwrap_or(elsewhere);
        let (place, extent) = if tail {
            let seen = &mut self.seen[zone];
            seen.dead = seen.dead.max(whole.saturating_sub(u64::from(killed)) + 1);
            (Place::Tail(killed), Extent::Inside)
        } else if streams {
            (self.space.stream_at(first), Extent::Inside)
        } else if self.space.is_live(first) && self.space.zone_of(first) == zone {
            self.aged(zone, first, end - first)
        } else {
            (Place::Freed(0), Extent::Inside)
        };
        for unit in first..end {
            self.space.trim(unit);
        }
        (zone, place, extent)
    }

    fn finish(mut self) -> HistorySpec {
        self.join_if_too_narrow();
        let zones = self.seen.iter().zip(self.lengths).map(|(seen, units)| {
            let law = |kind: Kind| -> Vec<(Request, u64)> {
                seen.counts[kind as usize].iter().map(|(request, count)| (*request, *count)).collect()
            };
            let again = |kind: Kind| {
                let (same, of) = seen.again[kind as usize];
                (same * 1000).checked_div(of).unwrap_or(0) as f64 / 1000.0
            };
            ZoneHistory {
                units: *units,
                dead: seen.dead,
                write: law_text(&law(Kind::Write)),
                write_again: again(Kind::Write),
                trim: law_text(&law(Kind::Trim)),
                trim_again: again(Kind::Trim),
            }
        });
        let slots = self.slots.iter().zip(&self.others).map(|(cells, (reads, flushes))| Slot {
            reads: *reads,
            flushes: *flushes,
            cells: cells.iter().map(|((kind, zone), count)| (*kind, *zone, *count)).collect(),
        });
        HistorySpec {
            stay: 0.9,
            in_turn: 0.0,
            in_order: 0.0,
            adjacent: 0.5,
            favour: 0.0,
            steps: STEPS,
            shapes: self.shapes.list.iter().map(|(bytes, behind)| (Size(*bytes), Size(*behind))).collect(),
            zones: zones.collect(),
            slots: slots.map(|slot| slot_text(&slot)).collect(),
        }
    }

    /// Where dead units leave no room for the largest write, only the last zone keeps them.
    fn join_if_too_narrow(&mut self) {
        let (mut room, mut widest) = (0, 0);
        for (seen, units) in self.seen.iter().zip(self.lengths) {
            room += units;
            widest = widest.max(room);
            room = if seen.dead > 0 { 0 } else { room };
        }
        if widest < self.largest {
            let dead = self.seen.iter().map(|seen| seen.dead).max().unwrap_or(0);
            self.seen.iter_mut().for_each(|seen| seen.dead = 0);
            self.seen.last_mut().expect("there is a zone").dead = dead;
        }
    }
}
