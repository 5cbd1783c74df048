//! Single settings, a dotted key and a value as text: what they make, and in which order.

use toml::{Table, Value};

use super::catalogue::seams;
use super::layers::Layer;
use super::same;
use crate::settings::{ConfigError, WORDS};

/// Single settings that are given at once, as layers can have them one after the other.
///
/// # Errors
/// When one would undo another.
pub fn at_once(settings: &[(String, String)]) -> Result<Vec<(String, String)>, ConfigError> {
    let settings = same::kinds_first(settings);
    same::check(&of_settings(&settings)?)?;
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
