//! Arrow IPC, both its file (also called Feather, version 2) and its stream format (Arrow columnar format 1.x,
//! "Serialization and Interprocess Communication").

use std::io::{self, Read};

use arrow_ipc::reader::StreamReader;
use arrow_schema::ArrowError;

use super::Format;
use super::table::{self, Rows, guarded};
use crate::input::Input;
use crate::options::Setting;
use crate::record_reader::RecordReader;
use crate::{RecordSource, TraceError};

mod messages;

use messages::Messages;

/// What a file begins with.
const FILE_MAGIC: &[u8; 8] = b"ARROW1\0\0";

pub(super) const FORMAT: Format = Format {
    name: "arrow",
    aliases: &["feather"],
    about: "Arrow IPC file or stream with columns as in Parquet",
    expected: "(binary: columns as in --columns start=time:ns,kind=op,lba=offset:sectors,bytes=size:bytes)",
    settings: &[Setting::Device, Setting::Columns],
    recognise: |input| is_file(input) || is_stream(input),
    read,
    ..Format::PLAIN
};

fn is_file(input: &Input) -> bool {
    input.head().starts_with(FILE_MAGIC)
}

/// A stream has no magic number: it starts with the mark of a message, the length of its description, and the
/// description of the columns, a table of at least these bytes.
fn is_stream(input: &Input) -> bool {
    const LEAST_BYTES: u32 = 16;
    let Some((mark, rest)) = input.head().split_first_chunk::<4>() else { return false };
    let Some(length) = rest.first_chunk::<4>() else { return false };
    let length = u32::from_le_bytes(*length);
    *mark == [0xFF; 4] && (LEAST_BYTES..1 << 24).contains(&length) && length.is_multiple_of(8)
}

fn read(input: Input, how: &super::Reading) -> Result<Box<dyn RecordSource>, TraceError> {
    let path = input.path().to_path_buf();
    let damaged = |error: ArrowError| TraceError::File {
        path: path.clone(),
        reason: format!(
            "the Arrow data cannot be read: {error}; if the file was cut short or damaged, copy or download it again"
        ),
    };
    // A file is a stream with its name before it and an index, which is not needed, behind it.
    let within_file = is_file(&input);
    let mut bytes = input.into_stream();
    if within_file {
        io::copy(&mut bytes.by_ref().take(FILE_MAGIC.len() as u64), &mut io::sink())
            .map_err(|error| damaged(error.into()))?;
    }
    let messages = Messages::new(bytes, within_file);
    let stream = guarded(|| StreamReader::try_new(messages, None)).map_err(damaged)?;
    let binding = table::bind(&stream.schema(), how.options).map_err(|error| error.in_file_at(&path))?;
    let rows = Rows::new(&path, "Arrow", Box::new(stream), binding.of_whole_batches(), how.options)?;
    Ok(Box::new(RecordReader::new(path, rows, how)))
}
