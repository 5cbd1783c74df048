//! Layers of settings: where each comes from, and places in it.

use reclaim_trace::toml_place::{Step, toml_place};
use toml::{Table, Value};

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
