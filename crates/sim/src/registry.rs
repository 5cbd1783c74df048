//! How a seam lists its members: one file per policy, one line to register it.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::metric::Metric;
use crate::settings::alternatives::Alternatives;
use crate::settings::{Config, ConfigError, PolicyChoice, read_json};

/// One member of a seam: its name, what it does, what parameters it takes and how it is built.
#[derive(Debug)]
pub struct Member<Build: 'static> {
    /// What configuration calls it.
    pub name: &'static str,
    /// What it does, in one sentence for lists and generated documentation.
    pub about: &'static str,
    /// What it takes as parameters: checks a configuration, and gives the catalogue their schema.
    pub parameters: &'static ParameterSpec,
    /// What it cannot be combined with.
    pub conflicts: &'static [Conflict],
    /// What it counts. Its `metrics()` reports each of them.
    pub metrics: &'static [Metric],
    /// Builds it from a checked choice.
    pub build: Build,
}

impl<Build> Member<Build> {
    /// Whether its name alone is a choice: it needs no parameter.
    pub fn stands_alone(&self) -> bool {
        (self.parameters.check)(&PolicyChoice::of(self.name)).is_ok()
    }
}

/// A combination that a member refuses.
#[derive(Debug)]
pub struct Conflict {
    /// The key that an error names.
    pub key: &'static str,
    /// The settings it cannot be combined with, each as documentation names it.
    pub with: &'static [&'static str],
    /// Why, and what to use instead.
    pub why: &'static str,
    /// Whether a configuration that has chosen the member has these settings, too.
    pub applies: fn(&Config) -> bool,
}

impl Conflict {
    /// That of a member that decides by what goes on at an instant, with a run that has none.
    pub const fn with_untimed(why: &'static str) -> Self {
        Self {
            key: "measure.untimed",
            with: &["measure.untimed = true, or measure.windows"],
            why,
            applies: |config| config.measure.plays_without_time(),
        }
    }

    /// What a configuration is refused with that has chosen the member and has these settings.
    pub fn error(&self, config: &Config) -> ConfigError {
        let of_windows = self.key == "measure.untimed" && config.measure.windows.is_some();
        ConfigError::at(if of_windows { "measure.windows" } else { self.key }, self.why)
    }
}

/// What is known about a member's parameter type without building the member.
#[derive(Debug)]
pub struct ParameterSpec {
    schema: fn() -> Schema,
    check: fn(&PolicyChoice) -> Result<(), ConfigError>,
}

impl ParameterSpec {
    /// The specification of parameters deserialised into `P`.
    pub const fn of<P: DeserializeOwned + JsonSchema>() -> Self {
        Self {
            schema: || SchemaGenerator::default().into_root_schema_for::<P>(),
            check: |choice| parse::<P>(choice).map(drop),
        }
    }
}

/// Parameters of a member that takes none.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NoParameters {}

/// Errors have keys below that of the policy kind.
fn parse<P: DeserializeOwned>(choice: &PolicyChoice) -> Result<P, ConfigError> {
    read_json(serde_json::Value::Object(choice.parameters.clone()), &["kind"])
}

/// The parameters of a choice that [`check`] has accepted.
///
/// # Panics
/// When the choice was not checked before.
pub fn parameters<P: DeserializeOwned>(choice: &PolicyChoice) -> P {
    parse(choice).unwrap_or_else(|e| panic!("unchecked parameters of {}: {e}", choice.kind))
}

/// A member as the catalogue shows it.
#[derive(Debug)]
pub struct Listing {
    /// What configuration calls it.
    pub name: &'static str,
    /// What the policy does, in one sentence for lists.
    pub about: &'static str,
    /// Schema of its parameters.
    pub parameters: Schema,
    /// What it cannot be combined with.
    pub conflicts: &'static [Conflict],
    /// What it counts.
    pub metrics: &'static [Metric],
    /// The file that has it.
    pub source: String,
}

/// A seam as the catalogue shows it.
pub trait Seam {
    /// The configuration key of the seam, e.g. `gc.victim`.
    fn key(&self) -> &'static str;
    /// Which members stand in for each other.
    fn alternatives(&self) -> Alternatives;
    /// Every member of the seam with its schema, in the order in which lists show them.
    fn listing(&self) -> Vec<Listing>;
    /// Whether `choice` names a member and gives it parameters it takes.
    fn check(&self, choice: &PolicyChoice) -> Result<(), ConfigError>;
    /// Whether the member that `choice` names can be combined with everything else in `config`.
    fn check_conflicts(&self, choice: &PolicyChoice, config: &Config) -> Result<(), ConfigError>;
}

/// The members of one seam.
#[derive(Debug)]
pub struct Members<Build: 'static> {
    /// The configuration key of the seam.
    pub key: &'static str,
    /// Which of them stand in for each other when a study asks what a conclusion hangs on.
    pub alternatives: Alternatives,
    /// Every member of the seam, in the order in which lists show them.
    pub all: &'static [Member<Build>],
    /// The file that lists them.
    pub listed_in: &'static str,
    /// The modules beside it that have them, in the same order.
    pub modules: &'static [&'static str],
}

impl<Build> Members<Build> {
    /// The member a checked choice names.
    ///
    /// # Panics
    /// When the choice was not checked before.
    pub fn get(&self, choice: &PolicyChoice) -> &'static Member<Build> {
        self.all.iter().find(|m| m.name == choice.kind).expect("the choice was checked at load")
    }
}

impl<Build> Seam for Members<Build> {
    fn key(&self) -> &'static str {
        self.key
    }

    fn alternatives(&self) -> Alternatives {
        self.alternatives
    }

    fn listing(&self) -> Vec<Listing> {
        let listing = |(member, module): (&Member<Build>, &&str)| Listing {
            name: member.name,
            about: member.about,
            parameters: (member.parameters.schema)(),
            conflicts: member.conflicts,
            metrics: member.metrics,
            source: self.listed_in.replace("mod.rs", &format!("{module}.rs")),
        };
        self.all.iter().zip(self.modules).map(listing).collect()
    }

    fn check_conflicts(&self, choice: &PolicyChoice, config: &Config) -> Result<(), ConfigError> {
        let mut conflicts = self.get(choice).conflicts.iter();
        match conflicts.find(|conflict| (conflict.applies)(config)) {
            Some(conflict) => Err(conflict.error(config)),
            None => Ok(()),
        }
    }

    fn check(&self, choice: &PolicyChoice) -> Result<(), ConfigError> {
        let Some(member) = self.all.iter().find(|m| m.name == choice.kind) else {
            let names: Vec<_> = self.all.iter().map(|m| m.name).collect();
            return Err(ConfigError::choice(&format!("{}.kind", self.key), &choice.kind, &names));
        };
        (member.parameters.check)(choice).map_err(|error| {
            let key = [self.key, &error.key].join(".");
            ConfigError { key: key.trim_end_matches('.').to_owned(), ..error }
        })
    }
}

/// Declares the member files of a seam and lists them: adding a policy is one file and one word here.
///
/// Each file provides `pub const MEMBER: Member<…>`. Before the files stands which members stand in for each other, as
/// `settings/alternatives.rs` has it for other settings.
macro_rules! members {
    ($(#[$doc:meta])* $key:literal, $build:ty, $alternatives:expr; $($module:ident),+ $(,)?) => {
        $(mod $module;)+
        $(#[$doc])*
        pub const MEMBERS: $crate::registry::Members<$build> =
            $crate::registry::Members {
                key: $key,
                alternatives: $alternatives,
                all: &[$($module::MEMBER),+],
                listed_in: file!(),
                modules: &[$(stringify!($module)),+],
            };
    };
}
pub(crate) use members;
