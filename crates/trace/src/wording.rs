//! What a reader of settings finds wrong with a value, in the words of a file: numbers, text, lists and tables instead
//! of the types of the program.

use crate::TraceError;

/// What is wrong with a number or a list where a name should be: the reader does not say which names there are.
pub const NO_NAME: &str = "one of the names that this key takes, in quotes";

/// `invalid type: …, expected …` and the like as "… is not …".
pub fn plainly(message: &str) -> Option<String> {
    let (fault, expected) = message.rsplit_once(", expected ")?;
    let given = match fault.strip_prefix("invalid length ") {
        Some(length) => format!("a list of {length}"),
        None => value(fault.strip_prefix("invalid type: ").or(fault.strip_prefix("invalid value: "))?),
    };
    let expected = kind(expected);
    Some(format!("{given} is not {expected}{}", unquoted(&given, &expected)))
}

/// What to do about a number in quotes, or another word for true or false.
fn unquoted(given: &str, expected: &str) -> String {
    let Some(text) = given.strip_prefix('"').and_then(|text| text.strip_suffix('"')) else {
        return String::new();
    };
    let meant = match text.to_lowercase().as_str() {
        "true" | "yes" | "on" if expected == kind("a boolean") => "true",
        "false" | "no" | "off" if expected == kind("a boolean") => "false",
        _ if expected.contains("whole number") && text.parse::<i64>().is_ok() => text,
        _ if expected == kind("f64") && text.parse::<f64>().is_ok_and(f64::is_finite) => text,
        _ => return String::new(),
    };
    format!("; write it without quotes: {meant}")
}

/// What was given.
fn value(given: &str) -> String {
    match given {
        "sequence" => "a list".to_owned(),
        "map" => "a table".to_owned(),
        "unit value" | "null" => "nothing".to_owned(),
        _ => match given.strip_prefix("string ") {
            Some(text) => text.to_owned(),
            // integer `5`, floating point `1.5`, boolean `true`
            None => given.split('`').nth(1).unwrap_or(given).to_owned(),
        },
    }
}

/// What should have been.
fn kind(expected: &str) -> String {
    let whole = |most: u64| format!("a whole number from 0 to {most}");
    match expected {
        "u8" => whole(u64::from(u8::MAX)),
        "u16" => whole(u64::from(u16::MAX)),
        "u32" => whole(u64::from(u32::MAX)),
        // TOML has no larger ones.
        "u64" | "usize" => whole(i64::MAX as u64),
        "a nonzero u16" => format!("a whole number from 1 to {}", u16::MAX),
        "a nonzero u32" => format!("a whole number from 1 to {}", u32::MAX),
        "i8" | "i16" | "i32" | "i64" | "isize" => "a whole number".to_owned(),
        "f32" | "f64" => "a number".to_owned(),
        "a boolean" => "true or false".to_owned(),
        "a string" => "text in quotes".to_owned(),
        "a sequence" => "a list".to_owned(),
        "a map" => "a table of settings".to_owned(),
        "string or map" | "string only" => NO_NAME.to_owned(),
        _ if expected.starts_with("struct ") => "a table of settings".to_owned(),
        _ => expected.to_owned(),
    }
}

/// What a line of TOML was probably meant to say whose value is written as TOML takes none: a word without quotes, a
/// number with a unit, `True`, `,5`.
pub fn meant(line: &str) -> Option<String> {
    let (key, value) = line.split_once('=')?;
    let (key, value) = (key.trim(), value.split('#').next().unwrap_or(value).trim());
    if value.is_empty() || value.starts_with(['"', '\'', '[', '{']) || value.contains('"') {
        return None;
    }
    let written = match value.to_lowercase().as_str() {
        "true" | "yes" | "on" => "true".to_owned(),
        "false" | "no" | "off" => "false".to_owned(),
        lower => {
            let with_point = lower.replacen(',', ".", 1);
            let number = with_point.strip_prefix('+').unwrap_or(&with_point);
            match number.parse::<f64>() {
                Ok(found) if found.is_finite() => format!("{found}"),
                _ => format!("\"{value}\""),
            }
        }
    };
    Some(format!("; text is written in quotes, numbers, true and false without: {key} = {written}"))
}

// Words that a user chooses among, and the suggestion for a word that is none of them ("did you mean …?").

/// How alike what somebody wrote and a name that exists are, from 0 to 1. Beyond the length of any name it is 0 without
/// a look: comparing takes as long as the product of both lengths, seconds for a pasted file.
pub fn likeness(written: &str, name: &str) -> f64 {
    const LONGEST_NAME_BYTES: usize = 256;
    if written.len() > LONGEST_NAME_BYTES { 0.0 } else { strsim::jaro_winkler(written, name) }
}

/// The candidate most similar to `name`, if one is similar enough to be what was meant.
pub(crate) fn closest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    const LIKE: f64 = 0.75;
    candidates
        .map(|candidate| (likeness(&name.to_lowercase(), &candidate.to_lowercase()), candidate))
        .filter(|(likeness, _)| *likeness >= LIKE)
        // On a tie the first in order of name, so that the message does not depend on the order of a directory.
        .max_by(|a, b| a.0.total_cmp(&b.0).then_with(|| b.1.cmp(a.1)))
        .map(|(_, candidate)| candidate)
}

/// A word that names one of several values; an unknown one is an error that lists them.
pub(crate) fn choice<T: Copy>(what: &str, word: &str, valid: &[(&str, T)]) -> Result<T, TraceError> {
    if let Some((_, value)) = valid.iter().find(|(name, _)| *name == word) {
        return Ok(*value);
    }
    let names = || valid.iter().map(|(name, _)| *name);
    let suggestion =
        closest(word, names()).map(|near| format!("; did you mean \"{near}\"?")).unwrap_or_default();
    Err(TraceError::Option {
        reason: format!(
            "unknown {what} \"{word}\"{suggestion}; valid: {}",
            names().collect::<Vec<_>>().join(", ")
        ),
    })
}
