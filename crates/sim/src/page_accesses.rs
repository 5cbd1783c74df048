//! The pages of a drive that the requests of a trace concern.

use reclaim_trace::{Op, Trace};

use crate::engine::Fault;
use crate::host::AddressMapper;
use crate::ids::Lpn;

/// Records are fetched in batches of this many.
const AT_ONCE: usize = 4096;

/// Tells of each page that a read, a write or a trim of `trace` concerns, in their order.
///
/// # Errors
/// When the trace cannot be read or its addresses cannot be mapped to the drive's.
pub(crate) fn for_each_page(
    trace: &Trace,
    mapper: &mut AddressMapper,
    mut tell: impl FnMut(Op, Lpn),
) -> Result<(), Fault> {
    let mut source = trace.source()?;
    let mut records = Vec::with_capacity(AT_ONCE);
    while source.fill(&mut records, AT_ONCE)? > 0 {
        for record in records.drain(..) {
            match record.op {
                Op::Read | Op::Write => {
                    let (first, count) = mapper.pages(record.offset_bytes, record.size_bytes);
                    for page in first..first + count {
                        tell(record.op, mapper.place(page)?);
                    }
                }
                Op::Trim => {
                    let (first, count) = mapper.whole_pages(record.offset_bytes, record.size_bytes);
                    mapper.for_touched(first, count, |lpn| tell(Op::Trim, lpn));
                }
                Op::Flush => {}
            }
        }
    }
    Ok(())
}
