//! Generated traces: a short description (a file in TOML or JSON) in, a stream of requests out.
//!
//! One file per kind of address pattern ([`address`]) and per kind of arrivals ([`arrivals`]). What is random comes from
//! named streams of the seed, one per decision, so that changing one part of a description leaves the others as they
//! were; logarithms and powers come from `libm`, so that every machine makes the same requests.

mod address;
mod arrivals;
mod check;
mod load;
mod quota;
mod shuffle;
mod source;
mod spec;
mod units;

use rand::SeedableRng;
use rand_pcg::Pcg64;

pub(crate) use load::recognise;
pub(crate) use source::GeneratedSource;
pub use spec::{
    AddressSpec, ArrivalSpec, Class, GeneratorSpec, LevelSpec, OperationShares, PartSpec, SizeSpec, StandIn,
    ZoneSpec,
};
pub use units::{Size, Time};

/// The named random stream of a seed. The hash keeps streams apart that PCG's own stream numbers would leave related.
fn stream(seed: u64, name: &str) -> Pcg64 {
    Pcg64::from_seed(blake3::derive_key(&format!("reclaim-trace generate {name}"), &seed.to_le_bytes()))
}
