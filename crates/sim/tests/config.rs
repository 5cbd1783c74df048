//! What a user sees when a configuration is wrong: the place, the key, what is valid, a suggestion.

use crate::common::config;
use reclaim_sim::config::{Config, ConfigError, LoadRequest, load, preset_toml, presets, schemes};
use rstest::rstest;

fn fails(device: &str, schemes: &[&str], set: &[(&str, &str)]) -> String {
    let request = LoadRequest {
        device: device.to_owned(),
        schemes: schemes.iter().map(|s| (*s).to_owned()).collect(),
        set: set.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect(),
    };
    let error: ConfigError = load(&request).expect_err("a bad configuration");
    error.to_string()
}

#[rstest]
#[case(
    ("scheduler.kind", "fcsf"),
    "--set scheduler.kind=fcsf: scheduler.kind: \"fcsf\" is unknown; valid: read-first, fcfs, type-first, \
     by-class; did you mean \"fcfs\"?"
)]
#[case(
    ("gc.victims.kind", "fifo"),
    "--set gc.victims.kind=fifo: gc.victims: unknown key; valid: trigger, victim, relocation, concurrency, \
     deferral, pages_in_flight, pace, block_victim_access; did you mean \"victim\"?"
)]
#[case(
    ("gc.victim.d", "10"),
    "--set gc.victim.d=10: gc.victim.d: unknown key; valid: kind, ties"
)]
#[case(
    ("geometry.channels", "0"),
    "--set geometry.channels=0: geometry.channels: must be at least 1"
)]
#[case(
    ("flash.t_erase", "3800"),
    "--set flash.t_erase=3800: flash.t_erase: the bare number 3800 has no unit; \
     valid: ns, us, µs, ms, s, min, h; did you mean \"3800us\"?"
)]
#[case(
    ("channel.rate", "fast"),
    "--set channel.rate=fast: channel.rate: \"fast\" is not understood; \
     expected a transfer rate with its unit, such as \"333 MT/s\" or \"1.2 GT/s\""
)]
#[case(
    ("host.mode", "open"),
    "--set host.mode=open: host.mode: \"open\" is unknown; valid: open-loop, closed-loop; did you mean \
     \"open-loop\"?"
)]
#[case(
    ("flash.t_read", "[\"1us\"]"),
    "--set flash.t_read=[\"1us\"]: flash.t_read: 1 times for 2 page levels; give one, or one per level"
)]
#[case(
    ("geometry.blocks_per_plane", "4000000"),
    "geometry: 131072000000 physical pages, but a drive may have at most 4278190080 (2^32 - 2^24); \
     use larger pages or fewer blocks"
)]
#[case(
    ("geometry.user_capacity", "65GiB"),
    "--set geometry.user_capacity=65GiB: geometry.user_capacity: the host would see 17039360 pages of a \
     drive that has 16777216"
)]
fn settings(#[case] set: (&str, &str), #[case] expected: &str) {
    let message = fails("gc-bypass", &[], &[set]);
    assert!(message.ends_with(expected), "\n  {message}\ninstead of\n  {expected}");
}

#[test]
fn an_unknown_policy_lists_all_there_are() {
    let message = fails("gc-bypass", &[], &[("gc.victim", "gredy")]);
    let names: Vec<_> = reclaim_sim::gc::victim::MEMBERS.all.iter().map(|member| member.name).collect();
    let expected = format!("valid: {}; did you mean \"greedy\"?", names.join(", "));
    assert!(message.ends_with(&expected), "{message}");
}

#[test]
fn an_unknown_parameter_lists_the_known_ones() {
    let message = fails("gc-bypass", &[], &[("gc.victim", "d-choices"), ("gc.victim.k", "3")]);
    assert!(message.contains("gc.victim.k: unknown key; valid: kind, d"), "{message}");
    let message = fails("gc-bypass", &[], &[("gc.trigger.strat", "3 blocks")]);
    assert!(message.ends_with("valid: kind, start, stop, hard, of; did you mean \"start\"?"), "{message}");
}

#[test]
fn a_bad_parameter_value_is_named() {
    let message = fails("gc-bypass", &[], &[("gc.trigger.start", "5")]);
    assert!(message.contains("gc.trigger.start: the bare number 5 has no unit"), "{message}");
}

#[test]
fn names_of_presets_and_schemes() {
    let message = fails("gc-bypas", &[], &[]);
    assert!(message.contains("device: \"gc-bypas\" is unknown"), "{message}");
    assert!(message.contains("did you mean \"gc-bypass\"?; or give the path of a .toml file"), "{message}");
    let message = fails("gc-bypass", &["greedy+copybak"], &[]);
    assert!(message.contains("did you mean \"copyback\"?"), "{message}");
}

#[test]
fn a_drive_without_enough_spare_space_is_refused_with_a_way_out() {
    let message = fails("gc-bypass", &[], &[("geometry.spare_factor", "5%")]);
    assert!(message.contains("a plane has 25 spare blocks of 512, but needs 28"), "{message}");
    let way_out = message.split("spare_factor = \"").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
    config("gc-bypass", &[("geometry.spare_factor", way_out)]);
}

#[test]
fn a_file_is_named_with_its_line() {
    let folder = std::env::temp_dir().join(format!("reclaim-config-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("mine.toml");
    let device = path.to_str().unwrap();
    let with = |text: &str| {
        std::fs::write(&path, text).unwrap();
        fails(device, &[], &[])
    };
    let message = with("base = \"gc-bypass\"\n\n[gc.victim]\nkind = \"fif\"\n");
    assert!(message.starts_with(&format!("{device}:4: gc.victim.kind: \"fif\" is unknown")), "{message}");
    let message = with("base = \"gc-bypass\"\n[geometry]\nplanes = 3\n");
    assert!(message.starts_with(&format!("{device}:3: geometry.planes: unknown key")), "{message}");
    let message = with("base = \"gc-bypas\"\n");
    assert!(message.starts_with(&format!("{device}:1: device: \"gc-bypas\"")), "{message}");
    let message = with("name = \"x\"\n[geometry\n");
    assert!(message.starts_with(&format!("{device}:2:10: not valid TOML")), "{message}");
    let message = with("name = \"x\"\n");
    assert!(message.ends_with("geometry: is missing; it must be given"), "{message}");
    std::fs::remove_file(&path).unwrap();
    assert!(fails(device, &[], &[]).contains("no such device file"));

    std::fs::write(&path, "base = \"gc-bypass-mini\"\nname = \"mine\"\n[gc]\nvictim.kind = \"fifo\"\n")
        .unwrap();
    let request = LoadRequest { device: device.to_owned(), ..LoadRequest::default() };
    let config = load(&request).unwrap();
    assert_eq!((config.name.as_str(), config.gc.victim.kind.as_str()), ("mine", "fifo"));
    assert_eq!(config.geometry.blocks_per_plane, 80);
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn every_preset_loads_prints_and_reads_back() {
    for preset in presets() {
        let config = config(&preset.name, &[]);
        assert_eq!(config.name, preset.name);
        let read_back: Config = toml::from_str(&config.to_toml()).unwrap();
        assert_eq!(read_back, config, "{}", preset.name);
        let json = serde_json::to_string(&config).unwrap();
        assert_eq!(Config::from_json(&json).unwrap(), config, "{}", preset.name);
        assert!(preset_toml(&preset.name).unwrap().contains("[geometry]"));
    }
}

#[test]
fn what_measuring_begins_after_reads_back() {
    for text in ["start", "first-round", "12.5%"] {
        let read = config("gc-bypass", &[("measure.after", text)]);
        assert_eq!(read.measure.after.to_string(), text);
        assert_eq!(toml::from_str::<Config>(&read.to_toml()).unwrap(), read);
    }
}

#[test]
fn every_scheme_goes_on_a_preset() {
    for scheme in schemes() {
        // The small preset has too little spare space for stripes.
        let request = LoadRequest {
            device: "gc-bypass".to_owned(),
            schemes: vec![scheme.name.clone()],
            set: Vec::new(),
        };
        load(&request).unwrap_or_else(|e| panic!("{}: {e}", scheme.name));
    }
}

#[test]
fn another_kind_drops_the_old_kinds_parameters() {
    let config =
        config("gc-bypass", &[("gc.victim", "d-choices"), ("gc.victim.d", "7"), ("gc.victim.kind", "fifo")]);
    assert!(config.gc.victim.parameters.is_empty(), "{:?}", config.gc.victim);
}

#[test]
fn capacity_settings_replace_one_another() {
    let config = config("gc-bypass", &[("geometry.over_provisioning", "25%")]);
    assert_eq!(config.geometry.spare_factor, None);
    let facts = reclaim_sim::derive_facts(&config, None);
    assert!((facts.over_provisioning - 0.25).abs() < 1e-6);
    assert!((facts.spare_factor - 0.2).abs() < 1e-6);
    let message = fails("gc-bypass", &[], &[("geometry.spare_factor", "100%")]);
    assert!(message.ends_with("must be below 100%"), "{message}");
}

#[test]
fn suspension_and_a_serialized_channel_exclude_each_other() {
    let message =
        fails("gc-bypass", &[], &[("interconnect", "serialized-channel"), ("flash.suspend.program", "true")]);
    assert!(message.contains("a serialized-channel is held for the whole operation"), "{message}");
}

/// Numbers beyond reason are refused, never wrapped, clamped or crashed on.
#[rstest]
#[case("gc.trigger.start", "4294967295 blocks", "a plane has 512")]
#[case("gc.trigger.hard", "40 blocks", "must be in that order, and start at least 1")]
#[case("gc.trigger.stop", "1 block", "must be in that order, and start at least 1")]
#[case("gc.trigger.start", "0 blocks", "must be in that order, and start at least 1")]
#[case("host.time_scale", "1e-12", "between 1e-6 and 1e6")]
#[case("host.time_scale", "nan", "between 1e-6 and 1e6")]
#[case("flash.t_read", "18446744073s", "longer than an hour")]
#[case("channel.command_cycle", "2000000s", "longer than an hour")]
#[case("channel.rate", "18446744073 GT/s", "beyond 10^15 bits per second")]
#[case("channel.rate", "2305843009213 MT/s", "beyond 10^15 bits per second")]
#[case("channel.rate", "0 MT/s", "is out of range")]
#[case("flash.pages_per_word_line", "4294967294", "up to pages_per_block")]
#[case("geometry.channels", "4294967295", "physical pages, but a drive may have at most")]
#[case("geometry.pages_per_block", "65537", "must be at most 65535")]
#[case("geometry.page_size", "100B", "must be a multiple of 512B")]
#[case("warmup.limit", "-1.0", "between 0 and 10000")]
#[case("gc.pages_in_flight", "0", "must be at least 1")]
#[case("measure.after", "100%", "is out of range")]
#[case("measure.after", "later", "is not understood")]
#[case("channel.commands.read_cycles", "100000", "at most 1000")]
fn beyond_reason(#[case] key: &str, #[case] value: &str, #[case] expected: &str) {
    let message = fails("gc-bypass", &[], &[(key, value)]);
    assert!(message.contains(expected), "{key}={value}: {message}");
}

#[test]
fn every_dimension_at_once_does_not_overflow() {
    let most = "65535";
    let keys = [
        "channels",
        "chips_per_channel",
        "dies_per_chip",
        "planes_per_die",
        "blocks_per_plane",
        "pages_per_block",
    ]
    .map(|key| format!("geometry.{key}"));
    let set: Vec<(&str, &str)> = keys.iter().map(|key| (key.as_str(), most)).collect();
    assert!(fails("gc-bypass", &[], &set).contains("physical pages, but a drive may have at most"));
}
