"""Data kept apart: `ftl.separation` (docs/model.md, 4.34 to 4.37c)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reference_model.own import Named
from reference_model.separation.by_age import SepBit
from reference_model.separation.by_future import FutureKnowledge
from reference_model.separation.by_region import Dac
from reference_model.separation.classes import ByLifetime, ByStream
from reference_model.separation.open_blocks import Separation
from reference_model.separation.own import OwnClasses

if TYPE_CHECKING:
    from reference_model.configuration import Table
    from reference_model.drive import Drive


def make(drive: Drive) -> Separation | None:
    """Return the separation that the configuration names; none for `none`."""
    table = drive.config.separation
    kinds = ("none", "by-stream", "by-lifetime", "dac", "sepbit", "future-knowledge", "python")
    kind = table.choice("kind", kinds)
    if kind == "none":
        return None
    if kind == "sepbit":
        return Separation(drive, SepBit(drive, _at_least_1(table, "lifespans", 16)), host=2, relocated=4)
    if kind == "python":
        return _own(drive, table)
    count = table.whole("open_blocks", 4 if kind.startswith("by-") else 6)
    if not 2 <= count <= 8:
        raise ValueError("ftl.separation has from 2 to 8 open blocks")
    if kind == "dac":
        return Separation(drive, Dac(count), host=count, relocated=count)
    if kind == "future-knowledge":
        span = _at_least_1(table, "span", drive.geometry.pages_per_block * drive.geometry.planes)
        return Separation(drive, FutureKnowledge(drive, count, span), host=count, relocated=count)
    by_class = table.choice("relocated", ("together", "by-class"), "together") == "by-class"
    base = table.whole("base") if table.has("base") else None
    if base is not None and base < 2:
        raise ValueError("ftl.separation.base is at least 2")
    relocated = count if by_class else 1
    lifetimes = ByLifetime(count, base, drive.geometry.user_pages)
    classes = ByStream() if kind == "by-stream" else lifetimes
    return Separation(drive, classes, host=count, relocated=relocated)


def _at_least_1(table: Table, key: str, default: int) -> int:
    number = table.whole(key, default)
    if number < 1:
        raise ValueError(f"ftl.separation.{key} is at least 1")
    return number


def _own(drive: Drive, table: Table) -> Separation:
    host, relocated = table.whole("open_blocks", 2), table.whole("relocated_open_blocks", 1)
    if not (2 <= host <= 8 and 1 <= relocated <= 8):
        raise ValueError("ftl.separation has from 2 to 8 open blocks, and from 1 to 8 for relocated pages")
    own = OwnClasses(drive, Named(drive, table, "classify"), host, relocated)
    return Separation(drive, own, host=host, relocated=relocated)
