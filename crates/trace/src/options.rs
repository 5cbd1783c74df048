//! What a user may say about a trace file beyond its name.

use std::str::FromStr;

use crate::TraceError;
use crate::suggest::closest;
use crate::units::TimeUnit;

/// How to open a trace file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OpenOptions {
    /// The name of a format (see [`crate::formats()`]); `None` recognises it by content.
    pub format: Option<String>,
    /// Load everything and sort it by time (requests at the same time keep their order), instead of refusing a
    /// file in which time goes backwards.
    pub sort: bool,
    /// Which device's requests to take from a file that holds several, written as the format writes it (`4`, `8,16`,
    /// `hm_0`), or `all` to lay the addresses of all over one another. `None` refuses a second device.
    pub device: Option<String>,
    /// The unit of the time column, where it differs from what the format promises (`mqsim`, `disksim`).
    pub time_unit: Option<TimeUnit>,
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

/// The options that only some formats have a use for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Setting {
    /// [`OpenOptions::device`].
    Device,
    /// [`OpenOptions::time_unit`].
    TimeUnit,
}

impl Setting {
    pub(crate) const ALL: &[Self] = &[Self::Device, Self::TimeUnit];

    /// The option of the command line.
    pub(crate) fn option(self) -> &'static str {
        match self {
            Self::Device => "--trace-device",
            Self::TimeUnit => "--time-unit",
        }
    }

    /// Whether `options` ask for it.
    pub(crate) fn given(self, options: &OpenOptions) -> bool {
        match self {
            Self::Device => options.device.is_some(),
            Self::TimeUnit => options.time_unit.is_some(),
        }
    }
}

/// Which of a file's devices to take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum DeviceChoice<D> {
    /// The only one: a second is an error.
    Sole,
    /// All, one laid over the other.
    All,
    /// This one.
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
