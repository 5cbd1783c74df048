//! What the tests share: files on the spot, ways to open them, and what an error must say.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use niffler::Level;
use niffler::send::compression::Format as Compression;
use reclaim_trace::{OnError, Op, OpenOptions, Record, RecordSource, Trace, TraceError};
use tempfile::TempDir;

/// A file called `name` in a folder of its own, which is deleted when the first is dropped.
pub fn file(name: &str, content: impl AsRef<[u8]>) -> (TempDir, PathBuf) {
    let folder = TempDir::new().expect("a temporary folder");
    let path = folder.path().join(name);
    std::fs::write(&path, content).expect("a temporary file");
    (folder, path)
}

/// A file of the folder `tests`.
pub fn kept(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// `content`, compressed.
pub fn packed(content: &[u8], format: Compression) -> Vec<u8> {
    let (_folder, path) = file("packed", b"");
    let output = Box::new(std::fs::File::create(&path).expect("a file"));
    let mut writer = niffler::send::get_writer(output, format, Level::One).expect("a writer");
    writer.write_all(content).expect("written");
    drop(writer);
    std::fs::read(&path).expect("a file")
}

/// Options by the names that the command line has for them, `sort` and `report` without a value.
pub fn with(set: &[(&str, &str)]) -> OpenOptions {
    let mut options = OpenOptions::default();
    for (key, value) in set {
        let text = Some((*value).to_owned());
        match *key {
            "format" => options.format = text,
            "device" => options.device = text,
            "columns" => options.columns = text,
            "separator" => options.separator = text,
            "event" => options.event = Some(value.parse().unwrap()),
            "time-unit" => options.time_unit = Some(value.parse().unwrap()),
            "sort" => options.sort = true,
            "report" => options.on_error = OnError::Report,
            _ => panic!("no option {key}"),
        }
    }
    options
}

/// All records of a source.
pub fn collect(source: &mut dyn RecordSource) -> Result<Vec<Record>, TraceError> {
    let mut records = Vec::new();
    while source.fill(&mut records, 7)? > 0 {}
    Ok(records)
}

/// Open the file at `path` and read all of it.
pub fn read(path: &Path, options: &OpenOptions) -> Result<Vec<Record>, TraceError> {
    collect(Trace::open(path, options)?.source()?.as_mut())
}

/// The records of a file with this content, or what is said, with the folder's name taken out of it.
pub fn opened(content: impl AsRef<[u8]>, options: &OpenOptions) -> Result<Vec<Record>, String> {
    let (folder, path) = file("t", content);
    let without_folder =
        |error: TraceError| error.to_string().replace(&format!("{}/", folder.path().display()), "");
    read(&path, options).map_err(without_folder)
}

/// The records of a file with this content.
pub fn records(content: impl AsRef<[u8]>) -> Result<Vec<Record>, String> {
    opened(content, &OpenOptions::default())
}

/// What is said of a file with this content.
pub fn refused(content: impl AsRef<[u8]>, options: &OpenOptions) -> String {
    opened(content, options).expect_err("this content has a fault")
}

/// What a text says must name everything between the bars.
#[track_caller]
pub fn names(told: &str, parts: &str) {
    for part in parts.split('|') {
        assert!(told.contains(part), "{told:?} lacks {part:?}");
    }
}

/// Each line between two good ones is refused: the error shows it, its number and a good line, and names what stands
/// beside it in the table.
#[track_caller]
pub fn refuses(options: &OpenOptions, head: &str, good: &str, rows: &[(&str, &str)]) {
    let number = head.lines().count() as u64 + 2;
    for (bad, parts) in rows {
        let (_folder, path) = file("t", format!("{head}{good}\n{bad}\n{good}\n"));
        match read(&path, options) {
            Err(TraceError::Line { line, reason, text, expected, .. }) => {
                assert_eq!((line, text.as_str(), expected.is_empty()), (number, *bad, false));
                names(&reason, parts);
            }
            other => panic!("{bad}: {other:?}"),
        }
    }
}

/// A record, briefly.
pub fn record(time_ns: u64, op: Op, offset_bytes: u64, size_bytes: u64) -> Record {
    Record { time_ns, offset_bytes, size_bytes, op, stream: 0 }
}

/// Requests one after the other, the first at 0, of gaps in ns, offsets, sizes and operations; a flush has no extent.
pub fn in_order(parts: Vec<(u64, u64, u64, Op)>) -> Vec<Record> {
    let (first, mut now) = (parts[0].0, 0);
    let made = parts.into_iter().map(|(gap, offset, size, op)| {
        now += gap;
        if op == Op::Flush { record(now - first, op, 0, 0) } else { record(now - first, op, offset, size) }
    });
    made.collect()
}
