"""The random runs of `make test`: few, chosen so that ten or more exercise each rule of docs/model.md.

And so that every two new settings that can go together do so in one of them.

`make rules` does all candidates, and chooses anew.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from differential.coverage import APART, NEW, Coverage, pairs_of
from differential.rules import FEWEST
from differential.search import search

RUNS = 300
"""Candidates of any kind, of the seeds from 0 on."""
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
    "ftl.separation.kind=dac": 34,
    "ftl.separation.kind=sepbit": 32,
    "ftl.separation.kind=eti": 20,
    "ftl.separation.kind=sfr": 20,
    "ftl.separation.kind=fadac": 34,
    "ftl.separation.kind=by-stream": 16,
    "ftl.separation.kind=by-lifetime": 8,
    "ftl.separation.kind=future-knowledge": 44,
    "ftl.slc_cache.kind=static": 48,
    "ftl.mapping_cache.kind=dftl": 16,
    "ftl.mapping_cache.kind=pages": 16,
    "ftl.superblock": 40,
    "ftl.superblock+gc.relocation.kind=copyback": 4,
    "ftl.superblock+ftl.separation.relocated=by-class": 4,
    "flash.multi_plane=same-page|same-page-anywhere+ftl.separation.kind": 4,
    "flash.multi_plane=same-page|same-page-anywhere+ftl.slc_cache.kind=static": 4,
    "redundancy.kind=superblock-parity": 24,
    "redundancy.kind=superblock-parity ftl.superblock flash.program_unit=word-line": 3,
    "redundancy.kind=superblock-parity ftl.superblock ftl.slc_cache.kind=static": 3,
    "redundancy.kind=superblock-parity ftl.superblock ftl.separation.kind": 3,
    "redundancy.kind=superblock-parity ftl.superblock geometry.mapping_unit": 3,
    "redundancy.kind=superblock-parity ftl.superblock ftl.wear.static_threshold": 3,
    "flash.cache_reads=true": 80,
    "flash.program_unit=word-line warmup.padding=by-arrival": 40,
}
"""Seeds of further candidates, which have settings that chance draws too seldom."""
_FROM = 100_000
CHOSEN = Path(__file__).with_name("chosen.json")
"""The seeds that were chosen, by the settings that they are drawn with."""
TRIES = 16
"""Seeds with which two new settings are tried that no other candidate has together."""
_PAIR = "pair"
USES = 3
"""Runs that each setting and each event has, if so many candidates have it."""
Seed = tuple[str, int]
"""With which settings a case is drawn, and its seed."""


@dataclass(frozen=True)
class Run:
    """What one candidate did."""

    seed: Seed
    coverage: Coverage
    seconds: float

    @property
    def reached(self) -> frozenset[tuple[str, str]]:
        """Places that name rules, settings, events and pairs of settings, each of which counts."""
        used = {("", name) for name in self.coverage.used}
        return frozenset(self.coverage.rules.runs) | used | {(_PAIR, name) for name in self.coverage.pairs}


def candidates() -> Iterator[Seed]:
    """Give all seeds from which some are chosen."""
    yield from (("", seed) for seed in range(RUNS))
    for setting, seeds in MORE.items():
        yield from ((setting, seed) for seed in range(_FROM, _FROM + seeds))


def run(seed: Seed) -> Run:
    """Compare on the case of one seed.

    Raises:
        DifferenceError: with the smallest case found.
    """
    coverage, begun = Coverage(), time.process_time()
    setting, number = seed
    search([number], coverage, setting.split())
    return Run(seed, coverage, time.process_time() - begun)


def choose(runs: Sequence[Run]) -> list[Run]:
    """Choose runs that reach each place of a rule often enough, whatever takes least time first.

    What fewer runs reach than are wanted is reached by all of these.
    """
    found = Counter(place for each in runs for place in each.reached)
    wanted = {place: min(_enough(place), count) for place, count in found.items()}
    left, chosen = list(runs), []

    def worth(each: Run) -> tuple[float, Seed]:
        return sum(wanted[place] > 0 for place in each.reached) / (each.seconds + 0.01), each.seed

    while any(wanted.values()):
        best = max(left, key=worth)
        left.remove(best)
        chosen.append(best)
        for place in best.reached:
            wanted[place] = max(0, wanted[place] - 1)
    return sorted(chosen, key=lambda each: each.seed)


def _enough(place: tuple[str, str]) -> int:
    """In how many runs it is to be reached."""
    return 1 if place[0] == _PAIR else FEWEST if place[0] else USES


def pairs_left(runs: Sequence[Run]) -> Iterator[Seed]:
    """Give seeds of further candidates: for every two new settings that none of these has together."""
    met = {pair for each in runs for pair in each.coverage.pairs}
    for pair in pairs_of(NEW):
        if pair not in met and pair not in APART:
            yield from ((pair, seed) for seed in range(_FROM, _FROM + TRIES))


def renew() -> Coverage:
    """Do all candidates, and write down which are chosen; give what these exercise.

    Raises:
        DifferenceError: with the smallest case found.
    """
    with ProcessPoolExecutor(2) as pool:
        runs = list(pool.map(run, candidates(), chunksize=8))
        runs += pool.map(run, pairs_left(runs))
        chosen = choose(runs)
    seeds: dict[str, list[int]] = {}
    for each in chosen:
        setting, number = each.seed
        seeds.setdefault(setting, []).append(number)
    lines = [f"  {json.dumps(setting)}: {json.dumps(numbers)}" for setting, numbers in seeds.items()]
    CHOSEN.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    coverage = Coverage()
    for each in chosen:
        coverage.merge(each.coverage)
    return coverage


def chosen_seeds() -> Mapping[str, Sequence[int]]:
    """Give the seeds that were chosen."""
    return {str(setting): list(seeds) for setting, seeds in json.loads(CHOSEN.read_text("utf-8")).items()}


def search_all(coverage: Coverage) -> None:
    """Compare on all that were chosen.

    Raises:
        DifferenceError: with the smallest case found.
    """
    for setting, seeds in chosen_seeds().items():
        search(seeds, coverage, setting.split())
