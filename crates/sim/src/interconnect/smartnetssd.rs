//! A mesh of router chips in which a transfer may have several circuits at once and is split evenly over them
//! (SmartNetSSD, Cui et al., ICCD 2024, of which GC bypass gives two sentences: an approximation); `docs/model.md`,
//! 12.21.

use super::Build;
use super::routers::Grid;
use super::scout_options::{METRICS, Options};
use super::scouted::ScoutedNetwork;
use crate::building::BuildContext;
use crate::registry::{Member, ParameterSpec, parameters};
use crate::settings::alternatives::reading;

mesh_parameters! {
    scouted {
        /// Circuits without a common link that a transfer may have, from 1 to 4.
        #[schemars(extend("x-alternatives" = reading(
            &["1", "2", "4"],
            "Over how many circuits a transfer is split is not printed."
        )))]
        paths: u32 = 2,
    }
}

pub const MEMBER: Member<Build> = Member {
    name: "smartnetssd",
    about: "a mesh of router chips; transfers are split over circuits beside each other",
    parameters: &ParameterSpec::of::<Parameters>(),
    conflicts: &[],
    metrics: METRICS,
    build: |choice, context| Ok(Box::new(build(parameters(choice), context)?)),
};

fn build(given: Parameters, context: &BuildContext) -> Result<ScoutedNetwork, String> {
    let options = Options { paths: given.paths, ..given.options() }.checked()?;
    Ok(ScoutedNetwork::new(Grid::new(given.places(), &context.geometry)?, context, options))
}
