//! Device files: reading them with what they are based on, and finding places in them.

use std::fs::{canonicalize, read_dir, read_link};
use std::io::Read;
use std::path::{Path, PathBuf};

use reclaim_trace::wording::likeness;
use reclaim_trace::{FileKind, open_existing};
use toml::{Table, Value};

use super::layers::{Layer, place};
use super::presets;
use crate::settings::{ConfigError, suggest};

/// Most device files that may be based on each other. Each adds a few settings to the one before.
const MOST_FILES: usize = 16;

/// Most bytes of a device file. With every key written out and explained it has a few thousand.
const MOST_BYTES: u64 = 1 << 20;

const DEVICE_FILE: FileKind = FileKind { what: "a device file", why: "" };

/// The layers of a preset, or of a file and all that it is based on, from the bottom up. A name that no preset has is
/// that of a file in one of the `folders`, without its ending.
///
/// # Errors
/// When one of them is unknown, cannot be read, is no TOML, or is based on itself.
pub(super) fn device_layers(device: &str, folders: &[PathBuf]) -> Result<Vec<Layer>, ConfigError> {
    let mut layers: Vec<Layer> = Vec::new();
    let mut files: Vec<PathBuf> = Vec::new();
    let mut next = Some(device.to_owned());
    while let Some(name) = next {
        // The line of the file above that names this one.
        let named_at = layers.last().map(|above| place(above, "base"));
        let blame = |mut error: ConfigError| {
            error.origin = error.origin.or_else(|| named_at.clone());
            error
        };
        let name = if is_file(&name) { name } else { named_file(&name, folders).unwrap_or(name) };
        if !is_file(&name) {
            let text = presets::preset_toml(&name).map_err(|_| blame(unknown(&name, folders)))?;
            let table = text.parse().expect("built-in presets are tested to parse");
            layers.push(Layer { table, origin: format!("preset {name}"), text: None });
            break;
        }
        let text = contents(&name, folders).map_err(blame)?;
        let file = canonicalize(&name).unwrap_or_else(|_| PathBuf::from(&name));
        let met = files.iter().position(|known| *known == file);
        if met.is_some() || files.len() == MOST_FILES {
            let from = &layers[met.unwrap_or(0)..];
            let chain: Vec<_> = from.iter().map(|layer| layer.origin.as_str()).chain([&*name]).collect();
            let wrong = match met {
                Some(_) => "files based on each other in a circle".to_owned(),
                None => format!("too many files (at most {MOST_FILES})"),
            };
            let reason = format!("{wrong}: {}", chain.join(" -> "));
            return Err(blame(ConfigError::at("base", &reason)));
        }
        files.push(file);
        let mut table: Table = text.parse().map_err(|e: toml::de::Error| not_toml(&e, &name, &text))?;
        let base = table.remove("base");
        layers.push(Layer { table, origin: name, text: Some(text) });
        next = match base {
            None => None,
            Some(Value::String(base)) => Some(found_base(base, &layers)?),
            Some(_) => {
                let mut error =
                    ConfigError::at("base", "expected the name of a preset or a device file, in quotes");
                error.origin = layers.last().map(|layer| place(layer, "base"));
                return Err(error);
            }
        };
    }
    layers.reverse();
    Ok(layers)
}

/// The file that a device file is based on: in the present folder, or beside the file that names it.
///
/// # Errors
/// When both folders have another file of this name.
fn found_base(base: String, layers: &[Layer]) -> Result<String, ConfigError> {
    let is_open = is_file(&base) && !Path::new(&base).is_absolute() && !base.starts_with("./");
    let Some(above) = layers.last().filter(|_| is_open) else { return Ok(base) };
    let beside = Path::new(&above.origin).with_file_name(&base);
    if !beside.exists() {
        return Ok(base);
    }
    let (here, there) = (canonicalize(&base).ok(), canonicalize(&beside).ok());
    if here.is_none() {
        return Ok(beside.to_string_lossy().into_owned());
    }
    if here == there {
        return Ok(base);
    }
    let reason = format!(
        "{base} is in the present folder, and another file {} beside this one; say which with ./{base}, or \
         with its whole path",
        beside.display()
    );
    Err(ConfigError { key: "base".to_owned(), reason, origin: Some(place(above, "base")) })
}

/// Where a text is no TOML, and why, in one line.
fn not_toml(error: &toml::de::Error, file: &str, text: &str) -> ConfigError {
    let before = &text[..error.span().map_or(0, |span| span.start.min(text.len()))];
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or(before).chars().count() + 1;
    let said = error.message().trim().replace('\n', "; ");
    let quoted = said.split('`').nth(1);
    let reason = match quoted.filter(|_| said.contains("as i128")) {
        Some(number) => format!("the whole number {number} is too large; they go up to {}", i64::MAX),
        None if said == "duplicate key" => {
            format!("not valid TOML: {} is there already", &text[error.span().unwrap_or_default()])
        }
        None => {
            let whole = text.lines().nth(line - 1).unwrap_or_default();
            format!("not valid TOML: {said}{}", reclaim_trace::wording::meant(whole).unwrap_or_default())
        }
    };
    ConfigError { key: String::new(), reason, origin: Some(format!("{file}:{line}:{column}")) }
}

/// The file that describes a drive and those it is based on, in order; none for a preset.
///
/// # Errors
/// As for loading the drive.
pub fn device_files(device: &str, folders: &[PathBuf]) -> Result<Vec<PathBuf>, ConfigError> {
    let layers = device_layers(device, folders)?.into_iter().rev();
    Ok(layers.filter(|layer| layer.text.is_some()).map(|layer| PathBuf::from(layer.origin)).collect())
}

/// The file that a drive of this name is described in; a preset of the same name comes first.
fn named_file(name: &str, folders: &[PathBuf]) -> Option<String> {
    if presets::is_preset(name) {
        return None;
    }
    let (_, file) = shipped(folders).into_iter().find(|(stem, _)| stem == name)?;
    Some(file.to_str()?.to_owned())
}

fn is_file(device: &str) -> bool {
    Path::new(device).extension().is_some_and(|e| e == "toml") || device.contains('/')
}

/// The text of a device file. It is read again whenever a setting is changed on top of it, which a pipe does not allow.
fn contents(device: &str, folders: &[PathBuf]) -> Result<String, ConfigError> {
    let wrong = |reason: &str| ConfigError::at("", &format!("{device}: {reason}"));
    if device.contains('\0') {
        let shown = device.replace('\0', "\\0");
        return Err(ConfigError::at("", &format!("{shown}: no path has a zero character in it")));
    }
    let path = Path::new(device);
    let Some(file) = open_existing(path, DEVICE_FILE).map_err(|reason| wrong(&reason))? else {
        return Err(wrong(&missing(path, folders)));
    };
    let mut text = String::new();
    file.take(MOST_BYTES + 1)
        .read_to_string(&mut text)
        .map_err(|error| wrong(&format!("cannot read the device file: {error}")))?;
    if text.len() as u64 > MOST_BYTES {
        return Err(wrong(&format!("is longer than a device file may be: {MOST_BYTES} bytes")));
    }
    Ok(text)
}

/// Why a device file that is not there cannot be read, with the most similar one beside it, or drive of `folders`.
fn missing(file: &Path, folders: &[PathBuf]) -> String {
    if let Ok(target) = read_link(file) {
        return format!("is a link to {}, which is not there", target.display());
    }
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let wanted = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let beside = files_in(folder);
    let mut names: Vec<&str> =
        beside.iter().filter_map(|file| file.file_name().and_then(|name| name.to_str())).collect();
    let mut suggestion = suggest(wanted, &names);
    if suggestion.is_empty() {
        let shipped = shipped(folders);
        names = shipped.iter().map(|(name, _)| name.as_str()).collect();
        let stem = wanted.strip_suffix(".toml").unwrap_or(wanted);
        suggestion =
            if names.contains(&stem) { format!("; did you mean \"{stem}\"?") } else { suggest(stem, &names) };
    }
    format!("no such device file{suggestion}")
}

/// The error of a name that no drive has, with the most similar one, of a drive or of a file in the present folder,
/// and some others.
fn unknown(name: &str, folders: &[PathBuf]) -> ConfigError {
    const LIKE: f64 = 0.8;
    /// Names that are listed: a line of all would hide the suggestion.
    const SOME: usize = 5;
    let presets = presets::presets().into_iter().map(|preset| preset.name);
    let names: Vec<_> = shipped(folders).into_iter().map(|(name, _)| name).chain(presets).collect();
    let listed: Vec<_> = names.iter().map(String::as_str).collect();
    let likest = listed.iter().map(|each| likeness(name, each)).fold(LIKE, f64::max);
    let here = shipped(&[PathBuf::from(".")]).into_iter();
    let near = here.filter(|(stem, _)| likeness(name, stem) > likest);
    let near = near.max_by(|(a, _), (b, _)| likeness(name, a).total_cmp(&likeness(name, b)));
    let meant = match near {
        Some((_, file)) => {
            format!("; did you mean \"{}\"?", file.strip_prefix(".").unwrap_or(&file).display())
        }
        None => suggest(name, &listed),
    };
    let mut short = listed;
    short.sort_unstable_by_key(|each| (each.len(), *each));
    let (some, more) = (short[..SOME.min(short.len())].join(", "), short.len().saturating_sub(SOME));
    let reason = format!(
        "\"{name}\" is unknown{meant}{} Valid: {some} and {more} more (reclaim device list), or the path \
         of a .toml file",
        if meant.is_empty() { "." } else { "" },
    );
    ConfigError::at("device", &reason)
}

/// The drives that files in these folders describe, each by the name of its file without the ending, in order.
fn shipped(folders: &[PathBuf]) -> Vec<(String, PathBuf)> {
    let files = folders.iter().flat_map(|folder| files_in(folder));
    files.filter_map(|file| Some((file.file_stem()?.to_str()?.to_owned(), file))).collect()
}

/// The files in a folder that are called like device files, in order: a folder lists them in any.
fn files_in(folder: &Path) -> Vec<PathBuf> {
    let files = read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut files: Vec<_> = files.filter(|path| path.extension().is_some_and(|e| e == "toml")).collect();
    files.sort();
    files
}
