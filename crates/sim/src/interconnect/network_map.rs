//! Where everything of a network is, for whoever draws it.

use super::routers::Grid;

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
    pub(super) fn new(grid: &Grid, links: &[[u32; 2]]) -> Self {
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
