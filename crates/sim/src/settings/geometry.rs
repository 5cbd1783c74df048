//! How many channels, chips, dies, planes, blocks and pages a drive has, and its user capacity.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Ratio, Size};

/// The flash array's dimensions and the user capacity.
///
/// Exactly one of `user_capacity`, `over_provisioning` and `spare_factor` must be given.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GeometryConfig {
    /// Number of channels between controller and chips.
    pub channels: u32,
    /// Number of chips (packages) on each channel.
    pub chips_per_channel: u32,
    /// Number of dies (LUNs) in each chip.
    pub dies_per_chip: u32,
    /// Number of planes in each die.
    pub planes_per_die: u32,
    /// Number of blocks in each plane.
    pub blocks_per_plane: u32,
    /// Number of pages in each block.
    pub pages_per_block: u32,
    /// Bytes of user data in a page.
    pub page_size: Size,
    /// User capacity: what the host can address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_capacity: Option<Size>,
    /// Spare pages as a share of the user's pages: (T - U) / U.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub over_provisioning: Option<Ratio>,
    /// Spare pages as a share of all pages: (T - U) / T. MQSim's "overprovisioning ratio".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spare_factor: Option<Ratio>,
}
