//! Opening a file and unpacking it, with an error that tells what is wrong where that is impossible.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use niffler::send::compression::Format as Compression;

use crate::TraceError;
use crate::suggest::closest;

/// How the bytes of a file are packed, and a stream of them unpacked.
pub(crate) struct Opened {
    pub(crate) stream: Box<dyn Read + Send>,
    /// `None` for a plain file.
    pub(crate) compression: Option<&'static str>,
}

/// Open `path` for reading from its start, unpacking whatever compression its first bytes show.
pub(crate) fn open(path: &Path) -> Result<Opened, TraceError> {
    let fail = |reason: String| TraceError::File { path: path.to_path_buf(), reason };
    let metadata = fs::metadata(path).map_err(|error| fail(explain_missing(path, &error)))?;
    if metadata.is_dir() {
        return Err(fail("is a directory, not a trace file; name one file in it".to_owned()));
    }
    if !metadata.is_file() {
        // A trace is read more than once (recognised, scanned, simulated), which a pipe does not allow.
        return Err(fail(
            "is not a regular file; a trace is read more than once, so save it to a file".to_owned(),
        ));
    }
    let mut file = File::open(path).map_err(|error| fail(explain_missing(path, &error)))?;
    if metadata.len() == 0 {
        // What /proc and /sys show is made up when it is read, and has no size before.
        let is_made_up = matches!(file.read(&mut [0]), Ok(1..));
        let what = if is_made_up {
            "is a file of the system, made up when it is read, not a trace"
        } else {
            "is empty"
        };
        return Err(fail(what.to_owned()));
    }
    let mut magic = [0; 6];
    let unreadable = |error: io::Error| fail(format!("cannot be read: {error}"));
    let length = read_up_to(&mut file, &mut magic).map_err(unreadable)?;
    file.seek(SeekFrom::Start(0)).map_err(unreadable)?;
    // niffler refuses files of fewer than five bytes, the length of the longest magic number it knows.
    if length < 5 {
        return Ok(Opened { stream: Box::new(file), compression: None });
    }
    let (stream, compression) = niffler::send::get_reader(Box::new(file))
        .map_err(|error| fail(format!("cannot be unpacked: {error}")))?;
    let compression = match compression {
        Compression::No => None,
        Compression::Gzip => Some("gzip"),
        Compression::Bzip => Some("bzip2"),
        Compression::Lzma => Some("xz"),
        Compression::Zstd => Some("zstd"),
    };
    Ok(Opened { stream, compression })
}

/// Read until `buffer` is full or the stream ends.
pub(crate) fn read_up_to(stream: &mut dyn Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut length = 0;
    while length < buffer.len() {
        match stream.read(&mut buffer[length..]) {
            Ok(0) => break,
            Ok(count) => length += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(length)
}

#[cold]
fn explain_missing(path: &Path, error: &io::Error) -> String {
    if error.kind() != io::ErrorKind::NotFound {
        return format!("cannot be opened: {error}");
    }
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let Ok(entries) = fs::read_dir(folder) else {
        return format!("no such file (nor is there a folder {})", folder.display());
    };
    let names: Vec<String> =
        entries.filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned())).collect();
    let wanted = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    match closest(&wanted, names.iter().map(String::as_str)) {
        Some(near) => format!("no such file; did you mean {}?", path.with_file_name(near).display()),
        None => "no such file".to_owned(),
    }
}
