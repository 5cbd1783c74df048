//! What overwriting pages uniformly at random costs in the long run, at both ends of the load.
//!
//! Write amplification follows from how much spare space holds garbage. Erased pages hold none. With little to do for
//! the host, collection brings every plane back to the free blocks of its trigger before the host writes on, and those
//! are idle. With dies that are never idle, the host goes before collection until a plane is urgent: free blocks run
//! down, garbage takes their place, and victims hold less that must be moved.

use crate::building::BuildContext;
use crate::flash::Geometry;
use crate::ftl::{placement, separation};
use crate::gc::concurrency;
use crate::gc::relocation;
use crate::gc::trigger::{SpaceView, Trigger};
use crate::ids::PlaneId;
use crate::metric::figures;
use crate::scheduler::{self, Class, DieView};
use crate::settings::{Config, GcFrontier, PolicyChoice};

figures! {
    /// A drive at one end of the load, in the steady state of uniform random overwrites of single pages.
    #[derive(Copy)]
    pub struct LoadEnd {
        /// Erased pages that a plane keeps while the host writes, in blocks: free ones, and what is not yet written of
        /// open ones.
        erased_blocks_per_plane: f64 => "blocks",
        /// Share of all other pages that hold no data, 1 - U / (T - erased): the spare factor to put into a formula
        /// for write amplification.
        effective_spare_factor: f64 => "share",
        /// Write amplification in pages, (host + GC programs) / host programs, that the formula of the victim policy
        /// gives at that spare factor: in bytes, too, where every write covers whole pages. Null where there is none,
        /// and the facts say why.
        write_amplification: Option<f64> => "pages per page",
    }
}

/// The drive under light load and under heavy load.
pub(crate) fn load_ends(
    config: &Config,
    geometry: &Geometry,
    trigger: &mut dyn Trigger,
    is_computable: bool,
) -> (LoadEnd, LoadEnd) {
    let terms = trigger.terms();
    // A round of collection ends with one block more than `stop` free, and the host then takes blocks down to `start`.
    let light = f64::from(terms.start_blocks + terms.reserve_blocks) / 2.0 + 1.0;
    let heavy = f64::from(free_blocks_under_heavy_load(config, geometry, trigger)).min(light);
    [light, heavy].map(|free_blocks| load_end(config, geometry, free_blocks, is_computable)).into()
}

/// Why no formula gives the write amplification of a drive, if none does. They describe one whose collection starts by
/// the number of free blocks alone, and takes a page for every page that it relocates, and to which nothing but the
/// host's pages is written.
pub(crate) fn beyond_formulas(
    config: &Config,
    context: &BuildContext,
    trigger: &dyn Trigger,
) -> Option<String> {
    let geometry = &context.geometry;
    let relocation = relocation::MEMBERS.build_checked(&config.gc.relocation, context);
    let concurrency = concurrency::MEMBERS.build_checked(&config.gc.concurrency, context);
    let terms = trigger.terms();
    let of = |key: &str, kind: &str| format!("no formula for {key} = \"{kind}\"");
    if !terms.goes_by_free_blocks {
        return Some(of("gc.trigger", &config.gc.trigger.kind));
    }
    if terms.of_drive {
        return Some(of("gc.trigger.of", "drive"));
    }
    if concurrency.holds_back() {
        return Some(of("gc.concurrency", &config.gc.concurrency.kind));
    }
    if geometry.parts_of_page > 1 {
        return Some(of("geometry.mapping_unit", &config.geometry.mapped().to_string()));
    }
    if geometry.unit_pages != 1 {
        return Some(of("flash.program_unit", "word-line"));
    }
    if geometry.stripes.is_some() {
        return Some(of("redundancy", &config.redundancy.kind));
    }
    if geometry.translation.is_some() {
        return Some(of("ftl.mapping_cache", &config.ftl.mapping_cache.kind));
    }
    if separation::terms_of(config, context).is_some() {
        return Some(of("ftl.separation", &config.ftl.separation.kind));
    }
    if let Some(scope) = config.ftl.superblock
        && geometry.superblock_planes > 1
    {
        return Some(of("ftl.superblock", scope.name()));
    }
    if geometry.cache.is_some() {
        return Some(of("ftl.slc_cache", &config.ftl.slc_cache.kind));
    }
    relocation.copyback_rule().is_some().then(|| of("gc.relocation", &config.gc.relocation.kind))
}

/// Why no formula gives the write amplification of victims of a policy, if none does.
pub(crate) fn beyond_victims(victim: &PolicyChoice, geometry: &Geometry) -> Option<String> {
    let has_one = blocks_compared(victim, geometry).is_some() || victim.kind == FIFO;
    (!has_one).then(|| format!("no formula for gc.victim = \"{}\"", victim.kind))
}

const FIFO: &str = "fifo";

/// Free blocks of a plane while the host writes, when a host operation always waits at its die.
fn free_blocks_under_heavy_load(config: &Config, geometry: &Geometry, trigger: &mut dyn Trigger) -> u32 {
    let context = BuildContext::new(config, geometry);
    let mut scheduler = scheduler::MEMBERS.build_checked(&config.scheduler, &context);
    // Asked with a host write that came before the relocation: does that have to wait?
    let mut collects_first = |gc_urgent: bool| {
        let mut oldest = [u64::MAX; Class::COUNT];
        (oldest[Class::HostWrite as usize], oldest[Class::GcRead as usize]) = (0, 1);
        scheduler.pick(&DieView { oldest, gc_urgent }) == Some(Class::GcRead)
    };
    let terms = trigger.terms();
    let start = terms.start_blocks;
    let concurrency = concurrency::MEMBERS.build_checked(&config.gc.concurrency, &context);
    if collects_first(false) && !concurrency.holds_back() {
        return start + 1;
    }
    let mut urgent = |free: &u32| {
        let (plane, free_blocks) = (PlaneId(0), *free);
        trigger.urgent(&SpaceView {
            geometry,
            plane,
            free_blocks,
            drive_free_blocks: free_blocks * geometry.planes(),
            reclaimable_pages: u32::MAX,
            channel_idle: false,
            request_waits: true,
        })
    };
    // Collection stays first until a plane is not urgent any more.
    let kept =
        if collects_first(true) { (0..=start).rev().find(&mut urgent).map_or(0, |free| free + 1) } else { 0 };
    kept.max(terms.host_stop_blocks)
}

/// A drive whose planes have so many free blocks while the host writes.
fn load_end(config: &Config, geometry: &Geometry, free_blocks: f64, is_computable: bool) -> LoadEnd {
    let per_block = geometry.pages_per_block;
    let spare_factor = |erased: f64| {
        let blocks = geometry.ordinary_blocks() * geometry.planes();
        let left = f64::from(blocks) - erased * f64::from(geometry.planes());
        1.0 - f64::from(geometry.stored_pages) / (left * f64::from(per_block))
    };
    // Every open block of the host is half written in the mean. A round of collection ends with the first victim whose
    // valid pages fit into the open block, so what is left there is less than one victim yields: 1/A of a block, half
    // of it in the mean. The same of a block shared with the host, which then takes that share. Greedy stands for all
    // policies in this small term.
    let context = BuildContext::new(config, geometry);
    let separated = separation::terms_of(config, &context).map(|terms| terms.classes);
    let placed = placement::MEMBERS.build_checked(&config.ftl.placement, &context).open_blocks();
    let host_open = match placed.or(separated) {
        Some(count) => 0.5 * f64::from(count),
        None if config.ftl.gc_frontier == GcFrontier::Shared => 0.0,
        None => 0.5,
    };
    let greedy = mean_field(spare_factor(free_blocks + host_open), per_block, f64::INFINITY);
    let erased = free_blocks + host_open + 0.5 / greedy;
    let spare_factor = spare_factor(erased);
    let kind = config.gc.victim.kind.as_str();
    let write_amplification = match blocks_compared(&config.gc.victim, geometry) {
        _ if !is_computable => None,
        Some(choices) => Some(mean_field(spare_factor, per_block, choices)),
        None if kind == FIFO => Some(fifo(spare_factor)),
        None => None,
    };
    LoadEnd { erased_blocks_per_plane: erased, effective_spare_factor: spare_factor, write_amplification }
}

/// Of how many blocks drawn at random a policy takes the one with the fewest valid pages: infinitely many if of all.
/// `None` for a policy that chooses in another way.
fn blocks_compared(victim: &PolicyChoice, geometry: &Geometry) -> Option<f64> {
    match victim.kind.as_str() {
        "greedy" => Some(f64::INFINITY),
        "random" => Some(1.0),
        "d-choices" => {
            let given = victim.parameters.get("d").and_then(serde_json::Value::as_f64);
            Some(given.unwrap_or_else(|| f64::from(geometry.blocks_per_plane.ilog2().max(1))))
        }
        _ => None,
    }
}

/// Halvings of an interval: 10^-12 of it is left.
const HALVINGS: u32 = 40;

/// Where a falling function crosses zero.
fn root(mut low: f64, mut high: f64, falling: impl Fn(f64) -> f64) -> f64 {
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(low, high);
        if falling(middle) > 0.0 { low = middle } else { high = middle }
    }
    f64::midpoint(low, high)
}

/// FIFO victims: a page survives a turn of the log with probability exp(-1 / (A rho)). Desnoyers, SYSTOR 2012.
fn fifo(spare_factor: f64) -> f64 {
    let occupied = 1.0 - spare_factor;
    root(1.0, 1e5, |amplification| -1.0 / (-1.0 / (amplification * occupied)).exp_m1() - amplification)
}

/// Victims with the fewest valid pages of so many blocks drawn at random, infinitely many for greedy: the mean field
/// of Van Houdt, SIGMETRICS 2013. With s_i the share of blocks that have at least i valid pages and E the host writes
/// for each collected block, 1 - s_i^d = (E i / (rho b)) (s_i - s_(i+1)); the s_i add up to rho b, and A = b / E.
fn mean_field(spare_factor: f64, pages_per_block: u32, choices: f64) -> f64 {
    let per_block = f64::from(pages_per_block);
    let occupied = (1.0 - spare_factor) * per_block;
    let valid_pages = |writes: f64| {
        let (mut above, mut total) = (0.0, 0.0);
        for valid in (1..=pages_per_block).rev() {
            let slope = writes * f64::from(valid) / occupied;
            above = if choices.is_finite() {
                share_of_blocks(slope, above, choices)
            } else {
                f64::min(1.0, above + 1.0 / slope)
            };
            total += above;
        }
        total
    };
    // More host writes for each collected block leave fewer pages valid.
    per_block / root(0.0, per_block, |writes| valid_pages(writes) - occupied)
}

/// The s with 1 - s^d = slope (s - above), by Newton from above.
fn share_of_blocks(slope: f64, above: f64, choices: f64) -> f64 {
    let mut share = 1.0_f64;
    for _ in 0..50 {
        let power = share.powf(choices - 1.0);
        let step = (1.0 - share * power - slope * (share - above)) / (choices * power + slope);
        share += step;
        if step.abs() < 1e-13 {
            break;
        }
    }
    share
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    /// Figures of `reclaim.validation.closed_forms.amplification`, which solves the same equations in its own way.
    #[rstest]
    #[case(0.10, 64, f64::INFINITY, 4.82127)]
    #[case(0.20, 64, f64::INFINITY, 2.59929)]
    #[case(0.20, 256, f64::INFINITY, 2.66842)]
    #[case(0.10, 64, 10.0, 5.00016)]
    #[case(0.10, 64, 2.0, 6.85160)]
    #[case(0.10, 64, 1.0, 10.0)]
    fn mean_fields(#[case] spare: f64, #[case] pages: u32, #[case] choices: f64, #[case] expected: f64) {
        let found = mean_field(spare, pages, choices);
        assert!((found / expected - 1.0).abs() < 1e-5, "{found} instead of {expected}");
    }

    #[test]
    fn fifo_has_a_closed_form() {
        assert!((fifo(0.10) / 5.178659 - 1.0).abs() < 1e-6, "{}", fifo(0.10));
        assert!((fifo(0.28) / 1.991603 - 1.0).abs() < 1e-6, "{}", fifo(0.28));
    }
}
