//! What every trace format is: how a file of it is recognised and read.

use crate::checked::ReadOptions;
use crate::input::Input;
use crate::options::Setting;
use crate::{OpenOptions, RecordSource, TraceError};

/// A function that makes the reader of a file in a format.
type Read = fn(Input, &ReadOptions) -> Result<Box<dyn RecordSource>, TraceError>;

/// How one format is recognised and read.
pub(crate) struct Format {
    /// The name by which it can be asked for.
    pub(crate) name: &'static str,
    /// Other names by which it can be asked for.
    pub(crate) aliases: &'static [&'static str],
    /// What the format is, in a few words, for the list of formats.
    pub(crate) about: &'static str,
    /// An example of a good line, shown with every bad one.
    pub(crate) expected: &'static str,
    /// The options that the format uses; others are refused.
    pub(crate) settings: &'static [Setting],
    /// Whether the head of a file looks like this format.
    pub(crate) recognise: fn(&Input) -> bool,
    /// Why a file that looks like this format may yet mean something else by it; the user then has to
    /// name the format.
    pub(crate) doubt: fn(&Input, &OpenOptions) -> Option<String>,
    /// Which of several possible events of the file count as requests, where the format leaves a choice.
    pub(crate) events: fn(&Input, &OpenOptions) -> Option<&'static str>,
    /// Whether public files of this format are out of order: then requests are sorted without being asked for.
    pub(crate) disordered: bool,
    /// Whether a file of this format says in which stream requests write.
    pub(crate) has_streams: fn(&Input, &OpenOptions) -> bool,
    /// Read a file of this format.
    pub(crate) read: Read,
}

impl Format {
    /// The defaults of a format: no options, recognised by nothing, no choice of events.
    pub(crate) const PLAIN: Self = Self {
        name: "",
        aliases: &[],
        about: "",
        expected: "",
        settings: &[],
        recognise: |_| false,
        doubt: |_, _| None,
        events: |_, _| None,
        disordered: false,
        has_streams: |_, _| false,
        read: |input, _| Err(input.fail("no reader".to_owned())),
    };
}

/// Whether any of the first lines satisfies `good`: one damaged line must not hide what a file is.
pub(crate) fn any_early_line(input: &Input, good: impl Fn(&[u8]) -> bool) -> bool {
    const LINES_TRIED: usize = 20;
    input.head_lines().take(LINES_TRIED).any(good)
}
