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
mod phases;
mod policy;
mod trace;
mod units;

/// What is as it is without being said need not be written down.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

pub use channel::{BufferPath, ChannelArbitration, ChannelConfig, CommandsConfig};
pub use config::{Config, schema};
pub use controller::{Acknowledge, ControllerConfig};
pub use error::ConfigError;
pub(crate) use error::{read, read_json, suggest};
pub use flash::{
    CellType, EnduranceConfig, FailedBlocks, FlashConfig, FlushClock, LevelOrder, LevelTimes, MultiPlane,
    ProgramUnit, ReadRetryConfig, SuspendConfig, TimesByWear,
};
pub use ftl::{AssignPages, CachedMapping, FtlConfig, GcFrontier, StaticCache, Superblock, WearConfig};
pub use gc::GcConfig;
pub use geometry::GeometryConfig;
pub use host::{HostConfig, HostMode, LinkConfig, TargetPolicies};
pub use phases::{
    MeasureConfig, OWN_START, WarmupConfig, WarmupKind, WarmupPadding, WarmupPolicies, WindowsConfig,
    WindowsUntil,
};
pub use policy::{PolicyChoice, Ties};
pub(crate) use trace::WORDS;
pub use trace::{Found, MergeConfig, Remap, RepeatOrder, StreamConfig, TraceConfig};
pub use units::{
    BlockCount, BufferSize, GcPace, HardLevel, MeasureAfter, Ratio, Rotation, Size, Time, TransferRate,
};
