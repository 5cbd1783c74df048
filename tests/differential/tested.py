"""The random runs of `make test`: each rule of docs/model.md is exercised in ten of them or more."""

from __future__ import annotations

from differential.coverage import Coverage
from differential.search import search

RUNS = 300
"""Cases of any kind, of the seeds from 0 on."""
MORE = {
    "gc.trigger.of=drive": 40,
    "gc.concurrency.kind=channels": 48,
    "gc.concurrency.gate_memory=until-drained": 12,
    "gc.relocation.kind=coupled": 72,
    "gc.relocation.admission=future": 40,
    "gc.relocation.destination=chip": 64,
    "gc.relocation.kind=buffered": 96,
    "gc.relocation.kind=copyback-odd-even": 16,
    "gc.deferral.kind=dgc": 24,
    "redundancy.read_around=true": 16,
    "ftl.separation.relocated=by-class": 32,
    "ftl.slc_cache.kind=static": 48,
    "ftl.superblock": 40,
    "flash.program_unit=word-line warmup.padding=by-arrival": 40,
}
"""Seeds of further cases which have settings that chance draws too seldom."""
_FROM = 100_000


def search_all(coverage: Coverage) -> None:
    """Compare on all of them.

    Raises:
        DifferenceError: with the smallest case found.
    """
    search(range(RUNS), coverage)
    for setting, seeds in MORE.items():
        search(range(_FROM, _FROM + seeds), coverage, setting.split())
