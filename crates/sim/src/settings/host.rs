//! The host side of a configuration: when requests are issued, and the link they come over.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::alternatives::{Exemption, exempt, scope, unprinted};
use super::{ChannelConfig, FlashConfig, FtlConfig, GcConfig, PolicyChoice, Ratio, Size, TransferRate};

/// When requests of the trace are issued.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum HostMode {
    /// At the times the trace says (times `1 / time_scale`).
    #[default]
    OpenLoop,
    /// As soon as fewer than `queue_depth` are outstanding; times in the trace do not matter.
    ClosedLoop,
}

/// The host side.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct HostConfig {
    /// When requests are issued.
    #[schemars(extend("x-alternatives" = scope(
        &["open-loop", "closed-loop"],
        "A trace is played at its times, or as fast as the drive answers."
    )))]
    pub mode: HostMode,
    /// Requests outstanding in closed loop. Refused in open loop, where it says nothing.
    #[schemars(extend("x-alternatives" = scope(&["×0.25", "×4"], "The load of a closed loop is its depth.")))]
    pub queue_depth: u32,
    /// How many times faster than recorded an open-loop trace is played: 2.0 halves every interval. Refused in closed
    /// loop, where it says nothing.
    #[schemars(extend("x-alternatives" = scope(&["×0.5", "×2"], "The load of an open loop is its pace.")))]
    pub time_scale: f64,
    /// Instead of `time_scale`: the die utilisation that the host's pages alone should cause, at most 100 %. Time scale
    /// = target × dies × span / flash time of the trace's pages. Results say which utilisation the host's pages and all
    /// operations really had. Refused in closed loop.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-alternatives" = scope(&["×0.5", "×1.2"], "The load of an open loop is its pace.")))]
    pub target_utilisation: Option<Ratio>,
    /// Instead of `time_scale` and `target_utilisation`: the die utilisation, GC included, under the policies of
    /// `target_scheme`, at most 100 %. The trace is run under them at most 12 times, until utilisation is within 1 % of
    /// the target; otherwise the run fails. All schemes are then replayed at this time scale. Refused in closed loop.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-alternatives" = scope(&["×0.5", "×1.2"], "The load of an open loop is its pace.")))]
    pub target_total_utilisation: Option<Ratio>,
    /// The scheme, such as `greedy` or `a+b`, under which the drive has the utilisation `target_total_utilisation`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-alternatives" = exempt(Exemption::Identity)))]
    pub target_scheme: Option<String>,
    /// What `target_scheme` stands for on this drive; written down when it is resolved.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-alternatives" = exempt(Exemption::Identity)))]
    pub target_policies: Option<Box<TargetPolicies>>,
    /// The link between host and drive. Absent: requests and data reach the drive at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-alternatives" = unprinted(
        &["{ lanes = 4 }"],
        "Whether the link of the host takes time is seldom printed."
    )))]
    pub link: Option<LinkConfig>,
}

/// The sections of a drive that schemes change, of the drive on which a time scale is looked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TargetPolicies {
    /// As the section `flash` of a drive.
    pub flash: FlashConfig,
    /// As the section `channel` of a drive.
    pub channel: ChannelConfig,
    /// As the section `interconnect` of a drive.
    pub interconnect: PolicyChoice,
    /// As the section `ftl` of a drive.
    pub ftl: FtlConfig,
    /// As the section `gc` of a drive.
    pub gc: GcConfig,
    /// As the section `redundancy` of a drive.
    pub redundancy: PolicyChoice,
    /// As the section `scheduler` of a drive.
    pub scheduler: PolicyChoice,
}

/// A PCIe link with an NVMe queue pair: doorbell, fetch of the submission entry, data, completion entry. Each direction
/// carries one message at a time; read requests of the drive are packets without payload.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LinkConfig {
    /// Number of lanes of the link; a packet's bytes are spread over all of them.
    #[schemars(extend("x-alternatives" = scope(&["×0.5", "×2"], "Drives have from one lane to sixteen.")))]
    pub lanes: u32,
    /// Bytes per second on a lane after line coding, each way: "1 GT/s" is a gigabyte per second.
    #[schemars(extend("x-alternatives" = scope(
        &["×0.5", "×2"],
        "Each generation of the link doubles the rate."
    )))]
    pub lane_rate: TransferRate,
    /// Most payload of a packet.
    #[schemars(extend("x-alternatives" = unprinted(
        &["×2"],
        "Hosts and drives agree on a payload that no paper prints."
    )))]
    pub max_payload: Size,
    /// Headers and framing of a packet.
    #[schemars(extend("x-alternatives" = unprinted(
        &["×0.5"],
        "How headers are counted differs between simulators."
    )))]
    pub packet_overhead: Size,
    /// A doorbell write, and a read request of the drive.
    #[schemars(extend("x-alternatives" = unprinted(
        &["×2"],
        "Sizes of control messages differ between simulators."
    )))]
    pub doorbell: Size,
    /// A submission queue entry.
    #[schemars(extend("x-alternatives" = unprinted(
        &["×2"],
        "Sizes of control messages differ between simulators."
    )))]
    pub submission_entry: Size,
    /// A completion queue entry.
    #[schemars(extend("x-alternatives" = unprinted(
        &["×2"],
        "Sizes of control messages differ between simulators."
    )))]
    pub completion_entry: Size,
}

impl Default for LinkConfig {
    fn default() -> Self {
        Self {
            lanes: 4,
            lane_rate: TransferRate(1_000_000_000),
            max_payload: Size(128),
            packet_overhead: Size(28),
            doorbell: Size(4),
            submission_entry: Size(64),
            completion_entry: Size(16),
        }
    }
}

impl Default for HostConfig {
    fn default() -> Self {
        Self {
            mode: HostMode::OpenLoop,
            queue_depth: 32,
            time_scale: 1.0,
            target_utilisation: None,
            target_total_utilisation: None,
            target_scheme: None,
            target_policies: None,
            link: None,
        }
    }
}
