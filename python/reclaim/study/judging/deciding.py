"""What decides a card: parts against the nearest rival, and the choices of the drive that move it most."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reclaim.device import Device
from reclaim.encoding import plain
from reclaim.errors import InputError
from reclaim.experiment.experiment import Experiment
from reclaim.layers import differing, flat
from reclaim.report.document import Block, Cell, Table, Title, figures_of
from reclaim.study.ablation.ablate import AblationStudy
from reclaim.study.judging.suite import AMPLIFICATION, BOUND, GENERATED, Suite
from reclaim.study.sensitivity.judging import Key
from reclaim.study.sensitivity.phases import Findings
from reclaim.study.sensitivity.report import strongest
from reclaim.study.sensitivity.sensitivity import SensitivityStudy
from reclaim.study.study import RunOptions

KEYS = ("geometry.*", "ftl*", "gc*", "trace.*", "warmup*", "measure.*")
"""What can matter where no time passes."""
BUDGET, REPEATS = "1200 points", 6
STRONGEST = 5


@dataclass(frozen=True)
class Decided:
    """What decides a candidate."""

    nearest: str
    """The rival that differs in the fewest settings."""
    parts: Sequence[tuple[str, float]]
    """Of what differs from it: the part, and the factor of NAND bytes, the mean of all workloads."""
    against: str
    """With whom it is compared while choices are moved."""
    workloads: Sequence[str]
    """Under which that is done."""
    choices: Sequence[tuple[str, str]]
    """Those that pull most: the key, and the ratio there."""
    conclusion: str
    """What all of them do to the comparison."""

    def blocks(self) -> list[Block]:
        """Tell it."""
        found: list[Block] = [Title("What decides it", "decides")]
        if self.parts:
            rows = [[Cell(name), Cell(f"×{factor:.2f}")] for name, factor in self.parts]
            title = f"NAND bytes beside {self.nearest}, the nearest rival, part by part"
            found.append(Table(figures_of("part", ["factor"]), rows, title=title, name="parts", why=None))
        else:
            found.append(f"It differs from {self.nearest} in no policy: there is nothing to take apart.")
        choices = [[Cell(key, below=(Cell(pull),))] for key, pull in self.choices]
        title = (
            f"Choices of the drive that move it most beside {self.against}, under {', '.join(self.workloads)}"
        )
        found.append(Table(["choice"], choices, title=title, name="choices", why=None))
        return [*found, self.conclusion]

    def to_dict(self) -> dict[str, Any]:
        """Give it as JSON holds it."""
        return {name: plain(value) for name, value in vars(self).items()}


def decided(
    suite: Suite, entry: Mapping[str, Any], against: str, folder: Path, options: RunOptions
) -> Decided:
    """Run what tells what decides a candidate, without time.

    Args:
        suite: where.
        entry: the candidate.
        against: the rival beside which choices are moved.
        folder: where runs are stored.
        options: how they are run.
    """
    entries = dict(zip(suite.rivals, suite.table["schemes"], strict=True))
    nearest, apart = _nearest(suite, entry)
    options = RunOptions(workers=options.workers, accept=options.accept, force=True)
    compared: dict[str, Any] = {"candidate": entry["name"], "metrics": [AMPLIFICATION]}

    def experiment(rival: str) -> dict[str, Any]:
        return {**suite.experiment([entries[rival], entry], untimed=True), "name": "what decides"}

    parts: list[tuple[str, float]] = []
    if apart:
        taken = AblationStudy(
            Experiment.from_dict({**experiment(nearest), "ablate": {**compared, "baseline": nearest}})
        ).run(folder / "parts", options)
        rows = [(row, row.share) for row in taken.metrics[0].overall.by_size()]
        parts = [(" + ".join(row.parts), math.exp(share.value)) for row, share in rows if share is not None]
    few = _few(suite)
    moved = {
        **experiment(against),
        "traces": few,
        "repeats": {"count": REPEATS, "by": "workload"},
        "sensitivity": {**compared, "baseline": against, "budget": BUDGET, "combinations": 0, "keys": KEYS},
    }
    result = SensitivityStudy(Experiment.from_dict(moved)).run(folder / "choices", options)
    study, _ = result.studies[0]
    names = [str(each["name"]) for each in few]
    return Decided(nearest, parts, against, names, _strongest(study), result.conclusion)


def untimed_drives(suite: Suite, entries: Sequence[str | Mapping[str, Any]]) -> dict[str, Device]:
    """Give the drives of some schemes under the first workload without time; those that there are."""
    one = {"traces": suite.table["traces"][:1], "repeats": {"count": 1}}
    points = Experiment.from_dict({**suite.experiment(entries, untimed=True), **one}).points()
    return {each.scheme: each.drive for each in points if each.drive is not None}


def check(suite: Suite, entry: Mapping[str, Any]) -> None:
    """See that a candidate runs without time.

    Raises:
        InputError: if it does not.
    """
    try:
        untimed_drives(suite, [entry])
    except InputError:
        # An experiment that no drive takes is refused as a whole.
        why = f"--decide: runs without time, and {entry['name']} needs time; leave --decide out"
        raise InputError(why) from None


def _nearest(suite: Suite, entry: Mapping[str, Any]) -> tuple[str, int]:
    """Name the rival whose drive differs in the fewest settings, and say in how many."""
    known = untimed_drives(suite, suite.table["schemes"])
    mine = flat(untimed_drives(suite, [entry])[entry["name"]].config)
    apart = {name: len(differing(flat(of.config), mine)) for name, of in known.items() if name != BOUND}
    name = min(apart, key=lambda each: apart[each])
    return name, apart[name]


def _few(suite: Suite) -> list[Mapping[str, Any]]:
    """Give a recording and two generated workloads: every choice is moved under each."""
    generated = [each for each in suite.table["traces"] if suite.families[each["name"]] == GENERATED]
    recorded = [each for each in suite.table["traces"] if each not in generated]
    return [*recorded[-1:], *generated[:1], *generated[1:][-1:]]


def _strongest(study: Findings) -> list[tuple[str, str]]:
    """Give the choices whose alternatives are farthest from the ratio as it is."""
    base = study.base.sample

    def pull(key: Key) -> float:
        samples = [each.last.sample for each in key.variations if each.last is not None]
        return max((abs(each.mean - base.mean) for each in samples if each and base), default=0.0)

    keys = sorted((key for key in study.keys if pull(key) > 0), key=lambda key: -pull(key))
    return [(key.name, strongest(key, study)) for key in keys[:STRONGEST]]
