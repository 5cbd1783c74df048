//! How long written data lasts until it is overwritten or trimmed.

use serde::{Deserialize, Serialize};

use super::Distribution;
use super::distribution::Histogram;

/// How long written data lasts until it is overwritten or trimmed.
///
/// Ages are measured on two clocks: time, and units written by the trace. A unit that is written twice in succession
/// with nothing between has an interval of 1 unit; times are kept in steps of 64 ns.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Lifetimes {
    /// Units written from one write of a unit to its next, whether or not it was trimmed between.
    pub update_interval_units: Distribution,
    /// The same in time.
    pub update_interval_ns: Distribution,
    /// Units written from the write of a unit until its data was overwritten or trimmed, whichever came first.
    pub lifetime_units: Distribution,
    /// The same in time.
    pub lifetime_ns: Distribution,
    /// Units whose data lived to the end of the trace and is in none of the lifetimes above.
    pub survivor_units: u64,
}

/// Collects ages. Units written together mostly die together, so equal ages in succession are counted before they are
/// entered.
pub(super) struct LifetimeCounters {
    update_units: Histogram,
    update_ns: Histogram,
    life_units: Histogram,
    life_ns: Histogram,
    run: Run,
}

#[derive(Clone, Copy, Default)]
struct Run {
    age: (u64, u64),
    updates: u64,
    deaths: u64,
}

impl Default for LifetimeCounters {
    fn default() -> Self {
        Self {
            update_units: Histogram::new(),
            update_ns: Histogram::new(),
            life_units: Histogram::new(),
            life_ns: Histogram::new(),
            run: Run::default(),
        }
    }
}

impl LifetimeCounters {
    /// A unit of this age (units, ns) was written again; `live` says whether it still held data.
    #[inline]
    pub(super) fn updated(&mut self, age: (u64, u64), live: bool) {
        if age != self.run.age {
            self.settle();
            self.run.age = age;
        }
        self.run.updates += 1;
        self.run.deaths += u64::from(live);
    }

    /// A unit of this age was trimmed.
    #[inline]
    pub(super) fn trimmed(&mut self, age: (u64, u64)) {
        if age != self.run.age {
            self.settle();
            self.run.age = age;
        }
        self.run.deaths += 1;
    }

    fn settle(&mut self) {
        let Run { age: (units, ns), updates, deaths } = std::mem::take(&mut self.run);
        if updates > 0 {
            self.update_units.add(units, updates);
            self.update_ns.add(ns, updates);
        }
        if deaths > 0 {
            self.life_units.add(units, deaths);
            self.life_ns.add(ns, deaths);
        }
    }

    pub(super) fn finish(mut self, survivor_units: u64) -> Lifetimes {
        self.settle();
        Lifetimes {
            update_interval_units: self.update_units.finish(),
            update_interval_ns: self.update_ns.finish(),
            lifetime_units: self.life_units.finish(),
            lifetime_ns: self.life_ns.finish(),
            survivor_units,
        }
    }
}
