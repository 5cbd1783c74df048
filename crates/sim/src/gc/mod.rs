//! Garbage collection: when, which victim, how its pages move, how many at once. The life of one job is in
//! `collector.rs`; everything it decides comes from the four seams below.

pub mod collector;
pub mod concurrency;
pub mod migration;
pub mod trigger;
pub mod victim;
