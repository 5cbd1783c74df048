//! What is wrong with a configuration, and how to mend it.

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
}

/// `"; did you mean …?"` when one of `valid` is close to `given`.
pub fn suggest(given: &str, valid: &[&str]) -> String {
    valid
        .iter()
        .filter(|name| **name != given)
        .map(|name| (strsim::jaro_winkler(given, name), name))
        .filter(|(score, _)| *score > 0.75)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, name)| format!("; did you mean \"{name}\"?"))
        .unwrap_or_default()
}
