//! The list of trace formats (each is a file in this folder), and how the format of a file is found.

use std::fmt::Write;
use std::path::Path;

use crate::error::excerpt;
use crate::foreign;
use crate::format::Format;
use crate::input::Input;
use crate::options::Setting;
use crate::wording::closest;
use crate::{OpenOptions, TraceError};

pub(crate) use self::parquet::{CHECKSUM as PARQUET_CHECKSUM, WRITER as PARQUET_WRITER};
pub(crate) use blktrace::{entry, recording};
pub(crate) use csv::{HEADER as CSV_HEADER, STREAM_HEADER as CSV_STREAM_HEADER};

mod block_layer;
mod comma;
mod doubtful_times;
mod five_columns;
mod headers;
mod scsi;
mod table;

macro_rules! formats {
    ($($name:ident),* $(,)?) => {
        $(mod $name;)*
        /// Every format, in the order in which a file is tried against them.
        static FORMATS: &[Format] = &[$($name::FORMAT),*];
    };
}

// A new format is a file in this folder and its name here. (rustfmt does not see modules declared by a macro:
// name the file to it.)
formats! {
    csv,
    msr,
    blkparse,
    ftrace,
    biosnoop,
    mqsim,
    disksim,
    fio,
    fiolog,
    systor,
    spc,
    alibaba,
    tencent,
    vscsi,
    blktrace,
    oracle,
    parquet,
    arrow,
    columns,
}

/// A format as the list of formats shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FormatInfo {
    /// The name by which it can be asked for.
    pub name: &'static str,
    /// What the format is, in a few words.
    pub about: &'static str,
    /// An example of a good line.
    pub example: &'static str,
}

/// All trace formats that can be read.
pub fn formats() -> impl Iterator<Item = FormatInfo> {
    FORMATS.iter().map(|f| FormatInfo { name: f.name, about: f.about, example: f.expected })
}

/// The format called `name`.
pub(crate) fn by_name(name: &str) -> Result<&'static Format, TraceError> {
    FORMATS.iter().find(|format| format.name == name || format.aliases.contains(&name)).ok_or_else(|| {
        let names = || FORMATS.iter().flat_map(|format| [&[format.name], format.aliases].concat());
        TraceError::UnknownFormat {
            name: name.to_owned(),
            suggestion: closest(name, names())
                .map(|near| format!("; did you mean \"{near}\"?"))
                .unwrap_or_default(),
            known: names().collect::<Vec<_>>().join(", "),
        }
    })
}

/// Refuse options that `format` does not use: they would be ignored in silence.
pub(crate) fn check_settings(path: &Path, format: &Format, options: &OpenOptions) -> Result<(), TraceError> {
    for setting in Setting::ALL {
        if setting.given(options) && !format.settings.contains(setting) {
            let able: Vec<_> = FORMATS
                .iter()
                .filter(|other| other.settings.contains(setting))
                .map(|other| other.name)
                .collect();
            return Err(TraceError::Option {
                reason: format!(
                    "{}: {} has no meaning for the format {}; it is for {}",
                    path.display(),
                    setting.option(),
                    format.name,
                    able.join(", ")
                ),
            });
        }
    }
    Ok(())
}

/// The format that `input` is written in, by its content.
pub(crate) fn recognise(input: &Input, options: &OpenOptions) -> Result<&'static Format, TraceError> {
    let mut formats = FORMATS.iter();
    if options.columns.is_some() {
        let able = formats.filter(|format| format.settings.contains(&Setting::Columns));
        return Ok(able.clone().find(|format| (format.recognise)(input)).unwrap_or(&columns::FORMAT));
    }
    let format = formats.find(|format| (format.recognise)(input)).ok_or_else(|| unrecognised(input))?;
    match (format.doubt)(input, options) {
        None => Ok(format),
        Some(reason) => Err(input.fail(reason)),
    }
}

/// The format that the content of `input` looks like, whatever format the user named.
pub(crate) fn looks_like(input: &Input) -> Option<&'static Format> {
    FORMATS.iter().find(|format| (format.recognise)(input))
}

#[cold]
fn unrecognised(input: &Input) -> TraceError {
    let mut lines: Vec<&[u8]> = input.head_lines().collect();
    if lines.is_empty() {
        lines.extend(input.head().split(|byte| *byte == b'\n').next());
    }
    let first_line = lines.first().copied().unwrap_or_default();
    let mut reason = if foreign::is_binary(input.head()) {
        format!(
            "is a binary file in no format known here\n  it begins with the bytes {}",
            foreign::first_bytes(input.head())
        )
    } else {
        if let Some(advice) = headers::advice(&lines) {
            return input.fail(format!("is in no trace format known here{advice}"));
        }
        format!("is in no trace format known here\n  the first line reads: {}", excerpt(first_line))
    };
    reason.push_str("\n  known formats, each with an example line:");
    for Format { name, about, expected, .. } in FORMATS {
        let _ = write!(reason, "\n    {name:<10} {about}\n               {expected}");
    }
    input.fail(reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Their names begin with that of their format.
    #[test]
    fn every_format_has_fixtures_which_are_recognised_as_it_and_as_no_other() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
        let mut names = Vec::new();
        for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            let file = path.file_name().unwrap().to_string_lossy().into_owned();
            let name = file.split(['.', '-']).next().unwrap().to_owned();
            let input = Input::open(&path).unwrap();
            let recognised = FORMATS.iter().filter(|format| (format.recognise)(&input));
            assert_eq!(recognised.map(|format| format.name).collect::<Vec<_>>(), [&name], "{file}");
            names.push(name);
        }
        for format in FORMATS.iter().filter(|format| format.name != "columns") {
            assert!(names.iter().any(|name| name == format.name), "{} has no fixture", format.name);
        }
    }
}
