//! How much of the drive the trace writes by itself.

use reclaim_trace::{Op, Trace};

use crate::engine::Fault;
use crate::host::AddressMapper;
use crate::metric::figures;

/// Records are fetched in batches of this many.
const AT_ONCE: usize = 4096;

figures! {
    /// What one play of the trace writes on this drive, before it is repeated.
    pub struct OnePlayResult {
        /// Pages written, those written in part included, each as often as it is.
        pages_written: u64 => "pages",
        /// The same over the pages of the user capacity.
        written_share: f64 => "share",
        /// Pages that are written at all.
        distinct_pages_written: u64 => "pages",
        /// The same over the pages of the user capacity.
        distinct_share: f64 => "share",
    }
}

/// Looks through `round`, one play of the trace, whose pages `mapper` gives their places on a drive of so many.
///
/// # Errors
/// When the trace cannot be read or its addresses cannot be mapped to the drive's.
pub(crate) fn one_play(
    round: &Trace,
    mapper: &AddressMapper,
    logical_pages: u32,
) -> Result<OnePlayResult, Fault> {
    // How many are different does not depend on who was there first.
    let mut mapper = mapper.untouched();
    let mut is_written = vec![0_u64; logical_pages.div_ceil(u64::BITS) as usize];
    let mut pages_written = 0;
    let mut source = round.source()?;
    let mut records = Vec::with_capacity(AT_ONCE);
    while source.fill(&mut records, AT_ONCE)? > 0 {
        for record in records.drain(..).filter(|record| record.op == Op::Write) {
            let (first, count) = mapper.pages(record.offset_bytes, record.size_bytes);
            pages_written += count;
            for page in first..first + count {
                let lpn = mapper.place(page)?.0;
                is_written[(lpn / u64::BITS) as usize] |= 1 << (lpn % u64::BITS);
            }
        }
    }
    let distinct_pages_written = is_written.iter().map(|word| u64::from(word.count_ones())).sum();
    let share = |pages: u64| pages as f64 / f64::from(logical_pages);
    Ok(OnePlayResult {
        pages_written,
        written_share: share(pages_written),
        distinct_pages_written,
        distinct_share: share(distinct_pages_written),
    })
}
