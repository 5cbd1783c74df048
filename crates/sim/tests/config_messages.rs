//! Messages about settings: they name what the user wrote, in words of the file format.

mod common;

use common::config;
use reclaim_sim::config::{ConfigError, LoadRequest, load};
use rstest::rstest;

fn request(device: &str, set: &[(&str, &str)]) -> LoadRequest {
    let set = set.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    LoadRequest { device: device.to_owned(), schemes: Vec::new(), set }
}

fn fails(set: &[(&str, &str)]) -> String {
    load(&request("gc-bypass-mini", set)).expect_err("a bad configuration").to_string()
}

#[rstest]
#[case("seed", "x", "\"x\" is not a whole number from 0 to 9223372036854775807")]
#[case("seed", "-1", "-1 is not a whole number from 0 to 9223372036854775807")]
#[case("host.queue_depth", "1.5", "1.5 is not a whole number from 0 to 4294967295")]
#[case("host.queue_depth", "5000000000", "5000000000 is not a whole number from 0 to 4294967295")]
#[case("host.time_scale", "fast", "\"fast\" is not a number")]
#[case("flash.suspend.program", "1", "1 is not true or false")]
#[case("name", "5", "5 is not text in quotes")]
#[case("geometry", "5", "5 is not a table of settings")]
#[case("host", "closed-loop", "\"closed-loop\" is not a table of settings")]
#[case("trace.merge", "5", "5 is not a list")]
#[case("gc.victim", "5", "5 is not a table of settings")]
#[case("gc.victim.ties", "5", "5 is not one of the names that this key takes, in quotes")]
fn a_value_of_the_wrong_kind(#[case] key: &str, #[case] value: &str, #[case] expected: &str) {
    let message = fails(&[(key, value)]);
    let words = ["u32", "u64", "f64", "struct", "sequence", "map", "boolean", "invalid type", "`"];
    assert!(!words.iter().any(|word| message.contains(word)), "{message}");
    let expected = format!("--set {key}={value}: {key}: {expected}");
    assert!(message.starts_with(&expected), "\n  {message}\ninstead of\n  {expected}");
}

#[test]
fn a_number_for_a_name_lists_the_names() {
    for (key, value, names) in [
        ("flash.cell", "5", "valid: SLC, MLC, TLC, QLC"),
        ("channel.order", "true", "valid: commands-first,"),
    ] {
        let message = fails(&[(key, value)]);
        let expected = format!("--set {key}={value}: {key}: \"{value}\" is unknown; {names}");
        assert!(message.starts_with(&expected), "{message}");
    }
}

#[test]
fn a_parameter_of_a_policy_is_named_with_its_key() {
    let message = fails(&[("gc.trigger.kind", "frontier-filled"), ("gc.trigger.jobs", "x")]);
    let expected =
        "--set gc.trigger.jobs=x: gc.trigger.jobs: \"x\" is not a whole number from 0 to 4294967295";
    assert_eq!(message, expected);
}

#[test]
fn a_number_that_must_not_be_zero_says_so() {
    let message = fails(&[("gc.victim", "random-threshold"), ("gc.victim.draws", "0")]);
    assert!(message.ends_with("gc.victim.draws: 0 is not a whole number from 1 to 65535"), "{message}");
}

#[test]
fn an_entry_of_a_list_is_blamed_on_who_gives_the_list() {
    let message = fails(&[("trace.merge", "[{}]")]);
    assert_eq!(message, "--set trace.merge=[{}]: trace.merge[0].file: is missing; it must be given");
}

#[test]
fn stripes_without_a_number_of_chips_are_told_the_numbers() {
    let expected = "--set redundancy=raid5: redundancy: raid5 needs stripe_chips; 32 chips can be divided \
                    into stripes of 2, 4, 8, 16, 32";
    assert_eq!(fails(&[("redundancy", "raid5")]), expected);
}

#[test]
fn what_was_typed_is_never_suggested() {
    let error = ConfigError::choice("key", "name", &["name", "nome"]);
    assert!(error.reason.ends_with("did you mean \"nome\"?"), "{error}");
    // A key of the section's own name: the key that is unknown is below it.
    let message = fails(&[("flash.flash", "1")]);
    assert!(message.contains(": flash.flash: unknown key; valid: cell, "), "{message}");
}

/// What the preset says was right until the user chose otherwise.
#[test]
fn the_users_setting_is_blamed_and_not_the_preset() {
    let set = [("flash.t_read", "[\"40us\", \"60us\"]"), ("seed", "7"), ("flash.cell", "TLC")];
    let message = fails(&set);
    assert!(
        message.starts_with("--set flash.cell=TLC: flash.t_read: 2 times for 3 page levels"),
        "{message}"
    );
    let message = fails(&[("seed", "7"), ("geometry.blocks_per_plane", "20"), ("host.mode", "closed-loop")]);
    assert!(message.starts_with("--set geometry.blocks_per_plane=20: geometry: a plane has"), "{message}");
    // In two steps, of which the second makes good the first, and a third that is wrong.
    let message = fails(&[("flash.cell", "TLC"), ("flash.t_read", "40us"), ("seed", "x")]);
    assert!(message.starts_with("--set seed=x: seed: "), "{message}");
    let with_scheme = LoadRequest { schemes: vec!["raid5".to_owned()], ..request("gc-bypass-mini", &[]) };
    let message = load(&with_scheme).unwrap_err().to_string();
    assert!(message.starts_with("scheme raid5: geometry: a plane has"), "{message}");
}

#[rstest]
#[case(&[("host.queue_depth", "8")], "host.queue_depth=8: host.queue_depth: an open loop sends")]
#[case(&[("host.queue_depth", "32")], "host.queue_depth=32: host.queue_depth: an open loop")]
#[case(&[("host.queue_depth", "8"), ("host.mode", "open-loop")], "host.queue_depth: an open loop")]
#[case(&[("host.mode", "closed-loop"), ("host.time_scale", "2.0")], "host.time_scale: a closed loop")]
#[case(&[("host.mode", "closed-loop"), ("host.target_utilisation", "50%")], "host.target_utilisation: a")]
#[case(&[("trace.jitter", "1us"), ("host.mode", "closed-loop")], "trace.jitter: a closed loop sends")]
#[case(&[("host.target_utilisation", "100.1%")], "must be more than 0%, and 100% at most")]
fn a_setting_in_vain(#[case] set: &[(&str, &str)], #[case] expected: &str) {
    let message = fails(set);
    assert!(message.starts_with("--set ") && message.contains(expected), "{message}");
}

#[test]
fn settings_that_say_something_are_taken() {
    let closed = config("gc-bypass-mini", &[("host.queue_depth", "8"), ("host.mode", "closed-loop")]);
    assert_eq!(closed.host.queue_depth, 8);
    let open = config("gc-bypass-mini", &[("host.time_scale", "2.0")]);
    assert_eq!(open.host.time_scale, 2.0);
    config("gc-bypass-mini", &[("host.target_utilisation", "100%")]);
}

#[test]
fn a_file_is_refused_where_it_contradicts_itself_and_overruled_where_it_does_not() {
    let path = std::env::temp_dir().join(format!("reclaim-in-vain-{}.toml", std::process::id()));
    let device = path.to_str().unwrap();
    let write =
        |host: &str| std::fs::write(&path, format!("base = \"gc-bypass-mini\"\n[host]\n{host}")).unwrap();
    write("queue_depth = 8\n");
    let message = load(&request(device, &[])).unwrap_err().to_string();
    assert!(message.starts_with(&format!("{device}:3: host.queue_depth: an open loop")), "{message}");
    assert_eq!(load(&request(device, &[("host.mode", "closed-loop")])).unwrap().host.queue_depth, 8);

    write("mode = \"closed-loop\"\nqueue_depth = 8\n");
    assert_eq!(load(&request(device, &[])).unwrap().host.queue_depth, 8);
    let open = load(&request(device, &[("host.mode", "open-loop")])).unwrap();
    assert_eq!(open.host.queue_depth, 32);

    // Every key of a drive in one file, as it is printed.
    std::fs::write(&path, open.to_toml()).unwrap();
    assert_eq!(load(&request(device, &[])).unwrap(), open);
    std::fs::remove_file(path).unwrap();
}

#[test]
fn more_blocks_than_tables_can_have_are_refused() {
    let message = fails(&[("geometry.pages_per_block", "4"), ("geometry.blocks_per_plane", "1000000")]);
    assert!(message.contains("128000000 blocks, but a drive may have at most 67108864"), "{message}");
}
