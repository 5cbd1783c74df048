"""What `reclaim ablate` prints: what it is about to run, then conclusions and what they are drawn from."""

from __future__ import annotations

from rich.table import Table

from reclaim.bench.local import cores
from reclaim.cli.console import err, out
from reclaim.cli.sweep_progress import duration
from reclaim.instruments.ablation.ablate import Cost
from reclaim.instruments.ablation.ablation import Ablation
from reclaim.instruments.ablation.plan import Plan
from reclaim.instruments.ablation.result import OfMetric
from reclaim.instruments.ablation.tables import HEAD, notes, notes_of, of_verdicts, pairs, rows
from reclaim.results.sets.metrics import describe
from reclaim.results.verdict import legend_of


def cost_lines(plan: Plan, cost: Cost) -> list[str]:
    """Say what is taken apart, and what that takes."""
    entry = plan.entry
    counted = {
        "drives": len(plan.subsets),
        "workloads": len(plan.usable()),
        "repeats": len(plan.repeats),
    }
    names = ", ".join(part.name for part in plan.parts)
    many = "1 part" if len(plan.parts) == 1 else f"{len(plan.parts)} parts"
    product = " × ".join(f"{count} {name if count > 1 else name[:-1]}" for name, count in counted.items())
    text = f"{product}: {cost.points} points"
    text += f", {cost.stored} of them stored" if cost.stored else ""
    text += f"; {cost.refused} drives are refused" if cost.refused else ""
    if cost.points > cost.stored:
        text += f"; about {duration(cost.estimate.seconds)} on {cores()} cores, more for an overloaded drive"
    return [f"{entry.origin} → {entry.target}, {many}: {names}", text]


def show(found: Ablation) -> None:
    """Print the conclusions first, then what they are drawn from."""
    for damaged in found.damaged:
        err.print(f"warning: {damaged}", soft_wrap=True, markup=False)
    for sentence in found.conclusions:
        out.print(sentence, soft_wrap=True, markup=False)
    for each in found.metrics:
        out.print()
        if each.overall.rows:
            out.print(_table(each))
        if pairs(each.overall):
            out.print(_pairs(each))
        for note in notes_of(found, each):
            out.print(f"note: {note}", soft_wrap=True, markup=False)
    out.print()
    for note in notes(found):
        out.print(f"note: {note}", soft_wrap=True, markup=False)
    out.print(f"results: {found.folder}", soft_wrap=True, markup=False)


def _table(each: OfMetric) -> Table:
    several = len(each.overall.workloads)
    of = f"mean of {several} workloads" if several > 1 else "".join(each.overall.workloads)
    table = Table(title=f"{describe(each.metric).label}, log units, {of}", title_justify="left")
    for name in HEAD:
        table.add_column(name, justify="left" if name == HEAD[0] else "right")
    body = rows(each.overall, each.mark)
    for number, row in enumerate(body):
        table.add_row(*row, end_section=number == len(body) - 2)
    table.caption, table.caption_justify = legend_of([each.mark]) or None, "left"
    return table


def _pairs(each: OfMetric) -> Table:
    table = Table(title="Pairs: what both do beyond each without the other", title_justify="left")
    for name in ("pair", "log units", "95 % interval", "beside subsets"):
        table.add_column(name)
    for row in pairs(each.overall, each.mark):
        table.add_row(*row)
    return table


def exit_code(found: Ablation) -> int:
    """Give the worst: 1 if a run failed or warns, or nothing is known of a metric; 3 if a run has doubts."""
    if found.failures or any(each.overall.total is None or each.warnings for each in found.metrics):
        return 1
    return 3 if any(each.doubts for each in found.metrics) else 0


def reason(found: Ablation) -> str:
    """Say why the exit code is what it is: what failed, what is not known, or what runs say of themselves."""
    if found.failures:
        return f"{len(found.failures)} runs failed"
    unknown = [describe(each.metric).label for each in found.metrics if each.overall.total is None]
    if unknown:
        return f"nothing is known of {', '.join(unknown)}"
    return next(of_verdicts(found), "")
