//! A Parquet file with the columns `time_ns`, `op`, `offset_bytes` and `size_bytes`, and `stream` for a trace that has
//! any.
//!
//! The library writes no checksums of pages, so the description of the file has one of all requests.

use std::io::{self, Write};
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray, UInt8Array, UInt64Array};
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;

use super::text::{Losses, Sink};
use crate::Record;
use crate::formats::{PARQUET_CHECKSUM, PARQUET_WRITER};
use crate::record::Checksum;

/// Rows after which a group is closed: what a reader has to hold at once.
const ROWS_PER_GROUP: usize = 1 << 17;

pub(super) struct ParquetSink<W: Write + Send> {
    writer: ArrowWriter<W>,
    schema: Arc<Schema>,
    /// Whether there is a column for the streams.
    streams: bool,
    checksum: Checksum,
}

impl<W: Write + Send> ParquetSink<W> {
    pub(super) fn new(output: W, streams: bool) -> io::Result<Self> {
        let mut columns = vec![
            Field::new("time_ns", DataType::UInt64, false),
            Field::new("op", DataType::Utf8, false),
            Field::new("offset_bytes", DataType::UInt64, false),
            Field::new("size_bytes", DataType::UInt64, false),
        ];
        if streams {
            columns.push(Field::new("stream", DataType::UInt8, false));
        }
        let schema = Arc::new(Schema::new(columns));
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_max_row_group_row_count(Some(ROWS_PER_GROUP))
            .set_created_by(format!("{PARQUET_WRITER}{}", env!("CARGO_PKG_VERSION")))
            .build();
        let writer =
            ArrowWriter::try_new(output, Arc::clone(&schema), Some(properties)).map_err(io::Error::other)?;
        Ok(Self { writer, schema, streams, checksum: Checksum::default() })
    }
}

impl<W: Write + Send> Sink for ParquetSink<W> {
    fn write(&mut self, records: &[Record]) -> io::Result<()> {
        self.checksum.add(records);
        let numbers =
            |of: fn(&Record) -> u64| Arc::new(UInt64Array::from_iter_values(records.iter().map(of)));
        let mut columns: Vec<ArrayRef> = vec![
            numbers(|record| record.time_ns),
            Arc::new(StringArray::from_iter_values(records.iter().map(|record| record.op.name()))),
            numbers(|record| record.offset_bytes),
            numbers(|record| record.size_bytes),
        ];
        if self.streams {
            columns.push(Arc::new(UInt8Array::from_iter_values(records.iter().map(|record| record.stream))));
        }
        let batch = RecordBatch::try_new(Arc::clone(&self.schema), columns);
        self.writer.write(&batch.map_err(io::Error::other)?).map_err(io::Error::other)
    }

    fn finish(mut self: Box<Self>) -> io::Result<Losses> {
        self.writer
            .append_key_value_metadata(KeyValue::new(PARQUET_CHECKSUM.to_owned(), self.checksum.text()));
        self.writer.close().map_err(io::Error::other)?;
        Ok(Losses::default())
    }
}
