//! The host side: requests, their pages, flush order, and how a trace is laid on a drive.

mod admit;
mod demand;
mod fit;
mod link;
mod requests;
mod write_buffer;

pub use admit::HeldPage;
pub use demand::{Demand, solve_time_scale};
pub use fit::{Fit, FitError, Placer};
pub use link::{Direction, Link};
pub use requests::{Request, Requests};
pub use write_buffer::{OfferedPage, WriteBuffer};
