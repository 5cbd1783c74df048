//! Every policy there is, for lists, documentation and checks.

use crate::building::PolicyKind;
use crate::metric::Metric;
use crate::registry::{Conflict, Listing};

/// Every seam whose policy a configuration chooses by its `kind`.
pub(super) fn seams() -> [&'static dyn PolicyKind; 13] {
    [
        &crate::interconnect::MEMBERS,
        &crate::ftl::allocation::MEMBERS,
        &crate::ftl::placement::MEMBERS,
        &crate::ftl::separation::MEMBERS,
        &crate::ftl::slc_cache::MEMBERS,
        &crate::ftl::mapping_cache::MEMBERS,
        &crate::gc::trigger::MEMBERS,
        &crate::gc::victim::MEMBERS,
        &crate::gc::relocation::MEMBERS,
        &crate::gc::concurrency::MEMBERS,
        &crate::gc::deferral::MEMBERS,
        &crate::redundancy::MEMBERS,
        &crate::scheduler::MEMBERS,
    ]
}

fn declared(metric: &Metric) -> serde_json::Value {
    let Metric { name, unit, about } = metric;
    serde_json::json!({ "name": name, "unit": unit, "about": about })
}

/// Every seam with its members, what they do and the parameters they take.
pub fn catalogue() -> serde_json::Value {
    let conflict = |conflict: &Conflict| serde_json::json!({ "with": conflict.with, "why": conflict.why });
    let member = |member: Listing| {
        let metrics: Vec<_> = member.metrics.iter().map(declared).collect();
        let conflicts: Vec<_> = member.conflicts.iter().map(conflict).collect();
        serde_json::json!({
            "name": member.name,
            "about": member.about,
            "parameters": member.parameters.to_value(),
            "conflicts": conflicts,
            "metrics": metrics,
            "source": member.source,
        })
    };
    let seam = |seam: &&dyn PolicyKind| {
        let members: Vec<_> = seam.listing().into_iter().map(member).collect();
        serde_json::json!({ "key": seam.key(), "alternatives": seam.alternatives(), "policies": members })
    };
    seams().iter().map(seam).collect()
}
