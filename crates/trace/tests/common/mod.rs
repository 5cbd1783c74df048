//! What the tests share: files on the spot, and everything a trace says about one.

use std::path::{Path, PathBuf};

use reclaim_trace::{Op, OpenOptions, Record, RecordSource, Trace, TraceError};
use tempfile::TempDir;

/// A file called `name` in a folder of its own, which is deleted when the first is dropped.
pub fn file(name: &str, content: &[u8]) -> (TempDir, PathBuf) {
    let folder = TempDir::new().expect("a temporary folder");
    let path = folder.path().join(name);
    std::fs::write(&path, content).expect("a temporary file");
    (folder, path)
}

/// All records of a source.
#[allow(dead_code, reason = "not every test binary needs it")]
pub fn collect(source: &mut dyn RecordSource) -> Result<Vec<Record>, TraceError> {
    let mut records = Vec::new();
    while source.fill(&mut records, 7)? > 0 {}
    Ok(records)
}

/// Open the file at `path` and read all of it.
#[allow(dead_code, reason = "not every test binary needs it")]
pub fn read(path: &Path, options: &OpenOptions) -> Result<Vec<Record>, TraceError> {
    collect(Trace::open(path, options)?.source()?.as_mut())
}

/// The records of a file with this content.
#[allow(dead_code, reason = "not every test binary needs it")]
pub fn records(content: &[u8]) -> Result<Vec<Record>, TraceError> {
    let (_folder, path) = file("t", content);
    read(&path, &OpenOptions::default())
}

/// The message for a file with this content, with the folder's name taken out of it.
#[allow(dead_code, reason = "not every test binary needs it")]
pub fn message(content: &[u8], format: Option<&str>) -> String {
    let (folder, path) = file("t", content);
    let options = OpenOptions { format: format.map(str::to_owned), ..OpenOptions::default() };
    let error = read(&path, &options).expect_err("this content has a fault");
    error.to_string().replace(&format!("{}/", folder.path().display()), "")
}

/// A record, briefly.
#[allow(dead_code, reason = "not every test binary needs it")]
pub fn record(time_ns: u64, op: Op, offset_bytes: u64, size_bytes: u64) -> Record {
    Record { time_ns, offset_bytes, size_bytes, op, stream: 0 }
}
