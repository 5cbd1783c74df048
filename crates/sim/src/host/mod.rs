//! The host side: requests, their pages, flush order, the link, and how a trace's addresses are mapped to the drive's.

mod address_mapper;
mod link;
mod requests;
mod write_buffer;

pub use address_mapper::{AddressMapper, RemapError};
pub use link::{Direction, Link, Message, Visit};
pub use requests::{BlockedPage, BlockedPages, Request, Requests};
pub use write_buffer::{BufferResult, OfferedPage, WriteBuffer};
