//! Lists and walks by themselves.

use super::*;

/// Dies in the order in which they are served.
fn order(waits: &mut WaitLists, channel: u32) -> Vec<u32> {
    let served = || {
        let (list, die) = waits.first(channel)?;
        waits.leave(channel, list);
        Some(die.0)
    };
    std::iter::from_fn(served).collect()
}

#[test]
fn who_was_served_leaves_even_if_another_has_joined_ahead() {
    let mut waits = WaitLists::new(ChannelArbitration::CommandsFirst, None, 1, 4);
    waits.join(0, Want::HostProgram, DieId(0));
    waits.join(0, Want::HostProgram, DieId(1));
    let (list, served) = waits.first(0).unwrap();
    assert_eq!(served, DieId(0));
    // Serving it sends a read to another die, which waits to send its command.
    waits.join(0, Want::Command, DieId(2));
    waits.leave(0, list);
    assert_eq!(order(&mut waits, 0), [2, 1]);
    assert!(waits.is_empty(0));
}

/// Data by the place of its class: programs of the host, then data of both kinds of reads as they come, then
/// programs of relocated pages. Commands go before all.
#[test]
fn lines_can_go_by_the_classes_of_the_die() {
    let mut ranks = [0; Class::COUNT];
    let places = [Class::HostWrite, Class::Erase, Class::GcRead, Class::GcWrite].into_iter().zip(0..);
    places.for_each(|(class, place)| ranks[class as usize] = place);
    ranks[Class::HostRead as usize] = ranks[Class::GcRead as usize];
    let mut waits = WaitLists::new(ChannelArbitration::ByClass, Some(ranks), 2, 7);
    let line = [
        Want::GcProgram,
        Want::FinishGc,
        Want::FinishHost,
        Want::HostProgram,
        Want::Command,
        Want::FinishCopyback,
        Want::FinishGc,
    ];
    line.into_iter().zip(0..).for_each(|(want, die)| waits.join(1, want, DieId(die)));
    assert!(waits.is_empty(0));
    assert_eq!(waits.compare(DieId(0), Want::HostProgram), Ordering::Less);
    assert_eq!(order(&mut waits, 1), [4, 5, 3, 1, 2, 6, 0]);
}

/// Out of the head, the middle and the tail of a list, into one that goes before.
#[test]
fn a_die_that_wants_something_better_goes_to_the_end_of_the_better_list() {
    for mover in 0..3 {
        let mut waits = WaitLists::new(ChannelArbitration::CommandsFirst, None, 1, 5);
        waits.join(0, Want::Command, DieId(4));
        for die in 0..3 {
            waits.join(0, Want::HostProgram, DieId(die));
        }
        assert_eq!(waits.compare(DieId(mover), Want::Command), Ordering::Less);
        waits.rejoin(0, Want::Command, DieId(mover));
        assert_eq!(waits.compare(DieId(mover), Want::Command), Ordering::Equal);
        waits.join(0, Want::HostProgram, DieId(3));
        let mut expected = vec![4, mover];
        expected.extend((0..3).filter(|die| *die != mover));
        expected.push(3);
        assert_eq!(order(&mut waits, 0), expected);
    }
}

/// The walk goes on behind a die that stays, also when that has gone to a list which the walk is past.
#[test]
fn a_walk_finds_its_way_when_those_it_has_passed_move() {
    let mut waits = WaitLists::new(ChannelArbitration::CommandsFirst, None, 1, 6);
    (0..4).for_each(|die| waits.join(0, Want::HostProgram, DieId(die)));
    waits.begin_walk(0);
    let mut met = Vec::new();
    while let Some(die) = waits.next_in_walk() {
        met.push(die.0);
        match die.0 {
            // Dies 0 and 1 stay; while it is the turn of 2, die 1 moves and another joins. Die 2 leaves.
            2 => {
                waits.rejoin(0, Want::Command, DieId(1));
                waits.join(0, Want::HostProgram, DieId(5));
                waits.leave_in_walk();
            }
            _ => waits.stay_in_walk(die),
        }
    }
    assert_eq!(met, [0, 1, 2, 3, 5]);
    assert!(!waits.is_walking());
    assert_eq!(order(&mut waits, 0), [1, 0, 3, 5]);
}

/// Past all who want to bring the data of host reads, as far as they stand next to each other.
#[test]
fn a_walk_passes_all_who_stay() {
    let mut waits = WaitLists::new(ChannelArbitration::CommandsFirst, None, 1, 6);
    let line = [Want::FinishHost, Want::FinishHost, Want::FinishHost, Want::FinishGc, Want::FinishHost];
    line.into_iter().zip(0..).for_each(|(want, die)| waits.join(0, want, DieId(die)));
    waits.begin_walk(0);
    assert_eq!(waits.next_in_walk(), Some(DieId(0)));
    waits.stay_in_walk(DieId(0));
    assert_eq!(waits.next_in_walk(), Some(DieId(1)));
    assert_eq!(waits.pass_in_walk(|want| want == Want::FinishHost), 3, "dies 1, 2 and 4");
    assert_eq!(waits.next_in_walk(), Some(DieId(3)));
    assert_eq!(waits.pass_in_walk(|want| want == Want::FinishHost), 0);
    waits.leave_in_walk();
    assert_eq!(waits.next_in_walk(), None);
    assert_eq!(waits.first(0), Some((1, DieId(0))));
}
