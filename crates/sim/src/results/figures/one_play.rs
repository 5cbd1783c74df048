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

/// What `round` writes, one play of the trace, whose pages of so many bytes `mapper` gives their places on a drive of
/// so many. Looks through it only where what was found when it was scanned does not tell.
///
/// # Errors
/// When the trace cannot be read or its addresses cannot be mapped to the drive's.
pub(crate) fn one_play(
    round: &Trace,
    mapper: &AddressMapper,
    (page_bytes, logical_pages): (u32, u32),
) -> Result<OnePlayResult, Fault> {
    let told = round.scanned().and_then(|found| found.whole_pages_written(u64::from(page_bytes)));
    let (pages_written, distinct_pages_written) = match told.filter(|(_, pages)| mapper.keeps_apart(*pages)) {
        Some(found) => found,
        None => look_through(round, mapper, logical_pages)?,
    };
    let share = |pages: u64| pages as f64 / f64::from(logical_pages);
    Ok(OnePlayResult {
        pages_written,
        written_share: share(pages_written),
        distinct_pages_written,
        distinct_share: share(distinct_pages_written),
    })
}

/// Pages written, and how many of them are different.
fn look_through(round: &Trace, mapper: &AddressMapper, logical_pages: u32) -> Result<(u64, u64), Fault> {
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
    Ok((pages_written, is_written.iter().map(|word| u64::from(word.count_ones())).sum()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use reclaim_trace::Record;

    use super::*;
    use crate::settings::Remap;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        /// What was found by the scan is what is found by looking through; too many pages are refused by both.
        #[test]
        fn a_trace_that_was_scanned_need_not_be_looked_through(
            requests in prop::collection::vec((0_u64..40, 1_u64..5, 0_u8..3), 1..40),
            unaligned in any::<bool>(),
            (page_bytes, logical_pages) in (prop::sample::select(vec![2048, 4096, 8192]), 20_u32..60),
            remap in prop::sample::select(vec![Remap::None, Remap::Compact, Remap::Wrap, Remap::Scale]),
        ) {
            let mut records: Vec<Record> = requests
                .into_iter()
                .map(|(at, size, op)| Record {
                    time_ns: 0,
                    offset_bytes: at * 4096,
                    size_bytes: size * 4096,
                    op: [Op::Read, Op::Write, Op::Trim][usize::from(op)],
                    stream: 0,
                })
                .collect();
            records[0].offset_bytes += if unaligned { 512 } else { 0 };
            let round = Trace::from_records("round", records);
            let end_bytes = round.scan().unwrap().max_end_bytes;
            let Ok(mapper) = AddressMapper::new(remap, end_bytes, page_bytes, logical_pages) else {
                return Ok(());
            };
            let looked = look_through(&round, &mapper, logical_pages).map_err(|fault| format!("{fault:?}"));
            let found = one_play(&round, &mapper, (page_bytes, logical_pages));
            let found = found.map_err(|fault| format!("{fault:?}"));
            prop_assert_eq!(found.map(|of| (of.pages_written, of.distinct_pages_written)), looked);
        }
    }
}
