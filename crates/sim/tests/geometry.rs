//! Numbers of dies, planes, blocks and pages: every dimension has a size of its own.

use crate::common::prelude::*;
use reclaim_sim::config::{Ratio, Size};
use reclaim_sim::ids::{ChannelId, ChipId, DieId};

/// 3 channels of 2 chips of 5 dies of 7 planes of 11 blocks of 13 pages, built without asking whether its collector has
/// room.
fn odd(capacity: &str, value: &str, dies_overlap: &str) -> Geometry {
    let set = [("geometry.spare_factor", "50%"), ("flash.dies_overlap", dies_overlap)];
    let mut config = config("gc-bypass", &set);
    let g = &mut config.geometry;
    (g.channels, g.chips_per_channel, g.dies_per_chip) = (3, 2, 5);
    (g.planes_per_die, g.blocks_per_plane, g.pages_per_block) = (7, 11, 13);
    let given = |key| (key == capacity).then_some(value);
    g.spare_factor = given("spare_factor").and_then(Ratio::parse);
    g.over_provisioning = given("over_provisioning").and_then(Ratio::parse);
    g.user_capacity = given("user_capacity").and_then(Size::parse);
    Geometry::new(&config).unwrap()
}

/// Channel 2, chip 1 of it, die 3 of that, plane 4 of that, block 10 of that, page 12 of that.
#[test]
fn parts_are_numbered_through() {
    let geometry = odd("spare_factor", "50%", "true");
    assert_eq!((geometry.planes(), geometry.dies()), (3 * 2 * 5 * 7, 3 * 2 * 5));
    assert_eq!((geometry.blocks(), geometry.pages()), (210 * 11, 210 * 11 * 13));
    let die = DieId((2 * 2 + 1) * 5 + 3);
    let plane = PlaneId(28 * 7 + 4);
    let block = BlockId(200 * 11 + 10);
    let page = Ppn(2210 * 13 + 12);
    assert_eq!(die, DieId(28));
    assert_eq!(geometry.page(block, 12), page);
    assert_eq!((geometry.block_of(page), geometry.page_in_block(page)), (block, 12));
    assert_eq!((geometry.plane_of(block), geometry.first_block(plane)), (plane, BlockId(2200)));
    assert_eq!((geometry.die_of(plane), geometry.first_plane(die)), (die, PlaneId(196)));
    assert_eq!((geometry.channel_of(die), geometry.chip_of(die)), (ChannelId(2), ChipId(5)));
    assert_eq!((geometry.planes_of(die), geometry.partners_of(plane)), (196..203, 196..203));
    // A chip whose dies do not overlap is one unit.
    let geometry = odd("spare_factor", "50%", "false");
    assert_eq!((geometry.planes(), geometry.dies(), geometry.planes_per_lun), (210, 6, 35));
    assert_eq!(geometry.die_of(plane), DieId(5));
    assert_eq!((geometry.channel_of(DieId(5)), geometry.chip_of(DieId(5))), (ChannelId(2), ChipId(5)));
    assert_eq!(geometry.planes_of(DieId(5)), 175..210);
    // A multi-plane operation stays within a die.
    assert_eq!(geometry.partners_of(plane), 196..203);
}

/// 30,030 pages: spare pages as a share of all, as a share of the user's, or the user capacity.
#[test]
fn what_the_host_sees() {
    for (key, value, pages, spare, over) in [
        ("spare_factor", "50%", 15_015, 0.5, 1.0),
        ("over_provisioning", "25%", 24_024, 0.2, 0.25),
        ("user_capacity", "80080KiB", 20_020, 1.0 / 3.0, 0.5),
        ("user_capacity", "120120KiB", 30_030, 0.0, 0.0),
    ] {
        let geometry = odd(key, value, "true");
        assert_eq!(geometry.logical_pages, pages);
        let found: [f64; 2] = [geometry.spare_factor() - spare, geometry.over_provisioning() - over];
        assert!(found.iter().all(|off| off.abs() < 1e-12), "{key} {value}: {found:?}");
    }
}
