//! How much memory a run may use on this computer.

use std::env::var_os;
use std::fs::read_to_string;

use pyo3::prelude::*;
use reclaim_sim::config::Size;

use crate::errors::INPUT_ERROR;

/// What says otherwise: a size, or `unlimited`.
const VARIABLE: &str = "RECLAIM_MEMORY_LIMIT";

/// Bytes; `None` is without limit, or on a computer that does not say what it has.
pub fn limit() -> PyResult<Option<u64>> {
    let Some(given) = var_os(VARIABLE) else { return Ok(available()) };
    let given = given.to_string_lossy();
    match given.trim() {
        "unlimited" => Ok(None),
        text => Size::parse(text).map(|size| Some(size.0)).ok_or_else(|| {
            let message =
                format!("{VARIABLE}=\"{text}\": expected a size such as \"16GiB\", or \"unlimited\"");
            INPUT_ERROR.new_err(message)
        }),
    }
}

/// Memory that Linux can give without swapping, as far as it tells.
fn available() -> Option<u64> {
    let told = read_to_string("/proc/meminfo").ok()?;
    let line = told.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}
