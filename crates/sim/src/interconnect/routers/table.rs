//! What a router remembers: the state of each of its links, and an entry of its reservation table for each packet id.

/// A side of a router, with the two bits that the paper gives it; the chip and the controllers at the router are a
/// fifth, for which the paper has no code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Port {
    /// Towards higher columns, code 00.
    East = 0,
    /// Towards lower rows, code 01.
    North = 1,
    /// Towards higher rows, code 10.
    South = 2,
    /// Towards lower columns, code 11.
    West = 3,
    /// The chip, or a controller, at this router.
    Local = 4,
}

impl Port {
    /// The four that lead to other routers, by code.
    pub const LINKS: [Self; 4] = [Self::East, Self::North, Self::South, Self::West];

    /// The port of the neighbour at the other end of the link.
    ///
    /// # Panics
    /// For the local port, which has no link.
    #[inline]
    #[must_use]
    pub fn opposite(self) -> Self {
        Self::LINKS[3 - self as usize]
    }
}

/// State of a link, the same at both of its ends: two bits (GC bypass, section 3.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(u8)]
pub enum LinkState {
    /// Nobody has it, code 00.
    #[default]
    Idle = 0b00,
    /// Reserved by a transfer of low priority, code 01: what matters more may take it away.
    ReservedLow = 0b01,
    /// Reserved, and kept from everybody, code 10.
    ReservedHigh = 0b10,
    /// Something moves over it, code 11.
    Transmitting = 0b11,
}

impl LinkState {
    /// The state with a code, of which the two lowest bits count.
    pub(super) fn of_code(code: u8) -> Self {
        [Self::Idle, Self::ReservedLow, Self::ReservedHigh, Self::Transmitting][usize::from(code & 3)]
    }
}

/// An entry of a reservation table: by which port a circuit comes in, and by which it leaves, if that is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry(u8);

const OPEN: u8 = 7;

impl Entry {
    /// No circuit of this id passes here.
    pub(super) const UNUSED: Self = Self(u8::MAX);

    /// A scout has come in by `port`, and has not gone on.
    #[inline]
    pub(super) fn from(port: Port) -> Self {
        Self(OPEN << 3 | port as u8)
    }

    /// The same entry of a scout that has gone on by `port`.
    #[inline]
    pub(super) fn to(self, port: Port) -> Self {
        Self(self.0 & 7 | (port as u8) << 3)
    }

    #[inline]
    pub(super) fn is_used(self) -> bool {
        self != Self::UNUSED
    }

    #[inline]
    pub(super) fn entry(self) -> Port {
        port_of(self.0 & 7)
    }

    /// [`Port::Local`], too, while it is open.
    #[inline]
    pub(super) fn exit(self) -> Port {
        port_of(self.0 >> 3)
    }
}

#[inline]
fn port_of(code: u8) -> Port {
    *Port::LINKS.get(usize::from(code)).unwrap_or(&Port::Local)
}
