//! Seam `scheduler`: which waiting operation a die takes next.

use crate::building;
use crate::metric::Reading;
use crate::registry::members;
use crate::settings::alternatives::reading;

/// Classes of waiting operations, each first come first served.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Class {
    /// Reads for the host.
    HostRead = 0,
    /// Programs for the host.
    HostWrite = 1,
    /// Reads of pages to be relocated, and copybacks.
    GcRead = 2,
    /// Programs of relocated pages.
    GcWrite = 3,
    /// Erases of emptied victims, for collection and wear levelling alike.
    Erase = 4,
}

impl Class {
    /// Number of classes.
    pub const COUNT: usize = 5;
    /// All classes, in the order of their numbers.
    pub const ALL: [Self; Self::COUNT] =
        [Self::HostRead, Self::HostWrite, Self::GcRead, Self::GcWrite, Self::Erase];

    /// Its bit in a set of classes.
    #[inline]
    pub const fn bit(self) -> u8 {
        1 << self as u8
    }

    /// The first of a set of classes, by their numbers.
    #[inline]
    pub(crate) fn of_bits(bits: u8) -> Option<Self> {
        Self::ALL.get(bits.trailing_zeros() as usize).copied()
    }
}

/// Of every set of classes the one that goes first.
type FirstOfEach = [Option<Class>; 1 << Class::COUNT];

/// The same for an order of classes.
const fn first_of_each(order: [Class; Class::COUNT]) -> FirstOfEach {
    let mut firsts = [None; 1 << Class::COUNT];
    let mut set = 0;
    while set < firsts.len() {
        let mut place = Class::COUNT;
        while place > 0 {
            place -= 1;
            if set & order[place].bit() as usize != 0 {
                firsts[set] = Some(order[place]);
            }
        }
        set += 1;
    }
    firsts
}

/// What a scheduler may look at: for each class, the arrival number of the oldest operation that could start now.
#[derive(Debug, Clone, Copy)]
pub struct DieView {
    /// Arrival number of the oldest startable operation of each class; `u64::MAX` when there is none.
    pub oldest: [u64; Class::COUNT],
    /// A plane of the die is so short of space that collection must go first.
    pub gc_urgent: bool,
}

impl DieView {
    /// Bits of the classes of which an operation could start now.
    pub fn startable(&self) -> u8 {
        let startable = Class::ALL.into_iter().filter(|class| self.has(*class));
        startable.fold(0, |bits, class| bits | class.bit())
    }

    /// Whether an operation of the class could start now.
    pub fn has(&self, class: Class) -> bool {
        self.oldest[class as usize] != u64::MAX
    }
}

/// Decides what an idle die does next.
pub trait Scheduler: Send {
    /// The class to serve; `None` if nothing could start. Not asked where there is only one class to pick.
    fn pick(&mut self, die: &DieView) -> Option<Class>;

    /// Whether it goes by how old operations are. One that goes by their classes alone has [`Self::pick_by_class`].
    fn goes_by_age(&self) -> bool {
        true
    }

    /// The same as [`Self::pick`], told by a bit for each class of which an operation could start.
    fn pick_by_class(&mut self, startable: u8, gc_urgent: bool) -> Option<Class> {
        let oldest = Class::ALL.map(|class| if startable & class.bit() == 0 { u64::MAX } else { 0 });
        self.pick(&DieView { oldest, gc_urgent })
    }

    /// The place of each class in the order in which they are served, 0 first, where there is such an order: waiting
    /// lines of channels can go by it.
    fn class_ranks(&self) -> Option<[u8; Class::COUNT]> {
        None
    }

    /// Where the counters stand that the policy declares.
    fn metrics(&self) -> Vec<Reading> {
        Vec::new()
    }
}

/// Builds a member.
pub type Build = building::Build<dyn Scheduler>;

members! {
    /// Members of the seam.
    "scheduler", Build, reading(
        &["read-first", "fcfs", "type-first", "{ kind = \"type-first\", gc_first = \"always\" }"],
        "Who goes first at a die is seldom printed, and decides latencies."
    );
    read_first,
    fcfs,
    type_first,
    by_class,
}
