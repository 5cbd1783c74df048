//! What a network of router chips counts.

use super::rests;
use crate::metric::{Metric, Reading};

const REFUSED: Metric = Metric {
    name: "refused_transfers",
    unit: "attempts",
    about: "Attempts to begin a transfer without a free controller, chip or way, each time.",
};
const TRANSFERS: Metric =
    Metric { name: "transfers", unit: "transfers", about: "Transfers that have got a circuit." };
const FIRST_TRY: Metric = Metric {
    name: "first_try_transfers",
    unit: "transfers",
    about: "Transfers that got a circuit when their die first asked for one.",
};
const SCOUTS: Metric = Metric {
    name: "scouts_sent",
    unit: "scouts",
    about: "Scouts sent: by an idle controller, to a chip to which nobody has a circuit.",
};
const TURNED: Metric =
    Metric { name: "scouts_turned", unit: "scouts", about: "Scouts that found no way and came back." };
const HOPS: Metric = Metric {
    name: "hops_travelled",
    unit: "links",
    about: "Links that transfers have gone along, added up over all transfers.",
};
const DETOURS: Metric = Metric {
    name: "detour_hops",
    unit: "links",
    about: "Those of them beyond the shortest way from the same controller.",
};
const BACKTRACKS: Metric = Metric {
    name: "scout_backtracks",
    unit: "links",
    about: "Links that scouts travelled back over, added up over all scouts.",
};

/// All of them.
pub(super) const METRICS: &[Metric] =
    &[REFUSED, TRANSFERS, FIRST_TRY, SCOUTS, TURNED, HOPS, DETOURS, BACKTRACKS];

/// Those and what a network with circuits at rest counts.
pub(super) const METRICS_WITH_RESTS: &[Metric] = &[
    REFUSED,
    TRANSFERS,
    FIRST_TRY,
    SCOUTS,
    TURNED,
    HOPS,
    DETOURS,
    BACKTRACKS,
    rests::METRICS[0],
    rests::METRICS[1],
    rests::METRICS[2],
];

/// Where they stand.
#[derive(Debug, Default)]
pub(super) struct Counts {
    pub(super) refused: u64,
    pub(super) transfers: u64,
    pub(super) first_try: u64,
    pub(super) scouts: u64,
    pub(super) turned: u64,
    pub(super) hops: u64,
    pub(super) detours: u64,
    pub(super) backtracks: u64,
}

impl Counts {
    pub(super) fn readings(&self) -> Vec<Reading> {
        vec![
            REFUSED.is(self.refused),
            TRANSFERS.is(self.transfers),
            FIRST_TRY.is(self.first_try),
            SCOUTS.is(self.scouts),
            TURNED.is(self.turned),
            HOPS.is(self.hops),
            DETOURS.is(self.detours),
            BACKTRACKS.is(self.backtracks),
        ]
    }
}
