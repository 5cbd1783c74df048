//! Messages about settings: they name what the user wrote, in words of the file format.

use std::path::PathBuf;

use crate::common::config;
use reclaim_sim::config::{Config, ConfigError, LoadRequest, load, load_near, load_trace_of};
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
        ("gc.victim.ties", "5", "valid: oldest, lowest-number"),
    ] {
        let message = fails(&[(key, value)]);
        let expected = format!("--set {key}={value}: {key}: \"{value}\" is unknown; {names}");
        assert!(message.starts_with(&expected), "{message}");
    }
}

#[rstest]
#[case("3B")]
#[case("0B")]
#[case("3KB")]
fn a_trace_is_aligned_to_whole_sectors(#[case] size: &str) {
    let message = fails(&[("trace.align", size)]);
    let expected = format!("--set trace.align={size}: trace.align: ");
    assert!(message.starts_with(&expected), "{message}");
    assert!(message.ends_with("is not whole sectors of 512 B, such as \"512B\" or \"4KiB\""), "{message}");
}

#[rstest]
#[case("{", "not valid JSON: line 1, column 1")]
#[case("5", "5 is not a table of settings")]
#[case("{\"seed\": \"x\"}", "seed: \"x\" is not a whole number from 0 to 9223372036854775807")]
#[case("{\"name\": \"a\"}", "is missing; it must be given")]
fn a_stored_configuration_is_refused_in_the_same_words(#[case] text: &str, #[case] expected: &str) {
    let message = Config::from_json(text).expect_err("no configuration").to_string();
    assert!(message.ends_with(expected), "{message}");
}

#[test]
fn a_parameter_of_a_policy_is_named_with_its_key() {
    let message = fails(&[("gc.trigger.kind", "frontier-filled"), ("gc.trigger.jobs", "x")]);
    let expected =
        "--set gc.trigger.jobs=x: gc.trigger.jobs: \"x\" is not a whole number from 0 to 4294967295";
    assert_eq!(message, expected);
}

/// Levels that contradict each other are shown as they are on this drive, in blocks.
#[rstest]
#[case(
    "free-blocks",
    "3 blocks",
    "hard 3, start 2, stop 2 blocks: must be in that order, and start at least 1"
)]
#[case(
    "foreground",
    "3 blocks",
    "hard 3, start 2, stop 2 blocks: must be in that order, and start at least 1"
)]
#[case("frontier-filled", "3 blocks", "start 2, hard 3, host_stop 1 blocks: start must not be the smaller")]
#[case("free-blocks", "off", "hard off, start 0, stop 0 blocks: must be in that order, and start at least 1")]
#[case("frontier-filled", "off", "start 0, hard off, host_stop 1 blocks: start must not be the smaller")]
fn levels_that_contradict_each_other_are_shown(
    #[case] kind: &str,
    #[case] hard: &str,
    #[case] expected: &str,
) {
    let start = if hard == "off" { "0 blocks" } else { "2 blocks" };
    let set = [
        ("ftl.allocation", "{ kind = \"striping\", by = \"lpn\" }"),
        ("gc.trigger.kind", kind),
        ("gc.trigger.start", start),
        ("gc.trigger.hard", hard),
    ];
    let message = fails(&set);
    assert!(message.ends_with(&format!("gc.trigger: {expected}")), "{message}");
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
#[case(&[("trace.repeat_order", "shuffled")], "trace.repeat_order: the trace is played once, and not by")]
#[case(&[("trace.repeat_order", "shuffled"), ("warmup.kind", "steady")], "trace.repeat_order: the trace is")]
#[case(&[("host.target_utilisation", "100.1%")], "must be more than 0%, and 100% at most")]
#[case(&[("warmup.padding", "none"), ("warmup.kind", "steady")], "warmup.kind = \"workload\"")]
fn a_setting_in_vain(#[case] set: &[(&str, &str)], #[case] expected: &str) {
    let message = fails(set);
    assert!(message.starts_with("--set ") && message.contains(expected), "{message}");
}

/// Whoever foresees what comes cannot be told of an order that is drawn.
#[rstest]
#[case(&[("ftl.placement", "level-by-future")])]
#[case(&[("gc.relocation", "{ kind = \"coupled\", admission = \"future\" }")])]
fn an_order_that_is_drawn_is_foreseen_by_nobody(#[case] foresees: &[(&str, &str)]) {
    let set = [foresees, &[("warmup.kind", "workload"), ("trace.repeat_order", "shuffled")]].concat();
    let message = fails(&set);
    assert!(message.contains("trace.repeat_order: shuffled: what a policy foresees"), "{message}");
}

#[test]
fn settings_that_say_something_are_taken() {
    let closed = config("gc-bypass-mini", &[("host.queue_depth", "8"), ("host.mode", "closed-loop")]);
    assert_eq!(closed.host.queue_depth, 8);
    let open = config("gc-bypass-mini", &[("host.time_scale", "2.0")]);
    assert_eq!(open.host.time_scale, 2.0);
    config("gc-bypass-mini", &[("host.target_utilisation", "100%")]);
    for again in [("trace.repeat", "2"), ("warmup.kind", "workload")] {
        let shuffled = config("gc-bypass-mini", &[("trace.repeat_order", "shuffled"), again]);
        assert!(!shuffled.trace.repeat_order.is_same());
    }
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

/// An empty folder of this test.
fn folder(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("reclaim-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&path).unwrap();
    path
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
        for key in found {
            for value in ["nan", "-nan", "inf", "-inf", "+inf"] {
                // A word is a name, too, where names are taken.
                let Err(error) = loaded(&[(&key, value)]) else {
                    assert_eq!(key, "name", "{value}");
                    continue;
                };
                let message = error.to_string();
                assert!(message.starts_with(&format!("--set {key}={value}: {key}")), "{message}");
            }
        }
    }
}

#[test]
fn a_zero_has_no_sign() {
    let of = |zero: &str| {
        let set = [("warmup.kind", "overwrite"), ("warmup.overwrites", zero)];
        load(&request("gc-bypass-mini", &set)).unwrap().to_toml()
    };
    assert_eq!(of("-0.0"), of("0.0"));
}

#[rstest]
#[case("[flash]\nt_read = 25us\n", ":3:", "t_read = \"25us\"")]
#[case("[geometry]\nchannels = three\n", ":3:", "channels = \"three\"")]
#[case("[flash.suspend]\nprogram = True\n", ":3:", "program = true")]
#[case("[host]\ntime_scale = 0,5\n", ":3:", "time_scale = 0.5")]
fn a_word_without_quotes(#[case] text: &str, #[case] place: &str, #[case] meant: &str) {
    let folder = folder(&format!("quotes-{}", meant.len()));
    let path = folder.join("x.toml");
    std::fs::write(&path, format!("base = \"gc-bypass-mini\"\n{text}")).unwrap();
    let message = load(&request(path.to_str().unwrap(), &[])).unwrap_err().to_string();
    std::fs::remove_dir_all(&folder).unwrap_or_default();
    assert!(message.contains(place), "{message}");
    let expected = format!("; text is written in quotes, numbers, true and false without: {meant}");
    assert!(message.ends_with(&expected), "{message}");
}

#[rstest]
#[case("geometry.channels", "\"8\"", "; write it without quotes: 8")]
#[case("host.time_scale", "\"0.5\"", "; write it without quotes: 0.5")]
#[case("flash.suspend.program", "yes", "; write it without quotes: true")]
fn quotes_around_what_takes_none(#[case] key: &str, #[case] value: &str, #[case] ending: &str) {
    let message = fails(&[(key, value)]);
    assert!(message.ends_with(ending), "{message}");
}

#[test]
fn an_unknown_drive_is_suggested_from_presets_and_device_files() {
    let folder = folder("near");
    for name in ["small.toml", "wear-levelling.toml", "notes.txt"] {
        std::fs::write(folder.join(name), "").unwrap();
    }
    let near = |name: &str| {
        let error = load_near(&request(name, &[]), std::slice::from_ref(&folder), &[]).unwrap_err();
        error.to_string().replace(folder.to_str().unwrap(), "FOLDER")
    };
    for (name, ending) in [
        ("smal", "; did you mean \"FOLDER/small.toml\"?"),
        ("small", "; did you mean \"FOLDER/small.toml\"?"),
        ("smal.toml", "no such device file; did you mean \"FOLDER/small.toml\"?"),
        ("elsewhere/small.toml", "no such device file; did you mean \"FOLDER/small.toml\"?"),
        ("wear-leveling", "; did you mean \"FOLDER/wear-levelling.toml\"?"),
        ("gc-bypas", "; did you mean \"gc-bypass\"?; or give the path of a .toml file"),
        ("qqqq", "; or give the path of a .toml file"),
        ("notes.toml", "no such device file"),
    ] {
        let message = near(name);
        assert!(message.ends_with(ending), "{name}: {message}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

const STRIPES: &str =
    "[ftl.allocation]\nkind = \"striping\"\nby = \"lpn\"\n[redundancy]\nkind = \"raid5\"\nstripe_chips = 8\n";

#[test]
fn a_scheme_is_judged_with_all_that_is_on_it() {
    // Four chips, and stripes of eight: no scheme for this drive but with the setting.
    let folder = folder("layers");
    let four = "base = \"gc-bypass-mini\"\n[geometry]\nchannels = 2\nchips_per_channel = 2\n\
        spare_factor = \"25%\"\n";
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
    let own = write(
        "own.toml",
        &format!("{}[trace]\nalign = \"4KiB\"\n", std::fs::read_to_string(&striped).unwrap()),
    );
    let section = load_trace_of(&request(&own, &[("trace.max_requests", "5"), ("gc.victim", "fifo")]), &[]);
    let section = section.unwrap();
    assert_eq!((section.align.map(|size| size.0), section.max_requests), (Some(4096), Some(5)));
    let wrong = load_trace_of(&request(&own, &[("trace.algin", "4KiB")]), &[]).unwrap_err().to_string();
    assert!(wrong.starts_with("--set trace.algin=4KiB: trace.algin: unknown key"), "{wrong}");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_that_the_system_makes_up_is_no_device_file() {
    let message = load(&request("/proc/cpuinfo", &[])).unwrap_err().to_string();
    assert_eq!(message, "/proc/cpuinfo: is a file of the system, made up when it is read, not a device file");
}
