//! What `coupled` can be told: which blocks lend pages, in which order pages go, and how the regression learns.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::pretrained;
use crate::gc::relocation::course::MOST_LENDERS;
use crate::gc::relocation::parity;
use crate::gc::relocation::regression::{INPUTS, Model};
use crate::settings::Ratio;
use crate::settings::alternatives::{Exemption, SWITCH, exempt, reading, scope, unprinted};

/// Which candidates may lend pages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Admission {
    /// With probability 1 − `P_invalid` of the regression (the paper's text and equation 1).
    #[default]
    Text,
    /// With probability `P_invalid`, as the paper's Algorithm 1 prints it.
    Pseudocode,
    /// Every candidate, until there are `blocks`.
    Always,
    /// Those of whose pages at least the share `invalid` is invalid.
    InvalidRatio,
    /// Every candidate, as `always`; of its blocks' pages a job borrows those whose data lives longest, read off the
    /// trace. A bound, not a policy for a drive.
    Future,
}

/// The order in which pages of the victim go.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Order {
    /// Those that fit next, by two pointers.
    #[default]
    Pointers,
    /// The order in which they lie in their block.
    Source,
}

/// What makes a block an invalidated one, for training.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Label {
    /// More than half of its valid pages were overwritten or trimmed.
    #[default]
    Half,
    /// Any of its valid pages was overwritten or trimmed.
    Any,
    /// More than half of its valid pages were, however long it takes until it is collected.
    Collected,
    /// None: the share of its valid pages that were is learned, however long it takes until it is collected.
    Share,
}

impl Label {
    /// Whether it is decided when a block is collected, and not after some windows.
    pub(super) fn waits_for_collection(self) -> bool {
        matches!(self, Self::Collected | Self::Share)
    }

    /// What the model should have said of a block that lost so many pages of so many valid ones, 0 to 1.
    pub(super) fn target(self, lost: u32, valid: u32) -> f64 {
        let certain = |invalidated| f64::from(u8::from(invalidated));
        match self {
            Self::Half | Self::Collected => certain(2 * lost > valid),
            Self::Any => certain(lost > 0),
            Self::Share => f64::from(lost.min(valid)) / f64::from(valid.max(1)),
        }
    }
}

/// Which units are filled with pages of coupled blocks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Fills {
    /// Every unit that the victim leaves empty, those into which none of its pages goes among them.
    #[default]
    AnyUnit,
    /// Units into which a page of the victim goes (the paper's section III-B).
    VictimUnits,
}

/// A trained regression. All inputs are shares from 0 to 1.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct GivenModel {
    /// What is added to the weighted inputs.
    bias: f64,
    /// What each scaled input weighs: eight.
    weights: [f64; INPUTS],
    /// What is subtracted from each input.
    means: [f64; INPUTS],
    /// What each difference is divided by; above 0.
    deviations: [f64; INPUTS],
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Parameters {
    /// Most blocks that lend pages to a job, at most 64. (K of the paper.)
    #[schemars(extend("x-alternatives" = scope(
        &["1", "8"],
        "The paper varies the number of blocks itself."
    )))]
    pub(super) blocks: u32,
    /// Which candidates may lend pages.
    #[schemars(extend("x-alternatives" = reading(
        &["text", "pseudocode", "always", "invalid-ratio"],
        "The listing and the text of the paper contradict each other."
    )))]
    pub(super) admission: Admission,
    /// Share of invalid pages for admission by `invalid-ratio`.
    #[schemars(extend("x-alternatives" = unprinted(
        &["×0.5", "×2"],
        "What share of invalid pages is adequate is not printed."
    )))]
    pub(super) invalid: Ratio,
    /// The order in which pages of the victim go.
    #[schemars(extend("x-alternatives" = reading(
        &["pointers", "source"],
        "Pages go by two pointers, or in the order of their block."
    )))]
    pub(super) order: Order,
    /// Which units are filled with pages of coupled blocks: any, or those alone into which a page of the victim goes.
    #[schemars(extend("x-alternatives" = reading(
        &["any-unit", "victim-units"],
        "Units that the victim leaves empty as a whole are filled, or skipped."
    )))]
    pub(super) fills: Fills,
    /// Whether a unit that the last pages of a victim leave unfilled stays open for the next job of the plane;
    /// otherwise pages of coupled blocks fill it. Only with units of more than a page.
    #[schemars(extend("x-alternatives" = reading(
        SWITCH,
        "A unit that is not full is closed at the end of a job, or kept."
    )))]
    pub(super) carry: bool,
    /// Requests of a window.
    #[schemars(extend("x-alternatives" = unprinted(
        &["×0.25", "×4"],
        "The paper prints the length of a window without its unit."
    )))]
    pub(super) window: u32,
    /// Step of gradient descent.
    #[schemars(extend("x-alternatives" = unprinted(
        &["×0.2", "×5"],
        "To which training the printed rate belongs is not printed."
    )))]
    pub(super) learning_rate: f64,
    /// Steps of gradient descent each time.
    #[schemars(extend("x-alternatives" = unprinted(
        &["×0.25", "×4"],
        "To which training the printed number belongs is not printed."
    )))]
    pub(super) iterations: u32,
    /// The regression is trained when it was right about fewer of the blocks whose outcome became known in a window.
    #[schemars(extend("x-alternatives" = reading(
        &["0.5", "1"],
        "The model is updated when it was wrong, or in every window."
    )))]
    pub(super) retrain_below: f64,
    /// What makes a block an invalidated one.
    #[schemars(extend("x-alternatives" = reading(
        &["half", "any", "collected", "share"],
        "What makes a block invalidated is not printed."
    )))]
    pub(super) label: Label,
    /// The regression to begin with. Absent: the one that comes with the simulator.
    #[schemars(extend("x-alternatives" = exempt(Exemption::Path)))]
    pub(super) model: Option<GivenModel>,
    /// No bias is added or trained, as in the library that the paper names.
    #[schemars(extend("x-alternatives" = reading(
        SWITCH,
        "The library that the paper names stores a bias that it does not use."
    )))]
    pub(super) lib_replica: bool,
    /// After so many copybacks one after the other a page goes through the controller, which checks it. Absent: never.
    #[schemars(extend("x-alternatives" = unprinted(
        &["1", "4"],
        "How often a page may be copied unchecked is a limit that papers leave out."
    )))]
    pub(super) max_consecutive_copybacks: Option<u8>,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            blocks: 3,
            admission: Admission::default(),
            invalid: Ratio { ppm: 500_000 },
            order: Order::default(),
            fills: Fills::default(),
            carry: true,
            window: 1024,
            learning_rate: 0.05,
            iterations: 20,
            retrain_below: 0.9,
            label: Label::default(),
            model: None,
            lib_replica: false,
            max_consecutive_copybacks: None,
        }
    }
}

impl Parameters {
    /// Whether the values make sense.
    ///
    /// # Errors
    /// Which does not.
    pub(super) fn check(&self) -> Result<(), String> {
        if self.blocks as usize > MOST_LENDERS {
            return Err(format!("blocks {}: at most {MOST_LENDERS}", self.blocks));
        }
        if self.window == 0 {
            return Err("window 0: at least a request".to_owned());
        }
        let shares = [("learning_rate", self.learning_rate), ("retrain_below", self.retrain_below)];
        if let Some((name, value)) = shares.iter().find(|(_, value)| !(0.0..=1.0).contains(value)) {
            return Err(format!("{name} {value}: must be from 0 to 1"));
        }
        let Some(model) = &self.model else { return Ok(()) };
        let all = [&model.weights, &model.means, &model.deviations];
        let finite = all.iter().all(|list| list.iter().all(|value| value.is_finite()));
        if !finite || !model.bias.is_finite() || model.deviations.iter().any(|value| *value <= 0.0) {
            return Err("model: numbers must be finite, and deviations above 0".to_owned());
        }
        Ok(())
    }

    /// What it has in common with the other policies of the rule.
    pub(super) fn rule(&self) -> parity::Parameters {
        parity::Parameters { carry: self.carry, max_consecutive_copybacks: self.max_consecutive_copybacks }
    }

    /// The regression to begin with.
    pub(super) fn model(&self) -> Model {
        let mut model = self.model.as_ref().map_or(pretrained::MODEL, |given| Model {
            bias: given.bias,
            weights: given.weights,
            means: given.means,
            deviations: given.deviations,
        });
        if self.lib_replica {
            model.bias = 0.0;
        }
        model
    }
}
