//! The options for opening a trace file: what its name and its content do not tell.

use std::str::FromStr;

use crate::TraceError;
use crate::units::TimeUnit;
use crate::wording::choice;

/// How to open a trace file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OpenOptions {
    /// The name of a format (see [`crate::formats()`]); `None` recognises it by content.
    pub format: Option<String>,
    /// Load everything and sort it by time (requests at the same time keep their order), instead of refusing a
    /// file in which time goes backwards.
    pub sort: bool,
    /// Which device's requests to take from a file that holds several, written as the format writes it (`4`, `8,16`,
    /// `hm_0`), or `all` to take the requests of every device, whose addresses then overlap. `None` refuses a second
    /// device.
    pub device: Option<String>,
    /// Which moment in the life of a request counts, in recordings of the Linux block layer. `None` takes `D`, or `Q`
    /// where the beginning of the file has no `D`.
    pub event: Option<Event>,
    /// The unit of the time column, where it differs from the one that the format prescribes.
    pub time_unit: Option<TimeUnit>,
    /// What the columns of a text table hold, as in `time:us,op,offset:sectors,size:bytes`; implies the format
    /// `columns` for text, and names the columns of a Parquet or Arrow file.
    pub columns: Option<String>,
    /// The separator between the columns: `comma`, `tab`, `blanks` or one character. `None` is a comma.
    pub separator: Option<String>,
    /// What to do about a line that cannot be read.
    pub on_error: OnError,
}

/// What to do about a line that cannot be read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum OnError {
    /// Stop with an error that shows it.
    #[default]
    Stop,
    /// Leave it out and count it in [`crate::Summary::bad_lines`], which everything that shows a summary shows.
    Report,
}

impl FromStr for OnError {
    type Err = TraceError;

    fn from_str(name: &str) -> Result<Self, TraceError> {
        choice("way to meet an error", name, &[("stop", Self::Stop), ("report", Self::Report)])
    }
}

/// A moment in the life of a request in the Linux block layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// `Q`: handed to the block layer, before merging and splitting.
    Queued,
    /// `D`: handed to the device, as the device saw it.
    Issued,
    /// `C`: done, at the time the device reported it.
    Completed,
}

impl Event {
    /// The letter that blkparse prints for the event, and the event's name.
    pub(crate) fn describe(self) -> &'static str {
        match self {
            Self::Queued => "Q (queued)",
            Self::Issued => "D (issued to the device)",
            Self::Completed => "C (completed)",
        }
    }
}

impl FromStr for Event {
    type Err = TraceError;

    fn from_str(name: &str) -> Result<Self, TraceError> {
        choice("event", name, &[("Q", Self::Queued), ("D", Self::Issued), ("C", Self::Completed)])
    }
}

/// The options that only some formats use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Setting {
    /// [`OpenOptions::device`].
    Device,
    /// [`OpenOptions::event`].
    Event,
    /// [`OpenOptions::time_unit`].
    TimeUnit,
    /// [`OpenOptions::columns`].
    Columns,
    /// [`OpenOptions::separator`].
    Separator,
}

impl Setting {
    pub(crate) const ALL: &[Self] =
        &[Self::Device, Self::Event, Self::TimeUnit, Self::Columns, Self::Separator];

    /// The name of the option on the command line.
    pub(crate) fn option(self) -> &'static str {
        match self {
            Self::Device => "--trace-device",
            Self::Event => "--event",
            Self::TimeUnit => "--time-unit",
            Self::Columns => "--columns",
            Self::Separator => "--separator",
        }
    }

    /// Whether `options` give it a value.
    pub(crate) fn given(self, options: &OpenOptions) -> bool {
        match self {
            Self::Device => options.device.is_some(),
            Self::Event => options.event.is_some(),
            Self::TimeUnit => options.time_unit.is_some(),
            Self::Columns => options.columns.is_some(),
            Self::Separator => options.separator.is_some(),
        }
    }
}

/// Which of a file's devices to take requests of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum DeviceChoice<D> {
    /// The only device of the file: a request to a second one is an error.
    Sole,
    /// Every device; their addresses overlap.
    All,
    /// The device of this name or number; requests to others are skipped.
    One(D),
}

impl<D: FromStr<Err = String>> DeviceChoice<D> {
    /// What `options` ask for, in the words of the format.
    pub(crate) fn of(options: &OpenOptions) -> Result<Self, TraceError> {
        match options.device.as_deref() {
            None => Ok(Self::Sole),
            Some("all") => Ok(Self::All),
            Some(name) => name.parse().map(Self::One).map_err(|reason| TraceError::Option {
                reason: format!("--trace-device \"{name}\": {reason}, or \"all\""),
            }),
        }
    }
}
