//! From what the user names (preset or file, schemes, single settings) to one checked [`Config`].

use std::path::Path;

use serde::Deserialize;
use toml::{Table, Value};

use super::catalogue::seams;
use super::check::check;
use super::{presets, schemes};
use crate::settings::{
    Config, ConfigError, FtlConfig, GcConfig, HostConfig, TraceConfig, WORDS, WarmupConfig,
};

/// What to load: layers, of which later ones override earlier ones.
#[derive(Debug, Clone, Default)]
pub struct LoadRequest {
    /// A preset's name or the path of a `.toml` file.
    pub device: String,
    /// Schemes that override the device's settings, in order; `"a+b"` names two.
    pub schemes: Vec<String>,
    /// Single settings that override everything else: dotted key and value as text.
    pub set: Vec<(String, String)>,
}

/// One layer of settings and where it comes from.
struct Layer {
    table: Table,
    /// What messages call it.
    origin: String,
    /// Its text, when it is a file the user wrote: messages then give the line.
    text: Option<String>,
}

/// Keys of which at most one may be given; the last layer that gives one overrides the others.
const CAPACITY_KEYS: [&str; 3] = ["user_capacity", "over_provisioning", "spare_factor"];

/// Loads and checks a configuration.
///
/// # Errors
/// Names the layer (with the line, in a file), the key, what is valid and a suggestion.
pub fn load(request: &LoadRequest) -> Result<Config, ConfigError> {
    let mut layers = vec![defaults()];
    layers.extend(device_layers(&request.device)?);
    for name in request.schemes.iter().flat_map(|s| s.split('+')) {
        let text = schemes::scheme_toml(name.trim())?;
        let table = text.parse().expect("built-in schemes are tested to parse");
        layers.push(Layer { table, origin: format!("scheme {name}"), text: None });
    }
    for (key, value) in &request.set {
        layers.push(Layer {
            table: setting(key, value)?,
            origin: format!("--set {key}={value}"),
            text: None,
        });
    }
    let mut merged = Table::new();
    for layer in &layers {
        merge(&mut merged, &layer.table, "");
    }
    let locate = |mut error: ConfigError| {
        error.origin = origin_of(&layers, &error.key).or(error.origin);
        error
    };
    let config: Config = deserialize(merged).map_err(locate)?;
    check(&config).map_err(locate)?;
    Ok(config)
}

/// Reads and checks settings of a trace without a drive: keys below `trace`, such as `trace.align`.
///
/// # Errors
/// As [`load`].
pub fn load_trace(set: &[(String, String)]) -> Result<TraceConfig, ConfigError> {
    #[derive(serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Section {
        #[serde(default)]
        trace: TraceConfig,
    }
    let mut merged = Table::new();
    for (key, value) in set {
        merge(&mut merged, &setting(key, value)?, "");
    }
    let section: Section = deserialize(merged)?;
    section.trace.validate()?;
    Ok(section.trace)
}

/// Sections a device may leave out, written out so that a single parameter of a default policy can be set.
fn defaults() -> Layer {
    #[derive(Default, serde::Serialize)]
    struct Sections {
        ftl: FtlConfig,
        gc: GcConfig,
        trace: TraceConfig,
        host: HostConfig,
        warmup: WarmupConfig,
    }
    let table = Table::try_from(Sections::default()).expect("defaults are plain tables");
    Layer { table, origin: "defaults".to_owned(), text: None }
}

fn device_layers(device: &str) -> Result<Vec<Layer>, ConfigError> {
    let is_file = Path::new(device).extension().is_some_and(|e| e == "toml") || device.contains('/');
    if !is_file {
        let text = presets::preset_toml(device)?;
        let table = text.parse().expect("built-in presets are tested to parse");
        return Ok(vec![Layer { table, origin: format!("preset {device}"), text: None }]);
    }
    let text = std::fs::read_to_string(device)
        .map_err(|e| ConfigError::at("", &format!("{device}: cannot read the device file: {e}")))?;
    let mut table: Table = text.parse().map_err(|e: toml::de::Error| {
        let reason = format!("not valid TOML: {}", e.to_string().trim_end());
        ConfigError { key: String::new(), reason, origin: Some(device.to_owned()) }
    })?;
    let mut layers = Vec::new();
    match table.remove("base") {
        None => {}
        Some(Value::String(base)) => layers.extend(device_layers(&base).map_err(|mut error| {
            error.origin = Some(position(device, &text, "base"));
            error
        })?),
        Some(_) => {
            let mut error = ConfigError::at("base", "expected the name of a preset, in quotes");
            error.origin = Some(position(device, &text, "base"));
            return Err(error);
        }
    }
    layers.push(Layer { table, origin: device.to_owned(), text: Some(text) });
    Ok(layers)
}

/// A table with one dotted key set. Text that is no TOML value is taken as a string, so that `fifo` and `75us`
/// need no quotes.
fn setting(key: &str, value: &str) -> Result<Table, ConfigError> {
    if key.split('.').any(str::is_empty) {
        return Err(ConfigError::at(key, "a setting is written key=value, such as gc.victim.kind=fifo"));
    }
    let parsed = format!("v = {value}").parse::<Table>().ok().and_then(|mut t| t.remove("v"));
    let mut node = parsed.unwrap_or_else(|| Value::String(value.to_owned()));
    let is_seam = seams().iter().any(|seam| seam.key() == key);
    // The device `419` and the column `1` are words.
    if WORDS.contains(&key) && !node.is_str() {
        node = Value::String(value.to_owned());
    }
    if is_seam && node.is_str() {
        node = Value::Table(Table::from_iter([("kind".to_owned(), node)]));
    }
    for part in key.rsplit('.') {
        node = Value::Table(Table::from_iter([(part.to_owned(), node)]));
    }
    match node {
        Value::Table(table) => Ok(table),
        _ => unreachable!("a key has at least one part"),
    }
}

/// Overrides `base` with `over`: tables merge, everything else is replaced.
fn merge(base: &mut Table, over: &Table, path: &str) {
    if path == "geometry" && CAPACITY_KEYS.iter().any(|key| over.contains_key(*key)) {
        for key in CAPACITY_KEYS {
            base.remove(key);
        }
    }
    // A policy of another kind takes other parameters: those of the old kind must not remain.
    if let (Some(old), Some(new)) = (base.get("kind"), over.get("kind"))
        && old != new
        && seams().iter().any(|seam| seam.key() == path)
    {
        base.clear();
    }
    for (key, value) in over {
        match (base.get_mut(key), value) {
            (Some(Value::Table(below)), Value::Table(above)) => {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                merge(below, above, &path);
            }
            _ => drop(base.insert(key.clone(), value.clone())),
        }
    }
}

fn deserialize<T: serde::de::DeserializeOwned>(table: Table) -> Result<T, ConfigError> {
    serde_path_to_error::deserialize(Value::Table(table)).map_err(
        |error: serde_path_to_error::Error<toml::de::Error>| {
            let path = match error.path().to_string() {
                path if path == "." => String::new(),
                path => path,
            };
            let message = error.inner().message().to_owned();
            let quoted: Vec<_> = message.split('`').skip(1).step_by(2).collect();
            if message.starts_with("unknown field") {
                // The path may or may not end with the offending key already.
                let field = quoted[0];
                let parent = path.strip_suffix(field).map_or(path.as_str(), |p| p.trim_end_matches('.'));
                let key = if parent.is_empty() { field.to_owned() } else { format!("{parent}.{field}") };
                return ConfigError::unknown_key(&key, &quoted[1..]);
            }
            if message.starts_with("unknown variant") {
                return ConfigError::choice(&path, quoted[0], &quoted[1..]);
            }
            ConfigError::at(&path, &message)
        },
    )
}

/// Where the last layer that mentions `key` gives it.
fn origin_of(layers: &[Layer], key: &str) -> Option<String> {
    let mentions = |table: &Table| {
        let mut parts = key.split('.');
        let mut node = table.get(parts.next()?)?;
        for part in parts {
            node = node.get(part)?;
        }
        Some(())
    };
    let layer = layers.iter().rev().find(|layer| mentions(&layer.table).is_some());
    // A missing key is nowhere: blame the file the user wrote, else the device.
    let layer = layer.or_else(|| layers.iter().find(|l| l.text.is_some())).or(layers.get(1))?;
    Some(match &layer.text {
        Some(text) => position(&layer.origin, text, key),
        None => layer.origin.clone(),
    })
}

/// `file:line` of a dotted key in a TOML text, or just the file.
fn position(file: &str, text: &str, key: &str) -> String {
    use toml::de::{DeTable, DeValue};
    let find = || {
        let document = DeTable::parse(text).ok()?;
        let mut table = document.get_ref();
        let mut offset = None;
        for part in key.split('.') {
            let (name, value) = table.iter().find(|(name, _)| name.get_ref() == part)?;
            offset = Some(name.span().start);
            match value.get_ref() {
                DeValue::Table(inner) => table = inner,
                _ => break,
            }
        }
        offset
    };
    match find() {
        Some(offset) => format!("{file}:{}", text[..offset].matches('\n').count() + 1),
        None => file.to_owned(),
    }
}

impl Config {
    /// Reads a configuration stored in a result (JSON), checking it again.
    ///
    /// # Errors
    /// When the text is not a configuration this version understands.
    pub fn from_json(text: &str) -> Result<Self, ConfigError> {
        let config = Self::deserialize(&mut serde_json::Deserializer::from_str(text))
            .map_err(|e| ConfigError::at("", &e.to_string()))?;
        check(&config)?;
        Ok(config)
    }
}
