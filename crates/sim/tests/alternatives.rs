//! Every key declares what it could be instead, or one of three reasons why nothing: the keys that a study of
//! sensitivity moves are all there are.

use std::collections::BTreeSet;

use reclaim_sim::config::{catalogue, schema};
use serde_json::Value;

/// Every key of an object of a schema, and what it declares; of sections, those below.
fn declared(object: &Value, definitions: &Value, above: &str, found: &mut Vec<(String, Value)>) {
    for (name, property) in object["properties"].as_object().into_iter().flatten() {
        let key = if above.is_empty() { name.clone() } else { format!("{above}.{name}") };
        let references = [&property["$ref"], &property["allOf"][0]["$ref"], &property["anyOf"][0]["$ref"]]
            .map(Value::as_str);
        let target = references.into_iter().flatten().next();
        let target = target.map(|reference| &definitions[reference.rsplit('/').next().unwrap_or_default()]);
        let is_policy =
            target.is_some_and(|target| target["properties"]["kind"].is_object() && key != "warmup");
        if is_policy {
            // Declared with its kind, below.
            continue;
        }
        let is_section = target.is_some_and(|target| target["properties"].is_object());
        let own = property["x-alternatives"].clone();
        if let Some(section) = target.filter(|_| is_section && own["exempt"].is_null()) {
            declared(section, definitions, &key, found);
            if own.is_null() {
                continue;
            }
        }
        found.push((key, own));
    }
}

fn all() -> Vec<(String, Value)> {
    let schema = schema();
    let mut found = Vec::new();
    declared(&schema, &schema["$defs"], "", &mut found);
    for seam in catalogue().as_array().into_iter().flatten() {
        let key = seam["key"].as_str().expect("a name");
        found.push((key.to_owned(), seam["alternatives"].clone()));
        for policy in seam["policies"].as_array().into_iter().flatten() {
            let above = format!("{key} = {}", policy["name"].as_str().expect("a name"));
            declared(&policy["parameters"], &policy["parameters"]["$defs"], &above, &mut found);
        }
    }
    found
}

/// Why a declaration is none; nothing where it is one.
fn fault(declared: &Value) -> Option<&'static str> {
    if let Some(reason) = declared.get("exempt") {
        let known = ["identity", "path", "recording"].iter().any(|each| reason == each);
        return (!known).then_some("is exempt for a reason that there is not");
    }
    let values: Vec<_> =
        declared["values"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let no_factor = |number: &str| !number.parse::<f64>().is_ok_and(|by| by > 0.0);
    let faults = [
        (
            values.is_empty(),
            "declares no alternatives, and no reason to have none (settings/alternatives.rs)",
        ),
        (values.iter().collect::<BTreeSet<_>>().len() < values.len(), "has an alternative twice"),
        (
            values.iter().filter_map(|value| value.strip_prefix('×')).any(no_factor),
            "has a factor that is none",
        ),
        (declared["why"].as_str().is_none_or(str::is_empty), "does not say where its alternatives come from"),
    ];
    faults.into_iter().find_map(|(fault, what)| fault.then_some(what))
}

#[test]
fn every_key_declares_alternatives_or_why_it_has_none() {
    let found = all();
    assert!(found.len() > 200, "only {} keys were found", found.len());
    let faults: Vec<_> =
        found.iter().filter_map(|(key, own)| fault(own).map(|fault| format!("{key} {fault}"))).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// A choice moves to members that it has: a list with a name that there is not would never run.
#[test]
fn every_policy_that_is_named_is_one() {
    for seam in catalogue().as_array().into_iter().flatten() {
        let policies = || seam["policies"].as_array().into_iter().flatten();
        for value in seam["alternatives"]["values"].as_array().into_iter().flatten().filter_map(Value::as_str)
        {
            let name = value.split('"').nth(1).unwrap_or(value);
            assert!(policies().any(|policy| policy["name"] == name), "{}: {value}", seam["key"]);
        }
    }
}
