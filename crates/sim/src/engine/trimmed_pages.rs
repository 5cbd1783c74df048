//! The pages of stripes that a trim concerns, in time and before it.

use crate::ftl::Ftl;
use crate::host::AddressMapper;
use crate::ids::Lpn;
use crate::mapping::Place;

/// The pages that a trim of a range of trace pages covers and that are somewhere, in ascending order.
pub(crate) fn trimmed_pages(
    ftl: &Ftl,
    mapper: &AddressMapper,
    (first, count): (u64, u64),
    pages: &mut Vec<Lpn>,
) {
    pages.clear();
    if mapper.is_identity() {
        // What was never written is stepped over quickly.
        let (mut from, end) = (first as u32, (first + count) as u32);
        while let Some(lpn) = ftl.map().next_mapped(from, end.max(from)) {
            pages.push(lpn);
            from = lpn.0 + 1;
        }
        return;
    }
    mapper.for_touched(first, count, |lpn| pages.push(lpn));
    pages.sort_unstable();
    pages.dedup();
    pages.retain(|lpn| ftl.map().place(*lpn) != Place::Nowhere);
}
