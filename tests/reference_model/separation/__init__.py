"""Data kept apart: `ftl.separation` (docs/model.md, 4.34 to 4.37g)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reference_model.own import Named
from reference_model.separation.by_age import SepBit
from reference_model.separation.by_future import FutureKnowledge
from reference_model.separation.by_region import Dac
from reference_model.separation.by_request import Eti, Fadac, Sfr
from reference_model.separation.classes import ByLifetime, ByStream, TranslationApart
from reference_model.separation.open_blocks import Separation
from reference_model.separation.own import OwnClasses

if TYPE_CHECKING:
    from reference_model.configuration import Table
    from reference_model.drive import Drive


def make(drive: Drive) -> Separation | None:
    """Return the separation that the configuration names; none for `none`."""
    table = drive.config.separation
    kind = table.choice("kind", ("none", *_MAKERS))
    if kind == "none" and drive.geometry.translation is not None:
        return Separation(drive, TranslationApart(), host=2, relocated=1)
    return None if kind == "none" else _MAKERS[kind](drive, table)


def _at_least_1(table: Table, key: str, default: int) -> int:
    number = table.whole(key, default)
    if number < 1:
        raise ValueError(f"ftl.separation.{key} is at least 1")
    return number


def _open_blocks(table: Table, default: int) -> int:
    count = table.whole("open_blocks", default)
    if not 2 <= count <= 8:
        raise ValueError("ftl.separation has from 2 to 8 open blocks")
    return count


def _relocated(table: Table, count: int) -> int:
    by_class = table.choice("relocated", ("together", "by-class"), "together") == "by-class"
    return count if by_class else 1


def _by_stream(drive: Drive, table: Table) -> Separation:
    count = _open_blocks(table, 4)
    return Separation(drive, ByStream(), host=count, relocated=_relocated(table, count))


def _by_lifetime(drive: Drive, table: Table) -> Separation:
    count = _open_blocks(table, 4)
    base = table.whole("base") if table.has("base") else None
    if base is not None and base < 2:
        raise ValueError("ftl.separation.base is at least 2")
    lifetimes = ByLifetime(count, base, drive.geometry.user_pages)
    return Separation(drive, lifetimes, host=count, relocated=_relocated(table, count))


def _dac(drive: Drive, table: Table) -> Separation:
    count = _open_blocks(table, 6)
    return Separation(drive, Dac(count), host=count, relocated=count)


def _eti(drive: Drive, table: Table) -> Separation:
    eti = Eti(_at_least_1(table, "extents", 1024), _at_least_1(table, "halving", 4096))
    return Separation(drive, eti, host=2, relocated=1)


def _sfr(drive: Drive, table: Table) -> Separation:
    count = _open_blocks(table, 5)
    chunk, decay = _at_least_1(table, "chunk_pages", 512), _at_least_1(table, "decay", 16_384)
    return Separation(drive, Sfr(count, chunk, decay, drive.geometry.user_pages), host=count, relocated=1)


def _fadac(drive: Drive, table: Table) -> Separation:
    count = _open_blocks(table, 6)
    return Separation(drive, Fadac(drive, count), host=count, relocated=count)


def _sepbit(drive: Drive, table: Table) -> Separation:
    return Separation(drive, SepBit(drive, _at_least_1(table, "lifespans", 16)), host=2, relocated=4)


def _future_knowledge(drive: Drive, table: Table) -> Separation:
    count = _open_blocks(table, 6)
    span = _at_least_1(table, "span", drive.geometry.pages_per_block * drive.geometry.planes)
    return Separation(drive, FutureKnowledge(drive, count, span), host=count, relocated=count)


def _own(drive: Drive, table: Table) -> Separation:
    host, relocated = table.whole("open_blocks", 2), table.whole("relocated_open_blocks", 1)
    if not (2 <= host <= 8 and 1 <= relocated <= 8):
        raise ValueError("ftl.separation has from 2 to 8 open blocks, and from 1 to 8 for relocated pages")
    own = OwnClasses(drive, Named(drive, table, "classify"), host, relocated)
    return Separation(drive, own, host=host, relocated=relocated)


_MAKERS = {
    "by-stream": _by_stream,
    "by-lifetime": _by_lifetime,
    "dac": _dac,
    "eti": _eti,
    "sfr": _sfr,
    "fadac": _fadac,
    "sepbit": _sepbit,
    "future-knowledge": _future_knowledge,
    "python": _own,
}
