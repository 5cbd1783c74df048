"""What the variations of a key say of a conclusion: which turn it, which leave it open, which say nothing."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from reclaim.result.verdict import worst_mark
from reclaim.statistics.samples import ALPHA, Sample, holm, of_key
from reclaim.study.sensitivity.alternatives import Kind

Move = Literal["both", "baseline", "candidate"]
Status = Literal["turns", "open", "holds", "nothing", "unsteady", "uncollected", "refused", "not-run"]
STATUSES: tuple[Status, ...] = (
    "turns",
    "open",
    "unsteady",
    "uncollected",
    "refused",
    "not-run",
    "nothing",
    "holds",
)
"""In the order in which they are told, what matters most first."""
UNSTEADY = frozenset(
    {
        "unbounded-queue",
        "warmup-not-steady",
        "write-amplification-drifts",
        "free-space-drifts",
        "outstanding-requests-drift",
    }
)
"""Codes of verdicts (docs/verdicts.md) of runs that were in no steady state."""
UNCOLLECTED = frozenset({"gc-never-ran", "measuring-never-began"})
"""Codes of runs in which nothing was collected, or measured."""


@dataclass(frozen=True)
class PairedRatios:
    """A comparison as it came out under some variants."""

    by_trace: Mapping[str, tuple[float, ...]]
    """Log ratios candidate / baseline of the repeats, for each workload."""
    combined: tuple[float, ...]
    """Their means over the workloads, for each repeat."""
    fault: str = ""
    """Why there is none; nothing where there is."""
    codes: frozenset[str] = frozenset()
    """What speaks against most of the runs of some scheme and workload."""
    mark: str = ""
    """What stands behind its ratio wherever it is printed: the worst of the marks of its runs."""

    @property
    def sample(self) -> Sample | None:
        """Give the log ratios summed up."""
        return Sample.of(self.combined) if self.combined and not self.fault else None


def measured(
    pairing: Pairing, traces: Sequence[str], repeats: Sequence[int], figures: Mapping[SideRun, RunFigure]
) -> PairedRatios:
    """Pair the runs of a comparison by workload and repeat."""
    by_trace: dict[str, tuple[float, ...]] = {}
    codes: set[str] = set()
    for trace in traces:
        of_side: dict[Side, list[RunFigure]] = {
            side: [figures[SideRun(trace, side, pairing.of(side), repeat)] for repeat in repeats]
            for side in SIDES
        }
        for side, found in of_side.items():
            for each in found:
                if each.fault:
                    return PairedRatios({}, (), f"{side}, {trace}: {each.fault}")
                if each.value is None:
                    told = UNCOLLECTED & each.codes
                    why = f" ({', '.join(sorted(each.codes))})" if each.codes else ""
                    return PairedRatios({}, (), f"{side}, {trace}: no figure{why}", frozenset(told))
            several = [code for each in found for code in each.codes]
            codes |= {code for code in several if 2 * several.count(code) > len(found)}
        by_trace[trace] = tuple(
            math.log(b.value / a.value)
            for a, b in zip(of_side["baseline"], of_side["candidate"], strict=True)
            if a.value is not None and b.value is not None
        )
    pairs = zip(*by_trace.values(), strict=True)
    combined = tuple(math.fsum(each) / len(by_trace) for each in pairs)
    mark = worst_mark(each.mark for each in figures.values())
    return PairedRatios(by_trace, combined, "", frozenset(codes), mark)


@dataclass
class Variation:
    """One alternative of a key, moved for both schemes or for one."""

    key: str
    value: str
    """As declared."""
    move: Move
    pairing: Pairing
    screened: PairedRatios | None = None
    full: PairedRatios | None = None
    confirmed: PairedRatios | None = None
    over_budget: bool = False
    p: float = 1.0
    """Of no difference, or of one on the side of the base; of all workloads, uncorrected."""

    @property
    def text(self) -> str:
        """Name it: `key = value`, and for whom."""
        return f"{self.key} = {self.value}" + ("" if self.move == "both" else f" for the {self.move} alone")

    @property
    def whose(self) -> str:
        """Name its value, and for whom it is moved."""
        return self.value + ("" if self.move == "both" else f", the {self.move} alone")

    @property
    def last(self) -> PairedRatios | None:
        """What is known best."""
        return self.full or self.screened

    def is_beyond(self, side: int) -> bool:
        """Whether its whole interval is on the other side of no difference than `side`; of 0, on any."""
        sample = self.full.sample if self.full is not None else None
        return sample is not None and sample.excludes_none(-side or _sign(sample.mean))


@dataclass
class Key:
    """A choice of the model, and what became of the conclusion under its alternatives."""

    name: str
    kind: Kind
    why: str
    present: Mapping[Side, str | None]
    variations: list[Variation] = field(default_factory=list)
    p: float = 1.0
    """Of all its variations together, corrected for how many could be run."""
    corrected: float = 1.0
    """After Holm's correction over all keys."""
    status: Status = "holds"
    turning: list[Variation] = field(default_factory=list)
    """Its variations that turn the conclusion, confirmed on fresh repeats."""
    opening: list[Variation] = field(default_factory=list)
    """Those that leave it open."""


def state_of(each: Variation, side: int, expected: frozenset[str], base: PairedRatios) -> Status:
    """Say what one variation says of a conclusion on `side`, corrections aside.

    Args:
        each: the variation.
        side: that of the base, -1 or 1; 0 where it has none.
        expected: codes that the base has itself: those are nothing that a variation brings.
        base: what the comparison is as it stands.
    """
    found = each.last
    if found is None:
        return "not-run" if each.over_budget else "refused"
    fault = _fault(found, found.codes - expected, base)
    if fault is not None:
        return fault
    sample = found.sample
    if each.full is None or sample is None:
        # Screened: far enough on the side of the base, or it would have been run in full.
        return "holds"
    if side == 0:
        return "open"
    return "holds" if sample.excludes_none(side) else "open"


def _fault(found: PairedRatios, codes: frozenset[str], base: PairedRatios) -> Status | None:
    """Say why a variation is no evidence; None where it is."""
    if codes & UNCOLLECTED:
        return "uncollected"
    if found.fault:
        return "refused"
    if codes & UNSTEADY:
        return "unsteady"
    return "nothing" if _same(found, base) else None


def _same(found: PairedRatios, base: PairedRatios) -> bool:
    """Whether every pair of runs came out as in the base."""
    return bool(found.by_trace) and all(
        logs == base.by_trace[trace][: len(logs)] for trace, logs in found.by_trace.items()
    )


def judge(keys: Sequence[Key], base: PairedRatios, side: int, expected: frozenset[str]) -> list[Key]:
    """Correct the keys for how many they are, and give those that seem to turn the conclusion.

    Where the base has a conclusion, a key with a difference on the other side turns it; where it has none,
    one with any difference gives it one. Keys that could not be run stay in the number of keys.
    """
    wanted = -side
    for key in keys:
        runnable = [
            each
            for each in key.variations
            if state_of(each, side, expected, base) in ("holds", "open") and each.last is not None
        ]
        for each in runnable:
            sample = each.full.sample if each.full is not None else None
            each.p = 1.0 if sample is None else sample.p(wanted)
        key.p = of_key([each.p for each in runnable], len(runnable))
    corrected = holm({key.name: key.p for key in keys})
    for key in keys:
        key.corrected = corrected[key.name]
    return [key for key in keys if key.corrected <= ALPHA]


def settle(keys: Sequence[Key], base: PairedRatios, side: int, expected: frozenset[str]) -> None:
    """Give every key its status, once what seemed to turn the conclusion was run again."""
    confirming = [key for key in keys if any(each.confirmed is not None for each in key.variations)]
    for key in keys:
        states = {id(each): state_of(each, side, expected, base) for each in key.variations}
        key.turning = [
            each
            for each in key.variations
            if each.confirmed is not None
            and each.confirmed.sample is not None
            and each.full is not None
            and each.full.sample is not None
            and each.confirmed.sample.p(_sign(each.full.sample.mean)) * len(confirming) <= ALPHA
        ]
        key.opening = [each for each in key.variations if states[id(each)] == "open"]
        key.status = _status(key, list(states.values()), side)


def _status(key: Key, states: Sequence[Status], side: int) -> Status:
    if key.turning:
        return "turns"
    if side != 0 and "open" in states:
        return "open"
    told: tuple[Status, ...] = ("unsteady", "uncollected", "not-run")
    for each in told:
        # Never taken for agreement, whatever the key's other values say.
        if each in states:
            return each
    if "holds" in states or "open" in states:
        return "holds"
    return "nothing" if "nothing" in states else "refused"


def _sign(value: float) -> int:
    return (value > 0) - (value < 0)


def side_of(base: PairedRatios) -> int:
    """Say on which side of no difference the base's interval is; 0 where it includes none."""
    sample = base.sample
    if sample is None or not sample.excludes_none(_sign(sample.mean)):
        return 0
    return _sign(sample.mean)


Side = Literal["baseline", "candidate"]
SIDES: tuple[Side, Side] = ("baseline", "candidate")


class Moved(NamedTuple):
    """One scheme with some keys moved; the base, where none is."""

    keys: tuple[tuple[str, str], ...] = ()
    """Keys and their values, as `--set` takes them."""

    @property
    def text(self) -> str:
        """Name it in tables.

        >>> Moved((("seed", "1"), ("scheduler", "fcfs"))).text, Moved().text
        ('seed=1 + scheduler=fcfs', 'base')
        """
        return " + ".join(f"{key}={value}" for key, value in self.keys) or "base"


BASE = Moved()


class Pairing(NamedTuple):
    """What is moved of each of two schemes that are compared with each other."""

    baseline: Moved = BASE
    candidate: Moved = BASE

    def of(self, side: Side) -> Moved:
        """Give that of a scheme."""
        return self.baseline if side == "baseline" else self.candidate


class SideRun(NamedTuple):
    """One run: which workload, which scheme, what is moved, and which repeat."""

    trace: str
    side: Side
    moved: Moved
    repeat: int


class RunFigure(NamedTuple):
    """What came of a run."""

    value: float | None
    """The metric; None where there is none."""
    codes: frozenset[str] = frozenset()
    """Codes of the warnings and doubts of its verdict."""
    fault: str = ""
    """Why it could not be run; nothing where it could."""
    mark: str = ""
    """What stands behind it wherever it is printed."""


def side_runs(pairing: Pairing, traces: tuple[str, ...], repeats: range) -> list[SideRun]:
    """Give the runs that a comparison takes."""
    return [
        SideRun(trace, side, pairing.of(side), repeat)
        for trace in traces
        for repeat in repeats
        for side in SIDES
    ]
