//! What is random in a generated trace: a stream of numbers for every decision, shares met exactly ([`quota`]), random
//! orders ([`shuffle`]).

pub(super) mod quota;
pub(super) mod shuffle;

use rand::SeedableRng;
use rand_pcg::Pcg64;

/// The named random stream of a seed. The hash keeps streams apart that PCG's own stream numbers would leave related.
pub(super) fn stream(seed: u64, name: &str) -> Pcg64 {
    Pcg64::from_seed(blake3::derive_key(&format!("reclaim-trace generate {name}"), &seed.to_le_bytes()))
}
