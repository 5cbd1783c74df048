//! The links between routers, and their states.

use super::grid::Grid;
use super::table::{LinkState, Port};

/// The links of a mesh. A *side* is a router and one of its four ports, as one number.
#[derive(Debug)]
pub(super) struct Links {
    /// Per side: the router at the other end, and the number of the link.
    neighbours: Box<[u32]>,
    numbers: Box<[u32]>,
    /// Per router: the states of the links at its ports, two bits each, and the ports that have one, a bit each.
    states: Box<[u8]>,
    present: Box<[u8]>,
    /// Both ends of each link, by its number.
    ends: Box<[[u32; 2]]>,
}

const NONE: u32 = u32::MAX;

/// By the states of a router: the ports whose link nobody has; and those and the ones with a circuit at rest.
const IDLE: [u8; 256] = ports_below(LinkState::Idle);
const IDLE_OR_AT_REST: [u8; 256] = ports_below(LinkState::ReservedLow);

const fn ports_below(most: LinkState) -> [u8; 256] {
    let mut table = [0; 256];
    let mut states = 0;
    while states < 256 {
        let mut port = 0;
        while port < 4 {
            if states >> (2 * port) & 3 <= most as usize {
                table[states] |= 1 << port;
            }
            port += 1;
        }
        states += 1;
    }
    table
}

impl Links {
    /// Those of a grid, all idle.
    pub(super) fn new(grid: &Grid) -> Self {
        let routers = grid.routers();
        let sides = routers as usize * 4;
        let mut neighbours = vec![NONE; sides];
        let mut numbers = vec![NONE; sides];
        let mut present = vec![0; routers as usize];
        let mut ends = Vec::new();
        for router in 0..routers {
            let [row, column] = grid.place(router);
            let east = (column + 1 < grid.columns).then_some((Port::East, router + 1));
            let south = (row + 1 < grid.rows).then_some((Port::South, router + grid.columns));
            for (port, other) in east.into_iter().chain(south) {
                for (from, port, to) in [(router, port, other), (other, port.opposite(), router)] {
                    let side = Self::side(from, port) as usize;
                    neighbours[side] = to;
                    numbers[side] = ends.len() as u32;
                    present[from as usize] |= 1 << port as u8;
                }
                ends.push([router, other]);
            }
        }
        Self {
            neighbours: neighbours.into(),
            numbers: numbers.into(),
            states: vec![0; routers as usize].into(),
            present: present.into(),
            ends: ends.into(),
        }
    }

    /// A router and a port as one number.
    #[inline]
    pub(super) fn side(router: u32, port: Port) -> u32 {
        router * 4 + port as u32
    }

    /// The router of a side.
    #[inline]
    pub(super) fn router(side: u32) -> u32 {
        side / 4
    }

    /// The routers at both ends of each link, by its number.
    pub(super) fn ends(&self) -> &[[u32; 2]] {
        &self.ends
    }

    /// The number of the link at a side.
    #[inline]
    pub(super) fn number(&self, side: u32) -> u32 {
        self.numbers[side as usize]
    }

    /// The router at the other end of the link at a port.
    #[inline]
    pub(super) fn neighbour(&self, router: u32, port: Port) -> u32 {
        self.neighbours[Self::side(router, port) as usize]
    }

    /// State of the link at a port; idle where there is none.
    pub(super) fn state(&self, router: u32, port: Port) -> LinkState {
        LinkState::of_code(self.states[router as usize] >> (2 * port as u8))
    }

    /// Whether nobody has any.
    pub(super) fn are_idle(&self) -> bool {
        self.states.iter().all(|states| *states == 0)
    }

    /// Ports of a router whose link a scout may take, a bit each.
    #[inline]
    pub(super) fn free(&self, router: u32, before_rest: bool) -> u8 {
        let free = if before_rest { &IDLE_OR_AT_REST } else { &IDLE };
        free[usize::from(self.states[router as usize])] & self.present[router as usize]
    }

    /// Puts a link in a state, at both ends; returns the router at the other one.
    #[inline]
    pub(super) fn set(&mut self, router: u32, port: Port, state: LinkState) -> u32 {
        self.set_side(Self::side(router, port), state)
    }

    /// The same of the link at a side.
    #[inline]
    pub(super) fn set_side(&mut self, side: u32, state: LinkState) -> u32 {
        let (router, port) = (Self::router(side), side % 4);
        let other = self.neighbours[side as usize];
        self.put(router, port, state);
        // The port at the other end is the opposite one.
        self.put(other, 3 - port, state);
        other
    }

    #[inline]
    fn put(&mut self, router: u32, port: u32, state: LinkState) {
        let states = &mut self.states[router as usize];
        *states = *states & !(3 << (2 * port)) | (state as u8) << (2 * port);
    }
}
