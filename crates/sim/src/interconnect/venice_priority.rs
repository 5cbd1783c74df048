//! Venice with priorities (GC bypass, Nie et al., sections 3.1 to 3.3): collection has a controller of its own, and
//! circuits that are kept for writes of relocated pages give way to whatever matters more; `docs/model.md`, 12.22.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Build;
use super::rests::{Elevate, Elevation};
use super::routers::{Grid, Places, check_places, size};
use super::scout_options::{METRICS_WITH_RESTS, Options};
use super::scouted::ScoutedNetwork;
use super::venice::Distance;
use crate::building::BuildContext;
use crate::registry::{Member, ParameterSpec, parameters};
use crate::settings::alternatives::reading;

/// Which controller transfers for collection come from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum GcController {
    /// One more than the host has.
    #[default]
    Extra,
    /// The last of the `controllers`, which the host loses.
    Dedicated,
    /// Any of the `controllers`.
    Shared,
}

mesh_parameters! {
    scouted {
        /// Which controller transfers for collection and wear levelling come from.
        #[schemars(extend("x-alternatives" = reading(
            &["extra", "dedicated", "shared"],
            "The controller of collection is one more, or one of those there are."
        )))]
        gc_controller: GcController = GcController::Extra,
        /// Router of the collector's own controller, `[row, column]`. Default: the last router of the last row for an
        /// extra one, its former router for a dedicated one.
        #[schemars(extend("x-alternatives" = reading(
            &["[0, 7]", "[3, 7]"],
            "Where the controller of collection hangs is not printed."
        )))]
        gc_at: Option<[u32; 2]> = None,
    } {
        /// What counts as the distance of a transfer.
        #[schemars(extend("x-alternatives" = reading(
            &["way", "scout"],
            "The distance is that of the way, or of the scout that found it."
        )))]
        distance: Distance = Distance::Way,
        /// Failures after which the next write of a relocated page to a chip matters as much as anything: scouts that
        /// turned, and circuits that were removed. From 1 (GC bypass, section 3.3: three).
        #[schemars(extend("x-alternatives" = reading(
            &["1", "3", "6"],
            "The paper raises a priority after three failures, and elsewhere after some."
        )))]
        elevate_after: u32 = 3,
        /// Whether that number depends on how much space is left.
        #[schemars(extend("x-alternatives" = reading(
            &["constant", "free-space"],
            "The number of failures is constant in one section and follows free space in another."
        )))]
        elevate: Elevate = Elevate::Constant,
    }
}

pub const MEMBER: Member<Build> = Member {
    name: "venice-priority",
    about: "the same with a controller for collection; its writes keep circuits, which give way (GC bypass)",
    parameters: &ParameterSpec::of::<Parameters>(),
    conflicts: &[],
    metrics: METRICS_WITH_RESTS,
    build: |choice, context| Ok(Box::new(build(parameters(choice), context)?)),
};

fn build(given: Parameters, context: &BuildContext) -> Result<ScoutedNetwork, String> {
    let [rows, columns] = size(given.rows, given.columns, &context.geometry)?;
    let options = given.options();
    let mut of_host = given.controllers.unwrap_or_else(|| (0..rows).map(|row| [row, 0]).collect());
    let of_collector = match (given.gc_controller, given.gc_at) {
        (GcController::Extra, at) => Some(at.unwrap_or([rows.saturating_sub(1), columns.saturating_sub(1)])),
        (GcController::Dedicated, at) => {
            if of_host.len() < 2 {
                return Err("gc_controller dedicated: the host is left without a controller; give two \
                            controllers at least, or gc_controller = \"extra\""
                    .to_owned());
            }
            let last = of_host.pop();
            at.or(last)
        }
        (GcController::Shared, None) => None,
        (GcController::Shared, Some([row, column])) => {
            return Err(format!(
                "gc_at [{row}, {column}]: a shared collector has no controller of its own; leave it out, or \
                 use gc_controller = \"extra\""
            ));
        }
    };
    if given.elevate_after == 0 {
        return Err("elevate_after 0: nothing would be of low priority; from 1".to_owned());
    }
    check_places("gc_at", of_collector.as_slice(), rows, columns)?;
    let places = Places {
        rows: Some(rows),
        columns: Some(columns),
        chips: given.chips,
        controllers: Some(of_host),
        gc_controllers: of_collector.into_iter().collect(),
    };
    let elevation = Some(Elevation { after: given.elevate_after, by: given.elevate });
    let count_scout_hops = given.distance == Distance::Scout;
    let options = Options { count_scout_hops, elevation, ..options };
    Ok(ScoutedNetwork::new(Grid::new(places, &context.geometry)?, context, options.checked()?))
}
