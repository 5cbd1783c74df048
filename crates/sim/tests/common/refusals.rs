//! Settings that are refused, and what the message must name.

use reclaim_sim::config::load;

use super::request;

/// Why a device or preset with settings is refused.
#[track_caller]
pub fn refused(device: &str, set: &[(&str, &str)]) -> String {
    load(&request(device, set)).expect_err("a bad configuration").to_string()
}

/// The same of the preset that most tests build upon.
#[track_caller]
pub fn refusal(set: &[(&str, &str)]) -> String {
    refused("gc-bypass", set)
}

/// What a text says must name everything between the bars.
#[track_caller]
pub fn names(told: &str, parts: &str) {
    for part in parts.split('|') {
        assert!(told.contains(part), "{told:?} lacks {part:?}");
    }
}
