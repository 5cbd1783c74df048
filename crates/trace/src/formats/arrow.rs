//! Arrow IPC, both its file (also called Feather, version 2) and its stream format (Arrow columnar format 1.x,
//! "Serialization and Interprocess Communication").

use std::io::BufReader;
use std::sync::Arc;

use arrow_ipc::reader::StreamReader;
use arrow_schema::{ArrowError, SchemaRef};

use super::table::{self, Batches, Rows, guarded};
use crate::checked::ReadOptions;
use crate::format::Format;
use crate::input::Input;
use crate::open::{Kind, open_file};
use crate::options::Setting;
use crate::record_reader::RecordReader;
use crate::{OpenOptions, RecordSource, TraceError};

mod blocks;
mod messages;

use blocks::Blocks;
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
    has_streams,
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

/// Whether a column has them; a file that cannot be read says so when it is.
fn has_streams(input: &Input, options: &OpenOptions) -> bool {
    let binding = schema(input).and_then(|schema| table::bind(&schema, options).ok());
    binding.is_some_and(|binding| binding.has_streams())
}

fn schema(input: &Input) -> Option<SchemaRef> {
    if is_file(input) {
        let file = open_file(input.path(), Kind::TRACE).map(BufReader::new).ok()?;
        return guarded(|| Blocks::new(file)).ok().map(|blocks| Arc::clone(blocks.schema()));
    }
    let messages = Messages::new(Input::open(input.path()).ok()?.into_stream());
    guarded(|| StreamReader::try_new(messages, None)).ok().map(|stream| stream.schema())
}

fn read(input: Input, how: &ReadOptions) -> Result<Box<dyn RecordSource>, TraceError> {
    let path = input.path().to_path_buf();
    let damaged = |error: ArrowError| TraceError::File {
        path: path.clone(),
        reason: format!(
            "the Arrow data cannot be read: {error}; if the file was cut short or damaged, copy or \
             download it again"
        ),
    };
    let wrong = |error: table::BindError| error.in_file_at(&path);
    let (batches, binding): (Batches, _) = if is_file(&input) {
        if let Some(compression) = input.compression() {
            return Err(input.fail(format!(
                "is an Arrow file packed with {compression}; unpack it first (Arrow files are read from \
                 their end)"
            )));
        }
        let file = open_file(&path, Kind::TRACE).map(BufReader::new).map_err(|reason| input.fail(reason))?;
        let blocks = guarded(|| Blocks::new(file)).map_err(damaged)?;
        let binding = table::bind(blocks.schema(), how.options).map_err(wrong)?;
        (Box::new(blocks.of_columns(binding.columns())), binding)
    } else {
        let messages = Messages::new(input.into_stream());
        let stream = guarded(|| StreamReader::try_new(messages, None)).map_err(damaged)?;
        let binding = table::bind(&stream.schema(), how.options).map_err(wrong)?.of_whole_batches();
        (Box::new(stream), binding)
    };
    let rows = Rows::new(&path, "Arrow", batches, binding, how.options)?;
    Ok(Box::new(RecordReader::new(path, rows, how)))
}
