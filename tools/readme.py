"""README.md from its template: no figure in it is typed.

python tools/readme.py            README.md anew
python tools/readme.py out/demo   its figures of the demo and its picture, too, from what `make demo` left
"""

from __future__ import annotations

import json
import math
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
VALIDATION, MAKEFILE = ROOT / "docs" / "validation.md", ROOT / "Makefile"
ABSENT = {
    "no thermal throttling": ("throttl", "thermal"),
    "no spread between equally worn blocks": ("block-to-block", "variation between blocks"),
    "no bad blocks": ("bad block", "bad_block", "blocks fail"),
    "no cache for mapping": ("mapping cache", "mapping_cache", "cached mapping"),
}
"""What README says is absent, and by which words a key or a policy would be known that brings it."""
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
        speed=_by_turns(turns, ours) + _processes(ours, theirs),
        models=MODELS,
        agreement=agreement(VALIDATION.read_text(encoding="utf-8")),
        absent=ABSENT,
        help_of=help_of,
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


Row = tuple[str, ...]
"""What is done, and how long it takes MQSim, the default drive, and the mirror of MQSim."""
MODELS = {"default": "gc-bypass", "mirror": "mqsim-mirror"}
"""Presets whose speed is shown: docs/performance.md, "What is reached"."""


def _by_turns(turns: dict[str, Any], ours: dict[str, Any]) -> list[Row]:
    """Of requests in the loop: MQSim and the default by turns, the mirror by itself."""
    works = {
        "writes-64g": "random writes of 4 KiB, 64 GiB, collecting: a request",
        "reads-64g": "random reads of 4 KiB, no collection: a request",
    }
    rows: list[Row] = []
    for row, work in works.items():
        them, us = (turns[row]["found"][name]["us"][0] for name in ("MQSim", "Reclaim"))
        times = turns[row]["found"]["Reclaim"]["times"][0]
        mirror = 1e6 / ours[f"{row}-mirror"]["requests_per_s"]
        shown = (f"{them:.3g} µs", f"{us:.2g} µs ({times:.1f}×)", f"{mirror:.2g} µs ({them / mirror:.1f}×)")
        rows.append((work, *shown))
    return rows


def _processes(ours: dict[str, Any], theirs: dict[str, Any]) -> list[Row]:
    """Of whole processes, measured each by itself."""
    works = {
        ("writes-64g", "writes-64g-mirror"): "these writes with warm-up: the process",
        ("xval-mini", "xval-mirror"): "the cross-validation trace: the process",
    }
    rows: list[Row] = []
    for (row, mirror), work in works.items():
        them = theirs[row]["process_s"]
        both = [ours[each]["process_s"] for each in (row, mirror)]
        rows.append((work, f"{them:.3g} s", *(f"{us:.3g} s ({them / us:.1f}×)" for us in both)))
    return rows


def agreement(page: str) -> int:
    r"""How far the mirror is from MQSim at most, in whole percent: of the tables of docs/validation.md.

    >>> agreement("## Against MQSim\n| a | 1 | 2 | +1.2 % | | 5 % | pass |\n| b | 1 | 1 | 0 | | 5 % | pass |")
    2
    """
    section = page.partition("## Against MQSim")[2].partition("\n## ")[0]
    rows = [line.split("|") for line in section.splitlines() if line.endswith("| pass |")]
    found = [float(each[4].strip(" %+")) for each in rows if each[4].strip().endswith("%")]
    return math.ceil(max(map(abs, found)))


def help_of(target: str) -> str:
    """What `make help` says of a target."""
    found = re.search(rf'@echo "make {target} +(.+)"', MAKEFILE.read_text(encoding="utf-8"))
    if found is None:
        raise SystemExit(f"make help says nothing of {target}")
    return found[1]


def main() -> None:
    """Write it."""
    if len(sys.argv) > 1:
        folder = Path(sys.argv[1])
        DEMO.write_text(json.dumps(found(folder), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        picture(folder, PICTURE)
    PAGE.write_text(render(json.loads(DEMO.read_text(encoding="utf-8"))), encoding="utf-8")


if __name__ == "__main__":
    main()
