//! Generated traces: a short description (a file in TOML or JSON, [`spec`]) in, a stream of requests out.
//!
//! Each kind of address pattern ([`address`]) is a file. Random numbers come from named streams of the seed, one per
//! decision ([`draw`]), so that changing one part of a description leaves the others as they were; logarithms and
//! powers come from `libm`, so that every machine makes the same requests.

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
