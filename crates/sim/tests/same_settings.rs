//! Settings of which one would undo another, and values at which nothing is left to do.

use crate::common::prelude::*;
use reclaim_sim::config::{at_once, replaced};

const MINI: &str = "gc-bypass-mini";

/// Of settings that are given at once none undoes another: the message names both.
#[test]
fn settings_that_undo_each_other_are_refused() {
    let utilisation = ("host.target_utilisation", "50%");
    let over_provisioning = ("geometry.over_provisioning", "40%");
    let capacity = ("geometry.user_capacity", "300MiB");
    for ([one, other], key, says) in [
        ([("seed", "1"), ("seed", "2")], "--set seed=2: seed: ", "as 1 and as 2"),
        ([("gc.victim", "fifo"), ("gc.victim.kind", "greedy")], "gc.victim.kind: ", "as \"fifo\""),
        (
            [("gc.victim", "{ kind = \"d-choices\", d = 4 }"), ("gc.victim.d", "8")],
            "gc.victim.d: ",
            "as 4 and as 8",
        ),
        ([over_provisioning, capacity], "geometry.user_capacity: ", "geometry.over_provisioning is given"),
        (
            [("geometry.spare_factor", "7%"), over_provisioning],
            "over_provisioning: ",
            "spare_factor is given",
        ),
        ([("host.time_scale", "1.0"), utilisation], "target_utilisation: ", "host.time_scale is given"),
        (
            [("host.target_total_utilisation", "50%"), utilisation],
            "target_utilisation: ",
            "target_total_util",
        ),
    ] {
        let message = at_once(&owned(&[one, other])).expect_err("one of them would be lost").to_string();
        assert!(message.contains(key) && message.contains(says), "{message}");
    }
}

/// A parameter may stand before the policy that takes it.
#[test]
fn a_policy_comes_before_its_parameters() {
    let given = request(MINI, &[("gc.victim.d", "4"), ("gc.victim", "d-choices")]);
    let set = at_once(&given.set).expect("they go together");
    let config = load(&LoadRequest { set, ..given }).expect("a good configuration");
    assert_eq!(config.gc.victim.parameters["d"], 4);
}

/// On another level the later one counts, and it is said which it replaces.
#[test]
fn a_later_level_replaces_what_says_the_same() {
    let given = request(MINI, &[("geometry.user_capacity", "300MiB")]);
    let config = load(&given).expect("a good configuration");
    assert_eq!((config.geometry.spare_factor, config.geometry.over_provisioning), (None, None));
    let said = replaced(&given, &[]).expect("its layers can be read");
    let names = ["geometry.user_capacity", "geometry.spare_factor", "gc-bypass-mini"];
    assert!(said.len() == 1 && names.iter().all(|name| said[0].contains(name)), "{said:?}");
    let same = request(MINI, &[("geometry.spare_factor", "9%")]);
    assert!(replaced(&same, &[]).expect("its layers can be read").is_empty());
}

/// No time that a drive takes is longer than an hour, whichever key has it.
#[test]
fn no_time_of_a_drive_is_endless() {
    let beside = [("ftl.slc_cache", "static"), ("flash.cell", "TLC"), ("interconnect", "mesh")];
    for key in ["flash.t_erase", "channel.host_buffer", "ftl.slc_cache.t_read", "interconnect.hop"] {
        for time in ["18446744073709551615ns", "3601s"] {
            let message = refused("gc-bypass-mini", &[&beside[..], &[(key, time)]].concat());
            assert!(message.contains(&format!("{key}: ")) && message.contains("an hour"), "{message}");
        }
    }
}

/// A warm-up that fills a share of the pages fills one at least.
#[test]
fn nothing_at_all_is_no_share_to_fill() {
    for warm_up in ["filled", "overwrite", "steady", "workload"] {
        let message = refused("gc-bypass-mini", &[("warmup.kind", warm_up), ("warmup.valid_share", "0%")]);
        assert!(message.contains("warmup.valid_share: 0% of "), "{message}");
    }
}
