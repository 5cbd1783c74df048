//! Tells the extension which commit it is built from, for the manifests of results. `RECLAIM_COMMIT` in the environment
//! says it where there is no repository, as in a package of the sources.

use std::path::Path;
use std::process::Command;

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
    let sources = ["../trace/src", "../sim/src", "src", "../../Cargo.lock"];
    let changed = git(&[&["status", "--porcelain", "--"], &sources[..]].concat())?;
    Some(if changed.is_empty() { commit } else { format!("{commit} and changes") })
}

fn main() {
    println!("cargo:rerun-if-env-changed=RECLAIM_COMMIT");
    for path in ["build.rs", "src", "../sim/src", "../trace/src"] {
        println!("cargo:rerun-if-changed={path}");
    }
    // Written with every commit and every change of branch.
    if let Some(log) = git(&["rev-parse", "--git-path", "logs/HEAD"]).filter(|log| Path::new(log).exists()) {
        println!("cargo:rerun-if-changed={log}");
    }
    let known = std::env::var("RECLAIM_COMMIT").ok().filter(|commit| !commit.is_empty()).or_else(commit);
    println!("cargo:rustc-env=RECLAIM_COMMIT={}", known.as_deref().unwrap_or("unknown"));
}
