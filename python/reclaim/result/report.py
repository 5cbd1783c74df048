"""The report of runs of one trace as a document, and its files: report.html and figures/*.png."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from reclaim import limits
from reclaim.errors import InputError
from reclaim.layers import named
from reclaim.parsing import leaves
from reclaim.pictures import picture
from reclaim.report import PAGE
from reclaim.report.document import Block, Chart, Document, Fold, Source, Table, Text, Title
from reclaim.report.html import render
from reclaim.report.ratios import beginning
from reclaim.result.folding import ALIKE, fold, full_label
from reclaim.result.identity import identity
from reclaim.result.opening import INCONCLUSIVE, LOOK, compared, opening
from reclaim.result.plots import FIGURES, figures
from reclaim.result.reported import Reported
from reclaim.result.streams import stream_tables
from reclaim.result.table import (
    legend,
    not_collected,
    remark_notes,
    repeats_of,
    stand_in_of,
    table_of,
)
from reclaim.result.verdict import Level, worst
from reclaim.start import in_words as facts_in_words
from reclaim.start import with_reasons
from reclaim.units import by_key

FIRST_FIGURES = ("latency_tail", "time_spent")
"""Figures above the table."""
LEVELS: dict[Level, str] = {
    "trustworthy": "These results can be trusted: no check speaks against them.",
    "not-established": INCONCLUSIVE,
    "not-trustworthy": "Do not rely on these results yet.",
}
SECTIONS = {"drive": "The drive", "flush": "Flushes"}


def _entries(values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Entries with labels and units, nested mappings under joined labels."""
    for (*sections, key), value in leaves(values):
        if not isinstance(value, list):
            label, text = by_key(key, value)
            yield ", ".join([*(section.replace("_", " ") for section in sections), label]), text


def _more(count: int) -> str:
    return f"{count} more row{'s' if count > 1 else ''}"


def _summary(results: Sequence[Reported]) -> list[Block]:
    """The table of figures, and what is folded away of it."""
    folded, labels = fold(results), [result.label for result in results]
    several = len(results) > 1
    first = table_of(folded.first, labels, kind="runs", label=full_label)
    told = "In grey: ratio to the first column. " if several else ""
    if (count := repeats_of(results)) > 1:
        told = f"Medians of {count} repeats. In grey: ratio to the first column, paired by repeat, "
        told += "and its 95 % interval. "
    marks = f" {legend(results)} (the verdict says why)." if legend(results) else ""
    alike = [(full_label(row), row.cells()[0]) for row in folded.alike]
    name = "The same for all schemes" if several else "Zero"
    rows = f"{name}: {len(alike)} row{'s' if len(alike) > 1 else ''}"
    return [
        Title("Summary", "summary"),
        f"{told}Latency is from arrival to completion.{marks}",
        first if folded.first else Text(ALIKE),
        *(
            Fold(
                f"{SECTIONS.get(section, f'{section.capitalize()}s')}: {_more(len(group))}",
                [table_of(group, labels, kind="runs")],
            )
            for section, group in folded.groups
        ),
        Fold(rows, [Table(("", ""), alike, kind="entries", why=None)]),
    ]


def _streams(results: Sequence[Reported]) -> list[Block]:
    """Tables of streams, where requests name several."""
    tables = stream_tables(results)
    return [Title("Streams"), *tables] if tables else []


def _charts(specs: Mapping[str, Any], *, first: bool, repeated: bool) -> list[Block]:
    """Figures above or below the table, in reading order."""
    of = " Of the first repeat." if repeated else ""
    return [
        block
        for name, (_, title, caption) in FIGURES.items()
        if name in specs and (name in FIRST_FIGURES) == first
        for block in (Title(title), f"{caption}{of}", Chart(name, partial(dict, specs[name])))
    ]


def document(results: Sequence[Reported], specs: Mapping[str, Any]) -> Document:
    """Give the report on `results`, which ran the same trace, with the figures `specs`."""
    data = [result.to_dict() for result in results]
    level = worst([result.verdict for result in results])
    stand_in = stand_in_of(data[0]["trace"])
    count = repeats_of(results)
    look = len(results) > 1 and count == 1
    facts = [list(_entries(with_reasons(facts_in_words(each["facts"])))) for each in data]
    labels = [result.label for result in results]
    configs = [
        result.config_toml or json.dumps(each["config"], indent=2)
        for result, each in zip(results, data, strict=True)
    ]
    audits = [
        (f"audit, {label}", f"passed, {each['audit']['checks']} checks" if each["audit"] else "not asked for")
        for label, each in zip(labels, data, strict=True)
    ]
    return Document(
        f"{data[0]['trace']['name']} on {data[0]['device']}",
        [
            *beginning(
                " · ".join(labels),
                opening(results),
                remark_notes(results, "doubt", "note").items,
                level="neutral" if look and level == "trustworthy" else level,
                said=LOOK if look else LEVELS[level],
                grave=[Text(not_collected(results), "", "not-collected"), remark_notes(results, "warning")],
                compared=compared(results),
                caption=f"Medians of {count} repeats; lines are 95 % intervals." if count > 1 else "",
                names=named(labels),
            ),
            Text(f"The trace is a {stand_in}." if stand_in else "", "strong", "stand-in"),
            *_charts(specs, first=True, repeated=count > 1),
            *_summary(results),
            *_streams(results),
            *_charts(specs, first=False, repeated=count > 1),
            Title("The trace"),
            Table(("", ""), list(_entries(data[0]["trace"])), kind="entries"),
            Title("The drive"),
            "What follows from the configuration before anything runs.",
            *(
                Fold(label, [Table(("", ""), each, kind="entries")], opened=each is facts[0])
                for label, each in zip(labels, facts, strict=True)
            ),
            Title("Configuration"),
            "Everything resolved; it runs again as a device file.",
            *(Fold(label, [Source(config)]) for label, config in zip(labels, configs, strict=True)),
            Title("Provenance"),
            Table(("", ""), [*identity(results), *audits], name="provenance", kind="entries"),
        ],
    )


def write_report(results: Sequence[Reported], directory: str | Path, formats: Sequence[str] = ()) -> Path:
    """Write report.html and figures/*.png into `directory` and return the path of the report.

    The figures are written in further `formats`, too: `svg`, `pdf`.

    Where the process has a limit of memory that the library of the PNG cannot do with (`ulimit -v` below
    67 GiB), there is the page alone.

    Raises:
        InputError: if they cannot be written.
    """
    directory = Path(directory)
    pictures, report = directory / "figures", directory / PAGE
    specs = figures(results)
    # The page has its figures without them.
    drawn = specs if limits.has(limits.PICTURES) else {}
    try:
        pictures.mkdir(parents=True, exist_ok=True)
        for name, spec in drawn.items():
            for each in dict.fromkeys(("png", *formats)):
                (pictures / f"{name}.{each}").write_bytes(picture(spec, each))
        report.write_text(render(document(results, specs)), encoding="utf-8")
    except OSError as error:
        raise InputError(f"{directory}: cannot write the report here: {error.strerror}") from None
    except BaseException as error:
        # The library that draws has no exceptions of its own for what the system refuses it.
        if type(error).__name__ != "PanicException":
            raise
        raise InputError(f"{directory}: the report cannot be drawn: {error}") from None
    return report
