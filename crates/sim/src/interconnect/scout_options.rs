//! What networks of scouts differ in, and what they count.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::rests::Elevation;
use super::{Order, rests};
use crate::metric::{Metric, Reading};
use crate::settings::{Ties, Time};
use crate::time::Nanos;

/// Which of several ports that lead on as well a router takes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Picks {
    /// The one that its shift register picks (GC bypass, section 3.2).
    #[default]
    Register,
    /// The first of east, north, south and west: no chance is in it.
    First,
}

/// When a scout that found no way goes again.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Resend {
    /// When a circuit has ended since.
    #[default]
    OnChange,
    /// As soon as it is back at its controller: its links and its two flits, a `hop` each.
    AtOnce,
}

/// How a network differs from another one of the kind.
#[derive(Debug, Clone, Copy)]
pub(super) struct Options {
    /// Time that a link adds to a transfer.
    pub(super) hop: Nanos,
    /// Output ports that a router tries for one scout at most.
    pub(super) ports_tried: u32,
    /// Which of several ports that lead on as well a router takes.
    pub(super) picks: Picks,
    /// Circuits without a common link that a transfer may have.
    pub(super) paths: u32,
    /// When a scout that found no way goes again.
    pub(super) resend: Resend,
    /// Which of several idle controllers that are as near to the chip sends a scout.
    pub(super) ties: Ties,
    /// Who asks first when dies that wait are served.
    pub(super) order: Order,
    /// Whether the links that a scout travelled count, instead of those of the way that it found.
    pub(super) count_scout_hops: bool,
    /// Whether circuits can be kept, and after how many failures a transfer of low priority goes before them.
    pub(super) elevation: Option<Elevation>,
}

const LONGEST_HOP: Nanos = Nanos(1_000_000_000);
const MOST_PATHS: u32 = 4;

impl Options {
    /// The same, if they make a network.
    ///
    /// # Errors
    /// Why they do not.
    pub(super) fn checked(self) -> Result<Self, String> {
        let hop = Time(self.hop);
        if self.hop > LONGEST_HOP {
            return Err(format!("hop {hop} is longer than a second"));
        }
        if self.hop.0 == 0 && self.resend == Resend::AtOnce {
            return Err(format!("hop {hop}: a scout that goes again at once takes time"));
        }
        if self.ports_tried == 0 {
            return Err("ports_tried 0: a router tries one at least".to_owned());
        }
        if !(1..=MOST_PATHS).contains(&self.paths) {
            return Err(format!("paths {}: from 1 to {MOST_PATHS}, the ports of a router", self.paths));
        }
        Ok(self)
    }
}

// What a network of router chips counts.

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
