//! By class, in an order that is given: one for ordinary times and one for when a plane is short of space.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{Build, Class, DieView, Scheduler};
use crate::metric::{Metric, Reading};
use crate::registry::{Member, ParameterSpec, parameters};
use crate::settings::alternatives::{reading, unprinted};
use crate::settings::suggest;

/// A class of waiting operations.
#[derive(JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[allow(dead_code, reason = "its schema is what counts")]
enum ClassName {
    HostRead,
    HostWrite,
    GcRead,
    GcWrite,
    Erase,
}

const NAMES: [&str; Class::COUNT] = ["host-read", "host-write", "gc-read", "gc-write", "erase"];

/// One class, or several that go first come, first served among each other.
#[derive(JsonSchema)]
#[serde(untagged)]
#[allow(dead_code, reason = "its schema is what counts")]
enum Place {
    One(ClassName),
    Equal(Vec<ClassName>),
}

#[derive(JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[allow(dead_code, reason = "its schema is what counts")]
enum NoOrder {
    None,
}

/// `none`, or an order.
#[derive(JsonSchema)]
#[serde(untagged)]
#[allow(dead_code, reason = "its schema is what counts")]
enum UrgentOrder {
    None(NoOrder),
    Order(Vec<Place>),
}

// Values as they stand in the file: an enum that is one of several types could not say what is wrong with them.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Parameters {
    /// The five classes `host-read`, `host-write`, `gc-read` (copybacks, too), `gc-write` and `erase`, each once, first
    /// served first. A list in the list has classes that are equal: first come, first served.
    #[schemars(with = "Vec<Place>")]
    #[schemars(extend("x-alternatives" = reading(
        &[
            "['host-read', 'host-write', 'erase', 'gc-write', 'gc-read']",
            "['host-write', 'host-read', 'erase', 'gc-write', 'gc-read']",
            "['erase', 'gc-write', 'gc-read', 'host-read', 'host-write']",
        ],
        "Who goes first at a die is seldom printed, and decides latencies."
    )))]
    order: Value,
    /// The same for a die while a plane of it is short of space (`gc.trigger.hard`); `none`: as ever.
    #[schemars(with = "UrgentOrder")]
    #[schemars(extend("x-alternatives" = unprinted(
        &["none", "['erase', 'gc-write', 'gc-read', 'host-read', 'host-write']"],
        "Who goes first while space is short is printed nowhere."
    )))]
    urgent_order: Value,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            order: ["host-read", "host-write", "erase", "gc-write", "gc-read"].as_slice().into(),
            urgent_order: ["erase", "gc-write", "gc-read", "host-read", "host-write"].as_slice().into(),
        }
    }
}

const URGENT: Metric = Metric {
    name: "urgent_picks",
    unit: "picks",
    about: "Times a die had a choice, and went by `urgent_order` because a plane was short of space.",
};

pub const MEMBER: Member<Build> = Member {
    name: "by-class",
    about: "by class, in the order that is given; in another one when a plane runs out of space",
    parameters: &ParameterSpec::of::<Parameters>(),
    conflicts: &[],
    metrics: &[URGENT],
    build: |choice, _| {
        let given: Parameters = parameters(choice);
        let ranks = ranks("order", &given.order)?;
        let urgent_ranks = match given.urgent_order.as_str() {
            Some("none") => None,
            Some(_) => {
                return Err("urgent_order: must be a list of classes as order is, or \"none\"".to_owned());
            }
            None => Some(self::ranks("urgent_order", &given.urgent_order)?),
        };
        Ok(Box::new(ByClass { ranks, urgent_ranks, urgent: 0 }))
    },
};

/// The place of each class in an order.
fn ranks(key: &str, order: &Value) -> Result<[u8; Class::COUNT], String> {
    let mut ranks = [u8::MAX; Class::COUNT];
    let places = order.as_array().ok_or_else(|| format!("{key}: must be a list of {}", NAMES.join(", ")))?;
    for (rank, place) in places.iter().enumerate() {
        let alone = std::slice::from_ref(place);
        for class in place.as_array().map_or(alone, Vec::as_slice) {
            let name = class
                .as_str()
                .ok_or_else(|| format!("{key}: {class} is no class; valid: {}", NAMES.join(", ")))?;
            let Some(at) = NAMES.iter().position(|known| *known == name) else {
                let (valid, meant) = (NAMES.join(", "), suggest(name, &NAMES));
                return Err(format!("{key}: \"{name}\" is unknown; valid: {valid}{meant}"));
            };
            if ranks[at] != u8::MAX {
                return Err(format!("{key}: \"{name}\" is given twice; each class has one place"));
            }
            ranks[at] = rank as u8;
        }
    }
    match ranks.iter().position(|rank| *rank == u8::MAX) {
        Some(missing) => Err(format!(
            "{key}: \"{}\" is missing; each of {} must have its place",
            NAMES[missing],
            NAMES.join(", ")
        )),
        None => Ok(dense(ranks)),
    }
}

/// The same without places that no class has: an empty list in the list is none.
fn dense(ranks: [u8; Class::COUNT]) -> [u8; Class::COUNT] {
    ranks.map(|rank| (0..rank).filter(|lower| ranks.contains(lower)).count() as u8)
}

struct ByClass {
    ranks: [u8; Class::COUNT],
    urgent_ranks: Option<[u8; Class::COUNT]>,
    urgent: u64,
}

impl Scheduler for ByClass {
    fn pick(&mut self, die: &DieView) -> Option<Class> {
        let ranks = match self.urgent_ranks {
            Some(ranks) if die.gc_urgent => {
                self.urgent += 1;
                ranks
            }
            _ => self.ranks,
        };
        let startable = Class::ALL.into_iter().filter(|class| die.has(*class));
        startable.min_by_key(|class| (ranks[*class as usize], die.oldest[*class as usize]))
    }

    fn class_ranks(&self) -> Option<[u8; Class::COUNT]> {
        Some(self.ranks)
    }

    fn metrics(&self) -> Vec<Reading> {
        vec![URGENT.is(self.urgent)]
    }
}
