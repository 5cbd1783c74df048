//! How many channels, chips, dies, planes, blocks and pages a drive has, and its user capacity.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::alternatives::{reading, scope, unprinted};
use super::{Ratio, Size};

/// The flash array's dimensions and the user capacity.
///
/// Exactly one of `user_capacity`, `over_provisioning` and `spare_factor` must be given.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GeometryConfig {
    /// Number of channels between controller and chips.
    #[schemars(extend("x-alternatives" = scope(
        &["×0.5", "×2"],
        "Drives are built with fewer and with more channels than that of a paper."
    )))]
    pub channels: u32,
    /// Number of chips (packages) on each channel.
    #[schemars(extend("x-alternatives" = scope(
        &["×0.5", "×2"],
        "Drives are built with fewer and with more chips on a channel."
    )))]
    pub chips_per_channel: u32,
    /// Number of dies (LUNs) in each chip.
    #[schemars(extend("x-alternatives" = scope(&["×0.5", "×2"], "A package holds from one die to sixteen.")))]
    pub dies_per_chip: u32,
    /// Number of planes in each die.
    #[schemars(extend("x-alternatives" = scope(&["×0.5", "×2"], "Dies have from one plane to six.")))]
    pub planes_per_die: u32,
    /// Number of blocks in each plane.
    #[schemars(extend("x-alternatives" = scope(
        &["×0.5", "×2"],
        "Simulated drives are made small, which leaves a plane fewer blocks to choose from."
    )))]
    pub blocks_per_plane: u32,
    /// Number of pages in each block.
    #[schemars(extend("x-alternatives" = scope(
        &["×0.5", "×2"],
        "Blocks have grown from generation to generation."
    )))]
    pub pages_per_block: u32,
    /// Bytes of user data in a page.
    #[schemars(extend("x-alternatives" = scope(
        &["4KiB", "8KiB", "16KiB"],
        "Papers take the page of the host for that of the flash, or a larger one."
    )))]
    pub page_size: Size,
    /// What the translation layer maps: a part of a page, which divides it. A program covers whole pages; parts are
    /// gathered, and missing ones are padded (`flash.flush_after`). Results, and keys of channel and controller, call
    /// such a part a page. Default: the page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-alternatives" = reading(
        &["4KiB"],
        "Drives map units of 4 KiB on larger pages; papers take the page itself, or do not say."
    )))]
    pub mapping_unit: Option<Size>,
    /// User capacity: what the host can address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-alternatives" = unprinted(
        &["×0.9", "×1.03"],
        "How much of the flash is spare is seldom printed."
    )))]
    pub user_capacity: Option<Size>,
    /// Spare pages as a share of the user's pages: (T - U) / U.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-alternatives" = unprinted(
        &["×0.5", "×2"],
        "How much of the flash is spare is seldom printed."
    )))]
    pub over_provisioning: Option<Ratio>,
    /// Spare pages as a share of all pages: (T - U) / T. MQSim's "overprovisioning ratio".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-alternatives" = unprinted(
        &["×0.5", "×1.8"],
        "How much of the flash is spare is seldom printed, and of two definitions."
    )))]
    pub spare_factor: Option<Ratio>,
}

impl GeometryConfig {
    /// What is mapped by itself: what the simulator calls a page everywhere but here.
    pub(crate) fn mapped(&self) -> Size {
        self.mapping_unit.unwrap_or(self.page_size)
    }

    /// Number of these in a page of flash, at least 1.
    pub(crate) fn parts_of_page(&self) -> u32 {
        self.mapping_unit
            .map_or(1, |unit| (self.page_size.0 / unit.0.max(1)).clamp(1, u64::from(u32::MAX)) as u32)
    }
}
