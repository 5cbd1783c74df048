//! At most so many channels collect at once, from some usage of the flash on: the baselines of channel-aware GC,
//! section 4.3.

use schemars::JsonSchema;
use serde::Deserialize;

use super::usage::Usage;
use super::{Build, Concurrency, JobsView};
use crate::ids::PlaneId;
use crate::metric::{Metric, Reading};
use crate::registry::{Member, ParameterSpec, parameters};
use crate::settings::Ratio;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Parameters {
    /// Share of the channels that may collect at once; at least one always may.
    share: Ratio,
    /// Usage below which no channel collects.
    gate: Ratio,
    /// Which pages are in use.
    usage: Usage,
    /// Whether a job begins only while nothing is queued or under way on its channel.
    idle: bool,
}

impl Default for Parameters {
    fn default() -> Self {
        Self { share: Ratio { ppm: 500_000 }, gate: Ratio { ppm: 0 }, usage: Usage::default(), idle: false }
    }
}

const REFUSED: Metric = Metric {
    name: "refused_starts",
    unit: "requests to start",
    about: "Times a plane wanted to collect and had to wait for jobs of other channels, or for the usage to \
            reach `gate`; it asks again.",
};

const EMERGENCIES: Metric = Metric {
    name: "emergency_starts",
    unit: "jobs",
    about: "Jobs that started beyond the limit, because a host write waited for a page of their plane.",
};

pub const MEMBER: Member<Build> = Member {
    name: "channels",
    about: "at most a share of the channels collects at once, from some usage of the flash on",
    parameters: &ParameterSpec::of::<Parameters>(),
    conflicts: &[],
    metrics: &[REFUSED, EMERGENCIES],
    build: |choice, context| {
        let geometry = &context.geometry;
        let given: Parameters = parameters(choice);
        if given.gate.ppm > 1_000_000 {
            return Err(format!("gate {}: must be at most 100%", given.gate));
        }
        let most = given.share.of(u64::from(geometry.channels)).max(1) as u32;
        let pages = u64::from(geometry.pages());
        Ok(Box::new(Channels { given, most, pages, refused: 0, emergencies: 0 }))
    },
};

struct Channels {
    given: Parameters,
    most: u32,
    /// All pages of the drive.
    pages: u64,
    refused: u64,
    emergencies: u64,
}

impl Channels {
    fn is_open(&self, view: &JobsView<'_>) -> bool {
        self.given.usage.is_at_least(self.given.gate, self.pages, view)
    }

    fn lets_start(&self, plane: PlaneId, view: &JobsView<'_>) -> bool {
        self.is_open(view) && (view.active_channels() < self.most || view.is_active(plane))
    }
}

impl Concurrency for Channels {
    fn may_start(&mut self, plane: PlaneId, view: &JobsView<'_>) -> bool {
        if self.given.idle && !view.channel_idle {
            return false;
        }
        let may = self.lets_start(plane, view);
        self.refused += u64::from(!may);
        may
    }

    fn waits_for_idle(&self) -> bool {
        self.given.idle
    }

    fn channel_limit(&self, view: &JobsView<'_>) -> Option<u32> {
        Some(if self.is_open(view) { self.most } else { 0 })
    }

    fn limit_changes(&self) -> bool {
        self.given.gate.ppm > 0
    }

    fn on_emergency(&mut self, plane: PlaneId, view: &JobsView<'_>) {
        self.emergencies += u64::from(!self.lets_start(plane, view));
    }

    fn metrics(&self) -> Vec<Reading> {
        vec![REFUSED.is(self.refused), EMERGENCIES.is(self.emergencies)]
    }
}
