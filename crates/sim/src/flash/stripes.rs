//! Stripes over chips: which logical pages belong together, and on which chip and plane each lives.
//!
//! Left-asymmetric rotation, stripe by stripe: Liang et al., IEICE Electronics Express 2018, figure 1. Where a chip has
//! several planes, consecutive rows of stripes go to one plane after the other, and parity moves on after each turn.

use crate::ids::{ChipId, Lpn, PlaneId};
use crate::settings::{Config, ConfigError};

/// How pages of data and parity lie on chips. Logical pages from the user capacity up are parity, one for each stripe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stripes {
    /// Number of pages of a stripe, each on a chip of its own.
    pub chips: u32,
    /// Number of parity sets: neighbouring chips that share stripes.
    pub sets: u32,
    /// Number of stripes of each set.
    pub rows: u32,
    /// Number of planes of a chip.
    planes_per_chip: u32,
}

impl Stripes {
    /// The stripes that a configuration asks for, if it does, on a drive with so many pages for the host, or for all
    /// that is stored.
    ///
    /// # Errors
    /// When chips make no whole number of parity sets, or not a stripe fits in.
    pub(super) fn new(
        config: &Config,
        pages: u32,
        pages_are_users: bool,
    ) -> Result<Option<Self>, ConfigError> {
        let Some(given) = config.redundancy.parameters.get(STRIPE_CHIPS) else { return Ok(None) };
        let refused = |reason: &str| Err(ConfigError::at("redundancy.stripe_chips", reason));
        let g = &config.geometry;
        let all = g.channels * g.chips_per_channel;
        let chips = given.as_u64().and_then(|chips| u32::try_from(chips).ok()).unwrap_or(0);
        if chips < 2 || chips > all || !all.is_multiple_of(chips) {
            return refused(&format!("{given} chips for a stripe; {}", Self::possible(all)));
        }
        let sets = all / chips;
        let of_a_row = sets * if pages_are_users { chips - 1 } else { chips };
        let rows = pages / of_a_row;
        if rows == 0 {
            return refused(&format!("{pages} pages are not one stripe of each of {sets} parity sets"));
        }
        Ok(Some(Self { chips, sets, rows, planes_per_chip: g.dies_per_chip * g.planes_per_die }))
    }

    /// Into which stripes so many chips can be divided, in words.
    pub(crate) fn possible(chips: u32) -> String {
        let numbers: Vec<_> =
            (2..=chips).filter(|n| chips.is_multiple_of(*n)).map(|n| n.to_string()).collect();
        let numbers = if numbers.is_empty() { "no number".to_owned() } else { numbers.join(", ") };
        format!("{chips} chips can be divided into stripes of {numbers}")
    }

    /// Number of pages of data in a stripe.
    #[inline]
    pub fn data_pages(&self) -> u32 {
        self.chips - 1
    }

    /// Number of stripes.
    #[inline]
    pub fn count(&self) -> u32 {
        self.rows * self.sets
    }

    /// Number of pages of data in all: what the host sees.
    #[inline]
    pub fn user_pages(&self) -> u32 {
        self.count() * self.data_pages()
    }

    /// Number of pages of data and parity.
    pub fn stored_pages(&self) -> u64 {
        u64::from(self.rows) * u64::from(self.sets * self.chips)
    }

    /// Number of pages whose home a plane is; of some planes one less.
    pub fn pages_of_plane(&self) -> u32 {
        self.rows.div_ceil(self.planes_per_chip)
    }

    /// The chip of a plane.
    #[inline]
    pub fn chip_of_plane(&self, plane: PlaneId) -> ChipId {
        ChipId(plane.0 / self.planes_per_chip)
    }

    /// The planes of a chip.
    pub fn planes_of_chip(&self, chip: ChipId) -> impl Iterator<Item = PlaneId> + use<> {
        let first = chip.0 * self.planes_per_chip;
        (first..first + self.planes_per_chip).map(PlaneId)
    }

    /// The planes of other parity sets that a page could go to instead of its home: those of the same number in their
    /// chips.
    pub fn elsewhere(&self, lpn: Lpn) -> impl Iterator<Item = PlaneId> + use<> {
        let set = self.stripe_of(lpn) % self.sets;
        let (chips, of_chip) = (self.chips, self.planes_per_chip);
        let number = self.home(lpn).0 % of_chip;
        (0..self.sets * chips)
            .filter(move |chip| chip / chips != set)
            .map(move |chip| PlaneId(chip * of_chip + number))
    }

    /// Whether a logical page is one of parity.
    #[inline]
    pub fn is_parity(&self, lpn: Lpn) -> bool {
        lpn.0 >= self.user_pages()
    }

    /// The stripe of a logical page.
    #[inline]
    pub fn stripe_of(&self, lpn: Lpn) -> u32 {
        if self.is_parity(lpn) { lpn.0 - self.user_pages() } else { lpn.0 / self.data_pages() }
    }

    /// Whether a page that follows another of a request is written together with it.
    pub fn are_written_together(&self, first: Lpn, second: Lpn) -> bool {
        second > first && self.stripe_of(first) == self.stripe_of(second)
    }

    /// The logical page of a stripe's parity.
    #[inline]
    pub fn parity_of(&self, stripe: u32) -> Lpn {
        Lpn(self.user_pages() + stripe)
    }

    /// The logical pages of data of a stripe, in ascending order.
    pub fn data(&self, stripe: u32) -> impl Iterator<Item = Lpn> + use<> {
        let first = stripe * self.data_pages();
        (first..first + self.data_pages()).map(Lpn)
    }

    /// The logical pages of a stripe: data in ascending order, then parity.
    pub fn members(&self, stripe: u32) -> impl Iterator<Item = Lpn> + use<> {
        self.data(stripe).chain([self.parity_of(stripe)])
    }

    /// The chip that a logical page lives on.
    pub fn chip_of(&self, lpn: Lpn) -> ChipId {
        let stripe = self.stripe_of(lpn);
        let (set, row) = (stripe % self.sets, stripe / self.sets);
        let parity = self.chips - 1 - row / self.planes_per_chip % self.chips;
        let position = if self.is_parity(lpn) {
            parity
        } else {
            let number = lpn.0 % self.data_pages();
            number + u32::from(number >= parity)
        };
        ChipId(set * self.chips + position)
    }

    /// The plane that a logical page lives in.
    pub fn home(&self, lpn: Lpn) -> PlaneId {
        let row = self.stripe_of(lpn) / self.sets;
        PlaneId(self.chip_of(lpn).0 * self.planes_per_chip + row % self.planes_per_chip)
    }
}

/// The parameter by which a redundancy policy asks for stripes.
const STRIPE_CHIPS: &str = "stripe_chips";

#[cfg(test)]
mod tests {
    use super::*;

    fn stripes(chips: u32, sets: u32, rows: u32, planes_per_chip: u32) -> Stripes {
        Stripes { chips, sets, rows, planes_per_chip }
    }

    /// Figure 1 of the paper: two sets of four chips with a plane each, four rows.
    #[test]
    fn parity_rotates_to_the_left_and_data_steps_around_it() {
        let layout = stripes(4, 2, 4, 1);
        let rows: Vec<Vec<u32>> = (0..4)
            .map(|row| {
                let mut chips = vec![u32::MAX; 8];
                for lpn in layout.members(2 * row).chain(layout.members(2 * row + 1)) {
                    chips[layout.chip_of(lpn).0 as usize] = lpn.0;
                }
                chips
            })
            .collect();
        // 24 pages of data, so parity begins at 24.
        assert_eq!(rows[0], [0, 1, 2, 24, 3, 4, 5, 25]);
        assert_eq!(rows[1], [6, 7, 26, 8, 9, 10, 27, 11]);
        assert_eq!(rows[2], [12, 28, 13, 14, 15, 29, 16, 17]);
        assert_eq!(rows[3], [30, 18, 19, 20, 31, 21, 22, 23]);
    }

    #[test]
    fn rows_go_to_the_planes_of_a_chip_in_turn() {
        let layout = stripes(3, 2, 12, 4);
        let parity_homes: Vec<_> = (0..12).map(|row| layout.home(layout.parity_of(2 * row)).0).collect();
        // Chip 2 for a turn of its planes, then chip 1, then chip 0.
        assert_eq!(parity_homes, [8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3]);
    }
}
