//! The ways of a mesh: along the row of the controller first, then along the column of the chip.

/// The way between each controller and each chip, found once.
pub(super) struct Ways {
    chips: usize,
    /// Words of a bit mask with a bit for every link.
    words: usize,
    /// Links of the way from controller c to chip k: from (c * chips + k) * words on.
    masks: Box<[u64]>,
    hops: Box<[u32]>,
}

/// Most words of masks; a mesh of 1,024 chips and 32 controllers has a million.
const MOST_WORDS: u64 = 1 << 24;

impl Ways {
    pub(super) fn new(rows: u32, columns: u32, controllers: &[[u32; 2]]) -> Result<Self, String> {
        let chips = rows as usize * columns as usize;
        let along_rows = rows as usize * (columns as usize - 1);
        let links = along_rows + columns as usize * (rows as usize - 1);
        let words = links.div_ceil(64).max(1);
        if controllers.len() as u64 * chips as u64 * words as u64 > MOST_WORDS {
            return Err(format!("{} controllers are too many for {chips} chips", controllers.len()));
        }
        let mut masks = vec![0_u64; controllers.len() * chips * words];
        let mut hops = Vec::with_capacity(controllers.len() * chips);
        for [from_row, from_column] in controllers {
            for (row, column) in (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))) {
                let mask = &mut masks[hops.len() * words..][..words];
                let first = *from_row as usize * (columns as usize - 1);
                let in_row = *from_column.min(&column) as usize..*from_column.max(&column) as usize;
                let second = along_rows + column as usize * (rows as usize - 1);
                let in_column = *from_row.min(&row) as usize..*from_row.max(&row) as usize;
                hops.push((in_row.len() + in_column.len()) as u32);
                for link in in_row.map(|at| first + at).chain(in_column.map(|at| second + at)) {
                    mask[link / 64] |= 1 << (link % 64);
                }
            }
        }
        Ok(Self { chips, words, masks: masks.into(), hops: hops.into() })
    }

    /// Words of a mask of links.
    pub(super) fn words(&self) -> usize {
        self.words
    }

    /// Number of chips.
    pub(super) fn chips(&self) -> usize {
        self.chips
    }

    /// A bit for each link of a way.
    #[inline]
    pub(super) fn mask(&self, controller: u32, chip: u32) -> &[u64] {
        let way = controller as usize * self.chips + chip as usize;
        &self.masks[way * self.words..][..self.words]
    }

    /// Links of a way.
    #[inline]
    pub(super) fn hops(&self, controller: u32, chip: u32) -> u32 {
        self.hops[controller as usize * self.chips + chip as usize]
    }
}

/// Whether two masks have a link in common.
#[inline]
pub(super) fn overlap(one: &[u64], other: &[u64]) -> bool {
    one.iter().zip(other).any(|(one, other)| one & other != 0)
}

/// The bits of a mask that are set, in ascending order.
pub(super) fn bits(mask: &[u64]) -> impl Iterator<Item = usize> {
    mask.iter().enumerate().flat_map(|(word, bits)| {
        let mut left = *bits;
        std::iter::from_fn(move || {
            let bit = (left != 0).then(|| left.trailing_zeros() as usize)?;
            left &= left - 1;
            Some(word * 64 + bit)
        })
    })
}
