//! Opening files: the one way to every file that is read. Traces are unpacked on the way. Errors tell what is wrong
//! where that is impossible.

use std::fs::{self, File};
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use bzip2::bufread::MultiBzDecoder;
use flate2::bufread::MultiGzDecoder;
use liblzma::bufread::XzDecoder;

use crate::TraceError;
use crate::wording::closest;

/// How the bytes of a file are packed, and a stream of them unpacked.
pub(crate) struct Opened {
    pub(crate) stream: Box<dyn Read + Send>,
    /// `None` for a plain file.
    pub(crate) compression: Option<&'static str>,
}

/// The largest window that a Zstandard file may have been packed with, as `zstd --long=31` does: 2 GiB.
const ZSTD_WINDOW_LOG: u32 = 31;
/// Bytes read of a packed file at once.
const PACKED_BYTES: usize = 64 << 10;

/// Open `path` for reading from its start, unpacking whatever compression its first bytes show: all streams of the
/// file, one after the other. What is no stream behind the last is an error.
pub(crate) fn open(path: &Path) -> Result<Opened, TraceError> {
    let fail = |reason: String| TraceError::File { path: path.to_path_buf(), reason };
    let mut file = open_file(path, Kind::TRACE).map_err(fail)?;
    let mut magic = [0; 6];
    let unreadable = |error: io::Error| fail(format!("cannot be read: {error}"));
    let length = read_up_to(&mut file, &mut magic).map_err(unreadable)?;
    if length == 0 {
        return Err(fail("is empty".to_owned()));
    }
    file.seek(SeekFrom::Start(0)).map_err(unreadable)?;
    let Some(compression) = Compression::of(&magic[..length]) else {
        return Ok(Opened { stream: Box::new(file), compression: None });
    };
    let packed = BufReader::with_capacity(PACKED_BYTES, file);
    let stream: Box<dyn Read + Send> = match compression {
        Compression::Gzip => Box::new(MultiGzDecoder::new(packed)),
        Compression::Bzip2 => Box::new(MultiBzDecoder::new(packed)),
        Compression::Xz => Box::new(XzDecoder::new_multi_decoder(packed)),
        Compression::Zstd => {
            let mut unpacked = zstd::Decoder::with_buffer(packed).map_err(unreadable)?;
            unpacked.window_log_max(ZSTD_WINDOW_LOG).map_err(unreadable)?;
            Box::new(unpacked)
        }
    };
    Ok(Opened { stream, compression: Some(compression.name()) })
}

/// A compression by the first bytes of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Compression {
    Gzip,
    Bzip2,
    Xz,
    Zstd,
}

impl Compression {
    fn of(magic: &[u8]) -> Option<Self> {
        match magic {
            [0x1F, 0x8B, ..] => Some(Self::Gzip),
            [b'B', b'Z', b'h', ..] => Some(Self::Bzip2),
            [0xFD, b'7', b'z', b'X', b'Z', 0, ..] => Some(Self::Xz),
            // A frame of data, or one to be skipped.
            [0x28, 0xB5, 0x2F, 0xFD, ..] | [0x50..=0x5F, 0x2A, 0x4D, 0x18, ..] => Some(Self::Zstd),
            _ => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Bzip2 => "bzip2",
            Self::Xz => "xz",
            Self::Zstd => "zstd",
        }
    }
}

/// What a file is read for, in messages.
#[derive(Debug, Clone, Copy)]
pub struct Kind {
    /// What it should be, with its article.
    pub what: &'static str,
    /// Why it must be a regular file, if there is more to say of that.
    pub why: &'static str,
}

impl Kind {
    pub(crate) const TRACE: Self =
        Self { what: "a trace file", why: "; a trace is read more than once, so save it to a file" };
}

/// Open a file that is to be read: the one way to any of them.
///
/// # Errors
/// In words that follow the name of the file; with a similar name if there is none of this one.
pub fn open_file(path: &Path, kind: Kind) -> Result<File, String> {
    open_existing(path, kind)?.ok_or_else(|| explain_missing(path))
}

/// Open a file that is to be read, if there is one of this name. Only a regular file has an end and a beginning to come
/// back to: a named pipe waits for whoever writes into it, a device never ends.
///
/// # Errors
/// In words that follow the name of the file.
pub fn open_existing(path: &Path, kind: Kind) -> Result<Option<File>, String> {
    let unusable = |error: &io::Error| format!("cannot be opened: {}", without_number(error));
    let metadata = match fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unusable(&error)),
    };
    if metadata.is_dir() {
        return Err(format!("is a directory, not {}; name one file in it", kind.what));
    }
    if !metadata.is_file() {
        return Err(format!("is {}, not a regular file{}", special(&metadata), kind.why));
    }
    let mut file = File::open(path).map_err(|error| unusable(&error))?;
    // What /proc and /sys show is made up when it is read, and has no size before.
    if metadata.len() == 0 && matches!(file.read(&mut [0]), Ok(1..)) {
        return Err(format!("is a file of the system, made up when it is read, not {}", kind.what));
    }
    Ok(Some(file))
}

/// What an error of the system says, without its number, which says nothing more.
fn without_number(error: &io::Error) -> String {
    let said = error.to_string();
    said.split(" (os error").next().unwrap_or(&said).to_owned()
}

/// What a file is that is neither a regular one nor a directory.
#[cfg(unix)]
fn special(metadata: &fs::Metadata) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    let kind = metadata.file_type();
    if kind.is_fifo() {
        "a named pipe"
    } else if kind.is_socket() {
        "a socket"
    } else {
        "a device of the system"
    }
}

#[cfg(not(unix))]
fn special(_metadata: &fs::Metadata) -> &'static str {
    "something else"
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
fn explain_missing(path: &Path) -> String {
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
