//! Circuits of a mesh by themselves, against a plain list of circuits on random sequences.

use proptest::prelude::*;
use reclaim_sim::building::BuildContext;
use reclaim_sim::flash::Geometry;
use reclaim_sim::ids::{DieId, JobId};
use reclaim_sim::interconnect::{
    Busy, Direction, EntryPoint, Interconnect, Lease, MEMBERS, Priority, Transfer,
};
use reclaim_sim::time::{Nanos, SimTime};

use super::{HOP, drive};

fn mesh(dimensions: [u32; 4], set: &[(&str, &str)]) -> Box<dyn Interconnect> {
    let config = drive(dimensions, set).config();
    let context = BuildContext::new(&config, &Geometry::new(&config).unwrap());
    MEMBERS.build_checked(&config.interconnect, &context)
}

fn links(mesh: &dyn Interconnect, now: u64) -> u64 {
    let (reserved, released) = mesh.links().unwrap().reserved(SimTime(now));
    reserved - released
}

/// A circuit as the plain list has it.
#[derive(Debug, Clone)]
struct Circuit {
    controller: u32,
    chip: u32,
    links: Vec<[[u32; 2]; 2]>,
    /// Of the transfer under way; none while nobody knows.
    end: Option<u64>,
}

const ROWS: u32 = 3;
const COLUMNS: u32 = 4;
const PLACES: [[u32; 2]; 4] = [[0, 0], [2, 1], [1, 3], [0, 2]];

/// The rules of the mesh over a list of circuits.
struct Plain {
    nearest_free: bool,
    of_host: u32,
    circuits: Vec<Circuit>,
}

fn way([row, column]: [u32; 2], chip: u32) -> Vec<[[u32; 2]; 2]> {
    let [to_row, to_column] = [chip / COLUMNS, chip % COLUMNS];
    let along_row = (column.min(to_column)..column.max(to_column)).map(|at| [[row, at], [row, at + 1]]);
    let along_column = (row.min(to_row)..row.max(to_row)).map(|at| [[at, to_column], [at + 1, to_column]]);
    along_row.chain(along_column).collect()
}

impl Plain {
    fn choices(&self, transfer: &Transfer, chip: u32) -> Vec<u32> {
        let all = PLACES.len() as u32;
        let apart = self.of_host < all;
        let range = match transfer.entry {
            EntryPoint::Collector if apart => self.of_host..all,
            _ => 0..self.of_host,
        };
        let mut choices: Vec<u32> = range.collect();
        choices.sort_by_key(|controller| (way(PLACES[*controller as usize], chip).len(), *controller));
        choices.truncate(if self.nearest_free { choices.len() } else { 1 });
        choices
    }

    fn pass_to(&mut self, now: u64) {
        self.circuits.retain(|circuit| circuit.end.is_none_or(|end| end > now));
    }

    fn reserve(&mut self, now: u64, transfer: &Transfer) -> Result<Lease, Busy> {
        self.pass_to(now);
        let chip = transfer.die.0 / 2;
        let choices = self.choices(transfer, chip);
        let mut latest = Vec::new();
        for controller in choices {
            let links = way(PLACES[controller as usize], chip);
            let in_the_way = |circuit: &Circuit| {
                circuit.controller == controller
                    || circuit.chip == chip
                    || circuit.links.iter().any(|link| links.contains(link))
            };
            let obstacles: Vec<_> = self.circuits.iter().filter(|circuit| in_the_way(circuit)).collect();
            if obstacles.is_empty() {
                self.circuits.push(Circuit { controller, chip, links, end: None });
                return Ok(Lease(controller));
            }
            latest.push(obstacles.iter().map(|circuit| circuit.end.unwrap_or(u64::MAX)).max().unwrap());
        }
        let known = latest.iter().all(|end| *end != u64::MAX);
        Err(Busy { until: known.then(|| SimTime(*latest.iter().min().unwrap())) })
    }
}

#[derive(Debug, Clone, Copy)]
enum Act {
    /// A transfer of so many ns, if it gets a circuit; or its circuit alone, for now.
    Ask(Transfer, Option<u64>),
    /// The transfer of the circuit that was reserved first begins.
    Begin(u64),
    Wait(u64),
}

fn transfers() -> impl Strategy<Value = Transfer> {
    let owner = prop::sample::select(vec![JobId::NONE, JobId(0), JobId(1), JobId(2)]);
    let (low, normal) = (Priority::Low, Priority::Normal);
    let priority = prop::sample::select(vec![low, low, normal]);
    (0..ROWS * COLUMNS * 2, any::<bool>(), owner, priority, any::<bool>()).prop_map(
        |(die, for_gc, owner, priority, keeps_circuit)| Transfer {
            priority,
            keeps_circuit,
            ..Transfer::new(DieId(die), for_gc, Direction::ToFlash, owner)
        },
    )
}

fn acts() -> impl Strategy<Value = Act> {
    prop_oneof![
        6 => (transfers(), prop::option::weighted(0.8, 0..60_u64)).prop_map(|(t, ns)| Act::Ask(t, ns)),
        2 => (0..60_u64).prop_map(Act::Begin),
        4 => (0..80_u64).prop_map(Act::Wait),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    /// The mesh does what the plain list does, whoever asks with whatever priority, and keeps nothing after a transfer:
    /// no link, port or controller is held by two, and every link that was reserved has been released in the end.
    #[test]
    fn the_mesh_is_a_list_of_circuits(
        acts in prop::collection::vec(acts(), 1..120),
        nearest_free in any::<bool>(),
        of_host in 1..=PLACES.len(),
    ) {
        let (controllers, of_gc) = PLACES.split_at(of_host);
        let (controllers, of_gc) = (format!("{controllers:?}"), format!("{of_gc:?}"));
        let mut mesh = mesh([ROWS, COLUMNS, 2, 1], &[
            ("interconnect.controllers", controllers.as_str()),
            ("interconnect.gc_controllers", of_gc.as_str()),
            ("interconnect.entry", if nearest_free { "nearest-free" } else { "own" }),
        ]);
        let mut plain = Plain { nearest_free, of_host: of_host as u32, circuits: Vec::new() };
        let mut now = 0;
        let mut reserved: Vec<(Lease, Transfer)> = Vec::new();
        let closing = std::iter::repeat_n(Act::Begin(5), acts.len()).chain([Act::Wait(1_000)]);
        for act in acts.into_iter().chain(closing) {
            let mut begins = None;
            match act {
                Act::Ask(transfer, length) => {
                    let got = mesh.reserve(SimTime(now), &transfer);
                    prop_assert_eq!(got, plain.reserve(now, &transfer), "{:?} at {}", transfer, now);
                    match (got, length) {
                        (Ok(lease), Some(length)) => begins = Some((lease, transfer, length)),
                        (Ok(lease), None) => reserved.push((lease, transfer)),
                        (Err(_), _) => {}
                    }
                }
                Act::Begin(length) if !reserved.is_empty() => {
                    let (lease, transfer) = reserved.remove(0);
                    begins = Some((lease, transfer, length));
                }
                Act::Begin(_) => {}
                Act::Wait(time) => now += time,
            }
            if let Some((lease, transfer, length)) = begins {
                let circuit = plain.circuits.iter_mut().find(|c| c.controller == lease.0 && c.end.is_none());
                let circuit = circuit.expect("what was reserved is still there");
                let end = now + length + circuit.links.len() as u64 * HOP;
                circuit.end = Some(end);
                prop_assert_eq!(mesh.send(SimTime(now), lease, &transfer, Nanos(length)), SimTime(end));
            }
            plain.pass_to(now);
            let links_taken: usize = plain.circuits.iter().map(|circuit| circuit.links.len()).sum();
            prop_assert_eq!(links(&*mesh, now), links_taken as u64, "{:?} at {}", act, now);
        }
        let (links_reserved, links_released) = mesh.links().unwrap().reserved(SimTime(now));
        prop_assert_eq!(links_reserved, links_released, "nothing is used");
    }
}
