//! Routers with their tables, and how scouts find their way through them (Venice, algorithm 1; GC bypass, section 3.2).

use super::grid::Grid;
use super::lfsr::ShiftRegister;
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
    /// Per router and port: the router at the other end, and the number of the link.
    neighbours: Box<[u32]>,
    link_of: Box<[u32]>,
    /// Per router and port.
    states: Box<[LinkState]>,
    /// Per router and packet id.
    tables: Box<[Entry]>,
    ids: usize,
    registers: Box<[ShiftRegister]>,
    /// Per router: ports that a scout has tried, and the number of that scout.
    tried: Box<[(u32, u8)]>,
    scout: u32,
    /// Output ports that a router tries for one scout at most.
    ports_tried: u32,
    /// Both ends of each link, by its number.
    links: Box<[[u32; 2]]>,
    /// Ids of the circuits at rest that scouts have removed, since somebody took notice.
    removed: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl Network {
    /// Routers of a grid with tables for so many packet ids, all idle.
    pub fn new(grid: &Grid, ids: u32, ports_tried: u32, random: &mut RandomStream) -> Self {
        let routers = grid.routers();
        let mut network = Self {
            places: (0..routers).map(|router| grid.place(router)).collect(),
            neighbours: vec![NONE; routers as usize * 4].into(),
            link_of: vec![NONE; routers as usize * 4].into(),
            states: vec![LinkState::Idle; routers as usize * 4].into(),
            tables: vec![Entry::UNUSED; routers as usize * ids as usize].into(),
            ids: ids as usize,
            registers: (0..routers).map(|_| ShiftRegister::new(1 + random.below(65_535) as u16)).collect(),
            tried: vec![(0, 0); routers as usize].into(),
            scout: 0,
            ports_tried,
            links: Box::default(),
            removed: Vec::with_capacity(ids as usize),
        };
        let mut links = Vec::new();
        for router in 0..routers {
            let [row, column] = grid.place(router);
            let east = (column + 1 < grid.columns).then_some((Port::East, router + 1));
            let south = (row + 1 < grid.rows).then_some((Port::South, router + grid.columns));
            for (port, other) in east.into_iter().chain(south) {
                let ends = [(router, port), (other, port.opposite())];
                for ((from, port), (to, _)) in [(ends[0], ends[1]), (ends[1], ends[0])] {
                    let at = side(from, port);
                    network.neighbours[at] = to;
                    network.link_of[at] = links.len() as u32;
                }
                links.push([router, other]);
            }
        }
        network.links = links.into();
        network
    }

    /// From now on routers try so many output ports for one scout at most.
    pub fn set_ports_tried(&mut self, ports: u32) {
        self.ports_tried = ports;
    }

    /// The routers at both ends of each link, by its number.
    pub fn links(&self) -> &[[u32; 2]] {
        &self.links
    }

    /// State of the link at a port; idle where there is none.
    pub fn state(&self, router: u32, port: Port) -> LinkState {
        self.states[side(router, port)]
    }

    /// By which ports a circuit of this id comes to a router and leaves it, if it passes there.
    pub fn table_entry(&self, router: u32, id: u32) -> Option<(Port, Port)> {
        let entry = self.tables[self.slot(router, id)];
        entry.is_used().then(|| (entry.entry(), entry.exit()))
    }

    #[inline]
    fn slot(&self, router: u32, id: u32) -> usize {
        router as usize * self.ids + id as usize
    }

    /// Whether no link is reserved and no table has an entry.
    pub fn is_idle(&self) -> bool {
        self.states.iter().all(|state| *state == LinkState::Idle)
            && self.tables.iter().all(|entry| !entry.is_used())
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
        let mut slot = self.slot(at, id);
        debug_assert!(!self.tables[slot].is_used(), "one circuit of an id at a time");
        self.tables[slot] = Entry::from(Port::Local);
        while at != to {
            if let Some(port) = self.next_port(at, to, id, before_rest) {
                self.tried[at as usize].1 |= 1 << port as u8;
                if before_rest && self.state(at, port) == LinkState::ReservedLow {
                    self.remove_at(at, port);
                }
                self.tables[slot] = self.tables[slot].to(port);
                at = self.set(at, port, LinkState::ReservedHigh);
                slot = self.slot(at, id);
                self.tables[slot] = Entry::from(port.opposite());
                way.hops += 1;
            } else {
                let came_by = std::mem::replace(&mut self.tables[slot], Entry::UNUSED).entry();
                if came_by == Port::Local {
                    return Err(Turned { travelled: way.travelled });
                }
                at = self.set(at, came_by, LinkState::Idle);
                slot = self.slot(at, id);
                way.hops -= 1;
            }
            way.travelled += 1;
        }
        self.tables[slot] = self.tables[slot].to(Port::Local);
        Ok(way)
    }

    fn begin_scout(&mut self) {
        self.scout = self.scout.wrapping_add(1);
        if self.scout == 0 {
            // Numbers begin anew: those of 2^32 scouts ago must not be taken for this one's.
            self.tried.fill((0, 0));
            self.scout = 1;
        }
    }

    /// Where a scout at a router goes next.
    #[inline]
    fn next_port(&mut self, at: u32, to: u32, id: u32, before_rest: bool) -> Option<Port> {
        let tried = &mut self.tried[at as usize];
        if tried.0 != self.scout {
            *tried = (self.scout, 0);
        }
        let tried = tried.1;
        if tried.count_ones() >= self.ports_tried {
            return None;
        }
        let mut eligible = 0_u8;
        for port in Port::LINKS {
            let side = side(at, port);
            let next = self.neighbours[side];
            // A scout does not cross its own way: the router there has its entry already.
            let state = self.states[side];
            let free = next != NONE
                && (state == LinkState::Idle || before_rest && state == LinkState::ReservedLow)
                && tried & 1 << port as u8 == 0
                && !self.tables[self.slot(next, id)].is_used();
            eligible |= u8::from(free) << port as u8;
        }
        let nearer = eligible & self.nearer(at, to);
        let choice = if nearer != 0 { nearer } else { eligible };
        let number = match choice.count_ones() {
            0 => return None,
            1 => 0,
            several => self.registers[at as usize].pick(several),
        };
        Port::LINKS.into_iter().filter(|port| choice & 1 << *port as u8 != 0).nth(number as usize)
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

    /// Puts a link in a state, at both ends; returns the router at the other one.
    #[inline]
    fn set(&mut self, router: u32, port: Port, state: LinkState) -> u32 {
        let other = self.neighbours[side(router, port)];
        self.states[side(router, port)] = state;
        self.states[side(other, port.opposite())] = state;
        other
    }

    /// Something moves over the circuit of an id that begins at a router: `over` is told of each of its links.
    #[inline]
    pub fn transmit(&mut self, id: u32, from: u32, over: impl FnMut(u32)) {
        self.put(id, from, LinkState::Transmitting, over);
    }

    /// The circuit of an id that begins at a router rests from now on.
    pub fn rest(&mut self, id: u32, from: u32) {
        self.put(id, from, LinkState::ReservedLow, |_| ());
    }

    /// Puts the links of a circuit in a state; `over` is told of each.
    #[inline]
    fn put(&mut self, id: u32, from: u32, state: LinkState, mut over: impl FnMut(u32)) {
        let mut at = from;
        loop {
            let port = self.tables[self.slot(at, id)].exit();
            if port == Port::Local {
                return;
            }
            over(self.link_of[side(at, port)]);
            at = self.set(at, port, state);
        }
    }

    /// Takes the circuit at rest that has the link at a port out of all tables.
    #[cold]
    fn remove_at(&mut self, router: u32, port: Port) {
        let passes = |id: &u32| {
            let entry = self.table_entry(router, *id);
            entry.is_some_and(|(entry, exit)| entry == port || exit == port)
        };
        let id = (0..self.ids as u32).find(passes).expect("who has a link has an entry at both of its ends");
        let mut from = router;
        loop {
            let came_by = self.tables[self.slot(from, id)].entry();
            if came_by == Port::Local {
                break;
            }
            from = self.neighbours[side(from, came_by)];
        }
        self.clear(id, from);
        self.removed.push(id);
    }

    /// The id of a circuit that scouts have removed, each once.
    pub fn next_removed(&mut self) -> Option<u32> {
        self.removed.pop()
    }

    /// Tells the links of the circuit of an id that begins at a router.
    pub fn each_link(&self, id: u32, from: u32, mut tell: impl FnMut(u32)) {
        let mut at = from;
        loop {
            let port = self.tables[self.slot(at, id)].exit();
            if port == Port::Local {
                return;
            }
            tell(self.link_of[side(at, port)]);
            at = self.neighbours[side(at, port)];
        }
    }

    /// Takes the circuit of an id that begins at a router out of all tables; returns the links that are free again.
    #[inline]
    pub fn clear(&mut self, id: u32, from: u32) -> u32 {
        let (mut at, mut links) = (from, 0);
        loop {
            let slot = self.slot(at, id);
            let port = std::mem::replace(&mut self.tables[slot], Entry::UNUSED).exit();
            if port == Port::Local {
                return links;
            }
            at = self.set(at, port, LinkState::Idle);
            links += 1;
        }
    }
}

#[inline]
fn side(router: u32, port: Port) -> usize {
    router as usize * 4 + port as usize
}
