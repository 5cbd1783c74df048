//! Routers with their tables, and how scouts find their way through them (Venice, algorithm 1; GC bypass, section 3.2).

use super::grid::Grid;
use super::links::Links;
use super::table::{Entry, LinkState, Port};
use crate::random::RandomStream;

/// A way that a scout has reserved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Way {
    /// Links of it.
    pub hops: u32,
    /// Links that the scout travelled, forwards and back.
    pub travelled: u32,
}

/// A scout came back to its controller, having found no way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turned {
    /// Links that it travelled, forwards and back.
    pub travelled: u32,
}

/// The routers of a mesh: reservation tables, link states, and what the scout under way has tried.
#[derive(Debug)]
pub struct Network {
    /// Row and column of each router.
    places: Box<[[u32; 2]]>,
    links: Links,
    /// Per packet id and router.
    tables: Box<[Entry]>,
    /// Per packet id: the sides of routers by which its circuit goes on, from its controller to its chip, and how many
    /// they are. The tables say the same; this is where they are read from when a whole circuit is meant.
    ways: Box<[u32]>,
    lengths: Box<[u32]>,
    registers: Box<[ShiftRegister]>,
    /// Per router: ports that a scout has tried, and the number of that scout.
    tried: Box<[(u32, u8)]>,
    scout: u32,
    /// Output ports that a router tries for one scout at most.
    ports_tried: u32,
    /// Whether of several ports they take the first, instead of what their register picks.
    takes_first: bool,
    /// Ids of the circuits at rest that scouts have removed, since somebody took notice.
    removed: Vec<u32>,
}

impl Network {
    /// Routers of a grid with tables for so many packet ids, all idle.
    pub fn new(grid: &Grid, ids: u32, ports_tried: u32, random: &mut RandomStream) -> Self {
        let routers = grid.routers();
        Self {
            places: (0..routers).map(|router| grid.place(router)).collect(),
            links: Links::new(grid),
            tables: vec![Entry::UNUSED; routers as usize * ids as usize].into(),
            ways: vec![0; routers as usize * ids as usize].into(),
            lengths: vec![0; ids as usize].into(),
            registers: (0..routers).map(|_| ShiftRegister::new(1 + random.below(65_535) as u16)).collect(),
            tried: vec![(0, 0); routers as usize].into(),
            scout: 0,
            ports_tried,
            takes_first: false,
            removed: Vec::with_capacity(ids as usize),
        }
    }

    /// From now on routers try so many output ports for one scout at most.
    pub fn set_ports_tried(&mut self, ports: u32) {
        self.ports_tried = ports;
    }

    /// Whether routers take the first of several ports from now on, instead of what their register picks.
    pub fn set_takes_first(&mut self, takes_first: bool) {
        self.takes_first = takes_first;
    }

    /// The routers at both ends of each link, by its number.
    pub fn links(&self) -> &[[u32; 2]] {
        self.links.ends()
    }

    /// State of the link at a port; idle where there is none.
    pub fn state(&self, router: u32, port: Port) -> LinkState {
        self.links.state(router, port)
    }

    /// By which ports a circuit of this id comes to a router and leaves it, if it passes there.
    pub fn table_entry(&self, router: u32, id: u32) -> Option<(Port, Port)> {
        let entry = self.tables[self.slot(router, id)];
        entry.is_used().then(|| (entry.entry(), entry.exit()))
    }

    #[inline]
    fn slot(&self, router: u32, id: u32) -> usize {
        self.first(id) + router as usize
    }

    /// Whether no link is reserved and no table has an entry.
    pub fn is_idle(&self) -> bool {
        self.links.are_idle() && self.tables.iter().all(|entry| !entry.is_used())
    }

    /// Sends a scout of a packet id that has no circuit from one router to another. What it finds it reserves.
    ///
    /// It reserves each link that it travels, takes shortest ways first, then any other, each port of a router once,
    /// and turns around where there is none left. So it never waits, and comes to an end: it takes each port of
    /// each router at most once, and back again.
    ///
    /// # Errors
    /// When it comes back: nothing is reserved.
    pub fn send_scout(&mut self, id: u32, from: u32, to: u32) -> Result<Way, Turned> {
        self.find_way(id, from, to, false)
    }

    /// The same of a scout that takes links of circuits at rest, too. It removes these whole as it comes upon them,
    /// also if it turns later: see [`Self::next_removed`].
    ///
    /// # Errors
    /// When it comes back: nothing is reserved.
    pub fn send_scout_before_rest(&mut self, id: u32, from: u32, to: u32) -> Result<Way, Turned> {
        self.find_way(id, from, to, true)
    }

    #[inline]
    fn find_way(&mut self, id: u32, from: u32, to: u32, before_rest: bool) -> Result<Way, Turned> {
        self.begin_scout();
        let (mut at, mut way) = (from, Way { hops: 0, travelled: 0 });
        let first = self.first(id);
        let mut slot = first + at as usize;
        debug_assert!(!self.tables[slot].is_used(), "one circuit of an id at a time");
        self.tables[slot] = Entry::from(Port::Local);
        while at != to {
            if let Some(port) = self.next_port(at, to, first, before_rest) {
                self.tried[at as usize].1 |= 1 << port as u8;
                if before_rest && self.state(at, port) == LinkState::ReservedLow {
                    self.remove_at(at, port);
                }
                self.tables[slot] = self.tables[slot].to(port);
                self.ways[first + way.hops as usize] = Links::side(at, port);
                at = self.links.set(at, port, LinkState::ReservedHigh);
                slot = first + at as usize;
                self.tables[slot] = Entry::from(port.opposite());
                way.hops += 1;
            } else {
                let came_by = std::mem::replace(&mut self.tables[slot], Entry::UNUSED).entry();
                if came_by == Port::Local {
                    return Err(Turned { travelled: way.travelled });
                }
                at = self.links.set(at, came_by, LinkState::Idle);
                slot = first + at as usize;
                way.hops -= 1;
            }
            way.travelled += 1;
        }
        self.tables[slot] = self.tables[slot].to(Port::Local);
        self.lengths[id as usize] = way.hops;
        Ok(way)
    }

    /// Where what is kept of an id for each router begins.
    #[inline]
    fn first(&self, id: u32) -> usize {
        id as usize * self.places.len()
    }

    /// The sides by which the circuit of an id goes on, from its controller to its chip.
    #[inline]
    fn sides(&self, id: u32) -> &[u32] {
        &self.ways[self.first(id)..][..self.lengths[id as usize] as usize]
    }

    fn begin_scout(&mut self) {
        self.scout = self.scout.wrapping_add(1);
        if self.scout == 0 {
            // Numbers begin anew: those of 2^32 scouts ago must not be taken for this one's.
            self.tried.fill((0, 0));
            self.scout = 1;
        }
    }

    /// Where a scout at a router goes next; its entries begin at `first`.
    #[inline]
    fn next_port(&mut self, at: u32, to: u32, first: usize, before_rest: bool) -> Option<Port> {
        let tried = &mut self.tried[at as usize];
        if tried.0 != self.scout {
            *tried = (self.scout, 0);
        }
        let tried = tried.1;
        if tried.count_ones() >= self.ports_tried {
            return None;
        }
        let free = self.links.free(at, before_rest) & !tried;
        let nearer = free & self.nearer(at, to);
        let mut choice = self.uncrossed(at, nearer, first);
        if choice == 0 {
            choice = self.uncrossed(at, free & !nearer, first);
        }
        if choice == 0 {
            return None;
        }
        if choice.is_power_of_two() || self.takes_first {
            return Some(Port::LINKS[choice.trailing_zeros() as usize]);
        }
        for _ in 0..self.registers[at as usize].pick(choice.count_ones()) {
            choice &= choice - 1;
        }
        Some(Port::LINKS[choice.trailing_zeros() as usize])
    }

    /// Those of some ports of a router that do not lead to where the scout has been on its way: the router there has
    /// its entry already.
    #[inline]
    fn uncrossed(&self, at: u32, ports: u8, first: usize) -> u8 {
        let (mut left, mut found) = (ports, ports);
        while left != 0 {
            let port = left & left.wrapping_neg();
            let next = self.links.neighbour(at, Port::LINKS[port.trailing_zeros() as usize]);
            if self.tables[first + next as usize].is_used() {
                found &= !port;
            }
            left &= left - 1;
        }
        found
    }

    /// Ports that lead nearer to a router, a bit each.
    #[inline]
    fn nearer(&self, at: u32, to: u32) -> u8 {
        let ([row, column], [to_row, to_column]) = (self.places[at as usize], self.places[to as usize]);
        let bit = |wanted: bool, port: Port| u8::from(wanted) << port as u8;
        bit(to_column > column, Port::East)
            | bit(to_column < column, Port::West)
            | bit(to_row < row, Port::North)
            | bit(to_row > row, Port::South)
    }

    /// Something moves over the circuit of an id: `over` is told of each of its links.
    #[inline]
    pub fn transmit(&mut self, id: u32, over: impl FnMut(u32)) {
        self.put(id, LinkState::Transmitting, over);
    }

    /// The circuit of an id rests from now on.
    pub fn rest(&mut self, id: u32) {
        self.put(id, LinkState::ReservedLow, |_| ());
    }

    /// Puts the links of a circuit in a state; `over` is told of each.
    #[inline]
    fn put(&mut self, id: u32, state: LinkState, mut over: impl FnMut(u32)) {
        let first = self.first(id);
        for side in &self.ways[first..][..self.lengths[id as usize] as usize] {
            over(self.links.number(*side));
            self.links.set_side(*side, state);
        }
    }

    /// Takes the circuit at rest that has the link at a port out of all tables.
    #[cold]
    fn remove_at(&mut self, router: u32, port: Port) {
        let passes = |id: &u32| {
            let entry = self.table_entry(router, *id);
            entry.is_some_and(|(entry, exit)| entry == port || exit == port)
        };
        let id = (0..self.lengths.len() as u32)
            .find(passes)
            .expect("who has a link has an entry at both of its ends");
        self.clear(id, Links::router(self.sides(id)[0]));
        self.removed.push(id);
    }

    /// The id of a circuit that scouts have removed, each once.
    pub fn next_removed(&mut self) -> Option<u32> {
        self.removed.pop()
    }

    /// Tells the links of the circuit of an id.
    pub fn each_link(&self, id: u32, tell: impl FnMut(u32)) {
        self.sides(id).iter().map(|side| self.links.number(*side)).for_each(tell);
    }

    /// Takes the circuit of an id that begins at a router out of all tables; returns the links that are free again.
    #[inline]
    pub fn clear(&mut self, id: u32, from: u32) -> u32 {
        let (first, length) = (self.first(id), self.lengths[id as usize]);
        self.tables[first + from as usize] = Entry::UNUSED;
        for side in &self.ways[first..][..length as usize] {
            let next = self.links.set_side(*side, LinkState::Idle);
            self.tables[first + next as usize] = Entry::UNUSED;
        }
        length
    }
}

// The linear-feedback shift register with which a router picks one of several ports.

/// Taps 16, 14, 13 and 11: runs through all 65,535 states but zero.
const TAPS: u16 = 0xB400;

/// A 16-bit register. 65,535 is a multiple of 3, so that picks of one in three are as even as those of one in two.
#[derive(Debug, Clone, Copy)]
pub(super) struct ShiftRegister(u16);

impl ShiftRegister {
    /// In a state from 1 to 65,535.
    pub(super) fn new(state: u16) -> Self {
        debug_assert_ne!(state, 0, "a register of zeros stays one");
        Self(state)
    }

    /// A number below `bound`, which is 2 to 4.
    #[inline]
    pub(super) fn pick(&mut self, bound: u32) -> u32 {
        self.0 = (self.0 >> 1) ^ (TAPS * (self.0 & 1));
        let state = u32::from(self.0);
        // Divided by what is known here: that is a multiplication.
        match bound {
            2 => state % 2,
            3 => state % 3,
            _ => state % bound,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_register_runs_through_every_state_and_picks_evenly() {
        let mut register = ShiftRegister::new(1);
        let mut picked = [0_u32; 3];
        for step in 1..=65_535_u32 {
            picked[register.pick(3) as usize] += 1;
            assert_eq!(register.0 == 1, step == 65_535, "the state comes back after all others, not before");
        }
        assert_eq!(picked, [21_845; 3]);
    }

    /// From one corner of four routers to the other there are two ways, east first or south first.
    #[test]
    fn a_router_takes_its_first_port_or_picks() {
        let grid =
            Grid { rows: 2, columns: 2, chips: (0..4).collect(), controllers: [0, 3].into(), of_host: 2 };
        let [east, north, south, west] = Port::LINKS.map(|port| port as u8);
        for (takes_first, expected) in
            [(true, [vec![east], vec![north]]), (false, [vec![east, south], vec![north, west]])]
        {
            let mut network = Network::new(&grid, 2, 3, &mut RandomStream::new(1, "test"));
            network.set_takes_first(takes_first);
            let first_ports = [0, 3].map(|corner| {
                let ports = (0..32).map(|_| {
                    network.send_scout(0, corner, 3 - corner).expect("nothing is taken");
                    let (_, port) = network.table_entry(corner, 0).expect("it begins there");
                    network.clear(0, corner);
                    port as u8
                });
                ports.collect::<std::collections::BTreeSet<_>>().into_iter().collect::<Vec<_>>()
            });
            assert_eq!(first_ports, expected, "{takes_first}");
        }
    }
}
