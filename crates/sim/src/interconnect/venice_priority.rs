//! Venice with priorities (GC bypass, Nie et al., sections 3.1 to 3.3): collection has a controller of its own, and
//! circuits that are kept for writes of relocated pages give way to whatever matters more; `docs/model.md`, 12.22.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::rests::{Elevate, Elevation};
use super::routers::{Grid, Places, check_places, size};
use super::scout_options::{METRICS_WITH_RESTS, Options, Resend};
use super::scouted::ScoutedNetwork;
use super::venice::Distance;
use super::{Build, ORDER_IS_READ, ORDERS, Order};
use crate::building::BuildContext;
use crate::registry::{Member, ParameterSpec, parameters};
use crate::settings::alternatives::{Exemption, exempt, reading, scope, unprinted};
use crate::settings::{Ties, Time};
use crate::time::Nanos;

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

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Parameters {
    /// Rows of routers. Default: as many as channels.
    #[schemars(extend("x-alternatives" = scope(&["8"], "A mesh can have routers that only pass things on.")))]
    rows: Option<u32>,
    /// Columns of routers. Default: as many as a channel has chips.
    #[schemars(extend("x-alternatives" = scope(
        &["16"],
        "A mesh can have routers that only pass things on."
    )))]
    columns: Option<u32>,
    /// Router of each chip, `[row, column]`. Default: one after the other along the rows. Others only pass things on.
    #[schemars(extend("x-alternatives" = exempt(Exemption::Identity)))]
    chips: Option<Vec<[u32; 2]>>,
    /// Routers at which a controller hangs, `[row, column]` each. Default: the first of every row.
    #[schemars(extend("x-alternatives" = reading(
        &["[[0, 0], [1, 0]]", "[[0, 0], [1, 0], [2, 0], [3, 0]]"],
        "At which routers and how many controllers hang is drawn, not printed."
    )))]
    controllers: Option<Vec<[u32; 2]>>,
    /// Which controller transfers for collection and wear levelling come from.
    #[schemars(extend("x-alternatives" = reading(
        &["extra", "dedicated", "shared"],
        "The controller of collection is one more, or one of those there are."
    )))]
    gc_controller: GcController,
    /// Router of the collector's own controller, `[row, column]`. Default: the last router of the last row for an extra
    /// one, its former router for a dedicated one.
    #[schemars(extend("x-alternatives" = reading(
        &["[0, 7]", "[3, 7]"],
        "Where the controller of collection hangs is not printed."
    )))]
    gc_at: Option<[u32; 2]>,
    /// Time that each link on the way of a transfer adds to it.
    #[schemars(extend("x-alternatives" = unprinted(
        &["0ns", "×4"],
        "What a link adds to a transfer is seldom printed."
    )))]
    hop: Time,
    /// Output ports that a router tries for one scout at most, from 1 (GC bypass, Table 1).
    #[schemars(extend("x-alternatives" = reading(
        &["1", "2", "3", "4"],
        "How many ports a router tries can be read from a table in several ways."
    )))]
    ports_tried: u32,
    /// When a scout that found no way goes again.
    #[schemars(extend("x-alternatives" = reading(
        &["on-change", "at-once"],
        "Scouts go again at once, or when something has changed."
    )))]
    resend: Resend,
    /// Which of several idle controllers that are as near to the chip sends the scout.
    #[schemars(extend("x-alternatives" = unprinted(
        &["rotating", "lowest", "random"],
        "Which of several equally near controllers is taken is not printed."
    )))]
    ties: Ties,
    /// Who asks first when dies that wait are served: those who wait, in the order of their lines, or whoever comes at
    /// that instant.
    #[schemars(extend("x-alternatives" = reading(ORDERS, ORDER_IS_READ)))]
    order: Order,
    /// What counts as the distance of a transfer.
    #[schemars(extend("x-alternatives" = reading(
        &["way", "scout"],
        "The distance is that of the way, or of the scout that found it."
    )))]
    distance: Distance,
    /// Failures after which the next write of a relocated page to a chip matters as much as anything: scouts that
    /// turned, and circuits that were removed. From 1 (GC bypass, section 3.3: three).
    #[schemars(extend("x-alternatives" = reading(
        &["1", "3", "6"],
        "The paper raises a priority after three failures, and elsewhere after some."
    )))]
    elevate_after: u32,
    /// Whether that number depends on how much space is left.
    #[schemars(extend("x-alternatives" = reading(
        &["constant", "free-space"],
        "The number of failures is constant in one section and follows free space in another."
    )))]
    elevate: Elevate,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            rows: None,
            columns: None,
            chips: None,
            controllers: None,
            gc_controller: GcController::Extra,
            gc_at: None,
            hop: Time(Nanos(1)),
            ports_tried: 3,
            resend: Resend::OnChange,
            ties: Ties::Lowest,
            order: Order::default(),
            distance: Distance::Way,
            elevate_after: 3,
            elevate: Elevate::Constant,
        }
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
    let options = Options {
        hop: given.hop.0,
        ports_tried: given.ports_tried,
        paths: 1,
        resend: given.resend,
        ties: given.ties,
        order: given.order,
        count_scout_hops: given.distance == Distance::Scout,
        elevation,
    };
    Ok(ScoutedNetwork::new(Grid::new(places, &context.geometry)?, context, options.checked()?))
}
