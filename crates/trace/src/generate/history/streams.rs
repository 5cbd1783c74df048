//! Where requests of a zone can continue others.

use super::follow::{Follow, Near};
use super::law::{Place, Request, SKIPS};
use super::play::Play;
use super::{Kind, UNIT};

impl Play {
    /// Where streams in the zone can go on, without the dead units, the latest first.
    pub(super) fn streams(&self, kind: Kind, zone: usize, adjacent: Option<bool>) -> Vec<Follow> {
        let shift = self.dead_before[zone] * UNIT;
        let (first, end) = (u64::from(self.space.starts[zone]), u64::from(self.space.starts[zone + 1]));
        let ends = &self.recent[kind as usize];
        let without =
            if adjacent == Some(true) { None } else { ends.latest_first().next().map(|each| each.0) };
        let inside =
            |at: u64| at >= shift && (first..end).contains(&((at - shift) / UNIT)) && Some(at) != without;
        ends.latest_first()
            .filter(|(at, _)| inside(*at))
            .map(|(at, shape)| {
                let next = (at - shift).div_ceil(UNIT);
                let place = if next < end { self.space.stream_at(next as u32) } else { Place::Stream };
                (at - shift, place, shape)
            })
            .collect()
    }

    /// Units at which a write that nearly continues another can begin, near the latest first, and whether what
    /// follows there is live.
    pub(super) fn nearly(&self, zone: usize) -> Vec<Near> {
        let (first, end) = (self.space.starts[zone], self.space.starts[zone + 1]);
        let mut found = Vec::new();
        for (behind, shape) in self.behind.latest_first() {
            // The request before ended in this zone.
            if behind <= u64::from(first) || behind > u64::from(end) {
                continue;
            }
            for skip in SKIPS {
                let unit = (behind as u32).checked_add_signed(skip.into());
                if let Some(unit) = unit.filter(|unit| (first..end).contains(unit)) {
                    found.push((unit, skip, shape, self.space.all_live(behind.max(unit.into()) as u32, 1)));
                }
            }
        }
        found
    }

    /// Where a request begins that nearly continues another, without continuing one.
    pub(super) fn near_end(&self, nearly: &[Near], zone: usize, request: Request, count: u32) -> Option<u32> {
        let skip = request.place.skips()?;
        let shift = self.dead_before[zone] * UNIT + self.shapes[usize::from(request.shape)].1;
        let live = matches!(request.place, Place::Beyond(_));
        let here = |each: &&Near| {
            each.1 == skip
                && self.space.all_live(each.0, count) == live
                && !self.recent[Kind::Write as usize].has(u64::from(each.0) * UNIT + shift)
        };
        let fits = |each: &&Near| request.goes_on_at((request.place, each.2));
        let mut found = nearly.iter().filter(here);
        found.clone().find(fits).or_else(|| found.next()).map(|each| each.0)
    }
}
