//! Tells the extension which commit and which sources it is built from: what was run by one build is not taken for that
//! of another. `RECLAIM_COMMIT` in the environment says the commit where there is no repository, as in a package of the
//! sources. The digest of the sources is the same for the same files, wherever and with whatever they are built.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// All that can change a figure and is no Python. Manifests of crates are not: packages write them anew, and versions
/// of dependencies are in the lock file.
const SOURCES: [&str; 5] = ["../sim/presets", "../sim/src", "../trace/src", "src", "../../Cargo.lock"];

/// What git answers; `None` without git or outside a repository.
fn git(arguments: &[&str]) -> Option<String> {
    let answer = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(answer.stdout).ok()?;
    answer.status.success().then(|| text.trim().to_owned())
}

/// The commit, with a mark if what is built differs from it.
fn commit() -> Option<String> {
    // The repository of this very project, not one that its sources happen to lie in.
    git(&["ls-files", "--error-unmatch", "Cargo.toml"])?;
    let commit = git(&["rev-parse", "HEAD"])?;
    let changed = git(&[&["status", "--porcelain", "--"], &SOURCES[..]].concat())?;
    Some(if changed.is_empty() { commit } else { format!("{commit} and changes") })
}

/// The files in a folder and below it, or the file itself.
fn files(path: &Path) -> Vec<PathBuf> {
    if !path.is_dir() {
        return vec![path.to_owned()];
    }
    let entries = fs::read_dir(path).expect("the sources can be read");
    entries.flat_map(|each| files(&each.expect("the sources can be read").path())).collect()
}

/// FNV-1a of 128 bits: it has to tell sources apart that differ by mistake, and needs no further crate.
fn digest() -> u128 {
    let mut found: Vec<PathBuf> = SOURCES.iter().flat_map(|path| files(Path::new(path))).collect();
    found.sort();
    let mut hash: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    for file in found {
        let content = fs::read(&file).expect("the sources can be read");
        let name = file.to_string_lossy();
        let length = (content.len() as u64).to_le_bytes();
        for byte in name.bytes().chain([0]).chain(length).chain(content) {
            hash = (hash ^ u128::from(byte)).wrapping_mul(0x0100_0000_0000_0000_0000_013b);
        }
    }
    hash
}

fn main() {
    println!("cargo:rerun-if-env-changed=RECLAIM_COMMIT");
    println!("cargo:rerun-if-changed=build.rs");
    for path in SOURCES {
        println!("cargo:rerun-if-changed={path}");
    }
    println!("cargo:rustc-env=RECLAIM_SOURCES={:032x}", digest());
    // Written with every commit and every change of branch.
    if let Some(log) = git(&["rev-parse", "--git-path", "logs/HEAD"]).filter(|log| Path::new(log).exists()) {
        println!("cargo:rerun-if-changed={log}");
    }
    let known = std::env::var("RECLAIM_COMMIT").ok().filter(|commit| !commit.is_empty()).or_else(commit);
    println!("cargo:rustc-env=RECLAIM_COMMIT={}", known.as_deref().unwrap_or("unknown"));
}
