//! The files of one recording: blktrace writes one for every processor, `NAME.blktrace.0`, `NAME.blktrace.1` and so on.

use std::fs;
use std::path::{Path, PathBuf};

const MARK: &str = ".blktrace.";
const PACKED: [&str; 4] = [".gz", ".zst", ".bz2", ".xz"];

/// What a name is made of: what all files of the recording share before and after the number, and the number.
fn parts(name: &str) -> Option<(&str, u32, &str)> {
    let (plain, packed) =
        PACKED.iter().find_map(|end| name.strip_suffix(end).map(|plain| (plain, *end))).unwrap_or((name, ""));
    let (stem, number) = plain.rsplit_once(MARK)?;
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| Some((stem, number.parse().ok()?, packed))).flatten()
}

/// Files of the recording called `stem` in `folder` that hold anything, by processor. A processor that did nothing has
/// an empty file.
fn files(folder: &Path, stem: &str, packed: Option<&str>) -> Vec<PathBuf> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut found: Vec<(u32, PathBuf)> = entries
        .filter_map(|entry| {
            let entry = entry.ok()?;
            let name = entry.file_name().into_string().ok()?;
            let (its_stem, number, its_packed) = parts(&name)?;
            let holds = fs::metadata(entry.path()).ok().filter(|about| about.is_file() && about.len() > 0);
            let one_of_them = its_stem == stem && packed.is_none_or(|packed| packed == its_packed);
            (one_of_them && holds.is_some()).then(|| (number, folder.join(name)))
        })
        .collect();
    found.sort();
    found.into_iter().map(|(_, path)| path).collect()
}

/// All files that hold what the recording in `path` does, `path` among them if its name says that it is one of several.
pub(super) fn members(path: &Path) -> Vec<PathBuf> {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let folder = path.parent().unwrap_or(Path::new(""));
    match parts(name) {
        // The same spelling as `path` has.
        Some((stem, _, packed)) => files(folder, stem, Some(packed))
            .into_iter()
            .map(|member| folder.join(member.file_name().unwrap_or_default()))
            .collect(),
        None => Vec::new(),
    }
}

/// The file to open for what the user calls `path`: for `NAME`, which blktrace and blkparse take for all of
/// `NAME.blktrace.N`, the first of them; for one of them that is empty, the first that is not.
pub(crate) fn entry(path: &Path) -> PathBuf {
    let found = match fs::metadata(path) {
        Ok(about) if about.is_file() && about.len() == 0 => members(path),
        Err(_) => {
            let stem = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            files(path.parent().unwrap_or(Path::new("")), stem, None)
        }
        Ok(_) => Vec::new(),
    };
    found.into_iter().next().unwrap_or_else(|| path.to_path_buf())
}
