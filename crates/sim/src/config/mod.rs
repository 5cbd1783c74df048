//! Configuration, defined once: these structs are the file format, the JSON Schema and the documentation.

mod controller;
mod error;
mod facts;
mod host;
mod load;
mod load_ends;
mod phases;
mod presets;
mod schemes;
mod start;
mod trace;
mod units;
mod validate;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use controller::ControllerConfig;
pub use error::ConfigError;
pub(crate) use facts::facts_after;
pub use facts::{Facts, derive_facts};
pub use host::{HostConfig, HostMode, LinkConfig};
pub use load::{LoadRequest, load, load_trace};
pub use load_ends::LoadEnd;
pub use phases::{MeasureConfig, WarmupConfig, WarmupKind};
pub use presets::{Listed, preset_toml, presets};
pub use schemes::schemes;
pub use start::GcStarts;
pub use trace::{Found, MergeConfig, TraceConfig};
pub use units::{BlockCount, BufferSize, MeasureAfter, Ratio, Size, Time, TransferRate};

use crate::registry::PolicyChoice;

/// Everything that, with a trace, determines a result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// What reports call this drive.
    pub name: String,
    /// Seed of every random stream.
    #[serde(default = "defaults::seed")]
    pub seed: u64,
    /// How many of what, and how much of it the host sees.
    pub geometry: GeometryConfig,
    /// What the flash array does and how long it takes.
    pub flash: FlashConfig,
    /// The wires between controller and chips.
    pub channel: ChannelConfig,
    /// The controller's memory for host data.
    #[serde(default)]
    pub controller: ControllerConfig,
    /// Who may use which wires, when.
    #[serde(default = "defaults::interconnect")]
    pub interconnect: PolicyChoice,
    /// Address mapping, placement and wear levelling.
    #[serde(default)]
    pub ftl: FtlConfig,
    /// Garbage collection.
    #[serde(default)]
    pub gc: GcConfig,
    /// What else must be read and written when a page is written.
    #[serde(default = "defaults::redundancy")]
    pub redundancy: PolicyChoice,
    /// Which waiting operation a die takes next.
    #[serde(default = "defaults::scheduler")]
    pub scheduler: PolicyChoice,
    /// How the trace is opened, and what is done to it before it is played.
    #[serde(default)]
    pub trace: TraceConfig,
    /// How requests reach the drive.
    #[serde(default)]
    pub host: HostConfig,
    /// The state of the drive before the timed run.
    #[serde(default)]
    pub warmup: WarmupConfig,
    /// From when on the timed run is measured.
    #[serde(default)]
    pub measure: MeasureConfig,
}

/// The flash array's dimensions and the capacity the host sees.
///
/// Exactly one of `exposed_capacity`, `over_provisioning` and `spare_factor` must be given.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GeometryConfig {
    /// Channels.
    pub channels: u32,
    /// Chips (packages) on each channel.
    pub chips_per_channel: u32,
    /// Dies (LUNs) in each chip.
    pub dies_per_chip: u32,
    /// Planes in each die.
    pub planes_per_die: u32,
    /// Blocks in each plane.
    pub blocks_per_plane: u32,
    /// Pages in each block.
    pub pages_per_block: u32,
    /// Bytes of user data in a page.
    pub page_size: Size,
    /// Capacity the host sees.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exposed_capacity: Option<Size>,
    /// Hidden pages as a share of the exposed ones: (T - U) / U.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub over_provisioning: Option<Ratio>,
    /// Hidden pages as a share of all pages: (T - U) / T. MQSim's "overprovisioning ratio".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spare_factor: Option<Ratio>,
}

/// Bits stored in a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum CellType {
    /// One bit.
    Slc,
    /// Two bits.
    Mlc,
    /// Three bits.
    Tlc,
    /// Four bits.
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
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "expected one time such as \"75us\", or a list with one time per page level")]
pub enum LevelTimes {
    /// The same for every level.
    Same(Time),
    /// One per level.
    PerLevel(Vec<Time>),
}

/// The flash array.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FlashConfig {
    /// Bits per cell.
    #[serde(default = "defaults::cell")]
    pub cell: CellType,
    /// Pages stored on one word line; a multiple of the levels. Default: one page per level.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pages_per_word_line: Option<u32>,
    /// How pages of a word line are numbered.
    #[serde(default)]
    pub level_order: LevelOrder,
    /// tR: array to page register.
    pub t_read: LevelTimes,
    /// tPROG: page register to array.
    pub t_program: LevelTimes,
    /// tBERS: erase of a block.
    pub t_erase: Time,
    /// Which pages of different planes of a die may share one array operation.
    #[serde(default)]
    pub multi_plane: MultiPlane,
    /// Whether the dies of a chip work at the same time. Off, a chip does one operation at a time, as in MQSim.
    #[serde(default = "defaults::yes")]
    pub dies_overlap: bool,
    /// Whether a read may interrupt a program or an erase of the same die.
    #[serde(default)]
    pub suspend: SuspendConfig,
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

/// Program and erase suspension.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SuspendConfig {
    /// A host read may suspend a program.
    pub program: bool,
    /// A host read may suspend an erase.
    pub erase: bool,
    /// From the decision to the array being free for the read.
    pub t_suspend: Time,
    /// Extra array time when the operation goes on.
    pub t_resume: Time,
    /// How often one operation may be suspended.
    pub limit: u32,
}

impl Default for SuspendConfig {
    fn default() -> Self {
        let time = |us: u64| Time(crate::engine::Nanos(us * 1000));
        Self { program: false, erase: false, t_suspend: time(20), t_resume: time(20), limit: 8 }
    }
}

/// The wires of a channel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChannelConfig {
    /// Data transfers per second on each wire.
    pub rate: TransferRate,
    /// Data wires.
    #[serde(default = "defaults::width")]
    pub width_bits: u32,
    /// One command or address cycle.
    #[serde(default = "defaults::command_cycle")]
    pub command_cycle: Time,
    /// Command and address cycles of each operation.
    #[serde(default)]
    pub commands: CommandsConfig,
    /// Data moves in multiples of this; a page at most. Absent: always whole pages, as ECC over the page needs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub granularity: Option<Size>,
    /// Whether the program of a partly written page brings only the new bytes (in multiples of `granularity`), as
    /// MQSim counts it, and not the whole page that was put together in the controller.
    #[serde(default)]
    pub partial_programs: bool,
    /// Who goes first among those who wait for the wires.
    #[serde(default)]
    pub order: WireOrder,
}

/// Who goes first among those who wait for the wires of a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WireOrder {
    /// Commands without data, then data of host reads, data of moved pages, programs: keeps arrays at work.
    #[default]
    CommandsFirst,
    /// Data of host reads, data of moved pages, then commands and programs as they came: MQSim's order.
    DataFirst,
}

/// Command and address cycles on the wires, per operation and plane.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CommandsConfig {
    /// Page read: 00h, five address cycles, 30h.
    pub read_cycles: u32,
    /// Page program: 80h, five address cycles, 10h.
    pub program_cycles: u32,
    /// Block erase: 60h, three address cycles, D0h.
    pub erase_cycles: u32,
    /// Fixed time on the wires beside the cycles of a read (set-up and ready/busy times).
    pub read_overhead: Time,
    /// The same for a program.
    pub program_overhead: Time,
    /// The same for an erase.
    pub erase_overhead: Time,
    /// What each further plane of a multi-plane read adds on the wires. Default: as much as the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_further_plane: Option<Time>,
    /// The same for a program, beside its data.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub program_further_plane: Option<Time>,
    /// The same for an erase.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub erase_further_plane: Option<Time>,
}

impl Default for CommandsConfig {
    fn default() -> Self {
        let none = Time(crate::engine::Nanos(0));
        Self {
            read_cycles: 7,
            program_cycles: 7,
            erase_cycles: 5,
            read_overhead: none,
            program_overhead: none,
            erase_overhead: none,
            read_further_plane: None,
            program_further_plane: None,
            erase_further_plane: None,
        }
    }
}

/// Which open block the collector writes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum GcFrontier {
    /// Collected pages go to an open block of their own.
    #[default]
    Separate,
    /// Host and collected pages share one open block.
    Shared,
}

/// When a program gets its physical page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AssignPages {
    /// When it starts: pages of a block are programmed in order whatever the scheduler does.
    #[default]
    AtStart,
    /// When it is queued, as in MQSim: open blocks fill, and triggers are asked, while programs still wait. Needs a
    /// separate collection frontier and moves through the controller.
    OnArrival,
}

/// The flash translation layer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FtlConfig {
    /// Where a host write goes.
    pub allocation: PolicyChoice,
    /// Whether host and collected pages share an open block.
    pub gc_frontier: GcFrontier,
    /// When a program gets its physical page.
    pub assign_pages: AssignPages,
    /// Wear levelling.
    pub wear: WearConfig,
}

impl Default for FtlConfig {
    fn default() -> Self {
        Self {
            allocation: PolicyChoice::of("striping"),
            gc_frontier: GcFrontier::default(),
            assign_pages: AssignPages::default(),
            wear: WearConfig::default(),
        }
    }
}

/// Wear levelling, off by default. `examples/devices/wear-levelling.toml` is a drive that has it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct WearConfig {
    /// Dynamic: open the least-erased free block instead of the one freed first.
    pub dynamic: bool,
    /// Static: when a block has been erased this much more often than the least-erased full block of its plane,
    /// that block's data is moved away so that it wears too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub static_threshold: Option<u32>,
}

/// Garbage collection.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct GcConfig {
    /// When a plane is to be collected.
    pub trigger: PolicyChoice,
    /// Which block.
    pub victim: PolicyChoice,
    /// How valid pages move.
    pub migration: PolicyChoice,
    /// How many planes collect at once.
    pub concurrency: PolicyChoice,
    /// Page moves one job keeps under way at a time.
    pub pages_in_flight: u32,
    /// Whether host requests for a page of a block under collection wait until it has been moved, as in MQSim.
    /// Otherwise reads go to where the page is, and writes make its move needless.
    pub holds_pages: bool,
}

impl Default for GcConfig {
    fn default() -> Self {
        Self {
            trigger: PolicyChoice::of("free-blocks"),
            victim: PolicyChoice::of("greedy"),
            migration: PolicyChoice::of("controller"),
            concurrency: PolicyChoice::of("all"),
            pages_in_flight: 1,
            holds_pages: false,
        }
    }
}

impl Config {
    /// The configuration as a TOML file that loads to the same configuration.
    ///
    /// # Panics
    /// Never: every configuration can be written down.
    pub fn to_toml(&self) -> String {
        toml::to_string(self).expect("a configuration is a plain tree of tables")
    }
}

/// The JSON Schema of a device file.
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(Config).to_value()
}

mod defaults {
    use super::{CellType, PolicyChoice, Time};
    use crate::engine::Nanos;

    pub fn seed() -> u64 {
        42
    }
    pub fn cell() -> CellType {
        CellType::Slc
    }
    pub fn yes() -> bool {
        true
    }
    pub fn width() -> u32 {
        8
    }
    pub fn command_cycle() -> Time {
        Time(Nanos(25))
    }
    pub fn interconnect() -> PolicyChoice {
        PolicyChoice::of("bus")
    }
    pub fn redundancy() -> PolicyChoice {
        PolicyChoice::of("none")
    }
    pub fn scheduler() -> PolicyChoice {
        PolicyChoice::of("read-first")
    }
}

/// Every seam with its members, what they do and the parameters they take.
pub fn catalogue() -> serde_json::Value {
    let member = |(name, about, schema): (&str, &str, schemars::Schema)| serde_json::json!({ "name": name, "about": about, "parameters": schema.to_value() });
    let seam = |seam: &&dyn crate::registry::Seam| {
        let members: Vec<_> = seam.listing().into_iter().map(member).collect();
        serde_json::json!({ "key": seam.key(), "members": members })
    };
    validate::seams().iter().map(seam).collect()
}
