//! A mesh of router chips in which scout packets reserve a circuit for each transfer, around whatever is taken
//! (Venice, Nadig et al., ISCA 2023, as GC bypass describes it, section 3.2 to 3.5); `docs/model.md`, 12.15 to 12.20.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::routers::{Grid, Places};
use super::scout_options::{METRICS, Options, Resend};
use super::scouted::ScoutedNetwork;
use super::{Build, ORDER_IS_READ, ORDERS, Order};
use crate::building::BuildContext;
use crate::registry::{Member, ParameterSpec, parameters};
use crate::settings::alternatives::{Exemption, exempt, reading, scope, unprinted};
use crate::settings::{Ties, Time};
use crate::time::Nanos;

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
    /// Routers at which further controllers hang, for collection and wear levelling alone, which then use no others.
    /// Without any, the host and collection share the `controllers`.
    #[schemars(extend("x-alternatives" = reading(
        &["[]", "[[3, 7]]"],
        "Collection has a controller of its own, or shares those of the host."
    )))]
    gc_controllers: Vec<[u32; 2]>,
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
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            rows: None,
            columns: None,
            chips: None,
            controllers: None,
            gc_controllers: Vec::new(),
            hop: Time(Nanos(1)),
            ports_tried: 3,
            resend: Resend::OnChange,
            ties: Ties::Lowest,
            order: Order::default(),
            distance: Distance::Way,
        }
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
    let Parameters {
        rows,
        columns,
        chips,
        controllers,
        gc_controllers,
        hop,
        ports_tried,
        resend,
        ties,
        order,
        distance,
    } = given;
    let places = Places { rows, columns, chips, controllers, gc_controllers };
    let count_scout_hops = distance == Distance::Scout;
    let options =
        Options { hop: hop.0, ports_tried, paths: 1, resend, ties, order, count_scout_hops, elevation: None };
    let options = options.checked()?;
    Ok(ScoutedNetwork::new(Grid::new(places, &context.geometry)?, context, options))
}
