//! The flash array's dimensions, and arithmetic between the numbers of its parts; which planes share superblocks.

use strength_reduce::StrengthReducedU32;

use super::cache_blocks::CacheBlocks;
use super::parity_rows::ParityRows;
use super::stripes::Stripes;
use super::translation_pages::TranslationPages;
use crate::ids::{BlockId, ChannelId, ChipId, DieId, PlaneId, Ppn};
use crate::settings::{Config, ConfigError, Size, Superblock};

/// Most physical pages of a drive. Numbers from here up stand for "none" and for pages in the controller's buffer.
pub const MAX_PAGES: u32 = u32::MAX - (1 << 24) + 1;

/// Most pages that one program covers.
pub const MOST_UNIT_PAGES: u32 = 32;

/// Dimensions, all non-zero, with totals that fit `u32`.
#[derive(Debug, Clone)]
pub struct Geometry {
    /// Number of channels between controller and chips.
    pub channels: u32,
    /// Number of chips on each channel, which share it.
    pub chips_per_channel: u32,
    /// Number of dies in each chip.
    pub dies_per_chip: u32,
    /// Number of planes in each die.
    pub planes_per_die: u32,
    /// Number of planes that share one LUN, which does one operation at a time: a die's planes, or the whole chip's
    /// where its dies do not overlap. [`DieId`] numbers these LUNs.
    pub planes_per_lun: u32,
    /// Number of blocks in each plane.
    pub blocks_per_plane: u32,
    /// Number of pages in each block. Where a page of flash is mapped in parts, these are what is called a page here
    /// and wherever else nothing is said of flash.
    pub pages_per_block: u32,
    /// Number of pages that one program of a plane covers, n: 1, or the pages of a word line; times the parts.
    pub unit_pages: u32,
    /// Number of pages that make up a page of flash, k: 1, or the parts that it is mapped in.
    pub parts_of_page: u32,
    /// User data of a page, bytes.
    pub page_bytes: u32,
    /// Number of pages of the user capacity, U.
    pub logical_pages: u32,
    /// Number of pages that are stored: those of the user, with redundancy their parity, and translation pages.
    pub stored_pages: u32,
    /// How pages of data and parity lie on chips, where redundancy makes stripes.
    pub stripes: Option<Stripes>,
    /// Pages that hold the mapping, where it does not all lie in memory.
    pub translation: Option<TranslationPages>,
    /// Which blocks of each plane are an SLC cache's, if there is one.
    pub cache: Option<CacheBlocks>,
    /// Number of planes that share superblocks; 1 where each plane has its own blocks.
    pub superblock_planes: u32,
    /// How parity lies in superblocks, where they have any.
    pub rows: Option<ParityRows>,
    pub(super) by_page: StrengthReducedU32,
    pub(super) by_block: StrengthReducedU32,
    /// Die, chip and channel of each plane: three small tables beat three divisions.
    pub(super) die_of_plane: Box<[DieId]>,
    pub(super) channel_of_die: Box<[ChannelId]>,
}

impl Geometry {
    /// Checks the dimensions of a configuration.
    ///
    /// # Errors
    /// Zero dimensions, more pages than 32 bits count, and a capacity that is not given exactly once.
    pub fn new(config: &Config) -> Result<Self, ConfigError> {
        let g = &config.geometry;
        let dimensions = [
            ("channels", g.channels),
            ("chips_per_channel", g.chips_per_channel),
            ("dies_per_chip", g.dies_per_chip),
            ("planes_per_die", g.planes_per_die),
            ("blocks_per_plane", g.blocks_per_plane),
            ("pages_per_block", g.pages_per_block),
        ];
        let mut pages: u128 = 1;
        for (name, value) in dimensions {
            if value == 0 {
                return Err(ConfigError::at(&format!("geometry.{name}"), "must be at least 1"));
            }
            pages = pages.saturating_mul(u128::from(value));
        }
        let parts = parts_of_page(config)?;
        let pages_per_block = u64::from(g.pages_per_block) * u64::from(parts);
        if pages_per_block > u64::from(u16::MAX) {
            let most = u32::from(u16::MAX) / parts;
            let reason = match parts {
                1 => format!("must be at most {most}"),
                _ => format!(
                    "must be at most {most} where geometry.mapping_unit makes {parts} parts of each page"
                ),
            };
            return Err(ConfigError::at("geometry.pages_per_block", &reason));
        }
        let pages_per_block = pages_per_block as u32;
        pages = pages.saturating_mul(u128::from(parts));
        if pages > u128::from(MAX_PAGES) {
            let reason = format!(
                "{pages} physical pages, but a drive may have at most {MAX_PAGES} (2^32 - 2^24); \
                 use larger pages or fewer blocks"
            );
            return Err(ConfigError::at("geometry", &reason));
        }
        let page_bytes = page_bytes("geometry.page_size", g.page_size)? / parts;
        let planes = g.channels * g.chips_per_channel * g.dies_per_chip * g.planes_per_die;
        let usable_pages = usable_pages(config, pages as u32, page_bytes)?;
        let stripes = Stripes::new(config, usable_pages, g.user_capacity.is_some())?;
        let superblock_planes = superblock_planes(config, pages_per_block)?;
        let rows = ParityRows::new(config, superblock_planes)?;
        let data = match rows {
            Some(rows) if g.user_capacity.is_none() => rows.data_of(usable_pages),
            _ => usable_pages,
        };
        let stored = match (&stripes, rows) {
            (Some(stripes), _) => stripes.stored_pages(),
            (None, Some(rows)) => u64::from(data) + u64::from(rows.parity_of(data)),
            (None, None) => u64::from(data),
        };
        let translation = TranslationPages::new(config, data, page_bytes)?;
        let stored = stored + translation.map_or(0, |pages| u64::from(pages.count));
        if stored > pages as u64 {
            let reason = "with its parity or its mapping, this is more than the drive has; lower it";
            return Err(ConfigError::at("geometry.user_capacity", reason));
        }
        let planes_per_lun =
            if config.flash.dies_overlap { g.planes_per_die } else { g.planes_per_die * g.dies_per_chip };
        let die_of_plane = (0..planes).map(|plane| DieId(plane / planes_per_lun)).collect();
        let dies = planes / planes_per_lun;
        let dies_per_channel = dies / g.channels;
        Ok(Self {
            channels: g.channels,
            chips_per_channel: g.chips_per_channel,
            dies_per_chip: g.dies_per_chip,
            planes_per_die: g.planes_per_die,
            planes_per_lun,
            blocks_per_plane: g.blocks_per_plane,
            pages_per_block,
            unit_pages: unit_pages(config, parts)?,
            parts_of_page: parts,
            page_bytes,
            logical_pages: stripes.as_ref().map_or(data, Stripes::user_pages),
            stored_pages: stored as u32,
            stripes,
            rows,
            translation,
            cache: CacheBlocks::new(config),
            superblock_planes,
            by_page: StrengthReducedU32::new(pages_per_block),
            by_block: StrengthReducedU32::new(g.blocks_per_plane),
            die_of_plane,
            channel_of_die: (0..dies).map(|die| ChannelId(die / dies_per_channel)).collect(),
        })
    }

    /// Number of pages that collecting a full block with `valid` valid pages wins: whole program units.
    #[inline]
    pub fn reclaimable(&self, valid: u32) -> u32 {
        let invalid = self.pages_per_block - valid;
        if self.unit_pages == 1 { invalid } else { invalid / self.unit_pages * self.unit_pages }
    }

    /// How that grew when the last of its pages became invalid.
    #[inline]
    pub fn reclaimable_by_one(&self, valid: u32) -> u32 {
        if self.unit_pages == 1 { 1 } else { self.reclaimable(valid) - self.reclaimable(valid + 1) }
    }

    /// Planes in the drive.
    #[inline]
    pub fn planes(&self) -> u32 {
        self.die_of_plane.len() as u32
    }

    /// Dies in the drive that can work at the same time.
    #[inline]
    pub fn dies(&self) -> u32 {
        self.channel_of_die.len() as u32
    }

    /// Blocks in the drive.
    #[inline]
    pub fn blocks(&self) -> u32 {
        self.planes() * self.blocks_per_plane
    }

    /// Physical pages in the drive.
    #[inline]
    pub fn pages(&self) -> u32 {
        self.blocks() * self.pages_per_block
    }

    /// The block a page lies in.
    #[inline]
    pub fn block_of(&self, page: Ppn) -> BlockId {
        BlockId(page.0 / self.by_page)
    }

    /// The number of a page inside its block.
    #[inline]
    pub fn page_in_block(&self, page: Ppn) -> u32 {
        page.0 % self.by_page
    }

    /// The number inside its block of the page of flash that a page is, or is a part of.
    #[inline]
    pub fn flash_page_in_block(&self, page: Ppn) -> u32 {
        let number = self.page_in_block(page);
        if self.parts_of_page == 1 { number } else { number / self.parts_of_page }
    }

    /// The page with number `page` inside `block`.
    #[inline]
    pub fn page(&self, block: BlockId, page: u32) -> Ppn {
        debug_assert!(page < self.pages_per_block);
        Ppn(block.0 * self.pages_per_block + page)
    }

    /// The plane a block lies in.
    #[inline]
    pub fn plane_of(&self, block: BlockId) -> PlaneId {
        PlaneId(block.0 / self.by_block)
    }

    /// Number of blocks of each plane that are no SLC cache's: the first.
    #[inline]
    pub fn ordinary_blocks(&self) -> u32 {
        self.blocks_per_plane - self.cache.map_or(0, |cache| cache.blocks)
    }

    /// Whether a block is the SLC cache's.
    #[inline]
    pub fn is_cache_block(&self, block: BlockId) -> bool {
        self.cache.is_some() && block.0 % self.by_block >= self.ordinary_blocks()
    }

    /// Number of pages of a block that one program covers: where it is the SLC cache's, those of a page of flash.
    #[inline]
    pub fn unit_pages_of(&self, block: BlockId) -> u32 {
        if self.is_cache_block(block) { self.parts_of_page } else { self.unit_pages }
    }

    /// Number of pages that a block holds: fewer where it is the SLC cache's.
    #[inline]
    pub fn pages_of(&self, block: BlockId) -> u32 {
        let cache = self.cache.filter(|_| self.is_cache_block(block));
        cache.map_or(self.pages_per_block, |cache| cache.pages_per_block)
    }

    /// The first block of a plane.
    #[inline]
    pub fn first_block(&self, plane: PlaneId) -> BlockId {
        BlockId(plane.0 * self.blocks_per_plane)
    }

    /// The die a plane lies in.
    #[inline]
    pub fn die_of(&self, plane: PlaneId) -> DieId {
        self.die_of_plane[plane.index()]
    }

    /// The first plane of a die.
    #[inline]
    pub fn first_plane(&self, die: DieId) -> PlaneId {
        PlaneId(die.0 * self.planes_per_lun)
    }

    /// All planes of a die.
    #[inline]
    pub fn planes_of(&self, die: DieId) -> std::ops::Range<u32> {
        let first = self.first_plane(die).0;
        first..first + self.planes_per_lun
    }

    /// The planes that can share a multi-plane operation with `plane`: those of its die, also where the dies of a
    /// chip do not overlap.
    #[inline]
    pub fn partners_of(&self, plane: PlaneId) -> std::ops::Range<u32> {
        let first = plane.0 / self.planes_per_die * self.planes_per_die;
        first..first + self.planes_per_die
    }

    /// The channel that connects a die's chip to the controller.
    #[inline]
    pub fn channel_of(&self, die: DieId) -> ChannelId {
        self.channel_of_die[die.index()]
    }

    /// Number of chips of all channels.
    #[inline]
    pub fn chips(&self) -> u32 {
        self.channels * self.chips_per_channel
    }

    /// The chip a die lies in.
    #[inline]
    pub fn chip_of(&self, die: DieId) -> ChipId {
        ChipId(self.first_plane(die).0 / (self.planes_per_die * self.dies_per_chip))
    }

    /// Number of pages beyond those that are stored.
    pub fn spare_pages(&self) -> u32 {
        self.pages() - self.stored_pages
    }

    /// Spare pages as a share of all pages; (T - U) / T without parity.
    pub fn spare_factor(&self) -> f64 {
        f64::from(self.spare_pages()) / f64::from(self.pages())
    }

    /// Spare pages as a share of the stored ones; (T - U) / U without parity.
    pub fn over_provisioning(&self) -> f64 {
        f64::from(self.spare_pages()) / f64::from(self.stored_pages)
    }
}

/// Bytes of a page or of a part of it.
fn page_bytes(key: &str, size: Size) -> Result<u32, ConfigError> {
    let bytes = u32::try_from(size.0).ok();
    bytes
        .filter(|bytes| *bytes >= 512 && bytes.is_multiple_of(512) && *bytes <= 1 << 20)
        .ok_or_else(|| ConfigError::at(key, "must be a multiple of 512B, up to 1MiB"))
}

/// Number of parts that a page of flash is mapped in.
fn parts_of_page(config: &Config) -> Result<u32, ConfigError> {
    const KEY: &str = "geometry.mapping_unit";
    let g = &config.geometry;
    let Some(unit) = g.mapping_unit else { return Ok(1) };
    let (page, part) = (page_bytes("geometry.page_size", g.page_size)?, page_bytes(KEY, unit)?);
    if !page.is_multiple_of(part) {
        let reason = format!(
            "{unit} does not divide geometry.page_size = \"{}\"; use a half or a quarter of that, or leave \
             it out to map whole pages",
            g.page_size
        );
        return Err(ConfigError::at(KEY, &reason));
    }
    let of_line = if config.flash.programs_word_lines() { config.flash.cell.levels() } else { 1 };
    let most = MOST_UNIT_PAGES / of_line;
    if page / part > most {
        let can_be = |parts: &u32| page.is_multiple_of(*parts) && (page / parts).is_multiple_of(512);
        let parts = (1..=most).rev().find(can_be).unwrap_or(1);
        let reason = format!(
            "{unit} makes {} parts of a page, but a program covers {MOST_UNIT_PAGES} parts at most{}; use \
             \"{}\"",
            page / part,
            if of_line > 1 {
                format!(", those of {of_line} pages here (flash.program_unit)")
            } else {
                String::new()
            },
            Size(u64::from(page / parts))
        );
        return Err(ConfigError::at(KEY, &reason));
    }
    Ok(page / part)
}

/// Number of pages that one program of a plane covers, each page of flash having so many parts.
fn unit_pages(config: &Config, parts: u32) -> Result<u32, ConfigError> {
    let (flash, pages) = (&config.flash, config.geometry.pages_per_block);
    let levels = flash.cell.levels();
    if !flash.programs_word_lines() {
        return Ok(parts);
    }
    let refused = |reason: String| Err(ConfigError::at("flash.program_unit", &reason));
    if flash.pages_per_word_line.is_some_and(|pages| pages != levels) {
        return refused(format!(
            "word-line: a word line of several columns of pages is not programmed at once; leave out \
             flash.pages_per_word_line, which is {levels} then"
        ));
    }
    if !pages.is_multiple_of(levels) {
        let whole = pages / levels * levels;
        return refused(format!(
            "word-line: {pages} pages are no whole number of word lines of {levels}; use \
             geometry.pages_per_block = {}",
            if whole == 0 { levels } else { whole }
        ));
    }
    Ok(levels * parts)
}

/// Number of pages that the host or, where the key gives a share of spare pages, all that is stored may take.
fn usable_pages(config: &Config, pages: u32, page_bytes: u32) -> Result<u32, ConfigError> {
    let g = &config.geometry;
    let logical = match (g.user_capacity, g.over_provisioning, g.spare_factor) {
        (Some(capacity), None, None) => capacity.0 / u64::from(page_bytes),
        (None, Some(op), None) => u64::from(pages) * 1_000_000 / (1_000_000 + u64::from(op.ppm)),
        (None, None, Some(spare)) if spare.ppm < 1_000_000 => u64::from(pages) - spare.of(u64::from(pages)),
        (None, None, Some(_)) => {
            return Err(ConfigError::at("geometry.spare_factor", "must be below 100%"));
        }
        (None, None, None) => {
            let reason = "how much the host sees is not given; add one of \
                          user_capacity = \"60GiB\", over_provisioning = \"7%\", spare_factor = \"7%\"";
            return Err(ConfigError::at("geometry", reason));
        }
        _ => {
            let reason = "give only one of user_capacity, over_provisioning, spare_factor";
            return Err(ConfigError::at("geometry", reason));
        }
    };
    if logical == 0 {
        let page = Size(u64::from(page_bytes));
        let (key, given) = match (g.user_capacity, g.over_provisioning, g.spare_factor) {
            (Some(capacity), ..) => ("geometry.user_capacity", capacity.to_string()),
            (_, Some(share), _) => ("geometry.over_provisioning", share.to_string()),
            (.., spare) => {
                ("geometry.spare_factor", spare.map(|share| share.to_string()).unwrap_or_default())
            }
        };
        let reason = format!("{given} leaves the host less than a page of {page}; it must see one at least");
        return Err(ConfigError::at(key, &reason));
    }
    if logical > u64::from(pages) {
        let reason = format!("the host would see {logical} pages of a drive that has {pages}");
        return Err(ConfigError::at("geometry.user_capacity", &reason));
    }
    Ok(logical as u32)
}

// Superblocks: which planes share them, and which blocks each has.

impl Geometry {
    /// The first of the planes that share superblocks with one; the plane itself where none do.
    #[inline]
    pub fn first_of_scope(&self, plane: PlaneId) -> PlaneId {
        PlaneId(plane.0 - plane.0 % self.superblock_planes)
    }

    /// The planes that share superblocks with one, itself among them.
    pub fn scope_of(&self, plane: PlaneId) -> impl Iterator<Item = PlaneId> + use<> {
        let first = self.first_of_scope(plane).0;
        (first..first + self.superblock_planes).map(PlaneId)
    }

    /// Number of blocks of a superblock that hold data.
    pub fn data_parts(&self) -> u32 {
        self.rows.map_or(self.superblock_planes, |rows| rows.data_parts())
    }

    /// Whether a block holds parity of the others of its superblock.
    pub fn is_parity_part(&self, block: BlockId) -> bool {
        let number = block.0 % self.blocks_per_plane;
        self.rows.is_some_and(|rows| rows.is_parity(self.plane_of(block), number))
            && !self.is_cache_block(block)
    }

    /// The blocks of a superblock, in the order of their planes.
    pub fn parts_of(&self, superblock: BlockId) -> impl Iterator<Item = BlockId> + use<> {
        let per_plane = self.blocks_per_plane;
        let (scope, number) = (superblock.0 / per_plane, superblock.0 % per_plane);
        let first = scope * self.superblock_planes;
        (first..first + self.superblock_planes).map(move |plane| BlockId(plane * per_plane + number))
    }

    /// The superblock that a block is a part of.
    pub fn superblock_of(&self, block: BlockId) -> BlockId {
        let scope = self.plane_of(block).0 / self.superblock_planes;
        BlockId(scope * self.blocks_per_plane + block.0 % self.blocks_per_plane)
    }

    /// The same drive with a plane for all those that share superblocks, and a block for each superblock, without what
    /// is parity: as victim policies see it.
    #[must_use]
    pub fn of_superblocks(&self) -> Self {
        let scopes = self.planes() / self.superblock_planes;
        let pages_per_block = self.pages_per_block * self.data_parts();
        Self {
            channels: 1,
            chips_per_channel: 1,
            dies_per_chip: 1,
            planes_per_die: scopes,
            planes_per_lun: scopes,
            pages_per_block,
            superblock_planes: 1,
            stored_pages: if self.rows.is_some() { self.logical_pages } else { self.stored_pages },
            rows: None,
            by_page: StrengthReducedU32::new(pages_per_block),
            die_of_plane: vec![DieId(0); scopes as usize].into(),
            channel_of_die: vec![ChannelId(0)].into(),
            ..self.clone()
        }
    }
}

/// Number of planes that share superblocks, each plane with blocks of so many pages.
pub(super) fn superblock_planes(config: &Config, pages_per_block: u32) -> Result<u32, ConfigError> {
    let g = &config.geometry;
    let of_channel = g.chips_per_channel * g.dies_per_chip * g.planes_per_die;
    let planes = match config.ftl.superblock() {
        Superblock::Plane => 1,
        Superblock::Die => g.planes_per_die,
        Superblock::Channel => of_channel,
        Superblock::Whole => of_channel * g.channels,
    };
    let (pages, most) = (u64::from(planes) * u64::from(pages_per_block), u16::MAX);
    if pages > u64::from(most) {
        let reason = format!(
            "a superblock of {planes} planes has {pages} pages, but at most {most} are counted; let fewer \
             planes share one (\"channel\", \"die\"), or have fewer pages in a block \
             (geometry.pages_per_block)"
        );
        return Err(ConfigError::at("ftl.superblock", &reason));
    }
    Ok(planes)
}
