//! What is done to a trace before it is played.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use reclaim_trace::transform::{
    JitterSpec, MergeSpec, RepeatSpec, RotateSpec, SampleSpec, StreamRange, Transforms,
};
use reclaim_trace::{Event, OnError, OpenOptions, TimeUnit, Trace, TraceError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::alternatives::{Exemption, exempt, reading, scope, unprinted};
use super::{ConfigError, Ratio, Rotation, Size, Time};

/// How the trace is opened and what is done to it before it is played, always in the order merge, window, shift, align,
/// sample, limit, streams, rotate, repeat, jitter, remap, whatever the order of the keys. Paths are relative to the
/// present folder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TraceConfig {
    /// The format of the trace, where recognition is to be overridden. For `merge`, too, where `columns` is.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-alternatives" = exempt(Exemption::Path)))]
    pub format: Option<String>,
    /// Which device of a trace of several, as the trace writes it, or `all`. Not for `merge`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-alternatives" = exempt(Exemption::Path)))]
    pub device: Option<String>,
    /// Sort a trace in which time goes backwards. For `merge`, too.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schemars(extend("x-alternatives" = exempt(Exemption::Path)))]
    pub sort: bool,
    /// Which event of a block-layer recording counts: `Q`, `D` or `C`. For `merge`, too, where the format has events.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-alternatives" = exempt(Exemption::Path)))]
    pub event: Option<String>,
    /// The unit of time, for formats that leave a doubt (`msr`, `mqsim`, `disksim`, `fio`, `systor`, `spc`, `alibaba`,
    /// `tencent`): `ns`, `100ns`, `us`, `ms` or `s`. For `merge`, too, where the format is one of these.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-alternatives" = exempt(Exemption::Path)))]
    pub time_unit: Option<String>,
    /// What the columns of any other table hold. For `merge`, too, where a file looks like the trace, or like no known
    /// format.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-alternatives" = exempt(Exemption::Path)))]
    pub columns: Option<String>,
    /// What separates the columns: `comma`, `tab`, `blanks` or one character. For `merge`, too, where `columns` is.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-alternatives" = exempt(Exemption::Path)))]
    pub separator: Option<String>,
    /// What to do about a line that cannot be read: `stop`, or leave it out and `report` it. For `merge`, too.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-alternatives" = exempt(Exemption::Path)))]
    pub on_error: Option<String>,
    /// Which draw of a generated trace is replayed: this number is added to the seed of its description. Recorded and
    /// merged traces have only one.
    #[schemars(extend("x-alternatives" = exempt(Exemption::Identity)))]
    pub draw: u64,
    /// Other traces merged in by time, those of one file by its clock: tables with `file` (a path or a catalogue name)
    /// and, optionally, `shift` (added to addresses), `stream` (that of all its requests, from 0 to 255), `format`,
    /// `device`, `sort`, `event`, `time_unit`, `columns`, `separator` and `on_error`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-alternatives" = exempt(Exemption::Path)))]
    pub merge: Vec<MergeConfig>,
    /// Merged traces get address ranges one after the other, rounded up to whole MiB; each trace's `shift` is added
    /// first.
    #[schemars(extend("x-alternatives" = exempt(Exemption::Path)))]
    pub separate: bool,
    /// Merged files were recorded by one clock, as volumes at the same time, and keep it; otherwise each begins at time
    /// 0.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schemars(extend("x-alternatives" = exempt(Exemption::Path)))]
    pub common_clock: bool,
    /// Leave out requests before this time after the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-alternatives" = exempt(Exemption::Path)))]
    pub from: Option<Time>,
    /// Leave out requests from this time on.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-alternatives" = exempt(Exemption::Path)))]
    pub to: Option<Time>,
    /// Added to all addresses, for example to undo the offset of a partition.
    #[schemars(extend("x-alternatives" = exempt(Exemption::Path)))]
    pub shift: Size,
    /// Reads and writes grow outward to whole multiples of this; trims shrink inward, and empty ones are left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-alternatives" = scope(
        &["4KiB"],
        "Requests of file systems come in multiples of 4 KiB."
    )))]
    pub align: Option<Size>,
    /// Keep this share of the units of the address space, chosen by a hash, and all accesses to them.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-alternatives" = scope(
        &["×0.5"],
        "A sample of the addresses keeps the mix and lowers the load."
    )))]
    pub sample: Option<Ratio>,
    /// The unit of sampling: a power of two.
    #[schemars(extend("x-alternatives" = unprinted(
        &["×4"],
        "In which pieces addresses are sampled is printed nowhere."
    )))]
    pub sample_unit: Size,
    /// Chooses one of the possible samples.
    #[schemars(extend("x-alternatives" = exempt(Exemption::Identity)))]
    pub sample_seed: u64,
    /// Stop after so many requests.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-alternatives" = scope(
        &["×0.5"],
        "Papers play the first part of a trace, and seldom say how much."
    )))]
    pub max_requests: Option<u64>,
    /// Streams by address, as of a host that has a handle for each partition: tables with `first`, `bytes` and `stream`
    /// (from 0 to 255). A request that begins in such a range, by the addresses that all keys above leave, is of its
    /// stream; others keep that of the trace.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-alternatives" = exempt(Exemption::Path)))]
    pub streams: Vec<StreamConfig>,
    /// The trace begins at another request and goes round: earlier requests follow the last one, after the mean gap. A
    /// share of the requests, or a number of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-alternatives" = scope(
        &["25%", "50%"],
        "A trace has no natural beginning: another part of it can come first."
    )))]
    pub rotate: Option<Rotation>,
    /// Play what is left so many times.
    #[schemars(extend("x-alternatives" = scope(&["×2"], "A longer run brings more of the same.")))]
    pub repeat: u64,
    /// From the last arrival of a round to the first of the next. Absent: the mean gap of the first round.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-alternatives" = unprinted(
        &["×2"],
        "How long a drive rests between two plays is printed nowhere."
    )))]
    pub repeat_gap: Option<Time>,
    /// Order of requests in repeated rounds, of `repeat` and of a warm-up that replays the trace: `same` (the default),
    /// or `shuffled`, drawn anew for each round from `seed`.
    #[serde(skip_serializing_if = "RepeatOrder::is_same")]
    #[schemars(extend("x-alternatives" = scope(
        &["same", "shuffled"],
        "Requests that always come in one order are evidence of that order only."
    )))]
    pub repeat_order: RepeatOrder,
    /// Every arrival but the first moves by up to this, earlier or later, drawn uniformly from `seed`. Requests are
    /// replayed in the order of the new times.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-alternatives" = scope(
        &["10us", "1ms"],
        "Recorded times are those of another machine."
    )))]
    pub jitter: Option<Time>,
    /// How addresses beyond the drive's are remapped to it.
    #[schemars(extend("x-alternatives" = reading(
        &["none", "wrap", "compact", "scale"],
        "Traces of larger drives are brought inside by one rule or another."
    )))]
    pub remap: Remap,
}

impl Default for TraceConfig {
    fn default() -> Self {
        Self {
            format: None,
            device: None,
            sort: false,
            event: None,
            time_unit: None,
            columns: None,
            separator: None,
            on_error: None,
            draw: 0,
            merge: Vec::new(),
            separate: false,
            common_clock: false,
            from: None,
            to: None,
            shift: Size(0),
            align: None,
            sample: None,
            sample_unit: Size(1 << 20),
            sample_seed: 0,
            max_requests: None,
            streams: Vec::new(),
            rotate: None,
            repeat: 1,
            repeat_gap: None,
            repeat_order: RepeatOrder::Same,
            jitter: None,
            remap: Remap::None,
        }
    }
}

/// A trace to merge in. What is not set here is as for the trace it is merged into.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MergeConfig {
    /// The file, or a name of the trace catalogue. Its first request is at time 0, as that of the first trace is; if
    /// it is the file of the first trace, its requests keep the clock of the file.
    pub file: String,
    /// Where the catalogue has the file, if `file` is a name of it.
    #[serde(skip)]
    pub found: Option<Found>,
    /// Added to its addresses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shift: Option<Size>,
    /// The stream that all its requests are of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stream: Option<u8>,
    /// Its format, where recognition is to be overridden.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// Which device of a file that holds several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
    /// Whether to sort it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sort: Option<bool>,
    /// Which of its events count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<String>,
    /// Its unit of time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_unit: Option<String>,
    /// What its columns hold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub columns: Option<String>,
    /// What separates its columns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub separator: Option<String>,
    /// What to do about a line of it that cannot be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_error: Option<String>,
}

/// Which stream requests are of that begin in a range of addresses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StreamConfig {
    /// Where the range begins.
    pub first: Size,
    /// How long it is.
    pub bytes: Size,
    /// The stream, from 0 to 255.
    pub stream: u8,
}

impl StreamConfig {
    fn range(&self) -> StreamRange {
        let Self { first, bytes, stream } = self;
        StreamRange { first_bytes: first.0, size_bytes: bytes.0, stream: *stream }
    }
}

/// Where a trace of the catalogue is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The file on this computer that the catalogue's entry names.
    pub path: PathBuf,
    /// Which of its devices goes by the name, if the file holds several.
    pub device: Option<String>,
}

/// What a drive addresses: requests aligned to anything else would end where none can.
const SECTOR_BYTES: u64 = 512;

/// Separate address ranges begin at multiples of this.
const RANGE_BYTES: u64 = 1 << 20;

/// Keys of text that may look like a number.
pub(crate) const WORDS: [&str; 7] = [
    "trace.format",
    "trace.device",
    "trace.event",
    "trace.time_unit",
    "trace.columns",
    "trace.separator",
    "trace.on_error",
];

/// A word for one of several values.
fn word<T: FromStr<Err = TraceError>>(text: Option<&String>) -> Result<Option<T>, TraceError> {
    text.map(|text| text.parse()).transpose()
}

impl MergeConfig {
    /// How it is opened: the settings given here, and `shared` for those that are not.
    fn opening(&self, shared: &OpenOptions) -> Result<OpenOptions, TraceError> {
        Ok(OpenOptions {
            format: self.format.clone(),
            sort: self.sort.unwrap_or(shared.sort),
            device: self.device.clone().or_else(|| self.found.as_ref()?.device.clone()),
            event: word::<Event>(self.event.as_ref())?,
            time_unit: word::<TimeUnit>(self.time_unit.as_ref())?,
            columns: self.columns.clone(),
            separator: self.separator.clone(),
            on_error: word::<OnError>(self.on_error.as_ref())?.unwrap_or(shared.on_error),
        })
    }

    fn path(&self) -> &Path {
        self.found.as_ref().map_or(Path::new(&self.file), |found| &found.path)
    }
}

impl TraceConfig {
    /// How the trace is opened.
    ///
    /// # Errors
    /// When a word is none of those valid.
    pub fn opening(&self) -> Result<OpenOptions, TraceError> {
        Ok(OpenOptions {
            format: self.format.clone(),
            sort: self.sort,
            device: self.device.clone(),
            event: word::<Event>(self.event.as_ref())?,
            time_unit: word::<TimeUnit>(self.time_unit.as_ref())?,
            columns: self.columns.clone(),
            separator: self.separator.clone(),
            on_error: word::<OnError>(self.on_error.as_ref())?.unwrap_or_default(),
        })
    }

    /// `trace` with everything done to it but the remap, which needs the drive. What is random in it draws from `seed`,
    /// the configuration's. A file is opened again with the settings given here; the options it was opened with before
    /// apply to the traces to merge as if they were given here.
    ///
    /// # Errors
    /// When a trace cannot be opened so (or, for separate ranges, read), or a step cannot be done.
    pub fn apply(&self, trace: &Trace, seed: u64) -> Result<Trace, TraceError> {
        let opening = self.opening()?;
        let trace = &trace.opened_with(&opening)?.drawn(self.draw)?;
        let mut transforms = self.steps(seed);
        let mut end = 0;
        if self.separate && !self.merge.is_empty() {
            end = trace.scan()?.max_end_bytes;
        }
        // What is not a file was not opened, but the options for opening apply to the traces that are merged into it.
        let shared = trace.options().with(&opening)?;
        for merge in &self.merge {
            let other = trace.open_merged(merge.path(), &merge.opening(&shared)?, &shared)?;
            let mut shift_bytes = merge.shift.map_or(0, |size| size.0);
            if self.separate {
                shift_bytes =
                    shift_bytes.saturating_add(end).checked_next_multiple_of(RANGE_BYTES).unwrap_or(u64::MAX);
                let scanned = other.scan().map_err(|error| error.of_merged(other.name()))?;
                end = shift_bytes.saturating_add(scanned.max_end_bytes);
            }
            transforms.merge.push(MergeSpec { trace: other, shift_bytes, stream: merge.stream });
        }
        trace.transformed(transforms)
    }

    /// A trace to which all this has been done, played as often as a trace can be.
    ///
    /// # Errors
    /// As [`Trace::transformed`].
    pub fn over_and_over(&self, trace: &Trace, seed: u64) -> Result<Trace, TraceError> {
        let repeat = RepeatSpec { times: RepeatSpec::MOST, ..self.rounds(seed) };
        trace.transformed(Transforms { repeat: Some(repeat), ..Transforms::default() })
    }

    fn rounds(&self, seed: u64) -> RepeatSpec {
        RepeatSpec {
            times: self.repeat,
            gap_ns: self.repeat_gap.map(|gap| gap.0.0),
            shuffled_by: (self.repeat_order == RepeatOrder::Shuffled).then_some(seed),
        }
    }

    fn steps(&self, seed: u64) -> Transforms {
        let repeat = self.rounds(seed);
        Transforms {
            common_clock: self.common_clock,
            from_ns: self.from.map(|time| time.0.0),
            to_ns: self.to.map(|time| time.0.0),
            shift_bytes: self.shift.0,
            align_bytes: self.align.map(|size| size.0),
            sample: self.sample.map(|share| SampleSpec {
                rate_ppm: share.ppm,
                unit_bytes: self.sample_unit.0,
                seed: self.sample_seed,
            }),
            streams: self.streams.iter().map(StreamConfig::range).collect(),
            max_requests: self.max_requests,
            rotate: self.rotate.and_then(|rotation| match rotation {
                Rotation::Requests(0) | Rotation::Share(Ratio { ppm: 0 }) => None,
                Rotation::Requests(requests) => Some(RotateSpec::Requests(requests)),
                Rotation::Share(share) => Some(RotateSpec::Share { ppm: share.ppm }),
            }),
            repeat: (self.repeat != 1).then_some(repeat),
            jitter: self
                .jitter
                .filter(|most| most.0.0 > 0)
                .map(|most| JitterSpec { most_ns: most.0.0, seed }),
            ..Transforms::default()
        }
    }

    pub(crate) fn validate(&self) -> Result<(), ConfigError> {
        let opened = self
            .opening()
            .and_then(|shared| self.merge.iter().try_for_each(|merge| merge.opening(&shared).map(|_| ())));
        if let Err(error) = opened {
            return Err(ConfigError::at("trace", &error.to_string()));
        }
        if let Some(align) = self.align
            && (align.0 == 0 || !align.0.is_multiple_of(SECTOR_BYTES))
        {
            let reason =
                format!("{align} is not whole sectors of {SECTOR_BYTES} B, such as \"512B\" or \"4KiB\"");
            return Err(ConfigError::at("trace.align", &reason));
        }
        // Wrong also where nothing is sampled yet.
        if let Some(reason) = SampleSpec::unit_fault(self.sample_unit.0) {
            return Err(ConfigError::at("trace.sample_unit", &reason));
        }
        match self.steps(0).fault() {
            Some(reason) => Err(ConfigError::at("trace", &reason)),
            None => Ok(()),
        }
    }
}

/// How addresses beyond the drive's are remapped to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Remap {
    /// As they are; a trace larger than the drive is refused.
    #[default]
    None,
    /// Page number modulo the drive's pages: distant pages may share a place.
    Wrap,
    /// Pages numbered in the order in which they are first read or written: keeps every page apart, loses distance.
    Compact,
    /// All addresses shrunk by one factor: keeps order and distance, neighbouring pages share a place.
    Scale,
}

/// In which order the requests of a trace come that is played again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RepeatOrder {
    /// In that of the trace, every time.
    #[default]
    Same,
    /// In another every time, drawn from `seed`; each arrives when another did.
    Shuffled,
}

impl RepeatOrder {
    /// Whether it is that of the trace.
    pub fn is_same(&self) -> bool {
        *self == Self::Same
    }
}
