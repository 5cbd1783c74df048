//! What every trace format is: how a file of it is recognised and read.

use crate::checked::Reading;
use crate::input::Input;
use crate::options::Setting;
use crate::{OpenOptions, RecordSource, TraceError};

/// How a format's reader is made.
type Read = fn(Input, &Reading) -> Result<Box<dyn RecordSource>, TraceError>;

/// How one format is recognised and read.
pub(crate) struct Format {
    /// The name by which it can be asked for.
    pub(crate) name: &'static str,
    /// Other names by which it can be asked for.
    pub(crate) aliases: &'static [&'static str],
    /// What it is, in a few words.
    pub(crate) about: &'static str,
    /// A good line, shown beside every bad one.
    pub(crate) expected: &'static str,
    /// The options that it has a use for.
    pub(crate) settings: &'static [Setting],
    /// Whether the head of a file looks like this format.
    pub(crate) recognise: fn(&Input) -> bool,
    /// Why a file that looks like this format may yet mean something else by it; the user then has to say.
    pub(crate) doubt: fn(&Input) -> Option<String>,
    /// Which of several possible events of the file count as requests, where the format leaves a choice.
    pub(crate) events: fn(&Input, &OpenOptions) -> Option<&'static str>,
    /// Read a file of this format.
    pub(crate) read: Read,
}

impl Format {
    /// What most formats have in common.
    pub(crate) const PLAIN: Self = Self {
        name: "",
        aliases: &[],
        about: "",
        expected: "",
        settings: &[],
        recognise: |_| false,
        doubt: |_| None,
        events: |_, _| None,
        read: |input, _| Err(input.fail("no reader".to_owned())),
    };
}

/// Whether any of the first lines satisfies `good`: one damaged line must not hide what a file is.
pub(crate) fn any_early_line(input: &Input, good: impl Fn(&[u8]) -> bool) -> bool {
    const LINES_TRIED: usize = 20;
    input.head_lines().take(LINES_TRIED).any(good)
}
