"""What `reclaim tune` prints: what it is about to search, then what it found and how that was judged."""

from __future__ import annotations

from collections.abc import Iterator

from reclaim.bench.local import cores
from reclaim.cli.console import err, out, print_table
from reclaim.cli.sweep_progress import duration
from reclaim.instruments.tuning.plan import Prepared
from reclaim.instruments.tuning.space import Parameter
from reclaim.instruments.tuning.tables import HEAD, around_rows, found_rows, front_rows, judged_rows, legend
from reclaim.instruments.tuning.tune import Tuning

MOST_VALUES = 8
"""Values of a parameter that are listed."""


def cost_lines(prepared: Prepared) -> Iterator[str]:
    """Say what is searched, and what that takes."""
    yield f"{prepared.scheme.name}: " + "; ".join(map(_parameter, prepared.space.parameters))
    known = prepared.cost()
    text = f"{known.trials} trials of {known.combinations:,} combinations, {known.runs_of_a_trial} runs each"
    text += f"; up to {known.around} runs around what is found, up to {known.judging} to judge it"
    yield f"{text}: {known.points} at most, about {duration(known.seconds)} on {cores()} cores"


def _parameter(each: Parameter) -> str:
    values = [value or "left out" for value in each.values]
    shown = values if len(values) <= MOST_VALUES else [*values[: MOST_VALUES - 2], "…", values[-1]]
    return f"{each.key} {', '.join(shown)}"


def show(found: Tuning) -> None:
    """Print the conclusion first, then what it is drawn from."""
    tuned = found.tuned
    for damaged in tuned.damaged:
        err.print(f"warning: {damaged}", soft_wrap=True, markup=False)
    for failure in tuned.failures:
        err.print(f"could not be run: {failure}", soft_wrap=True, markup=False)
    out.print(found.conclusion, soft_wrap=True, markup=False)
    objectives = tuned.prepared.entry.objectives
    print_table("What was found", ("parameter", "as it is", "found"), found_rows(tuned))
    print_table("Where it was judged", HEAD, judged_rows(tuned))
    print_table(
        "The front: where tuned; where judged",
        ("trial", "settings", *objectives, "constraints"),
        front_rows(tuned),
    )
    head = ("parameter", "found", "moved to", *objectives, "constraints")
    print_table("Around it: ratios to what was found, where it was tuned", head, around_rows(tuned))
    if marks := legend(tuned):
        out.print(marks, style="yellow")
    for note in found.notes:
        out.print(f"note: {note}", soft_wrap=True, markup=False)
    out.print(f"results: {found.folder}", soft_wrap=True, markup=False)
