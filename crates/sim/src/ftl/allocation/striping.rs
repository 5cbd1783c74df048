//! Striping: consecutive pages go to planes in a fixed order of channel, way (chip), die and plane.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Allocation, Build, PlacementView, StaticOrder};
use crate::flash::Geometry;
use crate::ids::{Lpn, PlaneId};
use crate::registry::{Member, ParameterSpec, parameters};
use crate::settings::alternatives::{reading, unprinted};

/// What the stripe counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum By {
    /// Logical page numbers: a page always returns to its plane (static allocation).
    #[default]
    Lpn,
    /// Writes as they come: each goes to the next plane, whatever it writes (round robin).
    Arrival,
}

/// All orders in which a stripe can run over channel (C), way (W), die (D) and plane (P).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[rustfmt::skip]
#[allow(clippy::upper_case_acronyms)]
enum Order {
    #[default]
    CWDP,
    CWPD, CDWP, CDPW, CPWD, CPDW, WCDP, WCPD, WDCP, WDPC, WPCD, WPDC,
    DCWP, DCPW, DWCP, DWPC, DPCW, DPWC, PCWD, PCDW, PWCD, PWDC, PDCW, PDWC,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Parameters {
    /// Which dimension changes fastest: C channel, W way (chip), D die, P plane.
    #[schemars(extend("x-alternatives" = unprinted(
        &["CWDP", "CPWD", "WCDP", "PDWC"],
        "Which dimension of the drive a stripe runs along first is seldom printed."
    )))]
    order: Order,
    /// What the stripe counts.
    #[schemars(extend("x-alternatives" = reading(
        &["lpn", "arrival"],
        "Static allocation stripes addresses, round robin stripes writes."
    )))]
    by: By,
}

pub const MEMBER: Member<Build> = Member {
    name: "striping",
    about: "fixed stripe over channels, ways, dies and planes, by logical page or by arrival",
    parameters: &ParameterSpec::of::<Parameters>(),
    conflicts: &[],
    metrics: &[],
    build: |choice, context| Ok(Box::new(Striping::new(&parameters(choice), &context.geometry))),
};

struct Striping {
    by: By,
    order: StaticOrder,
    /// Of the plane that the next write goes to, where the stripe counts arrivals.
    position: u32,
}

/// Planes in the order in which pages go to them.
fn planes_in(order: Order, geometry: &Geometry) -> Box<[PlaneId]> {
    let order = format!("{order:?}");
    let size = |dimension| match dimension {
        'C' => geometry.channels,
        'W' => geometry.chips_per_channel,
        'D' => geometry.dies_per_chip,
        _ => geometry.planes_per_die,
    };
    let plane_at = |position: u32| {
        let at = |wanted: char| {
            let mut rest = position;
            for dimension in order.chars() {
                if dimension == wanted {
                    return rest % size(dimension);
                }
                rest /= size(dimension);
            }
            unreachable!("an order names every dimension")
        };
        let (channel, way, die, plane) = (at('C'), at('W'), at('D'), at('P'));
        PlaneId(
            ((channel * geometry.chips_per_channel + way) * geometry.dies_per_chip + die)
                * geometry.planes_per_die
                + plane,
        )
    };
    (0..geometry.planes()).map(plane_at).collect()
}

/// Planes in the default order: neighbours in turn are on different channels.
pub(super) fn planes_in_turn(geometry: &Geometry) -> Box<[PlaneId]> {
    planes_in(Order::default(), geometry)
}

/// The same where parts of a page of flash that follow each other go to one plane.
fn page_by_page(planes: &[PlaneId], geometry: &Geometry) -> Box<[PlaneId]> {
    planes.iter().flat_map(|plane| std::iter::repeat_n(*plane, geometry.parts_of_page as usize)).collect()
}

impl Striping {
    fn new(parameters: &Parameters, geometry: &Geometry) -> Self {
        Self {
            by: parameters.by,
            order: StaticOrder::new(page_by_page(&planes_in(parameters.order, geometry), geometry)),
            position: 0,
        }
    }
}

impl Allocation for Striping {
    fn place(&mut self, lpn: Lpn, view: &PlacementView<'_>) -> Option<PlaneId> {
        let planes = self.order.planes();
        let count = planes.len() as u32;
        match self.by {
            // A plane holds no more than its share of the logical pages, so it can always be collected.
            By::Lpn => Some(self.order.plane_of(lpn)),
            // Here a plane may fill up with pages that are never written again: step over it.
            By::Arrival => {
                let positions = (0..count).map(|step| (self.position + step) % count);
                let mut with_room = positions.filter(|position| view.has_room(planes[*position as usize]));
                let position = with_room.next()?;
                self.position = (position + 1) % count;
                Some(planes[position as usize])
            }
        }
    }

    fn static_order(&self) -> Option<StaticOrder> {
        matches!(self.by, By::Lpn).then(|| self.order.clone())
    }

    fn save(&self) -> Vec<u8> {
        self.position.to_le_bytes().to_vec()
    }

    fn load(&mut self, state: &[u8]) -> bool {
        let Ok(bytes) = state.try_into() else { return false };
        self.position = u32::from_le_bytes(bytes);
        self.position < self.order.planes().len() as u32
    }
}
