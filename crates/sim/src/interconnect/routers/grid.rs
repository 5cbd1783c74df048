//! Where the routers, chips and controllers of a mesh are, also for whoever draws it.

use crate::flash::Geometry;

/// What a device file says of it; what is left out follows the drive.
#[derive(Debug, Clone, Default)]
pub struct Places {
    /// Rows of routers; as many as channels.
    pub rows: Option<u32>,
    /// Columns of routers; as many as a channel has chips.
    pub columns: Option<u32>,
    /// Router of each chip, `[row, column]`; along the rows, one after the other.
    pub chips: Option<Vec<[u32; 2]>>,
    /// Routers at which controllers hang; the first of every row.
    pub controllers: Option<Vec<[u32; 2]>>,
    /// Those of controllers for collection alone.
    pub gc_controllers: Vec<[u32; 2]>,
}

/// A mesh of routers. Some have a chip, some a controller, some neither.
#[derive(Debug, Clone)]
pub struct Grid {
    /// Rows of routers.
    pub rows: u32,
    /// Routers of a row: router n is in row n / columns.
    pub columns: u32,
    /// Router of each chip.
    pub chips: Box<[u32]>,
    /// Router of each controller: the host's, then the collector's own.
    pub controllers: Box<[u32]>,
    /// Controllers of the host.
    pub of_host: u32,
}

/// Most routers, and most entries of their tables.
const MOST_ROUTERS: u64 = 1 << 16;
const MOST_ENTRIES: u64 = 1 << 24;

impl Grid {
    /// The mesh of a drive.
    ///
    /// # Errors
    /// When there are too few routers for its chips, or something is given twice or outside.
    pub fn new(given: Places, geometry: &Geometry) -> Result<Self, String> {
        let number = geometry.chips();
        let [rows, columns] = size(given.rows, given.columns, geometry)?;
        let routers = u64::from(rows) * u64::from(columns);
        let at = |[row, column]: [u32; 2]| row * columns + column;
        let chips = match given.chips {
            None => (0..number).collect(),
            Some(places) if places.len() as u32 == number => {
                check_places("chips", &places, rows, columns)?;
                places.into_iter().map(at).collect()
            }
            Some(places) => {
                return Err(format!("chips: {} places for {number} chips", places.len()));
            }
        };
        let of_host = given.controllers.unwrap_or_else(|| (0..rows).map(|row| [row, 0]).collect());
        if of_host.is_empty() {
            return Err("controllers: the list is empty; at least one, [row, column]".to_owned());
        }
        let of_gc = given.gc_controllers;
        check_places("controllers", &of_host, rows, columns)?;
        check_places("gc_controllers", &of_gc, rows, columns)?;
        if routers * (of_host.len() + of_gc.len()) as u64 > MOST_ENTRIES {
            let controllers = of_host.len() + of_gc.len();
            return Err(format!("{controllers} controllers are too many for {routers} routers"));
        }
        Ok(Self {
            rows,
            columns,
            chips,
            of_host: of_host.len() as u32,
            controllers: of_host.into_iter().chain(of_gc).map(at).collect(),
        })
    }

    /// Number of routers.
    pub fn routers(&self) -> u32 {
        self.rows * self.columns
    }

    /// Row and column of a router.
    pub fn place(&self, router: u32) -> [u32; 2] {
        [router / self.columns, router % self.columns]
    }

    /// Links of a shortest way between two routers.
    pub fn distance(&self, one: u32, other: u32) -> u32 {
        let ([row, column], [to_row, to_column]) = (self.place(one), self.place(other));
        row.abs_diff(to_row) + column.abs_diff(to_column)
    }

    /// Controllers of a range for each chip, the nearest first, of several that are as near the lowest number: so many
    /// for each chip, one chip after the other.
    pub fn nearest(&self, controllers: std::ops::Range<u32>) -> Box<[u32]> {
        let by_distance = |chip: &u32| {
            let mut sorted: Vec<u32> = controllers.clone().collect();
            sorted.sort_by_key(|controller| self.distance(self.controllers[*controller as usize], *chip));
            sorted
        };
        self.chips.iter().flat_map(by_distance).collect()
    }
}

/// Rows and columns of a mesh: those that are given, else those that the chips have.
///
/// # Errors
/// When it has fewer routers than chips, or more than any.
pub(in crate::interconnect) fn size(
    rows: Option<u32>,
    columns: Option<u32>,
    geometry: &Geometry,
) -> Result<[u32; 2], String> {
    let number = geometry.chips();
    let (rows, columns) = (rows.unwrap_or(geometry.channels), columns.unwrap_or(geometry.chips_per_channel));
    let routers = u64::from(rows) * u64::from(columns);
    if routers < u64::from(number) {
        return Err(format!(
            "rows {rows}, columns {columns}: {routers} routers, but the drive has {number} chips; each needs \
             one of its own"
        ));
    }
    if routers > MOST_ROUTERS {
        return Err(format!("rows {rows}, columns {columns}: more than {MOST_ROUTERS} routers"));
    }
    Ok([rows, columns])
}

/// Each is in the mesh, and there once.
pub(in crate::interconnect) fn check_places(
    key: &str,
    places: &[[u32; 2]],
    rows: u32,
    columns: u32,
) -> Result<(), String> {
    let mut sorted = places.to_vec();
    sorted.sort_unstable();
    if let Some([[row, column], _]) = sorted.array_windows().find(|[one, next]| one == next) {
        return Err(format!("{key}: [{row}, {column}] is given twice"));
    }
    if let Some([row, column]) = places.iter().find(|at| at[0] >= rows || at[1] >= columns) {
        return Err(format!(
            "{key}: [{row}, {column}] is outside the mesh of {rows} rows and {columns} columns, counted from \
             0"
        ));
    }
    Ok(())
}

/// A mesh of routers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NetworkMap {
    /// Rows of routers.
    pub rows: u32,
    /// Columns of routers.
    pub columns: u32,
    /// Router of each chip, row and column.
    pub chips: Vec<[u32; 2]>,
    /// Router of each controller: the host's, then those for collection alone.
    pub controllers: Vec<[u32; 2]>,
    /// How many of them are the host's.
    pub host_controllers: u32,
    /// The two routers of each link, by its number.
    pub links: Vec<[[u32; 2]; 2]>,
}

impl NetworkMap {
    /// Of a grid whose links are between these routers.
    pub(in crate::interconnect) fn new(grid: &Grid, links: &[[u32; 2]]) -> Self {
        let place = |router: &u32| grid.place(*router);
        Self {
            rows: grid.rows,
            columns: grid.columns,
            chips: grid.chips.iter().map(place).collect(),
            controllers: grid.controllers.iter().map(place).collect(),
            host_controllers: grid.of_host,
            links: links.iter().map(|ends| ends.map(|router| grid.place(router))).collect(),
        }
    }
}
