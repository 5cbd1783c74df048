//! Every key that takes a number, at the ends of what it takes and just beyond them: a drive runs or says what is wrong
//! with which key, and nothing panics.

use crate::common::prelude::*;
use reclaim_sim::config::{at_once, catalogue, schema};
use serde_json::Value;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

/// Ends of every kind of number, with units and without: what a key does not take is refused by its kind.
const ENDS: &str = "\
    -1, 0, 1, 2, 4, 65536, 4294967295, 4294967296, 9223372036854775807, 18446744073709551616, \
    0.0, 5e-324, 0.5, 1.0, 1e6, 1e308, nan, -0.0001%, 0%, 0.0001%, 50%, 99.9999%, 100%, \
    100.0001%, 429496.7295%, 0ns, 1ns, 3600s, 18446744073709551615ns, 0B, 1B, 512B, 4KiB, \
    18446744073709551615B, 0 blocks, 1 block, 4294967295 blocks, 0.000001 MT/s, 1000000000 GT/s";

/// What else a key needs to have an effect.
const BESIDE: [(&str, &[(&str, &str)]); 17] = [
    ("controller.cores", &[("controller.command", "5us")]),
    ("flash.read_retry", &[("flash.read_retry.rate", "10%")]),
    ("flash.suspend", &[("flash.suspend.program", "true"), ("flash.suspend.erase", "true")]),
    ("flash.flush_after", &[("flash.cell", "MLC"), ("flash.program_unit", "word-line")]),
    ("ftl.slc_cache", &[("flash.cell", "TLC")]),
    ("ftl.separation", &[("geometry.blocks_per_plane", "32")]),
    ("host.queue_depth", &[("host.mode", "closed-loop")]),
    ("host.target_total_utilisation", &[("host.target_scheme", "greedy")]),
    ("trace.repeat_gap", &[("trace.repeat", "2")]),
    ("trace.sample", &[("trace.sample", "50%")]),
    ("warmup.fill", &[("warmup.kind", "replay")]),
    ("warmup.limit", &[("warmup.kind", "steady")]),
    ("warmup.overwrites", &[("warmup.kind", "overwrite")]),
    ("warmup.replays", &[("warmup.kind", "replay")]),
    ("warmup.tolerance", &[("warmup.kind", "workload")]),
    (
        "gc.deferral",
        &[("redundancy", "{ kind = \"raid5\", stripe_chips = 4 }"), ("ftl.allocation.by", "lpn")],
    ),
    ("redundancy", &[("redundancy.stripe_chips", "4"), ("ftl.allocation.by", "lpn")]),
];

/// Warm-ups, of which some draw and some play the trace.
const WARM_UPS: [&str; 6] = ["empty", "filled", "overwrite", "steady", "replay", "workload"];

const DRIVE: [(&str, &str); 9] = [
    ("geometry.channels", "2"),
    ("geometry.chips_per_channel", "2"),
    ("geometry.dies_per_chip", "1"),
    ("geometry.planes_per_die", "1"),
    ("geometry.blocks_per_plane", "16"),
    ("geometry.pages_per_block", "12"),
    ("geometry.spare_factor", "50%"),
    ("gc.trigger.start", "1 block"),
    ("warmup.kind", "filled"),
];

type Setting = (String, String);

/// Keys of a schema that take a number, or text with one in it.
fn numeric(root: &Value, section: &Value, above: &str, found: &mut Vec<String>) {
    for (name, node) in section["properties"].as_object().into_iter().flatten() {
        let key = if above.is_empty() { name.clone() } else { format!("{above}.{name}") };
        let (target, named) = target(root, node);
        if target.get("properties").is_some() {
            // What a scheme stands for has the keys of the drive again.
            if !["warmup.policies", "host.target_policies"].contains(&key.as_str()) {
                numeric(root, target, &key, found);
            }
        } else if is_numeric(target) || UNITS.split(' ').any(|unit| unit == named) {
            found.push(key);
        }
    }
}

/// Types of the file format that are text with a number in it.
const UNITS: &str = "Size Ratio LevelTimes Time TransferRate BufferSize GcPace Rotation \
    MeasureAfter BlockShare Level";

fn target<'a>(root: &'a Value, node: &'a Value) -> (&'a Value, &'a str) {
    let inner = ["allOf", "anyOf"].into_iter().filter_map(|list| node[list].as_array()).flatten();
    let named = std::iter::once(node).chain(inner).find_map(|part| part["$ref"].as_str());
    let name = named.and_then(|name| name.rsplit('/').next()).unwrap_or_default();
    (if name.is_empty() { node } else { &root["$defs"][name] }, name)
}

fn is_numeric(node: &Value) -> bool {
    let kinds = match &node["type"] {
        Value::Array(kinds) => kinds.clone(),
        kind => vec![kind.clone()],
    };
    kinds.iter().any(|kind| kind == "integer" || kind == "number")
}

/// Every key that takes a number, each with what chooses the policy that has it.
fn keys() -> Vec<(String, Vec<Setting>)> {
    let (root, mut plain) = (schema(), Vec::new());
    numeric(&root, &root, "", &mut plain);
    let mut found: Vec<_> = plain.into_iter().map(|key| (key, Vec::new())).collect();
    for seam in catalogue().as_array().expect("a list of kinds") {
        let of = seam["key"].as_str().expect("a key");
        for policy in seam["policies"].as_array().expect("a list") {
            let mut own = Vec::new();
            numeric(&policy["parameters"], &policy["parameters"], of, &mut own);
            let chosen = vec![(of.to_owned(), policy["name"].as_str().expect("a name").to_owned())];
            found.extend(own.into_iter().map(|key| (key, chosen.clone())));
        }
    }
    found
}

/// Puts settings on others, as a later level does.
fn put(set: &mut Vec<Setting>, more: impl IntoIterator<Item = Setting>) {
    for (key, value) in more {
        set.retain(|(other, _)| {
            *other != key && !reclaim_sim::config::same_settings(&key).contains(&&**other)
        });
        set.push((key, value));
    }
}

/// What is wrong with how a drive answers; nothing for one that runs or is refused by a message with a key.
fn fault(set: &[Setting], key: &str) -> Result<bool, String> {
    let device = "gc-bypass".to_owned();
    let answer = || {
        let set = at_once(set).map_err(|error| error.to_string())?;
        let config =
            load(&LoadRequest { device, schemes: Vec::new(), set }).map_err(|error| error.to_string())?;
        if reclaim_sim::derive_facts(&config, None).run_memory_bytes > 1 << 28 {
            return Ok(true);
        }
        let requests = (0..60).map(|k| {
            let op = if k % 3 == 0 { Op::Read } else { Op::Write };
            at(k * 50, op, (k * 7) % 300, 1 + k % 2)
        });
        let trace = Trace::from_records("small", requests.collect());
        let begun = Instant::now();
        let patience = &mut |_: &_| {
            if begun.elapsed() > Duration::from_millis(200) {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        };
        match simulate(&config, &trace, &RunOptions::default(), patience) {
            Ok(_) | Err(SimError::Interrupted) => Ok(true),
            Err(error) => Err(error.to_string()),
        }
    };
    match catch_unwind(AssertUnwindSafe(answer)) {
        Err(_) => Err("panics".to_owned()),
        Ok(Ok(ran)) => Ok(ran),
        Ok(Err(message)) => {
            let section = key.rsplit_once('.').map_or(key, |(section, _)| section);
            let says = [key, section, "the trace", "small"].iter().any(|each| message.contains(each));
            if says && message.len() < 1_000 { Ok(false) } else { Err(format!("says: {message}")) }
        }
    }
}

#[test]
fn every_number_at_its_ends() {
    let (mut wrong, mut never, mut tried) = (Vec::new(), Vec::new(), 0);
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    for (key, chosen) in keys() {
        let mut ran = false;
        for value in ENDS.split(", ") {
            for warm_up in WARM_UPS {
                if warm_up != "filled" && !key.starts_with("warmup.") {
                    continue;
                }
                let mut set = owned(&DRIVE);
                put(&mut set, [("warmup.kind".to_owned(), warm_up.to_owned())]);
                let beside = BESIDE.iter().filter(|(of, _)| key == *of || key.starts_with(&format!("{of}.")));
                put(&mut set, beside.flat_map(|(_, more)| owned(more)));
                if chosen.iter().any(|(kind, _)| kind == "gc.trigger") {
                    set.retain(|(key, _)| !key.starts_with("gc.trigger"));
                }
                put(&mut set, chosen.clone());
                put(&mut set, [(key.clone(), value.to_owned())]);
                tried += 1;
                match fault(&set, &key) {
                    Ok(answer) => ran |= answer,
                    Err(what) => wrong.push(format!("{chosen:?} {key}={value} ({warm_up}) {what}")),
                }
            }
        }
        if !ran {
            never.push(format!("{chosen:?} {key}"));
        }
    }
    std::panic::set_hook(hook);
    println!("{tried} drives; no value of these was taken: {never:#?}");
    // Those that need more than one other setting to be right.
    assert!(never.len() < 20, "{never:#?}");
    assert!(wrong.is_empty(), "{} of {tried}:\n{}", wrong.len(), wrong.join("\n"));
}
