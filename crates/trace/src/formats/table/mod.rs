//! What Parquet and Arrow share: batches of typed columns in, requests out.

use std::path::{Path, PathBuf};

use arrow_schema::ArrowError;

use crate::checked::{Parsed, ReadOptions};
use crate::devices::{Devices, Named};
use crate::formats::columns::{Meaning, OpCode};
use crate::record::{Checksum, of_number};
use crate::record_reader::Events;
use crate::units::in_bytes;
use crate::{Op, Record, TraceError};

mod batches;
mod binding;
mod values;

use batches::Ahead;
pub(super) use batches::{Batches, ROWS_AT_ONCE, guarded};
pub(super) use binding::{BindError, Binding, bind};
use values::{Columns, Numbers, Value, Words};

/// The rows of a table, one after another.
pub(super) struct Rows {
    path: PathBuf,
    /// What the file is, for messages.
    kind: &'static str,
    batches: Ahead,
    binding: Binding,
    current: Option<Columns>,
    /// Rows of batches before the current one.
    passed: u64,
    devices: Devices<Named>,
    /// Of the requests read so far, and what it must be in the end.
    checksum: Option<(Checksum, String)>,
}

impl Rows {
    pub(super) fn new(
        path: &Path,
        kind: &'static str,
        batches: Batches,
        binding: Binding,
        how: &ReadOptions,
    ) -> Result<Self, TraceError> {
        Ok(Self {
            path: path.to_path_buf(),
            kind,
            batches: Ahead::of(batches),
            binding,
            current: None,
            passed: 0,
            devices: Devices::new(how, "device")?,
            checksum: None,
        })
    }

    /// The same rows; all of them together must have this checksum, if there is one.
    pub(super) fn that_sum_to(self, checksum: Option<String>) -> Self {
        Self { checksum: checksum.map(|wanted| (Checksum::default(), wanted)), ..self }
    }

    /// Whether the requests are those that were written.
    fn check_sum(&mut self) -> Result<(), TraceError> {
        match self.checksum.take() {
            Some((found, wanted)) if found.text() != wanted => Err(self.damaged(&ArrowError::ParseError(
                "its requests are not those that were written, by their checksum".to_owned(),
            ))),
            _ => Ok(()),
        }
    }

    /// The next batch that has rows.
    fn advance(&mut self) -> Result<bool, TraceError> {
        self.passed += self.current.take().map_or(0, |columns| columns.rows as u64);
        loop {
            let Some(batch) = self.batches.next().transpose().map_err(|error| self.damaged(&error))? else {
                return Ok(false);
            };
            if batch.num_rows() > 0 {
                let columns = self.binding.columns_of(&batch).map_err(|error| self.damaged(&error))?;
                self.current = Some(columns);
                return Ok(true);
            }
        }
    }

    #[cold]
    fn damaged(&self, error: &ArrowError) -> TraceError {
        let Self { path, kind, passed, .. } = self;
        TraceError::File {
            path: path.clone(),
            reason: format!(
                "the {kind} data is damaged (somewhere after row {passed}): {error}; copy or download it \
                 again"
            ),
        }
    }
}

impl Events for Rows {
    fn next(&mut self) -> Result<Option<Result<Parsed, String>>, TraceError> {
        let used_up = self.current.as_ref().is_none_or(|columns| columns.next == columns.rows);
        if used_up && !self.advance()? {
            self.check_sum()?;
            return Ok(None);
        }
        let columns = self.current.as_mut().expect("a batch with rows");
        let row = columns.next;
        columns.next += 1;
        let said = request(columns, row, &self.binding, &mut self.devices);
        if let (Some((checksum, _)), Ok(Parsed::One(record))) = (&mut self.checksum, &said) {
            checksum.add(std::slice::from_ref(record));
        }
        Ok(Some(said))
    }

    fn noun(&self) -> &'static str {
        "row"
    }

    fn nothing_found(&self) -> Option<String> {
        self.devices.nothing_found()
    }
}

#[inline]
fn request(
    columns: &Columns,
    row: usize,
    binding: &Binding,
    devices: &mut Devices<Named>,
) -> Result<Parsed, String> {
    if let Some(device) = &columns.device {
        let mut digits = [0; Words::MOST_DIGITS];
        let name = device.bytes(row, &mut digits).ok_or("device is null")?;
        if !devices.takes_named(name, Named::new)? {
            return Ok(Parsed::Nothing);
        }
    }
    let time_ns = match columns.time.value(row) {
        Value::Whole(count) => count.checked_mul(binding.time_unit_ns),
        Value::Real(count) => values::rounded(count * binding.time_unit_ns as f64),
        other => return Err(unusable(other, &binding.names.time)),
    };
    let time_ns =
        time_ns.ok_or_else(|| format!("{} is too large for 64 bits of nanoseconds", binding.names.time))?;
    let Meaning::Request(op) = op(&columns.op, row, binding)? else { return Ok(Parsed::Nothing) };
    let stream = columns.stream.as_ref().map_or(Ok(0), |streams| stream(streams, row))?;
    if op == Op::Flush {
        return Ok(Parsed::One(Record { time_ns, offset_bytes: 0, size_bytes: 0, op, stream }));
    }
    let offset_bytes = bytes(&columns.offset, row, binding.offset_unit_bytes, &binding.names.offset)?;
    let size_bytes = bytes(&columns.size, row, binding.size_unit_bytes, &binding.names.size)?;
    Ok(Parsed::One(Record { time_ns, offset_bytes, size_bytes, op, stream }))
}

/// The number of a stream: 0 where nothing stands.
#[inline]
fn stream(streams: &Numbers, row: usize) -> Result<u8, String> {
    match streams.value(row) {
        Value::Null => Ok(0),
        Value::Whole(number) => of_number(number),
        Value::Real(number) if number.fract() == 0.0 => of_number(number as u64),
        other => Err(unusable(other, "stream")),
    }
}

#[inline]
fn bytes(numbers: &Numbers, row: usize, unit_bytes: u64, name: &str) -> Result<u64, String> {
    match numbers.value(row) {
        Value::Whole(count) => in_bytes(count, unit_bytes, name),
        Value::Real(count) if count.fract() == 0.0 => values::rounded(count)
            .and_then(|count| count.checked_mul(unit_bytes))
            .ok_or_else(|| format!("{name} is too large for 64 bits of bytes")),
        other => Err(unusable(other, name)),
    }
}

#[inline]
fn op(words: &Words, row: usize, binding: &Binding) -> Result<Meaning, String> {
    let mut digits = [0; Words::MOST_DIGITS];
    let name = &binding.names.op;
    let word = words.bytes(row, &mut digits).ok_or_else(|| format!("{name} is null"))?;
    binding.code.read(word).ok_or_else(|| unknown_op(word, &binding.code))
}

#[cold]
fn unknown_op(word: &[u8], code: &OpCode) -> String {
    format!("unknown op \"{}\"; valid: {}", crate::error::excerpt(word), code.valid())
}

#[cold]
fn unusable(value: Value, name: &str) -> String {
    match value {
        Value::Null => format!("{name} is null"),
        Value::Negative(value) => format!("{name} is negative ({value})"),
        Value::Real(value) => format!("{name} is {value}, which is not a whole number"),
        Value::Whole(_) | Value::NotFinite => format!("{name} is not a number"),
    }
}
