//! Deferring collection on RAID-5 over chips: a chip with more waiting writes than it can take before it is collected
//! is *warned*; writes leave it for chips of other parity sets, and it is collected when nothing waits for it. Liang
//! et al., IEICE Electronics Express 2018, section 4.3.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Build, Concern, Deferral, HomeView, Target, TargetsView};
use crate::ids::PlaneId;
use crate::metric::{Metric, Reading};
use crate::registry::{Conflict, Member, ParameterSpec, parameters};
use crate::settings;
use crate::settings::BlockCount;
use crate::settings::alternatives::{SWITCH, reading, scope, unprinted};
use crate::ties::TieBreaker;

const METRICS: &[Metric] = &[
    Metric {
        name: "warnings",
        unit: "writes",
        about: "Pages queued where more wait than can be programmed before collection starts.",
    },
    Metric { name: "redirects", unit: "pages", about: "Pages that went to a chip of another parity set." },
    Metric {
        name: "refused_redirects",
        unit: "pages",
        about: "Pages that were to be redirected, and found no chip that may take them.",
    },
    Metric {
        name: "deferred_jobs",
        unit: "jobs",
        about: "Jobs that began on a warned plane when its die had nothing to do.",
    },
    Metric {
        name: "idle_jobs",
        unit: "jobs",
        about: "Jobs that began when a die had nothing to do, on a warned plane or not.",
    },
    Metric {
        name: "same_stripe_redirects",
        unit: "pages",
        about: "Pages that went to a chip with another page of their stripe, which are lost with it.",
    },
];

pub const MEMBER: Member<Build> = Member {
    name: "dgc",
    about: "writes leave chips that are about to be collected; those are collected when idle (deferred GC)",
    parameters: &ParameterSpec::of::<Parameters>(),
    conflicts: &[
        Conflict::with_untimed(
            "dgc: writes leave a chip that others wait for, and without time nothing waits; use \
             gc.deferral = \"none\", or a timed run",
        ),
        Conflict {
            key: "gc.deferral",
            with: &["redundancy other than raid5"],
            why: "dgc: redirects pages of stripes; use redundancy = { kind = \"raid5\", … }",
            applies: |config| !config.is_striped(),
        },
        Conflict {
            key: "gc.deferral",
            with: &["gc.trigger other than free-blocks and foreground"],
            why: "dgc: needs a number of free blocks at which collection starts; use gc.trigger = \
                  \"foreground\"",
            applies: |config| !["free-blocks", "foreground"].contains(&config.gc.trigger.kind.as_str()),
        },
        Conflict {
            key: "gc.deferral",
            with: &["gc.trigger.of = drive"],
            why: "dgc: needs a number of free blocks of each plane; use gc.trigger.of = \"plane\"",
            applies: |config| config.gc.trigger.text("of") == Some("drive"),
        },
        Conflict {
            key: "gc.deferral",
            with: &["flash.program_unit = word-line", "geometry.mapping_unit below page_size"],
            why: "dgc: pages leave a queue one by one; use flash.program_unit = \"page\", and leave \
                  geometry.mapping_unit out",
            applies: |config| config.flash.programs_word_lines() || config.geometry.parts_of_page() > 1,
        },
        Conflict {
            key: "gc.deferral",
            with: &["parity_blocks = own"],
            why: "dgc: counts the pages of one open block of the host; use redundancy.parity_blocks = \
                  \"shared\"",
            applies: |config| config.redundancy.text("parity_blocks") == Some("own"),
        },
        Conflict {
            key: "gc.deferral",
            with: &["same_stripe = allowed, redundancy.unreadable_chip or rebuild_chip"],
            why: "dgc: with same_stripe = \"allowed\" a page of such a chip may be lost for good; use \
                  same_stripe = \"forbidden\"",
            applies: |config| {
                config.gc.deferral.text("same_stripe") == Some("allowed")
                    && ["unreadable_chip", "rebuild_chip"]
                        .iter()
                        .any(|key| config.redundancy.parameters.contains_key(*key))
            },
        },
    ],
    metrics: METRICS,
    build: |choice, context| {
        let given: Parameters = parameters(choice);
        let geometry = &context.geometry;
        if geometry.stripes.as_ref().is_some_and(|stripes| stripes.sets < 2) {
            return Err("dgc needs chips outside a page's parity set; use fewer stripe_chips".to_owned());
        }
        let restore = given.restore.resolve(geometry.blocks_per_plane);
        if restore == 0 || restore >= geometry.blocks_per_plane {
            return Err(format!(
                "restore {}: must be at least a block, and less than a plane",
                given.restore
            ));
        }
        Ok(Box::new(Dgc {
            restore,
            warned: vec![false; geometry.planes() as usize].into(),
            ties: TieBreaker::new(rule_of(given.ties), geometry.planes(), context.stream("deferral")),
            given,
            counted: [0; METRICS.len()],
        }))
    },
};

/// The least worn are found by rank; what is left of ties goes to the lowest number.
fn rule_of(ties: Ties) -> settings::Ties {
    match ties {
        Ties::Rotating => settings::Ties::Rotating,
        Ties::Lowest | Ties::LeastWorn => settings::Ties::Lowest,
        Ties::Random => settings::Ties::Random,
    }
}

struct Dgc {
    given: Parameters,
    ties: TieBreaker,
    /// Free blocks of a plane, beyond those at which its trigger starts, with which it is not collected while idle.
    restore: u32,
    /// By plane: whether it was warned, and has not been collected enough since.
    warned: Box<[bool]>,
    /// In the order in which they are declared.
    counted: [u64; METRICS.len()],
}

impl Parameters {
    fn admits(&self, target: &Target, view: &TargetsView<'_>) -> bool {
        let in_time = target.next_arrival.is_none_or(|next| target.completes + view.write_unit <= next);
        let keeps_apart = self.same_stripe == SameStripe::Allowed || !target.holds_member;
        let is_sooner = self.redirect != When::Busy || target.completes < view.home_completes;
        target.has_room && in_time && keeps_apart && is_sooner
    }
}

impl Deferral for Dgc {
    fn on_queued(&mut self, home: PlaneId, view: &HomeView) -> Concern {
        if self.given.redirect == When::Busy {
            return if view.is_busy { Concern::RedirectNewest } else { Concern::Nothing };
        }
        if view.waiting <= view.writable {
            return Concern::Nothing;
        }
        self.warned[home.index()] = true;
        self.counted[0] += 1;
        match (self.given.redirect, self.given.take) {
            (When::Warned, Take::Oldest) => Concern::RedirectOldest,
            (When::Warned, Take::Newest) => Concern::RedirectNewest,
            (When::Busy | When::Never, _) => Concern::Warned,
        }
    }

    fn redirects_parity(&self) -> bool {
        self.given.parity
    }

    fn choose(&mut self, view: &TargetsView<'_>) -> Option<PlaneId> {
        let by_wear = self.given.ties == Ties::LeastWorn;
        let given = &self.given;
        let admitted = view.targets.iter().filter(|target| given.admits(target, view));
        let ranked = admitted.map(|target| {
            let wear = if by_wear { target.erases } else { 0 };
            ((target.completes, wear), target.plane.0)
        });
        let chosen = self.ties.choose(ranked).map(PlaneId);
        let best = view.targets.iter().find(|target| Some(target.plane) == chosen);
        self.counted[if best.is_some() { 1 } else { 2 }] += 1;
        self.counted[5] += u64::from(best.is_some_and(|target| target.holds_member));
        chosen
    }

    fn looks_ahead(&self) -> u32 {
        self.given.lookahead
    }

    fn wants_when_idle(&self, plane: PlaneId, above_start: u32) -> bool {
        let concerned = match self.given.idle {
            Idle::Warned => self.warned[plane.index()],
            Idle::All => true,
            Idle::None => false,
        };
        concerned && above_start < self.restore
    }

    fn collects_when_idle(&self) -> bool {
        self.given.idle != Idle::None
    }

    fn on_idle_job(&mut self, plane: PlaneId) {
        self.counted[3] += u64::from(self.warned[plane.index()]);
        self.counted[4] += 1;
    }

    fn on_erased(&mut self, plane: PlaneId, above_start: u32) {
        if above_start >= self.restore {
            self.warned[plane.index()] = false;
        }
    }

    fn metrics(&self) -> Vec<Reading> {
        METRICS.iter().zip(self.counted).map(|(metric, count)| metric.is(count)).collect()
    }
}

/// Which write leaves a warned plane.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Take {
    /// The one that has waited longest, as in the paper's figure 5.
    #[default]
    Oldest,
    /// The one that is being queued.
    Newest,
}

/// What makes a write leave its plane.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum When {
    /// More writes wait than the plane can take before it is collected.
    #[default]
    Warned,
    /// Its die is busy, and another would be done sooner: dynamic allocation, whatever collection does.
    Busy,
    /// No write leaves: idle collection alone.
    Never,
}

/// Which planes are collected while their die has nothing to do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Idle {
    /// Those that have been warned.
    #[default]
    Warned,
    /// All that are short of free blocks.
    All,
    /// None are: redirection alone.
    None,
}

/// Whether a chip may get two pages of a stripe.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum SameStripe {
    /// It may not: any one chip can be lost.
    #[default]
    Forbidden,
    /// It may, as in the paper, whose rule excludes the page's own parity set only. Counted.
    Allowed,
}

/// Where a page goes if several planes would be done with it at the same time, as all idle ones would.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Ties {
    /// To the one to which none went for longest.
    #[default]
    Rotating,
    /// To the one with the lowest number, and so to the chips with low numbers more often than to others.
    Lowest,
    /// To any, each with the same chance.
    Random,
    /// To the one with the fewest erases; of several of those to the one with the lowest number.
    LeastWorn,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Parameters {
    /// What makes a write leave its plane.
    #[schemars(extend("x-alternatives" = scope(
        &["warned", "busy", "never"],
        "Redirection can be told apart from what comes with it."
    )))]
    redirect: When,
    /// Which write leaves a warned plane.
    #[schemars(extend("x-alternatives" = reading(
        &["oldest", "newest"],
        "The paper's figure moves the oldest write; its rule names none."
    )))]
    take: Take,
    /// Whether pages of parity are redirected, too.
    #[schemars(extend("x-alternatives" = reading(
        SWITCH,
        "The paper keeps a mapping of data alone and redirects any write."
    )))]
    parity: bool,
    /// Whether a chip may get two pages of a stripe.
    #[schemars(extend("x-alternatives" = reading(
        &["forbidden", "allowed"],
        "The paper's rule permits what its claim of fault tolerance excludes."
    )))]
    same_stripe: SameStripe,
    /// Number of requests to come of which it knows when they will arrive and where they go: 0 in a real drive, more
    /// is a bound.
    #[schemars(extend("x-alternatives" = reading(
        &["0", "64"],
        "The arrival of the next request is estimated, or known."
    )))]
    lookahead: u32,
    /// Which planes are collected while their die has nothing to do.
    #[schemars(extend("x-alternatives" = reading(
        &["warned", "all", "none"],
        "The paper adds idle collection in one section and none in another."
    )))]
    idle: Idle,
    /// Where a page goes if several planes would be done with it at the same time.
    #[schemars(extend("x-alternatives" = unprinted(
        &["rotating", "lowest", "random", "least-worn"],
        "Which of several idle chips takes a write is not printed."
    )))]
    ties: Ties,
    /// That goes on until a plane has so many free blocks more than the trigger's `start`.
    #[schemars(extend("x-alternatives" = unprinted(
        &["1 block", "2 blocks"],
        "How long idle collection goes on is not printed."
    )))]
    restore: BlockCount,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            redirect: When::Warned,
            take: Take::Oldest,
            parity: true,
            same_stripe: SameStripe::Forbidden,
            lookahead: 0,
            idle: Idle::Warned,
            ties: Ties::Rotating,
            restore: BlockCount::Blocks(1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::RandomStream;
    use crate::time::{Nanos, SimTime};

    fn dgc(given: Parameters) -> Dgc {
        let ties = TieBreaker::new(rule_of(given.ties), 8, RandomStream::new(42, "victim"));
        Dgc { given, ties, restore: 1, warned: vec![false; 8].into(), counted: [0; METRICS.len()] }
    }

    fn target(plane: u32, completes: u64) -> Target {
        Target {
            plane: PlaneId(plane),
            completes: SimTime(completes),
            next_arrival: None,
            has_room: true,
            holds_member: false,
            erases: 0,
        }
    }

    fn chosen(policy: &mut Dgc, targets: &[Target]) -> Option<u32> {
        let view = TargetsView { targets, home_completes: SimTime(100), write_unit: Nanos(10) };
        policy.choose(&view).map(|plane| plane.0)
    }

    #[test]
    fn the_chip_that_is_done_first_takes_a_page_the_lowest_of_equals() {
        let mut policy = dgc(Parameters { ties: Ties::Lowest, ..Parameters::default() });
        assert_eq!(chosen(&mut policy, &[target(4, 7), target(5, 3), target(6, 3)]), Some(5));
        let full = Target { has_room: false, ..target(5, 3) };
        assert_eq!(chosen(&mut policy, &[target(4, 7), full, target(6, 3)]), Some(6));
        assert_eq!(chosen(&mut policy, &[full]), None);
        assert_eq!(policy.counted[1..3], [2, 1], "redirected, and refused");
    }

    /// The paper's rule: its completion time and a write must be no later than its next arrival.
    #[test]
    fn a_page_must_be_written_before_the_next_one_comes() {
        let mut policy = dgc(Parameters::default());
        let due = |at| Target { next_arrival: Some(SimTime(at)), ..target(4, 5) };
        assert_eq!(chosen(&mut policy, &[due(14)]), None);
        assert_eq!(chosen(&mut policy, &[due(15)]), Some(4));
    }

    #[test]
    fn pages_of_a_stripe_are_kept_apart_unless_the_papers_rule_is_asked_for() {
        let together = Target { holds_member: true, ..target(4, 5) };
        assert_eq!(chosen(&mut dgc(Parameters::default()), &[together]), None);
        let mut literal = dgc(Parameters { same_stripe: SameStripe::Allowed, ..Parameters::default() });
        assert_eq!(chosen(&mut literal, &[together]), Some(4));
        assert_eq!(literal.counted[5], 1);
    }

    #[test]
    fn a_plane_is_warned_when_more_wait_than_fit_and_until_it_is_collected() {
        let mut policy = dgc(Parameters::default());
        let home = |waiting| HomeView { waiting, writable: 2, is_busy: true };
        assert_eq!(policy.on_queued(PlaneId(0), &home(2)), Concern::Nothing);
        assert!(!policy.wants_when_idle(PlaneId(0), 0));
        assert_eq!(policy.on_queued(PlaneId(0), &home(3)), Concern::RedirectOldest);
        assert!(policy.wants_when_idle(PlaneId(0), 0) && !policy.wants_when_idle(PlaneId(0), 1));
        policy.on_erased(PlaneId(0), 0);
        assert!(policy.wants_when_idle(PlaneId(0), 0), "it is not above the trigger yet");
        policy.on_erased(PlaneId(0), 1);
        assert!(!policy.wants_when_idle(PlaneId(0), 0));
    }
}
