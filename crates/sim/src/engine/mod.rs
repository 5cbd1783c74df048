//! The clock, the event queue, the named random streams, and the run loop over them.

mod choice;
mod clocks;
mod complete;
mod measuring;
mod multi_plane;
mod ops;
mod queue;
mod rng;
mod run;
mod start;
mod suspend;
mod time;
mod transfer;
mod waiting;

pub use measuring::Measuring;
pub use ops::{OpArena, OpCause, OpKind, PageOp, PlaneQueues};
pub use queue::{Event, EventQueue};
pub use rng::Stream;
pub use run::{Fault, Progress};
pub use time::{Nanos, SimTime};
pub use waiting::{WaitLists, Want};
