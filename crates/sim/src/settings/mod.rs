//! Settings: these structs are the format of a device file, its JSON Schema and its documentation.
//!
//! They know values and units, and nothing of the policies that they name: `config/` loads and checks them.

pub mod alternatives;
mod channel;
mod config;
mod controller;
mod error;
mod flash;
mod ftl;
mod gc;
mod geometry;
mod host;
mod pace;
mod phases;
mod policy;
mod preparing;
mod read_retry;
mod remap;
mod repeat_order;
mod slc_cache;
mod ties;
mod trace;
mod units;
mod wear;
mod wording;

pub use channel::{BufferPath, ChannelArbitration, ChannelConfig, CommandsConfig};
pub use config::{Config, schema};
pub use controller::{Acknowledge, ControllerConfig};
pub use error::ConfigError;
pub(crate) use error::suggest;
pub use flash::{
    CellType, FlashConfig, FlushClock, LevelOrder, LevelTimes, MultiPlane, ProgramUnit, SuspendConfig,
};
pub use ftl::{AssignPages, FtlConfig, GcFrontier, Superblock, WearConfig};
pub use gc::GcConfig;
pub use geometry::GeometryConfig;
pub use host::{HostConfig, HostMode, LinkConfig, TargetPolicies};
pub use phases::{MeasureConfig, OWN_START, WarmupConfig, WarmupKind, WarmupPadding, WarmupPolicies};
pub use policy::PolicyChoice;
pub use read_retry::ReadRetryConfig;
pub use remap::Remap;
pub use repeat_order::RepeatOrder;
pub use slc_cache::StaticCache;
pub use ties::Ties;
pub(crate) use trace::WORDS;
pub use trace::{Found, MergeConfig, TraceConfig};
pub use units::{
    BlockCount, BufferSize, GcPace, HardLevel, MeasureAfter, Ratio, Rotation, Size, Time, TransferRate,
};
pub use wear::TimesByWear;
pub(crate) use wording::{read, read_json};
