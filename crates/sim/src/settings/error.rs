//! What is wrong with a configuration, and how to mend it.

use reclaim_trace::wording::{NO_NAME, likeness, plainly};
use serde::Deserializer;
use serde::de::{DeserializeOwned, Error};
use serde_json::Value;

/// A configuration that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{}{reason}", self.place(), self.subject())]
pub struct ConfigError {
    /// The key concerned, dotted; empty when the whole file is.
    pub key: String,
    /// What is wrong, what is valid and a suggestion.
    pub reason: String,
    /// Where the key was given: `file.toml:12`, `--set …` or the name of a preset.
    pub origin: Option<String>,
}

impl ConfigError {
    /// Something is wrong with the value of `key`.
    pub fn at(key: &str, reason: &str) -> Self {
        Self { key: key.to_owned(), reason: reason.to_owned(), origin: None }
    }

    /// `value` is none of the `valid` names.
    pub fn choice(key: &str, value: &str, valid: &[&str]) -> Self {
        let reason = format!("\"{value}\" is unknown; valid: {}{}", valid.join(", "), suggest(value, valid));
        Self::at(key, &reason)
    }

    /// `key` is not a key; its siblings are `valid`.
    pub fn unknown_key(key: &str, valid: &[&str]) -> Self {
        let last = key.rsplit('.').next().unwrap_or(key);
        let reason = if valid.is_empty() {
            "unknown key; none is taken here".to_owned()
        } else {
            format!("unknown key; valid: {}{}", valid.join(", "), suggest(last, valid))
        };
        Self::at(key, &reason)
    }

    fn place(&self) -> String {
        self.origin.as_ref().map(|origin| format!("{origin}: ")).unwrap_or_default()
    }

    fn subject(&self) -> String {
        if self.key.is_empty() { String::new() } else { format!("{}: ", self.key) }
    }

    /// Whether something else stands where a name should. Put in quotes and read again, it makes the reader list the
    /// names.
    pub(crate) fn wants_a_name(&self) -> bool {
        self.reason.ends_with(NO_NAME)
    }
}

/// `"; did you mean …?"` when one of `valid` is close to `given`.
pub fn suggest(given: &str, valid: &[&str]) -> String {
    valid
        .iter()
        .filter(|name| **name != given)
        .map(|name| (likeness(given, name), name))
        .filter(|(score, _)| *score > 0.75)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, name)| format!("; did you mean \"{name}\"?"))
        .unwrap_or_default()
}

// What a reader of settings finds wrong, in the words of a device file: numbers, text, lists and tables instead of the
// types of the program.

/// Reads a value. An error has the key, as far as it is below the value, and what is wrong in words of the file format.
///
/// `is_given` answers whether the value has a dotted key; `also` are keys that are read elsewhere.
pub(crate) fn read<'de, T, D>(
    given: D,
    also: &[&str],
    is_given: &dyn Fn(&str) -> bool,
) -> Result<T, ConfigError>
where
    T: DeserializeOwned,
    D: Deserializer<'de, Error: Error>,
{
    serde_path_to_error::deserialize(given).map_err(|error| {
        let path = error.path().to_string();
        let path = if path == "." { "" } else { &path };
        refused(path, &message_of(error.inner()), also, is_given)
    })
}

/// The message without the place in the text, which TOML adds in further lines.
fn message_of(error: &impl Error) -> String {
    error.to_string().lines().next().unwrap_or_default().to_owned()
}

/// Reads a JSON value as [`read`] does.
pub(crate) fn read_json<T: DeserializeOwned>(mut given: Value, also: &[&str]) -> Result<T, ConfigError> {
    let pointer = |key: &str| format!("/{}", key.replace('.', "/"));
    let error = match read(&given, also, &|key| given.pointer(&pointer(key)).is_some()) {
        Ok(found) => return Ok(found),
        Err(error) => error,
    };
    match given.pointer_mut(&pointer(&error.key)) {
        Some(value) if error.wants_a_name() && !value.is_string() => {
            *value = Value::String(value.to_string());
            Err(read::<T, _>(&given, also, &|_| false).err().unwrap_or(error))
        }
        _ => Err(error),
    }
}

fn refused(path: &str, message: &str, also: &[&str], is_given: &dyn Fn(&str) -> bool) -> ConfigError {
    let quoted: Vec<_> = message.split('`').skip(1).step_by(2).collect();
    let below = |field: &str| if path.is_empty() { field.to_owned() } else { format!("{path}.{field}") };
    if message.starts_with("unknown field") {
        // The path may or may not end with the offending key already.
        let full = below(quoted[0]);
        let ends_with_it = path.rsplit('.').next() == Some(quoted[0]) && !is_given(&full);
        let valid: Vec<_> = also.iter().chain(&quoted[1..]).copied().collect();
        return ConfigError::unknown_key(if ends_with_it { path } else { &full }, &valid);
    }
    if message.starts_with("unknown variant") {
        return ConfigError::choice(path, quoted[0], &quoted[1..]);
    }
    if message.starts_with("missing field") {
        return ConfigError::at(&below(quoted[0]), "is missing; it must be given");
    }
    ConfigError::at(path, &plainly(message).unwrap_or_else(|| message.to_owned()))
}
