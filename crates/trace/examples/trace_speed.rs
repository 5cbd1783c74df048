//! Lines per second of the readers: `cargo run --release -p reclaim-trace --example trace_speed FILE…`
//!
//! Times reading alone, then the whole scan (reading, footprint, hash), then the scan with the characteristics. Give
//! uncompressed files to time the format and not the decompressor.

use std::path::Path;
use std::time::Instant;

use reclaim_trace::{OpenOptions, Trace, TraceError};

fn main() -> Result<(), TraceError> {
    for name in std::env::args().skip(1) {
        let trace = Trace::open(Path::new(&name), &OpenOptions::default())?;
        let (mut records, mut count) = (Vec::with_capacity(4096), 0_usize);
        let start = Instant::now();
        let mut source = trace.source()?;
        while source.fill(&mut records, 4096)? > 0 {
            count += records.len();
            records.clear();
        }
        let reading = start.elapsed().as_secs_f64();
        let start = Instant::now();
        let summary = trace.scan()?;
        let scanning = start.elapsed().as_secs_f64();
        let start = Instant::now();
        let characteristics = trace.characteristics()?;
        let understanding = start.elapsed().as_secs_f64();
        let rate = |seconds: f64| count as f64 / seconds / 1e6;
        println!(
            "{name}: {count} requests, {}: read {:.2} M/s, scan {:.2} M/s, characteristics {:.2} M/s\n  \
             {summary:?}\n  {:?}",
            trace.format(),
            rate(reading),
            rate(scanning),
            rate(understanding),
            characteristics.overwrites
        );
    }
    Ok(())
}
