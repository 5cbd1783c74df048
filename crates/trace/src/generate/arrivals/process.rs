//! What every arrival process is, and the draws that several of them use.

use rand::RngExt;
use rand_pcg::Pcg64;

/// The times of requests one after another, in ns, never decreasing.
pub(in super::super) trait Arrivals: Send {
    /// The time of the next request.
    fn next(&mut self) -> u64;
}

/// An exponential draw.
pub(super) fn exponential(mean: f64, random: &mut Pcg64) -> f64 {
    let draw: f64 = random.random();
    -libm::log(1.0 - draw) * mean
}

/// A draw from the standard normal distribution (Box and Muller, 1958; one of the pair, so that a draw has no memory).
pub(super) fn normal(random: &mut Pcg64) -> f64 {
    let (radius, angle): (f64, f64) = (random.random(), random.random());
    libm::sqrt(-2.0 * libm::log(1.0 - radius)) * libm::cos(std::f64::consts::TAU * angle)
}
