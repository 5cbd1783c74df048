//! Everything that can be wrong with a trace, each with what a user needs to mend it.

use std::path::PathBuf;

/// Why a trace cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// The file cannot be opened or read.
    #[error("{path}: {reason}")]
    File {
        /// The file as the user named it.
        path: PathBuf,
        /// What is wrong and what to do about it.
        reason: String,
    },
    /// A line is not what its format promises.
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
}
