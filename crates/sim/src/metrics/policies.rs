//! What policies have counted, as results show it.

use std::collections::BTreeMap;

use crate::metric::{Metric, Reading, figures};

figures! {
    /// A counter that a policy declares, over the measured part of the run.
    pub struct PolicyMetric {
        /// How often it was raised; its own `unit` says what it counts.
        value: u64 => "as declared",
        /// What it counts.
        unit: String,
        /// What raises it.
        about: String,
    }
}

/// Of each policy kind, by the key that chooses it, every counter that the chosen policy declares, by name.
pub type PolicyResults = BTreeMap<String, BTreeMap<String, PolicyMetric>>;

/// Where the counters of all policies stood at an instant.
#[derive(Debug, Clone, Default)]
pub struct PolicyReadings {
    kinds: Vec<(&'static str, Vec<Reading>)>,
}

impl PolicyReadings {
    /// Take up the counters of the policy that `key` has chosen, which declares `declared`.
    ///
    /// # Panics
    /// When it reports other counters than those it declares.
    pub fn add(&mut self, key: &'static str, declared: &[Metric], readings: Vec<Reading>) {
        let reported = readings.iter().map(|reading| &reading.metric);
        assert!(declared.iter().eq(reported), "{key} declares {declared:?}, but reports {readings:?}");
        self.kinds.push((key, readings));
    }

    /// What has been counted since `before` was taken of the same drive; kinds without a counter are left out.
    pub fn since(&self, before: &Self) -> PolicyResults {
        let counted = |(now, before): (&Reading, &Reading)| {
            let Metric { name, unit, about } = now.metric;
            let value = now.count - before.count;
            (name.to_owned(), PolicyMetric { value, unit: unit.to_owned(), about: about.to_owned() })
        };
        let kinds = self.kinds.iter().zip(&before.kinds).filter(|((_, now), _)| !now.is_empty());
        kinds
            .map(|((key, now), (_, before))| {
                ((*key).to_owned(), now.iter().zip(before).map(counted).collect())
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEEN: Metric = Metric { name: "seen", unit: "blocks", about: "Blocks seen." };

    fn readings(count: u64) -> PolicyReadings {
        let mut readings = PolicyReadings::default();
        readings.add("gc.victim", &[SEEN], vec![SEEN.is(count)]);
        readings.add("redundancy", &[], Vec::new());
        readings
    }

    #[test]
    fn results_have_what_was_counted_since_with_the_declaration() {
        let found = readings(12).since(&readings(5));
        let seen = &found["gc.victim"]["seen"];
        assert_eq!((seen.value, seen.unit.as_str(), seen.about.as_str()), (7, "blocks", "Blocks seen."));
        assert_eq!(found.len(), 1, "a kind without counters is left out");
    }

    #[test]
    #[should_panic(expected = "gc.victim declares")]
    fn a_policy_that_forgets_a_counter_is_found_out() {
        PolicyReadings::default().add("gc.victim", &[SEEN], Vec::new());
    }
}
