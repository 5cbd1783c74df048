//! The host side: requests, their pages, flush order, the link, and how a trace's addresses are mapped to the drive's.

mod address_mapper;
mod blocked_pages;
mod link;
mod requests;
mod write_buffer;

pub use address_mapper::{AddressMapper, RemapError};
pub use blocked_pages::{BlockedPage, BlockedPages};
pub use link::{Direction, Link, Message, Visit};
pub use requests::{Request, Requests};
pub use write_buffer::{BufferResult, OfferedPage, WriteBuffer};
