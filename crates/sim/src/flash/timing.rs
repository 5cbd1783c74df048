//! How long an operation occupies channel and array, from the configured times and the channel's rate.

use super::array_times::ArrayTimes;
use super::cache_blocks::static_cache;
use crate::settings::{BufferPath, Config, LevelOrder, TimesByWear};
use crate::time::Nanos;

/// Times of one drive, ready for the event loop.
#[derive(Debug, Clone)]
pub struct Timing {
    /// Times of the array for blocks that were erased as often as all of them before the drive was filled; without
    /// `flash.wear` for all.
    array: ArrayTimes,
    /// Those of blocks by how often they were erased, in ascending order, from no erases on.
    by_wear: Box<[ArrayTimes]>,
    /// Those of blocks of the SLC cache, if there is one.
    cache: Option<ArrayTimes>,
    /// Command and address cycles of a read, per plane.
    pub read_command: Nanos,
    /// Command and address cycles of a program, per plane.
    pub program_command: Nanos,
    /// Command and address cycles of an erase, per plane.
    pub erase_command: Nanos,
    /// What each further plane of a multi-plane read adds on the channel.
    pub read_further_plane: Nanos,
    /// What each further plane of a multi-plane program adds on the channel, beside its data.
    pub program_further_plane: Nanos,
    /// What each further plane of a multi-plane erase adds on the channel.
    pub erase_further_plane: Nanos,
    /// What a page of the host takes longer on the channel than its data alone.
    pub host_buffer: Nanos,
    /// What a page of the host takes in the controller, off the channel, to pass its buffer memory.
    pub passage: Nanos,
    /// From the decision to suspend to the array being free.
    pub suspend: Nanos,
    /// Extra array time of a resumed operation.
    pub resume: Nanos,
    /// Data bits per second of all data lines of a channel together.
    bits_per_second: u64,
    page_bytes: u32,
    page_data: Nanos,
    granularity: u32,
    partial_programs: bool,
    levels: u32,
    pages_per_word_line: u32,
    order: LevelOrder,
    parts_of_page: u32,
}

impl Timing {
    /// The times a checked configuration describes.
    pub fn new(config: &Config) -> Self {
        let flash = &config.flash;
        let channel = &config.channel;
        let levels = flash.cell.levels();
        let command =
            |cycles: u32, overhead: Nanos| Nanos(u64::from(cycles) * channel.command_cycle.0.0) + overhead;
        let commands = &channel.commands;
        let page_bytes = config.geometry.mapped().0 as u32;
        let read_command = command(commands.read_cycles, commands.read_overhead.0);
        let program_command = command(commands.program_cycles, commands.program_overhead.0);
        let erase_command = command(commands.erase_cycles, commands.erase_overhead.0);
        let host_buffer = channel.host_buffer.map_or(Nanos(0), |time| time.0);
        let off_channel = channel.host_buffer_path == Some(BufferPath::Controller);
        let pages_per_word_line = flash.pages_per_word_line.unwrap_or(levels);
        let parts_of_page = config.geometry.parts_of_page();
        let level_of_pages: Vec<_> = (0..config.geometry.pages_per_block * parts_of_page)
            .map(|page| level(page / parts_of_page, levels, pages_per_word_line, flash.level_order))
            .collect();
        let at_start = TimesByWear::of(&flash.wear, flash.initial_erases);
        let array = ArrayTimes::new(flash, at_start, &level_of_pages);
        let mut timing = Self {
            cache: static_cache(config).map(|cache| array.in_single_level_mode(&cache)),
            array,
            by_wear: ArrayTimes::by_wear(flash, &level_of_pages),
            read_command,
            program_command,
            erase_command,
            read_further_plane: commands.read_further_plane.map_or(read_command, |time| time.0),
            program_further_plane: commands.program_further_plane.map_or(program_command, |time| time.0),
            erase_further_plane: commands.erase_further_plane.map_or(erase_command, |time| time.0),
            partial_programs: channel.partial_programs,
            host_buffer: if off_channel { Nanos(0) } else { host_buffer },
            passage: if off_channel { host_buffer } else { Nanos(0) },
            suspend: flash.suspend.t_suspend.0,
            resume: flash.suspend.t_resume.0,
            bits_per_second: channel.rate.0 * u64::from(channel.width_bits),
            page_bytes,
            page_data: Nanos(0),
            granularity: channel.granularity.map_or(page_bytes, |g| g.0.min(u64::from(page_bytes)) as u32),
            levels,
            pages_per_word_line,
            order: flash.level_order,
            parts_of_page,
        };
        timing.page_data = timing.on_channel(u64::from(page_bytes));
        timing
    }

    /// Time of `bytes` on the channel, computed in one go and rounded once, to the nearest nanosecond.
    fn on_channel(&self, bytes: u64) -> Nanos {
        let scaled = bytes * 8 * 1_000_000_000;
        Nanos((scaled + self.bits_per_second / 2) / self.bits_per_second)
    }

    /// Time of a page's `bytes` on the channel, in whole units of the transfer granularity.
    #[inline]
    pub fn data(&self, bytes: u32) -> Nanos {
        if bytes >= self.page_bytes || self.granularity >= self.page_bytes {
            return self.page_data;
        }
        let moved = bytes.next_multiple_of(self.granularity).min(self.page_bytes);
        self.on_channel(u64::from(moved))
    }

    /// Time of the data of a program whose page got `bytes` new bytes.
    #[inline]
    pub fn program_data(&self, bytes: u32) -> Nanos {
        if self.partial_programs { self.data(bytes) } else { self.page_data }
    }

    /// Level of a page in the cells of its word line: 0 is the fastest (SLC-like) level.
    #[inline]
    pub fn level(&self, page_in_block: u32) -> u32 {
        level(page_in_block / self.parts_of_page, self.levels, self.pages_per_word_line, self.order)
    }

    /// tR and tPROG of each page level, ns, the fastest first: their sum is the array time of relocating a page to one
    /// of the same level.
    pub fn by_level(&self) -> &[(Nanos, Nanos)] {
        self.array.by_level()
    }

    /// tR of a page, of a block with the erases of the start.
    #[inline]
    pub fn t_read(&self, page_in_block: u32) -> Nanos {
        self.array.t_read(page_in_block)
    }

    /// tPROG of a page, of a block with the erases of the start.
    #[inline]
    pub fn t_program(&self, page_in_block: u32) -> Nanos {
        self.array.t_program(page_in_block)
    }

    /// tBERS of a block with the erases of the start.
    #[inline]
    pub fn t_erase(&self) -> Nanos {
        self.array.erase
    }

    /// What each repetition of a read adds, if not tR of the page, of a block with the erases of the start.
    #[inline]
    pub fn t_retry(&self) -> Option<Nanos> {
        self.array.retry
    }

    /// Times of the array of a block by itself: whether it belongs to the SLC cache, and how often it was erased.
    pub fn of_block(&self, is_cached: bool, erases: u32) -> &ArrayTimes {
        match &self.cache {
            Some(cache) if is_cached => cache,
            _ => ArrayTimes::of(&self.by_wear, erases),
        }
    }

    /// Unloaded latency of reading page 0 whole: command, tR, data out.
    pub fn unloaded_read(&self) -> Nanos {
        self.read_command + self.t_read(0) + self.page_data + self.host_buffer + self.passage
    }

    /// Unloaded latency of programming page 0: command, data in, tPROG.
    pub fn unloaded_program(&self) -> Nanos {
        self.passage + self.program_command + self.page_data + self.host_buffer + self.t_program(0)
    }

    /// Unloaded latency of an erase: command, tBERS.
    pub fn unloaded_erase(&self) -> Nanos {
        self.erase_command + self.t_erase()
    }
}

/// Level of a page of flash.
#[inline]
fn level(page_in_block: u32, levels: u32, pages_per_word_line: u32, order: LevelOrder) -> u32 {
    if levels == 1 {
        return 0;
    }
    let in_word_line = page_in_block % pages_per_word_line;
    match order {
        LevelOrder::LevelMajor => in_word_line * levels / pages_per_word_line,
        LevelOrder::Interleaved => in_word_line % levels,
    }
}
