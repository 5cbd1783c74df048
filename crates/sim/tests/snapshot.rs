//! Saved states: what is refused, and what the message is.

use std::path::PathBuf;

use crate::common::{Saved, TestDrive, at};
use reclaim_trace::Op;
use rstest::rstest;

fn run(saved: &Saved, set: &[(&str, &str)], restore: bool) -> Result<reclaim_sim::Results, String> {
    saved.run(&TestDrive::one_plane().with(set), vec![at(0, Op::Write, 0, 1)], restore)
}

const USED: (&str, &str) = ("warmup.kind", "overwrite");

#[rstest]
#[case("geometry.pages_per_block", "8", "geometry")]
#[case("seed", "7", "seed")]
#[case("flash.initial_erases", "7", "flash.initial_erases")]
fn of_another_drive(#[case] key: &str, #[case] value: &str, #[case] differs: &str) {
    let saved = Saved::new(differs);
    run(&saved, &[USED], false).unwrap();
    let error = run(&saved, &[(key, value)], true).unwrap_err();
    assert!(error.contains(&format!("the state of another drive: {differs} differs")), "{error}");
    // What happens to the drive later does not matter.
    let later = run(&saved, &[("scheduler", "fcfs"), ("flash.t_read", "1us")], true).unwrap();
    assert_eq!(later.warmup.prepared_by, None);
}

/// What lies in the flash is legal for drives with other policies; results tell who prepared it.
#[rstest]
#[case("ftl.wear.dynamic", "true")]
#[case("ftl.gc_frontier", "shared")]
#[case("ftl.assign_pages", "on-arrival")]
#[case("gc.victim", "fifo")]
#[case("gc.trigger.stop", "2 blocks")]
#[case("gc.trigger", "invalid-ratio")]
#[case("gc.relocation", "copyback")]
#[case("gc.concurrency", "channels")]
#[case("interconnect", "ideal")]
fn of_a_drive_with_other_policies(#[case] key: &str, #[case] value: &str) {
    let saved = Saved::new(key);
    let own = run(&saved, &[USED], false).unwrap();
    let taken_over = run(&saved, &[(key, value)], true).unwrap();
    assert_eq!(taken_over.warmup.amplification_by_round, own.warmup.amplification_by_round);
    let decides_before_time = key != "interconnect";
    let by = decides_before_time.then(|| "the device's own policies".to_owned());
    assert_eq!(taken_over.warmup.prepared_by, by);
}

/// Erases that blocks had before are no pages that were erased: the audit counts them after loading, too.
#[rstest]
#[case::all_of_it("greedy")]
#[case::flash_alone("fifo")]
fn of_a_worn_drive(#[case] victim: &str) {
    let saved = Saved::new(&format!("worn-{victim}"));
    let worn = [USED, ("flash.initial_erases", "50")];
    let own = run(&saved, &worn, false).unwrap();
    let restored = run(&saved, &[&worn[..], &[("gc.victim", victim)]].concat(), true).unwrap();
    assert_eq!(restored.start, own.start);
    assert!(own.start.erases_least >= 50);
}

/// Stripes, their open blocks and who counts them are part of the state: a run from it is the run after the warm-up.
#[rstest]
#[case("shared")]
#[case("own")]
fn of_a_drive_with_parity(#[case] blocks: &str) {
    let saved = Saved::new(blocks);
    let set = [
        ("geometry.channels", "4"),
        ("ftl.allocation", "striping"),
        ("redundancy", "raid5"),
        ("redundancy.stripe_chips", "4"),
        ("redundancy.parity_blocks", blocks),
        USED,
    ];
    let after_warmup = run(&saved, &set, false).unwrap();
    let from_state = run(&saved, &set, true).unwrap();
    assert_eq!(after_warmup.policies, from_state.policies);
    assert_eq!(after_warmup.requests, from_state.requests);
    assert!(after_warmup.flash.parity_programs > 0);
    let error = run(&saved, &[("geometry.channels", "4"), ("ftl.allocation", "striping")], true).unwrap_err();
    assert!(error.contains("the state of another drive: redundancy differs"), "{error}");
}

#[test]
fn of_something_else() {
    let saved = Saved::new("else");
    run(&saved, &[USED], false).unwrap();
    let whole = std::fs::read(&saved.0).unwrap();
    let with = |bytes: &[u8]| {
        std::fs::write(&saved.0, bytes).unwrap();
        run(&saved, &[], true).unwrap_err()
    };
    assert!(with(b"no state\n").contains("not a drive state saved by this version"));
    // Only its first line; cut short; a byte changed in the hash and in what it is of.
    let first_line = whole.iter().position(|byte| *byte == b'\n').unwrap() + 1;
    assert!(with(&whole[..first_line]).contains("the saved state is damaged"));
    assert!(with(&whole[..whole.len() - 1]).contains("the saved state is damaged"));
    for at in [first_line, whole.len() / 2, whole.len() - 1] {
        let mut changed = whole.clone();
        changed[at] ^= 1;
        assert!(with(&changed).contains("the saved state is damaged"), "byte {at}");
    }
    std::fs::remove_file(&saved.0).unwrap();
    let message = run(&saved, &[], true).unwrap_err();
    assert!(message.contains("no such file"), "{message}");
}

#[test]
fn a_state_that_cannot_be_written_is_said_to_be() {
    let saved = Saved(PathBuf::from("/nowhere/state"));
    let error = run(&saved, &[USED], false).unwrap_err();
    assert!(error.starts_with("/nowhere/state: "), "{error}");
}

#[test]
#[cfg(target_os = "linux")]
fn that_cannot_be_written() {
    // Small enough for the buffer of the file, and not.
    for blocks in ["16", "4000"] {
        let full = Saved(PathBuf::from("/dev/full"));
        let message = run(&full, &[USED, ("geometry.blocks_per_plane", blocks)], false).unwrap_err();
        std::mem::forget(full);
        assert_eq!(message, "/dev/full: the state cannot be written: No space left on device");
    }
}
