//! What is counted, declared where it is counted: name, unit and meaning, from which results, tables, reports and
//! `docs/results.md` follow.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// A counter that a policy keeps. The policy lists it in its `MEMBER` and reports its count in `metrics()`; nothing
/// else needs to know its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Metric {
    /// Its key in results, in lower case with underscores.
    pub name: &'static str,
    /// What it counts, in the plural (`blocks`, `writes`), or `ns` for a time.
    pub unit: &'static str,
    /// One sentence: what raises the counter.
    pub about: &'static str,
}

impl Metric {
    /// The counter stands at `count`.
    pub const fn is(self, count: u64) -> Reading {
        Reading { metric: self, count }
    }
}

/// A counter and where it stands. It only ever rises; results have the difference between two readings, so policies
/// need not know when a run begins to be measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reading {
    /// The counter, as declared.
    pub metric: Metric,
    /// Counted since the policy was made.
    pub count: u64,
}

/// Declares a section of the results: each line a key with its type, what it says and, after `=>`, its unit. The schema
/// of results, from which `docs/results.md` is made, has units and the file in which a section is declared.
macro_rules! figures {
    (
        $(#[$about:meta])*
        pub struct $name:ident {
            $($(#[$says:meta])* $key:ident: $type:ty $(=> $unit:literal)?,)*
        }
    ) => {
        $(#[$about])*
        #[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[schemars(extend("source" = file!()))]
        pub struct $name {
            $($(#[$says])* $(#[schemars(extend("unit" = $unit))])? pub $key: $type,)*
        }
    };
}
pub(crate) use figures;

/// Two sets of the same counters, added up. What is no count is the same in both.
pub(crate) fn summed<T: Serialize + DeserializeOwned>(counters: &T, more: &T) -> T {
    let read = |counters: &T| serde_json::to_value(counters).expect("counters are a plain table");
    let (mut sum, more) = (read(counters), read(more));
    for (key, value) in sum.as_object_mut().expect("counters have names") {
        if let (Some(count), Some(further)) = (value.as_u64(), more[key.as_str()].as_u64()) {
            *value = Value::from(count + further);
        }
    }
    serde_json::from_value(sum).expect("sums of counters are counters")
}
