//! A mesh of router chips in which scout packets reserve a circuit for each transfer, around whatever is taken
//! (Venice, Nadig et al., ISCA 2023, as GC bypass describes it, section 3.2 to 3.5); `docs/model.md`, 12.15 to 12.20.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Build;
use super::routers::Grid;
use super::scout_options::{METRICS, Options};
use super::scouted::ScoutedNetwork;
use crate::building::BuildContext;
use crate::registry::{Member, ParameterSpec, parameters};
use crate::settings::alternatives::reading;

/// What counts as the distance of a transfer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Distance {
    /// The links of its way.
    #[default]
    Way,
    /// The links that the scout travelled to find it, forwards and back.
    Scout,
}

mesh_parameters! {
    scouted {
        /// What counts as the distance of a transfer.
        #[schemars(extend("x-alternatives" = reading(
            &["way", "scout"],
            "The distance is that of the way, or of the scout that found it."
        )))]
        distance: Distance = Distance::Way,
    }
}

pub const MEMBER: Member<Build> = Member {
    name: "venice",
    about: "a mesh of router chips; scouts reserve circuits around whatever is taken",
    parameters: &ParameterSpec::of::<Parameters>(),
    conflicts: &[],
    metrics: METRICS,
    build: |choice, context| Ok(Box::new(build(parameters(choice), context)?)),
};

fn build(given: Parameters, context: &BuildContext) -> Result<ScoutedNetwork, String> {
    let count_scout_hops = given.distance == Distance::Scout;
    let options = Options { count_scout_hops, ..given.options() }.checked()?;
    Ok(ScoutedNetwork::new(Grid::new(given.places(), &context.geometry)?, context, options))
}
