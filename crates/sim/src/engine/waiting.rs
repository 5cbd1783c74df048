//! Dies that wait for the channel, per contention domain of the interconnect, in the order in which they are served.

use std::cmp::Ordering;

use crate::ids::DieId;
use crate::interconnect::Busy;
use crate::scheduler::Class;
use crate::settings::ChannelArbitration;
use crate::time::SimTime;

/// What a die wants the channel for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Want {
    /// To send a command without data, which sets an array to work.
    Command = 0,
    /// To send the second command of a copyback.
    FinishCopyback = 1,
    /// To bring the data of a host read: it frees a die and a request.
    FinishHost = 2,
    /// To bring the data of a page that is relocated: it frees a die.
    FinishGc = 3,
    /// To begin a program for the host: its data takes the channel as long as a read's, and nobody can have it sooner.
    HostProgram = 4,
    /// To begin a program of a relocated page.
    GcProgram = 5,
}

/// What a die that is to start an operation of `class` wants the channel for.
#[inline]
pub(super) fn want_of(class: Class) -> Want {
    match class {
        Class::HostRead | Class::GcRead | Class::Erase => Want::Command,
        Class::HostWrite => Want::HostProgram,
        Class::GcWrite => Want::GcProgram,
    }
}

/// What came of an attempt to use the channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Attempt {
    /// It was taken, or nothing wanted it any more.
    Served,
    /// Another die has it.
    Refused(Busy),
}

/// The wait list of each [`Want`], indexed by its number; the first is served first.
type Ranks = [u8; 6];

/// Commands occupy the channel for hardly any time and set arrays to work. Behind data, dies would fall into step and
/// the channel would be idle for an array time in every round (22 % of the bandwidth of 64 dies).
const COMMANDS_FIRST: Ranks = [0, 0, 1, 2, 3, 3];
const DATA_FIRST: Ranks = [3, 0, 1, 2, 3, 3];

/// Commands as above; what brings data or needs it by the place of its class at the die.
fn by_class(ranks: [u8; Class::COUNT]) -> Ranks {
    let list = |class: Class| 1 + ranks[class as usize];
    [0, 0, list(Class::HostRead), list(Class::GcRead), list(Class::HostWrite), list(Class::GcWrite)]
}

/// The wait lists of all contention domains, linked through the dies that wait.
#[derive(Debug)]
pub struct WaitLists {
    ranks: Ranks,
    /// Lists of each domain.
    lists: usize,
    head: Vec<DieId>,
    tail: Vec<DieId>,
    next: Vec<DieId>,
    waiting: Vec<u32>,
    /// Per die: the list it waits in.
    list_of: Vec<u8>,
    /// Per domain: the earliest wake-up scheduled, if any.
    wake_at: Vec<Option<SimTime>>,
    walk: Option<Walk>,
}

/// How far a walk along the lists of a domain has got.
#[derive(Debug, Clone, Copy)]
struct Walk {
    list: usize,
    end: usize,
    /// The last die that it has passed in the list and that stays there; none at the list's head.
    passed: DieId,
}

impl WaitLists {
    /// Lists for `domains` contention domains and `dies` dies, with nobody waiting. `class_ranks` are those of the
    /// scheduler, by which lists can go.
    ///
    /// # Panics
    /// When lists are to go by classes and there are no ranks: configurations are checked for that.
    pub fn new(
        order: ChannelArbitration,
        class_ranks: Option<[u8; Class::COUNT]>,
        domains: u32,
        dies: u32,
    ) -> Self {
        let ranks = match order {
            ChannelArbitration::CommandsFirst => COMMANDS_FIRST,
            ChannelArbitration::DataFirst => DATA_FIRST,
            ChannelArbitration::ByClass => by_class(class_ranks.expect("the configuration was checked")),
        };
        let lists = usize::from(ranks.iter().fold(0, |most, rank| most.max(*rank))) + 1;
        Self {
            ranks,
            lists,
            head: vec![DieId::NONE; lists * domains as usize],
            tail: vec![DieId::NONE; lists * domains as usize],
            next: vec![DieId::NONE; dies as usize],
            waiting: vec![0; domains as usize],
            list_of: vec![0; dies as usize],
            wake_at: vec![None; domains as usize],
            walk: None,
        }
    }

    /// Whether nobody waits in the domain.
    #[inline]
    pub fn is_empty(&self, domain: u32) -> bool {
        self.waiting[domain as usize] == 0
    }

    /// A die joins the end of its list.
    #[inline]
    pub fn join(&mut self, domain: u32, want: Want, die: DieId) {
        let rank = self.ranks[want as usize];
        let list = domain as usize * self.lists + usize::from(rank);
        self.list_of[die.index()] = rank;
        self.next[die.index()] = DieId::NONE;
        let tail = std::mem::replace(&mut self.tail[list], die);
        if tail.is_some() {
            self.next[tail.index()] = die;
        } else {
            self.head[list] = die;
        }
        self.waiting[domain as usize] += 1;
    }

    /// The die that is served next, and the list it is at the head of.
    #[inline]
    pub fn first(&self, domain: u32) -> Option<(usize, DieId)> {
        let begin = domain as usize * self.lists;
        (begin..begin + self.lists).map(|list| (list, self.head[list])).find(|(_, die)| die.is_some())
    }

    /// The die at the head of a list of the domain leaves. It is named by the list, because serving it can have made
    /// another die join a list that goes before.
    #[inline]
    pub fn leave(&mut self, domain: u32, list: usize) {
        let die = self.head[list];
        self.head[list] = self.next[die.index()];
        if !self.head[list].is_some() {
            self.tail[list] = DieId::NONE;
        }
        self.waiting[domain as usize] -= 1;
    }

    /// How what a waiting die wants now compares with the list it waits in: `Less` would be served sooner.
    #[inline]
    pub fn compare(&self, die: DieId, want: Want) -> Ordering {
        self.ranks[want as usize].cmp(&self.list_of[die.index()])
    }

    /// A die that wants something else now goes to the end of the list for it.
    pub fn rejoin(&mut self, domain: u32, want: Want, die: DieId) {
        let list = domain as usize * self.lists + usize::from(self.list_of[die.index()]);
        let mut before = DieId::NONE;
        if self.head[list] == die {
            self.leave(domain, list);
        } else {
            before = self.head[list];
            while self.next[before.index()] != die {
                before = self.next[before.index()];
            }
            self.leave_behind(domain, list, before);
        }
        if let Some(walk) = &mut self.walk
            && walk.passed == die
        {
            walk.passed = before;
        }
        self.join(domain, want, die);
    }

    /// The die behind `before` in a list of the domain leaves.
    fn leave_behind(&mut self, domain: u32, list: usize, before: DieId) {
        let die = self.next[before.index()];
        self.next[before.index()] = self.next[die.index()];
        if self.tail[list] == die {
            self.tail[list] = before;
        }
        self.waiting[domain as usize] -= 1;
    }

    /// Begin to walk along the lists of a domain, in the order in which they are served.
    pub fn begin_walk(&mut self, domain: u32) {
        let list = domain as usize * self.lists;
        self.walk = Some(Walk { list, end: list + self.lists, passed: DieId::NONE });
    }

    /// Whether a walk has begun and not ended.
    pub fn is_walking(&self) -> bool {
        self.walk.is_some()
    }

    /// Whether those who wait in the domain are served now: in a walk that has begun, or at a wake-up noted for `now`.
    #[inline]
    pub fn are_served_at(&self, domain: u32, now: SimTime) -> bool {
        self.is_walking() || self.wake_at[domain as usize] == Some(now)
    }

    /// The list that the walk is in and the die to which it comes next; at the end of the last list there is none, and
    /// the walk is over.
    pub fn next_in_walk(&mut self) -> Option<(usize, DieId)> {
        let walk = self.walk.as_mut()?;
        loop {
            let passed = walk.passed;
            let die = if passed.is_some() { self.next[passed.index()] } else { self.head[walk.list] };
            if die.is_some() {
                return Some((walk.list, die));
            }
            (walk.list, walk.passed) = (walk.list + 1, DieId::NONE);
            if walk.list == walk.end {
                self.walk = None;
                return None;
            }
        }
    }

    /// The die at which the walk is stays where it stands.
    pub fn stay_in_walk(&mut self, die: DieId) {
        if let Some(walk) = &mut self.walk {
            walk.passed = die;
        }
    }

    /// The die at which the walk is leaves.
    pub fn leave_in_walk(&mut self, domain: u32) {
        let Some(Walk { list, passed, .. }) = self.walk else { return };
        if passed.is_some() {
            self.leave_behind(domain, list, passed);
        } else {
            self.leave(domain, list);
        }
    }

    /// Note a wake-up at `at`; tells whether one must be scheduled (none as early is).
    #[inline]
    pub fn needs_wake(&mut self, domain: u32, at: SimTime) -> bool {
        let known = &mut self.wake_at[domain as usize];
        if known.is_some_and(|earlier| earlier <= at) {
            return false;
        }
        *known = Some(at);
        true
    }

    /// The wake-up of a domain is happening.
    #[inline]
    pub fn woken(&mut self, domain: u32) {
        self.wake_at[domain as usize] = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let order: Vec<_> = std::iter::from_fn(|| {
            let (list, die) = waits.first(0)?;
            waits.leave(0, list);
            Some(die)
        })
        .collect();
        assert_eq!(order, [DieId(2), DieId(1)]);
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
        let order: Vec<_> = std::iter::from_fn(|| {
            let (list, die) = waits.first(1)?;
            waits.leave(1, list);
            Some(die.0)
        })
        .collect();
        assert_eq!(order, [4, 5, 3, 1, 2, 6, 0]);
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
            let order: Vec<_> = std::iter::from_fn(|| {
                let (list, die) = waits.first(0)?;
                waits.leave(0, list);
                Some(die.0)
            })
            .collect();
            let mut expected = vec![4, mover];
            expected.extend((0..3).filter(|die| *die != mover));
            expected.push(3);
            assert_eq!(order, expected);
        }
    }

    /// The walk goes on behind a die that stays, also when that has gone to a list which the walk is past.
    #[test]
    fn a_walk_finds_its_way_when_those_it_has_passed_move() {
        let mut waits = WaitLists::new(ChannelArbitration::CommandsFirst, None, 1, 6);
        (0..4).for_each(|die| waits.join(0, Want::HostProgram, DieId(die)));
        waits.begin_walk(0);
        let mut met = Vec::new();
        while let Some((_, die)) = waits.next_in_walk() {
            met.push(die.0);
            match die.0 {
                // Dies 0 and 1 stay; while it is the turn of 2, die 1 moves and another joins. Die 2 leaves.
                2 => {
                    waits.rejoin(0, Want::Command, DieId(1));
                    waits.join(0, Want::HostProgram, DieId(5));
                    waits.leave_in_walk(0);
                }
                _ => waits.stay_in_walk(die),
            }
        }
        assert_eq!(met, [0, 1, 2, 3, 5]);
        assert!(!waits.is_walking());
        let order: Vec<_> = std::iter::from_fn(|| {
            let (list, die) = waits.first(0)?;
            waits.leave(0, list);
            Some(die.0)
        })
        .collect();
        assert_eq!(order, [1, 0, 3, 5]);
    }
}
