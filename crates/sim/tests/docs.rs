//! `docs/configuration.md` and `docs/results.md` are made from the doc comments of configuration and results, so they
//! cannot go stale: these tests fail when they have.
//! `RECLAIM_UPDATE_DOCS=1 cargo test --test sim docs::` writes it anew.

#[path = "docs/results_page.rs"]
mod results_page;

use crate::common;
use crate::common::prelude::*;
use reclaim_sim::config::{catalogue, presets, schema, schemes};
use results_page::text;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

/// Every type with a unit is explained once, at the top of the page.
fn without_example(about: &str) -> String {
    match about.split_once(" with its unit, such as ").or_else(|| about.split_once(" such as ")) {
        Some((kind, examples)) if !examples.contains(", or ") => kind.to_owned(),
        _ => about.to_owned(),
    }
}

/// The type of a property, as a reader would say it.
fn kind(property: &Value, definitions: &Value) -> String {
    if let Some(reference) = property["$ref"].as_str() {
        let name = reference.rsplit('/').next().unwrap_or_default();
        let definition = &definitions[name];
        let choices: Vec<String> = definition["oneOf"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|choice| choice["const"].as_str())
            .map(|choice| format!("`{choice}`"))
            .collect();
        return match name {
            "PolicyChoice" => "a policy".to_owned(),
            "LevelTimes" => "a time, or a list with one per page level".to_owned(),
            _ if !choices.is_empty() => choices.join(", "),
            _ => without_example(&text(&definition["description"])),
        };
    }
    for union in ["anyOf", "allOf"] {
        if let Some(first) = property[union].as_array().and_then(|all| all.first()) {
            return kind(first, definitions);
        }
    }
    match &property["type"] {
        Value::Array(types) => text(&types[0]),
        other => text(other),
    }
    .replace("integer", "a whole number")
    .replace("number", "a number")
    .replace("a whole a number", "a whole number")
    .replace("boolean", "`true` or `false`")
    .replace("string", "text")
}

fn default_of(property: &Value) -> String {
    match &property["default"] {
        Value::Null | Value::Object(_) => String::new(),
        value => format!("`{value}`"),
    }
}

fn section(out: &mut String, key: &str, object: &Value, definitions: &Value) {
    let required: Vec<_> = object["required"].as_array().into_iter().flatten().collect();
    let title = if key.is_empty() { "Top level".to_owned() } else { format!("`[{key}]`") };
    writeln!(out, "\n## {title}\n\n{}\n", object["description"].as_str().unwrap_or_default()).unwrap();
    writeln!(out, "| key | what it is | value | default |\n|---|---|---|---|").unwrap();
    let mut deeper = Vec::new();
    // Half a drive once more: its keys are those of sections that have their place on the page.
    let repeats = ["host.target_policies", "warmup.policies"].contains(&key);
    for (name, property) in object["properties"].as_object().into_iter().flatten() {
        let reference = property["$ref"].as_str();
        let reference = reference.or_else(|| property["allOf"][0]["$ref"].as_str());
        let reference = reference.or_else(|| property["anyOf"][0]["$ref"].as_str());
        let target = reference.map(|r| &definitions[r.rsplit('/').next().unwrap_or_default()]);
        let path = if key.is_empty() { name.clone() } else { format!("{key}.{name}") };
        let is_policy = reference.is_some_and(|r| r.ends_with("PolicyChoice"));
        if let Some(target) = target.filter(|t| t["properties"].is_object() && !is_policy) {
            deeper.push((path.clone(), target));
        }
        let default = if required.iter().any(|r| r.as_str() == Some(name)) {
            "required".to_owned()
        } else if is_policy {
            format!("`{}`", property["default"]["kind"].as_str().unwrap_or_default())
        } else {
            default_of(property)
        };
        let value = if repeats && target.is_some() && !is_policy {
            format!("with the keys of `[{name}]`")
        } else if deeper.last().is_some_and(|(last, _)| *last == path) {
            format!("section `[{path}]`")
        } else {
            kind(property, definitions)
        };
        let about = text(&property["description"]);
        writeln!(out, "| `{name}` | {about} | {value} | {default} |").unwrap();
    }
    for (path, target) in deeper.into_iter().filter(|_| !repeats) {
        section(out, &path, target, definitions);
    }
}

/// What lists of policies say once: the line of a parameter, and who has said it first.
fn parameter(out: &mut String, said: &mut Vec<(String, String)>, member: &str, line: (&str, String)) {
    let (name, about) = line;
    let whole = format!("  - `{name}`: {about}");
    if let Some((first, _)) = said.iter().find(|(_, known)| *known == whole) {
        writeln!(out, "  - `{name}`: as for `{first}`.").unwrap();
    } else {
        writeln!(out, "{whole}").unwrap();
        said.push((member.to_owned(), whole));
    }
}

/// Combinations that are refused, those of several policies of a kind in one line.
fn conflicts(out: &mut String, seam: &Value) {
    let mut lines: Vec<(Vec<String>, String)> = Vec::new();
    for member in seam["policies"].as_array().into_iter().flatten() {
        let name = format!("`{}`", text(&member["name"]));
        for conflict in member["conflicts"].as_array().into_iter().flatten() {
            let with = conflict["with"].as_array().into_iter().flatten();
            let with: Vec<_> = with.map(|setting| format!("`{}`", text(setting))).collect();
            let line = format!("{}: {}.", with.join(" or "), text(&conflict["why"]));
            match lines.iter_mut().find(|(_, known)| *known == line) {
                Some((members, _)) => members.push(name.clone()),
                None => lines.push((vec![name.clone()], line)),
            }
        }
    }
    for (number, (members, line)) in lines.iter().enumerate() {
        if number == 0 || lines[number - 1].0 != *members {
            writeln!(out, "\nRefused with {}:\n", members.join(", ")).unwrap();
        }
        writeln!(out, "- {line}").unwrap();
    }
}

fn policies(out: &mut String) {
    out.push_str("\n## Policies\n\nEach key below takes one policy, chosen by its `kind`.\n");
    for seam in catalogue().as_array().into_iter().flatten() {
        writeln!(out, "\n### `{}`\n", text(&seam["key"])).unwrap();
        let mut said = Vec::new();
        for member in seam["policies"].as_array().into_iter().flatten() {
            let member_name = text(&member["name"]);
            writeln!(out, "- **`{member_name}`**: {}", text(&member["about"])).unwrap();
            let definitions = &member["parameters"]["$defs"];
            for (name, property) in member["parameters"]["properties"].as_object().into_iter().flatten() {
                let default = default_of(property);
                let default = if default.is_empty() { default } else { format!(" (default {default})") };
                let choices = kind(property, definitions);
                let choices =
                    if choices.contains("`, `") { format!(" One of {choices}.") } else { String::new() };
                let about = format!("{}{choices}{default}", text(&property["description"]));
                parameter(out, &mut said, &member_name, (name, about));
            }
        }
        conflicts(out, seam);
    }
}

fn refused(out: &mut String) {
    out.push_str("\n## Refused combinations\n\nBeside those of the policies above:\n");
    let mut before = "";
    for refused in reclaim_sim::config::refused() {
        let (first, others) = refused.with.split_first().expect("a combination has settings");
        if *first != before {
            writeln!(out, "\n`{first}` with\n").unwrap();
            before = first;
        }
        let others: Vec<_> = others.iter().map(|settings| format!("`{settings}`")).collect();
        writeln!(out, "- {}: {}.", others.join(" with "), refused.why).unwrap();
    }
}

fn page() -> String {
    let schema = schema();
    let mut out = String::from(
        "# Configuration\n\n\
         Every key of a device file, every policy, preset and scheme. The program makes this page.\n\n\
         A device file is TOML. `base = \"PRESET\"` starts from a preset or from another device file; the \
         other keys override it. `--set key=value` overrides one setting, `--scheme a+b` applies named \
         schemes. Unknown keys are errors.\n\n\
         | value | examples |\n\
         |---|---|\n\
         | a size | `\"512B\"`, `\"4KiB\"`, `\"60GiB\"` |\n\
         | a time | `\"20ns\"`, `\"75us\"`, `\"3.8ms\"` |\n\
         | a transfer rate | `\"333 MT/s\"`, `\"1.2 GT/s\"` |\n\
         | a percentage | `\"7%\"`, `\"12.5%\"` |\n\
         | a policy | `\"greedy\"`, `{ kind = \"d-choices\", d = 10 }` |\n\n\
         A bare number where a unit is needed is an error. So is a key that has no effect, such as a queue \
         depth in open loop. The folder of the file is where your own policies are looked for; other paths \
         start from the current folder. At most 16 files can build on each other.\n\n\
         A run that needs more memory than is available is refused (Linux only). `reclaim device check` \
         says how much it needs; the environment variable `RECLAIM_MEMORY_LIMIT` sets another limit, such \
         as `64GiB` or `unlimited`.\n\n\
         [Sensitivity studies](sensitivity.md) move keys to other values. `reclaim device schema` lists \
         these values as `x-alternatives`, `reclaim policy show` those of policies.\n",
    );
    section(&mut out, "", &schema, &schema["$defs"]);
    policies(&mut out);
    refused(&mut out);
    out.push_str("\n## Presets\n\n| name | what it is |\n|---|---|\n");
    for preset in presets() {
        writeln!(out, "| `{}` | {} |", preset.name, preset.about).unwrap();
    }
    out.push_str("\n## Schemes\n\n| name | what it changes in the device |\n|---|---|\n");
    for scheme in schemes() {
        writeln!(out, "| `{}` | {} |", scheme.name, scheme.about).unwrap();
    }
    out
}

fn is_current(name: &str, page: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs").join(name);
    if std::env::var_os("RECLAIM_UPDATE_DOCS").is_some() {
        std::fs::write(&path, page).unwrap();
    }
    let stored = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        stored == page,
        "docs/{name} is out of date: run RECLAIM_UPDATE_DOCS=1 cargo test --test sim docs::"
    );
}

#[test]
fn configuration_page_is_current() {
    is_current("configuration.md", &page());
}

#[test]
fn results_page_is_current() {
    is_current("results.md", &results_page::page());
}

/// Runs that together have everything there is in results: warnings and doubts, trends, an audit, every policy.
fn real_results() -> Vec<Value> {
    let spaced = |count: u64| -> Vec<Record> {
        (0..count).map(|number| common::at(number * 1_000, Op::Write, number * 7 % 16, 1)).collect()
    };
    let mut all = vec![
        TestDrive::one_plane().run(spaced(200)),
        TestDrive::one_plane()
            .set("warmup.kind", "overwrite")
            .set("measure.power_cut_every", 100)
            .run(spaced(2_000)),
        // Written once a play, in an order with runs to change.
        TestDrive::one_plane()
            .blocks(64, 4)
            .set("warmup.kind", "workload")
            .run((0..100).map(|number| common::at(number * 1_000, Op::Write, number * 7 % 100, 1)).collect()),
    ];
    let fails = "[{ erases = 1000, failed = \"1%\" }]";
    let lives = TestDrive::one_plane().set("flash.endurance.erases", 1_000);
    all.push(lives.set("flash.endurance.failures", fails).run(spaced(200)));
    let of_streams = spaced(200).into_iter().map(|record| Record { stream: 1, ..record });
    all.push(TestDrive::one_plane().run(of_streams.collect()));
    let windows = TestDrive::one_plane().set("measure.windows.count", 4);
    let windows = windows.set("flash.endurance.failures", fails).config();
    all.push(common::run(&windows, &Trace::from_records("made", spaced(2_000))).unwrap());
    for seam in catalogue().as_array().into_iter().flatten() {
        for member in seam["policies"].as_array().into_iter().flatten() {
            let (key, name) = (text(&seam["key"]), text(&member["name"]));
            let choice = match name.as_str() {
                "score" => "{ kind = \"score\", score = \"valid\" }".to_owned(),
                "python" => common::own::choice("any"),
                _ => name.clone(),
            };
            let mut drive = TestDrive::one_plane().set(&key, &choice);
            if ["raid5", "dgc", "foreground"].contains(&name.as_str()) {
                drive = drive.with(&[("ftl.allocation", "striping"), ("ftl.allocation.by", "lpn")]);
            }
            if name == "superblock-parity" {
                let of_two =
                    [("geometry.channels", "2"), ("ftl.superblock", "drive"), ("ftl.allocation", "dynamic")];
                drive = drive.with(&of_two);
            }
            if key == "ftl.separation" {
                drive = drive.blocks(32, 4);
            }
            if ["raid5", "dgc"].contains(&name.as_str()) {
                // A single chip makes no stripe, and how many do has no default.
                drive = drive.set("redundancy", "raid5").set("redundancy.stripe_chips", 2);
                drive = drive.set("geometry.channels", if name == "dgc" { 4 } else { 2 });
            }
            all.push(drive.run(spaced(20)));
        }
    }
    all.iter().map(|outcome| serde_json::to_value(&outcome.results).unwrap()).collect()
}

#[test]
fn every_key_of_results_is_documented_and_every_documented_key_is_there() {
    // Only of a trace with lines that could not be read, or of a recording with parts missing.
    let absent = ["trace.first_bad_lines", "trace.warnings"].map(str::to_owned);
    let documented = results_page::documented();
    let found: BTreeSet<_> = real_results().iter().flat_map(results_page::present).chain(absent).collect();
    let undocumented: Vec<_> = found.difference(&documented).collect();
    assert!(undocumented.is_empty(), "in results, but not in docs/results.md: {undocumented:?}");
    let missing: Vec<_> = documented.difference(&found).collect();
    assert!(missing.is_empty(), "in docs/results.md, but in no results: {missing:?}");
    let numbers = documented.iter().filter(|key| !results_page::says_enough(key));
    assert_eq!(
        numbers.collect::<Vec<_>>(),
        Vec::<&String>::new(),
        "without a meaning or, for a number, a unit"
    );
}

#[test]
fn every_column_of_the_timeline_is_documented() {
    assert_eq!(results_page::undocumented_columns(), Vec::<String>::new());
}

#[test]
fn every_metric_that_a_policy_declares_is_in_the_results_of_a_run_with_it() {
    let runs = real_results();
    for seam in catalogue().as_array().into_iter().flatten() {
        let key = text(&seam["key"]);
        let declared: BTreeSet<_> = seam["policies"]
            .as_array()
            .into_iter()
            .flatten()
            .flat_map(|member| member["metrics"].as_array().into_iter().flatten())
            .map(|metric| text(&metric["name"]))
            .collect();
        let reported: BTreeSet<_> = runs
            .iter()
            .filter_map(|run| run["policies"][&key].as_object())
            .flat_map(|metrics| metrics.keys().cloned())
            .collect();
        assert_eq!(declared, reported, "{key}");
    }
}
