"""Unloaded latencies and bandwidth from the numbers of a data sheet. Times are in ns.

ONFI 5.1: a read is command and address cycles, tR, data out; a program is cycles, data in, tPROG; an erase is
cycles, tBERS. Data of one page moves as a whole at `rate` transfers per second on `width_bits` data lines.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Timing:
    """The numbers; command times are those of all cycles of a command together."""

    page_bytes: int
    transfers_per_second: int
    t_read: int
    t_program: int
    t_erase: int
    width_bits: int = 8
    read_command: int = 0
    program_command: int = 0
    erase_command: int = 0
    host_buffer: int = 0
    """What a page of the host takes longer on the channel."""

    @property
    def data(self) -> int:
        """A page on the data lines, rounded once, to the nearest ns.

        >>> Timing(4096, 333_000_000, 75_000, 750_000, 3_800_000).data
        12300
        """
        seconds = Fraction(8 * self.page_bytes, self.width_bits * self.transfers_per_second)
        return int(seconds * 10**9 + Fraction(1, 2))

    def _carried(self, command: int) -> int:
        """How long the channel carries a command and a page of the host."""
        return command + self.data + self.host_buffer

    @property
    def read(self) -> int:
        """Reading a page from an idle drive.

        >>> Timing(4096, 10**9, 75_000, 750_000, 3_800_000, read_command=7).read
        79103
        """
        return self.t_read + self._carried(self.read_command)

    @property
    def program(self) -> int:
        """Programming a page of an idle drive."""
        return self._carried(self.program_command) + self.t_program

    @property
    def erase(self) -> int:
        """Erasing a block of an idle drive."""
        return self.erase_command + self.t_erase

    @property
    def read_bytes_per_s(self) -> float:
        """What a channel carries when dies always wait for it: a page per command and data time."""
        return self.page_bytes * 1e9 / self._carried(self.read_command)

    @property
    def program_bytes_per_s(self) -> float:
        """The same for programs."""
        return self.page_bytes * 1e9 / self._carried(self.program_command)

    @property
    def dies_to_fill_the_channel(self) -> tuple[float, float]:
        """Dies that keep a channel busy by reading, and by programming."""
        return (
            self.read / self._carried(self.read_command),
            self.program / self._carried(self.program_command),
        )
