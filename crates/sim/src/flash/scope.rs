//! How many planes share superblocks.

use crate::settings::{Config, ConfigError, Superblock};

/// Number of planes that share superblocks, each plane with blocks of so many pages.
pub(super) fn superblock_planes(config: &Config, pages_per_block: u32) -> Result<u32, ConfigError> {
    let g = &config.geometry;
    let of_channel = g.chips_per_channel * g.dies_per_chip * g.planes_per_die;
    let planes = match config.ftl.superblock() {
        Superblock::Plane => 1,
        Superblock::Die => g.planes_per_die,
        Superblock::Channel => of_channel,
        Superblock::Whole => of_channel * g.channels,
    };
    let (pages, most) = (u64::from(planes) * u64::from(pages_per_block), u16::MAX);
    if pages > u64::from(most) {
        let reason = format!(
            "a superblock of {planes} planes has {pages} pages, but at most {most} are counted; let fewer \
             planes share one (\"channel\", \"die\"), or have fewer pages in a block \
             (geometry.pages_per_block)"
        );
        return Err(ConfigError::at("ftl.superblock", &reason));
    }
    Ok(planes)
}
