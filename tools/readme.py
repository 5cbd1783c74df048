"""README.md from its template: no figure in it is typed.

python tools/readme.py            README.md anew
python tools/readme.py out/demo   its figures of the demo and its picture, too, from what `make demo` left
"""

from __future__ import annotations

import json
import re
import statistics
import sys
from pathlib import Path
from typing import Any

import jinja2

from reclaim.charts import finished
from reclaim.papers import page
from reclaim.papers.page_parts import Parts
from reclaim.papers.paper import load_paper
from reclaim.results.sets import ResultSet
from reclaim.results.sets.comparison_plots import ratios
from reclaim.results.sets.comparisons import comparisons_of

ROOT = Path(__file__).parents[1]
TEMPLATE, PAGE = ROOT / "tools" / "readme.md.j2", ROOT / "README.md"
DEMO = ROOT / "tools" / "readme.json"
"""What the demo found, as `found` gives it."""
PICTURE = ROOT / "docs" / "images" / "demo-comparisons.png"
OURS, THEIRS, TURNS = (ROOT / "benches" / f"{name}.json" for name in ("baseline", "mqsim", "turns"))
DIGITS = 6
COLUMNS = ("gc_nand_write_amplification", "utilisation_die", "utilisation_channel")


def found(folder: Path) -> dict[str, Any]:
    """What a run of the demo found: ratios of comparisons, and medians of each scheme."""
    results = ResultSet.load(folder)
    ratios_of: dict[str, dict[str, Any]] = {}
    for row in results.comparisons().iter_rows(named=True):
        numbers = {key: float(f"{row[key]:.{DIGITS}g}") for key in ("value", "low", "high")}
        ratios_of.setdefault(row["comparison"], {})[row["metric"]] = {**numbers, "way": row["way"]}
    schemes: dict[str, dict[str, float]] = {}
    known = [column for column in COLUMNS if column in results.points.columns]
    for name, points in results.points.group_by("scheme", maintain_order=True):
        medians = {column: statistics.median(points[column].to_list()) for column in known}
        schemes[str(name[0])] = {column: float(f"{value:.{DIGITS}g}") for column, value in medians.items()}
    return {"comparisons": ratios_of, "schemes": schemes}


def picture(folder: Path, path: Path) -> None:
    """Draw the ratios of all comparisons."""
    import vl_convert

    results = ResultSet.load(folder)
    spec = finished(ratios(comparisons_of(results)))
    path.write_bytes(vl_convert.vegalite_to_png(json.dumps(spec), scale=1.6))


def render(demo: dict[str, Any]) -> str:
    """Give the page."""
    ours, theirs, turns = (json.loads(file.read_text(encoding="utf-8")) for file in (OURS, THEIRS, TURNS))
    environment = jinja2.Environment(  # noqa: S701 - it writes Markdown
        undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )

    def ratio(comparison: str, metric: str) -> str:
        row = demo["comparisons"][comparison][metric]
        return f"{row['value']:.2f} [{row['low']:.2f}, {row['high']:.2f}]"

    def of_scheme(scheme: str, column: str) -> float:
        return float(demo["schemes"][scheme][column])

    return environment.from_string(TEMPLATE.read_text(encoding="utf-8")).render(
        ratio=ratio,
        of_scheme=of_scheme,
        demo=demo,
        speed=_by_turns(turns) + _processes(ours, theirs),
        measured=theirs["measured"],
        turns=turns["writes-64g"],
        **_of_papers(),
    )


def _of_papers() -> dict[str, Any]:
    """What pages of papers are made with, each verb with the key of the paper first."""
    parts: dict[str, dict[str, Any]] = {}

    def verb(name: str) -> Any:
        def said(key: str, *arguments: str) -> str:
            if key not in parts:
                folder = load_paper(key).folder
                data, before = (
                    json.loads((folder / file).read_text(encoding="utf-8"))
                    for file in (page.DATA, page.BEFORE)
                )
                parts[key] = Parts(folder / page.TEMPLATE, data, before).verbs()
            return _short(str(parts[key][name](*arguments)))

        return said

    return {name: verb(name) for name in ("printed", "ours", "figure")}


def _short(text: str) -> str:
    """The same with three digits of every number.

    >>> _short("0.09755 % [0.09744, 0.09765]"), _short("24.74 %"), _short("10.8 %")
    ('0.0976 % [0.0974, 0.0977]', '24.7 %', '10.8 %')
    """
    return re.sub(r"\d+\.\d+", lambda number: f"{float(number[0]):.3g}", text)


Row = tuple[str, str, str, str]
"""What is done, how long it takes MQSim, and Reclaim, and how many times as fast that is."""


def _by_turns(turns: dict[str, Any]) -> list[Row]:
    """Of requests in the loop, measured by turns."""
    works = {
        "writes-64g": "random writes of 4 KiB, 64 GiB, collecting: a request",
        "reads-64g": "random reads of 4 KiB, no collection: a request",
    }
    rows = []
    for row, work in works.items():
        them, us = (turns[row]["found"][name]["us"][0] for name in ("MQSim", "Reclaim"))
        times, low, high = turns[row]["found"]["Reclaim"]["times"]
        rows.append((work, f"{them:.3g} µs", f"{us:.3g} µs", f"{times:.1f}× ({low:.1f}–{high:.1f})"))
    return rows


def _processes(ours: dict[str, Any], theirs: dict[str, Any]) -> list[Row]:
    """Of whole processes, measured each by itself."""
    works = {
        "writes-64g": "these writes with warm-up: the process",
        "xval-mini": "the trace of the cross-validation: the process",
    }
    return [
        (work, f"{them:.3g} s", f"{us:.3g} s", f"{them / us:.1f}×")
        for row, work in works.items()
        for them, us in ((theirs[row]["process_s"], ours[row]["process_s"]),)
    ]


def main() -> None:
    """Write it."""
    if len(sys.argv) > 1:
        folder = Path(sys.argv[1])
        DEMO.write_text(json.dumps(found(folder), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        picture(folder, PICTURE)
    PAGE.write_text(render(json.loads(DEMO.read_text(encoding="utf-8"))), encoding="utf-8")


if __name__ == "__main__":
    main()
