"""What a reproduction leaves: its document, claim by claim, and agreements as JSON and Parquet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from reclaim import encoding, output_file, table_file
from reclaim.paper.charts import chart_of_claims
from reclaim.paper.decisions import NAMES
from reclaim.paper.evaluation import CHANGED, JudgedClaim, Reproduction, VariedFigure
from reclaim.paper.loads import WORDS
from reclaim.paper.measured import Figure
from reclaim.paper.page import pictures_of, screen_text
from reclaim.paper.page_parts import head_of
from reclaim.paper.pictures import FOLDER
from reclaim.paper.text import TONES, ours, parts, printed, summary
from reclaim.report import PAGE
from reclaim.report.document import (
    Block,
    Cell,
    Chart,
    Column,
    Document,
    Fold,
    Labels,
    Markdown,
    Note,
    Notes,
    Source,
    Table,
    Text,
    Title,
    Verdict,
    figures_of,
)
from reclaim.report.forms import chosen
from reclaim.report.html import render

LEVELS = {
    "quick": "Level quick runs small drives for seconds: its agreements say that everything runs, not what "
    "the paper is worth.",
    "default": "Level default has six repeats under one load rule; agreements to be cited come from --full.",
}
LEGEND = (
    "Printed and ours, with a 95 % interval over repeats, where there are six. In the charts: | is printed, "
    "grey its tolerance, ● ours with its interval, in the colour of the agreement; of orders the ratio, with "
    "a small mark for each workload. The rules of the agreements are in docs/papers.md."
)
FEW = 30
"""Claims of a group below which they are shown unfolded."""


def document(found: Reproduction) -> Document:
    """Tell a reproduction claim by claim."""
    paper, provenance = found.paper, found.provenance
    level = f"what it prints beside what Reclaim {provenance.version} measures · level {provenance.level}"
    screen = screen_text(found)
    opening = Markdown(screen, FOLDER, partial(pictures_of, found), "screen") if screen else Text(paper.about)
    blocks: list[Block] = [Text(f"{paper.authors} · {level}", "sub"), opening, _verdict(found)]
    blocks += [Labels(text, cells) for text, cells in _counts(found)]
    blocks += [Title("Claims"), LEGEND]
    for index, (name, rows) in enumerate(found.groups().items()):
        blocks += _group(found, f"group_{index}", found.title(name), rows)
    if found.drawings:
        blocks.append(Title("Figures of our runs"))
    for index, each in enumerate(found.drawings):
        blocks += [Title(each.title, rank=3), each.caption]
        blocks.append(Chart(f"drawing_{index}", partial(lambda drawn: drawn, each.chart)))
    return Document(f"{paper.title}, reproduced", [*blocks, *_further(found)], paper.title)


def brief(found: Reproduction) -> Document:
    """Tell as much of it as a terminal shows: the page's first screen, the claims, and the totals."""
    blocks: list[Block] = [Markdown(screen_text(found), FOLDER, dict, "screen")]
    for name, rows in found.groups().items():
        head: list[str | Column] = [
            *figures_of("", (head_of(row.claim.origin for row in rows), "ours")),
            Column("agreement"),
        ]
        cells: list[list[str | Cell]] = [
            [
                row.claim.what,
                printed(row.claim),
                ours(row.figure, row.claim),
                _agreement(row.judgement.agreement),
            ]
            for row in rows
            if row.is_judged
        ]
        blocks.append(Table(head, cells, found.title(name)))
    blocks.append(Text(f"{found.paper.key}, level {found.provenance.level}: {summary(found)}"))
    blocks += [Text(f"{each.headline.name}: {each.conclusion}") for each in found.findings]
    return Document(found.paper.title, blocks)


def _verdict(found: Reproduction) -> Verdict:
    """What a reader must know first."""
    level = LEVELS.get(found.provenance.level)
    rests = "Agreements are of the default readings and of one load rule, as the paper's file declares them"
    notes: list[Note | str] = [level] if level else []
    notes += [f"{rests}: {WORDS[found.paper.load]}.", *(f"Open: {each}" for each in found.paper.unsettled)]
    notes += [f"{each.headline.says} {each.text}" for each in found.findings]
    plain: list[Note | str] = [Note(str(each), severity="") for each in notes]
    failed = [Note(f"A point failed: {each}", severity="failure") for each in found.provenance.failures]
    in_full = "not-established" if level else "neutral"
    return Verdict([Text(f"{summary(found)}."), Notes([*plain, *failed])], in_full, "verdict")


def _agreement(name: str, count: int | None = None) -> Cell:
    """An agreement in its colour, perhaps with how many have it."""
    return Cell(name if count is None else f"{count} {name}", tone=TONES[name])


def _counts(found: Reproduction) -> Iterator[tuple[str, list[Cell]]]:
    """How many measurements of each class got each agreement."""
    for total in found.totals():
        each = [_agreement(name, count) for name, count in (*total.counted.items(), *total.shown.items())]
        yield f"{total.words}, of {total.of}" if total.of else total.words, each


def _listed(counts: Counter[str]) -> list[Cell]:
    return [_agreement(name, counts[name]) for name in NAMES if counts[name]]


def _group(found: Reproduction, name: str, title: str, rows: Sequence[JudgedClaim]) -> Iterator[Block]:
    """The claims of a table or figure of the paper."""
    yield Title(title, rank=3)
    if found.is_judged:
        yield Labels("", _listed(Counter(row.judgement.agreement for row in rows)))
    yield Chart(name, partial(chart_of_claims, rows))
    judged = [row for row in rows if row.is_judged]
    others = [row for row in rows if not row.is_judged]
    head = head_of(row.claim.origin for row in rows)
    if judged:
        yield Fold(f"{len(judged)} judged", [_claims(judged, head)], opened=len(judged) < FEW)
    if others:
        yield Fold(f"{len(others)} not run or outside the model", [_claims(others, head)])


def _claims(rows: Sequence[JudgedClaim], head: str) -> Table:
    columns = [Column("claim"), Column(head, right=True), Column("ours", right=True), Column("agreement")]
    anchors = [row.claim.id for row in rows]
    return Table(columns, [_cells(row) for row in rows], kind="claims", anchors=anchors)


def _cells(row: JudgedClaim) -> list[Cell]:
    claim, judgement = row.claim, row.judgement
    says = f"{claim.contradiction.says}: " if claim.contradiction else ""
    others = [("reading", each) for each in row.readings] + [("load", each) for each in row.loads]
    more = tuple(
        f"{kind} {each.label}: {ours(each.figure, claim)}, {each.judgement.agreement}"
        for kind, each in others
    )
    about = (f"{claim.where} · {claim.id}", *([claim.remark] if claim.remark else []))
    return [
        Cell(claim.what, below=tuple(map(Cell, about)), more=more),
        Cell(printed(claim)),
        Cell(ours(row.figure, claim), below=tuple(map(Cell, parts(row)))),
        Cell(judgement.agreement, tone=TONES[judgement.agreement], below=(Cell(f"{says}{judgement.why}"),)),
    ]


def _further(found: Reproduction) -> Iterator[Block]:
    """Traces, load, readings, and what else stands below the claims."""
    paper, provenance = found.paper, found.provenance
    yield Title("Traces and load")
    traces = [
        [each["name"], each["of"] or "–", each["kind"], Cell(each["source"], below=_small(each["note"]))]
        for each in provenance.traces
    ]
    yield (
        Table(["trace", "in place of", "kind", "source"], traces, kind="entries")
        if traces
        else Text("This paper's claims need no trace.")
    )
    tried = sorted({each.label for row in found.rows for each in row.loads})
    also = f" Also tried: {'; '.join(WORDS[each] for each in tried)}." if tried else ""
    yield Text(f"Load rule: {WORDS[paper.load]}.{also}")
    head: list[str | Column] = ["workload", "experiment", "rule"]
    head += [*(Column(each, right=True) for each in SCALED), ""]
    yield Table(head, [_scaling(each) for each in provenance.scalings], name="scalings")
    yield Title("Under other loads and readings")
    yield (
        "Of the claims that have a figure in both; each varied alone, with six repeats. The agreements above "
        "stay what they are."
    )
    varied: list[list[str | Cell]] = [
        [
            Cell(label, below=_small(WORDS.get(label, ""))),
            str(counts.get(CHANGED, 0) or "none"),
            ", ".join(each.text for each in _listed(Counter(counts))),
        ]
        for label, counts in found.by_variation().items()
    ]
    head = ["load rule, reading or variation", Column("other agreements", right=True), "agreements under it"]
    yield Table(head, varied, name="variations", kind="entries")
    yield Title("Readings of what the text leaves open")
    for reading in paper.readings:
        tried_ways = ", ".join(reading.settings)
        told = f"{reading.name}: {reading.unclear} Tried: {tried_ways}. Agreements rest on {reading.default}:"
        yield Text(f"{told} {reading.why}", name=f"reading_{reading.name}")
    yield from _list("Deviations", paper.deviations)
    yield from _list("Refused", _refused(found), "Cells that no claim may rest on.")
    yield Title("How to run it again")
    yield Source(provenance.command)
    schemes = "".join(f", {theirs} is {name}" for theirs, name in paper.schemes.items())
    yield f"Drive {paper.drive}, baseline {paper.baseline}{schemes}."


SCALED = ("time scale", "die utilisation")


def _scaling(each: Mapping[str, Any]) -> list[str]:
    scale, used = f"×{each['time_scale']:.4g}", f"{100 * each['reached']:.1f} %"
    return [each["workload"], each["experiment"], each["rule"], scale, used, each["reason"] or "reached"]


def _small(text: str) -> tuple[Cell, ...]:
    return (Cell(text),) if text else ()


def _list(title: str, texts: Iterable[str], caption: str = "") -> Iterator[Block]:
    yield Title(title)
    if notes := [Note(text, severity="") for text in texts]:
        yield from [caption] if caption else []
        yield Notes(notes, title.lower())


def _refused(found: Reproduction) -> list[str]:
    """Cells that no claim may rest on, each once."""
    cells: dict[str, None] = {}
    for row in found.rows:
        if row.measured is not None and row.claim.measure is not None:
            for name, why in row.measured.refused.items():
                cells[f"{row.claim.measure.experiment}, {name}: {why}"] = None
    return list(cells)


FILES = (PAGE, "agreement.json", "agreement.parquet")
EARLIER = ("verdicts.json", "verdicts.parquet")
"""As two of them were called before 0.1: a new run of a folder removes them."""
FORMAT = 4


def write(found: Reproduction, folder: Path) -> None:
    """Write all files.

    Raises:
        InputError: if one cannot be written.
    """
    output_file.write_text(folder / "agreement.json", text_of(found))
    table_file.write(table(found), folder / "agreement.parquet")
    output_file.write_text(folder / PAGE, render(document(found)))


def text_of(found: Reproduction) -> str:
    """Give everything as JSON."""
    return encoding.json_text(to_dict(found)) + "\n"


def to_dict(found: Reproduction) -> dict[str, Any]:
    """Give everything as plain values; the same for the same level on every machine."""
    counted = {id(row) for row in found.measurements()}
    return {
        "format": FORMAT,
        "paper": found.paper.key,
        "title": found.paper.title,
        "level": found.provenance.level,
        "load": found.paper.load,
        "command": found.provenance.command,
        "reclaim_version": found.provenance.version,
        "counts": {total.of_class: dict(total.counted) for total in found.totals() if total.counted},
        "shown": {total.of_class: dict(total.shown) for total in found.totals() if total.shown},
        "unsettled": list(found.paper.unsettled),
        "why": [each.to_dict() for each in found.findings],
        "traces": [dict(each) for each in found.provenance.traces],
        "scalings": [dict(each) for each in found.provenance.scalings],
        "failures": list(found.provenance.failures),
        "claims": [_row(row, id(row) in counted) for row in found.rows],
    }


def _row(row: JudgedClaim, counted: bool) -> dict[str, Any]:
    claim = row.claim
    return {
        **chosen(claim, "id", "group", "what", "where", "kind", "origin"),
        "class": claim.of_class,
        "why_class": claim.why_class,
        "counted": counted,
        **chosen(claim, "printed", "value", "unit", "better", "tolerance"),
        "ours": _figure(row.figure),
        **chosen(row.judgement, "agreement", "why", "capped"),
        "parts": {name: _figure(part) for name, part in row.measured.parts} if row.measured else {},
        "refused": dict(row.measured.refused) if row.measured else {},
        "absent": list(row.measured.absent) if row.measured else [],
        "readings": [_other(each) for each in row.readings],
        "loads": [_other(each) for each in row.loads],
        "remark": claim.remark,
    }


def _figure(figure: Figure | None) -> dict[str, Any] | None:
    return None if figure is None else asdict(figure)


def _other(other: VariedFigure) -> dict[str, Any]:
    judged = chosen(other.judgement, "agreement", "why")
    return {"label": other.label, "ours": _figure(other.figure), **judged}


COLUMNS: dict[str, type[pl.DataType]] = {
    **dict.fromkeys(("paper", "level", "claim", "group", "what", "where", "kind"), pl.String),
    **dict.fromkeys(("origin", "class", "printed"), pl.String),
    "value": pl.Float64,
    "unit": pl.String,
    **dict.fromkeys(("tolerance", "ours", "low", "high"), pl.Float64),
    "repeats": pl.Int64,
    **dict.fromkeys(("agreement", "why"), pl.String),
    "capped": pl.Boolean,
}


def table(found: Reproduction) -> pl.DataFrame:
    """The claims as a table, a row each."""
    rows = []
    for claim in to_dict(found)["claims"]:
        of = {"paper": found.paper.key, "level": found.provenance.level, "claim": claim["id"]}
        number, figure = claim["value"], claim["ours"] or {}
        ours = {"ours": figure.get("value"), "low": figure.get("low"), "high": figure.get("high")}
        printed = {"printed": claim["printed"] or str(number)}
        value = {"value": number if isinstance(number, float) else None, "repeats": figure.get("count")}
        rows.append({**claim, **of, **printed, **value, **ours})
    return pl.DataFrame([{name: row[name] for name in COLUMNS} for row in rows], schema=COLUMNS)
