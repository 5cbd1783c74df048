//! A mesh of router chips in which a transfer may have several circuits at once and is split evenly over them
//! (SmartNetSSD, Cui et al., ICCD 2024, of which GC bypass gives two sentences: an approximation); `docs/model.md`,
//! 12.21.

use schemars::JsonSchema;
use serde::Deserialize;

use super::routers::{Grid, Places};
use super::scout_options::{METRICS, Options, Resend};
use super::scouted::ScoutedNetwork;
use super::{Build, ORDER_IS_READ, ORDERS, Order};
use crate::building::BuildContext;
use crate::registry::{Member, ParameterSpec, parameters};
use crate::settings::alternatives::{Exemption, exempt, reading, scope, unprinted};
use crate::settings::{Ties, Time};
use crate::time::Nanos;

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
    /// Output ports that a router tries for one scout at most, from 1.
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
    /// Circuits without a common link that a transfer may have, from 1 to 4.
    #[schemars(extend("x-alternatives" = reading(
        &["1", "2", "4"],
        "Over how many circuits a transfer is split is not printed."
    )))]
    paths: u32,
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
            paths: 2,
        }
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
        paths,
    } = given;
    let places = Places { rows, columns, chips, controllers, gc_controllers };
    let options = Options {
        hop: hop.0,
        ports_tried,
        paths,
        resend,
        ties,
        order,
        count_scout_hops: false,
        elevation: None,
    };
    let options = options.checked()?;
    Ok(ScoutedNetwork::new(Grid::new(places, &context.geometry)?, context, options))
}
