//! Scouts in a mesh without a drive: where they go, that they come to an end, and how often they find a way.

use std::collections::VecDeque;
use std::ops::ControlFlow;

use proptest::prelude::*;
use reclaim_sim::interconnect::routers::{Grid, LinkState, Network, Port};
use reclaim_sim::random::RandomStream;
use reclaim_sim::scout_experiment::{Counted, Experiment, run};

fn grid(rows: u32, columns: u32) -> Grid {
    Grid {
        rows,
        columns,
        chips: (0..rows * columns).collect(),
        controllers: (0..rows).map(|row| row * columns).collect(),
        of_host: rows,
    }
}

fn network(grid: &Grid, ports_tried: u32) -> Network {
    Network::new(grid, grid.of_host, ports_tried, &mut RandomStream::new(1, "test"))
}

/// Routers on the circuit of an id, and nothing but what its tables say.
fn routers_of(network: &Network, id: u32, from: u32, columns: u32) -> Vec<u32> {
    let mut routers = vec![from];
    let mut came_by = Port::Local;
    loop {
        let at = routers[routers.len() - 1];
        let (entry, exit) = network.table_entry(at, id).expect("an entry of every router on the way");
        assert_eq!(entry, came_by);
        let next = match exit {
            Port::Local => return routers,
            Port::East => at + 1,
            Port::West => at - 1,
            Port::North => at - columns,
            Port::South => at + columns,
        };
        came_by = exit.opposite();
        assert_ne!(network.state(at, exit), LinkState::Idle, "the link is reserved at this end");
        assert_eq!(network.state(at, exit), network.state(next, came_by), "and at the other");
        routers.push(next);
    }
}

#[test]
fn tables_and_link_states_follow_a_circuit_from_its_reservation_to_its_end() {
    let grid = grid(1, 3);
    let mut network = network(&grid, 3);
    assert_eq!(network.send_scout(0, 0, 2).map(|way| (way.hops, way.travelled)), Ok((2, 2)));
    assert_eq!(network.table_entry(0, 0), Some((Port::Local, Port::East)));
    assert_eq!(network.table_entry(1, 0), Some((Port::West, Port::East)));
    assert_eq!(network.table_entry(2, 0), Some((Port::West, Port::Local)));
    assert_eq!(network.state(1, Port::West), LinkState::ReservedHigh);
    let mut over = Vec::new();
    network.transmit(0, |link| over.push(link));
    assert_eq!(over, [0, 1]);
    assert_eq!(network.state(2, Port::West), LinkState::Transmitting);
    assert_eq!(network.clear(0, 0), 2);
    assert!(network.is_idle());
    assert_eq!(
        [Port::East, Port::North, Port::South, Port::West].map(|port| port as u8),
        [0b00, 0b01, 0b10, 0b11]
    );
    let states = [LinkState::Idle, LinkState::ReservedLow, LinkState::ReservedHigh, LinkState::Transmitting];
    assert_eq!(states.map(|state| state as u8), [0b00, 0b01, 0b10, 0b11]);
}

/// Two rows of three routers, whose links to the last column are cut one after the other.
#[test]
fn a_scout_goes_around_what_is_taken_and_back_where_there_is_no_way() {
    let grid = grid(2, 3);
    let mut network = network(&grid, 3);
    assert!(network.send_scout(1, 1, 2).is_ok_and(|way| way.hops == 1), "the upper link is cut");
    let way = network.send_scout(0, 0, 2).expect("around");
    let around = routers_of(&network, 0, 0, 3);
    assert!(around == [0, 3, 4, 5, 2] || around == [0, 1, 4, 5, 2], "{around:?}");
    assert_eq!(way.hops, 4);
    assert_eq!(network.clear(0, 0), 4);
    // From the last router of the lower row to the one before: the lower link is cut, too.
    let mut cut = Network::new(&grid, 3, 3, &mut RandomStream::new(1, "test"));
    assert!(cut.send_scout(1, 1, 2).is_ok_and(|way| way.hops == 1));
    assert!(cut.send_scout(2, 4, 5).is_ok_and(|way| way.hops == 1));
    // Three links of the square on the left can be travelled before there is none, and all of them are travelled back
    // over.
    let turned = cut.send_scout(0, 0, 2).expect_err("no way");
    assert!((3..=8).contains(&(turned.travelled / 2)), "{turned:?}");
    assert_eq!(cut.clear(1, 1) + cut.clear(2, 4), 2);
    assert!(cut.is_idle(), "nothing is left of the scout that turned");
}

/// Whether free links lead from one router to another.
fn reachable(network: &Network, grid: &Grid, from: u32, to: u32) -> bool {
    let mut seen = vec![false; grid.routers() as usize];
    let mut next = VecDeque::from([from]);
    seen[from as usize] = true;
    while let Some(at) = next.pop_front() {
        let [row, column] = grid.place(at);
        let neighbours = [
            (column + 1 < grid.columns).then(|| (Port::East, at + 1)),
            (row > 0).then(|| (Port::North, at - grid.columns)),
            (row + 1 < grid.rows).then(|| (Port::South, at + grid.columns)),
            (column > 0).then(|| (Port::West, at - 1)),
        ];
        for (port, other) in neighbours.into_iter().flatten() {
            if network.state(at, port) == LinkState::Idle && !seen[other as usize] {
                seen[other as usize] = true;
                next.push_back(other);
            }
        }
    }
    seen[to as usize]
}

proptest! {
    /// Circuits come and go at random. A scout that may try all four ports finds a way exactly if there is one; it
    /// takes each link twice at most in either direction, and leaves nothing behind when it turns.
    #[test]
    fn a_scout_that_may_try_everything_finds_a_way_if_there_is_one(
        rows in 1_u32..6,
        columns in 1_u32..7,
        seed: u64,
        steps in prop::collection::vec((0_u32..6, 0_u32..42), 1..80),
    ) {
        let grid = grid(rows, columns);
        let mut network = Network::new(&grid, rows, 4, &mut RandomStream::new(seed, "test"));
        let mut in_use: Vec<Option<u32>> = vec![None; rows as usize];
        let links = network.links().len() as u32;
        for (id, to) in steps {
            let (id, to) = (id % rows, to % grid.routers());
            let from = grid.controllers[id as usize];
            if let Some(hops) = in_use[id as usize].take() {
                prop_assert_eq!(network.clear(id, from), hops);
                continue;
            }
            let expected = reachable(&network, &grid, from, to);
            match network.send_scout(id, from, to) {
                Ok(way) => {
                    prop_assert!(expected);
                    let routers = routers_of(&network, id, from, columns);
                    prop_assert_eq!(routers.len() as u32, way.hops + 1);
                    prop_assert_eq!(routers.last(), Some(&to));
                    prop_assert!(way.hops >= grid.distance(from, to) && way.travelled >= way.hops);
                    prop_assert!(way.travelled <= 4 * links);
                    in_use[id as usize] = Some(way.hops);
                }
                Err(turned) => {
                    prop_assert!(!expected);
                    prop_assert!(turned.travelled <= 4 * links && turned.travelled % 2 == 0);
                    prop_assert_eq!(network.table_entry(from, id), None);
                }
            }
        }
        for (id, circuit) in in_use.into_iter().enumerate() {
            if circuit.is_some() {
                network.clear(id as u32, grid.controllers[id]);
            }
        }
        prop_assert!(network.is_idle(), "released = reserved");
    }
}

fn count(rows: u32, columns: u32, others: u32, ports_tried: u32, trials: u64) -> Counted {
    let experiment = Experiment { rows, columns, controllers: rows, others, ports_tried, trials, seed: 7 };
    run(&experiment, &mut |_| ControlFlow::Continue(())).expect("a possible experiment")
}

/// Rows, columns, circuits in use, and the shares below for one, two and three ports.
const ORACLE: [(u32, u32, u32, [f64; 3]); 6] = [
    (4, 8, 1, [0.9351, 1.0, 1.0]),
    (4, 8, 2, [0.814, 0.9871, 0.9873]),
    (4, 8, 3, [0.5737, 0.8867, 0.8863]),
    (8, 8, 1, [0.9844, 1.0, 1.0]),
    (8, 8, 2, [0.9587, 0.9975, 0.9976]),
    (8, 8, 3, [0.9216, 0.9909, 0.9909]),
];

/// Shares of first scouts that find a way, from an independent Monte-Carlo run in Python (fresh circuits for each of
/// 60,000 trials, set up with three ports: a standard error of 0.002 at most).
#[test]
fn first_scouts_find_a_way_as_often_as_in_an_independent_run() {
    for (rows, columns, others, shares) in ORACLE {
        for (ports, share) in [1, 2, 3].into_iter().zip(shares) {
            let counted = count(rows, columns, others, ports, 60_000);
            let found = counted.found as f64 / counted.scouts as f64;
            assert!(
                (found - share).abs() < 0.01,
                "{rows} x {columns}, {others} others, N = {ports}: {found}, {share}"
            );
        }
        // Beyond the three ports by which a scout can leave a router that it came to there is nothing to try.
        let (three, six) = (count(rows, columns, others, 3, 20_000), count(rows, columns, others, 6, 20_000));
        assert_eq!((three.found, three.hops), (six.found, six.hops), "controllers hang at the edge");
    }
}

/// However many: each comes to an end, and nothing stays reserved.
#[test]
fn scouts_never_go_in_circles() {
    let counted = count(4, 8, 3, 3, 300_000);
    assert!(counted.all_scouts > 1_200_000 && counted.travelled < 40 * counted.scouts);
}

/// The same with a hundred million of them: `cargo test --release -- --ignored`, a minute.
#[test]
#[ignore = "a minute in a release build"]
fn a_hundred_million_scouts_come_to_an_end() {
    let mut scouts = 0;
    for (rows, columns, others, ports) in
        [(4, 8, 3, 1), (4, 8, 3, 3), (8, 8, 7, 3), (8, 8, 7, 2), (3, 3, 2, 4)]
    {
        let each = 25_000_000 / u64::from(others + 1);
        scouts += count(rows, columns, others, ports, each).all_scouts;
    }
    assert!(scouts > 100_000_000, "{scouts}");
    println!("{scouts} scouts");
}
