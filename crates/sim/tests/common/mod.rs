//! What the integration tests share: small drives and short ways to run them.
#![allow(dead_code)]

pub mod hostile;
pub mod later;
pub mod own;
pub mod prelude;
pub mod refusals;
mod saved;
pub mod short;
mod test_drive;
pub mod times;

use std::ops::ControlFlow;

use reclaim_sim::config::{Config, LoadRequest, load};
use reclaim_sim::fill::Fill;
use reclaim_sim::flash::Geometry;
use reclaim_sim::ftl::Ftl;
use reclaim_sim::ids::{Lpn, PlaneId};
use reclaim_sim::random::RandomStream;
use reclaim_sim::warmup::warm_up;
use reclaim_sim::{Outcome, RunOptions, SimError, simulate};
use reclaim_trace::{Op, Record, Trace};
pub use saved::Saved;
pub use test_drive::TestDrive;

/// Settings as a request to load has them.
pub fn owned(set: &[(&str, &str)]) -> Vec<(String, String)> {
    set.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
}

/// A device or preset with settings, to be loaded.
pub fn request(device: &str, set: &[(&str, &str)]) -> LoadRequest {
    LoadRequest { device: device.to_owned(), schemes: Vec::new(), set: owned(set) }
}

/// A preset with settings.
pub fn config(device: &str, set: &[(&str, &str)]) -> Config {
    load(&request(device, set)).expect("a good configuration")
}

/// The plane of a drive that has one.
pub const PLANE: PlaneId = PlaneId(0);

/// Writes of `pages`, ten milliseconds apart, so that the drive is at rest before each.
pub fn spaced_writes(pages: &[u64]) -> Vec<Record> {
    pages.iter().enumerate().map(|(k, page)| at(k as u64 * 10_000, Op::Write, *page, 1)).collect()
}

/// Trims single pages, at once.
pub fn trim(ftl: &mut Ftl, pages: impl IntoIterator<Item = u32>) {
    for page in pages {
        ftl.trim(Lpn(page));
    }
}

/// Fills so many blocks and keeps each of their pages with this probability; another seed draws others.
pub fn fill_and_trim(ftl: &mut Ftl, blocks: u32, keep_per_mille: u32, seed: u64) {
    let pages = blocks * ftl.geometry().pages_per_block;
    (0..pages).for_each(|lpn| ftl.write_now(Lpn(lpn)));
    let mut stream = RandomStream::new(seed, "trims");
    for lpn in 0..pages {
        if stream.below(1000) >= keep_per_mille {
            ftl.trim(Lpn(lpn));
        }
    }
}

/// A write-amplification experiment with a closed form.
pub struct Oracle<'a> {
    pub victim: &'a str,
    pub blocks: u32,
    pub pages_per_block: u32,
    pub spare: &'a str,
    pub overwrites: f64,
    pub more: &'a [(&'a str, &'a str)],
}

impl Default for Oracle<'_> {
    fn default() -> Self {
        Self { victim: "greedy", blocks: 4096, pages_per_block: 64, spare: "10%", overwrites: 8.0, more: &[] }
    }
}

/// A factory-fresh one-plane drive for an experiment.
pub fn one_plane_ftl(oracle: &Oracle<'_>) -> (Config, Ftl) {
    let config = TestDrive::one_plane()
        .blocks(oracle.blocks, oracle.pages_per_block)
        .set("geometry.spare_factor", oracle.spare)
        .victim(oracle.victim)
        .set("warmup.kind", "overwrite")
        .set("warmup.overwrites", format!("{:?}", oracle.overwrites))
        .with(oracle.more)
        .config();
    let geometry = Geometry::new(&config).unwrap();
    let ftl = Ftl::new(&config, &geometry, false);
    (config, ftl)
}

/// Write amplification of the last drive capacity written, in the untimed path of a one-plane drive.
pub fn write_amplification(oracle: &Oracle<'_>) -> f64 {
    let (config, mut ftl) = one_plane_ftl(oracle);
    let fill = Fill::First(ftl.geometry().logical_pages);
    let result = warm_up(&config, &mut ftl, &fill, &mut |_| ControlFlow::Continue(())).unwrap();
    result.write_amplification.unwrap()
}

/// Runs a trace with the audit on.
pub fn run(config: &Config, trace: &Trace) -> Result<Outcome, SimError> {
    let options = RunOptions { audit: true, ..RunOptions::default() };
    simulate(config, trace, &options, &mut |_| ControlFlow::Continue(()))
}

/// A record in µs and 4 KiB pages.
pub fn at(time_us: u64, op: Op, page: u64, pages: u64) -> Record {
    Record { time_ns: time_us * 1000, offset_bytes: page * 4096, size_bytes: pages * 4096, op, stream: 0 }
}

/// Latency in ns of each request, in the order of arrival and address, with the audit on.
pub fn run_rows(config: &Config, records: Vec<Record>) -> Vec<u64> {
    let options = RunOptions { audit: true, record_requests: true, ..RunOptions::default() };
    let trace = Trace::from_records("hand-made", records);
    rows(&simulate(config, &trace, &options, &mut |_| ControlFlow::Continue(())).unwrap())
}

/// Latency in ns of each request of a run that kept them, in the order of arrival and address.
pub fn rows(outcome: &Outcome) -> Vec<u64> {
    let table = outcome.requests.as_ref().expect("the run kept its requests");
    let mut rows: Vec<_> = (0..table.op.len())
        .map(|row| (table.arrival_ns[row], table.offset_bytes[row], table.completion_ns[row]))
        .collect();
    rows.sort_unstable();
    rows.into_iter().map(|(arrival, _, completion)| completion - arrival).collect()
}
