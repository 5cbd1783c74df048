//! Set-up: from what a user names to one checked configuration, and what follows from it before anything is run.

mod catalogue;
mod check;
mod device_file;
mod facts;
mod in_vain;
mod layers;
mod load;
mod presets;
mod refused;
mod schemes;
mod start;

pub use catalogue::catalogue;
pub use device_file::device_files;
pub use facts::{Facts, TraceFacts, memory_of};
pub(crate) use facts::{Unloaded, audit_bytes, facts_after, power_cut_bytes, run_bytes};
pub use layers::{at_once, same_settings};
pub use load::{LoadRequest, load, load_near, load_trace, load_trace_of, mistakes, replaced};
pub use presets::{Listed, preset_toml, presets};
pub use refused::refused;
pub use schemes::{scheme_toml, schemes};
pub use start::GcStarts;

pub use crate::settings::*;
