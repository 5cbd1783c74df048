//! Scouts in a mesh without a drive: where they go, that they come to an end, and how often they find a way.

use crate::common::prelude::*;
use reclaim_sim::interconnect::routers::{Grid, LinkState, Network, Port};
use reclaim_sim::scout_experiment::{Experiment, run};

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

/// Shares of first scouts that find a way, with one, two and three ports, in 4 x 8 and 8 x 8 routers beside so many
/// circuits: from an independent Monte-Carlo run in Python (fresh circuits for each of 60,000 trials, set up with three
/// ports: a standard error of 0.002 at most).
#[test]
fn first_scouts_find_a_way_as_often_as_in_an_independent_run() {
    for (rows, others, shares) in
        [(4, 1, [0.9351, 1.0, 1.0]), (4, 3, [0.5737, 0.8867, 0.8863]), (8, 3, [0.9216, 0.9909, 0.9909])]
    {
        for (ports_tried, share) in [1, 2, 3].into_iter().zip(shares) {
            let experiment = Experiment {
                rows,
                columns: 8,
                controllers: rows,
                others,
                ports_tried,
                trials: 40_000,
                seed: 7,
            };
            let counted =
                run(&experiment, &mut |_| ControlFlow::Continue(())).expect("a possible experiment");
            let found = counted.found as f64 / counted.scouts as f64;
            assert!((found - share).abs() < 0.01, "{experiment:?}: {found}, {share}");
        }
    }
}
