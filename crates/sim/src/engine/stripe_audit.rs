//! What pages of stripes hold, when a run is audited: parity is made of what was read for it, as a controller would.

use super::join::{Join, JoinKind};
use crate::flash::Stripes;
use crate::ftl::Ftl;
use crate::ids::Lpn;
use crate::mapping::Place;
use crate::redundancy::ReadBefore;

/// Makes the parity of what was read and of what is written, as a controller would.
pub(super) fn make_parity(join: &Join, stripes: &Stripes, ftl: &mut Ftl) {
    let [written @ .., parity] = join.pages() else { unreachable!("a write has its parity") };
    // Nothing comes in place of pages that are trimmed.
    let new = match join.kind() {
        JoinKind::Trim => 0,
        _ => written.iter().fold(0, |sum, page| sum ^ ftl.slot_content(page.slot)),
    };
    // All but one page of the stripe that is there were read if that one could not be.
    let (found, rebuilt) = join.found();
    let before = |lpn: Lpn| {
        let found = found.iter().find(|(page, _)| *page == lpn);
        found.map_or_else(|| if lpn == join.lost() { rebuilt } else { 0 }, |(_, content)| *content)
    };
    let sum = match join.read_before() {
        ReadBefore::Replaced => {
            written.iter().fold(new ^ before(parity.lpn), |sum, page| sum ^ before(page.lpn))
        }
        ReadBefore::Nothing | ReadBefore::Others => {
            let data = stripes.data(join.stripe());
            let others = data.filter(|lpn| !written.iter().any(|page| page.lpn == *lpn));
            others.fold(new, |sum, lpn| sum ^ before(lpn))
        }
    };
    let (trimmed, _) = join.trimmed_and_written();
    ftl.set_parity(parity.slot, sum, |lpn| trimmed.iter().any(|page| page.lpn == lpn));
}

/// Checks that the rest of the stripe sums to the page that was rebuilt.
///
/// # Errors
/// When it does not.
pub(super) fn check_rebuilt(join: &Join, ftl: &Ftl) -> Result<(), String> {
    let (lpn, (_, sum)) = (join.rebuilt_page(), join.found());
    // It may have been trimmed while the read waited for its stripe.
    let Place::Flash(ppn) = ftl.map().place(lpn) else { return Ok(()) };
    if sum == ftl.content(ppn) {
        return Ok(());
    }
    Err(format!("{lpn:?} was rebuilt from its stripe, but holds something else"))
}
