//! The errors of opening, reading and writing traces, each with what a user needs to mend it; lines that were left out
//! instead, because the user chose to go on without them.

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
        "{}\n  this is of a merged trace, whose options stand behind its name: --merge {name},{} \
         (in a device file, {} in its entry of trace.merge)",
        in_an_entry(error),
        in_entry(key, "=", "…"),
        in_entry(key, " = ", "\"…\"")
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

/// Options that an error may name, and the keys by which an entry of merged traces takes them.
const OPTION_KEYS: [(&str, &str); 8] = [
    ("--trace-device", "device"),
    ("--columns", "columns"),
    ("--separator", "separator"),
    ("--time-unit", "time_unit"),
    ("--event", "event"),
    ("--format", "format"),
    ("--sort", "sort"),
    ("--on-error", "on_error"),
];

/// Words that follow an option in a sentence about it; whatever else stands there is its value.
const NO_VALUES: [&str; 8] = ["and", "as", "has", "is", "names", "needs", "or", "to"];

/// The first option that `text` names: where, how it is written, and its key.
fn named_option(text: &str) -> Option<(usize, &'static str, &'static str)> {
    text.match_indices("--").find_map(|(at, _)| {
        let rest = &text[at..];
        let length =
            rest[2..].find(|c: char| !c.is_ascii_lowercase() && c != '-').map_or(rest.len(), |end| end + 2);
        OPTION_KEYS
            .iter()
            .find(|(option, _)| *option == &rest[..length])
            .map(|(option, key)| (at, *option, *key))
    })
}

/// How an entry of merged traces gives a key a value: sorting is asked for, not described.
fn in_entry(key: &str, between: &str, value: &str) -> String {
    format!("{key}{between}{}", if key == "sort" { "true" } else { value })
}

/// What is wrong with a merged trace, with the keys of its entry instead of the options of the first trace.
fn in_an_entry(error: &TraceError) -> String {
    let text = error.to_string();
    let (mut told, mut rest) = (String::with_capacity(text.len()), text.as_str());
    let mut behind_value = false;
    while let Some((at, option, key)) = named_option(rest) {
        let before = &rest[..at];
        rest = &rest[at + option.len()..];
        // Options one after the other are keys of one entry, between commas.
        if behind_value && before.ends_with(' ') && !before.trim_end().contains(' ') {
            told.push_str(before.trim_end());
            told.push(',');
        } else {
            told.push_str(before);
        }
        let next = rest.strip_prefix(' ').map(|next| next.split([' ', '\n']).next().unwrap_or(next));
        behind_value =
            next.is_some_and(|next| !next.is_empty() && !NO_VALUES.contains(&next)) && key != "sort";
        told.push_str(key);
        if behind_value {
            told.push('=');
            rest = &rest[1..];
        } else if key == "sort" {
            told.push_str("=true");
        }
    }
    told + rest
}

impl TraceError {
    /// The same error, reported for a trace that is merged into another: the advice to use `--trace-device` and the
    /// like would only help for the first trace.
    #[must_use]
    pub fn of_merged(self, name: &str) -> Self {
        if matches!(self, Self::Merged { .. }) {
            return self;
        }
        match named_option(&self.to_string()) {
            Some((_, _, key)) => Self::Merged { name: name.to_owned(), key, error: Box::new(self) },
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

/// Number of bad lines that are kept word for word; more are only counted.
const KEPT: usize = 5;

/// A line, or a record of a binary format, that cannot be read.
#[derive(Debug)]
pub(crate) struct BadLine {
    /// Where it stands in the file: `line 7`, `record 7`.
    pub(crate) place: String,
    /// What is wrong with it.
    pub(crate) reason: String,
    /// The text of the line; empty for a record of a binary format.
    pub(crate) text: String,
}

/// The lines that were left out of a trace.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BadLines {
    /// Number of lines, or of records of a binary format, that could not be read.
    pub count: u64,
    /// The first five of them: number, what is wrong, and the text.
    pub first: Vec<String>,
    /// Signs that whole parts of the recording are missing, a sentence each.
    pub warnings: Vec<String>,
}

impl BadLines {
    /// Count a line, and keep it if it is among the first.
    #[cold]
    pub(crate) fn add(&mut self, line: BadLine) {
        self.count += 1;
        if self.first.len() < KEPT {
            let BadLine { place, reason, text } = line;
            let text = if text.is_empty() { String::new() } else { format!(" ({text})") };
            self.first.push(format!("{place}: {reason}{text}"));
        }
    }

    /// The bad lines of several sources together.
    pub(crate) fn of_all(parts: impl Iterator<Item = Self>) -> Self {
        let mut all = Self::default();
        for part in parts {
            all.count += part.count;
            all.first.extend(part.first);
            all.warnings.extend(part.warnings);
        }
        all.first.truncate(KEPT);
        all
    }

    /// Why a trace is empty of which no line could be read; `None` if there are no bad lines.
    pub(crate) fn nothing_left(&self) -> Option<String> {
        let first = self.first.first()?;
        Some(format!("holds no requests that can be read; wrong: {}, first {first}", self.count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_become_the_keys_of_an_entry() {
        let device = "one with device=8,16, or all with device=all";
        for (said, text, in_an_entry) in [
            (
                "one with --trace-device 8,16, or all with --trace-device all",
                device,
                "device=…|device = \"…\"",
            ),
            (
                "--columns names 4 columns; as in --columns a=op",
                "columns names 4 columns; as in columns=a=op",
                "columns=…",
            ),
            ("--columns \"x\": op is missing", "columns=\"x\": op is missing", "columns=…"),
            (
                "--format disksim (sectors) or --columns time:ms,op --separator blanks",
                "format=disksim (sectors) or columns=time:ms,op,separator=blanks",
                "format=…",
            ),
            ("--event has no meaning", "event has no meaning", "event=…"),
            ("which to take with --event D or --event Q", "which to take with event=D or event=Q", "event=…"),
            (
                "use --sort to put them in order",
                "use sort=true to put them in order",
                "sort=true|sort = true",
            ),
            ("holds no requests", "holds no requests", ""),
            ("--sorted is another option", "--sorted is another option", ""),
            ("exists already; --force overwrites it", "exists already; --force overwrites it", ""),
        ] {
            let error = TraceError::Option { reason: said.to_owned() }.of_merged("b.csv").to_string();
            let (first, behind) = error.split_once('\n').unwrap_or((&error, ""));
            assert_eq!((first, behind.is_empty()), (text, in_an_entry.is_empty()));
            for part in in_an_entry.split('|') {
                assert!(
                    behind.contains(part) && (part.is_empty() || behind.contains("--merge b.csv,")),
                    "{behind}"
                );
            }
        }
    }
}
