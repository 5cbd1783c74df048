//! Arrow IPC, both its file (also called Feather, version 2) and its stream format (Arrow columnar format 1.x,
//! "Serialization and Interprocess Communication").

use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::sync::Arc;
use std::vec::IntoIter;

use arrow_array::RecordBatch;
use arrow_buffer::Buffer;
use arrow_ipc::convert::fb_to_schema;
use arrow_ipc::reader::{FileDecoder, StreamReader};
use arrow_ipc::{Block, Footer, root_as_footer, root_as_message};
use arrow_schema::{ArrowError, SchemaRef};

use super::table::{self, Batches, Rows, guarded};
use crate::checked::ReadOptions;
use crate::format::Format;
use crate::input::Input;
use crate::open::{Kind, open_file, read_up_to};
use crate::options::Setting;
use crate::record_reader::RecordReader;
use crate::{OpenOptions, RecordSource, TraceError};

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
    let rows = Rows::new(&path, "Arrow", batches, binding, how)?;
    Ok(Box::new(RecordReader::new(path, rows, how)))
}

// The blocks of an Arrow file, each checked before the library decodes it: the library makes room for as many bytes
// as the index at the end of the file and the blocks themselves claim.

/// What a file ends with, behind the length of the index.
const END: &[u8; 6] = b"ARROW1";

/// Batches of a file, one per block.
struct Blocks<F> {
    file: F,
    schema: SchemaRef,
    decoder: FileDecoder,
    batches: IntoIter<Block>,
}

impl<F: Read + Seek> Blocks<F> {
    fn new(mut file: F) -> Result<Self, ArrowError> {
        let (start, index) = read_index(&mut file)?;
        let footer = root_as_footer(&index).map_err(|error| damaged(error.to_string()))?;
        let schema = footer.schema().ok_or_else(|| contradiction("an index without columns"))?;
        if !schema.endianness().equals_to_target_endianness() {
            let reason = "its numbers have their bytes in the other order, which is not supported".to_owned();
            return Err(damaged(reason).into());
        }
        let schema: SchemaRef = Arc::new(fb_to_schema(schema));
        let batches = placed(footer, start)?;
        let mut decoder = FileDecoder::new(Arc::clone(&schema), footer.version());
        for block in footer.dictionaries().into_iter().flatten() {
            decoder.read_dictionary(block, &read_block(&mut file, block)?)?;
        }
        Ok(Self { file, schema, decoder, batches: batches.into_iter() })
    }

    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Decode these columns only.
    fn of_columns(self, columns: &[usize]) -> Self {
        Self { decoder: self.decoder.with_projection(columns.to_vec()), ..self }
    }
}

impl<F: Read + Seek> Iterator for Blocks<F> {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let block = self.batches.next()?;
        let bytes = read_block(&mut self.file, &block).map_err(ArrowError::from);
        bytes.and_then(|bytes| self.decoder.read_record_batch(&block, &bytes)).transpose()
    }
}

/// Where the index starts, and its bytes.
fn read_index(file: &mut (impl Read + Seek)) -> io::Result<(u64, Vec<u8>)> {
    let file_bytes = file.seek(SeekFrom::End(0))?;
    let tail = file_bytes.checked_sub(10).ok_or_else(|| contradiction("the length of the file"))?;
    let ending: [u8; 10] = read_at(file, tail, 10)?.try_into().expect("ten bytes");
    if ending[4..] != *END {
        return Err(damaged("it does not end as an Arrow file does".to_owned()));
    }
    let length = i32::from_le_bytes([ending[0], ending[1], ending[2], ending[3]]);
    let start = u64::try_from(length).ok().and_then(|length| tail.checked_sub(length));
    let start = start.ok_or_else(|| contradiction("the length of the index"))?;
    Ok((start, read_at(file, start, tail - start)?))
}

/// The blocks of batches. All blocks that the index names lie before its `start`.
fn placed(footer: Footer, start: u64) -> io::Result<Vec<Block>> {
    let batches = footer.recordBatches().ok_or_else(|| contradiction("an index without blocks"))?;
    for block in footer.dictionaries().into_iter().flatten().chain(batches) {
        let (offset, description, body) = (block.offset(), block.metaDataLength(), block.bodyLength());
        let parts = [offset, description.into(), body].map(u64::try_from);
        let end = parts.into_iter().try_fold(0_u64, |end, part| end.checked_add(part.ok()?));
        if end.is_none_or(|end| end > start) {
            return Err(contradiction("the place of a block"));
        }
    }
    Ok(batches.iter().copied().collect())
}

/// A block whose compressed buffers claim no impossible length.
fn read_block(file: &mut (impl Read + Seek), block: &Block) -> io::Result<Buffer> {
    let place = |value: i64| u64::try_from(value).map_err(|_| contradiction("the place of a block"));
    let (description, body) = (place(block.metaDataLength().into())?, place(block.bodyLength())?);
    let bytes = read_at(file, place(block.offset())?, description + body)?;
    let (description, body) = bytes.split_at(usize::try_from(description).expect("within the bytes read"));
    // A mark and the length, or only the length.
    let skipped = if description.starts_with(&[0xFF; 4]) { 8 } else { 4 };
    let description = description.get(skipped..).ok_or_else(|| contradiction("the length of a block"))?;
    let message = root_as_message(description).map_err(|error| damaged(error.to_string()))?;
    let dictionary = message.header_as_dictionary_batch().and_then(|dictionary| dictionary.data());
    if let Some(batch) = message.header_as_record_batch().or(dictionary) {
        check_unpacked(batch, body)?;
    }
    Ok(Buffer::from_vec(bytes))
}

/// `count` bytes that lie within the file, or did when its index was looked at.
fn read_at(file: &mut (impl Read + Seek), place: u64, count: u64) -> io::Result<Vec<u8>> {
    file.seek(SeekFrom::Start(place))?;
    let mut bytes = Vec::with_capacity(usize::try_from(count).map_err(|_| contradiction("a length"))?);
    file.take(count).read_to_end(&mut bytes)?;
    if bytes.len() as u64 == count { Ok(bytes) } else { Err(damaged("it is cut short".to_owned())) }
}

// The messages of an Arrow stream, looked at before the library reads them.
//
// The library makes room for as many bytes as a message claims to have before it reads them, and takes a stream that
// breaks off between messages for one that has ended. Here a message is first read as far as it goes.

/// What stands before the length of a message.
const MARK: [u8; 4] = [0xFF; 4];
/// The description of a message names its columns and buffers; a megabyte has room for ten thousand of them.
const MOST_DESCRIPTION_BYTES: u64 = 64 << 20;
/// A compressed buffer that claims to be larger is damaged.
const MOST_UNPACKED_BYTES: i64 = 1 << 30;

/// A stream of messages, each complete.
struct Messages<R> {
    input: R,
    ended: bool,
    description: Vec<u8>,
    /// The current message with its mark and length.
    message: Vec<u8>,
    read: usize,
}

impl<R: Read> Messages<R> {
    fn new(input: R) -> Self {
        Self { input, ended: false, description: Vec::new(), message: Vec::new(), read: 0 }
    }

    fn next_message(&mut self) -> io::Result<()> {
        self.message.clear();
        self.read = 0;
        let mut length = [0; 4];
        match read_up_to(&mut self.input, &mut length)? {
            0 => {
                self.ended = true;
                return Ok(());
            }
            4 => {}
            _ => return Err(cut()),
        }
        self.message.extend(length);
        if length == MARK {
            if read_up_to(&mut self.input, &mut length)? < length.len() {
                return Err(cut());
            }
            self.message.extend(length);
        }
        let length = i32::from_le_bytes(length);
        if length == 0 {
            self.ended = true;
            return Ok(());
        }
        let length = u64::try_from(length).ok().filter(|length| *length <= MOST_DESCRIPTION_BYTES);
        let length = length.ok_or_else(|| contradiction("the length of a message"))?;
        self.description.clear();
        append(&mut self.input, length, &mut self.description)?;
        self.message.extend(&self.description);
        let message = root_as_message(&self.description).map_err(|error| damaged(error.to_string()))?;
        let body = self.message.len();
        let body_bytes =
            u64::try_from(message.bodyLength()).map_err(|_| contradiction("the length of a body"))?;
        append(&mut self.input, body_bytes, &mut self.message)?;
        let dictionary = message.header_as_dictionary_batch().and_then(|dictionary| dictionary.data());
        match message.header_as_record_batch().or(dictionary) {
            Some(batch) => check_unpacked(batch, &self.message[body..]),
            None => Ok(()),
        }
    }
}

impl<R: Read> Read for Messages<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.read == self.message.len() && !self.ended {
            // The library takes this kind of error for the end of the stream.
            self.next_message().map_err(|error| match error.kind() {
                io::ErrorKind::UnexpectedEof => damaged(error.to_string()),
                _ => error,
            })?;
        }
        let count = buffer.len().min(self.message.len() - self.read);
        buffer[..count].copy_from_slice(&self.message[self.read..self.read + count]);
        self.read += count;
        Ok(count)
    }
}

/// The next `count` bytes, behind those already in `bytes`.
fn append(input: &mut impl Read, count: u64, bytes: &mut Vec<u8>) -> io::Result<()> {
    let found = input.take(count).read_to_end(bytes)?;
    if found as u64 == count { Ok(()) } else { Err(cut()) }
}

/// A compressed buffer in the `body` of its batch begins with its length when unpacked; -1 says that it is not
/// compressed after all.
fn check_unpacked(batch: arrow_ipc::RecordBatch, body: &[u8]) -> io::Result<()> {
    if batch.compression().is_none() {
        return Ok(());
    }
    for buffer in batch.buffers().into_iter().flatten().filter(|buffer| buffer.length() > 0) {
        let place = usize::try_from(buffer.offset()).ok();
        let length = place.and_then(|place| body.get(place..)?.first_chunk::<8>());
        let length = length.ok_or_else(|| contradiction("the place of a buffer"))?;
        if !(-1..=MOST_UNPACKED_BYTES).contains(&i64::from_le_bytes(*length)) {
            return Err(contradiction("the length of a buffer"));
        }
    }
    Ok(())
}

fn cut() -> io::Error {
    damaged("it ends before its end mark".to_owned())
}

fn contradiction(what: &str) -> io::Error {
    damaged(format!("{what} cannot be true"))
}

fn damaged(reason: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, reason)
}
