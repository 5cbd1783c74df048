//! Settings that say the same thing: of those given at once one counts, and a later layer replaces what an earlier one
//! says in other words.

use toml::{Table, Value};

use super::catalogue::seams;
use super::layers::{Layer, lookup, place};
use crate::settings::ConfigError;

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

/// Puts the kinds of policies before their parameters: a new kind takes the parameters of the old one away, in whatever
/// order they are given.
pub(super) fn kinds_first(settings: &[(String, String)]) -> Vec<(String, String)> {
    let is_kind =
        |key: &str| seams().iter().any(|seam| seam.key() == key.strip_suffix(".kind").unwrap_or(key));
    let (kinds, others): (Vec<_>, Vec<_>) = settings.iter().cloned().partition(|(key, _)| is_kind(key));
    [kinds, others].concat()
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
