//! Options of traces that are merged: which of the options given for the first trace a merged one takes over.

use std::path::Path;

use crate::format::Format;
use crate::formats;
use crate::input::Input;
use crate::options::{OnError, Setting};
use crate::{OpenOptions, TraceError, generate};

impl OpenOptions {
    /// These options, completed by those that only `others` give.
    ///
    /// # Errors
    /// When both give an option, with different values.
    pub fn with(&self, others: &Self) -> Result<Self, TraceError> {
        Ok(Self {
            format: either("--format", self.format.as_ref(), others.format.as_ref())?,
            sort: self.sort || others.sort,
            device: either("--trace-device", self.device.as_ref(), others.device.as_ref())?,
            event: either("--event", self.event.as_ref(), others.event.as_ref())?,
            time_unit: either("--time-unit", self.time_unit.as_ref(), others.time_unit.as_ref())?,
            columns: either("--columns", self.columns.as_ref(), others.columns.as_ref())?,
            separator: either("--separator", self.separator.as_ref(), others.separator.as_ref())?,
            on_error: if self.on_error == OnError::Stop { others.on_error } else { self.on_error },
        })
    }

    /// These options of the file at `path`, completed by those that are `shared` with the file `first` it is merged
    /// into, as far as they make sense for it. (`sort` and `on_error` make sense for all and are the caller's.)
    ///
    /// `format`, `columns` and `separator` hold if its content looks like that of `first`, or like no known format;
    /// `event` and `time_unit` if its format knows them. `device` never does.
    ///
    /// # Errors
    /// When the file cannot be opened.
    pub fn for_merged(&self, path: &Path, shared: &Self, first: Option<&Path>) -> Result<Self, TraceError> {
        let mut options = self.clone();
        let input = Input::open(&formats::entry(path))?;
        if generate::recognise(input.head()) {
            return Ok(options);
        }
        if self.format.is_none() && self.columns.is_none() {
            let looks = formats::looks_like(&input).map(|format| format.name);
            let alike = match looks {
                None => true,
                Some(_) => match first {
                    Some(first) => {
                        formats::looks_like(&Input::open(first)?).map(|format| format.name) == looks
                    }
                    None => false,
                },
            };
            if alike {
                options.format.clone_from(&shared.format);
                options.columns.clone_from(&shared.columns);
                options.separator = self.separator.clone().or_else(|| shared.separator.clone());
            }
        }
        let format = match options.format.as_deref() {
            Some(name) => Some(formats::by_name(name)?),
            // Whatever is wrong shows when it is opened.
            None => formats::recognise(&input, &options).ok(),
        };
        let knows = |setting| format.is_some_and(|format: &Format| format.settings.contains(&setting));
        if knows(Setting::Event) {
            options.event = self.event.or(shared.event);
        }
        if knows(Setting::TimeUnit) {
            options.time_unit = self.time_unit.or(shared.time_unit);
        }
        Ok(options)
    }
}

/// The value that one of two gave, or both.
fn either<T: Clone + PartialEq + std::fmt::Debug>(
    option: &str,
    one: Option<&T>,
    other: Option<&T>,
) -> Result<Option<T>, TraceError> {
    match (one, other) {
        (Some(one), Some(other)) if one != other => Err(TraceError::Option {
            reason: format!("{option} is given twice, as {one:?} and as {other:?}; give it once"),
        }),
        _ => Ok(one.or(other).cloned()),
    }
}
