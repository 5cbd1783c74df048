//! Layers of settings: where each comes from, and places in it; settings that say the same thing, and single ones.

use reclaim_trace::toml_place::{Step, toml_place};
use toml::{Table, Value};

use super::catalogue::seams;
use crate::settings::{ConfigError, WORDS};

/// One layer of settings and where it comes from.
pub(super) struct Layer {
    pub table: Table,
    /// What messages call it.
    pub origin: String,
    /// Its text, when it is a file the user wrote: messages then give the line.
    pub text: Option<String>,
}

/// The name of each step of a dotted key; a place in a list belongs to the list.
fn steps(key: &str) -> impl Iterator<Item = &str> {
    key.split('.').map(|step| step.split('[').next().unwrap_or(step))
}

/// The value of a dotted key.
pub(super) fn lookup<'a>(table: &'a Table, key: &str) -> Option<&'a Value> {
    let mut steps = steps(key);
    let first = table.get(steps.next()?)?;
    steps.try_fold(first, |node, step| node.get(step))
}

pub(super) fn lookup_mut<'a>(table: &'a mut Table, key: &str) -> Option<&'a mut Value> {
    let mut steps = steps(key);
    let first = table.get_mut(steps.next()?)?;
    steps.try_fold(first, |node, step| node.get_mut(step))
}

/// Where a layer gives a dotted key: with the line, if it is a file.
pub(super) fn place(layer: &Layer, key: &str) -> String {
    match &layer.text {
        Some(text) => position(&layer.origin, text, key),
        None => layer.origin.clone(),
    }
}

/// `file:line` of a dotted key in a TOML text, or just the file.
fn position(file: &str, text: &str, key: &str) -> String {
    match toml_place(text, steps(key).map(Step::Key)).filter(|place| !place.above) {
        Some(place) => format!("{file}:{}", place.line),
        None => file.to_owned(),
    }
}

// Settings that say the same thing: of those given at once one counts, and a later layer replaces what an earlier one
// says in other words.

/// Keys of which at most one counts, as each decides what the others say.
struct Same {
    keys: &'static [&'static str],
    what: &'static str,
    /// Whether a later layer that gives one of them takes the others away; where not, both are refused together.
    replaces: bool,
}

const SAME: &[Same] = &[
    Same {
        keys: &["geometry.user_capacity", "geometry.over_provisioning", "geometry.spare_factor"],
        what: "how much the host sees",
        replaces: true,
    },
    Same {
        keys: &["host.time_scale", "host.target_utilisation", "host.target_total_utilisation"],
        what: "how fast the trace is played",
        replaces: false,
    },
    Same { keys: &["warmup.scheme", "warmup.policies"], what: "what prepares the drive", replaces: true },
    Same {
        keys: &["host.target_scheme", "host.target_policies"],
        what: "under which policies the utilisation is reached",
        replaces: true,
    },
];

/// The other keys that say what a key says.
pub fn same_settings(key: &str) -> Vec<&'static str> {
    let row = SAME.iter().find(|row| row.keys.contains(&key));
    row.into_iter().flat_map(|row| row.keys.iter().copied()).filter(|each| *each != key).collect()
}

/// Takes out of `base` what `over` says in other words.
pub(super) fn replace(base: &mut Table, over: &Table) {
    for row in SAME.iter().filter(|row| row.replaces) {
        if !row.keys.iter().any(|key| lookup(over, key).is_some()) {
            continue;
        }
        for key in row.keys {
            let (section, name) = key.split_once('.').expect("all of them are in a section");
            base.get_mut(section).and_then(Value::as_table_mut).map(|table| table.remove(name));
        }
    }
}

/// What takes `params`, whichever policy it is a parameter of: the parameters of one text or function are none of
/// another's.
const TAKES_PARAMS: [&str; 2] = ["function", "score"];

/// Takes away the `params` of a policy that are another's than the one above.
pub(super) fn drop_params(base: &mut Table, over: &Table) {
    let is_another = |key: &&str| {
        let of_base = base.get(*key);
        of_base.is_some() && over.get(*key).is_some_and(|new| of_base != Some(new))
    };
    if TAKES_PARAMS.iter().any(is_another) {
        base.remove("params");
    }
}

/// Puts the kinds of policies before their parameters, and what takes `params` before those: a new kind takes the
/// parameters of the old one away, in whatever order they are given.
pub(super) fn kinds_first(settings: &[(String, String)]) -> Vec<(String, String)> {
    let is_seam = |key: &str| seams().iter().any(|seam| seam.key() == key);
    let rank = |key: &str| match key.rsplit_once('.') {
        _ if is_seam(key) => 0,
        Some((above, "kind")) if is_seam(above) => 0,
        Some((above, name)) if is_seam(above) && TAKES_PARAMS.contains(&name) => 1,
        _ => 2,
    };
    let mut sorted = settings.to_vec();
    sorted.sort_by_key(|(key, _)| rank(key));
    sorted
}

/// Refuses two single settings of which one would undo the other: one key with two values, and two keys that say the
/// same thing.
pub(super) fn check(settings: &[Layer]) -> Result<(), ConfigError> {
    for (at, later) in settings.iter().enumerate() {
        for earlier in &settings[..at] {
            if let Some((key, reason)) = contradiction(&earlier.table, &later.table) {
                let mut error = ConfigError::at(&key, &reason);
                error.origin = Some(place(later, &key));
                return Err(error);
            }
        }
    }
    Ok(())
}

fn contradiction(earlier: &Table, later: &Table) -> Option<(String, String)> {
    let values = leaves(earlier, "");
    for (key, value) in leaves(later, "") {
        for (other, given) in &values {
            if *other == key && *given != value {
                return Some((key, format!("is given twice, as {given} and as {value}; give it once")));
            }
            if let Some(row) = SAME.iter().find(|row| has(row, &key) && has(row, other) && *other != key) {
                let reason = format!("{other} is given, too, and both say {}; give one of them", row.what);
                return Some((key, reason));
            }
        }
    }
    None
}

fn has(row: &Same, key: &str) -> bool {
    row.keys
        .iter()
        .any(|each| key == *each || key.strip_prefix(each).is_some_and(|rest| rest.starts_with('.')))
}

/// The values of a table by their dotted keys.
fn leaves<'t>(table: &'t Table, above: &str) -> Vec<(String, &'t Value)> {
    let of_key = |(name, value): (&String, &'t Value)| {
        let key = if above.is_empty() { name.clone() } else { format!("{above}.{name}") };
        match value {
            Value::Table(below) => leaves(below, &key),
            _ => vec![(key, value)],
        }
    };
    table.iter().flat_map(of_key).collect()
}

/// Which single settings take the place of what a layer below says in other words.
pub(super) fn replaced(layers: &[Layer], settings: usize) -> Vec<String> {
    let mut found = Vec::new();
    for (at, layer) in layers.iter().enumerate().skip(settings) {
        for row in SAME.iter().filter(|row| row.replaces) {
            let Some(key) = row.keys.iter().find(|key| lookup(&layer.table, key).is_some()) else { continue };
            let below = layers[..at].iter().rev();
            let given = below.flat_map(|layer| row.keys.iter().map(move |key| (layer, *key)));
            let rival = given.into_iter().find(|(layer, key)| lookup(&layer.table, key).is_some());
            if let Some((layer, other)) = rival.filter(|(_, other)| other != key) {
                found.push(format!("{key} takes the place of {other} ({})", place(layer, other)));
            }
        }
    }
    found
}

// Single settings, a dotted key and a value as text: what they make, and in which order.

/// Single settings that are given at once, as layers can have them one after the other.
///
/// # Errors
/// When one would undo another.
pub fn at_once(settings: &[(String, String)]) -> Result<Vec<(String, String)>, ConfigError> {
    let settings = kinds_first(settings);
    check(&of_settings(&settings)?)?;
    Ok(settings)
}

/// A layer of each single setting.
pub(super) fn of_settings(settings: &[(String, String)]) -> Result<Vec<Layer>, ConfigError> {
    let layer = |(key, value): &(String, String)| {
        Ok(Layer { table: setting(key, value)?, origin: format!("--set {key}={value}"), text: None })
    };
    settings.iter().map(layer).collect()
}

/// A table with one dotted key set. Text that is no TOML value is taken as a string, so that `fifo` and `75us`
/// need no quotes.
pub(super) fn setting(key: &str, value: &str) -> Result<Table, ConfigError> {
    if key.split('.').any(str::is_empty) {
        return Err(ConfigError::at(key, "a setting is written key=value, such as gc.victim.kind=fifo"));
    }
    let parsed = format!("v = {value}").parse::<Table>().ok().and_then(|mut t| t.remove("v"));
    let mut node = parsed.unwrap_or_else(|| Value::String(value.to_owned()));
    let is_seam = seams().iter().any(|seam| seam.key() == key);
    // The device `419` and the column `1` are words.
    if WORDS.contains(&key) && !node.is_str() {
        node = Value::String(value.to_owned());
    }
    if is_seam && node.is_str() {
        node = Value::Table(Table::from_iter([("kind".to_owned(), node)]));
    }
    for part in key.rsplit('.') {
        node = Value::Table(Table::from_iter([(part.to_owned(), node)]));
    }
    match node {
        Value::Table(table) => Ok(table),
        _ => unreachable!("a key has at least one part"),
    }
}
