//! Parquet files (Apache Parquet format specification 2.x), as pandas, polars, DuckDB and Reclaim itself write them.
//!
//! Only the columns that are needed are read, a few thousand rows at a time.

use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::Compression;
use parquet::file::metadata::{ParquetMetaData, RowGroupMetaData};

use super::table::{self, ROWS_AT_ONCE, Rows, guarded};
use crate::checked::ReadOptions;
use crate::format::Format;
use crate::input::Input;
use crate::open::{Kind, open_file};
use crate::options::Setting;
use crate::record_reader::RecordReader;
use crate::{OpenOptions, RecordSource, TraceError};

pub(super) const FORMAT: Format = Format {
    name: "parquet",
    about: "Parquet with the columns time_ns, op, offset_bytes, size_bytes, or as --columns names them",
    expected: "(binary: columns as in --columns start=time:ns,kind=op,lba=offset:sectors,bytes=size:bytes)",
    settings: &[Setting::Device, Setting::Columns],
    recognise: |input| input.head().starts_with(b"PAR1"),
    has_streams,
    read: |input, how| read(&input, how),
    ..Format::PLAIN
};

/// How the name of the program begins that a file of Reclaim's own says it was written by; a version follows.
pub(crate) const WRITER: &str = "reclaim ";

/// The entry in the description of such a file that has the checksum of its requests.
pub(crate) const CHECKSUM: &str = "reclaim.blake3";

/// Whether a column has them; a file that cannot be read says so when it is.
fn has_streams(input: &Input, options: &OpenOptions) -> bool {
    let builder = open_file(input.path(), Kind::TRACE)
        .ok()
        .and_then(|file| guarded(|| ParquetRecordBatchReaderBuilder::try_new(file)).ok());
    let binding = builder.and_then(|builder| table::bind(builder.schema(), options).ok());
    binding.is_some_and(|binding| binding.has_streams())
}

fn read(input: &Input, how: &ReadOptions) -> Result<Box<dyn RecordSource>, TraceError> {
    if let Some(compression) = input.compression() {
        return Err(input.fail(format!(
            "is Parquet packed with {compression}; unpack it first (Parquet is packed inside, and read \
             from its end)"
        )));
    }
    let path = input.path().to_path_buf();
    let file = open_file(&path, Kind::TRACE).map_err(|reason| input.fail(reason))?;
    let damaged = |reason: &dyn std::fmt::Display| {
        input.fail(format!(
            "the Parquet data cannot be read: {reason}; if the file was cut short or damaged, copy or \
             download it again"
        ))
    };
    let builder =
        guarded(|| ParquetRecordBatchReaderBuilder::try_new(file)).map_err(|error| damaged(&error))?;
    if let Some(codec) = builder.metadata().row_groups().iter().find_map(unread_codec) {
        return Err(input.fail(format!(
            "is Parquet packed inside with {codec}, which is not read here; write it with Snappy, gzip, \
             zstd, LZ4 or unpacked"
        )));
    }
    let checksum = how.options.columns.is_none().then(|| checksum(builder.metadata())).flatten();
    let binding = table::bind(builder.schema(), how.options).map_err(|error| error.in_file(input))?;
    let mask = ProjectionMask::roots(builder.parquet_schema(), binding.columns().iter().copied());
    let batches = guarded(|| builder.with_batch_size(ROWS_AT_ONCE).with_projection(mask).build())
        .map_err(|error| damaged(&error))?;
    let rows = Rows::new(&path, "Parquet", Box::new(batches), binding, how)?.that_sum_to(checksum);
    Ok(Box::new(RecordReader::new(path, rows, how)))
}

/// The checksum of all requests in a file that Reclaim wrote. Programs that change such a file may keep the entry, but
/// put their own name on the file.
fn checksum(about: &ParquetMetaData) -> Option<String> {
    let about = about.file_metadata();
    about.created_by().filter(|program| program.starts_with(WRITER))?;
    about.key_value_metadata()?.iter().find(|entry| entry.key == CHECKSUM)?.value.clone()
}

/// A compression of these rows that this program was built without.
fn unread_codec(rows: &RowGroupMetaData) -> Option<&'static str> {
    rows.columns().iter().find_map(|column| match column.compression() {
        Compression::BROTLI(_) => Some("Brotli"),
        Compression::LZO => Some("LZO"),
        _ => None,
    })
}
