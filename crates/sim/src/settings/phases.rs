//! What happens before the timed run, and from when on that run is measured.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::alternatives::{Exemption, SWITCH, exempt, reading, unprinted};
use super::{FtlConfig, GcConfig, MeasureAfter, PolicyChoice, Ratio};

/// The state of the drive before the timed run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WarmupKind {
    /// Factory-fresh: nothing written.
    #[default]
    Empty,
    /// Every logical page written once, in order.
    Filled,
    /// Filled, then `overwrites` times the logical capacity written at random.
    Overwrite,
    /// Filled, then overwritten at random until write amplification is flat.
    Steady,
    /// Everything the trace itself writes and trims, in its order, `replays` times.
    Replay,
    /// Filled, then what the trace itself writes and trims, in its order, until write amplification is flat.
    Workload,
}

impl WarmupKind {
    /// Its name in configuration and results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::Filled => "filled",
            Self::Overwrite => "overwrite",
            Self::Steady => "steady",
            Self::Replay => "replay",
            Self::Workload => "workload",
        }
    }

    /// Whether the trace itself is played on the drive.
    pub fn plays_the_trace(self) -> bool {
        matches!(self, Self::Replay | Self::Workload)
    }
}

/// What a warm-up that plays the trace does with units of several pages that a timed run would program with too few.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WarmupPadding {
    /// Pads them: a unit is programmed without the pages that arrive later than `flash.flush_after` after its first.
    #[default]
    ByArrival,
    /// Waits for all their pages.
    None,
}

/// Untimed preparation of the drive.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct WarmupConfig {
    /// How the drive is prepared.
    #[schemars(extend("x-alternatives" = unprinted(
        &["empty", "filled", "overwrite", "steady", "replay", "workload"],
        "In which state the drive begins is often left out, and decides how much is collected."
    )))]
    pub kind: WarmupKind,
    /// Random overwrites of `overwrite`, in multiples of the logical capacity.
    #[schemars(extend("x-alternatives" = unprinted(
        &["×0.5", "×2"],
        "How long a drive was aged is seldom printed."
    )))]
    pub overwrites: f64,
    /// `steady` and `workload` end when write amplification changes by less than this between rounds. A round of
    /// `steady` writes one logical capacity, a round of `workload` replays the trace until at least that much is
    /// written.
    #[schemars(extend("x-alternatives" = unprinted(
        &["×4"],
        "When write amplification counts as flat is printed nowhere."
    )))]
    pub tolerance: Ratio,
    /// `steady` and `workload` give up (and say so) after this many logical capacities.
    #[schemars(extend("x-alternatives" = unprinted(&["×0.5"], "When ageing gives up is printed nowhere.")))]
    pub limit: f64,
    /// How often `replay` plays the trace.
    #[schemars(extend("x-alternatives" = unprinted(
        &["×3"],
        "How often a trace was played beforehand is seldom printed."
    )))]
    pub replays: u32,
    /// `replay` starts from a drive on which every logical page was written, not from an empty one.
    #[schemars(extend("x-alternatives" = unprinted(
        SWITCH,
        "Whether the drive was full before the trace is often left out."
    )))]
    pub fill: bool,
    /// Whether warm-ups that replay the trace pad units of several pages (`flash.program_unit`) as the timed run does,
    /// by arrival times. In a closed loop, nothing is padded before the end.
    #[schemars(extend("x-alternatives" = reading(
        &["by-arrival", "none"],
        "Ageing without time can pad partial units or wait for their pages."
    )))]
    pub padding: WarmupPadding,
    /// Share of all flash pages that hold valid data when the drive is prepared. So many logical pages are filled;
    /// random writes go to these alone. A warm-up that replays the trace fills the pages that one replay leaves
    /// written, and others up to the share. Absent: all logical pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-alternatives" = unprinted(
        &["50%", "75%"],
        "How full the flash is of valid data decides what victims hold, and is often left out."
    )))]
    pub valid_share: Option<Ratio>,
    /// After a warm-up that replays the trace, part of it is written to a copy of the drive in another order. If that
    /// changes write amplification, the verdict says so (`order-of-replay`). Takes at most a third of the warm-up.
    #[serde(skip_serializing_if = "is_true")]
    #[schemars(extend("x-alternatives" = exempt(Exemption::Recording)))]
    pub order_check: bool,
    /// The scheme, such as `greedy` or `a+b`, that prepares the drive; the policies of the run take over when warm-up
    /// ends. So all compared schemes start from the same drive. `own`, or absent: the policies of the run prepare it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-alternatives" = reading(
        &["own", "greedy"],
        "Each scheme ages its own drive, or all begin with the same."
    )))]
    pub scheme: Option<String>,
    /// What `scheme` stands for on this drive; written down when it is resolved.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-alternatives" = exempt(Exemption::Identity)))]
    pub policies: Option<Box<WarmupPolicies>>,
}

/// The value of `warmup.scheme` with which a drive is prepared by its own policies.
pub const OWN_START: &str = "own";

/// The policies that prepare a drive, where they are not those of the run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WarmupPolicies {
    /// As the section `ftl` of a drive.
    pub ftl: FtlConfig,
    /// As the section `gc` of a drive.
    pub gc: GcConfig,
    /// As the section `interconnect` of a drive: some relocation needs one of its kind.
    pub interconnect: PolicyChoice,
}

/// A switch that is on unless it is turned off need not be written down.
#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks with a reference")]
fn is_true(switch: &bool) -> bool {
    *switch
}

impl Default for WarmupConfig {
    fn default() -> Self {
        Self {
            kind: WarmupKind::Empty,
            overwrites: 2.0,
            tolerance: Ratio { ppm: 5_000 },
            limit: 40.0,
            replays: 1,
            fill: false,
            padding: WarmupPadding::default(),
            valid_share: None,
            order_check: true,
            scheme: None,
            policies: None,
        }
    }
}

impl WarmupConfig {
    /// Whether every logical page is written before anything else.
    pub fn fills(&self) -> bool {
        match self.kind {
            WarmupKind::Empty => false,
            WarmupKind::Replay => self.fill,
            WarmupKind::Filled | WarmupKind::Overwrite | WarmupKind::Steady | WarmupKind::Workload => true,
        }
    }
}

/// What ends a run of which windows are measured.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WindowsUntil {
    /// The end of the trace.
    #[default]
    Trace,
    /// That as many blocks of a plane have failed as may.
    Worn,
}

/// Windows that stand for a whole run: the trace is played without time, and where a window begins, a drive in that
/// state goes on with time. Windows are measured on all processors; the results are the same with any number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct WindowsConfig {
    /// How many. The trace has as many equal parts, with a window in each, at a place that `seed` draws.
    #[schemars(range(min = 1), extend("x-alternatives" = exempt(Exemption::Recording)))]
    pub count: u32,
    /// What ends the run: the end of the `trace`; or that the drive is `worn` out by `flash.endurance.failures`. The
    /// trace is played over and over then, and windows are whole plays: the first, the last, and others equally far
    /// apart.
    #[serde(skip_serializing_if = "super::is_default")]
    #[schemars(extend("x-alternatives" = exempt(Exemption::Recording)))]
    pub until: WindowsUntil,
    /// Share of the requests of the trace that the windows measure together; of no meaning with `until = "worn"`.
    #[schemars(extend("x-alternatives" = exempt(Exemption::Recording)))]
    pub share: Ratio,
    /// Requests before each window that are played with time and are not counted: where time begins, queues are empty
    /// and nothing is collected.
    #[schemars(extend("x-alternatives" = exempt(Exemption::Recording)))]
    pub lead_in: u32,
}

impl Default for WindowsConfig {
    fn default() -> Self {
        Self { count: 8, until: WindowsUntil::Trace, share: Ratio { ppm: 100_000 }, lead_in: 16_000 }
    }
}

/// The part of the timed run that is measured. Requests that arrived before it are played and not counted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct MeasureConfig {
    /// Where measuring begins: at the `start` of the trace; after the `first-round` of collection, when every plane has
    /// collected from its trigger's start to its stop (a short run would otherwise pay for space that it does not use);
    /// or after a share of the requests.
    #[schemars(extend("x-alternatives" = reading(
        &["start", "first-round", "25%"],
        "Whether the first part of a run is measured is seldom printed."
    )))]
    pub after: MeasureAfter,
    /// The trace is played without time, as a warm-up plays it: each request is done before the next comes. Write
    /// amplification, erases and wear are measured, many times as fast; whatever is a figure of time is 0, empty or
    /// null.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schemars(extend("x-alternatives" = exempt(Exemption::Recording)))]
    pub untimed: bool,
    /// Windows along the trace that are measured, for one result of all. Absent: the whole run is.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-alternatives" = exempt(Exemption::Recording)))]
    pub windows: Option<WindowsConfig>,
    /// Mean number of events between random instants at which Reclaim counts what a power cut would destroy. The run
    /// goes on unchanged. Absent: never.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-alternatives" = exempt(Exemption::Recording)))]
    pub power_cut_every: Option<u32>,
}

impl MeasureConfig {
    /// Whether the trace is played until the drive is worn out, and windows are plays of it.
    pub fn is_of_life(&self) -> bool {
        self.windows.as_ref().is_some_and(|windows| windows.until == WindowsUntil::Worn)
    }

    /// Whether the trace, or what lies between its windows, is played without time.
    pub fn plays_without_time(&self) -> bool {
        self.untimed || self.windows.is_some()
    }
}
