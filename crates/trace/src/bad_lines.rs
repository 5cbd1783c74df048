//! Lines that could not be read and were left out, because the user chose to go on without them.

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
