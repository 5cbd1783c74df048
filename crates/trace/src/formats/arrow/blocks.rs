//! The blocks of an Arrow file, each checked before the library decodes it: the library makes room for as many bytes
//! as the index at the end of the file and the blocks themselves claim.

use std::io::{self, Read, Seek, SeekFrom};
use std::sync::Arc;
use std::vec::IntoIter;

use arrow_array::RecordBatch;
use arrow_buffer::Buffer;
use arrow_ipc::convert::fb_to_schema;
use arrow_ipc::reader::FileDecoder;
use arrow_ipc::{Block, Footer, root_as_footer, root_as_message};
use arrow_schema::{ArrowError, SchemaRef};

use super::messages::{check_unpacked, contradiction, damaged};

/// What a file ends with, behind the length of the index.
const END: &[u8; 6] = b"ARROW1";

/// Batches of a file, one per block.
pub(super) struct Blocks<F> {
    file: F,
    schema: SchemaRef,
    decoder: FileDecoder,
    batches: IntoIter<Block>,
}

impl<F: Read + Seek> Blocks<F> {
    pub(super) fn new(mut file: F) -> Result<Self, ArrowError> {
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

    pub(super) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Decode these columns only.
    pub(super) fn of_columns(self, columns: &[usize]) -> Self {
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
