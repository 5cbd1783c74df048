//! The characteristics of a trace (sizes, arrivals, order, space, overwriting, lifetimes, skew), from one pass.
//!
//! [`Characteristics`] is plain data with the unit in every name. One streaming pass makes it; memory grows with the
//! space that is written (16 bytes for each unit, kept in pieces of 64 units, and three bits for each unit of the
//! neighbourhood), not with the length of the trace. All counts are whole numbers; what is not comes from them by
//! arithmetic that is the same on every machine.
//!
//! Space is counted in *units*, 4 KiB by default. A read or write counts every unit that it touches, in whole or in
//! part; a trim only those that it covers entirely.

mod arrivals;
mod distribution;
mod lifetimes;
mod order;
mod requests;
mod skew;
mod space;
mod units;

use serde::{Deserialize, Serialize};

pub use arrivals::{Arrivals, Burstiness};
pub use distribution::{Distribution, Percentiles};
pub use lifetimes::Lifetimes;
pub use order::{Order, Sequentiality};
pub use requests::{Requests, SizeDistribution, Sizes};
pub use skew::{Skew, ZipfFit};
pub use space::{Overwrites, Space};

use crate::{Op, Record, TraceError};

/// The units in which characteristics are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CharacteristicsOptions {
    /// Space is counted in pieces of so many bytes: a power of two from 512 (sectors) to 1 MiB.
    pub unit_bytes: u64,
    /// A request belongs to a sequential stream when it starts where one of so many requests of its kind before it
    /// ended: from 1 to 1024.
    pub stream_window: usize,
}

impl Default for CharacteristicsOptions {
    fn default() -> Self {
        Self { unit_bytes: 4096, stream_window: 32 }
    }
}

impl CharacteristicsOptions {
    pub(crate) fn fault(&self) -> Option<String> {
        let Self { unit_bytes, stream_window } = self;
        if !unit_bytes.is_power_of_two() || !(512..=1 << 20).contains(unit_bytes) {
            Some(format!("unit_bytes must be a power of two from 512 to 1048576, not {unit_bytes}"))
        } else if !(1..=1024).contains(stream_window) {
            Some(format!("stream_window must be from 1 to 1024 requests, not {stream_window}"))
        } else {
            None
        }
    }
}

/// The characteristics of a trace.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Characteristics {
    /// The units in which all this was counted.
    pub options: CharacteristicsOptions,
    /// Number of requests, bytes and units of each operation.
    pub requests: Requests,
    /// Sizes of the requests of each operation.
    pub sizes: Sizes,
    /// Times of arrival, and how bursty they are.
    pub arrivals: Arrivals,
    /// How many requests continue another in the address space.
    pub sequentiality: Sequentiality,
    /// The parts of the address space that are touched.
    pub space: Space,
    /// How much of what is written replaces data written before.
    pub overwrites: Overwrites,
    /// How long written data lasts until it is overwritten or trimmed.
    pub lifetimes: Lifetimes,
    /// How unevenly writes are spread over the written space.
    pub skew: Skew,
}

/// The pass: records in, [`Characteristics`] out.
pub(crate) struct Characteriser {
    options: CharacteristicsOptions,
    requests: Requests,
    sizes: requests::SizeCounters,
    arrivals: arrivals::ArrivalCounters,
    order: order::OrderCounters,
    space: space::SpaceCounters,
}

impl Characteriser {
    pub(crate) fn new(name: &str, options: CharacteristicsOptions) -> Result<Self, TraceError> {
        if let Some(reason) = options.fault() {
            return Err(TraceError::Records { name: name.to_owned(), reason });
        }
        Ok(Self {
            options,
            requests: Requests::default(),
            sizes: requests::SizeCounters::default(),
            arrivals: arrivals::ArrivalCounters::default(),
            order: order::OrderCounters::new(options.stream_window),
            space: space::SpaceCounters::new(options.unit_bytes),
        })
    }

    pub(crate) fn add(&mut self, records: &[Record]) {
        for record in records {
            self.arrivals.add(record.time_ns);
            self.requests.add(record);
            if record.op != Op::Flush {
                self.sizes.add(record);
                self.order.add(record);
                self.space.add(record);
            }
        }
    }

    pub(crate) fn finish(mut self) -> Characteristics {
        self.requests.finish();
        self.space.count_units(&mut self.requests);
        let (space, overwrites, lifetimes, skew) = self.space.finish(&self.requests);
        Characteristics {
            options: self.options,
            sizes: self.sizes.finish(),
            arrivals: self.arrivals.finish(),
            sequentiality: self.order.finish(),
            space,
            overwrites,
            lifetimes,
            skew,
            requests: self.requests,
        }
    }
}
