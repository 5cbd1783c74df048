"""The report: one HTML file that opens anywhere, offline, with its figures beside it as PNG."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from reclaim import room
from reclaim.charts import panels_of
from reclaim.errors import InputError
from reclaim.pictures import picture
from reclaim.report.html import inline_json, render_page
from reclaim.results.folding import fold, full_label
from reclaim.results.identity import identity
from reclaim.results.opening import listed, opening
from reclaim.results.plots import FIGURES, figures
from reclaim.results.reported import Reported
from reclaim.results.table import legend, not_collected, remarks, stand_in_of
from reclaim.results.verdict import Severity, worst
from reclaim.start import in_words, with_reasons
from reclaim.units import by_key

FIRST_FIGURES = ("latency_tail", "time_spent")
"""Figures above the table."""
Remarks = Mapping[Severity, Mapping[str, Sequence[str]]]


def counted(remarks: Remarks) -> str:
    """How many doubts and notes there are, as the heading of the list of them.

    >>> counted({"warning": {}, "doubt": {"a": [], "b": []}, "note": {"c": []}})
    '2 doubts and 1 note'
    """
    counts = {severity: len(remarks[severity]) for severity in ("doubt", "note")}
    return listed(f"{count} {what}{'s' if count > 1 else ''}" for what, count in counts.items() if count)


def _captions(specs: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Name, title and caption of the figures, in reading order."""
    return [(name, title, caption) for name, (_, title, caption) in FIGURES.items() if name in specs]


def _flat(values: Mapping[str, Any], prefix: str = "") -> list[tuple[str, str]]:
    """Entries with labels and units, nested mappings under joined labels."""
    entries = []
    for key, value in values.items():
        if isinstance(value, Mapping):
            entries += _flat(value, f"{prefix}{key.replace('_', ' ')}, ")
        elif not isinstance(value, list):
            label, text = by_key(key, value)
            entries.append((prefix + label, text))
    return entries


def render(results: Sequence[Reported], specs: Mapping[str, Any]) -> str:
    """HTML of a report on `results`, which ran the same trace, with the figures `specs`."""
    data = [result.to_dict() for result in results]
    return render_page(
        "report.html.j2",
        {"full_label": full_label, "counted": counted},
        results=results,
        data=data,
        level=worst([result.verdict for result in results]),
        remarks=remarks(results),
        identity=identity(results),
        legend=legend(results),
        not_collected=not_collected(results),
        opening=opening(results),
        rows=fold(results),
        first_figures=[each for each in _captions(specs) if each[0] in FIRST_FIGURES],
        further_figures=[each for each in _captions(specs) if each[0] not in FIRST_FIGURES],
        trace=_flat(data[0]["trace"]),
        stand_in=stand_in_of(data[0]["trace"]),
        facts=[_flat(with_reasons(in_words(each["facts"]))) for each in data],
        specs=inline_json({name: panels_of(spec) for name, spec in specs.items()}),
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
    pictures, report = directory / "figures", directory / "report.html"
    specs = figures(results)
    # The page has its figures without them.
    drawn = specs if room.has(room.PICTURES) else {}
    try:
        pictures.mkdir(parents=True, exist_ok=True)
        for name, spec in drawn.items():
            for each in dict.fromkeys(("png", *formats)):
                (pictures / f"{name}.{each}").write_bytes(picture(spec, each))
        report.write_text(render(results, specs), encoding="utf-8")
    except OSError as error:
        raise InputError(f"{directory}: cannot write the report here: {error.strerror}") from None
    except BaseException as error:
        # The library that draws has no exceptions of its own for what the system refuses it.
        if type(error).__name__ != "PanicException":
            raise
        raise InputError(f"{directory}: the report cannot be drawn: {error}") from None
    return report
