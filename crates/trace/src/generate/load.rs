//! Descriptions from text: TOML or JSON, with the line of whatever is wrong.

use super::check::{HISTORY_IS_GONE, check};
use super::spec::GeneratorSpec;
use crate::TraceError;
use crate::toml_place::{Step, line_at, toml_place};
use crate::wording::{closest, meant, plainly};

/// The key that makes a file a description.
const MARK: &str = "generator";

/// Whether the head of a file is the beginning of a description rather than of a trace.
pub(crate) fn recognise(head: &[u8]) -> bool {
    let text = String::from_utf8_lossy(head);
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let marks = |line: &str| {
        let key = line.trim_start_matches(['{', ' ', '"']);
        key.strip_prefix(MARK).is_some_and(|rest| rest.trim_start_matches(['"', ' ']).starts_with(['=', ':']))
    };
    match lines.next() {
        Some("{") => lines.next().is_some_and(marks),
        Some(line) => marks(line),
        None => false,
    }
}

impl GeneratorSpec {
    /// Read a description in TOML, or in JSON if the text begins with a brace; `origin` is what errors call it.
    ///
    /// # Errors
    /// If the text is neither, has an unknown key, or describes no trace; with the line where there is one.
    pub fn parse(text: &str, origin: &str) -> Result<Self, TraceError> {
        let fail = |line: Option<usize>, key: &str, reason: String| TraceError::Generator {
            origin: line.map_or_else(|| origin.to_owned(), |line| format!("{origin}:{line}")),
            key: if key.is_empty() { String::new() } else { format!("{key}: ") },
            reason,
        };
        let spec: Self = if text.trim_start().starts_with('{') {
            let mut reader = serde_json::Deserializer::from_str(text);
            let parsed: Result<Self, _> = serde_path_to_error::deserialize(&mut reader);
            parsed.map_err(|error| {
                let line = text.contains('\n').then_some(error.inner().line()).filter(|line| *line > 0);
                fail(line, &path(&error.path().to_string()), tidy(&error.inner().to_string()))
            })?
        } else {
            let reader = toml::Deserializer::parse(text).map_err(|error| {
                let line = error.span().map(|span| line_at(text, span.start));
                let whole = line.and_then(|line| text.lines().nth(line - 1)).unwrap_or_default();
                fail(line, "", tidy(error.message()) + &meant(whole).unwrap_or_default())
            })?;
            let parsed: Result<Self, _> = serde_path_to_error::deserialize(reader);
            parsed.map_err(|error| {
                let key = path(&error.path().to_string());
                let line = error
                    .inner()
                    .span()
                    .map(|span| line_at(text, span.start))
                    .or_else(|| line_of(text, &key));
                fail(line, &key, tidy(error.inner().message()))
            })?
        };
        check(&spec).map_err(|(key, reason)| fail(line_of(text, &key), &key, reason))?;
        Ok(spec)
    }

    /// Whether the description can be played.
    ///
    /// # Errors
    /// Names the key that is wrong.
    pub fn check(&self) -> Result<(), TraceError> {
        check(self).map_err(|(key, reason)| TraceError::Generator {
            origin: self.name.clone().unwrap_or_else(|| "generated trace".to_owned()),
            key: format!("{key}: "),
            reason,
        })
    }

    /// The description as TOML; reads back to the same.
    pub fn to_toml(&self) -> String {
        toml::to_string(self).expect("a description has only values that TOML has")
    }
}

fn path(path: &str) -> String {
    if path == "." { String::new() } else { path.to_owned() }
}

/// The message of a parser in the words of a description, with a suggestion where a name is like a valid one.
fn tidy(message: &str) -> String {
    let message = message.trim();
    let message = message.split(" at line ").next().unwrap_or(message);
    let quoted: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    let unknown = message.starts_with("unknown field") || message.starts_with("unknown variant");
    match quoted.split_first() {
        Some((&"history", _)) if unknown => HISTORY_IS_GONE.to_owned(),
        Some((name, valid)) if unknown => {
            let near = closest(name, valid.iter().copied());
            let near = near.map(|near| format!("; did you mean \"{near}\"?")).unwrap_or_default();
            let valid = valid.join(", ");
            if message.starts_with("unknown field") {
                format!("unknown key {name}; valid: {valid}{near}")
            } else {
                format!("\"{name}\" is unknown; valid: {valid}{near}")
            }
        }
        Some((name, _)) if message.starts_with("missing field") => {
            format!("{name} is missing; it must be given")
        }
        _ => plainly(message).unwrap_or_else(|| message.to_owned()),
    }
}

/// The line of the nearest part of a dotted key that a TOML text has; entries of lists belong to their list.
fn line_of(text: &str, key: &str) -> Option<usize> {
    let steps = key.split('.').map(|part| Step::Key(part.split('[').next().unwrap_or(part)));
    toml_place(text, steps).map(|place| place.line)
}
