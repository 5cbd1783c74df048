//! Zones of a space whose units are written alike over time.

use std::collections::BinaryHeap;

/// Most grains that the space is divided into.
const GRAINS: u64 = 1 << 16;
/// Places of a zone that are tried to cut it at, before the best is looked at closely.
const TRIED: usize = 512;
/// Least gain in log-likelihood of a cut.
const LEAST: f64 = 2.0;

/// How often each grain of the space was written in each stretch of time.
pub(super) struct Map {
    units: u64,
    grain: u64,
    stretches: usize,
    /// By grain and stretch; sums over all grains before, once they are used.
    counts: Vec<f64>,
}

impl Map {
    pub(super) fn new(units: u64, stretches: usize) -> Self {
        let grain = units.div_ceil(GRAINS).max(1);
        let grains = units.div_ceil(grain) as usize;
        Self { units, grain, stretches, counts: vec![0.0; (grains + 1) * stretches] }
    }

    /// The units from `first` to `end` are written in a stretch of time.
    pub(super) fn add(&mut self, first: u32, end: u32, stretch: usize) {
        let stretch = stretch.min(self.stretches - 1);
        let mut unit = u64::from(first);
        while unit < u64::from(end) {
            let grain = unit / self.grain;
            let next = ((grain + 1) * self.grain).min(u64::from(end));
            // One behind, so that sums over all before need no second table.
            self.counts[(grain as usize + 1) * self.stretches + stretch] += (next - unit) as f64;
            unit = next;
        }
    }

    /// Units of at most `most` zones: the one is cut first whose parts, each taken to be written evenly in every
    /// stretch, are the likeliest.
    pub(super) fn zones(mut self, most: usize) -> Vec<u64> {
        for index in self.stretches..self.counts.len() {
            self.counts[index] += self.counts[index - self.stretches];
        }
        let grains = self.counts.len() / self.stretches - 1;
        let mut ends = vec![grains];
        let mut cuts: BinaryHeap<Cut> = self.best(0, grains).into_iter().collect();
        while ends.len() < most
            && let Some(cut) = cuts.pop()
        {
            ends.push(cut.at);
            cuts.extend(self.best(cut.first, cut.at));
            cuts.extend(self.best(cut.at, cut.end));
        }
        ends.sort_unstable();
        let mut before = 0;
        ends.into_iter()
            .map(|end| {
                let end = (end as u64 * self.grain).min(self.units);
                end - std::mem::replace(&mut before, end)
            })
            .collect()
    }

    fn best(&self, first: usize, end: usize) -> Option<Cut> {
        let step = ((end - first) / TRIED).max(1);
        let likeliest = |places: &mut dyn Iterator<Item = usize>| {
            places
                .map(|at| (self.gain(first, at, end), at))
                .max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)))
        };
        let (mut gain, mut at) = likeliest(&mut (first + 1..end).step_by(step))?;
        if step > 1 {
            let (from, to) = ((at - step).max(first + 1), (at + step + 1).min(end));
            (gain, at) = likeliest(&mut (from..to))?;
        }
        (gain >= LEAST).then_some(Cut { gain, first, at, end })
    }

    fn gain(&self, first: usize, at: usize, end: usize) -> f64 {
        let row = |grain: usize| &self.counts[grain * self.stretches..][..self.stretches];
        let (low, middle, high) = (row(first), row(at), row(end));
        let (left, right) = ((at - first) as f64, (end - at) as f64);
        let mut gain = 0.0;
        for stretch in 0..self.stretches {
            let a = middle[stretch] - low[stretch];
            let b = high[stretch] - middle[stretch];
            gain += per(a, left) + per(b, right) - per(a + b, left + right);
        }
        gain
    }
}

/// Log-likelihood of so many writes to so many units, up to what does not depend on the cut.
fn per(writes: f64, units: f64) -> f64 {
    if writes > 0.0 { writes * libm::log(writes / units) } else { 0.0 }
}

struct Cut {
    gain: f64,
    first: usize,
    at: usize,
    end: usize,
}

impl Ord for Cut {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.gain.total_cmp(&other.gain).then(other.first.cmp(&self.first))
    }
}

impl PartialOrd for Cut {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Cut {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Cut {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zones_end_where_writing_changes() {
        let mut map = Map::new(1000, 4);
        for round in 0..40 {
            map.add(0, 100, round % 2);
            map.add(400, 401, 3);
        }
        map.add(0, 1000, 2);
        assert_eq!(map.zones(8), [100, 300, 1, 599]);
    }

    #[test]
    fn what_is_written_evenly_is_one_zone() {
        let mut map = Map::new(1 << 20, 4);
        map.add(0, 1 << 20, 1);
        assert_eq!(map.zones(8), [1 << 20]);
    }
}
