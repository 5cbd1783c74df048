//! Generated traces: a short description (a file in TOML or JSON) in, a stream of requests out.
//!
//! One file per kind of address pattern ([`address`]) and per kind of arrivals ([`arrivals`]). What is random comes from
//! named streams of the seed, one per decision, so that changing one part of a description leaves the others as they
//! were; logarithms and powers come from `libm`, so that every machine makes the same requests.

mod address;
mod arrivals;
mod check;
mod draw;
mod load;
mod source;
mod spec;

pub(crate) use load::recognise;
pub(crate) use source::GeneratedSource;
pub use spec::{
    AddressSpec, ArrivalSpec, Class, GeneratorSpec, LevelSpec, OperationShares, PartSpec, Size, SizeSpec,
    StandIn, Time, ZoneSpec,
};
