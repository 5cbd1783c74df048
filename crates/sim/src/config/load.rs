//! From what the user names (preset or file, schemes, single settings) to one checked [`Config`].

use toml::{Table, Value};

use super::catalogue::seams;
use super::check::check;
use super::device_file::device_layers;
use super::in_vain;
use super::layers::{Layer, lookup, lookup_mut, place};
use super::schemes;
use crate::settings::{
    Config, ConfigError, FtlConfig, GcConfig, HostConfig, PolicyChoice, TraceConfig, WORDS, WarmupConfig,
    read, read_json,
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

impl LoadRequest {
    /// The single settings as `key=value`, in order of their keys: the same however they were given.
    pub fn settings(&self) -> Vec<String> {
        let mut settings: Vec<_> = self.set.iter().map(|(key, value)| format!("{key}={value}")).collect();
        settings.sort();
        settings
    }
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
    let settings = layers.len();
    for (key, value) in &request.set {
        layers.push(Layer {
            table: setting(key, value)?,
            origin: format!("--set {key}={value}"),
            text: None,
        });
    }
    let mut config = resolve(&layers).map_err(|mut error| {
        error.origin = origin_of(&layers, &error.key).or(error.origin);
        error
    })?;
    in_vain::settle(&mut config, &layers, settings)?;
    Ok(config)
}

/// The configuration that layers make.
fn resolve(layers: &[Layer]) -> Result<Config, ConfigError> {
    let mut merged = Table::new();
    for layer in layers {
        merge(&mut merged, &layer.table, "");
    }
    are_tables(&merged)?;
    let config: Config = deserialize(merged)?;
    check(&config)?;
    Ok(config)
}

/// Refuses a policy that is only named: in a file, it is a table. (A single setting may name it alone.)
fn are_tables(merged: &Table) -> Result<(), ConfigError> {
    for seam in seams() {
        let Some(Value::String(name)) = lookup(merged, seam.key()) else { continue };
        seam.check(&PolicyChoice::of(name))?;
        let reason = format!("\"{name}\" is not a table of settings; write {{ kind = \"{name}\" }}");
        return Err(ConfigError::at(seam.key(), &reason));
    }
    Ok(())
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
    let given = table.clone();
    let error = match read(Value::Table(table), &[], &|key| lookup(&given, key).is_some()) {
        Ok(settings) => return Ok(settings),
        Err(error) => error,
    };
    // Of a name that is none, the reader says which there are; of a number or a list in its place, it does not.
    let mut named = given;
    match lookup_mut(&mut named, &error.key) {
        Some(value) if error.wants_a_name() && !value.is_str() => {
            *value = Value::String(value.to_string());
            Err(read::<T, _>(Value::Table(named), &[], &|_| false).err().unwrap_or(error))
        }
        _ => Err(error),
    }
}

/// The layer that made a configuration wrong: with it and whatever is above, nothing was right again.
///
/// A preset whose `flash.t_read` no longer fits the cells that the user chose has not gone wrong: the choice has.
fn culprit(layers: &[Layer]) -> usize {
    let is_right = |count: &usize| resolve(&layers[..*count]).is_ok();
    (1..layers.len()).rev().find(is_right).unwrap_or(0)
}

/// Where the layer to blame for an error of `key` gives it.
fn origin_of(layers: &[Layer], key: &str) -> Option<String> {
    let gives = |layer: &&Layer| lookup(&layer.table, key).is_some();
    let (sound, above) = layers.split_at(culprit(layers));
    if !sound.is_empty() {
        // Below a section that several give, the first may be wrong and the others not; of a value, the last counts.
        let is_section = |layer: &&Layer| lookup(&layer.table, key).is_some_and(Value::is_table);
        let layer = above.iter().find(is_section).or_else(|| above.iter().rev().find(gives));
        return Some(place(layer.unwrap_or(&above[0]), key));
    }
    let layer = layers.iter().rev().find(gives);
    // A missing key is nowhere: blame the file the user wrote, else the device.
    let layer = layer.or_else(|| layers.iter().find(|l| l.text.is_some())).or(layers.get(1))?;
    Some(place(layer, key))
}

impl Config {
    /// Reads a configuration stored in a result (JSON), checking it again.
    ///
    /// # Errors
    /// When the text is not a configuration this version understands.
    pub fn from_json(text: &str) -> Result<Self, ConfigError> {
        let given = serde_json::from_str(text).map_err(|e| {
            ConfigError::at("", &format!("not valid JSON: line {}, column {}", e.line(), e.column()))
        })?;
        let config: Self = read_json(given, &[])?;
        check(&config)?;
        Ok(config)
    }
}
