//! Scout packets to the bit: two flits of eight bits (GC bypass, Fig. 5).
//!
//! | bits | header flit | tail flit |
//! |---|---|---|
//! | 7 | 0: header | 1: tail |
//! | 6 | 0: reserves, 1: cancels | the same |
//! | 5 | 0: from a flash controller, 1: from the GC controller | the same |
//! | 4–2 | chip, its upper bits | controller |
//! | 1 | chip | 1: high priority |
//! | 0 | chip, its lowest bit | unused, 0 |
//!
//! The paper gives the fields and their order; which value of a bit means what is chosen here, but for the priority.
//! The simulator passes scouts on as they are and is not bound to 32 chips and 8 controllers.

/// A flit: what a link carries at a time.
pub type Flit = u8;

/// What a scout does on its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// It goes on, and reserves the links that it takes.
    Reserve,
    /// It comes back, and gives up what it has reserved.
    Cancel,
}

/// Who has sent a scout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sender {
    /// A flash controller.
    FlashController,
    /// The controller that carries collection alone.
    GcController,
}

/// What a scout packet says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScoutPacket {
    /// Whether it reserves or cancels.
    pub mode: Mode,
    /// Who has sent it.
    pub sender: Sender,
    /// Chip to which it goes.
    pub chip: u32,
    /// Controller that it comes from: the id in reservation tables.
    pub controller: u32,
    /// Whether it may take links that are reserved with less.
    pub high_priority: bool,
}

const CHIPS: u32 = 1 << 5;
const CONTROLLERS: u32 = 1 << 3;
const TAIL: Flit = 1 << 7;
const CANCELS: Flit = 1 << 6;
const OF_GC: Flit = 1 << 5;
const HIGH: Flit = 1 << 1;

impl ScoutPacket {
    /// Header and tail; none if the chip or the controller has a number that they have no room for.
    pub fn encode(&self) -> Option<[Flit; 2]> {
        if self.chip >= CHIPS || self.controller >= CONTROLLERS {
            return None;
        }
        let mut both = 0;
        if self.mode == Mode::Cancel {
            both |= CANCELS;
        }
        if self.sender == Sender::GcController {
            both |= OF_GC;
        }
        let priority = if self.high_priority { HIGH } else { 0 };
        Some([both | self.chip as Flit, TAIL | both | (self.controller as Flit) << 2 | priority])
    }

    /// What two flits say; none if they are no header and tail of the same packet, or the unused bit is set.
    pub fn decode([header, tail]: [Flit; 2]) -> Option<Self> {
        let same = header & (CANCELS | OF_GC) == tail & (CANCELS | OF_GC);
        if header & TAIL != 0 || tail & TAIL == 0 || !same || tail & 1 != 0 {
            return None;
        }
        Some(Self {
            mode: if header & CANCELS == 0 { Mode::Reserve } else { Mode::Cancel },
            sender: if header & OF_GC == 0 { Sender::FlashController } else { Sender::GcController },
            chip: u32::from(header) % CHIPS,
            controller: u32::from(tail >> 2) % CONTROLLERS,
            high_priority: tail & HIGH != 0,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCOUT: ScoutPacket = ScoutPacket {
        mode: Mode::Reserve,
        sender: Sender::FlashController,
        chip: 0b10110,
        controller: 0b011,
        high_priority: true,
    };

    #[test]
    #[allow(clippy::unusual_byte_groupings, reason = "a run of digits is a field of a flit")]
    fn a_scout_is_two_flits_bit_for_bit() {
        assert_eq!(SCOUT.encode(), Some([0b000_10110, 0b100_011_1_0]));
        // The paper's fifth controller is the collector's, number 100; its page writes have the priority 0.
        let of_gc =
            ScoutPacket { sender: Sender::GcController, controller: 0b100, high_priority: false, ..SCOUT };
        assert_eq!(of_gc.encode(), Some([0b001_10110, 0b101_100_0_0]));
        let cancelled = ScoutPacket { mode: Mode::Cancel, ..of_gc };
        assert_eq!(cancelled.encode(), Some([0b011_10110, 0b111_100_0_0]));
    }

    #[test]
    fn what_two_flits_have_no_room_for_is_not_encoded() {
        assert_eq!(ScoutPacket { chip: 32, ..SCOUT }.encode(), None);
        assert_eq!(ScoutPacket { controller: 8, ..SCOUT }.encode(), None);
    }

    /// Every pair of flits is either no packet, or the packet that encodes to it: 2 x 2 x 32 x 8 x 2 of them.
    #[test]
    fn what_is_decoded_encodes_to_the_same_bits() {
        let mut packets = 0;
        for bits in 0..=u16::MAX {
            let flits = bits.to_be_bytes();
            if let Some(packet) = ScoutPacket::decode(flits) {
                assert_eq!(packet.encode(), Some(flits));
                packets += 1;
            }
        }
        assert_eq!(packets, 2 * 2 * 32 * 8 * 2);
    }
}
