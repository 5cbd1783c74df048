//! Loading configurations, and what a user sees when one is wrong: the place, the key, what is valid, a suggestion.

use std::path::PathBuf;

use crate::common::refusals::{names, refused};
use crate::common::{config, request};
use reclaim_sim::config::{
    Config, ConfigError, LoadRequest, load, load_near, load_trace_of, mistakes, preset_toml, presets, schemes,
};
use rstest::rstest;

fn fails(set: &[(&str, &str)]) -> String {
    refused("gc-bypass", set)
}

/// Each setting is blamed on who gave it, with its key and what is valid.
#[rstest]
#[case(
    "scheduler.kind",
    "fcsf",
    "\"fcsf\" is unknown; valid: read-first, fcfs, type-first, by-class|\"fcfs\"?"
)]
#[case("gc.victim.d", "10", "unknown key; valid: kind, ties")]
#[case("geometry.channels", "0", "must be at least 1")]
#[case("gc.pages_in_flight", "0", "must be at least 1")]
#[case("flash.t_erase", "3800", "3800 has no unit|ns, us, µs, ms, s, min, h|\"3800us\"?")]
#[case("channel.rate", "fast", "\"fast\"|\"333 MT/s\" or \"1.2 GT/s\"")]
#[case("host.mode", "open", "\"open\" is unknown; valid: open-loop, closed-loop|\"open-loop\"?")]
#[case("flash.t_read", "[\"1us\"]", "1 times for 2 page levels")]
#[case("geometry.user_capacity", "65GiB", "17039360 pages|16777216")]
#[case("gc.trigger.strat", "3 blocks", "unknown key; valid: kind, start, stop, hard, of|\"start\"?")]
#[case("gc.trigger.start", "5", "the bare number 5 has no unit")]
#[case("geometry.spare_factor", "100%", "must be below 100%")]
#[case("flash.cell", "5", "\"5\" is unknown; valid: SLC, MLC, TLC, QLC")]
#[case("channel.order", "true", "\"true\" is unknown; valid: commands-first,")]
#[case("gc.victim.ties", "5", "\"5\" is unknown; valid: oldest, lowest-number")]
#[case("trace.align", "3B", "whole sectors of 512 B")]
#[case("trace.align", "0B", "whole sectors of 512 B")]
// Numbers beyond reason are refused, never wrapped, clamped or crashed on.
#[case("host.time_scale", "1e-12", "between 1e-6 and 1e6")]
#[case("flash.t_read", "18446744073s", "longer than an hour")]
#[case("channel.rate", "18446744073 GT/s", "beyond 10^15 bits per second")]
#[case("channel.rate", "2305843009213 MT/s", "beyond 10^15 bits per second")]
#[case("channel.rate", "0 MT/s", "is out of range")]
#[case("flash.pages_per_word_line", "4294967294", "up to pages_per_block")]
#[case("geometry.pages_per_block", "65537", "must be at most 65535")]
#[case("geometry.page_size", "100B", "must be a multiple of 512B")]
#[case("warmup.limit", "-1.0", "between 0 and 10000")]
#[case("measure.after", "100%", "is out of range")]
#[case("measure.after", "later", "is not understood")]
#[case("channel.commands.read_cycles", "100000", "at most 1000")]
// A value of the wrong kind, in words of the file format.
#[case("seed", "x", "\"x\" is not a whole number from 0 to 9223372036854775807")]
#[case("seed", "-1", "-1 is not a whole number from 0 to 9223372036854775807")]
#[case("host.queue_depth", "1.5", "1.5 is not a whole number from 0 to 4294967295")]
#[case("host.queue_depth", "5000000000", "5000000000 is not a whole number from 0 to 4294967295")]
#[case("host.time_scale", "fast", "\"fast\" is not a number")]
#[case("host.time_scale", "\"0.5\"", "without quotes: 0.5")]
#[case("geometry.channels", "\"8\"", "without quotes: 8")]
#[case("flash.suspend.program", "yes", "without quotes: true")]
#[case("flash.suspend.program", "1", "1 is not true or false")]
#[case("name", "5", "5 is not text in quotes")]
#[case("geometry", "5", "5 is not a table of settings")]
#[case("host", "closed-loop", "\"closed-loop\" is not a table of settings")]
#[case("trace.merge", "5", "5 is not a list")]
#[case("gc.victim", "5", "5 is not a table of settings")]
fn a_bad_value_is_named(#[case] key: &str, #[case] value: &str, #[case] parts: &str) {
    let message = fails(&[(key, value)]);
    names(&message, parts);
    assert!(message.starts_with(&format!("--set {key}={value}: {key}: ")), "{message}");
    let words = ["u32", "u64", "f64", "struct", "sequence", "map", "boolean", "invalid type", "`"];
    assert!(!words.iter().any(|word| message.contains(word)), "{message}");
}

#[rstest]
#[case(&[("gc.victims.kind", "fifo")],
    "=fifo: gc.victims: unknown key; valid: trigger, victim, relocation|\"victim\"?")]
#[case(&[("geometry.blocks_per_plane", "4000000")], "131072000000 physical pages|4278190080")]
#[case(&[("geometry.channels", "4294967295")], "physical pages")]
#[case(&[("geometry.channels", "65535"), ("geometry.chips_per_channel", "65535"),
    ("geometry.dies_per_chip", "65535"), ("geometry.planes_per_die", "65535"),
    ("geometry.blocks_per_plane", "65535"), ("geometry.pages_per_block", "65535")], "physical pages")]
#[case(&[("gc.victim", "d-choices"), ("gc.victim.k", "3")], "gc.victim.k: unknown key; valid: kind, d")]
#[case(&[("interconnect", "serialized-channel"), ("flash.suspend.program", "true")], "a serialized-channel")]
#[case(&[("gc.trigger.start", "4294967295 blocks")], "a plane has 512")]
#[case(&[("gc.trigger.hard", "40 blocks")], "must be in that order")]
#[case(&[("gc.trigger.stop", "1 block")], "must be in that order")]
#[case(&[("gc.trigger.start", "0 blocks")], "start at least 1")]
#[case(&[("gc.trigger.kind", "frontier-filled"), ("gc.trigger.jobs", "x")],
    "--set gc.trigger.jobs=x: gc.trigger.jobs: \"x\"|0 to 4294967295")]
#[case(&[("gc.victim", "random-threshold"), ("gc.victim.draws", "0")], "gc.victim.draws: 0|1 to 65535")]
#[case(&[("gc.victim", "{ kind = \"score\", score = \"a\" }"), ("gc.victim.params.a", "x")],
    "gc.victim.params.a: \"x\" is not a number")]
#[case(&[("gc.victim", "{ kind = \"score\", score = \"valid\" }"), ("gc.victim.params.b", "1")],
    "params.b: \"valid\" has no such name")]
#[case(&[("trace.merge", "[{}]")], "--set trace.merge=[{}]: trace.merge[0].file: is missing")]
#[case(&[("redundancy", "raid5")], "redundancy: |stripe_chips|32 chips|2, 4, 8, 16, 32")]
#[case(&[("flash.flash", "1")], ": flash.flash: unknown key; valid: cell, ")]
#[case(&[("geometry.pages_per_block", "4"), ("geometry.blocks_per_plane", "5000000")], "blocks|67108864")]
// The user's setting is blamed, and not the preset, which was right until then.
#[case(&[("flash.t_read", "[\"40us\", \"60us\"]"), ("seed", "7"), ("flash.cell", "TLC")],
    "--set flash.cell=TLC: flash.t_read: 2 times for 3 page levels")]
#[case(&[("seed", "7"), ("geometry.blocks_per_plane", "20"), ("host.mode", "closed-loop")],
    "--set geometry.blocks_per_plane=20: geometry: a plane has")]
// In two steps, of which the second makes good the first, and a third that is wrong.
#[case(&[("flash.cell", "TLC"), ("flash.t_read", "40us"), ("seed", "x")], "--set seed=x: seed: ")]
// A setting in vain.
#[case(&[("host.queue_depth", "8")], "--set host.queue_depth=8: host.queue_depth: an open loop sends")]
#[case(&[("host.queue_depth", "32")], "--set host.queue_depth=32: host.queue_depth: an open loop")]
#[case(&[("host.queue_depth", "8"), ("host.mode", "open-loop")], "--set |host.queue_depth: an open loop")]
#[case(&[("host.mode", "closed-loop"), ("host.time_scale", "2.0")], "--set |host.time_scale: a closed loop")]
#[case(&[("host.mode", "closed-loop"), ("host.target_utilisation", "50%")],
    "--set |host.target_utilisation: a")]
#[case(&[("trace.jitter", "1us"), ("host.mode", "closed-loop")], "--set |trace.jitter: a closed loop sends")]
#[case(&[("trace.repeat_order", "shuffled")], "--set |trace.repeat_order: the trace is played once")]
#[case(&[("trace.repeat_order", "shuffled"), ("warmup.kind", "steady")], "trace.repeat_order: the trace")]
#[case(&[("host.target_utilisation", "100.1%")], "--set |must be more than 0%, and 100% at most")]
#[case(&[("warmup.padding", "none"), ("warmup.kind", "steady")], "--set |warmup.kind = \"workload\"")]
// Whoever foresees what comes cannot be told of an order that is drawn.
#[case(&[("ftl.placement", "level-by-future"), ("warmup.kind", "workload"),
    ("trace.repeat_order", "shuffled")], "trace.repeat_order: shuffled: what a policy foresees")]
#[case(&[("gc.relocation", "{ kind = \"coupled\", admission = \"future\" }"), ("warmup.kind", "workload"),
    ("trace.repeat_order", "shuffled")], "trace.repeat_order: shuffled: what a policy foresees")]
fn settings_that_do_not_go_together(#[case] set: &[(&str, &str)], #[case] parts: &str) {
    names(&fails(set), parts);
}

/// Levels that contradict each other are shown as they are on this drive, in blocks.
#[rstest]
#[case("free-blocks", "3 blocks", "hard 3, start 2, stop 2 blocks")]
#[case("foreground", "3 blocks", "hard 3, start 2, stop 2 blocks")]
#[case("frontier-filled", "3 blocks", "start 2, hard 3, host_stop 1 blocks")]
#[case("free-blocks", "off", "hard off, start 0, stop 0 blocks")]
#[case("frontier-filled", "off", "start 0, hard off, host_stop 1 blocks")]
fn levels_that_contradict_each_other_are_shown(#[case] kind: &str, #[case] hard: &str, #[case] levels: &str) {
    let start = if hard == "off" { "0 blocks" } else { "2 blocks" };
    let trigger = [("gc.trigger.kind", kind), ("gc.trigger.start", start), ("gc.trigger.hard", hard)];
    let set = [&[("ftl.allocation", "{ kind = \"striping\", by = \"lpn\" }")][..], &trigger].concat();
    names(&refused("gc-bypass-mini", &set), &format!("gc.trigger: {levels}"));
}

#[test]
fn a_stored_configuration_is_refused_in_the_same_words() {
    for (text, parts) in [
        ("{", "not valid JSON: line 1, column 1"),
        ("5", "5 is not a table of settings"),
        ("{\"seed\": \"x\"}", "seed: \"x\" is not a whole number from 0 to 9223372036854775807"),
        ("{\"name\": \"a\"}", "is missing"),
    ] {
        names(&Config::from_json(text).expect_err("no configuration").to_string(), parts);
    }
}

#[test]
fn unknown_names_are_told_those_there_are_but_never_what_was_typed() {
    let victims: Vec<_> = reclaim_sim::gc::victim::MEMBERS.all.iter().map(|member| member.name).collect();
    names(
        &fails(&[("gc.victim", "gredy")]),
        &format!("valid: {}; did you mean \"greedy\"?", victims.join(", ")),
    );
    names(&refused("gc-bypas", &[]), "device: \"gc-bypas\"|\"gc-bypass\"?|.toml file");
    let schemes = |scheme: &str, device: &str| {
        let on_it = LoadRequest { schemes: vec![scheme.to_owned()], ..request(device, &[]) };
        load(&on_it).unwrap_err().to_string()
    };
    names(&schemes("greedy+copybak", "gc-bypass"), "\"copyback\"?");
    names(&schemes("raid5", "gc-bypass-mini"), "scheme raid5: geometry: a plane has");
    let error = ConfigError::choice("key", "name", &["name", "nome"]);
    assert!(error.reason.ends_with("did you mean \"nome\"?"), "{error}");
}

#[test]
fn a_drive_without_enough_spare_space_is_refused_with_a_way_out() {
    let message = fails(&[("geometry.spare_factor", "5%")]);
    names(&message, "25 spare blocks of 512, but needs 28");
    let way_out = message.split("spare_factor = \"").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
    config("gc-bypass", &[("geometry.spare_factor", way_out)]);
}

/// An empty folder of this test.
fn folder(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("reclaim-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&path).unwrap();
    path
}

#[test]
fn a_file_is_named_with_its_line() {
    let folder = folder("config");
    let path = folder.join("mine.toml");
    let device = path.to_str().unwrap();
    let base = "base = \"gc-bypass-mini\"\n";
    let meant = "in quotes|true and false without|";
    for (text, place, parts) in [
        (&*format!("{base}\n[gc.victim]\nkind = \"fif\"\n"), ":4: ", "gc.victim.kind: \"fif\" is unknown"),
        (&format!("{base}[geometry]\nplanes = 3\n"), ":3: ", "geometry.planes: unknown key"),
        ("base = \"gc-bypas\"\n", ":1: ", "device: \"gc-bypas\""),
        ("name = \"x\"\n[geometry\n", ":2:10: ", "not valid TOML"),
        ("name = \"x\"\n", ": ", "geometry: is missing"),
        (&format!("{base}[flash]\nt_read = 25us\n"), ":3:", &format!("{meant}t_read = \"25us\"")),
        (&format!("{base}[geometry]\nchannels = three\n"), ":3:", &format!("{meant}channels = \"three\"")),
        (&format!("{base}[flash.suspend]\nprogram = True\n"), ":3:", &format!("{meant}program = true")),
        (&format!("{base}[host]\ntime_scale = 0,5\n"), ":3:", &format!("{meant}time_scale = 0.5")),
        (&format!("{base}[host]\nqueue_depth = 8\n"), ":3: ", "host.queue_depth: an open loop"),
    ] {
        std::fs::write(&path, text).unwrap();
        names(&refused(device, &[]), &format!("{device}{place}|{parts}"));
    }
    // It is overruled where it does not contradict itself.
    assert_eq!(load(&request(device, &[("host.mode", "closed-loop")])).unwrap().host.queue_depth, 8);
    std::fs::remove_file(&path).unwrap();
    names(&refused(device, &[]), "no such device file");

    let mine =
        "name = \"mine\"\n[host]\nmode = \"closed-loop\"\nqueue_depth = 8\n[gc]\nvictim.kind = \"fifo\"\n";
    std::fs::write(&path, format!("{base}{mine}")).unwrap();
    let config = load(&request(device, &[])).unwrap();
    assert_eq!((config.name.as_str(), config.gc.victim.kind.as_str()), ("mine", "fifo"));
    assert_eq!((config.geometry.blocks_per_plane, config.host.queue_depth), (80, 8));
    let open = load(&request(device, &[("host.mode", "open-loop")])).unwrap();
    assert_eq!(open.host.queue_depth, 32);
    // Every key of a drive in one file, as it is printed.
    std::fs::write(&path, open.to_toml()).unwrap();
    assert_eq!(load(&request(device, &[])).unwrap(), open);
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn every_preset_and_scheme_loads_prints_and_reads_back() {
    for preset in presets() {
        let config = config(&preset.name, &[]);
        assert_eq!(config.name, preset.name);
        let read_back: Config = toml::from_str(&config.to_toml()).unwrap();
        assert_eq!(read_back, config, "{}", preset.name);
        let json = serde_json::to_string(&config).unwrap();
        assert_eq!(Config::from_json(&json).unwrap(), config, "{}", preset.name);
        assert!(preset_toml(&preset.name).unwrap().contains("[geometry]"));
    }
    for scheme in schemes() {
        // The small preset has too little spare space for stripes.
        let request = LoadRequest { schemes: vec![scheme.name.clone()], ..request("gc-bypass", &[]) };
        load(&request).unwrap_or_else(|e| panic!("{}: {e}", scheme.name));
    }
    for text in ["start", "first-round", "12.5%"] {
        let read = config("gc-bypass", &[("measure.after", text)]);
        assert_eq!(read.measure.after.to_string(), text);
        assert_eq!(toml::from_str::<Config>(&read.to_toml()).unwrap(), read);
    }
}

#[test]
fn settings_that_say_something_are_taken() {
    assert_eq!(config("gc-bypass-mini", &[("host.time_scale", "2.0")]).host.time_scale, 2.0);
    config("gc-bypass-mini", &[("host.target_utilisation", "100%")]);
    for again in [("trace.repeat", "2"), ("warmup.kind", "workload")] {
        let shuffled = config("gc-bypass-mini", &[("trace.repeat_order", "shuffled"), again]);
        assert!(!shuffled.trace.repeat_order.is_same());
    }
    // Another kind drops the old kind's parameters.
    let victim = [("gc.victim", "d-choices"), ("gc.victim.d", "7"), ("gc.victim.kind", "fifo")];
    assert!(config("gc-bypass", &victim).gc.victim.parameters.is_empty());
    // Settings of the capacity replace one another.
    let capacity = config("gc-bypass", &[("geometry.over_provisioning", "25%")]);
    assert_eq!(capacity.geometry.spare_factor, None);
    let facts = reclaim_sim::derive_facts(&capacity, None);
    assert!((facts.over_provisioning - 0.25).abs() < 1e-6 && (facts.spare_factor - 0.2).abs() < 1e-6);
    // A zero has no sign.
    let of = |zero: &str| {
        config("gc-bypass-mini", &[("warmup.kind", "overwrite"), ("warmup.overwrites", zero)]).to_toml()
    };
    assert_eq!(of("-0.0"), of("0.0"));
}

/// Every key of a configuration, to its innermost values.
fn keys(value: &toml::Value, path: &str, found: &mut Vec<String>) {
    match value {
        toml::Value::Table(table) => {
            for (key, below) in table {
                keys(below, &if path.is_empty() { key.clone() } else { format!("{path}.{key}") }, found);
            }
        }
        _ => found.push(path.to_owned()),
    }
}

#[test]
fn what_is_no_number_is_refused_by_every_key() {
    let schemes =
        ["adaptive", "raid5", "gc-bypass", "coupledcb", "dgc", "windowed-greedy", "random-threshold"];
    for scheme in schemes {
        let device = if scheme == "coupledcb" { "coupled-copyback-mini" } else { "deferred-raid-mini" };
        let scheme = vec![scheme.to_owned()];
        let loaded =
            |set: &[(&str, &str)]| load(&LoadRequest { schemes: scheme.clone(), ..request(device, set) });
        let Ok(config) = loaded(&[]) else { continue };
        let mut found = Vec::new();
        keys(&config.to_toml().parse::<toml::Table>().unwrap().into(), "", &mut found);
        assert!(found.len() > 50, "{found:?}");
        for (key, value) in
            found.iter().flat_map(|key| ["nan", "-nan", "inf", "-inf", "+inf"].map(|no| (key, no)))
        {
            // A word is a name, too, where names are taken.
            let Err(error) = loaded(&[(key, value)]) else {
                assert_eq!(key, "name", "{value}");
                continue;
            };
            let message = error.to_string();
            assert!(message.starts_with(&format!("--set {key}={value}: {key}")), "{message}");
        }
    }
}

#[test]
fn drives_of_a_folder_have_names_and_are_suggested() {
    let folder = folder("near");
    for name in ["small.toml", "wear-levelling.toml", "gc-bypass.toml", "notes.txt"] {
        std::fs::write(folder.join(name), "base = \"gc-bypass-mini\"\nname = \"mine\"\n").unwrap();
    }
    let near = |name: &str| load_near(&request(name, &[]), std::slice::from_ref(&folder), &[]);
    assert_eq!(near("small").unwrap().name, "mine");
    assert_eq!(near("gc-bypass").unwrap().name, "gc-bypass", "presets come first");
    std::fs::write(folder.join("on-top.toml"), "base = \"small\"\nseed = 3\n").unwrap();
    let on_top = near(folder.join("on-top.toml").to_str().unwrap()).unwrap();
    assert_eq!((on_top.name.as_str(), on_top.seed), ("mine", 3));
    for (name, parts) in [
        ("smal", "small, |mean \"small\"?"),
        ("smal.toml", "no such device file|mean \"small\"?"),
        ("elsewhere/small.toml", "no such device file|mean \"small\"?"),
        ("wear-leveling", "mean \"wear-levelling\"?"),
        ("gc-bypas", "mean \"gc-bypass\"?|.toml file"),
        ("qqqq", ".toml file"),
        ("notes.toml", "no such device file"),
    ] {
        let error = near(name).unwrap_err();
        let message = error.to_string().replace(folder.to_str().unwrap(), "FOLDER");
        names(&message, parts);
        assert_eq!(message.contains("did you mean"), parts.contains("mean "), "{message}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn all_mistakes_of_a_drive_are_told_at_once() {
    let folder = folder("mistakes");
    let path = folder.join("four.toml");
    let text = "base = \"gc-bypass-mini\"\n[geometry]\nchanels = 8\npage_size = \"4 kibi\"\n[flash]\n\
                cell = \"TLC\"\nt_read = [\"1us\", \"2us\"]\nt_erase = \"3 mss\"\n\
                [gc.victim]\nkind = \"gredy\"\n";
    let told = |text: &str| {
        std::fs::write(&path, text).unwrap();
        let found = mistakes(&request(path.to_str().unwrap(), &[]), &[], &[]);
        found.iter().map(|each| each.to_string().replace(path.to_str().unwrap(), "F")).collect::<Vec<_>>()
    };
    let found = told(text);
    let starts =
        ["F:3: geometry.chanels: ", "F:4: geometry.page_size: ", "F:8: flash.t_erase: ", "F:10: gc.victim"];
    for start in starts {
        assert!(found.iter().any(|each| each.starts_with(start)), "{start}: {found:?}");
    }
    assert_eq!(found.len(), starts.len(), "what follows from them is none: {found:?}");
    let found = told(
        "base = \"gc-bypass-mini\"\n[flash]\ncell = \"TLC\"\nt_read = [\"1us\", \"2us\"]\nt_program = \
                      [\"1us\"]\n[host]\ntime_scale = 0.0\n",
    );
    assert_eq!(found.len(), 3, "{found:?}");
    assert!(found[0].starts_with("F:4: flash.t_read: 2 times for 3"), "{found:?}");
    let found = told("name = \"empty\"\n");
    assert!(found.len() >= 3 && found.iter().all(|each| each.contains("missing")), "{found:?}");
    // A wrong geometry, read or not, hides nothing that is wrong by itself or in another section.
    let elsewhere = "[flash]\nt_erase = \"9h\"\nt_read = [\"1us\", \"2us\", \"3us\"]\ncell = \"SLC\"\n\
                     [gc.victim]\nkind = \"d-choises\"\nd = 4\n\
                     [gc.trigger]\nkind = \"free-blocks\"\nstrat = \"5%\"\n\
                     [host]\nqueue_depth = 0\n[host.link]\nlanes = 0\n[trace]\nmax_requests = 0\n\
                     [warmup]\noverwrites = -1.0\n[controller]\ncores = 5000\n\
                     [interconnect]\nkind = \"mash\"\n";
    for geometry in [
        "chanels = 8",
        "channels = \"x\"",
        "channels = 0",
        "channels = 4000000000",
        "page_size = \"5\"",
        "spare_factor = \"120%\"",
        "user_capacity = \"9TB\"",
        "user_capacity = \"1GB\"\nspare_factor = \"10%\"",
        "mapping_unit = \"3KiB\"",
    ] {
        let found = told(&format!("base = \"gc-bypass-mini\"\n[geometry]\n{geometry}\n{elsewhere}"));
        for key in [
            "geometry",
            "flash.t_erase",
            "flash.t_read",
            "gc.victim.kind",
            "gc.trigger.strat",
            "host.queue_depth",
            "host.link.lanes",
            "trace",
            "warmup.overwrites",
            "controller.cores",
            "interconnect.kind",
        ] {
            let of_key = |each: &&String| each.split(": ").nth(1).is_some_and(|at| at.starts_with(key));
            assert_eq!(found.iter().filter(of_key).count(), 1, "{geometry}: {key}: {found:#?}");
        }
        assert_eq!(found.len(), 11, "{geometry}: {found:#?}");
        let lines: Vec<u32> =
            found.iter().map(|each| each.split(':').nth(1).unwrap().parse().unwrap()).collect();
        assert!(lines.is_sorted(), "{found:#?}");
    }
    assert_eq!(told("base = \"gc-bypass-mini\"\n"), [""; 0]);
    assert_eq!(told("base = \"nothing-of-the-kind\"\n").len(), 1);
    assert_eq!(told("base = \n").len(), 1);
    std::fs::remove_dir_all(&folder).unwrap();
}

const STRIPES: &str =
    "[ftl.allocation]\nkind = \"striping\"\nby = \"lpn\"\n[redundancy]\nkind = \"raid5\"\nstripe_chips = 8\n";

#[test]
fn a_scheme_is_judged_with_all_that_is_on_it() {
    // Four chips, and stripes of eight: no scheme for this drive but with the setting.
    let folder = folder("layers");
    let four = "base = \"gc-bypass-mini\"\ngeometry.channels = 2\ngeometry.chips_per_channel = 2\n\
                geometry.spare_factor = \"25%\"\n";
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let device = write("four.toml", four);
    let striped = write("striped.toml", &format!("{four}{STRIPES}"));
    let with = |device: &str, schemes: &[&str], set: &[(&str, &str)]| {
        let schemes = schemes.iter().map(|name| (*name).to_owned()).collect();
        load(&LoadRequest { schemes, ..request(device, set) })
    };
    let chips = ("redundancy.stripe_chips", "4");
    assert!(with(&device, &["raid5"], &[]).is_err());
    assert!(with(&striped, &[], &[]).is_err());
    for config in [with(&device, &["raid5"], &[chips]), with(&striped, &[], &[chips])] {
        assert!(config.unwrap().to_toml().contains("stripe_chips = 4"));
    }
    // What such a device says of traces is known before.
    let own = write("own.toml", &format!("{four}{STRIPES}[trace]\nalign = \"4KiB\"\n"));
    let section = load_trace_of(&request(&own, &[("trace.max_requests", "5"), ("gc.victim", "fifo")]), &[]);
    let section = section.unwrap();
    assert_eq!((section.align.map(|size| size.0), section.max_requests), (Some(4096), Some(5)));
    let wrong = load_trace_of(&request(&own, &[("trace.algin", "4KiB")]), &[]).unwrap_err().to_string();
    names(&wrong, "--set trace.algin=4KiB: trace.algin: unknown key");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_that_the_system_makes_up_is_no_device_file() {
    names(&refused("/proc/cpuinfo", &[]), "/proc/cpuinfo: is a file of the system");
}

/// The parameters of one arithmetic are none of another's; of the same, they are laid over each other.
#[test]
fn another_score_takes_the_params_of_the_one_below_away() {
    let below =
        ("gc.victim", "{ kind = \"score\", score = \"pow(valid, a) + b\", params = { a = 2, b = 1 } }");
    let params = |more: &[(&str, &str)]| {
        let set: Vec<_> = [below].iter().chain(more).copied().collect();
        config("gc-bypass", &set).gc.victim.parameters.get("params").map(ToString::to_string)
    };
    assert_eq!(params(&[("gc.victim.params.b", "3")]).as_deref(), Some("{\"a\":2,\"b\":3}"));
    assert_eq!(params(&[("gc.victim.score", "pow(valid, a) + b")]).as_deref(), Some("{\"a\":2,\"b\":1}"));
    assert_eq!(params(&[("gc.victim.score", "valid")]), None);
    let given = [("gc.victim.score", "c * valid"), ("gc.victim.params.c", "4")];
    assert_eq!(params(&given).as_deref(), Some("{\"c\":4}"));
    // Of settings that are given at once, the order does not matter.
    let turned: Vec<_> = [given[1], given[0]].map(|(key, value)| (key.to_owned(), value.to_owned())).into();
    assert_eq!(reclaim_sim::config::at_once(&turned).unwrap()[0].0, "gc.victim.score");
}
