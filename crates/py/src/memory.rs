//! How much memory a run may use on this computer.

use std::env::var_os;
use std::fs::read_to_string;

use pyo3::prelude::*;
use reclaim_sim::config::Size;

use crate::errors::INPUT_ERROR;

/// What says otherwise: a size, or `unlimited`.
const VARIABLE: &str = "RECLAIM_MEMORY_LIMIT";

/// Bytes that a run may use; `None` is without limit, or on a computer that does not say what it has.
pub fn limit() -> PyResult<Option<u64>> {
    let given = var_os(VARIABLE);
    memory_limit(given.as_ref().map(|text| text.to_string_lossy()).as_deref(), VARIABLE)
}

/// Bytes that `given` means: a size, or None for `unlimited`. Without it, what this process can still take.
///
/// `what` names the text in the error of one that is no size.
#[pyfunction]
#[pyo3(signature = (given=None, what=VARIABLE))]
pub fn memory_limit(given: Option<&str>, what: &str) -> PyResult<Option<u64>> {
    match given.map(str::trim) {
        None => Ok(available()),
        Some("unlimited") => Ok(None),
        Some(text) => Size::parse(text).filter(|size| size.0 > 0).map(|size| Some(size.0)).ok_or_else(|| {
            let message = format!("{what}=\"{text}\": expected a size such as \"16GiB\", or \"unlimited\"");
            INPUT_ERROR.new_err(message)
        }),
    }
}

/// What this process can take without swapping or being ended, as far as Linux tells.
fn available() -> Option<u64> {
    [of_computer(), of_process(), of_container()].into_iter().flatten().min()
}

fn of_computer() -> Option<u64> {
    kilobytes("/proc/meminfo", "MemAvailable:")
}

/// Address space that the threads of a run set aside without using it.
const RESERVED_BYTES: u64 = 72 << 20;

/// What is left of the limits of address space (`ulimit -v`) and of data (`ulimit -d`).
fn of_process() -> Option<u64> {
    let told = read_to_string("/proc/self/limits").ok()?;
    let left = |name: &str, taken: &str, reserved: u64| {
        let line = told.lines().find_map(|line| line.strip_prefix(name))?;
        let limit: u64 = line.split_whitespace().next()?.parse().ok()?;
        let taken = kilobytes("/proc/self/status", taken)?;
        Some(limit.saturating_sub(taken).saturating_sub(reserved))
    };
    let space = left("Max address space", "VmSize:", RESERVED_BYTES);
    [space, left("Max data size", "VmData:", 0)].into_iter().flatten().min()
}

/// What is left of the limit of a container, whose files that can be dropped count as free.
fn of_container() -> Option<u64> {
    let bytes =
        |file: &str| read_to_string(format!("/sys/fs/cgroup/{file}")).ok()?.trim().parse::<u64>().ok();
    let limit = bytes("memory.max")?;
    let told = read_to_string("/sys/fs/cgroup/memory.stat").ok()?;
    let dropped = |name: &str| -> u64 {
        told.lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')?.trim().parse().ok())
            .unwrap_or(0)
    };
    let free = dropped("inactive_file") + dropped("active_file");
    Some(limit.saturating_sub(bytes("memory.current")?.saturating_sub(free)))
}

/// A number of bytes that a file of the system gives in kB.
fn kilobytes(file: &str, name: &str) -> Option<u64> {
    let told = read_to_string(file).ok()?;
    let line = told.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}
