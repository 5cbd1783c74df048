"""An ablation as a document: what each metric is made of, part by part."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from reclaim.charts import finished, joined, panels_of
from reclaim.experiment.parts import value_text
from reclaim.parsing import toml
from reclaim.report.document import (
    Block,
    Cell,
    Chart,
    Document,
    Fold,
    Notes,
    Table,
    Text,
    Title,
    again,
    figure,
    figures_of,
)
from reclaim.report.ratios import Compared, Ratio, answer, beginning
from reclaim.result.sets.comparisons import names_of
from reclaim.result.sets.metrics import describe
from reclaim.result.verdict import in_words
from reclaim.study.ablation.drives import Stage
from reclaim.study.ablation.plots import waterfall
from reclaim.study.ablation.result import Decomposition, LogFigure, OfMetric
from reclaim.study.ablation.shares import UNBOUNDED, Ablation
from reclaim.study.ablation.words import LEAST, in_log_units, named, share_of_total
from reclaim.study.failures import by_reason
from reclaim.units import MISSING

TOTAL = "all"
MOST_PAIRS = 5
MOST_REASONS = 8
"""Reasons why drives have no value that are told one by one, and runs that failed."""


def interval(of: LogFigure | None) -> str:
    """Write an interval; a dash where there is none."""
    if of is None or of.low is None or of.high is None:
        return MISSING
    return f"{in_log_units(of.low)} to {in_log_units(of.high)}"


def _gain(of: LogFigure | None) -> str:
    return MISSING if of is None else in_log_units(of.value)


def rows(taken: Decomposition, mark: str = "") -> list[list[Cell]]:
    """Give the cells of the table: parts with the largest shares first, then all together.

    Args:
        taken: what was taken apart.
        mark: what stands behind its figures.
    """
    found: list[list[Cell]] = []
    for row in taken.by_size() or taken.rows:
        of_total = share_of_total(row, taken) or MISSING
        factor = MISSING if row.share is None else f"{math.exp(row.share.value):.3f}"
        texts = (_gain(row.share), factor, of_total, _gain(row.alone), _gain(row.all_but))
        found.append(_cells(named(row.parts), row.share, texts, mark))
    if taken.total is not None:
        total = taken.total
        texts = (_gain(total), f"{math.exp(total.value):.3f}", "", _gain(total), MISSING)
        found.append(_cells(TOTAL, total, texts, mark))
    return found


def _cells(name: str, share: LogFigure | None, texts: Iterable[str], mark: str) -> list[Cell]:
    first, *others = (figure(each, mark) for each in texts)
    return [Cell(name), first, Cell(interval(share)), *others]


def pairs(taken: Decomposition, mark: str = "") -> list[list[Cell]]:
    """Give the strongest interactions: both parts, what they do together, its interval, beside how many."""
    return [
        [
            Cell(" and ".join(each.parts)),
            figure(in_log_units(each.value.value), mark),
            Cell(interval(each.value)),
            Cell(f"{each.beside} of {each.of}"),
        ]
        for each in taken.interactions[:MOST_PAIRS]
        if abs(each.value.value) >= LEAST
    ]


def notes(found: Ablation) -> list[str]:
    """Give what must be known of all metrics."""
    plan, told = found.plan, []
    if found.repeats < len(plan.repeats):
        same = len(plan.repeats) - found.repeats
        told.append(
            f"{same} of {len(plan.repeats)} repeats measured the same as another one, in every number, and "
            'do not count; repeat with by = "rotate" or by = "jitter"'
        )
    told += [f"not taken apart: {each.unusable}" for each in plan.stages if each.unusable]
    whys = [(each.stage, each.reasons()) for each in found.values]
    # Runs that failed are listed one by one, below.
    told += _of_drives(
        found,
        [
            (stage, {subset: why for subset, why in each.items() if not why.startswith("failed: ")})
            for stage, each in whys
        ],
    )
    if any(why.startswith(UNBOUNDED) for _, each in whys for why in each.values()):
        told.append(SLOWER)
    told += of_verdicts(found)
    told += [f"failed: {each}" for each in by_reason(found.failures.items(), most=MOST_REASONS)]
    return told


SLOWER = (
    "where queues grow without bound, slow the trace down: host.time_scale below 1, or "
    'host.target_utilisation, as in "15%"'
)


def of_verdicts(found: Ablation) -> Iterator[str]:
    """What runs say against metrics, those together of which they say the same."""
    about: dict[str, list[str]] = {}
    for each in found.metrics:
        for kind, remarks in (("warning", each.warnings), ("doubt", each.doubts)):
            for code, count in remarks.items():
                said = f"{count} of {each.runs} runs have the {kind} {in_words(code)}"
                about.setdefault(said, []).append(describe(each.metric).label)
    yield from (f"{said} about {', '.join(labels)}" for said, labels in about.items())


def _of_drives(found: Ablation, reasons: Iterable[tuple[Stage, Mapping[int, str]]]) -> Iterator[str]:
    """Which drives have no value, and why: workloads together on which the same ones have none."""
    alike: dict[tuple[str, tuple[int, ...]], list[Stage]] = {}
    for stage, whys in reasons:
        for why in dict.fromkeys(whys.values()):
            subsets = tuple(subset for subset, each in whys.items() if each == why)
            alike.setdefault((why, subsets), []).append(stage)
    of = len(found.plan.subsets)
    for (why, subsets), stages in list(alike.items())[:MOST_REASONS]:
        name = found.plan.drives.of(stages[0], subsets[0]).variant.name
        more = f" and {len(subsets) - 1} more" if len(subsets) > 1 else ""
        where = stages[0].workload.label() if len(stages) == 1 else f"on {len(stages)} workloads"
        has = "has" if len(subsets) == 1 else "have"
        yield f"{where}: {len(subsets)} of {of} drives {has} no value ({name}{more}): {why}"
    if len(alike) > MOST_REASONS:
        yield f"and {len(alike) - MOST_REASONS} more reasons why drives have no value: see ablation.json"


def notes_of(found: Ablation, each: OfMetric) -> list[str]:
    """Give what must be known of one metric."""
    told: list[str] = []
    overall = each.overall
    own = []
    for values in found.values:
        always, here = values.reasons(), values.reasons(each.metric)
        own.append((values.stage, {subset: why for subset, why in here.items() if subset not in always}))
    told += _of_drives(found, own)
    told += [
        f"{' and '.join(row.parts)} are one part here: no way from {found.plan.entry.baseline} to "
        f"{found.plan.entry.candidate} over drives that have a value takes them one by one"
        for row in overall.rows
        if len(row.parts) > 1
    ]
    told += _of_orders(found, overall)
    left = [name for name, taken in each.by_workload.items() if name not in overall.workloads]
    told += [f"not in the average: {name}: {each.by_workload[name].unknown or NO_COMMON}" for name in left]
    label = describe(each.metric).label
    if each.few_samples:
        told.append(
            f"in {each.few_samples} of {each.runs} runs fewer than ten requests are slower than the {label}"
        )
    return told


NO_COMMON = "the parts that other workloads merge are not known together here"


def _of_orders(found: Ablation, taken: Decomposition) -> list[str]:
    if taken.orders is None:
        return []
    used, of = taken.orders
    told = []
    if found.plan.orders:
        errors = [row.drawn_error for row in taken.rows if row.drawn_error is not None]
        error = f"; that leaves a standard error of {max(errors):.3f} or less in a share" if errors else ""
        seed = found.plan.entry.seed
        told.append(f"shares are averages over {of} orders of the parts, drawn with seed {seed}{error}")
    if used < of:
        told.append(f"{of - used} of {of} orders of the parts meet drives without a value, and do not count")
    return told


def _ratio(name: str, share: LogFigure, mark: str) -> Ratio:
    ends = None if share.low is None or share.high is None else (share.low, share.high)
    return Ratio.of_logs(name, share.value, ends, mark)


def compared(found: Ablation, each: OfMetric) -> Compared:
    """The whole difference in a metric, then what each part does to it."""
    known = {each.overall.total: "all parts together"} if each.overall.total else {}
    shares = {row.share: named(row.parts) for row in each.overall.by_size() if row.share}
    ratios = [_ratio(name, share, each.mark) for share, name in (known | shares).items()]
    entry = found.plan.entry
    return Compared(entry.candidate, entry.baseline, ratios, describe(each.metric).label)


PICTURES = "waterfall-"
"""How the names of the charts begin; the metric follows."""
MOST_WORKLOADS = 12
"""Workloads that have a chart of their own."""
HEAD = figures_of("part", ("share", "95 % interval", "factor", "of the total", "alone", "all but it"))
"""Of the table of a metric: shares and gains are in log units."""
PAIRS = ("pair", "log units", "95 % interval", "beside subsets of the others")
WHY = "what runs say of the metric; the notes have it"


def document(found: Ablation) -> Document:
    """Give the conclusions first, then what they are drawn from."""
    plan = found.plan
    name, origin, target = plan.experiment.name, plan.entry.baseline, plan.entry.candidate
    totals = {each.metric: each.overall.total for each in found.metrics}
    whole = [
        _ratio(describe(each.metric).label, total, each.mark)
        for each in found.metrics
        if (total := totals[each.metric]) is not None
    ]
    doubted = any(each.mark or not totals[each.metric] for each in found.metrics)
    workloads = [each.workload.label() for each in plan.usable()]
    several = "" if len(workloads) == 1 else "s"
    parts = [(part.name, _settings(found, part.keys)) for part in plan.parts]
    blocks = [
        *beginning(
            plan.experiment.parts.about,
            answer([Compared(target, origin, whole)]) if whole else found.metrics[0].told,
            notes(found),
            level="not-established" if doubted else "",
            compared=[compared(found, each) for each in found.metrics],
            caption="The whole difference first, then the parts of it; lines are 95 % intervals.",
            names=names_of(toml(plan.experiment.text), [origin, target]),
        ),
        *(block for each in found.metrics for block in _blocks(found, each)),
        Title("The parts", page=True),
        Table(("", ""), parts, name="parts", kind="entries"),
        *again(f"reclaim ablate experiment.toml -o {name}", plan.experiment.text),
        (
            f"{len(plan.subsets)} drives on {len(workloads)} workload{several}: {'; '.join(workloads)}. "
            "ablation.json has every one of them, with its points."
        ),
    ]
    return Document(
        f"{name}, ablation", blocks, heading=f"{name}: what makes {target} different from {origin}"
    )


def _blocks(found: Ablation, each: OfMetric) -> list[Block]:
    """Give the section of a metric."""
    origin, target = found.plan.entry.baseline, found.plan.entry.candidate
    label, count = describe(each.metric).label, len(each.overall.workloads)
    of = f"mean of {count} workloads" if count > 1 else "".join(each.overall.workloads)
    repeats = f"{found.repeats} repeat{'' if found.repeats == 1 else 's'}"
    by_workload = each.by_workload if len(each.by_workload) > 1 else {}

    def drawn(taken: Decomposition, title: str = "") -> Any:
        return waterfall(taken, each.metric, (origin, target), title)

    def table(title: str, taken: Decomposition) -> Table:
        return Table(HEAD, rows(taken, each.mark), title, why=WHY, total=taken.total is not None)

    def panels() -> dict[str, Any] | None:
        """The average, then single workloads."""
        wanted = {"average of the workloads" if by_workload else "": each.overall}
        wanted |= dict(list(by_workload.items())[:MOST_WORKLOADS])
        charts = (drawn(taken, title) for title, taken in wanted.items())
        split = [panels_of(finished(chart)) for chart in charts if chart is not None]
        return joined(split) if split else None

    pairs_of = Table(
        PAIRS, pairs(each.overall, each.mark), "Pairs: what both do beyond each without the other", why=None
    )
    return [
        Title(label),
        Text(each.told),
        (
            f"From {origin} to {target}, part by part, the largest share first: each bar is the share of a "
            "part in the logarithm of the ratio, the last one all of it; the number is its factor. The "
            "line across its end: 95 % interval, where there are six different repeats."
        ),
        Chart(f"{PICTURES}{each.metric}", lambda: drawn(each.overall), panels),
        (
            f"In log units: natural logarithms of the ratio to {origin}, mean of {repeats} and of the "
            "workloads; intervals are of the median. Shares sum to the total. Alone: only this part is "
            f"that of {target}. All but it: every other part is."
        ),
        table(f"{label}, log units, {of}", each.overall),
        Fold("What pairs do together beyond what each does without the other", [pairs_of], page=False),
        Notes(notes_of(found, each)),
        Fold("Workload by workload", [table(title, taken) for title, taken in by_workload.items()]),
    ]


def _settings(found: Ablation, keys: Sequence[str]) -> Cell:
    """Keys of a part, with the values of both schemes on the first workload on which they differ."""
    told = []
    for key in keys:
        pair = next(
            (each.origin.get(key), each.target.get(key))
            for each in found.plan.usable()
            if each.origin.get(key) != each.target.get(key)
        )
        before, after = ("left out" if each is None else value_text(each) for each in pair)
        told.append(Cell(f"{key}: {before} → {after}"))
    return Cell("", below=tuple(told))
