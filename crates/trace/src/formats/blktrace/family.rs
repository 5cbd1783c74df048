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

/// A file of one processor.
struct Member {
    processor: u32,
    path: PathBuf,
    /// A processor that did nothing has an empty file.
    is_empty: bool,
}

/// Files of the recording called `stem` in `folder`, by processor.
fn all_files(folder: &Path, stem: &str, packed: Option<&str>) -> Vec<Member> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut found: Vec<Member> = entries
        .filter_map(|entry| {
            let entry = entry.ok()?;
            let name = entry.file_name().into_string().ok()?;
            let (its_stem, processor, its_packed) = parts(&name)?;
            let about = fs::metadata(entry.path()).ok().filter(fs::Metadata::is_file)?;
            let one_of_them = its_stem == stem && packed.is_none_or(|packed| packed == its_packed);
            one_of_them.then(|| Member { processor, path: folder.join(name), is_empty: about.len() == 0 })
        })
        .collect();
    found.sort_by(|one, other| (one.processor, &one.path).cmp(&(other.processor, &other.path)));
    found
}

/// Those of them that hold anything.
fn files(folder: &Path, stem: &str, packed: Option<&str>) -> Vec<PathBuf> {
    let all = all_files(folder, stem, packed).into_iter();
    all.filter(|member| !member.is_empty).map(|member| member.path).collect()
}

/// A warning if the recording in `path` lacks files of processors below the highest that has one. Those above
/// it cannot be missed.
pub(super) fn missing(path: &Path) -> Option<String> {
    const NAMED: usize = 4;
    let (stem, _, packed) = parts(path.file_name()?.to_str()?)?;
    let all = all_files(path.parent().unwrap_or(Path::new("")), stem, Some(packed));
    let there = |number: u32| all.binary_search_by_key(&number, |member| member.processor).is_ok();
    let absent: Vec<_> = (0..all.last()?.processor).filter(|number| !there(*number)).collect();
    let (first, more) = absent.split_at(absent.len().min(NAMED));
    let names: Vec<_> = first.iter().map(|number| format!("{stem}{MARK}{number}{packed}")).collect();
    let more = if more.is_empty() { String::new() } else { format!(" and {} more", more.len()) };
    (!absent.is_empty()).then(|| {
        format!(
            "of {} files of the recording some are not here ({}{more}): unless those processors were off, \
             their \
             requests are missing",
            all.len() + absent.len(),
            names.join(", ")
        )
    })
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

/// The recording that `path` holds or is a part of, by its whole path: the first of its files stands for all.
pub(crate) fn recording(path: &Path) -> PathBuf {
    let first = members(path).into_iter().next().unwrap_or_else(|| path.to_path_buf());
    fs::canonicalize(&first).unwrap_or(first)
}
