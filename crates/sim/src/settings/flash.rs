//! What the flash array does, and how long it takes.

use std::fmt;

use schemars::JsonSchema;
use serde::de::{self, Deserializer, IntoDeserializer, Visitor};
use serde::{Deserialize, Serialize};

use super::Time;
use super::alternatives::{Exemption, SWITCH, exempt, reading, scope, unprinted};
use super::units::Ratio;
use crate::time::Nanos;

/// Bits stored in a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum CellType {
    /// One bit per cell: one page level.
    Slc,
    /// Two bits per cell: two page levels.
    Mlc,
    /// Three bits per cell: three page levels.
    Tlc,
    /// Four bits per cell: four page levels.
    Qlc,
}

impl CellType {
    /// Bits per cell, which is the number of page levels.
    pub fn levels(self) -> u32 {
        match self {
            Self::Slc => 1,
            Self::Mlc => 2,
            Self::Tlc => 3,
            Self::Qlc => 4,
        }
    }
}

/// How the pages of a word line are numbered over its levels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LevelOrder {
    /// All pages of the lowest level first, then the next level.
    #[default]
    LevelMajor,
    /// Levels take turns page by page.
    Interleaved,
}

/// One time for all page levels, or one per level from the fastest (SLC-like) up.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum LevelTimes {
    /// The same for every level.
    Same(Time),
    /// One per level.
    PerLevel(Vec<Time>),
}

/// Not derived: of a time that is none, the message is the time's own.
impl<'de> Deserialize<'de> for LevelTimes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OneOrList;
        impl<'de> Visitor<'de> for OneOrList {
            type Value = LevelTimes;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("one time such as \"75us\", or a list with one time per page level")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<LevelTimes, E> {
                Time::deserialize(text.into_deserializer()).map(LevelTimes::Same)
            }

            fn visit_i64<E: de::Error>(self, value: i64) -> Result<LevelTimes, E> {
                Time::deserialize(value.into_deserializer()).map(LevelTimes::Same)
            }

            fn visit_u64<E: de::Error>(self, value: u64) -> Result<LevelTimes, E> {
                Time::deserialize(value.into_deserializer()).map(LevelTimes::Same)
            }

            fn visit_f64<E: de::Error>(self, value: f64) -> Result<LevelTimes, E> {
                Time::deserialize(value.into_deserializer()).map(LevelTimes::Same)
            }

            fn visit_seq<A: de::SeqAccess<'de>>(self, list: A) -> Result<LevelTimes, A::Error> {
                Vec::deserialize(de::value::SeqAccessDeserializer::new(list)).map(LevelTimes::PerLevel)
            }
        }
        deserializer.deserialize_any(OneOrList)
    }
}

/// Whose time the flush timer of program units counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FlushClock {
    /// That of the trace.
    #[default]
    Trace,
    /// That of the drive.
    Drive,
}

/// The flash array.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FlashConfig {
    /// Bits per cell.
    #[serde(default = "defaults::cell")]
    #[schemars(extend("x-alternatives" = scope(
        &["SLC", "MLC", "TLC", "QLC"],
        "Flash of other cells has other times on each level."
    )))]
    pub cell: CellType,
    /// Pages stored on one word line; a multiple of the levels. Default: one page per level.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-alternatives" = scope(
        &["×2", "×4"],
        "A word line holds one page of each level, or several."
    )))]
    pub pages_per_word_line: Option<u32>,
    /// How pages of a word line are numbered.
    #[serde(default)]
    #[schemars(extend("x-alternatives" = reading(
        &["level-major", "interleaved"],
        "Papers number the pages of a word line in either order, and seldom say in which."
    )))]
    pub level_order: LevelOrder,
    /// tR: array to page register.
    #[schemars(extend("x-alternatives" = scope(
        &["×0.5", "×2"],
        "Flash is as slow or as fast as this within a generation."
    )))]
    pub t_read: LevelTimes,
    /// tPROG: page register to array.
    #[schemars(extend("x-alternatives" = scope(
        &["×0.5", "×2"],
        "Flash is as slow or as fast as this within a generation."
    )))]
    pub t_program: LevelTimes,
    /// tBERS: erase of a block.
    #[schemars(extend("x-alternatives" = scope(
        &["×0.5", "×2"],
        "Flash is as slow or as fast as this within a generation."
    )))]
    pub t_erase: Time,
    /// Array times by the erases of a block: rows `{ erases, read, program, erase }`, in ascending order of `erases`. A
    /// block takes the times above, multiplied by the factors of the last row that it has reached. A missing factor is
    /// 100%. Default: the same times for every block.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-alternatives" = scope(
        &["[{ erases = 0, read = \"110%\", program = \"85%\", erase = \"200%\" }]"],
        "Worn blocks are programmed faster, erased slower and read with more care than fresh ones."
    )))]
    pub wear: Vec<TimesByWear>,
    /// Erases of every block before the drive was filled: a worn drive. All counts of erases start from here.
    #[serde(default, skip_serializing_if = "super::is_default")]
    #[schemars(extend("x-alternatives" = scope(
        &["0", "1000", "3000"],
        "A drive is new, or in the middle of its life, or near its end."
    )))]
    pub initial_erases: u32,
    /// How often blocks can be erased: results tell the lifetime of the drive from it.
    /// Blocks fail only with `failures`.
    #[serde(default, skip_serializing_if = "EnduranceConfig::is_unknown")]
    pub endurance: EnduranceConfig,
    /// How many pages of a plane one program covers.
    #[serde(default)]
    #[schemars(extend("x-alternatives" = reading(
        &["page", "word-line"],
        "A program of a multi-level cell may cover a page or the whole word line."
    )))]
    pub program_unit: ProgramUnit,
    /// How long the first page of a unit waits before the unit is programmed without the missing pages. Only with units
    /// of more than a page, or of parts of one (`geometry.mapping_unit`).
    #[serde(default = "defaults::flush_after")]
    #[schemars(extend("x-alternatives" = unprinted(
        &["×0.1", "×10"],
        "How long a partial unit waits is printed nowhere."
    )))]
    pub flush_after: Time,
    /// Whose time `flush_after` is. `trace`: a trace replayed at 2x speed halves the wait, so as many pages are padded
    /// (`host.time_scale`). `drive`: the same wait at any speed. A closed loop uses the drive's.
    #[serde(default)]
    #[schemars(extend("x-alternatives" = reading(
        &["trace", "drive"],
        "A timer is scaled with an accelerated trace, or it is not."
    )))]
    pub flush_clock: FlushClock,
    /// Which pages of different planes of a die may share one array operation.
    #[serde(default)]
    #[schemars(extend("x-alternatives" = reading(
        &["off", "same-page", "same-page-anywhere", "any-page"],
        "Simulators pair operations of planes by different rules, or not at all."
    )))]
    pub multi_plane: MultiPlane,
    /// Whether planes of a die begin their reads together or each by itself. Programs and erases always occupy the die.
    #[serde(default, skip_serializing_if = "PlaneReads::are_shared")]
    #[schemars(extend("x-alternatives" = reading(
        &["shared", "independent"],
        "A die may do one read, or one multi-plane read, at a time, or one on each plane by itself."
    )))]
    pub plane_reads: PlaneReads,
    /// Whether a plane reads its next page while earlier data is in its cache register. Only with `plane_reads =
    /// "independent"`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[schemars(extend("x-alternatives" = reading(
        SWITCH,
        "Array time of the next read may lie under the data of the one before it, or follow them."
    )))]
    pub cache_reads: bool,
    /// Whether data of the next program goes to a die while its array still programs: at most one program ahead, by the
    /// cache register. Reads and erases wait until the array has finished both.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[schemars(extend("x-alternatives" = reading(
        SWITCH,
        "Data of the next program may come under the array time of the one before it, or follow it."
    )))]
    pub cache_programs: bool,
    /// Whether the dies of a chip work at the same time. Off, a chip does one operation at a time, as in MQSim.
    #[serde(default = "defaults::yes")]
    #[schemars(extend("x-alternatives" = reading(
        SWITCH,
        "MQSim lets a chip do one operation at a time; chips let their dies overlap."
    )))]
    pub dies_overlap: bool,
    /// Whether a read may interrupt a program or an erase of the same die.
    #[serde(default)]
    pub suspend: SuspendConfig,
    /// Reads that fail, and that the die repeats.
    #[serde(default, skip_serializing_if = "ReadRetryConfig::is_off")]
    pub read_retry: ReadRetryConfig,
}

impl FlashConfig {
    /// Whether one program covers pages of several levels at once.
    pub(crate) fn programs_word_lines(&self) -> bool {
        self.program_unit == ProgramUnit::WordLine && self.cell.levels() > 1
    }
}

/// How many pages of a plane one program covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ProgramUnit {
    /// Each page by itself.
    #[default]
    Page,
    /// The pages of a word line, one of each level: full-sequence (one-shot) programming. A unit that lacks pages is
    /// filled up with padding.
    WordLine,
}

/// Which pages of different planes of a die may share one array operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MultiPlane {
    /// None: one plane at a time.
    #[default]
    Off,
    /// Pages with the same number inside their blocks (ONFI's classic multi-plane rule), of the operations that wait
    /// longest in each plane.
    SamePage,
    /// Pages with the same number, of whatever waits: host and collected pages together, and reads out of turn
    /// (MQSim's search through its queues).
    SamePageAnywhere,
    /// Any pages (independent plane operations).
    AnyPage,
}

/// How planes of a die read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PlaneReads {
    /// The die reads on one plane at a time, or on those together that share an operation (`flash.multi_plane`).
    #[default]
    Shared,
    /// Each plane reads by itself, whatever the other planes of the die read; never beside a program, an erase or a
    /// copyback of the die. No reads share an operation.
    Independent,
}

impl PlaneReads {
    /// Whether planes of a die do not read by themselves.
    #[allow(clippy::trivially_copy_pass_by_ref, reason = "as serde asks")]
    pub(crate) fn are_shared(&self) -> bool {
        *self == Self::Shared
    }
}

/// Program and erase suspension.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SuspendConfig {
    /// A host read may suspend a program.
    #[schemars(extend("x-alternatives" = unprinted(
        SWITCH,
        "Few papers say whether a read may suspend a program."
    )))]
    pub program: bool,
    /// A host read may suspend an erase.
    #[schemars(extend("x-alternatives" = unprinted(
        SWITCH,
        "Few papers say whether a read may suspend an erase."
    )))]
    pub erase: bool,
    /// From the decision to the array being free for the read.
    #[schemars(extend("x-alternatives" = unprinted(
        &["×0.25", "×4"],
        "Vendors print no time for a suspension."
    )))]
    pub t_suspend: Time,
    /// Extra array time when the operation goes on.
    #[schemars(extend("x-alternatives" = unprinted(
        &["×0.25", "×4"],
        "Vendors print no time for a resumption."
    )))]
    pub t_resume: Time,
    /// How often one operation may be suspended.
    #[schemars(extend("x-alternatives" = unprinted(
        &["1", "8"],
        "How often an operation may be suspended is printed nowhere."
    )))]
    pub limit: u32,
}

impl Default for SuspendConfig {
    fn default() -> Self {
        let time = |us: u64| Time(Nanos(us * 1000));
        Self { program: false, erase: false, t_suspend: time(20), t_resume: time(20), limit: 8 }
    }
}

mod defaults {
    use super::{CellType, Nanos, Time};

    pub fn flush_after() -> Time {
        Time(Nanos(1_000_000))
    }

    pub fn cell() -> CellType {
        CellType::Slc
    }
    pub fn yes() -> bool {
        true
    }
}

/// Reads that fail, and that the die repeats.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ReadRetryConfig {
    /// The share of reads, and of repeated reads again, that fail. Which do is drawn, from the seed of the run.
    #[schemars(extend("x-alternatives" = unprinted(
        &["0%", "1%", "10%"],
        "How many reads fail depends on the age of the flash and is printed nowhere."
    )))]
    pub rate: Ratio,
    /// How often a read is repeated at most; the last is taken to succeed.
    #[schemars(extend("x-alternatives" = unprinted(
        &["1", "16"],
        "The length of a drive's table of read voltages is printed nowhere."
    )))]
    pub most: u32,
    /// What each repetition adds to the array time. Default: tR of the page.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-alternatives" = unprinted(
        &["×0.5", "×2"],
        "A repetition may have to set other voltages first, or be quicker than a read; vendors print no time."
    )))]
    pub t_retry: Option<Time>,
}

impl ReadRetryConfig {
    /// Whether every read succeeds.
    pub(crate) fn is_off(&self) -> bool {
        self.rate.ppm == 0 && *self == Self::default()
    }
}

impl Default for ReadRetryConfig {
    fn default() -> Self {
        Self { rate: Ratio { ppm: 0 }, most: 8, t_retry: None }
    }
}

/// How often blocks can be erased.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct EnduranceConfig {
    /// Erases that a block bears (P/E cycles). Default: unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-alternatives" = exempt(Exemption::Recording)))]
    pub erases: Option<u32>,
    /// The same of a block of the SLC cache. Default: unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-alternatives" = exempt(Exemption::Recording)))]
    pub single_level_erases: Option<u32>,
    /// The share of blocks that have failed once each was erased so often: rows `{ erases, failed }`, in ascending
    /// order. Between rows the share grows evenly, from none at 0 erases to the first; after the last none fail. Which
    /// blocks these are is drawn. A block that fails is never written again. Default: none fails.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-alternatives" = scope(
        &["[{ erases = 3000, failed = \"0%\" }, { erases = 6000, failed = \"50%\" }]"],
        "Near the end of a drive's life its spare blocks are used up."
    )))]
    pub failures: Vec<FailedBlocks>,
    /// Over how many years drive writes per day are told.
    #[schemars(extend("x-alternatives" = exempt(Exemption::Recording)))]
    pub warranty_years: u32,
}

impl EnduranceConfig {
    /// Whether nothing is said.
    pub(crate) fn is_unknown(&self) -> bool {
        *self == Self::default()
    }
}

impl Default for EnduranceConfig {
    fn default() -> Self {
        Self { erases: None, single_level_erases: None, failures: Vec::new(), warranty_years: 5 }
    }
}

/// How many blocks have failed by a number of erases.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FailedBlocks {
    /// Erases of each block.
    pub erases: u32,
    /// Of all blocks, those that have failed by then.
    pub failed: Ratio,
}

/// Array times of blocks from so many erases on, as factors of the times of the drive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TimesByWear {
    /// Holds for a block that was erased so often, until it comes to the next row.
    pub erases: u32,
    /// Factor of tR, the time of a read, and of `flash.read_retry.t_retry`.
    #[serde(default = "as_configured")]
    pub read: Ratio,
    /// Factor of tPROG, the time of a program.
    #[serde(default = "as_configured")]
    pub program: Ratio,
    /// Factor of tBERS, the time of an erase.
    #[serde(default = "as_configured")]
    pub erase: Ratio,
}

const fn as_configured() -> Ratio {
    Ratio::WHOLE
}

impl TimesByWear {
    /// The times of the drive as they are.
    pub(crate) const NONE: Self =
        Self { erases: 0, read: as_configured(), program: as_configured(), erase: as_configured() };

    /// The row that holds for a block erased so often.
    pub(crate) fn of(rows: &[Self], erases: u32) -> Self {
        rows.iter().rev().find(|row| row.erases <= erases).copied().unwrap_or(Self::NONE)
    }
}
