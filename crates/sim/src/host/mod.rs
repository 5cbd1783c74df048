//! The host side: requests, their pages, flush order, and how a trace is laid on a drive.

mod admit;
mod fit;
mod requests;

pub use fit::{Fit, FitError, Placer};
pub use requests::{Request, Requests};
