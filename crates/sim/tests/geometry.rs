//! Numbers of dies, planes, blocks and pages, and which drives are refused: every dimension has a size of its own.

use crate::common::config;
use reclaim_sim::config::{LoadRequest, Ratio, Size, load};
use reclaim_sim::flash::Geometry;
use reclaim_sim::ids::{BlockId, ChannelId, ChipId, DieId, PlaneId, Ppn};
use rstest::rstest;

/// 3 channels of 2 chips of 5 dies of 7 planes of 11 blocks of 13 pages.
const ODD: [(&str, &str); 6] = [
    ("geometry.channels", "3"),
    ("geometry.chips_per_channel", "2"),
    ("geometry.dies_per_chip", "5"),
    ("geometry.planes_per_die", "7"),
    ("geometry.blocks_per_plane", "11"),
    ("geometry.pages_per_block", "13"),
];

/// Such a drive, built without asking whether its collector has room.
fn odd(capacity: &str, value: &str, dies_overlap: &str) -> Geometry {
    let mut config =
        config("gc-bypass", &[("geometry.spare_factor", "50%"), ("flash.dies_overlap", dies_overlap)]);
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
}

#[test]
fn a_chip_whose_dies_do_not_overlap_is_one_unit() {
    let geometry = odd("spare_factor", "50%", "false");
    assert_eq!((geometry.planes(), geometry.dies(), geometry.planes_per_lun), (210, 6, 35));
    let plane = PlaneId(200);
    assert_eq!(geometry.die_of(plane), DieId(5));
    assert_eq!((geometry.channel_of(DieId(5)), geometry.chip_of(DieId(5))), (ChannelId(2), ChipId(5)));
    assert_eq!(geometry.planes_of(DieId(5)), 175..210);
    // A multi-plane operation stays within a die.
    assert_eq!(geometry.partners_of(plane), 196..203);
}

/// 30,030 pages: spare pages as a share of all, as a share of the user's, or the user capacity.
#[rstest]
#[case("spare_factor", "50%", 15_015, 0.5, 1.0)]
#[case("over_provisioning", "25%", 24_024, 0.2, 0.25)]
#[case("user_capacity", "80080KiB", 20_020, 1.0 / 3.0, 0.5)]
#[case("user_capacity", "120120KiB", 30_030, 0.0, 0.0)]
fn what_the_host_sees(
    #[case] key: &str,
    #[case] value: &str,
    #[case] pages: u32,
    #[case] spare: f64,
    #[case] over: f64,
) {
    let geometry = odd(key, value, "true");
    assert_eq!(geometry.logical_pages, pages);
    assert!((geometry.spare_factor() - spare).abs() < 1e-12, "{}", geometry.spare_factor());
    assert!((geometry.over_provisioning() - over).abs() < 1e-12, "{}", geometry.over_provisioning());
}

fn refusal(set: &[(&str, &str)]) -> Option<String> {
    let set = set.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    let request = LoadRequest { device: "gc-bypass".to_owned(), schemes: Vec::new(), set };
    load(&request).err().map(|error| error.to_string())
}

#[rstest]
#[case(
    &[("geometry.user_capacity", "4095B")],
    "leaves the host less than a page of 4KiB; it must see one at least"
)]
#[case(
    &[("geometry.user_capacity", "120124KiB")],
    "the host would see 30031 pages of a drive that has 30030"
)]
#[case(&[("geometry.spare_factor", "100%")], "geometry.spare_factor: must be below 100%")]
#[case(&[("geometry.page_size", "1000B")], "geometry.page_size: must be a multiple of 512B, up to 1MiB")]
#[case(&[("geometry.page_size", "256B")], "geometry.page_size: must be a multiple of 512B, up to 1MiB")]
#[case(&[("geometry.page_size", "2MiB")], "geometry.page_size: must be a multiple of 512B, up to 1MiB")]
#[case(&[("geometry.pages_per_block", "65536")], "geometry.pages_per_block: must be at most 65535")]
fn drives_that_cannot_be(#[case] set: &[(&str, &str)], #[case] expected: &str) {
    let message = refusal(&[&ODD, set].concat()).unwrap();
    assert!(message.ends_with(expected), "{message}");
}

/// 255 x 2^24 pages are just what a drive may have.
#[test]
fn the_largest_drive() {
    let with_blocks = |blocks| {
        refusal(&[
            ("geometry.channels", "255"),
            ("geometry.chips_per_channel", "1"),
            ("geometry.dies_per_chip", "1"),
            ("geometry.planes_per_die", "1"),
            ("geometry.blocks_per_plane", blocks),
        ])
    };
    assert_eq!(with_blocks("65536"), None);
    let message = with_blocks("65537").unwrap();
    assert!(
        message.contains("4278255360 physical pages, but a drive may have at most 4278190080"),
        "{message}"
    );
}

/// One plane of 4-page blocks: the trigger's blocks, the open ones and one to collect must be spare.
#[rstest]
#[case("16", "25%", "1 block", "separate", None)]
#[case(
    "16",
    "24%",
    "1 block",
    "separate",
    Some(
        "a plane has 3 spare blocks of 16, but needs 4: 1 kept free by the GC trigger, 2 open, 1 to collect; \
          lower the user capacity (spare_factor = \"31.3%\" would do) or lower gc.trigger.start"
    )
)]
#[case("16", "19%", "1 block", "shared", None)]
#[case(
    "16",
    "18%",
    "1 block",
    "shared",
    Some(
        "a plane has 2 spare blocks of 16, but needs 3: 1 kept free by the GC trigger, 1 open, 1 to collect; \
          lower the user capacity (spare_factor = \"25.1%\" would do) or lower gc.trigger.start"
    )
)]
#[case(
    "16",
    "40%",
    "5 blocks",
    "separate",
    Some(
        "a plane has 6 spare blocks of 16, but needs 8: 5 kept free by the GC trigger, 2 open, 1 to collect; \
          lower the user capacity (spare_factor = \"56.3%\" would do) or lower gc.trigger.start"
    )
)]
#[case(
    "16",
    "40%",
    "6 blocks",
    "separate",
    Some(
        "a plane has 6 spare blocks of 16, but needs 9: 6 kept free by the GC trigger, 2 open, 1 to collect; \
          give the planes more blocks (geometry.blocks_per_plane)"
    )
)]
fn room_for_the_collector(
    #[case] blocks: &str,
    #[case] spare: &str,
    #[case] start: &str,
    #[case] frontier: &str,
    #[case] expected: Option<&str>,
) {
    let set = [
        ("geometry.channels", "1"),
        ("geometry.chips_per_channel", "1"),
        ("geometry.dies_per_chip", "1"),
        ("geometry.planes_per_die", "1"),
        ("geometry.pages_per_block", "4"),
        ("geometry.blocks_per_plane", blocks),
        ("geometry.spare_factor", spare),
        ("gc.trigger.start", start),
        ("ftl.gc_frontier", frontier),
    ];
    let message = refusal(&set);
    match (message, expected) {
        (None, None) => {}
        (Some(message), Some(expected)) => assert!(message.ends_with(expected), "{message}"),
        (message, expected) => panic!("{message:?} instead of {expected:?}"),
    }
}
