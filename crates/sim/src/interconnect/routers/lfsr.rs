//! The linear-feedback shift register with which a router picks one of several ports.

/// Taps 16, 14, 13 and 11: runs through all 65,535 states but zero.
const TAPS: u16 = 0xB400;

/// A 16-bit register. 65,535 is a multiple of 3, so that picks of one in three are as even as those of one in two.
#[derive(Debug, Clone, Copy)]
pub(super) struct ShiftRegister(u16);

impl ShiftRegister {
    /// In a state from 1 to 65,535.
    pub(super) fn new(state: u16) -> Self {
        debug_assert_ne!(state, 0, "a register of zeros stays one");
        Self(state)
    }

    /// A number below `bound`, which is 2 to 4.
    #[inline]
    pub(super) fn pick(&mut self, bound: u32) -> u32 {
        self.0 = (self.0 >> 1) ^ (TAPS * (self.0 & 1));
        let state = u32::from(self.0);
        // Divided by what is known here: that is a multiplication.
        match bound {
            2 => state % 2,
            3 => state % 3,
            _ => state % bound,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_register_runs_through_every_state_and_picks_evenly() {
        let mut register = ShiftRegister::new(1);
        let mut picked = [0_u32; 3];
        for step in 1..=65_535_u32 {
            picked[register.pick(3) as usize] += 1;
            assert_eq!(register.0 == 1, step == 65_535, "the state comes back after all others, not before");
        }
        assert_eq!(picked, [21_845; 3]);
    }
}
