//! The host side: requests, their pages, flush order, the link, and how a trace's addresses are brought inside the drive.

mod fit;
mod link;
mod requests;
mod write_buffer;

pub use fit::{FitError, Placer};
pub use link::{Direction, Link, Message, Visit};
pub use requests::{Request, Requests};
pub use write_buffer::{HeldPage, OfferedPage, WriteBuffer};
