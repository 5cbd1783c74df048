//! Device files that are based on each other, and what is no device file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use reclaim_sim::config::{Config, ConfigError, LoadRequest, load, presets};

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

fn fails(device: &str) -> String {
    loaded(device).expect_err("a bad device file").to_string()
}

#[test]
fn files_based_on_each_other_in_a_circle_are_named() {
    let files = Files::new("circle");
    let (a, b) = (files.path("a.toml"), files.path("b.toml"));
    files.based("a.toml", &b);
    files.based("b.toml", &a);
    let circle = "base: files based on each other in a circle";
    assert_eq!(fails(&a), format!("{b}:2: {circle}: {a} -> {b} -> {a}"));
    let own = files.based("own.toml", &files.path("own.toml"));
    assert_eq!(fails(&own), format!("{own}:2: {circle}: {own} -> {own}"));
}

#[test]
fn a_file_by_another_name_is_the_same_file() {
    let files = Files::new("names");
    let a = files.based("a.toml", &files.path("./a.toml"));
    assert!(fails(&a).contains("in a circle"), "{}", fails(&a));
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
    for k in 17..=5000 {
        below = files.based(&format!("{k}.toml"), &below);
    }
    let message = fails(&below);
    assert!(message.contains("base: too many files (at most 16): "), "{message}");
    assert_eq!(message.matches(" -> ").count(), 16, "{message}");
}

#[test]
fn the_file_that_names_a_wrong_base_is_blamed() {
    let files = Files::new("blame");
    let b = files.based("b.toml", "gc-bypas");
    let a = files.based("a.toml", &b);
    assert!(fails(&a).starts_with(&format!("{b}:2: device: \"gc-bypas\" is unknown")), "{}", fails(&a));
    let missing = files.path("missing.toml");
    let a = files.based("a.toml", &missing);
    let message = fails(&a);
    assert!(message.starts_with(&format!("{a}:2: {missing}: no such device file")), "{message}");
}

/// None of these ends, or ever comes: reading one would wait, or fill the memory.
#[cfg(unix)]
#[test]
fn what_is_no_regular_file_is_refused() {
    let files = Files::new("kinds");
    let pipe = files.path("pipe.toml");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    std::fs::create_dir(Path::new(&files.path("folder.toml"))).unwrap();
    let folder = files.path("folder.toml");
    for (device, what) in [
        (pipe.as_str(), "a named pipe, not a regular file"),
        (folder.as_str(), "a directory, not a device file; name one file in it"),
        ("/dev/zero", "a device of the system, not a regular file"),
    ] {
        let expected = format!("{device}: is {what}");
        assert_eq!(fails(device), expected);
        let based = files.based("based.toml", device);
        assert_eq!(fails(&based), format!("{based}:2: {expected}"));
    }
}

#[test]
fn a_file_too_large_for_a_device_file_is_not_read() {
    let files = Files::new("large");
    let path = files.path("large.toml");
    std::fs::File::create(&path).unwrap().set_len(1 << 40).unwrap();
    assert!(fails(&path).ends_with("is longer than a device file may be: 1048576 bytes"));
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
    let expected = format!(
        "{above}:2: base: Cargo.toml is in the present folder, and another file {other} beside this one; say \
         which with ./Cargo.toml, or with its whole path"
    );
    assert_eq!(fails(&above), expected);
    let above = files.based("here.toml", "./Cargo.toml");
    assert!(fails(&above).contains("Cargo.toml"), "{}", fails(&above));
    assert!(!fails(&above).contains("beside"), "{}", fails(&above));
}

/// The folder of the project.
fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Every device file below a folder: what has the section that no drive can do without, or is based on another.
fn device_files(folder: &Path, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            device_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "toml") {
            let text = std::fs::read_to_string(&path).unwrap();
            let table: toml::Table = text.parse().unwrap();
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
        device_files(&project().join(folder), &mut devices);
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
