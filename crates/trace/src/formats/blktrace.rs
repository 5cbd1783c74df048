//! The binary recordings that `blktrace` writes and `blkparse` reads: one record per event in the Linux block layer.
//!
//! A record is `struct blk_io_trace` of <linux/blktrace_api.h>, version 7: 48 bytes in the byte order of the recorded
//! machine (magic u32, sequence u32, time in ns u64, sector u64, bytes u32, action u32, pid u32, device u32, cpu u32,
//! error u16, length of what follows u16), then that much more. blktrace writes a file per processor,
//! `NAME.blktrace.N`; one of them stands for all, which are merged by time.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs;
use std::path::{Path, PathBuf};

use super::block_layer::{self, Action, Asked, Requests, Role};
use crate::checked::{Parsed, ReadOptions};
use crate::devices::MajorMinor;
use crate::format::Format;
use crate::input::Input;
use crate::options::{Event, Setting};
use crate::record_reader::{Events, RecordReader};
use crate::units::{SECTOR_BYTES, in_bytes};
use crate::{Op, RecordSource, TraceError};

pub(super) const FORMAT: Format = Format {
    name: "blktrace",
    about: "binary output of blktrace, one file or NAME.blktrace.0, .1 and so on, one device",
    expected: "(binary: 48 bytes and more per event)",
    settings: &[Setting::Device, Setting::Event],
    recognise: |input| order_of(input.head()).is_some(),
    events: |input, options| Some(options.event.unwrap_or_else(|| usual(input)).describe()),
    read,
    ..Format::PLAIN
};

const HEADER_BYTES: usize = 48;
const MAGIC: u32 = 0x6561_7400;
const VERSION: u32 = 7;

fn read(input: Input, how: &ReadOptions) -> Result<Box<dyn RecordSource>, TraceError> {
    let requests = Requests::new(how, || usual(&input))?;
    let path = input.path().to_path_buf();
    let mut streams = Vec::new();
    for member in members(&path) {
        streams.push(Stream::new(if member == path { None } else { Some(Input::open(&member)?) }));
    }
    let own = streams.iter_mut().find(|stream| stream.is_none());
    let own_stream = Stream::new(Some(input));
    match own {
        Some(place) => *place = own_stream,
        None => streams.push(own_stream),
    }
    let streams = streams.into_iter().flatten().collect::<Result<Vec<_>, _>>()?;
    let recording = Recording::new(streams, requests, missing(&path));
    Ok(Box::new(RecordReader::new(path, recording, how)))
}

/// How the recorded machine writes numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ByteOrder {
    Little,
    Big,
}

impl ByteOrder {
    fn u32(self, bytes: &[u8], at: usize) -> u32 {
        let bytes = bytes[at..at + 4].try_into().expect("four bytes");
        if self == Self::Little { u32::from_le_bytes(bytes) } else { u32::from_be_bytes(bytes) }
    }

    fn u64(self, bytes: &[u8], at: usize) -> u64 {
        let bytes = bytes[at..at + 8].try_into().expect("eight bytes");
        if self == Self::Little { u64::from_le_bytes(bytes) } else { u64::from_be_bytes(bytes) }
    }
}

/// The byte order in which a record begins with the magic number.
fn order_of(record: &[u8]) -> Option<ByteOrder> {
    let magic = record.first_chunk::<4>()?;
    [ByteOrder::Little, ByteOrder::Big].into_iter().find(|order| order.u32(magic, 0) & !0xFF == MAGIC)
}

/// Which event stands for a request, by the beginning of the file.
fn usual(input: &Input) -> Event {
    let Some(order) = order_of(input.head()) else { return Event::Issued };
    let mut rest = input.head();
    let headers = std::iter::from_fn(|| {
        let (bytes, after) = rest.split_first_chunk::<HEADER_BYTES>()?;
        let header = Header::read(bytes, order)?;
        rest = after.get(header.more_bytes..).unwrap_or_default();
        Some(header)
    });
    block_layer::usual(headers.filter_map(|header| header.action().ok()))
}

/// The fields of a record that are used.
#[derive(Debug, Clone, Copy)]
struct Header {
    time_ns: u64,
    sequence: u32,
    sector: u64,
    bytes: u32,
    action: u32,
    device: u32,
    /// What follows the record: a message, a command block, the device before remapping, a control group.
    more_bytes: usize,
}

/// Categories, the upper half of the action.
mod category {
    pub(super) const WRITE: u32 = 1 << 17;
    /// A barrier, before Linux 2.6.37: it asks for a flush first, too.
    pub(super) const FLUSH: u32 = 1 << 18;
    pub(super) const PASSTHROUGH: u32 = 1 << 25;
    pub(super) const NOTIFY: u32 = 1 << 26;
    pub(super) const DISCARD: u32 = 1 << 29;
}

impl Header {
    #[inline]
    fn read(record: &[u8], order: ByteOrder) -> Option<Self> {
        (order.u32(record, 0) == MAGIC | VERSION).then(|| Self {
            sequence: order.u32(record, 4),
            time_ns: order.u64(record, 8),
            sector: order.u64(record, 16),
            bytes: order.u32(record, 24),
            action: order.u32(record, 28),
            device: order.u32(record, 36),
            more_bytes: match order {
                ByteOrder::Little => usize::from(u16::from_le_bytes([record[46], record[47]])),
                ByteOrder::Big => usize::from(u16::from_be_bytes([record[46], record[47]])),
            },
        })
    }

    #[inline]
    fn action(&self) -> Result<Action, String> {
        /// Set where the number of a control group follows.
        const CONTROL_GROUP: u32 = 1 << 8;
        if self.action & category::NOTIFY != 0 {
            return Ok(Action::Other);
        }
        match self.action & 0xFFFF & !CONTROL_GROUP {
            1 => Ok(Action::Queued),
            6 => Ok(Action::Requeued),
            7 => Ok(Action::Issued),
            8 => Ok(Action::Completed),
            2..=17 => Ok(Action::Other),
            number => Err(format!("unknown action {number}; the block layer has 1 (queued) to 17")),
        }
    }

    /// Whether this completion of no bytes closes a request whose parts completed before it: the kernel takes a write
    /// with a flush apart, completes both, and then the request as a whole. A flush alone completes without bytes,
    /// too.
    #[inline]
    fn ends_sequence(&self) -> bool {
        self.bytes == 0 && self.action & (category::WRITE | category::DISCARD) != 0
    }

    /// What an event that stands for a request asks, by the rules by which blkparse prints its RWBS field.
    #[inline]
    fn asked(&self) -> Result<Option<Asked>, String> {
        const MINOR_BITS: u32 = 20;
        let has = |category: u32| self.action & category != 0;
        let op = if has(category::DISCARD) {
            Some(Op::Trim)
        } else if has(category::WRITE) {
            Some(Op::Write)
        } else {
            (self.bytes > 0).then_some(Op::Read)
        };
        let flush = has(category::FLUSH);
        // A command passed through to the device (SCSI inquiry and the like) addresses no blocks.
        if has(category::PASSTHROUGH) && !(flush && op.is_none()) {
            return Ok(None);
        }
        Ok(Some(Asked {
            device: MajorMinor(
                u64::from(self.device >> MINOR_BITS),
                u64::from(self.device & ((1 << MINOR_BITS) - 1)),
            ),
            time_ns: self.time_ns,
            flush,
            op,
            appends: false,
            // A flush alone has the sector -1.
            offset_bytes: if self.bytes == 0 {
                0
            } else {
                in_bytes(self.sector, SECTOR_BYTES, "the start sector")?
            },
            size_bytes: u64::from(self.bytes),
        }))
    }
}

/// The events of one file.
struct Stream {
    input: Input,
    order: ByteOrder,
    name: String,
    /// Records read from this file so far, for messages.
    records: u64,
    /// The record that was read and not yet delivered.
    next: Option<Header>,
}

impl Stream {
    /// `None` for no input.
    fn new(input: Option<Input>) -> Option<Result<Self, TraceError>> {
        let input = input?;
        let Some(order) = order_of(input.head()) else {
            return Some(Err(
                input.fail("is no blktrace recording: it does not begin with its magic number".to_owned())
            ));
        };
        let name = input.path().file_name().unwrap_or_default().to_string_lossy().into_owned();
        Some(Ok(Self { input, order, name, records: 0, next: None }))
    }

    /// Take the next record. Without a magic number nothing says where another record begins, so that ends the reading.
    #[inline]
    fn advance(&mut self) -> Result<(), TraceError> {
        self.next = None;
        let Some(range) = self.input.next_bytes(HEADER_BYTES)? else { return Ok(()) };
        let header = Header::read(self.input.bytes(range.clone()), self.order);
        let Some(header) = header else { return Err(self.lost(self.order.u32(self.input.bytes(range), 0))) };
        if header.more_bytes > 0 && self.input.next_bytes(header.more_bytes)?.is_none() {
            return Err(self.input.fail(format!(
                "ends in the middle of a record: {} bytes are missing; copy or download it again",
                header.more_bytes
            )));
        }
        self.records += 1;
        self.next = Some(header);
        Ok(())
    }

    #[cold]
    fn lost(&self, magic: u32) -> TraceError {
        let number = self.records + 1;
        self.input.fail(if magic & !0xFF == MAGIC {
            format!(
                "record {number} is of version {} of blktrace's format; version {VERSION} is known",
                magic & 0xFF
            )
        } else {
            format!(
                "record {number} does not begin with blktrace's magic number: something is missing before it"
            )
        })
    }
}

/// The events of all files of a recording, by time.
struct Recording {
    streams: Vec<Stream>,
    /// Which stream comes next: time, then the number the kernel gave the event, then the place of the file.
    waiting: BinaryHeap<Reverse<(u64, u32, usize)>>,
    /// Streams whose next record has to be read: at first all, then the one whose record was delivered last.
    behind: Vec<usize>,
    /// The stream whose record was delivered last.
    last: usize,
    requests: Requests,
    /// Files that should be there and are not.
    missing: Option<String>,
}

impl Recording {
    fn new(streams: Vec<Stream>, requests: Requests, missing: Option<String>) -> Self {
        let waiting = BinaryHeap::with_capacity(streams.len());
        Self { behind: (0..streams.len()).collect(), waiting, streams, last: 0, requests, missing }
    }
}

impl Events for Recording {
    #[inline]
    fn next(&mut self) -> Result<Option<Result<Parsed, String>>, TraceError> {
        while let Some(place) = self.behind.pop() {
            let stream = &mut self.streams[place];
            stream.advance()?;
            if let Some(header) = &stream.next {
                self.waiting.push(Reverse((header.time_ns, header.sequence, place)));
            }
        }
        let Some(Reverse((_, _, place))) = self.waiting.pop() else { return Ok(None) };
        self.last = place;
        self.behind.push(place);
        let header = self.streams[place].next.take().expect("a waiting stream has a record");
        let requests = &mut self.requests;
        Ok(Some(header.action().and_then(|action| {
            let role = requests.role(action)?;
            if role == Role::Passed {
                return Ok(Parsed::Nothing);
            }
            if action == Action::Completed && header.ends_sequence() {
                return Ok(Parsed::Nothing);
            }
            header.asked()?.map_or(Ok(Parsed::Nothing), |asked| requests.take(role, &asked))
        })))
    }

    fn noun(&self) -> &'static str {
        "record"
    }

    fn place(&self, number: u64) -> String {
        match self.streams.as_slice() {
            [_] => format!("record {number}"),
            streams => format!("record {} of {}", streams[self.last].records, streams[self.last].name),
        }
    }

    fn nothing_found(&self) -> Option<String> {
        Some(self.requests.nothing_found())
    }

    fn missing(&self) -> Option<String> {
        self.missing.clone()
    }
}

// The files of one recording: blktrace writes one for every processor, `NAME.blktrace.0`, `NAME.blktrace.1` and so on.

const MARK: &str = ".blktrace.";
const PACKED: [&str; 4] = [".gz", ".zst", ".bz2", ".xz"];

/// What a name is made of: what all files of the recording share before and after the number, and the number.
fn parts(name: &str) -> Option<(&str, u32, &str)> {
    let (plain, packed) =
        PACKED.iter().find_map(|end| name.strip_suffix(end).map(|plain| (plain, *end))).unwrap_or((name, ""));
    let (stem, number) = plain.rsplit_once(MARK)?;
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| Some((stem, number.parse().ok()?, packed))).flatten()
}

/// A file of one processor.
struct Member {
    processor: u32,
    path: PathBuf,
    /// A processor that did nothing has an empty file.
    is_empty: bool,
}

/// Files of the recording called `stem` in `folder`, by processor.
fn all_files(folder: &Path, stem: &str, packed: Option<&str>) -> Vec<Member> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut found: Vec<Member> = entries
        .filter_map(|entry| {
            let entry = entry.ok()?;
            let name = entry.file_name().into_string().ok()?;
            let (its_stem, processor, its_packed) = parts(&name)?;
            let about = fs::metadata(entry.path()).ok().filter(fs::Metadata::is_file)?;
            let one_of_them = its_stem == stem && packed.is_none_or(|packed| packed == its_packed);
            one_of_them.then(|| Member { processor, path: folder.join(name), is_empty: about.len() == 0 })
        })
        .collect();
    found.sort_by(|one, other| (one.processor, &one.path).cmp(&(other.processor, &other.path)));
    found
}

/// Those of them that hold anything.
fn files(folder: &Path, stem: &str, packed: Option<&str>) -> Vec<PathBuf> {
    let all = all_files(folder, stem, packed).into_iter();
    all.filter(|member| !member.is_empty).map(|member| member.path).collect()
}

/// A warning if the recording in `path` lacks files of processors below the highest that has one. Those above
/// it cannot be missed.
fn missing(path: &Path) -> Option<String> {
    const NAMED: usize = 4;
    let (stem, _, packed) = parts(path.file_name()?.to_str()?)?;
    let all = all_files(path.parent().unwrap_or(Path::new("")), stem, Some(packed));
    let there = |number: u32| all.binary_search_by_key(&number, |member| member.processor).is_ok();
    let absent: Vec<_> = (0..all.last()?.processor).filter(|number| !there(*number)).collect();
    let (first, more) = absent.split_at(absent.len().min(NAMED));
    let names: Vec<_> = first.iter().map(|number| format!("{stem}{MARK}{number}{packed}")).collect();
    let more = if more.is_empty() { String::new() } else { format!(" and {} more", more.len()) };
    (!absent.is_empty()).then(|| {
        format!(
            "of {} files of the recording some are not here ({}{more}): unless those processors were off, \
             their \
             requests are missing",
            all.len() + absent.len(),
            names.join(", ")
        )
    })
}

/// All files that hold what the recording in `path` does, `path` among them if its name says that it is one of several.
fn members(path: &Path) -> Vec<PathBuf> {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let folder = path.parent().unwrap_or(Path::new(""));
    match parts(name) {
        // The same spelling as `path` has.
        Some((stem, _, packed)) => files(folder, stem, Some(packed))
            .into_iter()
            .map(|member| folder.join(member.file_name().unwrap_or_default()))
            .collect(),
        None => Vec::new(),
    }
}

/// The file to open for what the user calls `path`: for `NAME`, which blktrace and blkparse take for all of
/// `NAME.blktrace.N`, the first of them; for one of them that is empty, the first that is not.
pub(crate) fn entry(path: &Path) -> PathBuf {
    let found = match fs::metadata(path) {
        Ok(about) if about.is_file() && about.len() == 0 => members(path),
        Err(_) => {
            let stem = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            files(path.parent().unwrap_or(Path::new("")), stem, None)
        }
        Ok(_) => Vec::new(),
    };
    found.into_iter().next().unwrap_or_else(|| path.to_path_buf())
}

/// The recording that `path` holds or is a part of, by its whole path: the first of its files stands for all.
pub(crate) fn recording(path: &Path) -> PathBuf {
    let first = members(path).into_iter().next().unwrap_or_else(|| path.to_path_buf());
    fs::canonicalize(&first).unwrap_or(first)
}
