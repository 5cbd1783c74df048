"""A tuning as a document: what was found, how it was judged, the search."""

from __future__ import annotations

from reclaim.instruments.tuning import plots
from reclaim.instruments.tuning.device_file import files_of
from reclaim.instruments.tuning.study import Tuned
from reclaim.instruments.tuning.tables import around_rows, found_rows, front_rows, judged_rows, trial_rows
from reclaim.instruments.tuning.words import conclusion, notes, places, verdict
from reclaim.report.document import Chart, Document, Fold, Table, Title, again, beginning

PICTURES = ("search.png", "traded.png", "judged.png", "around.png")
WHY = "what runs say of the metric; the notes have it"
JUDGED = ("metric", "tuned / as it is", "", "where it was tuned")


def document(found: Tuned) -> Document:
    """Give the conclusion first, then what it is drawn from."""
    prepared = found.prepared
    entry, name, scheme = prepared.entry, prepared.experiment.name, prepared.scheme.name
    judged, files = found.of_found(), [f"`{each}`" for each in files_of(found)]
    tuned_on, judged_on = (places(found, judged=of_judging) for of_judging in (False, True))
    measured = (*entry.objective, "constraints")
    around = Table(
        ("parameter", "found", "moved to", *measured), around_rows(found), name="neighbours", why=WHY
    )
    kept = f" that keeps {', '.join(limit.text for limit in entry.constraints)}" if entry.constraints else ""
    takes = "is a device file" if len(files) == 1 else "are device files"
    blocks = [
        *beginning(
            prepared.experiment.parts.about, conclusion(found), notes(found), in_doubt=verdict(found) != 0
        ),
        Title("What was found"),
        Table(("parameter", "as it is", "found"), found_rows(found), name="found"),
        f"{', '.join(files)} beside this page {takes} that `reclaim run TRACE --device` takes.",
        Title(f"Judged on {judged_on}"),
        (
            f"Ratios to {scheme} as it is, paired by repeat, mean over workloads; in brackets the 95 % "
            f"interval. The last column is of {tuned_on}, which it was chosen by: chance has its share "
            "there."
        ),
        Chart("judged", lambda: None if judged is None else plots.judging(found, judged)),
        Table(JUDGED, judged_rows(found), name="judgements", why=WHY),
        Title("The front"),
        (
            "Trials that no other beats in one objective without losing in another. Each cell: the ratio "
            "where it was tuned; below it where it was judged, with its interval."
        ),
        Chart("traded", lambda: plots.traded(found)),
        Table(("trial", "settings", *measured), front_rows(found), name="front", why=WHY),
        Title("The search"),
        (
            f"{len(found.trials)} trials of {prepared.space.size} combinations on {tuned_on}; the line is "
            f"the best so far{kept}. {found.runs} runs in all. {len(found.refused)} combinations were "
            "refused."
        ),
        Chart("search", lambda: plots.progress(found)),
        Fold("Every trial", [Table(("trial", "settings", *measured), trial_rows(found), name="trials")]),
        Title("What it hangs on, where it was tuned"),
        (
            "What was found with one parameter moved and all others as they were found. A parameter whose "
            "marks lie on the dashed line does not matter there."
        ),
        Chart("around", lambda: plots.around(found)),
        Fold("Every one of them", [around], page=False),
        *again(f"reclaim tune experiment.toml -o {name}", prepared.experiment.text),
    ]
    return Document(f"{name}, tuned", blocks, heading=f"{name}: {scheme}, tuned")
