//! Saved states: what is refused, and what the message is.

use std::path::PathBuf;

use crate::common::prelude::*;

fn run(saved: &Saved, set: &[(&str, &str)], restore: bool) -> Result<Results, String> {
    saved.run(&TestDrive::one_plane().with(set), vec![at(0, Op::Write, 0, 1)], restore)
}

const USED: (&str, &str) = ("warmup.kind", "overwrite");

#[test]
fn of_another_drive() {
    let four = ("geometry.channels", "4");
    let striping = ("ftl.allocation", "striping");
    let stripes = [four, striping, ("redundancy", "raid5"), ("redundancy.stripe_chips", "4")];
    let cache = [("flash.cell", "TLC"), ("ftl.slc_cache", "static")];
    let superblocks = [four, ("ftl.allocation", "dynamic"), ("ftl.superblock", "drive")];
    let apart = [four, ("ftl.allocation", "dynamic")];
    let with = |set: &[(&'static str, &'static str)], more| [set, &[more]].concat();
    for (saved_by, loaded_by, says) in [
        (vec![], vec![("geometry.pages_per_block", "8")], "another drive: geometry differs"),
        (vec![], vec![("seed", "7")], "another drive: seed differs"),
        (vec![], vec![("flash.initial_erases", "7")], "another drive: flash.initial_erases differs"),
        (stripes.to_vec(), vec![four, striping], "another drive: redundancy differs"),
        (cache.to_vec(), with(&cache, ("gc.victim", "fifo")), "with ftl.slc_cache cannot take over"),
        (cache.to_vec(), with(&cache, ("ftl.slc_cache.blocks", "1 block")), "another drive: ftl.slc_cache"),
        (superblocks.to_vec(), with(&superblocks, ("gc.victim", "fifo")), "with ftl.superblock cannot"),
        (superblocks.to_vec(), apart.to_vec(), "another drive: ftl.superblock"),
    ] {
        let saved = Saved::new();
        run(&saved, &[&[USED][..], &saved_by].concat(), false).unwrap();
        let error = run(&saved, &loaded_by, true).unwrap_err();
        assert!(error.contains(says), "{error}");
        // What happens to the drive later does not matter.
        let later = [&saved_by[..], &[("scheduler", "fcfs"), ("flash.t_erase", "1ms")]].concat();
        assert_eq!(run(&saved, &later, true).unwrap().warmup.prepared_by, None);
    }
}

/// What lies in the flash is legal for drives with other policies; results tell who prepared it.
#[test]
fn of_a_drive_with_other_policies() {
    let saved = Saved::new();
    let own = run(&saved, &[USED], false).unwrap();
    for other in [
        ("ftl.wear.dynamic", "true"),
        ("ftl.gc_frontier", "shared"),
        ("ftl.assign_pages", "on-arrival"),
        ("gc.victim", "fifo"),
        ("gc.trigger.stop", "2 blocks"),
        ("gc.trigger", "invalid-ratio"),
        ("gc.relocation", "copyback"),
        ("gc.concurrency", "channels"),
        ("interconnect", "ideal"),
    ] {
        let taken_over = run(&saved, &[other], true).unwrap();
        assert_eq!(taken_over.warmup.amplification_by_round, own.warmup.amplification_by_round);
        let decides_before_time = other.0 != "interconnect";
        assert_eq!(taken_over.warmup.prepared_by.is_some(), decides_before_time, "{other:?}");
        assert_eq!(taken_over.config.warmup.kind, reclaim_sim::config::WarmupKind::Overwrite);
        assert_eq!(taken_over.facts.gc_starts_after_pages, 0);
    }
}

/// Erases that blocks had before are no pages that were erased: the audit counts them after loading, too.
#[rstest]
#[case::all_of_it("greedy")]
#[case::flash_alone("fifo")]
fn of_a_worn_drive(#[case] victim: &str) {
    let saved = Saved::new();
    let worn = [USED, ("flash.initial_erases", "50")];
    let own = run(&saved, &worn, false).unwrap();
    let restored = run(&saved, &[&worn[..], &[("gc.victim", victim)]].concat(), true).unwrap();
    assert_eq!(restored.start, own.start);
    assert!(own.start.erases_least >= 50);
}

#[test]
fn of_something_else() {
    let saved = Saved::new();
    run(&saved, &[USED], false).unwrap();
    let whole = std::fs::read(&saved.0).unwrap();
    let with = |bytes: &[u8]| {
        std::fs::write(&saved.0, bytes).unwrap();
        run(&saved, &[], true).unwrap_err()
    };
    assert!(with(b"no state\n").contains("not a drive state saved by this version"));
    // Only its first line; cut short; a byte changed in the hash and in what it is of.
    let first_line = whole.iter().position(|byte| *byte == b'\n').unwrap() + 1;
    assert!(with(&whole[..first_line]).contains("damaged"));
    assert!(with(&whole[..whole.len() - 1]).contains("damaged"));
    for at in [first_line, whole.len() / 2, whole.len() - 1] {
        let mut changed = whole.clone();
        changed[at] ^= 1;
        assert!(with(&changed).contains("damaged"), "byte {at}");
    }
    std::fs::remove_file(&saved.0).unwrap();
    let message = run(&saved, &[], true).unwrap_err();
    assert!(message.contains("no such file"), "{message}");
}

#[test]
fn that_cannot_be_written() {
    let error = run(&Saved(PathBuf::from("/nowhere/state")), &[USED], false).unwrap_err();
    assert!(error.starts_with("/nowhere/state: "), "{error}");
    // Small enough for the buffer of the file, and not.
    for blocks in ["16", "4000"].into_iter().filter(|_| cfg!(target_os = "linux")) {
        let full = std::mem::ManuallyDrop::new(Saved(PathBuf::from("/dev/full")));
        let message = run(&full, &[USED, ("geometry.blocks_per_plane", blocks)], false).unwrap_err();
        assert!(message.starts_with("/dev/full: "), "{message}");
    }
}
