"""How long transfers and array operations take (docs/model.md, 2.6, 2.7 and section 3)."""

from __future__ import annotations

from typing import Any, Protocol

from reference_model import units
from reference_model.array_times import TimesByWear, worn
from reference_model.configuration import Configuration, Table
from reference_model.geometry import Geometry

MOST_UNIT_PAGES = 32
LEVELS = {"SLC": 1, "MLC": 2, "TLC": 3, "QLC": 4}


class Cache(Protocol):
    """What has times of its own (3.9)."""

    t_read: int
    t_program: int

    def has(self, k: int) -> bool:
        """Whether it is one of its blocks."""


class Durations:
    """Times of commands, data and the flash array."""

    def __init__(self, config: Configuration, geometry: Geometry) -> None:
        self.geometry = geometry
        flash, channel, commands = config.flash, config.channel, config.commands
        self.levels = LEVELS[flash.choice("cell", LEVELS, "SLC")]
        self.pages_per_word_line = flash.whole("pages_per_word_line", self.levels)
        if (
            self.pages_per_word_line % self.levels
            or self.pages_per_word_line > geometry.flash_pages_per_block
        ):
            raise ValueError("flash.pages_per_word_line is no multiple of the levels, or more than a block")
        # 2.7: pages
        self.whole_word_lines = flash.choice("program_unit", ("page", "word-line"), "page") == "word-line"
        self.program_unit = geometry.parts * (self.levels if self.whole_word_lines else 1)
        if self.program_unit > MOST_UNIT_PAGES:
            raise ValueError("geometry.mapping_unit makes too many parts")
        self.level_major = (
            flash.choice("level_order", ("level-major", "interleaved"), "level-major") == "level-major"
        )
        self.configured_read = self._by_level(flash.take("t_read"))
        self.configured_program = self._by_level(flash.take("t_program"))
        self.configured_erase = flash.time("t_erase")
        self.wear = TimesByWear(flash)
        # What is not an operation has the factors of the start.
        start = self.wear.of(self.wear.initial_erases)
        self.t_read = [worn(time, start.read) for time in self.configured_read]
        self.t_program = [worn(time, start.program) for time in self.configured_program]
        self.t_erase = worn(self.configured_erase, start.erase)
        self.cache: Cache | None = None  # 3.9

        cycle = channel.time("command_cycle", "25ns")
        self.read_command = _command(commands, "read", 7, cycle)
        self.program_command = _command(commands, "program", 7, cycle)
        self.erase_command = _command(commands, "erase", 5, cycle)
        self.read_further = _further(commands, "read", self.read_command)
        self.program_further = _further(commands, "program", self.program_command)
        self.erase_further = _further(commands, "erase", self.erase_command)
        self.bits_per_second = channel.rate("rate") * channel.whole("width_bits", 8)
        page_size = geometry.page_size
        self.granularity = min(channel.size("granularity", f"{page_size}B"), page_size)
        in_buffer = channel.time("host_buffer", "0ns")
        off_channel = channel.choice("host_buffer_path", ("channel", "controller"), "channel") == "controller"
        if off_channel and not in_buffer:
            raise ValueError("channel.host_buffer_path without a channel.host_buffer")
        self.host_buffer = 0 if off_channel else in_buffer  # 3.4a
        self.passage = in_buffer if off_channel else 0  # 9.21
        self.partial_programs = channel.switch("partial_programs", False)

    def _by_level(self, value: Any) -> list[int]:
        """2.6: one time for all levels, or one for each."""
        if not isinstance(value, list):
            return [units.nanoseconds(value)] * self.levels
        if len(value) != self.levels:
            raise ValueError(f"{value!r} are not {self.levels} times")
        return [units.nanoseconds(time) for time in value]

    def level(self, page: int) -> int:
        """2.6."""
        i = self.geometry.page_in_block(page) // self.geometry.parts % self.pages_per_word_line
        return i * self.levels // self.pages_per_word_line if self.level_major else i % self.levels

    def reading(self, page: int, erases: int) -> int:
        """Return the array time of a read, of a block erased so often."""
        if self.cache is not None and self.cache.has(self.geometry.block_of_page(page)):
            return self.cache.t_read
        return worn(self.configured_read[self.level(page)], self.wear.of(erases).read)

    def programming(self, page: int, erases: int) -> int:
        """Return the array time of a program: of a unit of all levels the longest of them (3.6)."""
        if self.cache is not None and self.cache.has(self.geometry.block_of_page(page)):
            return self.cache.t_program
        times = [worn(time, self.wear.of(erases).program) for time in self.configured_program]
        return max(times) if self.whole_word_lines else times[self.level(page)]

    def erasing(self, erases: int) -> int:
        """Return the array time of an erase."""
        return worn(self.configured_erase, self.wear.of(erases).erase)

    def transfer(self, size: int) -> int:
        """3.2."""
        return (size * 8 * 10**9 + self.bits_per_second // 2) // self.bits_per_second

    def data(self, size: int) -> int:
        """3.3."""
        page_size, grain = self.geometry.page_size, self.granularity
        if size >= page_size or grain == page_size:
            return self.transfer(page_size)
        return self.transfer(min(-(-size // grain) * grain, page_size))


def _command(commands: Table, name: str, cycles: int, cycle: int) -> int:
    """3.1."""
    return commands.whole(f"{name}_cycles", cycles) * cycle + commands.time(f"{name}_overhead", "0ns")


def _further(commands: Table, name: str, first: int) -> int:
    """3.1: absent, a further plane costs as much as the first."""
    return commands.time(f"{name}_further_plane", f"{first}ns")
