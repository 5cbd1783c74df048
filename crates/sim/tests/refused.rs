//! Combinations that are no drive: the message names the key to blame and what to use instead.

use crate::common::prelude::*;

type Set = &'static [(&'static str, &'static str)];

/// Each row beside `base` is refused in words with `says` in them.
fn are_refused(base: &[(&str, &str)], rows: &[(Set, &str)]) {
    for (set, says) in rows {
        let message = refusal(&[base, set].concat());
        assert!(message.contains(says), "{set:?}: {message}");
    }
}

const RAID5: [(&str, &str); 3] =
    [("ftl.allocation", "striping"), ("redundancy", "raid5"), ("redundancy.stripe_chips", "4")];

/// Blocks enough for whatever is asked for.
const ROOMY: [(&str, &str); 2] = [("geometry.blocks_per_plane", "32"), ("geometry.spare_factor", "50%")];
const STRIPES: Set = &[("redundancy", "raid5"), ("redundancy.stripe_chips", "2")];

#[test]
fn beside_stripes() {
    let rows: [(Set, &str); 7] = [
        (&[("ftl.allocation.by", "arrival")], "ftl.allocation"),
        (&[("gc.relocation", "buffered")], "use gc.relocation = \"controller\""),
        (&[("ftl.assign_pages", "on-arrival")], "use ftl.assign_pages = \"at-start\""),
        (&[("gc.block_victim_access", "true")], "use gc.block_victim_access = false"),
        (&[("controller.write_buffer", "4KiB")], "controller.write_buffer"),
        (&[("redundancy.stripe_chips", "3")], "32 chips can be divided into stripes of 2, 4, 8, 16, 32"),
        (&[("redundancy.unreadable_chip", "32")], "the drive has 32 chips, numbered from 0"),
    ];
    are_refused(&RAID5, &rows);
    let rebuilding = [("redundancy.stripe_chips", "2"), ("redundancy.rebuild_chip", "0")];
    let rows: [(Set, &str); 4] = [
        (&[("redundancy.rebuild_chip", "32")], "rebuild_chip 32: the drive has 32 chips"),
        (&[("redundancy.rebuild_stripes", "0")], "at least 1"),
        (&[("redundancy.unreadable_chip", "1")], "leave out unreadable_chip"),
        (&[("measure.power_cut_every", "9")], "leave out measure.power_cut_every"),
    ];
    are_refused(&[&RAID5[..], &rebuilding].concat(), &rows);
    let rows: [(Set, &str); 4] = [
        (&[("redundancy.stripe_chips", "32")], "dgc needs chips outside a page's parity set"),
        (&[("gc.trigger", "frontier-filled")], "use gc.trigger = \"foreground\""),
        (&[("gc.deferral.restore", "0 blocks")], "gc.deferral"),
        (&[("gc.trigger", "{ kind = \"free-blocks\", of = \"drive\" }")], "use gc.trigger.of = \"plane\""),
    ];
    are_refused(&[&RAID5[..], &[("gc.deferral", "dgc")]].concat(), &rows);
}

/// 3 channels of 2 chips of 5 dies of 7 planes of 11 blocks of 13 pages: 30,030 pages.
#[test]
fn drives_that_cannot_be() {
    let odd = [
        ("geometry.channels", "3"),
        ("geometry.chips_per_channel", "2"),
        ("geometry.dies_per_chip", "5"),
        ("geometry.planes_per_die", "7"),
        ("geometry.blocks_per_plane", "11"),
        ("geometry.pages_per_block", "13"),
    ];
    let rows: [(Set, &str); 7] = [
        (&[("geometry.user_capacity", "4095B")], "less than a page of 4KiB"),
        (&[("geometry.user_capacity", "120124KiB")], "30031 pages of a drive that has 30030"),
        (&[("geometry.spare_factor", "100%")], "geometry.spare_factor: must be below 100%"),
        (&[("geometry.page_size", "1000B")], "geometry.page_size: must be a multiple of 512B, up to 1MiB"),
        (&[("geometry.page_size", "256B")], "geometry.page_size: must be a multiple of 512B, up to 1MiB"),
        (&[("geometry.page_size", "2MiB")], "geometry.page_size: must be a multiple of 512B, up to 1MiB"),
        (&[("geometry.pages_per_block", "65536")], "geometry.pages_per_block: must be at most 65535"),
    ];
    are_refused(&odd, &rows);
}

const ONE_PLANE: [(&str, &str); 5] = [
    ("geometry.channels", "1"),
    ("geometry.chips_per_channel", "1"),
    ("geometry.dies_per_chip", "1"),
    ("geometry.planes_per_die", "1"),
    ("geometry.pages_per_block", "4"),
];

fn loads(set: &[(&str, &str)]) -> bool {
    load(&request("gc-bypass", set)).is_ok()
}

/// 255 x 2^24 pages are just what a drive may have.
#[test]
fn beyond_the_largest_drive() {
    let pages = [("geometry.channels", "255"), ("geometry.pages_per_block", "256")];
    let with = |blocks| [&ONE_PLANE[..], &pages, &[("geometry.blocks_per_plane", blocks)]].concat();
    assert!(loads(&with("65536")));
    let message = refusal(&with("65537"));
    assert!(message.contains("4278255360 physical pages") && message.contains("4278190080"), "{message}");
}

/// One plane of 4-page blocks: the trigger's blocks, the open ones and one to collect must be spare.
#[test]
fn without_room_for_the_collector() {
    for (spare, start, frontier, says) in [
        ("25%", "1 block", "separate", None),
        ("24%", "1 block", "separate", Some(("3 spare blocks of 16, but needs 4: 1 ", "\"31.3%\""))),
        ("19%", "1 block", "shared", None),
        ("18%", "1 block", "shared", Some(("2 spare blocks of 16, but needs 3: 1 ", "\"25.1%\""))),
        ("40%", "5 blocks", "separate", Some(("6 spare blocks of 16, but needs 8: 5 ", "\"56.3%\""))),
        ("40%", "6 blocks", "separate", Some(("but needs 9: 6 ", "geometry.blocks_per_plane"))),
    ] {
        let of_plane = [
            ("geometry.blocks_per_plane", "16"),
            ("geometry.spare_factor", spare),
            ("gc.trigger.start", start),
            ("ftl.gc_frontier", frontier),
        ];
        let set = [&ONE_PLANE[..], &of_plane].concat();
        assert_eq!(loads(&set), says.is_none(), "{set:?}");
        if let Some((says, way_out)) = says {
            let message = refusal(&set);
            assert!(message.contains(says) && message.contains(way_out), "{message}");
        }
    }
}

#[test]
fn beside_parts_of_pages() {
    const KEY: &str = "geometry.mapping_unit";
    let base = [
        ("geometry.page_size", "16KiB"),
        (KEY, "4KiB"),
        ("geometry.pages_per_block", "12"),
        ("geometry.spare_factor", "50%"),
    ];
    let rows: [(Set, &str); 9] = [
        (&[("gc.relocation", "copyback")], "gc.relocation = \"controller\""),
        (&[("gc.relocation", "buffered")], "gc.relocation = \"controller\""),
        (&[("ftl.placement", "level-by-history"), ("flash.cell", "MLC")], "use ftl.placement = \"append\""),
        (&[("ftl.gc_frontier", "shared")], "use ftl.gc_frontier = \"separate\""),
        (&[("ftl.assign_pages", "on-arrival")], "use ftl.assign_pages = \"at-start\""),
        (&[(KEY, "6KiB")], "6KiB does not divide geometry.page_size = \"16KiB\""),
        (&[(KEY, "1000B")], "must be a multiple of 512B"),
        (&[("geometry.page_size", "64KiB"), (KEY, "1KiB")], "32 parts at most; use \"2KiB\""),
        (
            &[(KEY, "1KiB"), ("flash.cell", "TLC"), ("flash.program_unit", "word-line")],
            "32 parts at most, those of 3 pages here (flash.program_unit); use \"2KiB\"",
        ),
    ];
    are_refused(&base, &rows);
    for (set, _) in rows {
        assert!(refusal(&[&base, set].concat()).contains("geometry.mapping_unit: "), "{set:?}");
    }
}

/// Parameters of a network on a drive of so many channels and chips.
fn network_error(kind: &str, chips: [&str; 2], key: &str, value: &str, beside: Set) -> String {
    let key = format!("interconnect.{key}");
    let set = [
        ("geometry.channels", chips[0]),
        ("geometry.chips_per_channel", chips[1]),
        ("interconnect", kind),
        (&key, value),
    ];
    refusal(&[&set, beside].concat())
}

#[test]
fn what_makes_no_network() {
    let mesh = |key, value, says: &str| {
        let message = network_error("mesh", ["2", "2"], key, value, &[]);
        assert!(message.contains("interconnect: ") && message.contains(says), "{message}");
    };
    mesh("rows", "3", "rows 3, columns 2: 6 routers, but the drive has 4 chips");
    mesh("rows", "0", "rows 0, columns 2: 0 routers, but the drive has 4 chips");
    mesh("controllers", "[]", "controllers: ");
    mesh(
        "controllers",
        "[[0, 0], [1, 2]]",
        "controllers: [1, 2] is outside the mesh of 2 rows and 2 columns",
    );
    mesh("controllers", "[[1, 0], [0, 1], [1, 0]]", "controllers: [1, 0] is given twice");
    mesh("gc_controllers", "[[0, 1], [0, 2]]", "gc_controllers: [0, 2] is outside the mesh of 2 rows");
    mesh("gc_controllers", "[[0, 1], [0, 1]]", "gc_controllers: [0, 1] is given twice");
    mesh("gc_controllers", "[[0, 1], [1, 0]]", "gc_controllers: [1, 0] is one of the controllers");
    mesh("hop", "2s", "hop 2s");
    let rows: [(&str, &str, &str, Set, &str); 14] = [
        ("venice", "ports_tried", "0", &[], "ports_tried 0"),
        ("venice", "hop", "0ns", &[("interconnect.resend", "at-once")], "hop 0ns"),
        ("venice", "rows", "1", &[], "rows 1, columns 3: 3 routers, but the drive has 6 chips"),
        ("venice", "rows", "21846", &[], "rows 21846, columns 3: more than 65536 routers"),
        ("venice", "chips", "[[0, 0]]", &[], "chips: 1 places for 6 chips"),
        ("venice", "controllers", "[]", &[], "controllers: the list is empty"),
        ("nossd", "controllers", "[[2, 0]]", &[], "[2, 0] is outside the mesh of 2 rows and 3 columns"),
        ("smartnetssd", "paths", "5", &[], "paths 5: from 1 to 4"),
        ("pssd", "speed", "0", &[], "speed 0: from 1 to 64"),
        (
            "venice-priority",
            "gc_controller",
            "dedicated",
            &[("interconnect.controllers", "[[0, 0]]")],
            "or gc_controller = \"extra\"",
        ),
        (
            "venice-priority",
            "gc_at",
            "[0, 1]",
            &[("interconnect.gc_controller", "shared")],
            "use gc_controller = \"extra\"",
        ),
        ("venice-priority", "elevate_after", "0", &[], "elevate_after 0"),
        ("venice-priority", "gc_at", "[7, 0]", &[], "gc_at: [7, 0] is outside the mesh of 2 rows"),
        ("pnssd", "split", "true", &[("interconnect.spatial_gc", "true")], "with spatial_gc = true"),
    ];
    for (kind, key, value, beside, says) in rows {
        let message = network_error(kind, ["2", "3"], key, value, beside);
        assert!(message.contains("interconnect: ") && message.contains(says), "{message}");
    }
    let whole = [("interconnect.gc_tasks", "whole"), ("gc.trigger", "frontier-filled")];
    let message = refused("channel-aware", &whole);
    assert!(message.contains("whole: jobs of one plane would wait for each other"), "{message}");
}

#[test]
fn beside_a_pace() {
    let rows: [(Set, &str); 4] = [
        (&[("gc.block_victim_access", "true")], "gc.pace: paced: the host would wait for a job"),
        (&[("gc.relocation", "buffered")], "gc.pace: paced: what others wait for"),
        (
            &[("gc.trigger", "frontier-filled")],
            "gc.pace: paced: a plane has one pace; use gc.trigger.jobs = 1",
        ),
        (&[("gc.pace", "fast")], "a percentage such as \"150%\", or \"by-victim\", or \"off\""),
    ];
    are_refused(&[("gc.pace", "by-victim")], &rows);
}

#[test]
fn beside_placement_by_level() {
    let rows: [(Set, &str); 8] = [
        (&[("ftl.gc_frontier", "shared")], "pages of the host are placed among blocks of their own"),
        (&[("flash.multi_plane", "same-page")], "planes would have to agree on the next page"),
        (&[("flash.cell", "SLC"), ("flash.t_read", "9us"), ("flash.t_program", "9us")], "have one level"),
        (&[("ftl.placement.open_blocks", "1")], "open_blocks = 1; from 2 to 16"),
        (&[("ftl.placement.open_blocks", "17")], "open_blocks = 17; from 2 to 16"),
        (&[("ftl.placement.open_blocks", "16")], "17 open, 1 to collect"),
        (&[("ftl.placement.short_lived", "warm")], "short_lived"),
        (&[("ftl.separation", "by-stream")], "both choose the open block of a page"),
    ];
    for kind in ["level-by-history", "level-by-future"] {
        are_refused(&[&ROOMY[..], &[("flash.cell", "MLC"), ("ftl.placement", kind)]].concat(), &rows);
    }
}

#[test]
fn beside_separation() {
    const BY_CLASS: (&str, &str) = ("ftl.separation.relocated", "by-class");
    let rows: [(Set, &str); 12] = [
        (&[("ftl.placement", "level-by-history")], "both choose the open block of a page"),
        (&[("ftl.gc_frontier", "shared")], "classes: pages of the host have blocks of their own"),
        (&[("ftl.assign_pages", "on-arrival")], "classes: the block is chosen when the program starts"),
        (
            &[BY_CLASS, ("flash.program_unit", "word-line"), ("geometry.pages_per_block", "254")],
            "by class: pages of a victim that are programmed together",
        ),
        (&[BY_CLASS, ("flash.multi_plane", "same-page")], "by class: planes would have to agree"),
        (&[BY_CLASS, ("gc.relocation", "buffered")], "by class: this gc.relocation plans for the one open"),
        (&[BY_CLASS, ("gc.relocation", "coupled")], "by class: this gc.relocation plans for the one open"),
        (&[("ftl.separation.open_blocks", "1")], "open_blocks = 1; from 2 to 8"),
        (&[("ftl.separation.open_blocks", "9")], "open_blocks = 9; from 2 to 8"),
        (&[ROOMY[0], ("geometry.spare_factor", "15%")], "or have fewer ftl.separation.open_blocks"),
        (&[BY_CLASS, ("ftl.separation.open_blocks", "8")], "16 open, 1 to collect"),
        (&[("ftl.separation.relocated", "apart")], "by-class"),
    ];
    for kind in ["by-stream", "by-lifetime"] {
        are_refused(&[&ROOMY[..], &[("flash.cell", "MLC"), ("ftl.separation", kind)]].concat(), &rows);
    }
    // Those that always tell relocated pages apart.
    let rows: [(Set, &str); 5] = [
        (
            &[("flash.program_unit", "word-line"), ("geometry.pages_per_block", "254")],
            "by class: pages of a victim that are programmed together",
        ),
        (&[("gc.relocation", "pcgc")], "by class: this gc.relocation plans for the one open"),
        (&[("ftl.slc_cache", "static")], "pages are folded into one open block"),
        (&[("gc.deferral", "dgc")], "a page that leaves its chip"),
        (&[ROOMY[0], ("geometry.spare_factor", "15%")], "open, 1 to collect"),
    ];
    for kind in ["dac", "sepbit", "fadac", "future-knowledge"] {
        are_refused(&[&ROOMY[..], &[("flash.cell", "MLC"), ("ftl.separation", kind)]].concat(), &rows);
    }
    let alone: [(Set, &str); 7] = [
        (&[("ftl.separation", "eti"), ("ftl.separation.extents", "0")], "extents = 0; at least 1"),
        (&[("ftl.separation", "eti"), ("ftl.separation.halving", "0")], "halving = 0; at least 1"),
        (&[("ftl.separation", "sfr"), ("ftl.separation.chunk_pages", "0")], "chunk_pages = 0; at least 1"),
        (&[("ftl.separation", "sfr"), ("ftl.separation.decay", "0")], "decay = 0; at least 1"),
        (&[("ftl.separation", "sepbit"), ("ftl.separation.lifespans", "0")], "a mean is taken of at least 1"),
        (&[("ftl.separation", "future-knowledge"), ("ftl.separation.span", "0")], "at least 1 page"),
        (&[("ftl.separation", "dac"), ("ftl.separation.open_blocks", "9")], "from 2 to 8"),
    ];
    are_refused(&[&ROOMY[..], &[("flash.cell", "MLC")]].concat(), &alone);
}

#[test]
fn beside_a_cache_of_single_level_blocks() {
    let rows: [(Set, &str); 18] = [
        (&[("flash.cell", "SLC")], "cells of one bit are in single-level mode already"),
        (&[("ftl.placement", "level-by-history")], "pages of the cache have one level"),
        (
            &[("ftl.separation", "by-stream"), ("ftl.separation.relocated", "by-class")],
            "pages are folded into one open block",
        ),
        (&[("ftl.gc_frontier", "shared")], "pages are folded into the collector's own open block"),
        (&[("ftl.assign_pages", "on-arrival")], "whether the cache is full is known when a program starts"),
        (&[("gc.relocation", "pcgc")], "folding and this gc.relocation would plan for the same open block"),
        (&[("gc.trigger.kind", "foreground")], "folding and collection take turns in a plane"),
        (&[("gc.trigger.kind", "frontier-filled")], "or gc.trigger.jobs = 1"),
        (&[("gc.concurrency", "channels")], "no limit says whether folding counts"),
        (STRIPES, "the pages of a stripe have open"),
        (&[("host.target_utilisation", "30%")], "how long the host's pages keep dies busy depends on"),
        (&[("ftl.slc_cache.blocks", "0 blocks")], "but a plane has 32: from 1"),
        (&[("ftl.slc_cache.blocks", "33 blocks")], "but a plane has 32: from 1"),
        (&[("ftl.slc_cache.start", "0 blocks")], "start = \"0 blocks\", but the cache of a plane has 2"),
        (&[("ftl.slc_cache.start", "3 blocks")], "start = \"3 blocks\", but the cache of a plane has 2"),
        (&[("geometry.pages_per_block", "2")], "a block of 2 pages holds none of a single level"),
        (&[("ftl.slc_cache.blocks", "14 blocks")], "2 open, 1 to collect, 14 of the SLC cache"),
        (&[("ftl.slc_cache.level", "1")], "level"),
    ];
    let cache = [("flash.cell", "TLC"), ("ftl.slc_cache", "static"), ("ftl.slc_cache.blocks", "2 blocks")];
    are_refused(&[&ROOMY[..], &cache].concat(), &rows);
}

#[test]
fn beside_superblocks() {
    const KEY: &str = "ftl.superblock";
    let rows: [(Set, &str); 16] = [
        (&[("ftl.allocation", "striping"), ("ftl.allocation.by", "lpn")], "use ftl.allocation = { kind"),
        (&[("flash.cell", "TLC"), ("ftl.placement", "level-by-history")], "several open superblocks"),
        (&[("ftl.separation", "dac")], "the class of a collected page is that which the host has written"),
        (&[("ftl.gc_frontier", "shared")], "collected pages have superblocks of their own"),
        (&[("ftl.assign_pages", "on-arrival")], "use ftl.assign_pages = \"at-start\""),
        (&[("gc.trigger.kind", "invalid-ratio")], "collection starts by the number of free superblocks"),
        (&[("gc.trigger.of", "drive")], "leave gc.trigger.of out"),
        (&[("gc.victim", "word-line")], "a superblock is chosen by its valid pages and its age"),
        (&[("gc.victim", "score"), ("gc.victim.score", "valid")], "chosen by its valid pages and its age"),
        (&[("gc.relocation", "pcgc")], "collected pages may go to another plane"),
        (&[("gc.concurrency", "channels")], "the planes of a superblock are collected together"),
        (&[("gc.pace", "by-victim")], "jobs of several planes would wait for each other's writes"),
        (STRIPES, "superblock"),
        (&[("interconnect", "serialized-channel")], "a job may program pages on other channels"),
        (&[(KEY, "drive"), ("geometry.pages_per_block", "8192")], "has 1048576 pages, but at most 65535"),
        (&[(KEY, "chip")], "chip"),
    ];
    let base = [("flash.cell", "SLC"), ("ftl.allocation", "dynamic"), (KEY, "channel")];
    are_refused(&[&ROOMY[..], &base].concat(), &rows);
}

#[test]
fn orders_of_classes() {
    let rows: [(Set, &str); 6] = [
        (&[("scheduler.order", "[\"host-read\"]")], "order: \"host-write\" is missing"),
        (
            &[("scheduler.order", "\"host-read\"")],
            "a list of host-read, host-write, gc-read, gc-write, erase",
        ),
        (&[("scheduler.order", "[\"host-raed\"]")], "did you mean \"host-read\"?"),
        (&[("scheduler.order", "[\"erase\", [\"erase\"]]")], "order: \"erase\" is given twice"),
        (&[("scheduler.order", "[1]")], "order: 1 is no class; valid: host-read"),
        (&[("scheduler.urgent_order", "never")], "urgent_order: must be a list of classes"),
    ];
    are_refused(&[("scheduler.kind", "by-class")], &rows);
    are_refused(&[], &[(&[("channel.order", "by-class")], "use scheduler = { kind = \"by-class\" }")]);
}

#[test]
fn what_says_nothing_or_too_much() {
    let rows: [(Set, &str); 4] = [
        (&[("ftl.wear.ties", "random")], "ftl.wear.static_threshold"),
        (&[("gc.victim.kind", "random-threshold"), ("gc.victim.invalid", "100.1%")], "must be at most 100%"),
        (&[("controller.write_buffer", "4095B")], "unlimited"),
        (&[("controller.write_buffer", "16")], "16MiB"),
    ];
    are_refused(&[], &rows);
    assert!(loads(&[("controller.write_buffer", "4KiB")]));
    let word_line =
        |set: Set| refused("word-line-aware", &[&[("gc.victim.kind", "word-line")], set].concat());
    let message = word_line(&[("gc.victim.weights", "[1, 2, 3]")]);
    assert!(message.contains("gc.victim: 3 weights for 4 page levels"), "{message}");
    let message = word_line(&[("gc.victim.weights", "[1, 2, 3, 4]"), ("gc.victim.weigh", "read")]);
    assert!(message.contains("gc.victim: weigh and weights: give one of them"), "{message}");
}
