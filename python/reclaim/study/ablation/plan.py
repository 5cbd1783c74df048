"""Plans an ablation: its parts, and the subsets of them that are run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from reclaim.errors import InputError
from reclaim.experiment.build import MOST_POINTS
from reclaim.experiment.experiment import Experiment
from reclaim.experiment.parts import SchemeEntry
from reclaim.experiment.work import WHERE, of_work
from reclaim.layers import differing, flat
from reclaim.study.ablation.drives import Drives, SchemePart, Stage, cannot_go, parts_of
from reclaim.study.ablation.game import Order, draw, prefixes
from reclaim.study.ablation.section import ABLATE, Ablate
from reclaim.study.runs import Points, Run, Variant, Workload, workloads_of

MOST_PARTS = 6
"""Of so many parts all subsets are run; of more, those that some orders of the parts meet."""
EXAMPLE = 'as in [ablate] baseline = "greedy", candidate = "adaptive", metrics = ["read_p99_ns"]'


@dataclass(frozen=True)
class AblationPlan:
    """What is to be run; bit i of a subset says whether part i is that of the target."""

    experiment: Experiment
    entry: Ablate
    parts: tuple[SchemePart, ...]
    stages: tuple[Stage, ...]
    orders: tuple[Order, ...]
    """Those that were drawn, where there are too many parts for all subsets; else none."""
    drives: Drives = field(repr=False)

    @property
    def whole(self) -> int:
        """The subset of all parts: the target itself."""
        return (1 << len(self.parts)) - 1

    @property
    def repeats(self) -> range:
        """Numbers of the repeats."""
        return range(self.experiment.parts.repeats.count)

    @cached_property
    def subsets(self) -> list[int]:
        """Every subset that is run: from none of the parts to all."""
        if not self.orders:
            return list(range(self.whole + 1))
        alone = {1 << part for part in range(len(self.parts))}
        met = {subset for order in self.orders for subset in prefixes(order)}
        return sorted(met | alone | {self.whole ^ each for each in alone})

    def named(self, subset: int) -> list[str]:
        """Give the names of the parts in a subset."""
        return [part.name for at, part in enumerate(self.parts) if subset >> at & 1]

    def usable(self) -> list[Stage]:
        """Give the workloads that take both schemes."""
        return [each for each in self.stages if not each.unusable]

    def run_of(self, stage: Stage, subset: int, repeat: int) -> Run:
        """Give the run of a subset."""
        return Run(stage.workload, self.drives.of(stage, subset).variant, repeat)

    def runs(self) -> list[Run]:
        """Give every run of a drive that can be, each once.

        Raises:
            InputError: for a trace that cannot be read with some settings.
        """
        return list(dict.fromkeys(self._runs()))

    def _runs(self) -> Iterator[Run]:
        for stage in self.usable():
            for subset in self.subsets:
                if not self.drives.of(stage, subset).refused:
                    yield from (self.run_of(stage, subset, repeat) for repeat in self.repeats)


def plan_of(experiment: Experiment, points: Points) -> AblationPlan:
    """Find the parts of what an experiment wants to be taken apart, and the subsets to run.

    Raises:
        InputError: for an experiment that does not say what to take apart; for mistakes of its section, all
            of them; if no workload takes both schemes; for too many runs.
    """
    entry = experiment.parts.section(Ablate)
    if entry is None:
        raise InputError(f"{experiment.file}: [ablate] is missing; say what to take apart, {EXAMPLE}")
    listed = [each.name for each in experiment.parts.schemes]
    origin, target = (
        experiment.parts.schemes[listed.index(name)] for name in (entry.baseline, entry.candidate)
    )
    stages = [_stage(points, workload, origin, target) for workload in workloads_of(experiment.parts)]
    usable = [each for each in stages if not each.unusable]
    if not usable:
        raise InputError(f"{experiment.file}: no workload takes both schemes: {stages[0].unusable}")
    # As the experiment lists the two, so that both directions have the same parts and the same points.
    turned = listed.index(entry.candidate) < listed.index(entry.baseline)
    parts = _parts(experiment, entry, usable, turned=turned)
    orders = draw(len(parts), entry.orderings, entry.seed) if len(parts) > MOST_PARTS else []
    forth = sum(cannot_go(each.origin, each.target) for each in usable)
    back = sum(cannot_go(each.target, each.origin) for each in usable)
    from_target = (back, not turned) < (forth, turned)
    drives = Drives(points, (origin, target), parts, from_target=from_target)
    stages = [_with_parts(each, parts) for each in stages]
    plan = AblationPlan(experiment, entry, tuple(parts), tuple(stages), tuple(orders), drives)
    total = len(plan.subsets) * len(usable) * len(plan.repeats)
    if total > MOST_POINTS:
        product = f"{len(plan.subsets)} subsets × {len(usable)} workloads × {len(plan.repeats)} repeats"
        told = f"[ablate] makes {total:,} points ({product}); the most is {MOST_POINTS:,}"
        raise InputError(f"{experiment.file}: {told}: name fewer traces or repeats, or larger parts")
    return plan


def _stage(points: Points, workload: Workload, origin: SchemeEntry, target: SchemeEntry) -> Stage:
    ends = [points.of(Run(workload, Variant.of(scheme), 0)) for scheme in (origin, target)]
    refused = next((f"{each.label()}: {each.refused}" for each in ends if each.drive is None), "")
    configs = [flat(each.drive.config) if each.drive is not None else {} for each in ends]
    return Stage(workload, configs[0], configs[1], unusable=refused)


def _parts(
    experiment: Experiment, entry: Ablate, usable: Sequence[Stage], *, turned: bool
) -> list[SchemePart]:
    """Find the parts of all workloads together.

    Raises:
        InputError: with all mistakes of the section, and if the schemes are the same.
    """
    pairs = [(each.target, each.origin) if turned else (each.origin, each.target) for each in usable]
    keys = list(dict.fromkeys(key for pair in pairs for key in differing(*pair)))
    mistakes = experiment.mistakes()
    if not keys:
        same = f'"{entry.baseline}" and "{entry.candidate}" are the same drive, in every setting'
        mistakes.add((ABLATE, "candidate"), f"{same}: there is nothing to take apart; name another scheme")
        mistakes.refuse()
    moved = of_work(keys)
    if moved:
        listed = ", ".join(moved)
        both = f'"{entry.baseline}" and "{entry.candidate}"'
        text = f"{both} differ in {listed}: part of the work, not of the drive"
        how = f"so their figures are of other loads; give both the same, and {WHERE}"
        mistakes.add((ABLATE,), f"{text}, {how}")
        mistakes.refuse()
    known = dict.fromkeys(key for pair in pairs for end in pair for key in end)
    parts = parts_of(keys, entry.parts, known, mistakes)
    mistakes.refuse()
    return parts


def _with_parts(stage: Stage, parts: Sequence[SchemePart]) -> Stage:
    keys = set(differing(stage.origin, stage.target))
    differs = sum(1 << at for at, part in enumerate(parts) if keys & set(part.keys))
    return Stage(stage.workload, stage.origin, stage.target, differs, stage.unusable)
