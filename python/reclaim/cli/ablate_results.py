"""What `reclaim ablate` prints: what it is about to run, then conclusions and what they are drawn from."""

from __future__ import annotations

from reclaim.bench.task import cores
from reclaim.cli.console import err, out
from reclaim.cli.sweep_progress import duration
from reclaim.instruments.ablation.ablate import Cost
from reclaim.instruments.ablation.ablation import Ablation
from reclaim.instruments.ablation.plan import Plan
from reclaim.instruments.ablation.report import document
from reclaim.instruments.ablation.tables import of_verdicts
from reclaim.report.terminal import show as show_document
from reclaim.results.sets.metrics import describe


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
    show_document(document(found), out)
    out.print(f"results: {found.folder}", soft_wrap=True, markup=False)


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
