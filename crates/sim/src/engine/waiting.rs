//! Dies that wait for the channel, per contention domain of the interconnect, in the order in which they are served.

use std::cmp::Ordering;

use crate::ids::DieId;
use crate::interconnect::{Busy, Direction};
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

impl Want {
    /// Whether it is to start something; else to go on with what the array has done.
    #[inline]
    pub(super) fn is_to_start(self) -> bool {
        matches!(self, Self::Command | Self::HostProgram | Self::GcProgram)
    }

    /// What a die that is to start an operation of `class` wants the channel for.
    #[inline]
    pub(super) fn to_start(class: Class) -> Self {
        match class {
            Class::HostRead | Class::GcRead | Class::Erase => Self::Command,
            Class::HostWrite => Self::HostProgram,
            Class::GcWrite => Self::GcProgram,
        }
    }

    /// Which way something moves then.
    #[inline]
    pub(super) fn direction(self) -> Direction {
        match self {
            Self::FinishHost | Self::FinishGc => Direction::FromFlash,
            _ => Direction::ToFlash,
        }
    }
}

/// What came of an attempt to use the channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Attempt {
    /// It was taken, or nothing wanted it any more.
    Served,
    /// The die wants something else by now, and waits for that in another list.
    Moved,
    /// Another has it, or it is kept for a collection job.
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
    domains: Box<[DomainLists]>,
    places: Box<[Place]>,
    walk: Option<Walk>,
}

/// Lists of a domain, at most: commands, and one for each class.
const LISTS: usize = 1 + Class::COUNT;

/// The lists of a domain, which fill a cache line.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
struct DomainLists {
    /// The earliest wake-up scheduled; the end of time if there is none.
    wake_at: SimTime,
    /// A bit for each list that somebody is in.
    filled: u8,
    lists: [Ends; LISTS],
}

const _: () = assert!(size_of::<DomainLists>() == 64);

/// The dies at both ends of a list.
#[derive(Debug, Clone, Copy)]
struct Ends {
    head: DieId,
    tail: DieId,
}

/// Where a die waits.
#[derive(Debug, Clone, Copy)]
struct Place {
    /// The one behind it in its list.
    next: DieId,
    /// What it wanted when it joined the list, which is the list of that.
    want: Want,
}

/// How far a walk along the lists of a domain has got.
#[derive(Debug, Clone, Copy)]
struct Walk {
    domain: u32,
    list: usize,
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
        debug_assert!(ranks.iter().all(|rank| usize::from(*rank) < LISTS), "{ranks:?}");
        let nobody = Ends { head: DieId::NONE, tail: DieId::NONE };
        let empty = DomainLists { wake_at: SimTime::NEVER, filled: 0, lists: [nobody; LISTS] };
        Self {
            ranks,
            domains: vec![empty; domains as usize].into(),
            places: vec![Place { next: DieId::NONE, want: Want::Command }; dies as usize].into(),
            walk: None,
        }
    }

    /// Whether nobody waits in the domain.
    #[inline]
    pub fn is_empty(&self, domain: u32) -> bool {
        self.domains[domain as usize].filled == 0
    }

    /// A die joins the end of its list.
    #[inline]
    pub fn join(&mut self, domain: u32, want: Want, die: DieId) {
        let (places, state) = (&mut *self.places, &mut self.domains[domain as usize]);
        let list = usize::from(self.ranks[want as usize]);
        places[die.index()] = Place { next: DieId::NONE, want };
        let ends = &mut state.lists[list];
        let tail = std::mem::replace(&mut ends.tail, die);
        if tail.is_some() {
            places[tail.index()].next = die;
        } else {
            ends.head = die;
            state.filled |= 1 << list;
        }
    }

    /// The die that is served next, and the list of the domain that it is at the head of.
    #[inline]
    pub fn first(&self, domain: u32) -> Option<(usize, DieId)> {
        let state = &self.domains[domain as usize];
        let list = state.filled.trailing_zeros() as usize;
        state.lists.get(list).map(|ends| (list, ends.head))
    }

    /// The die at the head of a list of the domain leaves. It is named by the list, because serving it can have made
    /// another die join a list that goes before.
    #[inline]
    pub fn leave(&mut self, domain: u32, list: usize) {
        let state = &mut self.domains[domain as usize];
        let ends = &mut state.lists[list];
        ends.head = self.places[ends.head.index()].next;
        if !ends.head.is_some() {
            ends.tail = DieId::NONE;
            state.filled &= !(1 << list);
        }
    }

    /// What a waiting die wanted when it joined its list.
    #[inline]
    pub fn want_of(&self, die: DieId) -> Want {
        self.places[die.index()].want
    }

    #[inline]
    fn rank_of(&self, die: DieId) -> u8 {
        self.ranks[self.places[die.index()].want as usize]
    }

    /// How what a waiting die wants now compares with the list it waits in: `Less` would be served sooner.
    #[inline]
    pub fn compare(&self, die: DieId, want: Want) -> Ordering {
        self.ranks[want as usize].cmp(&self.rank_of(die))
    }

    /// A die that wants something else now goes to the end of the list for it.
    pub fn rejoin(&mut self, domain: u32, want: Want, die: DieId) {
        let list = usize::from(self.rank_of(die));
        let mut before = DieId::NONE;
        let head = self.head(domain, list);
        if head == die {
            self.leave(domain, list);
        } else {
            before = head;
            while self.places[before.index()].next != die {
                before = self.places[before.index()].next;
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

    #[inline]
    fn head(&self, domain: u32, list: usize) -> DieId {
        self.domains[domain as usize].lists[list].head
    }

    /// The die behind `before` in a list of the domain leaves.
    fn leave_behind(&mut self, domain: u32, list: usize, before: DieId) {
        let die = self.places[before.index()].next;
        self.places[before.index()].next = self.places[die.index()].next;
        let ends = &mut self.domains[domain as usize].lists[list];
        if ends.tail == die {
            ends.tail = before;
        }
    }

    /// Begin to walk along the lists of a domain, in the order in which they are served.
    pub fn begin_walk(&mut self, domain: u32) {
        self.walk = Some(Walk { domain, list: 0, passed: DieId::NONE });
    }

    /// Whether a walk has begun and not ended.
    pub fn is_walking(&self) -> bool {
        self.walk.is_some()
    }

    /// Whether those who wait in the domain are served now: in a walk that has begun, or at a wake-up noted for `now`.
    #[inline]
    pub fn are_served_at(&self, domain: u32, now: SimTime) -> bool {
        self.is_walking() || self.domains[domain as usize].wake_at == now
    }

    /// The die to which the walk comes next; at the end of the last list there is none, and the walk is over.
    #[inline]
    pub fn next_in_walk(&mut self) -> Option<DieId> {
        loop {
            let mut walk = self.walk?;
            let die = self.behind(walk);
            if die.is_some() {
                return Some(die);
            }
            (walk.list, walk.passed) = (walk.list + 1, DieId::NONE);
            self.walk = (walk.list < LISTS).then_some(walk);
        }
    }

    /// The die that comes next in the list of a walk.
    #[inline]
    fn behind(&self, walk: Walk) -> DieId {
        if walk.passed.is_some() {
            self.places[walk.passed.index()].next
        } else {
            self.head(walk.domain, walk.list)
        }
    }

    /// The walk goes on behind all that stand next to each other in its list and stay, by what they want; returns how
    /// many.
    #[inline]
    pub fn pass_in_walk(&mut self, mut stays: impl FnMut(Want) -> bool) -> u64 {
        let Some(walk) = self.walk else { return 0 };
        let (mut passed, mut count) = (walk.passed, 0);
        let mut die = self.behind(walk);
        while die.is_some() && stays(self.places[die.index()].want) {
            (passed, die, count) = (die, self.places[die.index()].next, count + 1);
        }
        self.walk = Some(Walk { passed, ..walk });
        count
    }

    /// The die at which the walk is stays where it stands.
    #[inline]
    pub fn stay_in_walk(&mut self, die: DieId) {
        if let Some(walk) = &mut self.walk {
            walk.passed = die;
        }
    }

    /// The die at which the walk is leaves.
    pub fn leave_in_walk(&mut self) {
        let Some(Walk { domain, list, passed }) = self.walk else { return };
        if passed.is_some() {
            self.leave_behind(domain, list, passed);
        } else {
            self.leave(domain, list);
        }
    }

    /// Note a wake-up at `at`; tells whether one must be scheduled (none as early is).
    #[inline]
    pub fn note_wake(&mut self, domain: u32, at: SimTime) -> bool {
        let known = &mut self.domains[domain as usize].wake_at;
        let is_sooner = at < *known;
        if is_sooner {
            *known = at;
        }
        is_sooner
    }

    /// The wake-up of a domain is happening.
    #[inline]
    pub fn woken(&mut self, domain: u32) {
        self.domains[domain as usize].wake_at = SimTime::NEVER;
    }
}

#[cfg(test)]
mod tests;
