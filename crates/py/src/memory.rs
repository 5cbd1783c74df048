//! How much memory a run may use on this computer.

use std::env::var_os;
use std::fs::read_to_string;
use std::path::{Path, PathBuf};

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
    [of_computer(), of_process(), of_groups(Path::new("/")), of_batch()].into_iter().flatten().min()
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

/// What is left of the limits of a batch system (Slurm), which need not set up a group.
fn of_batch() -> Option<u64> {
    let number = |name: &str| var_os(name)?.to_str()?.trim().parse::<u64>().ok();
    let cores = || number("SLURM_CPUS_ON_NODE").unwrap_or(1);
    let limit = number("SLURM_MEM_PER_NODE").or_else(|| Some(number("SLURM_MEM_PER_CPU")? * cores()))?;
    (limit > 0).then(|| (limit << 20).saturating_sub(kilobytes("/proc/self/status", "VmRSS:").unwrap_or(0)))
}

/// How a version of control groups tells what a group may take and has taken.
struct Files {
    limit: &'static str,
    taken: &'static str,
    /// Lines of `memory.stat` that count as free, as files can be dropped.
    dropped: [&'static str; 2],
}

const SECOND: Files =
    Files { limit: "memory.max", taken: "memory.current", dropped: ["inactive_file", "active_file"] };
const FIRST: Files = Files {
    limit: "memory.limit_in_bytes",
    taken: "memory.usage_in_bytes",
    dropped: ["total_inactive_file", "total_active_file"],
};

/// What is left of the limits of the control groups that this process is in: its own and all around it, of either
/// version. `root` is where the system's files are.
fn of_groups(root: &Path) -> Option<u64> {
    let told = read_to_string(root.join("proc/self/cgroup")).ok()?;
    let groups = told.lines().filter_map(|line| {
        let mut parts = line.splitn(3, ':').skip(1);
        let (controllers, path) = (parts.next()?, parts.next()?);
        match controllers {
            "" => Some((&SECOND, "sys/fs/cgroup", path)),
            _ => controllers.split(',').any(|each| each == "memory").then_some((
                &FIRST,
                "sys/fs/cgroup/memory",
                path,
            )),
        }
    });
    groups.filter_map(|(files, mount, path)| of_group(&root.join(mount), path, files)).min()
}

/// What is left of the limits of one group and of those around it. In a container its path is one that only the
/// computer outside knows: then what is mounted is the group itself.
fn of_group(mount: &Path, path: &str, files: &Files) -> Option<u64> {
    let inner = mount.join(path.trim_start_matches('/'));
    let start = if inner.is_dir() { inner } else { mount.to_owned() };
    let around = start.ancestors().take_while(|each| each.starts_with(mount));
    around.filter_map(|folder| left(folder, files)).min()
}

/// What is left of the limit of a group; `None` without one.
fn left(group: &Path, files: &Files) -> Option<u64> {
    let bytes = |file: &str| read_to_string(group.join(file)).ok()?.trim().parse::<u64>().ok();
    let limit = bytes(files.limit)?;
    let told = read_to_string(group.join("memory.stat")).unwrap_or_default();
    let dropped = |name: &&str| -> u64 {
        told.lines()
            .find_map(|line| line.strip_prefix(*name)?.strip_prefix(' ')?.trim().parse().ok())
            .unwrap_or(0)
    };
    let free: u64 = files.dropped.iter().map(dropped).sum();
    Some(limit.saturating_sub(bytes(files.taken)?.saturating_sub(free)))
}

/// What is left of the limits of the groups of this process, with the system's files below `root`: for tests.
#[pyfunction]
#[allow(clippy::needless_pass_by_value)] // Python hands over an owned path
pub fn memory_of_groups(root: PathBuf) -> Option<u64> {
    of_groups(&root)
}

/// A number of bytes that a file of the system gives in kB.
fn kilobytes(file: &str, name: &str) -> Option<u64> {
    let told = read_to_string(file).ok()?;
    let line = told.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}
