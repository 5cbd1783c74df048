//! The errors of opening, reading and writing traces, each with what a user needs to mend it.

use std::path::PathBuf;

/// Longest part of a line that an error message shows.
const EXCERPT_BYTES: usize = 120;

/// Why a trace cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TraceError {
    /// The file cannot be opened or read, or is not a trace.
    #[error("{path}: {reason}")]
    File {
        /// The file as the user named it.
        path: PathBuf,
        /// What is wrong and what to do about it.
        reason: String,
    },
    /// A line is not in its format.
    #[error("{path}:{line}: {reason}\n  the line reads: {text}\n  expected: {expected}")]
    Line {
        /// The file as the user named it.
        path: PathBuf,
        /// Line number, from 1.
        line: u64,
        /// What is wrong.
        reason: String,
        /// The line itself, cut to a readable length.
        text: String,
        /// What a good line looks like in this format.
        expected: String,
    },
    /// A trace that is merged into another needs an option of its own.
    #[error(
        "{}\n  this is of a merged trace, whose options stand behind its name: --merge {name},{key}=… \
         (in a device file, {key} = \"…\" in its entry of trace.merge)",
        in_an_entry(error)
    )]
    Merged {
        /// What it is called.
        name: String,
        /// The key of its entry that the error is about.
        key: &'static str,
        /// What is wrong, in the words of the option for the first trace.
        error: Box<TraceError>,
    },
    /// A format was asked for that does not exist.
    #[error("unknown trace format \"{name}\"{suggestion}; known formats: {known}")]
    UnknownFormat {
        /// The name asked for.
        name: String,
        /// Empty, or `; did you mean "…"?`.
        suggestion: String,
        /// All names, separated by commas.
        known: String,
    },
    /// An option for opening a trace has a value that does not exist, or no meaning for the format.
    #[error("{reason}")]
    Option {
        /// Which option, what is wrong with it and what would be right.
        reason: String,
    },
    /// The description of a generated trace is not one.
    #[error("{origin}: {key}{reason}")]
    Generator {
        /// The file and line, or the name of the trace.
        origin: String,
        /// The key and a colon, or nothing if no key is to blame.
        key: String,
        /// What is wrong and what would be right.
        reason: String,
    },
    /// Records in memory, or what a generator was asked for, make no trace.
    #[error("trace \"{name}\": {reason}")]
    Records {
        /// The name of the trace.
        name: String,
        /// What is wrong and what would be right.
        reason: String,
    },
}

/// Options that an error may advise, and the keys by which an entry of merged traces takes them.
const OPTION_KEYS: [(&str, &str); 6] = [
    ("--trace-device", "device"),
    ("--columns", "columns"),
    ("--separator", "separator"),
    ("--time-unit", "time_unit"),
    ("--event", "event"),
    ("--format", "format"),
];

/// What is wrong with a merged trace, with the keys of its entry instead of the options of the first trace.
fn in_an_entry(error: &TraceError) -> String {
    OPTION_KEYS.iter().fold(error.to_string(), |text, (option, key)| {
        text.replace(&format!("{option} "), &format!("{key}=")).replace(option, key)
    })
}

impl TraceError {
    /// The same error, reported for a trace that is merged into another: the advice to use `--trace-device` and the
    /// like would only help for the first trace.
    #[must_use]
    pub fn of_merged(self, name: &str) -> Self {
        if matches!(self, Self::Merged { .. }) {
            return self;
        }
        let text = self.to_string();
        match OPTION_KEYS.iter().find(|(option, _)| text.contains(option)) {
            Some((_, key)) => Self::Merged { name: name.to_owned(), key, error: Box::new(self) },
            None => self,
        }
    }
}

/// A line made fit for a message: cut, and with nothing that could upset a terminal.
pub(crate) fn excerpt(line: &[u8]) -> String {
    let cut = &line[..line.len().min(EXCERPT_BYTES)];
    let mut text = String::with_capacity(cut.len() + 4);
    for character in String::from_utf8_lossy(cut).chars() {
        if character.is_control() && character != '\t' {
            text.extend(character.escape_default());
        } else {
            text.push(character);
        }
    }
    if cut.len() < line.len() {
        text.push('…');
    }
    text
}
