//! A mesh of router chips, through which scout packets find their way: what `venice` and `smartnetssd` are made of, and
//! the grid that `nossd` is laid out on, too. Nothing here knows transfers.
//!
//! Every router has a reservation table with an entry for each packet id (which port a circuit comes in by, and which
//! it leaves by) and a state of two bits for each of its links. A scout goes from router to router, reserves as it
//! goes, and takes back what it has reserved when it has to turn around. `docs/model.md`, 12.15 to 12.19.

mod grid;
mod links;
mod network;
mod packet;
mod table;

pub use grid::{Grid, NetworkMap, Places};
pub(super) use grid::{check_places, size};
pub use network::{Network, Turned, Way};
pub use packet::{Flit, Mode, ScoutPacket, Sender};
pub use table::{LinkState, Port};
