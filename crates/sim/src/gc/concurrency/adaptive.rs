//! G(t): the fuller the flash, the more channels may collect at once. Channel-aware GC, section 3.
//!
//! With U the share of pages in use, none below theta1, `max_channels` from theta2 on, and in between as many as lie
//! on the straight line. The paper does not say how its G becomes a whole number: `ceil` meets both of its definitions,
//! that collection starts above theta1 and that all `max_channels` collect at theta2.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Build, Concurrency, JobsView, Usage};
use crate::ids::PlaneId;
use crate::metric::{Metric, Reading};
use crate::registry::{Conflict, Member, ParameterSpec, parameters};
use crate::settings::Ratio;
use crate::settings::alternatives::{SWITCH, reading, scope};

/// How G becomes a whole number of channels.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Rounding {
    /// Up: a channel may collect as soon as the usage passes theta1.
    #[default]
    Ceil,
    /// Down, as a conversion in C does: all channels only from theta2 on.
    Floor,
    /// To the nearest, halves up.
    Nearest,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Parameters {
    /// Usage below which no channel collects.
    #[schemars(extend("x-alternatives" = scope(
        &["×0.8", "×1.2"],
        "The paper prints one pair of thresholds and varies them itself."
    )))]
    theta1: Ratio,
    /// Usage from which on `max_channels` collect; not below theta1.
    #[schemars(extend("x-alternatives" = scope(
        &["×0.9", "×1.1"],
        "The paper prints one pair of thresholds and varies them itself."
    )))]
    theta2: Ratio,
    /// Most channels that collect at once, at least 1.
    #[schemars(extend("x-alternatives" = scope(
        &["×0.5", "×2"],
        "The paper varies the largest number of channels itself."
    )))]
    max_channels: u32,
    /// How G becomes a whole number of channels.
    #[schemars(extend("x-alternatives" = reading(
        &["ceil", "floor", "nearest"],
        "How a real number becomes a number of channels is not printed."
    )))]
    rounding: Rounding,
    /// Which pages are in use.
    #[schemars(extend("x-alternatives" = reading(
        &["programmed", "valid"],
        "Used space can count invalid pages or leave them out."
    )))]
    usage: Usage,
    /// Whether a job begins only while nothing is queued or under way on its channel.
    #[schemars(extend("x-alternatives" = reading(
        SWITCH,
        "Collection waits for idle channels, or only for its share of them."
    )))]
    idle: bool,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            theta1: Ratio { ppm: 500_000 },
            theta2: Ratio { ppm: 850_000 },
            max_channels: 4,
            rounding: Rounding::default(),
            usage: Usage::default(),
            idle: false,
        }
    }
}

const REFUSED: Metric = Metric {
    name: "refused_starts",
    unit: "answers",
    about: "Times a plane wanted to collect and had to wait, because G channels did already; it asks again.",
};

const EMERGENCIES: Metric = Metric {
    name: "emergency_starts",
    unit: "jobs",
    about: "Jobs that G, or `idle`, would have held back, but that started because a host write waited for a \
            page of their plane.",
};

pub const MEMBER: Member<Build> = Member {
    name: "adaptive",
    about: "G(t): the fuller the flash, the more channels may collect at once (channel-aware GC)",
    parameters: &ParameterSpec::of::<Parameters>(),
    conflicts: &[Conflict::with_untimed(
        "adaptive: limits how many channels collect at once, and without time one job ends before \
         the next begins; use gc.concurrency = \"all\", or a timed run",
    )],
    metrics: &[REFUSED, EMERGENCIES],
    build: |choice, context| {
        let given: Parameters = parameters(choice);
        if given.theta1.ppm > given.theta2.ppm || given.theta2.ppm > 1_000_000 {
            let (theta1, theta2) = (given.theta1, given.theta2);
            return Err(format!("theta1 {theta1}, theta2 {theta2}: must be in that order, and at most 100%"));
        }
        if given.max_channels == 0 {
            return Err("max_channels = 0; at least 1".to_owned());
        }
        let pages = u64::from(context.geometry.pages());
        Ok(Box::new(Adaptive { given, pages, refused: 0, emergencies: 0 }))
    },
};

struct Adaptive {
    given: Parameters,
    pages: u64,
    refused: u64,
    emergencies: u64,
}

impl Adaptive {
    /// G, a whole number of channels. Exact: usage and thetas are compared as fractions of whole numbers.
    fn limit(&self, view: &JobsView<'_>) -> u32 {
        let used = self.given.usage.pages(view);
        let (used, pages) = (u128::from(used) * 1_000_000, u128::from(self.pages));
        let (theta1, theta2) = (u128::from(self.given.theta1.ppm), u128::from(self.given.theta2.ppm));
        if used < theta1 * pages {
            return 0;
        }
        if used >= theta2 * pages {
            return self.given.max_channels;
        }
        let (above, span) =
            (u128::from(self.given.max_channels) * (used - theta1 * pages), (theta2 - theta1) * pages);
        let channels = match self.given.rounding {
            Rounding::Ceil => above.div_ceil(span),
            Rounding::Floor => above / span,
            Rounding::Nearest => (2 * above + span) / (2 * span),
        };
        channels as u32
    }

    fn lets_start(&self, plane: PlaneId, view: &JobsView<'_>) -> bool {
        view.active_channels_with(plane) <= self.limit(view)
    }

    /// Whether a job waits until its channel has nothing else to do.
    fn waits_for_channel(&self, view: &JobsView<'_>) -> bool {
        self.given.idle && !view.channel_idle
    }
}

impl Concurrency for Adaptive {
    fn may_start(&mut self, plane: PlaneId, view: &JobsView<'_>) -> bool {
        if self.waits_for_channel(view) {
            return false;
        }
        let may = self.lets_start(plane, view);
        self.refused += u64::from(!may);
        may
    }

    fn waits_for_idle(&self) -> bool {
        self.given.idle
    }

    fn channel_limit(&self, view: &JobsView<'_>) -> Option<u32> {
        Some(self.limit(view))
    }

    fn limit_changes(&self) -> bool {
        true
    }

    fn on_emergency(&mut self, plane: PlaneId, view: &JobsView<'_>) {
        self.emergencies += u64::from(self.waits_for_channel(view) || !self.lets_start(plane, view));
    }

    fn metrics(&self) -> Vec<Reading> {
        vec![REFUSED.is(self.refused), EMERGENCIES.is(self.emergencies)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    fn limit(rounding: Rounding, used: u64) -> u32 {
        let given = Parameters { rounding, ..Parameters::default() };
        let policy = Adaptive { given, pages: 1_000, refused: 0, emergencies: 0 };
        let config = crate::config::load(&crate::config::LoadRequest {
            device: "gc-bypass-mini".to_owned(),
            schemes: Vec::new(),
            set: Vec::new(),
        });
        let geometry = crate::flash::Geometry::new(&config.unwrap()).unwrap();
        policy.limit(&JobsView {
            geometry: &geometry,
            jobs_per_channel: &[],
            used_pages: used,
            valid_pages: 0,
            channel_idle: true,
        })
    }

    /// G = 4 (U - 0.5) / 0.35: 1 at U = 0.5875, 2 at 0.675, 3 at 0.7625.
    #[rstest]
    #[case(499, [0, 0, 0])]
    #[case(500, [0, 0, 0])]
    #[case(501, [1, 0, 0])]
    #[case(543, [1, 0, 0])]
    #[case(544, [1, 0, 1])]
    #[case(587, [1, 0, 1])]
    #[case(588, [2, 1, 1])]
    #[case(675, [2, 2, 2])]
    #[case(849, [4, 3, 4])]
    #[case(850, [4, 4, 4])]
    #[case(1000, [4, 4, 4])]
    fn g_grows_with_the_usage(#[case] used: u64, #[case] expected: [u32; 3]) {
        let found = [Rounding::Ceil, Rounding::Floor, Rounding::Nearest].map(|way| limit(way, used));
        assert_eq!(found, expected);
    }
}
