"""What drawing a random drive is made of: shares, times, settings that may be absent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

Section = dict[str, Any]
"""A table of a device file."""
MILLION = 1_000_000
LEVELS = {"SLC": 1, "MLC": 2, "TLC": 3, "QLC": 4}
TIES = ["rotating", "lowest", "random"]


def asks_for_both(only: Sequence[str], one: str, *others: str) -> bool:
    """Whether a setting is asked for together with one of others.

    What could not be combined when seeds were chosen is drawn then alone: all other seeds keep their drives.

    >>> asks_for_both(["a.b=1", "c.d"], "a.b", "c.", "e."), asks_for_both(["a.b=1"], "a.b", "c.")
    (True, False)
    """

    def asked(key: str) -> bool:
        return any(setting.startswith(key) for setting in only)

    return asked(one) and any(map(asked, others))


def times(*common_ns: int, least: int = 0, crowded: bool = False) -> st.SearchStrategy[str]:
    """A length of time: one of few, so that things end together, or any."""
    few = st.sampled_from(common_ns)
    some = few if crowded else st.one_of(few, st.integers(least, 4 * max(common_ns)))
    return some.map(lambda ns: f"{ns}ns")


def sometimes(draw: st.DrawFn, section: Section, **values: st.SearchStrategy[Any]) -> None:
    """Give each key a value in one case of two."""
    for key, value in values.items():
        if draw(st.booleans()):
            section[key] = draw(value)


def percent(ppm: int) -> str:
    """A share in parts per million as a percentage.

    >>> percent(70_000), percent(123_456)
    ('7.0000%', '12.3456%')
    """
    return f"{ppm // 10_000}.{ppm % 10_000:04}%"


def open_of_classes(section: Section) -> tuple[int, int]:
    """How many blocks are open in a plane for classes of the host, and for those of collection."""
    if section.get("kind") == "sepbit":
        return 2, 4
    if section.get("kind") == "eti":
        return 2, 1
    count, kind = section.get("open_blocks", 0), section.get("kind", "by-stream")
    together = kind.startswith("by-") or kind == "sfr"
    return count, count if not together or section.get("relocated") == "by-class" else 1
