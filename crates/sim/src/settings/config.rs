//! The whole configuration of a run: what a device file holds, and the drives that follow from it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::alternatives::{Exemption, exempt};
use super::{
    ChannelConfig, ConfigError, ControllerConfig, FlashConfig, FlushClock, FtlConfig, GcConfig,
    GeometryConfig, HostConfig, HostMode, MeasureConfig, PolicyChoice, TargetPolicies, TraceConfig,
    WarmupConfig, WarmupPadding, WarmupPolicies,
};
use crate::time::Nanos;

/// Everything that, with a trace, determines a result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// What reports call this drive.
    #[schemars(extend("x-alternatives" = exempt(Exemption::Identity)))]
    pub name: String,
    /// Seed of every random stream.
    #[serde(default = "defaults::seed")]
    #[schemars(extend("x-alternatives" = exempt(Exemption::Identity)))]
    pub seed: u64,
    /// Number of channels, chips, dies, planes, blocks and pages, and the user capacity.
    pub geometry: GeometryConfig,
    /// What the flash array does and how long it takes.
    pub flash: FlashConfig,
    /// The channels between controller and chips.
    pub channel: ChannelConfig,
    /// The controller's memory for host data.
    #[serde(default)]
    pub controller: ControllerConfig,
    /// Who may use which channel, when.
    #[serde(default = "defaults::interconnect")]
    pub interconnect: PolicyChoice,
    /// Address mapping, placement and wear levelling.
    #[serde(default)]
    pub ftl: FtlConfig,
    /// Garbage collection: when it starts, which block it takes, how it relocates pages.
    #[serde(default)]
    pub gc: GcConfig,
    /// What else must be read and written when a page is written.
    #[serde(default = "defaults::redundancy")]
    pub redundancy: PolicyChoice,
    /// Which waiting operation a die takes next.
    #[serde(default = "defaults::scheduler")]
    pub scheduler: PolicyChoice,
    /// How the trace is opened, and what is done to it before it is played.
    #[serde(default)]
    pub trace: TraceConfig,
    /// How requests reach the drive.
    #[serde(default)]
    pub host: HostConfig,
    /// The state of the drive before the timed run.
    #[serde(default)]
    pub warmup: WarmupConfig,
    /// From when on the timed run is measured.
    #[serde(default)]
    pub measure: MeasureConfig,
}

impl Config {
    /// The configuration as a TOML file that loads to the same configuration.
    ///
    /// # Panics
    /// Never: every configuration can be written down.
    pub fn to_toml(&self) -> String {
        toml::to_string(self).expect("a configuration is a plain tree of tables")
    }
}

/// The JSON Schema of a device file.
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(Config).to_value()
}

mod defaults {
    use super::PolicyChoice;

    pub fn seed() -> u64 {
        42
    }
    pub fn interconnect() -> PolicyChoice {
        PolicyChoice::of("bus")
    }
    pub fn redundancy() -> PolicyChoice {
        PolicyChoice::of("none")
    }
    pub fn scheduler() -> PolicyChoice {
        PolicyChoice::of("read-first")
    }
}

impl Config {
    /// Whether a policy of it is the user's.
    pub fn has_own_policies(&self) -> bool {
        !self.own_policies().is_empty()
    }

    /// The policies of the user's, each by its key and its function.
    pub(crate) fn own_policies(&self) -> Vec<String> {
        let (gc, ftl) = (&self.gc, &self.ftl);
        let kinds = [
            ("gc.victim", &gc.victim),
            ("gc.trigger", &gc.trigger),
            ("gc.concurrency", &gc.concurrency),
            ("ftl.allocation", &ftl.allocation),
            ("ftl.separation", &ftl.separation),
        ];
        let own = kinds.into_iter().filter(|(_, choice)| choice.kind == "python");
        own.map(|(key, choice)| format!("{key} = {}", choice.text("function").unwrap_or_default())).collect()
    }
}

// How fast the drive sees the times of a trace.

impl Config {
    /// Whether host pages are written in stripes over chips, so that every page has a plane of its own.
    pub fn is_striped(&self) -> bool {
        self.redundancy.kind == "raid5"
    }

    /// When something of the trace is due on the drive.
    pub(crate) fn scaled(&self, time_ns: u64) -> u64 {
        let scale = self.host.time_scale;
        if scale == 1.0 { time_ns } else { (time_ns as f64 / scale).round() as u64 }
    }

    /// How long the first page of a unit waits for the others, in the drive's time.
    pub(crate) fn flush_after(&self) -> Nanos {
        let Nanos(given) = self.flash.flush_after.0;
        let scales = self.flash.flush_clock == FlushClock::Trace && self.host.mode == HostMode::OpenLoop;
        Nanos(if scales { self.scaled(given) } else { given })
    }

    /// Whether warm-up pads units whose other pages came too late for the timer of a timed run.
    pub(crate) fn warm_up_pads(&self) -> bool {
        self.warmup.kind.plays_the_trace()
            && self.warmup.padding == WarmupPadding::ByArrival
            && self.pads_by_arrival()
    }

    /// Whether the times at which requests arrive tell which units the timer of a timed run would pad.
    pub(crate) fn pads_by_arrival(&self) -> bool {
        (self.flash.programs_word_lines() || self.geometry.parts_of_page() > 1)
            && self.host.mode == HostMode::OpenLoop
    }

    /// The drive that warms up, where another takes over from it; `None` where the drive prepares itself.
    pub fn preparing(&self) -> Option<Self> {
        let WarmupPolicies { ftl, gc, interconnect } = *self.warmup.policies.clone()?;
        let warmup = WarmupConfig { scheme: None, policies: None, ..self.warmup.clone() };
        let host = self.host.at_scale(self.host.time_scale);
        Some(Self { interconnect, ftl, gc, host, warmup, ..self.clone() })
    }

    /// The drive that is to have `host.target_total_utilisation`, warmed up as this one is; `None` where its policies
    /// are not known.
    ///
    /// # Errors
    /// When another drive prepares this one, and that one could not prepare it.
    pub fn target_drive(&self) -> Result<Option<Self>, ConfigError> {
        let Some(policies) = self.host.target_policies.clone() else { return Ok(None) };
        let TargetPolicies { flash, channel, interconnect, ftl, gc, redundancy, scheduler } = *policies;
        if self.warmup.policies.is_some() && redundancy != self.redundancy {
            let reason = format!(
                "a drive with these policies has redundancy {}, and the one that prepares it \
                 (warmup.scheme) {}: use schemes with the same redundancy, or let each prepare its own drive",
                redundancy.kind, self.redundancy.kind
            );
            return Err(ConfigError::at("host.target_scheme", &reason));
        }
        let host = self.host.at_scale(1.0);
        Ok(Some(Self { flash, channel, interconnect, ftl, gc, redundancy, scheduler, host, ..self.clone() }))
    }
}

// Drives beside the one that runs: the one that prepares it, and the one on which its time scale is looked for.

impl WarmupPolicies {
    /// Those of a drive.
    pub fn of(config: &Config) -> Self {
        let Config { ftl, gc, interconnect, .. } = config.clone();
        Self { ftl, gc, interconnect }
    }
}

impl TargetPolicies {
    /// Those of a drive.
    pub fn of(config: &Config) -> Self {
        let Config { flash, channel, interconnect, ftl, gc, redundancy, scheduler, .. } = config.clone();
        Self { flash, channel, interconnect, ftl, gc, redundancy, scheduler }
    }
}

impl HostConfig {
    /// The same at a time scale, which takes the place of every die utilisation that was asked for.
    #[must_use]
    pub fn at_scale(&self, time_scale: f64) -> Self {
        Self {
            time_scale,
            target_utilisation: None,
            target_total_utilisation: None,
            target_scheme: None,
            target_policies: None,
            ..self.clone()
        }
    }
}
