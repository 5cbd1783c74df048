//! The whole configuration of a run: what a device file holds.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::alternatives::{Exemption, exempt};
use super::{
    ChannelConfig, ControllerConfig, FlashConfig, FtlConfig, GcConfig, GeometryConfig, HostConfig,
    MeasureConfig, PolicyChoice, TraceConfig, WarmupConfig,
};

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
    /// The policies of the user's, each by its key and its function.
    pub(crate) fn own_policies(&self) -> Vec<String> {
        let (gc, ftl) = (&self.gc, &self.ftl);
        let kinds = [
            ("gc.victim", &gc.victim),
            ("gc.trigger", &gc.trigger),
            ("gc.concurrency", &gc.concurrency),
            ("ftl.allocation", &ftl.allocation),
        ];
        let own = kinds.into_iter().filter(|(_, choice)| choice.kind == "python");
        own.map(|(key, choice)| format!("{key} = {}", choice.text("function").unwrap_or_default())).collect()
    }
}
