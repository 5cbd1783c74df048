//! Settings of which one would undo another, and values at which nothing is left to do.

use reclaim_sim::config::{LoadRequest, at_once, load, replaced};
use rstest::rstest;

fn request(device: &str, set: &[(&str, &str)]) -> LoadRequest {
    let set = set.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    LoadRequest { device: device.to_owned(), schemes: Vec::new(), set }
}

fn fails(set: &[(&str, &str)]) -> String {
    load(&request("gc-bypass-mini", set)).expect_err("a bad configuration").to_string()
}

/// Of settings that are given at once none undoes another: the message names both.
#[rstest]
#[case(&[("seed", "1"), ("seed", "2")], "--set seed=2: seed: is given twice, as 1 and as 2; give it once")]
#[case(&[("gc.victim", "fifo"), ("gc.victim.kind", "greedy")], "gc.victim.kind: is given twice, as \"fifo\"")]
#[case(
    &[("gc.victim", "{ kind = \"d-choices\", d = 4 }"), ("gc.victim.d", "8")],
    "gc.victim.d: is given twice, as 4 and as 8; give it once"
)]
#[case(
    &[("geometry.over_provisioning", "40%"), ("geometry.user_capacity", "300MiB")],
    "--set geometry.user_capacity=300MiB: geometry.user_capacity: geometry.over_provisioning is given, too, \
     and both say how much the host sees; give one of them"
)]
#[case(&[("geometry.spare_factor", "7%"), ("geometry.over_provisioning", "7%")], "spare_factor is given")]
#[case(&[("host.time_scale", "1.0"), ("host.target_utilisation", "50%")], "host.time_scale is given, too")]
#[case(
    &[("host.target_total_utilisation", "50%"), ("host.target_utilisation", "50%")],
    "both say how fast the trace is played"
)]
fn settings_that_undo_each_other_are_refused(#[case] set: &[(&str, &str)], #[case] expected: &str) {
    let message = at_once(&request("", set).set).expect_err("one of them would be lost").to_string();
    assert!(message.contains(expected), "{message}");
}

/// A parameter may stand before the policy that takes it.
#[test]
fn a_policy_comes_before_its_parameters() {
    let given = request("gc-bypass-mini", &[("gc.victim.d", "4"), ("gc.victim", "d-choices")]);
    let set = at_once(&given.set).expect("they go together");
    let config = load(&LoadRequest { set, ..given }).expect("a good configuration");
    assert_eq!(config.gc.victim.parameters["d"], 4);
}

/// On another level the later one counts, and it is said which it replaces.
#[test]
fn a_later_level_replaces_what_says_the_same() {
    let given = request("gc-bypass-mini", &[("geometry.user_capacity", "300MiB")]);
    let config = load(&given).expect("a good configuration");
    assert_eq!((config.geometry.spare_factor, config.geometry.over_provisioning), (None, None));
    let said = replaced(&given).expect("its layers can be read");
    assert_eq!(
        said,
        ["geometry.user_capacity takes the place of geometry.spare_factor (preset gc-bypass-mini)"]
    );
    let same = request("gc-bypass-mini", &[("geometry.spare_factor", "9%")]);
    assert!(replaced(&same).expect("its layers can be read").is_empty());
}

/// No time that a drive takes is longer than an hour, whichever key has it.
#[rstest]
#[case("flash.t_erase")]
#[case("channel.host_buffer")]
#[case("ftl.slc_cache.t_read")]
#[case("interconnect.hop")]
fn no_time_of_a_drive_is_endless(#[case] key: &str) {
    let beside = [("ftl.slc_cache", "static"), ("flash.cell", "TLC"), ("interconnect", "mesh")];
    let message = fails(&[&beside[..], &[(key, "18446744073709551615ns")]].concat());
    assert!(
        message.contains(&format!("{key}: ")) && message.ends_with("is longer than an hour"),
        "{message}"
    );
    assert!(!fails(&[&beside[..], &[(key, "3601s")]].concat()).is_empty());
}

/// A warm-up that fills a share of the pages fills one at least.
#[test]
fn nothing_at_all_is_no_share_to_fill() {
    for warm_up in ["filled", "overwrite", "steady", "workload"] {
        let message = fails(&[("warmup.kind", warm_up), ("warmup.valid_share", "0%")]);
        assert!(
            message.contains("warmup.valid_share: 0% of ") && message.contains("is not one page"),
            "{message}"
        );
    }
}
