//! Seam `ftl.allocation`: which plane a host write goes to.

use strength_reduce::StrengthReducedU32;

use crate::building;
use crate::flash::Geometry;
use crate::ids::{DieId, Lpn, PlaneId};
use crate::mapping::{SpaceAccounting, Stream};
use crate::metric::Reading;
use crate::registry::members;
use crate::settings::alternatives::reading;

/// What a placement may look at.
pub struct PlacementView<'a> {
    pub(super) ftl: &'a SpaceAccounting<'a>,
    /// The class of the page, where planes share superblocks.
    pub(super) class: Stream,
    /// The drive's dimensions.
    pub geometry: &'a Geometry,
    /// Operations waiting or running on each die; empty in the untimed path, where every die is idle.
    pub pending_per_die: &'a [u32],
}

impl std::fmt::Debug for PlacementView<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PlacementView")
            .field("pending_per_die", &self.pending_per_die)
            .finish_non_exhaustive()
    }
}

impl PlacementView<'_> {
    /// Whether the plane has a page that is not reserved for another write.
    #[inline]
    pub fn has_room(&self, plane: PlaneId) -> bool {
        if self.ftl.superblocks.is_some() {
            return self.ftl.has_room_of(self.class, plane);
        }
        self.ftl.room(plane) > i64::from(self.ftl.planes[plane.index()].reserved_pages)
    }

    /// Operations waiting or running on a die.
    #[inline]
    pub fn pending(&self, die: DieId) -> u32 {
        self.pending_per_die.get(die.index()).copied().unwrap_or(0)
    }
}

/// Planes to which logical pages go in turn, by their number.
#[derive(Debug, Clone)]
pub struct StaticOrder {
    planes: Box<[PlaneId]>,
    /// How many, to divide by quickly.
    length: StrengthReducedU32,
}

impl StaticOrder {
    /// Over these planes, of which there is at least one.
    pub fn new(planes: Box<[PlaneId]>) -> Self {
        Self { length: StrengthReducedU32::new(planes.len() as u32), planes }
    }

    /// The planes, in the order in which pages go to them.
    pub fn planes(&self) -> &[PlaneId] {
        &self.planes
    }

    /// The plane of a logical page.
    #[inline]
    pub fn plane_of(&self, lpn: Lpn) -> PlaneId {
        self.planes[(lpn.0 % self.length) as usize]
    }
}

/// Decides where host writes go.
pub trait Allocation: Send {
    /// The plane for a write of `lpn`; `None` when the write should wait until any plane has room.
    ///
    /// A plane without room is a fair answer: the write then waits for that plane.
    fn place(&mut self, lpn: Lpn, view: &PlacementView<'_>) -> Option<PlaneId>;

    /// The order that [`Self::place`] always follows, if there is one: it is asked instead, once for every page.
    fn static_order(&self) -> Option<StaticOrder> {
        None
    }

    /// Whether a write may have to wait although a plane has room: asked once.
    fn may_wait(&self) -> bool {
        false
    }

    /// Whether its last answer, no plane, was such a one: it is asked again after every event.
    fn waits(&self) -> bool {
        false
    }

    /// Where a policy of the user's has left the drive nothing to do: the message that says so; `plane` is where its
    /// last page waits, if it named one.
    fn blame(&self, plane: Option<PlaneId>, why: &str) -> Option<String> {
        let _ = (plane, why);
        None
    }

    /// The policy's state, for a snapshot.
    fn save(&self) -> Vec<u8>;

    /// Take up a saved state. Tells whether it was understood.
    fn load(&mut self, state: &[u8]) -> bool;

    /// Where the counters stand that the policy declares.
    fn metrics(&self) -> Vec<Reading> {
        Vec::new()
    }
}

/// Builds a member.
pub type Build = building::Build<dyn Allocation>;

members! {
    /// Members of the seam.
    "ftl.allocation", Build, reading(
        &["striping", "dynamic"],
        "A page has a plane of its own, or goes where it is served first."
    );
    striping,
    dynamic,
    ospada,
    python,
}
