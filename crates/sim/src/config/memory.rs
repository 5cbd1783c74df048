//! How much memory a run needs, estimated before anything is allocated.

use crate::building::BuildContext;
use crate::flash::Geometry;
use crate::ftl::{placement, separation};
use crate::mapping::Classes;
use crate::settings::Config;

/// What a process has beside the tables of the drive, bytes: interpreter, modules, program, and all else that does not
/// grow with the drive. Measured with Python 3.11 and a short trace on Linux: 28 to 33 million.
const PROCESS_BYTES: f64 = 31e6;

/// Forward and reverse map, valid bit, and the block's share of the block table and victim lists.
pub(super) fn state_bytes(geometry: &Geometry) -> f64 {
    let pages = f64::from(geometry.pages());
    let stored = f64::from(geometry.stored_pages);
    let block_table = 1.0 + 2.0 + 2.0 + 2.0 + 4.0;
    let victim_lists = 8.0;
    let heads = f64::from(geometry.planes()) * f64::from(geometry.pages_per_block + 1) * 8.0;
    let blocks = f64::from(geometry.blocks()) * (block_table + victim_lists + 4.0);
    pages * (4.0 + 0.125) + stored * 4.0 + blocks + heads
}

/// Memory of a process that runs the drive, without that of the trace and of recorded tables.
pub(crate) fn run_bytes(config: &Config, geometry: &Geometry) -> u64 {
    let context = BuildContext::new(config, geometry);
    let placement = placement::MEMBERS.build_checked(&config.ftl.placement, &context);
    let classes = separation::terms_of(config, &context)
        .map_or(0, |terms| Classes::bytes(geometry.stored_pages, terms.timed));
    let drive = state_bytes(geometry) as u64 + placement.bytes() + classes;
    PROCESS_BYTES as u64 + drive + order_check_bytes(config, geometry, drive)
}

/// What looking at the order of replay needs beside the drive, at most: a copy of it, and twelve bytes for each page
/// that is written to that, in the order of the trace and in another.
fn order_check_bytes(config: &Config, geometry: &Geometry, drive: u64) -> u64 {
    let looks = config.warmup.order_check && config.warmup.kind.plays_the_trace();
    if looks && config.trace.repeat_order.is_same() {
        drive + u64::from(geometry.stored_pages) * 24
    } else {
        0
    }
}

/// What an audited run needs beside that: the newest version of every logical page, the one in every physical page, a
/// bit for each, and with stripes what every physical page holds.
pub(crate) fn audit_bytes(geometry: &Geometry) -> u64 {
    let content = if geometry.stripes.is_some() { 8.0 } else { 0.0 };
    let (pages, stored) = (f64::from(geometry.pages()), f64::from(geometry.stored_pages));
    (pages * (4.0 + 0.125 + content) + stored * (4.0 + 0.125)) as u64
}

/// What counting the losses of power cuts needs beside that: three numbers for every logical page; with stripes as many
/// for every physical one, for what parity says of itself and to sort pages by stripe.
pub(crate) fn power_cut_bytes(geometry: &Geometry) -> u64 {
    let of_stripes = geometry.stripes.as_ref().map_or(0, |_| u64::from(geometry.pages()) * 12);
    u64::from(geometry.stored_pages) * 12 + of_stripes
}
