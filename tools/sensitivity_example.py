"""The example of docs/sensitivity.md: the study that ships, of two metrics, and its chart.

python tools/sensitivity_example.py [--output out/what-turns-it]
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from textwrap import wrap
from typing import Any

import vl_convert

from reclaim.charts import finished
from reclaim.experiment.experiment import Experiment
from reclaim.report.document import Table
from reclaim.report.forms import markdown_of
from reclaim.study.sensitivity.report import HEAD, rows
from reclaim.study.sensitivity.sensitivity import Sensitivity, SensitivityStudy
from reclaim.study.sensitivity.tornado import tornado
from reclaim.study.study import RunOptions

ROOT = Path(__file__).resolve().parents[1]
EXAMPLE = ROOT / "examples" / "experiments" / "what-turns-it.toml"
PAGE = ROOT / "docs" / "sensitivity.md"
PICTURE = ROOT / "docs" / "images" / "what-turns-it.png"
BEGIN, END = (
    "<!-- made by `make sensitivity-example`: begin -->\n",
    "<!-- made by `make sensitivity-example`: end -->\n",
)
METRICS = ("gc_write_amplification", "read_p99_ns")
"""The second is the one that the table and the chart are of."""
WIDTH = 118
SHOWN = 8
"""Rows of the table."""


def studied(metric: str, folder: Path) -> Sensitivity:
    """Study the example; both metrics come from the same runs."""
    content: dict[str, Any] = dict(Experiment.load(EXAMPLE).table)
    content["sensitivity"] |= {"metrics": metric}
    return SensitivityStudy(Experiment.from_dict(content)).run(folder, RunOptions(report=False))


def section(found: list[Sensitivity]) -> Iterator[str]:
    """The conclusions, and the first rows of the last table."""
    for each in found:
        told = wrap(each.conclusion, WIDTH, break_on_hyphens=False, break_long_words=False)
        yield "\n".join([*(f"> {line}" for line in told), ">", f"> {each.runs:,} runs.", ""])
    (study, _), *_ = found[-1].studies
    listed = list(rows(study))
    yield markdown_of(Table(HEAD, listed[:SHOWN])).rstrip("\n")
    yield f"| and {len(listed) - SHOWN} more | | | | | |\n"


def main() -> None:
    """Run it and write it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--output", type=Path, default=Path("out/what-turns-it"))
    folder = parser.parse_args().output
    found = [studied(metric, folder) for metric in METRICS]
    spec = finished(tornado(found[-1].names, found[-1].studies[0][0]))
    PICTURE.write_bytes(vl_convert.vegalite_to_png(json.dumps(spec), scale=1.2))
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(before + BEGIN + "\n" + "\n".join(section(found)) + "\n" + END + after, encoding="utf-8")


if __name__ == "__main__":
    main()
