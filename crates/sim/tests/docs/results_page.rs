//! `docs/results.md` is made from the schema of results files and the catalogue of policies; here it is also compared
//! with the keys of real results.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use reclaim_sim::config::catalogue;
use reclaim_sim::results::{FORMAT, schema};
use reclaim_sim::{BlockFrames, Timeline};
use serde_json::Value;

/// A description or a name on one line.
pub fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().replace('\n', " ")
}

const INTRODUCTION: &str = "\
# Results

Every key of `results.json`, in the order of the file. The program makes this page. `format` is FORMAT; a file
of another format is refused.

- Times are nanoseconds of simulated time. A share is between 0 and 1. `null`: no meaning in this run.
- The same configuration, trace and seed give the same bytes.
- `verdict` tells whether the figures can be trusted ([verdicts.md](verdicts.md)).

`histograms.parquet` has the distribution of latencies: for every `class` of requests (`read`, `write`,
`trim`, `flush`) and non-empty bucket, `upper_ns` (the longest latency in it) and `count`. A bucket is at most
0.1 % wide. A percentile is the `upper_ns` of its bucket.

Three tables can be recorded: a row for each request (`--record-requests`), for each GC job (`--record-gc`),
and for each interval of simulated time (`--record-timeline`, [columns](#columns-of-timelineparquet)).
A run with `--watch` has [`Result.block_frames`](#columns-of-resultblock_frames), too. The
parts of a latency have the names and meanings of `requests.read.breakdown`.
";

/// A type of object in results files, and every path at which one lies.
struct Section<'a> {
    paths: Vec<String>,
    object: &'a Value,
}

/// The definition that a property refers to, and what follows its path: `[]` if it is a list of such.
fn target<'a>(property: &Value, definitions: &'a Value) -> Option<(&'a Value, &'static str)> {
    let list = property["items"]["$ref"].as_str().map(|reference| (reference, "[]"));
    let one = property["$ref"].as_str().or_else(|| property["anyOf"][0]["$ref"].as_str());
    let inner = property["additionalProperties"]["additionalProperties"]["$ref"].as_str();
    let (reference, suffix) = one.map(|one| (one, "")).or(list).or(inner.map(|inner| (inner, ".*.*")))?;
    let definition = &definitions[reference.rsplit('/').next()?];
    definition["properties"].is_object().then_some((definition, suffix))
}

fn visit<'a>(path: &str, object: &'a Value, definitions: &'a Value, sections: &mut Vec<Section<'a>>) {
    match sections.iter_mut().find(|section| std::ptr::eq(section.object, object)) {
        Some(section) => section.paths.push(path.to_owned()),
        None => sections.push(Section { paths: vec![path.to_owned()], object }),
    }
    for (key, property) in object["properties"].as_object().into_iter().flatten() {
        // The configuration has a page of its own.
        if key != "config"
            && let Some((definition, suffix)) = target(property, definitions)
        {
            visit(&format!("{path}{key}{suffix}."), definition, definitions, sections);
        }
    }
}

fn sections(schema: &Value) -> Vec<Section<'_>> {
    let mut sections = Vec::new();
    visit("", schema, &schema["$defs"], &mut sections);
    sections
}

fn unit(property: &Value, definitions: &Value) -> String {
    if let Some(unit) = property["unit"].as_str() {
        return unit.to_owned();
    }
    let reference = property["$ref"].as_str().and_then(|reference| reference.rsplit('/').next());
    let choices: Vec<String> = definitions[reference.unwrap_or_default()]["oneOf"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|choice| choice["const"].as_str().map(|name| format!("`{name}`")))
        .collect();
    if choices.is_empty() || choices.len() > 5 { String::new() } else { choices.join(", ") }
}

/// The names of a section, and those that do not fit a line with the others.
fn heading(section: &Section<'_>) -> (String, String) {
    let names: Vec<String> =
        section.paths.iter().map(|path| format!("`{}`", path.trim_end_matches('.'))).collect();
    let (first, further) = names.split_at(names.len().min(4));
    let first = if section.paths == [""] { "Top level".to_owned() } else { first.join(", ") };
    (first, further.join(", "))
}

/// A row for each metric; policies of a kind that count the same share it.
fn policies(out: &mut String) {
    out.push_str(
        "
## Metrics of policies

Keys below `policies`: key of the policy kind, then name of the metric. They count what happened while the
run was measured. `reclaim policy show NAME` names the file that declares them.

| policy kind | policies | metric | unit | what raises it |
|---|---|---|---|---|
",
    );
    for seam in catalogue().as_array().into_iter().flatten() {
        let mut rows: Vec<(String, Vec<String>)> = Vec::new();
        for member in seam["policies"].as_array().into_iter().flatten() {
            let policy = format!("`{}`", text(&member["name"]));
            for metric in member["metrics"].as_array().into_iter().flatten() {
                let (unit, about) = (text(&metric["unit"]), text(&metric["about"]));
                let cells = format!("`{}` | {unit} | {about}", text(&metric["name"]));
                match rows.iter_mut().find(|(known, _)| *known == cells) {
                    Some((_, policies)) => policies.push(policy.clone()),
                    None => rows.push((cells, vec![policy.clone()])),
                }
            }
        }
        for (cells, policies) in rows {
            writeln!(out, "| `{}` | {} | {cells} |", text(&seam["key"]), policies.join(", ")).unwrap();
        }
    }
}

/// Tables that are no part of the results, but declared as they are, by the names that readers know.
fn recorded() -> [(&'static str, Value); 2] {
    [
        ("timeline.parquet", schemars::schema_for!(Timeline).to_value()),
        ("Result.block_frames", schemars::schema_for!(BlockFrames).to_value()),
    ]
}

fn columns(out: &mut String) {
    for (name, schema) in recorded() {
        let about = schema["description"].as_str().unwrap_or_default();
        writeln!(out, "\n## Columns of `{name}`\n\n{about}\n").unwrap();
        out.push_str("| column | what it says | unit |\n|---|---|---|\n");
        for (column, property) in schema["properties"].as_object().into_iter().flatten() {
            let (says, unit) = (text(&property["description"]), text(&property["unit"]));
            writeln!(out, "| `{column}` | {says} | {unit} |").unwrap();
        }
    }
}

/// Columns of the table of intervals without a meaning or a unit.
pub fn undocumented_columns() -> Vec<String> {
    let [(_, schema), _] = recorded();
    let columns = schema["properties"].as_object().expect("the table has columns");
    let lacks =
        |property: &Value| text(&property["description"]).is_empty() || text(&property["unit"]).is_empty();
    columns.iter().filter(|(_, property)| lacks(property)).map(|(column, _)| column.clone()).collect()
}

pub fn page() -> String {
    let schema = schema();
    let mut out = INTRODUCTION.replace("FORMAT", &FORMAT.to_string());
    for section in sections(&schema) {
        // As the doc comment is wrapped.
        let about = section.object["description"].as_str().unwrap_or_default();
        let (heading, further) = heading(&section);
        writeln!(out, "\n## {heading}\n\n{about}\n").unwrap();
        if !further.is_empty() {
            writeln!(out, "The same: {further}.\n").unwrap();
        }
        out.push_str("| key | what it says | unit or values |\n|---|---|---|\n");
        for (key, property) in section.object["properties"].as_object().into_iter().flatten() {
            let says = text(&property["description"]);
            writeln!(out, "| `{key}` | {says} | {} |", unit(property, &schema["$defs"])).unwrap();
        }
    }
    policies(&mut out);
    columns(&mut out);
    out
}

/// The path of every key on the page.
pub fn documented() -> BTreeSet<String> {
    let schema = schema();
    let mut paths = BTreeSet::new();
    for section in sections(&schema) {
        for key in section.object["properties"].as_object().into_iter().flatten().map(|(key, _)| key) {
            paths.extend(section.paths.iter().map(|path| format!("{path}{key}")));
        }
    }
    paths
}

/// Whether a documented key has a meaning and, if it is a number or a list of numbers, a unit.
pub fn says_enough(path: &str) -> bool {
    // Versions of formats, seeds and names of streams are numbers of nothing.
    const PLAIN: [&str; 3] = ["format", "seed", "streams[].stream"];
    let schema = schema();
    sections(&schema).iter().all(|section| {
        section.paths.iter().all(|at| {
            let key = path.strip_prefix(at.as_str()).unwrap_or_default();
            let property = &section.object["properties"][key];
            let is_number = |of: &Value| {
                let kind = &of["type"];
                let one = kind.as_str().or_else(|| kind[0].as_str()).unwrap_or_default();
                matches!(one, "integer" | "number")
            };
            let needs_unit = is_number(property) || is_number(&property["items"]);
            property.is_null()
                || (property["description"].is_string()
                    && (!needs_unit || property["unit"].is_string() || PLAIN.contains(&path)))
        })
    })
}

/// The path of every key in results.
pub fn present(results: &Value) -> BTreeSet<String> {
    let mut paths = BTreeSet::new();
    collect("", results, &mut paths);
    paths
}

fn collect(path: &str, value: &Value, paths: &mut BTreeSet<String>) {
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                let below = path == "policies" || path == "policies.*";
                let joined = if path.is_empty() {
                    key.clone()
                } else {
                    format!("{path}.{}", if below { "*" } else { key })
                };
                if !below {
                    paths.insert(joined.clone());
                }
                if joined != "config" {
                    collect(&joined, value, paths);
                }
            }
        }
        Value::Array(list) => {
            list.iter()
                .filter(|value| value.is_object())
                .for_each(|value| collect(&format!("{path}[]"), value, paths));
        }
        _ => {}
    }
}
