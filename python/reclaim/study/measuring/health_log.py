"""Log pages of a real drive, saved as text or JSON: which one a file is, and what it says was written."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

from reclaim.arguments import text_to_read
from reclaim.errors import InputError
from reclaim.parsing import UnreadableError, json_value, leaves

Side = Literal["host", "media"]
"""Whether a counter has what the host wrote, or all that flash was programmed with."""
MOST_BYTES = 1 << 20
"""No log page has as much."""


class Counter(NamedTuple):
    """A counter of a log page."""

    name: str
    """As the specification of the page names it."""
    unit: int
    """How many bytes it counts as one, rounding up."""
    side: Side


class Page(NamedTuple):
    """A log page that counts what was written."""

    name: str
    counters: tuple[Counter, ...]
    """The first is in no page further down this list: by it, the page is known."""


PAGES = (
    Page(
        "OCP SMART / Health Information Extended (C0h)",
        (Counter("Physical Media Units Written", 1, "media"),),
    ),
    Page(
        "NVMe Endurance Group Information (09h)",
        (
            Counter("Media Units Written", 10**9, "media"),
            Counter("Data Units Written", 10**9, "host"),
        ),
    ),
    Page("NVMe SMART / Health Information (02h)", (Counter("Data Units Written", 512_000, "host"),)),
)
"""Data Units Written has another unit in each page that has it, so that the page must be known first."""


@dataclass(frozen=True)
class HealthLog:
    """What a log page of a drive says was written since the drive was made."""

    file: str
    page: str
    counters: tuple[tuple[Counter, int], ...]
    """Its counters, with their values in units of their own."""

    @classmethod
    def load(cls, file: Path) -> HealthLog:
        """Read what `nvme smart-log`, `nvme endurance-log`, `nvme ocp smart-add-log` or `smartctl` print.

        Raises:
            InputError: if the file cannot be read, or has none of the counters.
        """
        found = _numbers(text_to_read("smart", file, most=MOST_BYTES))
        for page in PAGES:
            if _key(page.counters[0].name) in found:
                values = ((each, found.get(_key(each.name))) for each in page.counters)
                known = tuple((each, value) for each, value in values if value is not None)
                return cls(str(file), page.name, known)
        names = (f"{page.counters[0].name} of {page.name}" for page in PAGES)
        raise InputError(
            f"{file}: has no counter of a log page that is known: {'; '.join(names)}. Save one with nvme "
            "smart-log, nvme endurance-log or nvme ocp smart-add-log, as text or JSON"
        )

    def bytes_of(self, side: Side) -> int | None:
        """Give the bytes that the host wrote, or that flash was programmed with; None if it does not say."""
        return next((value * each.unit for each, value in self.counters if each.side == side), None)


def _key(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")


def _numbers(text: str) -> dict[str, int]:
    """Whole numbers of a log page by their names."""
    found: dict[str, int] = {}
    for name, value in _of_json(text) if text.lstrip().startswith("{") else _of_lines(text):
        found.setdefault(_key(name), value)
    return found


def _of_json(text: str) -> Iterator[tuple[str, int]]:
    try:
        table = json_value(text)
    except UnreadableError:
        return
    for (*above, key), value in leaves(table):
        number = int(value) if isinstance(value, str) and value.isdecimal() else value
        if type(number) is not int:
            continue
        # A counter of 128 bits may be given as two.
        if key == "lo" and above:
            yield above[-1], (int(_at(table, [*above, "hi"])) << 64) + number
        else:
            yield key, number


def _at(table: Mapping[str, Any], path: list[str]) -> Any:
    found: Any = table
    for key in path:
        found = found.get(key, 0) if isinstance(found, Mapping) else 0
    return found if isinstance(found, int) or str(found).isdecimal() else 0


_LINE = re.compile(r"\s*([A-Za-z][\w /()%-]*?)\s*(?::|\s-\s)([^\[(]*)")
"""A name and its value; what follows in brackets is the same for people."""
_NUMBER = re.compile(r"\d+|\d{1,3}(?:[,.'\u00a0\u202f]\d{3})+")


def _of_lines(text: str) -> Iterator[tuple[str, int]]:
    for line in text.splitlines():
        match = _LINE.match(line)
        words = re.split(r"[ \t]+", match[2].strip(" \t")) if match else []
        if match is None or not words or not all(map(_NUMBER.fullmatch, words[:2])):
            continue
        upper, *lower = (int(re.sub(r"\D", "", word)) for word in words[:2])
        # A counter of 128 bits may be given as two.
        yield match[1], (upper << 64) + lower[0] if lower else upper
