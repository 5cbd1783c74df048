//! Device files that are based on each other, and what is no device file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::common::prelude::*;
use reclaim_sim::config::{ConfigError, presets};

/// A folder of device files that goes away with the test.
struct Files(PathBuf);

impl Files {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("reclaim-device-files-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }

    /// A file based on another, or on a preset.
    fn based(&self, name: &str, base: &str) -> String {
        let path = self.path(name);
        std::fs::write(&path, format!("# A drive.\nbase = \"{base}\"\nname = \"{name}\"\n")).unwrap();
        path
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).unwrap();
    }
}

fn loaded(device: &str) -> Result<Config, ConfigError> {
    load(&LoadRequest { device: device.to_owned(), ..LoadRequest::default() })
}

/// The message has all of these in it.
fn fails(device: &str, says: &[&str]) -> String {
    let message = loaded(device).expect_err("a bad device file").to_string();
    assert!(says.iter().all(|each| message.contains(each)), "{message}");
    message
}

#[test]
fn files_based_on_each_other_in_a_circle_are_named() {
    let files = Files::new("circle");
    let (a, b) = (files.path("a.toml"), files.path("b.toml"));
    files.based("a.toml", &b);
    files.based("b.toml", &a);
    fails(&a, &[&format!("{b}:2: base: "), &format!("{a} -> {b} -> {a}")]);
    let own = files.based("own.toml", &files.path("own.toml"));
    fails(&own, &[&format!("{own}:2: base: "), &format!("{own} -> {own}")]);
    // By another name it is the same file.
    let own = files.based("own.toml", &files.path("./own.toml"));
    fails(&own, &["in a circle"]);
}

#[test]
fn a_chain_of_files_has_an_end() {
    let files = Files::new("chain");
    let mut below = "gc-bypass-mini".to_owned();
    for k in 1..=16 {
        below = files.based(&format!("{k}.toml"), &below);
    }
    let top = loaded(&below).unwrap();
    assert_eq!((top.name.as_str(), top.geometry.blocks_per_plane), ("16.toml", 80));
    for k in 17..=100 {
        below = files.based(&format!("{k}.toml"), &below);
    }
    let message = fails(&below, &["base: ", "at most 16"]);
    assert_eq!(message.matches(" -> ").count(), 16, "{message}");
}

#[test]
fn the_file_that_names_a_wrong_base_is_blamed() {
    let files = Files::new("blame");
    let b = files.based("b.toml", "gc-bypas");
    let a = files.based("a.toml", &b);
    fails(&a, &[&format!("{b}:2: device: \"gc-bypas\" is unknown")]);
    let missing = files.path("missing.toml");
    let a = files.based("a.toml", &missing);
    fails(&a, &[&format!("{a}:2: {missing}: no such device file")]);
}

/// None of these ends, or ever comes: reading one would wait, or fill the memory.
#[cfg(unix)]
#[test]
fn what_is_no_regular_file_is_refused() {
    let files = Files::new("kinds");
    let pipe = files.path("pipe.toml");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let folder = files.path("folder.toml");
    std::fs::create_dir(Path::new(&folder)).unwrap();
    let large = files.path("large.toml");
    std::fs::File::create(&large).unwrap().set_len(1 << 40).unwrap();
    for (device, what) in [
        (pipe.as_str(), "a named pipe"),
        (folder.as_str(), "a directory"),
        ("/dev/zero", "a device of the system"),
        (large.as_str(), "1048576 bytes"),
    ] {
        fails(device, &[&format!("{device}: "), what]);
        let based = files.based("based.toml", device);
        fails(&based, &[&format!("{based}:2: {device}: "), what]);
    }
}

#[test]
fn a_base_beside_the_file_that_names_it_is_found() {
    let files = Files::new("beside");
    let below = files.path("below.toml");
    std::fs::write(&below, "base = \"gc-bypass\"\n[geometry]\nblocks_per_plane = 1024\n").unwrap();
    let above = files.based("above.toml", "below.toml");
    assert_eq!(loaded(&above).unwrap().geometry.blocks_per_plane, 1024);
    // The present folder is that of the crate, which has a file of this name, too.
    let other = files.path("Cargo.toml");
    std::fs::write(&other, "base = \"gc-bypass\"\n").unwrap();
    let above = files.based("two.toml", "Cargo.toml");
    fails(&above, &[&format!("{above}:2: base: Cargo.toml"), &other, "./Cargo.toml"]);
    let above = files.based("here.toml", "./Cargo.toml");
    assert!(!fails(&above, &["Cargo.toml"]).contains("beside"));
}

/// Every device file below a folder: what has the section that no drive can do without, or is based on another.
fn device_files(folder: &Path, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            device_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "toml") {
            let table: toml::Table = std::fs::read_to_string(&path).unwrap().parse().unwrap();
            if table.contains_key("geometry") || table.contains_key("base") {
                found.push(path.to_str().unwrap().to_owned());
            }
        }
    }
}

#[test]
fn no_two_drives_that_differ_share_a_name() {
    let mut devices: Vec<String> = presets().into_iter().map(|preset| preset.name).collect();
    for folder in ["papers", "examples"] {
        device_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..").join(folder), &mut devices);
    }
    assert!(devices.iter().any(|device| device.ends_with("papers/deferred-raid/drive.toml")), "{devices:?}");
    let mut named: BTreeMap<String, (String, Config)> = BTreeMap::new();
    for device in devices {
        let config = loaded(&device).unwrap_or_else(|error| panic!("{device}: {error}"));
        let (first, known) =
            named.entry(config.name.clone()).or_insert_with(|| (device.clone(), config.clone()));
        assert!(*known == config, "{first} and {device} differ, and both are called {}", config.name);
    }
}
