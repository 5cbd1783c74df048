//! Set-up: from what a user names to one checked configuration, and what follows from it before anything is run.

mod catalogue;
mod check;
mod device_file;
mod facts;
mod in_vain;
mod layers;
mod load;
mod memory;
mod presets;
mod schemes;
mod start;

pub use catalogue::catalogue;
pub use check::REFUSED;
pub use device_file::device_files;
pub(crate) use facts::facts_after;
pub use facts::{Facts, TraceFacts, derive_facts};
pub use load::{LoadRequest, load, load_trace};
pub(crate) use memory::{audit_bytes, power_cut_bytes, run_bytes};
pub use presets::{Listed, preset_toml, presets};
pub use schemes::schemes;
pub use start::GcStarts;

pub use crate::settings::*;
