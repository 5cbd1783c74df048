//! What tests beside the code share: configurations in one line.

use crate::config::{LoadRequest, load};
use crate::flash::Geometry;
use crate::settings::Config;

/// A preset with settings.
pub(crate) fn config(device: &str, set: &[(&str, &str)]) -> Config {
    let set = set.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    load(&LoadRequest { device: device.to_owned(), schemes: Vec::new(), set }).unwrap()
}

/// The geometry of the small preset.
pub(crate) fn mini() -> Geometry {
    Geometry::new(&config("gc-bypass-mini", &[])).unwrap()
}
