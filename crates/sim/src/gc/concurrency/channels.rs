//! At most so many channels collect at once, from some usage of the flash on: the baselines of channel-aware GC,
//! section 4.3.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Build, Concurrency, JobsView, Usage};
use crate::ids::PlaneId;
use crate::metric::{Metric, Reading};
use crate::registry::{Conflict, Member, ParameterSpec, parameters};
use crate::settings::Ratio;
use crate::settings::alternatives::{SWITCH, reading, scope, unprinted};

/// How long the gate stays open.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum GateMemory {
    /// As long as the usage is at `gate` or above.
    #[default]
    None,
    /// From then until no channel collects, no plane waits to, and no block is listed by the trigger.
    UntilDrained,
    /// From then until the usage is below `gate_close`.
    TwoThresholds,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Parameters {
    /// Share of the channels that may collect at once; at least one always may.
    #[schemars(extend("x-alternatives" = scope(
        &["50%", "100%"],
        "The paper compares half of the channels with all."
    )))]
    share: Ratio,
    /// Usage below which no channel collects.
    #[schemars(extend("x-alternatives" = scope(
        &["0%", "70%"],
        "The paper compares collection at any usage with collection from 70 % on."
    )))]
    gate: Ratio,
    /// How long the gate stays open once the usage has reached `gate`.
    #[schemars(extend("x-alternatives" = reading(
        &["none", "until-drained"],
        "The gate is asked at every instant, or stays open once it was reached."
    )))]
    gate_memory: GateMemory,
    /// Usage below which the gate closes again with `gate_memory` `two-thresholds`, at most `gate`.
    #[schemars(extend("x-alternatives" = unprinted(
        &["60%"],
        "Where a gate with two thresholds closes is not printed."
    )))]
    gate_close: Option<Ratio>,
    /// Which pages are in use.
    #[schemars(extend("x-alternatives" = reading(
        &["programmed", "valid"],
        "Used space can count invalid pages or leave them out."
    )))]
    usage: Usage,
    /// Whether a job begins only while nothing is queued or under way on its channel.
    #[schemars(extend("x-alternatives" = reading(
        SWITCH,
        "Conventional collection waits for idle channels, or begins whatever they do."
    )))]
    idle: bool,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            share: Ratio { ppm: 500_000 },
            gate: Ratio { ppm: 0 },
            gate_memory: GateMemory::default(),
            gate_close: None,
            usage: Usage::default(),
            idle: false,
        }
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
    about: "Jobs that the limit, or `idle`, would have held back, but that started because a host write \
            waited for a page of their plane.",
};

pub const MEMBER: Member<Build> = Member {
    name: "channels",
    about: "at most a share of the channels collects at once, from some usage of the flash on",
    parameters: &ParameterSpec::of::<Parameters>(),
    conflicts: &[Conflict::with_untimed(
        "channels: limits how many channels collect at once, and without time one job ends before \
         the next begins; use gc.concurrency = \"all\", or a timed run",
    )],
    metrics: &[REFUSED, EMERGENCIES],
    build: |choice, context| {
        let geometry = &context.geometry;
        let given: Parameters = parameters(choice);
        if given.gate.ppm > 1_000_000 {
            return Err(format!("gate {}: must be at most 100%", given.gate));
        }
        check_memory(&given)?;
        let most = given.share.of(u64::from(geometry.channels)).max(1) as u32;
        let pages = u64::from(geometry.pages());
        Ok(Box::new(Channels { given, most, pages, open: false, refused: 0, emergencies: 0 }))
    },
};

/// What a gate remembers must be something.
fn check_memory(given: &Parameters) -> Result<(), String> {
    let gate = given.gate;
    if given.gate_memory != GateMemory::None && gate.ppm == 0 {
        return Err(
            "gate_memory: with a gate of 0% it is always open; give gate, such as \"70%\", or leave \
                    gate_memory out"
                .to_owned(),
        );
    }
    match (given.gate_memory, given.gate_close) {
        (GateMemory::TwoThresholds, None) => Err(format!(
            "gate_close: must be given with gate_memory = \"two-thresholds\": the usage below which the gate \
             closes, at most gate ({gate})"
        )),
        (GateMemory::TwoThresholds, Some(close)) if close.ppm > gate.ppm => {
            Err(format!("gate_close {close}: must be at most gate, {gate}"))
        }
        (GateMemory::None | GateMemory::UntilDrained, Some(_)) => Err("gate_close: is asked only with \
             gate_memory = \"two-thresholds\"; leave it out, or use that"
            .to_owned()),
        _ => Ok(()),
    }
}

struct Channels {
    given: Parameters,
    most: u32,
    /// All pages of the drive.
    pages: u64,
    /// Whether the gate was open when it was looked at last.
    open: bool,
    refused: u64,
    emergencies: u64,
}

impl Channels {
    /// Whether the gate is open, if it is looked at now.
    fn is_open(&self, view: &JobsView<'_>) -> bool {
        let reaches = |share| self.given.usage.is_at_least(share, self.pages, view);
        reaches(self.given.gate)
            || match self.given.gate_memory {
                GateMemory::None => false,
                GateMemory::UntilDrained => self.open,
                GateMemory::TwoThresholds => self.open && self.given.gate_close.is_some_and(reaches),
            }
    }

    fn lets_start(&self, plane: PlaneId, view: &JobsView<'_>) -> bool {
        self.is_open(view) && (view.active_channels() < self.most || view.is_active(plane))
    }

    /// Whether a job waits until its channel has nothing else to do.
    fn waits_for_channel(&self, view: &JobsView<'_>) -> bool {
        self.given.idle && !view.channel_idle
    }
}

impl Concurrency for Channels {
    fn may_start(&mut self, plane: PlaneId, view: &JobsView<'_>) -> bool {
        self.open = self.is_open(view);
        if self.waits_for_channel(view) {
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

    fn remembers(&self) -> bool {
        self.given.gate_memory != GateMemory::None
    }

    fn note_jobs(&mut self, view: &JobsView<'_>, drained: bool) {
        if drained && self.given.gate_memory == GateMemory::UntilDrained {
            self.open = false;
        }
        self.open = self.is_open(view);
    }

    fn save(&self) -> Vec<u8> {
        if self.remembers() { vec![u8::from(self.open)] } else { Vec::new() }
    }

    fn load(&mut self, state: &[u8]) -> bool {
        match (self.remembers(), state) {
            (false, []) => true,
            (true, [open @ (0 | 1)]) => {
                self.open = *open == 1;
                true
            }
            _ => false,
        }
    }

    fn on_emergency(&mut self, plane: PlaneId, view: &JobsView<'_>) {
        self.emergencies += u64::from(self.waits_for_channel(view) || !self.lets_start(plane, view));
    }

    fn metrics(&self) -> Vec<Reading> {
        vec![REFUSED.is(self.refused), EMERGENCIES.is(self.emergencies)]
    }
}
