"""The report: one HTML file that opens anywhere, offline, with its figures beside it as PNG."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import vl_convert

from reclaim import room
from reclaim.charts import panels_of
from reclaim.errors import InputError
from reclaim.html import inline_json, render_page, vega_lite_version
from reclaim.results.identity import identity
from reclaim.results.plots import FIGURES, figures
from reclaim.results.reported import Reported
from reclaim.results.table import Row, legend, not_collected, remarks, rows, stand_in_of
from reclaim.results.verdict import worst
from reclaim.start import in_words, with_reasons
from reclaim.units import by_key

PIXELS_PER_INCH = 144


def _sections(results: Sequence[Reported]) -> dict[str, list[Row]]:
    grouped: dict[str, list[Row]] = {}
    for row in rows(results):
        # Trims take no time on most drives: rows of zeros say nothing.
        if row.section == "drive" or row.says_something():
            grouped.setdefault(row.section, []).append(row)
    return grouped


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
        results=results,
        data=data,
        level=worst([result.verdict for result in results]),
        remarks=remarks(results),
        identity=identity(results),
        legend=legend(results),
        not_collected=not_collected(results),
        sections=_sections(results),
        captions={name: (title, caption) for name, (_, title, caption) in FIGURES.items() if name in specs},
        trace=_flat(data[0]["trace"]),
        stand_in=stand_in_of(data[0]["trace"]),
        facts=[_flat(with_reasons(in_words(each["facts"]))) for each in data],
        specs=inline_json({name: panels_of(spec) for name, spec in specs.items()}),
    )


def write_report(results: Sequence[Reported], directory: str | Path) -> Path:
    """Write report.html and figures/*.png into `directory` and return the path of the report.

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
            png = vl_convert.vegalite_to_png(spec, vl_version=vega_lite_version(), ppi=PIXELS_PER_INCH)
            (pictures / f"{name}.png").write_bytes(png)
        report.write_text(render(results, specs), encoding="utf-8")
    except OSError as error:
        raise InputError(f"{directory}: cannot write the report here: {error.strerror}") from None
    except BaseException as error:
        # The library that draws has no exceptions of its own for what the system refuses it.
        if type(error).__name__ != "PanicException":
            raise
        raise InputError(f"{directory}: the report cannot be drawn: {error}") from None
    return report
