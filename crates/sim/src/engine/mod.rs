//! The timed half: a drive, its clock, its events, and the run loop over them. The only place that implements
//! [`Drive`].

mod admit;
mod choice;
mod clocks;
mod collection;
mod complete;
mod die;
mod drive;
mod joins;
mod lift;
mod link;
mod measuring;
mod multi_plane;
mod ops;
mod passage;
mod policy_metrics;
mod power;
mod power_cuts;
mod progress;
mod queue;
mod run;
mod spans;
mod stalled;
mod start;
mod stripes;
mod suspend;
mod timeline;
mod transfer;
mod units;
mod waiting;
mod write_buffer;

pub use drive::Drive;
pub use ops::{OpArena, OpCause, OpKind, PageOp, PlaneQueues};
pub use power_cuts::PowerCutResult;
pub use progress::{Progress, Round};
pub use queue::{Event, EventQueue};
pub use run::Fault;
pub(crate) use stripes::trim_whole_stripes;
pub use waiting::{WaitLists, Want};
