//! The timed half: a drive, its clock, its events, and the run loop over them. The only place that implements
//! [`Drive`].

mod choice;
mod collection;
mod complete;
mod deferring;
mod delays;
mod die;
mod dies;
mod drive;
mod join;
mod joins;
mod limit_audit;
mod loss_trials;
mod lost_pages;
mod needs;
mod ops;
mod pages;
mod policy_metrics;
mod power_cuts;
mod progress;
mod queue;
mod requests;
mod run;
mod spans;
mod stalls;
mod start;
mod stripe_audit;
mod stripe_writes;
mod stripes;
mod transfer;
mod triggers;
mod trimmed_pages;
mod units;
mod waiting;
mod walk;
mod write_backs;

pub use drive::Drive;
pub use ops::{OpArena, OpCause, OpKind, PageOp, PlaneQueues, Role};
pub use power_cuts::PowerCutResult;
pub use progress::{Progress, Round};
pub use queue::{Event, EventQueue};
pub use run::Fault;
pub(crate) use trimmed_pages::trimmed_pages;
pub use waiting::{WaitLists, Want};
