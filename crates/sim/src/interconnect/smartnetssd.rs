//! A mesh of router chips in which a transfer may have several circuits at once and is split evenly over them
//! (SmartNetSSD, Cui et al., ICCD 2024, of which GC bypass gives two sentences: an approximation); `docs/model.md`,
//! 12.21.

use schemars::JsonSchema;
use serde::Deserialize;

use super::Build;
use super::routers::{Grid, Places};
use super::scout_counts::METRICS;
use super::scout_options::{Options, Resend};
use super::scouted::Circuits;
use crate::building::BuildContext;
use crate::registry::{Member, ParameterSpec, parameters};
use crate::settings::{Ties, Time};
use crate::time::Nanos;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Parameters {
    /// Rows of routers. Default: as many as channels.
    rows: Option<u32>,
    /// Columns of routers. Default: as many as a channel has chips.
    columns: Option<u32>,
    /// Router of each chip, `[row, column]`. Default: one after the other along the rows. Others only pass things on.
    chips: Option<Vec<[u32; 2]>>,
    /// Routers at which a controller hangs, `[row, column]` each. Default: the first of every row.
    controllers: Option<Vec<[u32; 2]>>,
    /// Routers at which further controllers hang, for collection and wear levelling alone, which then use no others.
    /// Without any, the host and collection share the `controllers`.
    gc_controllers: Vec<[u32; 2]>,
    /// Time that each link on the way of a transfer adds to it.
    hop: Time,
    /// Output ports that a router tries for one scout at most, from 1.
    ports_tried: u32,
    /// When a scout that found no way goes again.
    resend: Resend,
    /// Which of several idle controllers that are as near to the chip sends the scout.
    ties: Ties,
    /// Circuits without a common link that a transfer may have, from 1 to 4.
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

fn build(given: Parameters, context: &BuildContext) -> Result<Circuits, String> {
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
        paths,
    } = given;
    let places = Places { rows, columns, chips, controllers, gc_controllers };
    let options =
        Options { hop: hop.0, ports_tried, paths, resend, ties, count_scout_hops: false, elevation: None };
    let options = options.checked()?;
    Ok(Circuits::new(Grid::new(places, &context.geometry)?, context, options))
}
