//! What a device file says of a mesh, and whether it makes one.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::flash::Geometry;
use crate::interconnect::order::{ORDER_IS_READ, ORDERS, Order};
use crate::interconnect::routers::check_places;
use crate::settings::alternatives::{reading, scope, unprinted};
use crate::settings::{Ties, Time};
use crate::time::Nanos;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Parameters {
    /// Rows of routers. Default: as many as channels. A mesh has a router for each chip, numbered along the rows.
    #[schemars(extend("x-alternatives" = scope(&["8"], "A mesh can have routers that only pass things on.")))]
    rows: Option<u32>,
    /// Columns of routers. Default: as many as a channel has chips.
    #[schemars(extend("x-alternatives" = scope(
        &["16"],
        "A mesh can have routers that only pass things on."
    )))]
    columns: Option<u32>,
    /// Routers at which a controller hangs, `[row, column]` each. Default: the first of every row.
    #[schemars(extend("x-alternatives" = reading(
        &["[[0, 0], [1, 0]]", "[[0, 0], [1, 0], [2, 0], [3, 0]]"],
        "At which routers and how many controllers hang is drawn, not printed."
    )))]
    controllers: Option<Vec<[u32; 2]>>,
    /// Further ones, at other routers, for collection and wear levelling alone, which then use no others. Without any,
    /// the host and collection share the `controllers`.
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
    /// Controllers from which a transfer may come.
    #[schemars(extend("x-alternatives" = reading(
        &["own", "nearest-free"],
        "A transfer comes from its own controller, or from any that is free."
    )))]
    entry: Entry,
    /// Which of several free ones of as many links, with `entry = "nearest-free"`.
    #[schemars(extend("x-alternatives" = unprinted(
        &["rotating", "lowest", "random"],
        "Which of several equally near controllers is taken is not printed."
    )))]
    ties: Ties,
    /// Who asks first at an instant at which dies that wait are served: those who wait, in the order of their lines, or
    /// whoever comes at that instant.
    #[schemars(extend("x-alternatives" = reading(ORDERS, ORDER_IS_READ)))]
    order: Order,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Entry {
    /// The one that is nearest to the chip.
    #[default]
    Own,
    /// The nearest from which everything needed is free.
    NearestFree,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            rows: None,
            columns: None,
            controllers: None,
            gc_controllers: Vec::new(),
            hop: Time(Nanos(1)),
            entry: Entry::Own,
            ties: Ties::Lowest,
            order: Order::default(),
        }
    }
}

/// A mesh that fits the drive.
pub(super) struct Layout {
    pub(super) rows: u32,
    pub(super) columns: u32,
    /// Those of the host, then the collector's own.
    pub(super) controllers: Vec<[u32; 2]>,
    /// How many of them are the host's.
    pub(super) of_host: u32,
    pub(super) hop: Nanos,
    pub(super) entry: Entry,
    pub(super) ties: Ties,
    pub(super) order: Order,
}

const LONGEST_HOP: Nanos = Nanos(1_000_000_000);

impl Layout {
    pub(super) fn new(given: Parameters, geometry: &Geometry) -> Result<Self, String> {
        let chips = geometry.chips();
        let rows = given.rows.unwrap_or(geometry.channels);
        let columns = given.columns.unwrap_or(geometry.chips_per_channel);
        let routers = u64::from(rows) * u64::from(columns);
        if routers != u64::from(chips) {
            return Err(format!(
                "rows {rows}, columns {columns}: {routers} routers, but the drive has {chips} chips; as many \
                 of one as of the other"
            ));
        }
        let mut controllers =
            given.controllers.unwrap_or_else(|| (0..rows).map(|row| [row, 0]).collect::<Vec<_>>());
        if controllers.is_empty() {
            return Err("controllers: the list is empty; at least one, [row, column]".to_owned());
        }
        let of_gc = given.gc_controllers;
        check_places("controllers", &controllers, rows, columns)?;
        check_places("gc_controllers", &of_gc, rows, columns)?;
        if let Some([row, column]) = of_gc.iter().find(|place| controllers.contains(place)) {
            return Err(format!(
                "gc_controllers: [{row}, {column}] is one of the controllers, too (left out: the first of \
                 every row); collection needs others"
            ));
        }
        if given.hop.0 > LONGEST_HOP {
            return Err(format!("hop {} is longer than a second", given.hop));
        }
        let of_host = controllers.len() as u32;
        controllers.extend(of_gc);
        Ok(Self {
            rows,
            columns,
            controllers,
            of_host,
            hop: given.hop.0,
            entry: given.entry,
            ties: given.ties,
            order: given.order,
        })
    }
}
