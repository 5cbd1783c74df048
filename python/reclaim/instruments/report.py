"""A study of sensitivity as a document: its conclusions, and every key."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from reclaim.instruments.conclusion import LOADS, Names, ratio_of, sentence
from reclaim.instruments.judging import STATUSES, Key, Status, Variation, state_of
from reclaim.instruments.load import Kept
from reclaim.instruments.study import Study, Together
from reclaim.report.document import Block, Cell, Chart, Column, Document, Fold, Section, Table, Text, Verdict
from reclaim.statistics.intervals import fewest
from reclaim.units import MISSING

SAYS: Mapping[Status, str] = {
    "turns": "turns it",
    "open": "leaves it open",
    "holds": "holds",
    "nothing": "changes nothing",
    "unsteady": "unsteady",
    "uncollected": "collected nothing",
    "refused": "could not be run",
    "not-run": "beyond the budget",
}


def _figure(each: Variation) -> str:
    found = each.last
    if found is None:
        return MISSING
    if found.sample is None:
        # The key and its value stand beside it.
        return found.fault.rpartition(f"{each.key}: ")[2]
    text = ratio_of(found)
    return text if each.full is not None else f"{text.split(',')[0]} of two repeats"


def rows(study: Study) -> Iterator[list[str | Cell]]:
    """Give a row for each key: what turns the conclusion first, what agrees last."""
    order = {status: number for number, status in enumerate(STATUSES)}
    for key in sorted(study.keys, key=lambda key: (order[key.status], key.corrected)):
        variations = (f"`{each.whose}` {_says(each, key, study)} {_figure(each)}" for each in key.variations)
        present = ", ".join(dict.fromkeys(value or MISSING for value in key.present.values()))
        status = SAYS[key.status] if study.side or key.status != "turns" else "gives it a direction"
        pulls = Cell(strongest(key, study), more=(key.why, *variations))
        yield [key.name, key.kind, present, status, f"{key.corrected:.2g}", pulls]


def strongest(key: Key, study: Study) -> str:
    """Name the variation that is farthest against the conclusion, with its ratio; or why there is none."""
    ran = [(each.last.sample, each) for each in key.variations if each.last is not None]
    known = [(sample.mean, each) for sample, each in ran if sample is not None]
    base = study.base.sample
    if not known or base is None:
        return next((_figure(each) for _, each in ran), MISSING)
    side = study.side
    _, each = min(known, key=lambda pull: pull[0] * side if side else -abs(pull[0] - base.mean))
    return f"{each.whose}: {_figure(each)}"


def _says(each: Variation, key: Key, study: Study) -> str:
    if each in key.turning:
        return SAYS["turns"]
    status = state_of(each, study.side, study.expected, study.base)
    if status == "open" and each.is_beyond(study.side):
        return "on the other side" if study.side else "has a direction"
    return MISSING if status == "open" and study.side == 0 else SAYS[status]


def together_rows(found: list[Together]) -> list[tuple[str, str, str]]:
    """Give what was moved together: the keys, whether it turns the conclusion, the ratio."""
    return [
        (
            ", ".join(f"{key} = {value}" for key, value in each.parts)
            + ("" if each.move == "both" else f"; for {each.move} alone"),
            "turns it" if each.turns else "",
            MISSING
            if each.found is None
            else each.found.fault
            if each.found.sample is None
            else ratio_of(each.found)
            if each.found.sample.count >= fewest()
            else f"{ratio_of(each.found).split(',')[0]} of two repeats",
        )
        for each in sorted(found, key=lambda each: (not each.turns, each.corrected))
    ]


SHOWN = 20
"""Rows of the table that a terminal shows; the page has all."""
HEAD = (
    Column("key", code=True),
    "kind",
    Column("here", code=True, most=20),
    "conclusion",
    "p, corrected",
    Column("farthest against it", most=70),
)


def document(
    name: str, about: str, names: Names, studies: Sequence[tuple[Study, Kept]], runs: int
) -> Document:
    """Give the conclusions first, then each study."""
    verdicts: list[Block] = [
        Verdict(
            [Text(sentence(names, study, kept))],
            "not-established" if not study.side or any(_is_open(key) for key in study.keys) else "",
            f"conclusion-{kept}",
        )
        for study, kept in studies
    ]
    several = len(studies) > 1
    caption = (
        "Each key of the model is moved to its declared alternatives, for both schemes and for each alone. A "
        f"count of keys is no probability: alternatives are no sample of anything. {runs} runs."
    )
    of_studies = [_section(names, study, kept, several=several) for study, kept in studies]
    return Document(
        f"{name}, sensitivity",
        [Text(about, "sub"), *verdicts, Text(caption, "caption"), *of_studies],
        heading=f"{name}: what would turn it",
    )


def _is_open(key: Key) -> bool:
    return key.status in ("turns", "open")


def _section(names: Names, study: Study, kept: Kept, *, several: bool) -> Section:
    def drawn() -> object:
        from reclaim.instruments.tornado import tornado

        return tornado(names, study)

    listed = study.listed
    marks = [each.last.mark for key in study.keys for each in key.variations if each.last]
    unmoved = {
        "compared itself": ", ".join(listed.compared) or "nothing",
        "without effect on this drive": ", ".join(listed.vain) or "nothing",
        "left out by the experiment": ", ".join(listed.left_out),
        "alternatives of the experiment": ", ".join(listed.changed),
        "combinations refused": str(study.refused_draws),
    }
    together = {
        "Pairs of the keys that pull most": study.pairs,
        "Random combinations of alternatives": study.combinations,
    }
    return Section(
        LOADS[kept] if several else "",
        [
            Section(
                "How far each key moves the ratio",
                [
                    Text(
                        "Keys that move it most are on top. Dashed: the comparison as it stands; black: "
                        "no difference. A line is a 95 % interval; a mark without one is of two repeats, "
                        "far enough on the side of the base. Grey bars reach from the lowest to the "
                        "highest ratio of a key.",
                        "caption",
                    ),
                    Chart(f"tornado-{kept}", drawn),
                ],
                page=True,
            ),
            Section(
                "Every key",
                [
                    Text(
                        "The alternative that is farthest against the conclusion is in sight; open it for "
                        f"all. A is {names.a}, B is {names.b}.",
                        "caption",
                    ),
                    Text(
                        f"The budget cut short: {', '.join(study.over_budget)}." if study.over_budget else ""
                    ),
                    Table(
                        HEAD, list(rows(study)), most=SHOWN, marks=marks, why="what runs say of the metric"
                    ),
                    *(
                        Fold(
                            f"{title} ({len(moved)})",
                            [Table((Column("", code=True), "", ""), together_rows(moved))],
                        )
                        for title, moved in together.items()
                    ),
                ],
            ),
            Section(
                "What was not moved",
                [Table(("", ""), [each for each in unmoved.items() if each[1]], kind="entries")],
                page=True,
            ),
        ],
    )
