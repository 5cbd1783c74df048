//! Lines that could not be read, where the user chose to go on without them.

/// How many are kept word for word; the rest are counted.
const KEPT: usize = 5;

/// A line, or a record of a binary format, that cannot be read.
#[derive(Debug)]
pub(crate) struct BadLine {
    /// Where it stands.
    pub(crate) place: String,
    /// What is wrong with it.
    pub(crate) reason: String,
    /// What it says; empty if that is no text.
    pub(crate) text: String,
}

/// What was left out of a trace.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BadLines {
    /// Lines, or records of a binary format, that could not be read.
    pub count: u64,
    /// The first of them: number, what is wrong, and the text.
    pub first: Vec<String>,
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

    /// Those of several sources together.
    pub(crate) fn of_all(parts: impl Iterator<Item = Self>) -> Self {
        let mut all = Self::default();
        for part in parts {
            all.count += part.count;
            all.first.extend(part.first);
        }
        all.first.truncate(KEPT);
        all
    }

    /// What is said of a trace of which nothing could be read.
    pub(crate) fn nothing_left(&self) -> Option<String> {
        let first = self.first.first()?;
        Some(format!("holds no requests that can be read; wrong: {}, first {first}", self.count))
    }
}
