"""A tuning as a document: what was found, how it was judged, the search."""

from __future__ import annotations

from reclaim.instruments.tuning import plots
from reclaim.instruments.tuning.device_file import files_of
from reclaim.instruments.tuning.study import Tuned
from reclaim.instruments.tuning.tables import around_rows, found_rows, front_rows, judged_rows, trial_rows
from reclaim.instruments.tuning.words import conclusion, notes, places, verdict
from reclaim.report.document import Chart, Document, Fold, Note, Notes, Section, Table, Text, Verdict, again

PICTURES = ("search.png", "traded.png", "judged.png", "around.png")
WHY = "what runs say of the metric; the notes have it"


def document(found: Tuned) -> Document:
    """Give the conclusion first, then what it is drawn from."""
    prepared = found.prepared
    entry, name, scheme = prepared.entry, prepared.experiment.name, prepared.scheme.name
    judged, files = found.of_found(), list(files_of(found))
    tuned_on, judged_on = (places(found, judged=of_judging) for of_judging in (False, True))
    measured = (*entry.objectives, "constraints")
    trials = Table(("trial", "settings", *measured), trial_rows(found), name="trials")
    around = Table(
        ("parameter", "found", "moved to", *measured), around_rows(found), name="neighbours", why=WHY
    )
    kept = f" that keeps {', '.join(limit.text for limit in entry.constraints)}" if entry.constraints else ""
    takes = "is a device file" if len(files) == 1 else "are device files"
    return Document(
        f"{name}, tuned",
        [
            Text(prepared.experiment.parts.about, "sub"),
            Verdict([Text(conclusion(found))], "not-established" if verdict(found) else ""),
            Notes([Note(text) for text in notes(found)], "notes"),
            Section(
                "What was found",
                [
                    Table(("parameter", "as it is", "found"), found_rows(found), name="found"),
                    Text(
                        f"{', '.join(f'`{file}`' for file in files)} beside this page {takes} that "
                        "`reclaim run TRACE --device` takes."
                        if files
                        else "",
                        "caption",
                    ),
                ],
            ),
            Section(
                f"Judged on {judged_on}",
                [
                    Text(
                        f"Ratios to {scheme} as it is, paired by repeat, mean over workloads; in brackets "
                        f"the 95 % interval of Student's t. The last column is of {tuned_on}, which it was "
                        "chosen by: chance has its share there.",
                        "caption",
                    ),
                    Chart("judged", lambda: None if judged is None else plots.judging(found, judged)),
                    Table(
                        ("metric", "tuned / as it is", "", "where it was tuned"),
                        judged_rows(found),
                        name="judgements",
                        why=WHY,
                    ),
                ],
            ),
            Section(
                "The front",
                [
                    Text(
                        "Trials that no other beats in one objective without losing in another. Each cell: "
                        "the ratio where it was tuned; where it was judged, with its interval.",
                        "caption",
                    ),
                    Chart("traded", lambda: plots.traded(found)),
                    Table(("trial", "settings", *measured), front_rows(found), name="front", why=WHY),
                ],
            ),
            Section(
                "The search",
                [
                    Text(
                        f"{len(found.trials)} trials of {prepared.space.size} combinations on {tuned_on}; "
                        f"the line is the best so far{kept}. {found.runs} runs in all. {len(found.refused)} "
                        "combinations were refused.",
                        "caption",
                    ),
                    Chart("search", lambda: plots.progress(found)),
                    Fold("Every trial", [trials]),
                ],
            ),
            Section(
                "What it hangs on, where it was tuned",
                [
                    Text(
                        "What was found with one parameter moved and all others as they were found. A "
                        "parameter whose marks lie on the dashed line does not matter there.",
                        "caption",
                    ),
                    Chart("around", lambda: plots.around(found)),
                    Fold("Every one of them", [around], page=False),
                ],
            ),
            again(f"reclaim tune experiment.toml -o {name}", prepared.experiment.text),
        ],
        heading=f"{name}: {scheme}, tuned",
    )
