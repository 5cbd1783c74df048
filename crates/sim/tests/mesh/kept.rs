//! Circuits that their owners keep between transfers: the mesh by itself, against sequences worked out by hand and
//! against a plain list of circuits on random ones.

use proptest::prelude::*;
use reclaim_sim::building::BuildContext;
use reclaim_sim::flash::Geometry;
use reclaim_sim::ids::{DieId, JobId};
use reclaim_sim::interconnect::{
    Busy, Direction, EntryPoint, Interconnect, Lease, MEMBERS, Priority, Transfer,
};
use reclaim_sim::time::{Nanos, SimTime};

use super::{HOP, ROW, drive};

const BUSY: Result<Lease, Busy> = Err(Busy { until: None });

fn mesh(dimensions: [u32; 4], set: &[(&str, &str)]) -> Box<dyn Interconnect> {
    let config = drive(dimensions, set).config();
    let context = BuildContext::new(&config, &Geometry::new(&config).unwrap());
    MEMBERS.build_checked(&config.interconnect, &context)
}

/// A row of four chips with a controller at either end.
fn row(entry: &str) -> Box<dyn Interconnect> {
    mesh([1, 4, 1, 1], &[&ROW[..], &[("interconnect.entry", entry)]].concat())
}

fn of_host(die: u32) -> Transfer {
    Transfer::new(DieId(die), false, Direction::ToFlash, JobId::NONE)
}

/// Pages written back by a job, which keeps its circuit and goes behind everything.
fn of_job(job: u32, die: u32) -> Transfer {
    Transfer {
        priority: Priority::Low,
        keeps_circuit: true,
        ..Transfer::new(DieId(die), true, Direction::ToFlash, JobId(job))
    }
}

/// Takes a circuit for a transfer of so many ns, which must be free.
fn carry(mesh: &mut dyn Interconnect, now: u64, transfer: &Transfer, length: u64) -> u64 {
    let lease = mesh.reserve(SimTime(now), transfer).expect("free");
    mesh.send(SimTime(now), lease, transfer, Nanos(length)).0
}

fn counts(mesh: &dyn Interconnect) -> [u64; 2] {
    let metrics = mesh.metrics();
    ["kept_circuits_taken_up", "kept_circuits_removed"]
        .map(|name| metrics.iter().find(|reading| reading.metric.name == name).unwrap().count)
}

fn links(mesh: &dyn Interconnect, now: u64) -> u64 {
    let (reserved, released) = mesh.links().unwrap().reserved(SimTime(now));
    reserved - released
}

#[test]
fn a_kept_circuit_is_there_for_its_owner_and_for_nobody_else_of_its_priority() {
    let mut mesh = row("own");
    // To chip 1, a hop from the left end.
    assert_eq!(carry(&mut *mesh, 0, &of_job(7, 1), 100), 100 + HOP);
    let another = of_job(8, 1);
    assert_eq!(mesh.reserve(SimTime(50), &another), Err(Busy { until: Some(SimTime(110)) }), "in use");
    assert_eq!(mesh.reserve(SimTime(110), &another), BUSY, "at rest: until somebody says so");
    assert_eq!(mesh.reserve(SimTime(110), &of_job(8, 0)), BUSY, "the controller is kept, too");
    assert_eq!(links(&*mesh, 400), 1);
    assert_eq!(carry(&mut *mesh, 500, &of_job(7, 1), 100), 610);
    assert_eq!(counts(&*mesh), [1, 0]);
    // The last of them keeps it no longer.
    let last = Transfer { keeps_circuit: false, ..of_job(7, 1) };
    assert_eq!(carry(&mut *mesh, 610, &last, 100), 720);
    assert_eq!(mesh.reserve(SimTime(700), &another), Err(Busy { until: Some(SimTime(720)) }));
    assert_eq!(links(&*mesh, 720), 0);
    assert_eq!(carry(&mut *mesh, 720, &another, 100), 830);
    assert_eq!(counts(&*mesh), [2, 0]);
    assert_eq!(mesh.links().unwrap().reserved(SimTime(900)), (2, 1), "what is taken up is reserved once");
    let hops = mesh.metrics().into_iter().find(|reading| reading.metric.name == "hops_travelled").unwrap();
    assert_eq!(hops.count, 4, "and travelled every time");
}

#[test]
fn a_higher_priority_removes_what_rests_and_nothing_that_is_used() {
    let mut mesh = row("own");
    carry(&mut *mesh, 0, &of_job(7, 1), 100);
    assert_eq!(mesh.reserve(SimTime(109), &of_host(1)), Err(Busy { until: Some(SimTime(110)) }));
    assert_eq!(counts(&*mesh), [0, 0]);
    // Another chip of the same controller: the whole circuit goes.
    assert_eq!(carry(&mut *mesh, 110, &of_host(0), 300), 410);
    assert_eq!((counts(&*mesh), links(&*mesh, 110)), ([0, 1], 0));
    // The owner finds out by being refused, and sets up another afterwards.
    assert_eq!(mesh.reserve(SimTime(200), &of_job(7, 1)), Err(Busy { until: Some(SimTime(410)) }));
    assert_eq!(carry(&mut *mesh, 410, &of_job(7, 1), 100), 520);
    assert_eq!(counts(&*mesh), [0, 1], "nothing was left to be taken up");
    // One that rests with normal priority gives way to nobody.
    let normal = Transfer { priority: Priority::Normal, ..of_job(7, 1) };
    carry(&mut *mesh, 520, &normal, 100);
    assert_eq!(mesh.reserve(SimTime(1_000), &of_host(1)), BUSY);
    assert_eq!(counts(&*mesh), [1, 1]);
}

#[test]
fn a_circuit_that_leads_elsewhere_is_given_up_even_if_the_owner_is_refused() {
    let mut mesh = row("own");
    carry(&mut *mesh, 0, &of_job(7, 1), 100);
    carry(&mut *mesh, 0, &of_host(3), 1_000);
    assert_eq!(links(&*mesh, 200), 1);
    assert_eq!(mesh.reserve(SimTime(200), &of_job(7, 2)), Err(Busy { until: Some(SimTime(1_000)) }));
    assert_eq!((links(&*mesh, 200), counts(&*mesh)), (0, [0, 0]));
    assert_eq!(carry(&mut *mesh, 200, &of_job(8, 1), 100), 310);
}

/// Dies of a chip hang on the same port, so the circuit leads to both.
#[test]
fn another_die_of_the_chip_is_no_other_place() {
    let mut mesh = mesh([1, 2, 2, 1], &[]);
    carry(&mut *mesh, 0, &of_job(7, 2), 100);
    assert_eq!(carry(&mut *mesh, 200, &of_job(7, 3), 100), 310);
    assert_eq!(counts(&*mesh), [1, 0]);
}

#[test]
fn an_owner_that_is_done_leaves_nothing_behind() {
    let mut mesh = row("own");
    carry(&mut *mesh, 0, &of_job(7, 1), 100);
    assert!(!mesh.keeping().unwrap().end_rest(SimTime(109), JobId(8)), "another owner");
    assert!(!mesh.keeping().unwrap().end_rest(SimTime(109), JobId::NONE), "nobody");
    assert!(!mesh.keeping().unwrap().end_rest(SimTime(109), JobId(7)), "in use until 110, and free then");
    assert_eq!(links(&*mesh, 110), 0);
    carry(&mut *mesh, 110, &of_job(7, 1), 100);
    assert!(mesh.keeping().unwrap().end_rest(SimTime(300), JobId(7)));
    assert!(!mesh.keeping().unwrap().end_rest(SimTime(300), JobId(7)), "once");
    assert_eq!(links(&*mesh, 300), 0);
    assert_eq!(carry(&mut *mesh, 300, &of_job(8, 1), 100), 410);
    assert_eq!(counts(&*mesh), [0, 0]);
}

/// Chip 1 from the left end and chip 2 from the right one both rest: the way to chip 3 from the left needs both.
#[test]
fn everything_in_the_way_is_removed_at_once_if_all_of_it_rests() {
    let mut mesh = row("nearest-free");
    carry(&mut *mesh, 0, &of_job(7, 1), 100);
    carry(&mut *mesh, 0, &of_job(8, 2), 100);
    let right = mesh.reserve(SimTime(50), &of_host(3));
    assert_eq!(right, Err(Busy { until: Some(SimTime(110)) }), "both ends are in use");
    // The right end is kept with low priority: it is tried first, and the left one stays as it is.
    carry(&mut *mesh, 200, &of_host(3), 1_000);
    assert_eq!(counts(&*mesh), [0, 1]);
    assert_eq!(links(&*mesh, 200), 1);
    assert_eq!(carry(&mut *mesh, 300, &of_job(7, 1), 100), 410);
    // Now a way over all three links: chip 2 belongs to the right end, which is in use until 1,200.
    carry(&mut *mesh, 500, &of_host(2), 100);
    assert_eq!(counts(&*mesh), [1, 2]);
}

#[test]
fn a_circuit_from_a_controller_of_the_other_kind_is_given_up() {
    let set = [("interconnect.controllers", "[[0, 0]]"), ("interconnect.gc_controllers", "[[0, 3]]")];
    let mut mesh = mesh([1, 4, 1, 1], &set);
    carry(&mut *mesh, 0, &of_job(7, 2), 100);
    assert_eq!(mesh.reserve(SimTime(200), &of_host(3)), Ok(Lease(0)), "the port and the last link: removed");
    assert_eq!(counts(&*mesh), [0, 1]);
    mesh.release(SimTime(300), Lease(0));
    let elevated = Transfer { entry: EntryPoint::Host, ..of_job(7, 2) };
    carry(&mut *mesh, 300, &of_job(7, 2), 100);
    assert_eq!(mesh.reserve(SimTime(500), &elevated), Ok(Lease(0)), "from the other end");
    assert_eq!(counts(&*mesh), [0, 1]);
}

/// A circuit as the plain list has it.
#[derive(Debug, Clone)]
struct Circuit {
    controller: u32,
    chip: u32,
    links: Vec<[[u32; 2]; 2]>,
    /// Of the transfer under way; none while nobody knows.
    end: Option<u64>,
    owner: JobId,
    priority: Priority,
}

impl Circuit {
    fn rests(&self, now: u64) -> bool {
        self.owner.is_some() && self.end.is_some_and(|end| end <= now)
    }
}

const ROWS: u32 = 3;
const COLUMNS: u32 = 4;
const PLACES: [[u32; 2]; 4] = [[0, 0], [2, 1], [1, 3], [0, 2]];

/// The rules of the mesh over a list of circuits.
struct Plain {
    nearest_free: bool,
    of_host: u32,
    circuits: Vec<Circuit>,
    taken_up: u64,
    removed: u64,
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
        self.circuits.retain(|circuit| circuit.end.is_none_or(|end| end > now) || circuit.rests(now));
    }

    fn reserve(&mut self, now: u64, transfer: &Transfer) -> Result<Lease, Busy> {
        self.pass_to(now);
        let chip = transfer.die.0 / 2;
        let choices = self.choices(transfer, chip);
        let owner = if transfer.keeps_circuit { transfer.owner } else { JobId::NONE };
        let own = |circuit: &Circuit| transfer.owner.is_some() && circuit.owner == transfer.owner;
        self.circuits.retain(|circuit| {
            let leads_there = circuit.chip == chip && choices.contains(&circuit.controller);
            !(own(circuit) && circuit.rests(now)) || leads_there
        });
        if let Some(found) = self.circuits.iter_mut().find(|c| own(c) && c.rests(now)) {
            (found.end, found.owner, found.priority) = (None, owner, transfer.priority);
            self.taken_up += 1;
            return Ok(Lease(found.controller));
        }
        let mut latest = Vec::new();
        for controller in choices {
            let links = way(PLACES[controller as usize], chip);
            let in_the_way = |circuit: &Circuit| {
                circuit.controller == controller
                    || circuit.chip == chip
                    || circuit.links.iter().any(|link| links.contains(link))
            };
            let makes_way = |circuit: &Circuit| circuit.rests(now) && circuit.priority < transfer.priority;
            let obstacles: Vec<_> = self.circuits.iter().filter(|c| in_the_way(c) && !makes_way(c)).collect();
            if obstacles.is_empty() {
                let before = self.circuits.len();
                self.circuits.retain(|circuit| !in_the_way(circuit));
                self.removed += (before - self.circuits.len()) as u64;
                let priority = transfer.priority;
                self.circuits.push(Circuit { controller, chip, links, end: None, owner, priority });
                return Ok(Lease(controller));
            }
            let ends =
                obstacles.iter().map(|c| if c.rests(now) { u64::MAX } else { c.end.unwrap_or(u64::MAX) });
            latest.push(ends.max().unwrap());
        }
        let known = latest.iter().all(|end| *end != u64::MAX);
        Err(Busy { until: known.then(|| SimTime(*latest.iter().min().unwrap())) })
    }

    fn end_rest(&mut self, now: u64, owner: JobId) -> bool {
        self.pass_to(now);
        let before = self.circuits.len();
        self.circuits.retain(|circuit| circuit.owner != owner || !circuit.rests(now));
        self.circuits.iter_mut().filter(|c| c.owner == owner).for_each(|c| c.owner = JobId::NONE);
        self.circuits.len() < before
    }
}

#[derive(Debug, Clone, Copy)]
enum Act {
    /// A transfer of so many ns, if it gets a circuit; or its circuit alone, for now.
    Ask(Transfer, Option<u64>),
    /// The transfer of the circuit that was reserved first begins.
    Begin(u64),
    Wait(u64),
    Done(JobId),
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
        1 => (0..3_u32).prop_map(|owner| Act::Done(JobId(owner))),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    /// The mesh does what the plain list does; so no link, port or controller is held by two, nothing in use is taken
    /// away, and when nothing rests every link that was reserved has been released.
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
        let mut plain =
            Plain { nearest_free, of_host: of_host as u32, circuits: Vec::new(), taken_up: 0, removed: 0 };
        let mut now = 0;
        let mut reserved: Vec<(Lease, Transfer)> = Vec::new();
        let closing = std::iter::repeat_n(Act::Begin(5), acts.len())
            .chain((0..3).map(|owner| Act::Done(JobId(owner)))).chain([Act::Wait(1_000)]);
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
                Act::Done(owner) => {
                    let fell_free = mesh.keeping().unwrap().end_rest(SimTime(now), owner);
                    prop_assert_eq!(fell_free, plain.end_rest(now, owner));
                }
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
            prop_assert_eq!(counts(&*mesh), [plain.taken_up, plain.removed]);
        }
        let (links_reserved, links_released) = mesh.links().unwrap().reserved(SimTime(now));
        prop_assert_eq!(links_reserved, links_released, "nothing rests and nothing is used");
    }
}
