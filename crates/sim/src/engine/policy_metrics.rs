//! The counters that policies declare, gathered from the places that hold the policies.

use super::drive::Drive;
use crate::ftl::{allocation, placement};
use crate::gc::{concurrency, deferral, relocation, trigger, victim};
use crate::metrics::{PolicyReadings, PolicyResults};
use crate::{interconnect, redundancy, scheduler};

macro_rules! add {
    ($to:ident, $kind:ident, $choice:expr, $readings:expr) => {
        $to.add($kind::MEMBERS.key, $kind::MEMBERS.get($choice).metrics, $readings)
    };
}

impl Drive {
    /// Where the counters of all policies stand.
    pub(super) fn policy_readings(&self) -> PolicyReadings {
        let (config, gc) = (&self.config, &self.config.gc);
        let of_ftl = self.ftl.policy_readings();
        let mut all = PolicyReadings::default();
        add!(all, interconnect, &config.interconnect, self.interconnect.metrics());
        add!(all, allocation, &config.ftl.allocation, of_ftl.allocation);
        add!(all, placement, &config.ftl.placement, of_ftl.placement);
        add!(all, trigger, &gc.trigger, of_ftl.trigger);
        add!(all, victim, &gc.victim, of_ftl.victim);
        add!(all, relocation, &gc.relocation, of_ftl.relocation);
        add!(all, concurrency, &gc.concurrency, of_ftl.concurrency);
        add!(all, deferral, &gc.deferral, self.deferring.policy.metrics());
        add!(all, redundancy, &config.redundancy, of_ftl.redundancy);
        add!(all, scheduler, &config.scheduler, self.scheduler.metrics());
        all
    }

    /// What policies have counted while the run was measured.
    pub(crate) fn policy_results(&self) -> PolicyResults {
        self.policy_readings().since(&self.measuring.policies_before)
    }
}
