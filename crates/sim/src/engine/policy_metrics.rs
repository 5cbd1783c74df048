//! The counters that policies declare, gathered from the places that hold the policies.

use crate::ftl::{Ftl, allocation, placement, separation, slc_cache};
use crate::gc::{concurrency, deferral, relocation, trigger, victim};
use crate::interconnect::{self, Interconnect};
use crate::metric::Reading;
use crate::metrics::PolicyReadings;
use crate::redundancy;
use crate::scheduler::{self, Scheduler};
use crate::settings::Config;

macro_rules! add {
    ($to:ident, $kind:ident, $choice:expr, $readings:expr) => {
        $to.add($kind::MEMBERS.key, $kind::MEMBERS.get($choice).metrics, $readings)
    };
}

/// Where the counters of all policies stand.
pub(super) fn readings(
    config: &Config,
    ftl: &Ftl,
    interconnect: &dyn Interconnect,
    scheduler: &dyn Scheduler,
    of_deferral: Vec<Reading>,
) -> PolicyReadings {
    let gc = &config.gc;
    let of_ftl = ftl.policy_readings();
    let mut all = PolicyReadings::default();
    add!(all, interconnect, &config.interconnect, interconnect.metrics());
    add!(all, allocation, &config.ftl.allocation, of_ftl.allocation);
    add!(all, placement, &config.ftl.placement, of_ftl.placement);
    add!(all, separation, &config.ftl.separation, of_ftl.separation);
    add!(all, slc_cache, &config.ftl.slc_cache, of_ftl.slc_cache);
    add!(all, trigger, &gc.trigger, of_ftl.trigger);
    add!(all, victim, &gc.victim, of_ftl.victim);
    add!(all, relocation, &gc.relocation, of_ftl.relocation);
    add!(all, concurrency, &gc.concurrency, of_ftl.concurrency);
    add!(all, deferral, &gc.deferral, of_deferral);
    add!(all, redundancy, &config.redundancy, of_ftl.redundancy);
    add!(all, scheduler, &config.scheduler, scheduler.metrics());
    all
}
