//! At most so many channels collect at once (the "half channels" baseline of channel-aware GC, section 5).

use schemars::JsonSchema;
use serde::Deserialize;

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
}

impl Default for Parameters {
    fn default() -> Self {
        Self { share: Ratio { ppm: 500_000 } }
    }
}

const REFUSED: Metric = Metric {
    name: "refused_starts",
    unit: "requests to start",
    about: "Times a plane wanted to collect and had to wait for jobs of other channels; it asks again.",
};

pub const MEMBER: Member<Build> = Member {
    name: "channels",
    about: "at most a share of the channels collects at once",
    parameters: &ParameterSpec::of::<Parameters>(),
    conflicts: &[],
    metrics: &[REFUSED],
    build: |choice, context| {
        let geometry = &context.geometry;
        let given: Parameters = parameters(choice);
        let most = given.share.of(u64::from(geometry.channels)).max(1) as u32;
        Ok(Box::new(Channels { most, refused: 0 }))
    },
};

struct Channels {
    most: u32,
    refused: u64,
}

impl Concurrency for Channels {
    fn may_start(&mut self, plane: PlaneId, view: &JobsView<'_>) -> bool {
        let may = view.active_channels() < self.most || view.is_active(plane);
        self.refused += u64::from(!may);
        may
    }

    fn metrics(&self) -> Vec<Reading> {
        vec![REFUSED.is(self.refused)]
    }
}
