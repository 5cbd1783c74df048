//! Settings that are refused, and what the message must name.

use reclaim_sim::config::{LoadRequest, load};

/// A device or preset with settings, to be loaded.
pub fn request(device: &str, set: &[(&str, &str)]) -> LoadRequest {
    let set = set.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    LoadRequest { device: device.to_owned(), schemes: Vec::new(), set }
}

/// Why it is refused.
#[track_caller]
pub fn refused(device: &str, set: &[(&str, &str)]) -> String {
    load(&request(device, set)).expect_err("a bad configuration").to_string()
}

/// What a text says must name everything between the bars.
#[track_caller]
pub fn names(told: &str, parts: &str) {
    for part in parts.split('|') {
        assert!(told.contains(part), "{told:?} lacks {part:?}");
    }
}
