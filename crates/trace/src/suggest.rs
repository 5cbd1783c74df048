//! Words that a user chooses among, and the suggestion for a word that is none of them ("did you mean …?").

use crate::TraceError;

/// The candidate most similar to `name`, if one is similar enough to be what was meant.
pub(crate) fn closest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    const LIKE: f64 = 0.75;
    candidates
        .map(|candidate| (strsim::jaro_winkler(&name.to_lowercase(), &candidate.to_lowercase()), candidate))
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
