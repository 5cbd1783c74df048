"""The card of a candidate: a sentence, a picture, what speaks against it, and how to run it again."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from statistics import median
from typing import TYPE_CHECKING, Any, get_args

import altair as alt

from reclaim.charts import PALETTE, Records, dots, rows, rule, told_apart
from reclaim.report.document import (
    Block,
    Cell,
    Chart,
    Column,
    Document,
    Note,
    Table,
    Title,
    Tone,
    again,
    figures_of,
)
from reclaim.report.forms import latex_row
from reclaim.report.ratios import SAME_WITHIN, beginning, change, listed, percent
from reclaim.statistics.intervals import fewest
from reclaim.study.judging.cost import PolicyCost
from reclaim.study.judging.effects import Effect, Shown, by_workload
from reclaim.study.judging.suite import (
    AMPLIFICATION,
    BOUND,
    GENERATED,
    HELD_OUT,
    METRICS,
    PUBLIC,
    RECORDED,
    Suite,
)
from reclaim.units import MISSING

if TYPE_CHECKING:
    from reclaim.study.judging.judge import Card

SHAPES = ("diamond", "circle", "square", "triangle-up", "cross")
COSTS = ("bytes/block", "CPU time")
"""What a policy costs, as tables call it; the time is relative to that of greedy."""
NEAR = math.log(1.1)
"""Rivals that are nearer than this are named, where no difference from them can be measured."""
SHOWN = 4
"""Rivals of the picture, beside the candidate."""


def _against(effect: Effect, rival: str) -> str:
    many = change(effect.value).removesuffix(f" {effect.shown}")
    match effect.shown:
        case "lower" | "higher" if many.endswith("times"):
            return f"writes {many} as many NAND bytes as {rival}"
        case "lower":
            return f"writes {many} fewer NAND bytes than {rival}"
        case "higher":
            return f"writes {many} more NAND bytes than {rival}"
        case "equal":
            where = "" if effect.is_equal_everywhere else " on the median workload"
            return f"writes as many NAND bytes as {rival}{where}, within {percent(SAME_WITHIN)}"
        case "inconclusive" | "overloaded":
            return f"is not shown to differ from {rival} in NAND bytes, for too many runs are inconclusive"
        case _:
            return f"shows no measurable difference from {rival} in NAND bytes"


def sentence(card: Card) -> str:
    """Say what the candidate reaches: against the reference, against all rivals, and in tails."""
    if not card.first:
        return "Nothing can be compared: no rival ran where it did."
    said = f"{card.name} {_beside(card.against[AMPLIFICATION], card.first)}"
    if card.cost is not None:
        bytes_ = f"{'at least ' if card.cost.at_least else ''}{card.cost.bytes_per_block} bytes per block"
        said += f". It keeps {bytes_}"
    tails = [
        f"{METRICS[metric]} {effect.said}"
        for metric in METRICS
        if metric != AMPLIFICATION and (effect := card.effect(metric, card.first)) is not None
    ]
    said += f". Tails beside {card.first}: {', '.join(tails)}" if tails else ""
    if card.tuned is not None and card.first in card.tuned.against:
        told = _beside(card.tuned.against, card.first)
        said += f". Once all are tuned alike, {card.tuned.budget}, it {told}"
    return f"{said}."


def _beside(of: Mapping[str, Effect], first: str) -> str:
    """Say what a candidate writes: against the reference, and against all rivals."""
    said = _against(of[first], first)
    others = [rival for rival in of if rival not in (first, BOUND)]
    by = {shown: [rival for rival in others if of[rival].shown == shown] for shown in get_args(Shown)}
    told = [f"fewer than {len(by['lower'])} of the {len(others)} other rivals"] if by["lower"] else []
    told += [f"as many as {listed(by['equal'])}"] if by["equal"] else []
    told += [f"more than {listed(by['higher'])}"] if by["higher"] else []
    said += f". It writes {listed(told)}" if told else ""
    unknown = [each for each in by["no measurable difference"] if abs(math.log(of[each].value)) < NEAR]
    return f"{said}. No measurable difference from {listed(unknown)}" if unknown else said


def table(card: Card) -> Table:
    """Give what it reaches beside every rival: the best of these first."""
    of = card.against[AMPLIFICATION]
    metrics = {metric: name for metric, name in METRICS.items() if card.against[metric]}
    order = sorted(of, key=lambda rival: (rival == BOUND, -of[rival].value))
    mine = [Cell(card.name, tone="strong"), *(Cell(MISSING) for _ in metrics), *costs(card.cost)]
    body = [mine]
    for rival in order:
        cells = [Cell(called(rival))]
        for metric in metrics:
            effect = card.effect(metric, rival)
            cells.append(Cell(MISSING) if effect is None else _cell(card, metric, effect))
        body.append([*cells, *costs(card.suite.costs.get(rival))])
    names = [*metrics.values(), *COSTS]
    return Table(figures_of("compared with", names), body, name="rivals", why=None)


def costs(cost: PolicyCost | None) -> list[Cell]:
    """Give the cells of what something costs."""
    return (
        [Cell(MISSING), Cell(MISSING)]
        if cost is None
        else [Cell(cost.memory), Cell(cost.processor or MISSING)]
    )


def called(rival: str) -> str:
    """Name a rival in a table."""
    return f"{rival} (knows the trace)" if rival == BOUND else rival


def _cell(card: Card, metric: str, effect: Effect) -> Cell:
    tones: dict[str, Tone] = {"lower": "good", "higher": "bad", "overloaded": "doubt"}
    below = [effect.text] if metric == AMPLIFICATION or not effect.by_drive else []
    below.append(parts_of(card.suite, metric, effect))
    lines = tuple(Cell(each) for each in below if each)
    return Cell(effect.said, below=lines, tone=tones.get(effect.shown, ""))


def parts_of(suite: Suite, metric: str, effect: Effect) -> str:
    """Give the ratios that it is made of: of each family of workloads, or on each drive."""
    if not effect.conclusive:
        return ""
    parts = dict(effect.by_drive)
    if metric == AMPLIFICATION:
        families = suite.families
        parts = {
            family: median(logs)
            for family in (RECORDED, PUBLIC, GENERATED, HELD_OUT)
            if (logs := [log for name, log in effect.by_workload.items() if families[name] == family])
        }
    return ", ".join(f"{name} ×{math.exp(log):.2f}" for name, log in parts.items())


def workloads(card: Card) -> Table:
    """Give its write amplification by workload, beside that of the reference."""
    devices, place = _measured_on(card)
    ours = by_workload(card.runs, devices).get(card.name, {})
    theirs = by_workload(card.suite.baselines, devices)
    shown = [card.first, *_shown(card)]
    families = card.suite.families
    body = [
        [Cell(trace), Cell(families[trace]), Cell(f"{ours[trace]:.2f}")]
        + [Cell(f"{theirs[each][trace]:.2f}" if trace in theirs.get(each, {}) else MISSING) for each in shown]
        for trace in families
        if trace in ours
    ]
    columns: list[str | Column] = ["workload", "it is", *figures_of("", [card.name, *shown])[1:]]
    return Table(columns, body, title=f"Write amplification, {place}", name="workloads", why=None)


def _measured_on(card: Card) -> tuple[list[str], str]:
    devices = card.suite.devices
    if card.suite.drive:
        return devices[:1], f"on {devices[0]}"
    if devices[0] in card.runs["device"].to_list():
        return devices[:1], "measured without time"
    return devices[1:], "the mean over the timed drives"


def _shown(card: Card) -> list[str]:
    """Rivals that are shown beside the reference: those that write the least, and the bound."""
    of = card.against[AMPLIFICATION]
    best = sorted((each for each in card.rivals if each != card.first), key=lambda each: -of[each].value)
    return [*best[: SHOWN - 2], *([BOUND] if BOUND in of else [])]


def picture(card: Card) -> Any:
    """Draw write amplification, a row for each workload: the candidate beside rivals."""
    devices, _ = _measured_on(card)
    rivals = by_workload(card.suite.baselines, devices)
    ours = by_workload(card.runs, devices).get(card.name, {})
    found = {card.name: ours} | {
        name: {trace: value for trace, value in rivals.get(name, {}).items() if trace in ours}
        for name in (card.first, *_shown(card))
    }
    return workloads_drawn(found, [*card.suite.families]) if ours else None


def workloads_drawn(found: Mapping[str, Mapping[str, float]], workloads: Sequence[str]) -> Any:
    """Draw write amplification by workload.

    Args:
        found: by scheme and workload.
        workloads: in which order.
    """
    records: Records = [
        {"workload": trace, "scheme": name, "amplification": float(f"{value:.5g}")}
        # The first is drawn last, above the others.
        for name, of in reversed([*found.items()])
        for trace, value in of.items()
    ]
    most = max(value for of in found.values() for value in of.values())
    along = alt.Scale(domain=[1, most * 1.05], nice=False)
    names = [*found]
    drawn = dots(
        records,
        size=90,
        opacity=0.9,
        x=alt.X(
            "amplification:Q",
            title="write amplification (lower is better)",
            scale=along,
            axis=alt.Axis(tickCount=8),
        ),
        y=rows("workload", workloads),
        color=told_apart(alt.Color, "scheme", names, PALETTE[: len(names)]),
        shape=told_apart(alt.Shape, "scheme", names, SHAPES[: len(names)]),
        tooltip=[alt.Tooltip("scheme:N"), alt.Tooltip("workload:N"), alt.Tooltip("amplification:Q")],
    )
    return (rule(1, along, color="#8c959f") + drawn).properties(width=560)


def notes_of(card: Card) -> list[Note]:
    """What speaks against it, where it loses, and what must be known."""
    found = [Note(each, severity="doubt") for each in card.caught]
    of = card.against[AMPLIFICATION]
    for rival in dict.fromkeys([card.first, *_shown(card)]):
        if rival not in of or rival == BOUND:
            continue
        lost = {name: log for name, log in of[rival].by_workload.items() if log > SAME_WITHIN}
        if lost:
            many = f"{len(lost)} of {len(of[rival].by_workload)} workloads"
            worst = sorted(lost, key=lambda name: -lost[name])
            found.append(Note(f"It writes more than {rival} on {many}: {listed(worst)}."))
    if card.first and len(of[card.first].by_workload) < fewest():
        found.append(Note(f"Fewer than {fewest()} workloads give no interval.", severity="doubt"))
    found += [Note(each) for each in card.notes]
    return found + [Note(f"Not run: {each}") for each in card.failures]


def document(card: Card) -> Document:
    """Give the card."""
    count = len({*card.runs["trace"]})
    own = " on a drive or workloads of your own" if card.suite.is_own else ""
    runs = f"{card.runs.height} runs{own}"
    about = f"{card.name} on the suite {card.suite.name}: {count} workload{'s'[: count > 1]}, {runs}"
    level = "not-trustworthy" if card.caught else ""
    conclusion = sentence(card)
    if card.caught:
        conclusion = f"Not to be believed: {card.caught[0]} As measured: {conclusion}"
    blocks: list[Block | None] = beginning(
        about,
        conclusion,
        notes_of(card),
        level=level,
        chart=Chart("answer", partial(picture, card)),
        caption=f"Each row is a workload, {_measured_on(card)[1]}.",
    )
    rivals = (
        "Ratios on the median workload, with 95 % intervals over workloads. Tails are means over the drives, "
        f"whose ratios stand below. Equal: an interval inside {percent(SAME_WITHIN)}. Overloaded: one of the "
        "two did not keep up with the load. Bytes/block: what firmware would keep for victims and "
        "separation, beside the map. CPU time: what Reclaim takes for as many writes, over greedy's."
    )
    blocks += [Title("Beside every rival", "beside"), table(card), rivals]
    blocks += card.tuned.blocks() if card.tuned else []
    blocks += card.decided.blocks() if card.decided else []
    blocks += [Title("By workload", "by-workload", page=True), workloads(card)]
    if card.command:
        blocks += again(card.command, f"suite {card.suite.name}, digest {card.suite.digest}", "suite")
    return Document(card.name, blocks)


def latex(card: Card) -> str:
    """Give a row of a LaTeX table: the candidate, and each metric against the reference with its interval."""
    effects = [card.effect(metric, card.first) for metric in METRICS]
    row = latex_row([card.name, *("--" if each is None else each.text for each in effects)])
    columns = " & ".join(["candidate", *METRICS.values()])
    return f"% {columns}, against {card.first}, suite {card.suite.name}\n{row}\n"
