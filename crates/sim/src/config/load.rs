//! From what the user names (preset or file, schemes, single settings) to one checked [`Config`].

use std::path::PathBuf;

use toml::{Table, Value};

use super::catalogue::seams;
use super::check::{alone, check, of_section, together};
use super::device_file::device_layers;
use super::layers::{Layer, lookup, lookup_mut, of_settings, place, setting};
use super::{in_vain, layers, schemes};
use crate::settings::{
    Config, ConfigError, FtlConfig, GcConfig, HostConfig, OWN_START, PolicyChoice, TargetPolicies,
    TraceConfig, WarmupConfig, WarmupPolicies, read, read_json,
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

/// Loads and checks a configuration.
///
/// # Errors
/// Names the layer (with the line, in a file), the key, what is valid and a suggestion.
pub fn load(request: &LoadRequest) -> Result<Config, ConfigError> {
    load_near(request, &[], &[])
}

/// The same, with folders whose device files have names: each is called as its file, without the ending.
/// `own` are keys of those single settings that belong to the schemes: a drive that prepares this one (`warmup.scheme`)
/// does without them.
///
/// # Errors
/// As [`load`].
pub fn load_near(request: &LoadRequest, folders: &[PathBuf], own: &[String]) -> Result<Config, ConfigError> {
    let mut layers = vec![defaults()];
    layers.extend(device_layers(&request.device, folders)?);
    let of_device = 0..layers.len();
    for names in &request.schemes {
        layers.extend(of_scheme(names)?);
    }
    let settings = layers.len();
    layers.extend(of_settings(&request.set)?);
    let mut config = resolve(&layers).map_err(|mut error| {
        error.origin = origin_of(&layers, &error.key).or(error.origin);
        error
    })?;
    config.warmup.scheme = config.warmup.scheme.filter(|name| name != OWN_START);
    in_vain::settle(&mut config, &layers, settings)?;
    // Of drives beside this one: what is set by itself holds for all; the schemes of the run are its alone.
    let of_all = layers[settings..].iter().zip(&request.set).filter(|(_, (key, _))| !own.contains(key));
    let common: Vec<_> = layers[of_device].iter().chain(of_all.map(|(layer, _)| layer)).collect();
    if let (Some(names), None) = (&config.warmup.scheme, &config.warmup.policies) {
        let preparing = with_schemes(&common, names).map_err(|error| of_start(&error, names))?;
        config.warmup.policies = Some(Box::new(WarmupPolicies::of(&preparing)));
        can_take_over(&config, &preparing)?;
    }
    if let (Some(names), None) = (&config.host.target_scheme, &config.host.target_policies) {
        let of_target = |error: &ConfigError| {
            let reason = why_not(error, &format!("a drive with {names} cannot be"));
            let mut error = ConfigError::at("host.target_scheme", &reason);
            let named = layers.iter().rev().find(|layer| lookup(&layer.table, &error.key).is_some());
            error.origin = named.map(|layer| place(layer, &error.key));
            error
        };
        let target = with_schemes(&common, names).map_err(|error| of_target(&error))?;
        config.host.target_policies = Some(Box::new(TargetPolicies::of(&target)));
        config.target_drive().map_err(|error| of_target(&error))?;
    }
    Ok(config)
}

/// Which single settings take the place of what device or schemes say in other words, a sentence each.
///
/// # Errors
/// When a layer cannot be read.
pub fn replaced(request: &LoadRequest, folders: &[PathBuf]) -> Result<Vec<String>, ConfigError> {
    let mut layers = device_layers(&request.device, folders)?;
    for names in &request.schemes {
        layers.extend(of_scheme(names)?);
    }
    let settings = layers.len();
    layers.extend(of_settings(&request.set)?);
    Ok(layers::replaced(&layers, settings))
}

/// Most mistakes that are told of one drive.
const MOST_MISTAKES: usize = 50;

/// A drive whose settings stand in for wrong ones: whatever else is right goes with its single times.
const STAND_IN: &str = "gc-bypass-mini";

/// All that is wrong with a drive and can be told at once, in order of place; nothing where it can be loaded.
///
/// A value that is wrong is replaced by one that is right, and the rest looked at again. What only follows from such a
/// value is no mistake of the user's: settings that do not go together are not told where one of their section, a
/// policy, or one of the geometry was replaced. A value that is wrong by itself always is.
pub fn mistakes(request: &LoadRequest, folders: &[PathBuf], own: &[String]) -> Vec<ConfigError> {
    let Err(first) = load_near(request, folders, own) else { return Vec::new() };
    let mut layers = vec![defaults()];
    let read = device_layers(&request.device, folders).and_then(|device| {
        layers.extend(device);
        for names in &request.schemes {
            layers.extend(of_scheme(names)?);
        }
        of_settings(&request.set)
    });
    let Ok(set) = read else { return vec![first] };
    layers.extend(set);
    let stand_in = LoadRequest { device: STAND_IN.to_owned(), ..LoadRequest::default() };
    let stand_in: Table =
        load(&stand_in).ok().and_then(|drive| drive.to_toml().parse().ok()).expect("it is a preset");
    let mut merged = merged(&layers);
    let (mut found, mut replaced) = (Vec::<ConfigError>::new(), Vec::<String>::new());
    for _ in 0..MOST_MISTAKES {
        let (mut error, hangs_on) = match read_merged(merged.clone()) {
            Err(error) => (error, HangsOn::Reading),
            Ok((config, no_number)) => {
                if let Err(error) = alone(&config).and_then(|()| are_numbers(no_number)) {
                    (error, HangsOn::Itself)
                } else if let Err(error) = of_section(&config) {
                    (error, HangsOn::ItsSection)
                } else if let Err(error) = together(&config) {
                    (error, HangsOn::AnySection)
                } else {
                    break;
                }
            }
        };
        let key = error.key.split('[').next().unwrap_or_default().to_owned();
        let section = key.split('.').next().unwrap_or_default();
        let follows = match hangs_on {
            HangsOn::Reading | HangsOn::Itself => found.iter().any(|told| told.key == error.key),
            HangsOn::ItsSection => replaced.iter().any(|each| each == section),
            HangsOn::AnySection => {
                replaced.iter().any(|each| [section, "geometry", "policy"].contains(&each.as_str()))
            }
        };
        if !follows {
            let of_first = if error.key == first.key { first.origin.clone() } else { None };
            error.origin = of_first.or_else(|| given_at(&layers, &key));
            found.push(error);
        }
        // The parameters of a policy that there is not are nobody's.
        let policy = seams().into_iter().find(|seam| key.strip_suffix(".kind") == Some(seam.key()));
        if !mend(&mut merged, policy.map_or(&key, |seam| seam.key()), &stand_in) {
            break;
        }
        if policy.is_some() {
            replaced.push("policy".to_owned());
        } else if matches!(hangs_on, HangsOn::Reading) || section == "geometry" {
            replaced.push(section.to_owned());
        }
    }
    found.sort_by_cached_key(|error| {
        let place = error.origin.clone().unwrap_or_default();
        let line = place
            .rsplit_once(':')
            .and_then(|(file, line)| Some((file.to_owned(), line.parse::<u64>().ok()?)));
        line.unwrap_or((place, 0))
    });
    // What no section by itself shows, as another drive that prepares this one.
    if found.is_empty() { vec![first] } else { found }
}

/// What makes a setting wrong: whether it follows from another that was replaced.
enum HangsOn {
    Reading,
    Itself,
    ItsSection,
    AnySection,
}

/// Where the last layer gives a dotted key; the file of the drive where none does.
fn given_at(layers: &[Layer], key: &str) -> Option<String> {
    let of_user = |layer: &&Layer| layer.text.is_some();
    let layer = layers.iter().rev().find(|layer| lookup(&layer.table, key).is_some());
    layer.or_else(|| layers.iter().rev().find(of_user)).or(layers.get(1)).map(|layer| place(layer, key))
}

/// Puts what the stand-in has in the place of a setting, or takes the setting away; where that changes nothing, the
/// same with all that it stands among. Whether anything has changed.
fn mend(merged: &mut Table, key: &str, stand_in: &Table) -> bool {
    let before = merged.clone();
    let (above, name) = key.rsplit_once('.').unwrap_or(("", key));
    let section = if above.is_empty() { Some(&mut *merged) } else { section_of(merged, above) };
    match (section, lookup(stand_in, key)) {
        (Some(section), Some(value)) => drop(section.insert(name.to_owned(), value.clone())),
        (Some(section), None) => drop(section.remove(name)),
        (None, _) => {}
    }
    *merged != before || (!above.is_empty() && mend(merged, above, stand_in))
}

/// The section of a dotted key, made where it is missing; none where something else stands there.
fn section_of<'t>(merged: &'t mut Table, key: &str) -> Option<&'t mut Table> {
    key.split('.').try_fold(merged, |table, name| {
        table.entry(name).or_insert_with(|| Value::Table(Table::new())).as_table_mut()
    })
}

/// The drive of these layers with the schemes of these names on it.
fn with_schemes(common: &[&Layer], names: &str) -> Result<Config, ConfigError> {
    let schemes = of_scheme(names)?;
    resolve(common.iter().copied().chain(&schemes))
}

/// The layers of one scheme, or of several with a `+` between them.
fn of_scheme(names: &str) -> Result<Vec<Layer>, ConfigError> {
    let layer = |name: &str| {
        let text = schemes::scheme_toml(name.trim())?;
        let table = text.parse().expect("built-in schemes are tested to parse");
        Ok(Layer { table, origin: format!("scheme {name}"), text: None })
    };
    names.split('+').map(layer).collect()
}

/// An error of the drive that is to prepare this one.
fn of_start(error: &ConfigError, names: &str) -> ConfigError {
    let reason = why_not(error, &format!("a drive with {names} cannot prepare this one"));
    ConfigError::at("warmup.scheme", &reason)
}

/// Why a drive beside the one that runs cannot be. A name that nobody knows says it all.
fn why_not(error: &ConfigError, refused: &str) -> String {
    match error.key.as_str() {
        "scheme" => error.reason.clone(),
        "" => format!("{refused}: {}", error.reason),
        key => format!("{refused}: {key}: {}", error.reason),
    }
}

/// Refuses to take over a drive whose flash holds what this one cannot have written.
fn can_take_over(config: &Config, preparing: &Config) -> Result<(), ConfigError> {
    if config.redundancy == preparing.redundancy {
        return Ok(());
    }
    let reason = format!(
        "that drive has redundancy {}, and this one {}: what lies in its flash is laid out otherwise; \
         compare schemes with the same redundancy, or let each prepare its own drive (warmup.scheme = \
         \"{OWN_START}\")",
        preparing.redundancy.kind, config.redundancy.kind
    );
    Err(ConfigError::at("warmup.scheme", &reason))
}

/// The configuration that layers make.
fn resolve<'a>(layers: impl IntoIterator<Item = &'a Layer>) -> Result<Config, ConfigError> {
    resolve_merged(merged(layers))
}

fn merged<'a>(layers: impl IntoIterator<Item = &'a Layer>) -> Table {
    let mut merged = Table::new();
    for layer in layers {
        merge(&mut merged, &layer.table, "");
    }
    merged
}

fn resolve_merged(merged: Table) -> Result<Config, ConfigError> {
    let (config, no_number) = read_merged(merged)?;
    check(&config)?;
    are_numbers(no_number)?;
    Ok(config)
}

/// Reads the settings without looking whether they go together; also the key of what is no number.
fn read_merged(mut merged: Table) -> Result<(Config, Option<String>), ConfigError> {
    for seam in seams() {
        lookup_mut(&mut merged, seam.key()).into_iter().for_each(as_text);
    }
    let no_number = signless(&mut merged, "");
    are_tables(&merged)?;
    Ok((deserialize(merged)?, no_number))
}

/// Writes as text what TOML takes for a number and is none: parameters of policies are handed on in a form that has no
/// such numbers, and would be missing there.
fn as_text(value: &mut Value) {
    match value {
        Value::Float(number) if !number.is_finite() => {
            *value = Value::String(number.to_string().to_lowercase());
        }
        Value::Array(list) => list.iter_mut().for_each(as_text),
        Value::Table(below) => below.iter_mut().for_each(|(_, each)| as_text(each)),
        _ => {}
    }
}

/// Takes the sign of a zero away, so that equal settings are written alike; the key of what TOML takes for a number and
/// is none.
fn signless(table: &mut Table, path: &str) -> Option<String> {
    fn of_value(value: &mut Value, key: &str) -> Option<String> {
        match value {
            Value::Float(number) if *number == 0.0 => {
                *number = 0.0;
                None
            }
            Value::Float(number) => (!number.is_finite()).then(|| key.to_owned()),
            Value::Array(list) => list.iter_mut().filter_map(|each| of_value(each, key)).next_back(),
            Value::Table(below) => signless(below, key),
            _ => None,
        }
    }
    let of_key = |(key, value): (&String, &mut Value)| {
        of_value(value, &if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") })
    };
    // All of them: no zero may be passed over.
    table.iter_mut().map(|(key, value)| of_key((key, value))).fold(None, Option::or)
}

/// Refuses a number that is none where nothing that reads it has said which are valid.
fn are_numbers(no_number: Option<String>) -> Result<(), ConfigError> {
    no_number.map_or(Ok(()), |key| Err(ConfigError::at(&key, "is no number; infinite ones are none, too")))
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
    let mut merged = Table::new();
    for (key, value) in set {
        merge(&mut merged, &setting(key, value)?, "");
    }
    trace_section(merged)
}

/// The section `trace` of settings that have no other.
fn trace_section(mut merged: Table) -> Result<TraceConfig, ConfigError> {
    #[derive(serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Section {
        #[serde(default)]
        trace: TraceConfig,
    }
    let no_number = signless(&mut merged, "");
    let section: Section = deserialize(merged)?;
    section.trace.validate()?;
    are_numbers(no_number)?;
    Ok(section.trace)
}

/// What a device and settings on top of it say of traces, and nothing else of it checked: whether all fits together is
/// known once schemes and all settings are.
///
/// # Errors
/// As [`load`].
pub fn load_trace_of(request: &LoadRequest, folders: &[PathBuf]) -> Result<TraceConfig, ConfigError> {
    let mut set = Vec::new();
    for layer in device_layers(&request.device, folders)? {
        if let Some(given) = layer.table.get("trace") {
            let table = Table::from_iter([("trace".to_owned(), given.clone())]);
            set.push(Layer { table, ..layer });
        }
    }
    let of_traces: Vec<_> =
        request.set.iter().filter(|(key, _)| key.starts_with("trace.")).cloned().collect();
    set.extend(of_settings(&of_traces)?);
    let mut merged = Table::new();
    for layer in &set {
        merge(&mut merged, &layer.table, "");
    }
    trace_section(merged).map_err(|mut error| {
        // A place in a list belongs to the list.
        let key = error.key.split('[').next().unwrap_or_default();
        let blamed = set.iter().rev().find(|layer| lookup(&layer.table, key).is_some());
        error.origin = error.origin.or_else(|| blamed.map(|layer| place(layer, &error.key)));
        error
    })
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

/// Overrides `base` with `over`: tables merge, everything else is replaced.
fn merge(base: &mut Table, over: &Table, path: &str) {
    if path.is_empty() {
        layers::replace(base, over);
    }
    if seams().iter().any(|seam| seam.key() == path) {
        // A policy of another kind takes other parameters: those of the old kind must not remain.
        if over.get("kind").is_some_and(|new| base.get("kind").is_some_and(|old| old != new)) {
            base.clear();
        }
        layers::drop_params(base, over);
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
