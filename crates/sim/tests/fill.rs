//! Writing and moving many pages at a time leaves the state that doing so page by page leaves, as an audited drive
//! does: saved states are compared byte by byte, and what is counted beside them.

use crate::common::hostile;
use crate::common::prelude::*;
use reclaim_sim::gc::victim::MEMBERS;

fn saved(ftl: &Ftl, config: &Config) -> Vec<u8> {
    let path = Saved::new();
    ftl.save(config, "", &path.0).unwrap();
    std::fs::read(&path.0).unwrap()
}

/// Both ways of filling a drive in two goes, writing a page between, and overwriting pages afterwards.
fn same_either_way(config: &Config, name: &str) {
    let geometry = Geometry::new(config).unwrap();
    let mut at_once = Ftl::new(config, &geometry, false);
    let mut each = Ftl::new(config, &geometry, true);
    let (pages, middle) = (geometry.logical_pages, geometry.logical_pages / 3);
    at_once.fill_now(0..middle);
    at_once.note_request(true);
    at_once.write_now(Lpn(0));
    at_once.fill_now(middle..pages);
    for page in (0..middle).chain([0]).chain(middle..pages) {
        each.note_request(true);
        each.write_now(Lpn(page));
    }
    let agree = |at_once: &Ftl, each: &Ftl, when: &str| {
        assert_eq!(at_once.counters(), each.counters(), "{name}, {when}");
        assert_eq!(at_once.plane_counters(), each.plane_counters(), "{name}, {when}");
        let left = |ftl: &Ftl| (ftl.used_pages(), ftl.free_blocks());
        assert_eq!(left(at_once), left(each), "{name}, {when}");
        for plane in (0..geometry.planes()).map(PlaneId) {
            assert_eq!(at_once.plane(plane).low_water, each.plane(plane).low_water, "{name}, {when}");
        }
        assert!(saved(at_once, config) == saved(each, config), "{name}: states differ {when}");
        reclaim_sim::audit::check(each, true).unwrap();
    };
    agree(&at_once, &each, "when filled");
    let mut stream = RandomStream::new(1, "fill");
    for _ in 0..3 * pages {
        let page = Lpn(stream.below(pages));
        at_once.write_now(page);
        each.write_now(page);
    }
    agree(&at_once, &each, "overwritten");
}

#[test]
fn on_drives_at_the_edge() {
    let mut tried = 0;
    for seed in 0..150 {
        let set = if seed % 2 == 0 { hostile::settings(seed) } else { hostile::widened(seed) };
        let request = LoadRequest { device: "gc-bypass".to_owned(), schemes: Vec::new(), set };
        // Pages of stripes are not written one by one.
        if let Ok(config) = load(&request)
            && Geometry::new(&config).is_ok_and(|geometry| geometry.stripes.is_none())
        {
            same_either_way(&config, &format!("seed-{seed}"));
            tried += 1;
        }
    }
    assert!(tried > 80, "only {tried} drives were accepted");
}

/// Blocks long enough that most pages are written many at a time, under every victim policy and the triggers, limits
/// and placements that hear of more or less of it.
#[test]
fn with_policies_of_every_kind() {
    let drive = || TestDrive::of([2, 2, 1, 2]).blocks(20, 24);
    let mut configs = vec![("plain", drive())];
    for victim in MEMBERS.all.iter().filter(|victim| victim.stands_alone()) {
        configs.push((victim.name, drive().victim(victim.name)));
    }
    let others = [
        ("ftl.gc_frontier", "shared"),
        ("gc.trigger", "invalid-ratio"),
        ("gc.trigger", "frontier-filled"),
        ("gc.relocation", "coupled"),
        ("gc.relocation", "copyback-odd-even"),
        ("gc.concurrency", "adaptive"),
        ("ftl.allocation", "dynamic"),
        ("ftl.allocation.order", "PDWC"),
        ("ftl.allocation.by", "arrival"),
        ("ftl.placement", "level-by-history"),
        ("ftl.wear.dynamic", "true"),
        ("geometry.mapping_unit", "2KiB"),
    ];
    configs.extend(others.map(|(key, value)| (value, drive().set(key, value))));
    for (name, drive) in configs {
        same_either_way(&drive.config(), name);
    }
}
