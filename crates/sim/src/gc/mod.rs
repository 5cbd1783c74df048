//! Garbage collection: when, which victim, how its pages are relocated, how many jobs at once, what is deferred, and
//! the jobs under way. The engine gives a job its time (`engine/collection.rs`); everything it decides comes from the
//! five seams below.

pub mod concurrency;
pub mod deferral;
pub mod events;
mod jobs;
pub mod relocation;
pub mod trigger;
mod units;
pub mod victim;

pub use jobs::{Batch, Job, JobFacts, Jobs};
pub use units::{Unit, Units};
