"""The shipped real drives, measured and put beside their sheets: docs/drives.md, anew.

    python tools/drives.py [--workers N]

Points are stored in out/drives: called again, it goes on. Some ten minutes on two cores.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

import altair as alt

from network_study.page import wrapped
from reclaim.charts import PALETTE, AnyChart, chart_of, finished
from reclaim.paper.page import environment
from reclaim.pictures import picture
from reclaim.study.fitting.fit import FitStudy
from reclaim.study.fitting.plan import Fit, FitPlan
from reclaim.study.fitting.report import YES, line_rows, unknown_rows
from reclaim.study.fitting.solve import TOLERANCE
from reclaim.study.measuring import endurance, plots
from reclaim.study.measuring.matrix import KIB, JobLoad
from reclaim.study.measuring.measure import MeasureStudy
from reclaim.study.measuring.plan import Measurement, MeasurePlan
from reclaim.study.measuring.report import error_text, figure_text, sheet_rows
from reclaim.study.measuring.sheet import PublishedFigure, Sheet
from reclaim.study.study import RunOptions
from reclaim.units import written

ROOT = Path(__file__).resolve().parents[1]
DEVICES = ROOT / "examples" / "devices"
OUT = ROOT / "out" / "drives"
PAGE, PICTURE = ROOT / "docs" / "drives.md", ROOT / "docs" / "images" / "drives-saturation.png"
HELD_OUT = ROOT / "docs" / "images" / "drives-held-out.png"
PICTURED = "intel-p4500-1tb"
NARROW = 1.25
"""A range whose upper end is at most so many times the lower one."""
GOAL = 0.2
SATURATION = JobLoad("random", "write", 4 * KIB, 32, "saturation")


def main() -> None:
    """Measure every drive, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workers", type=int, default=None)
    how = RunOptions(workers=parser.parse_args().workers, report=True)
    files = sorted((DEVICES / "sheets").glob("*.toml"))
    found = {file.stem: _measured(file, how) for file in files}
    fits = {
        file.stem: FitStudy(FitPlan.of(Sheet.load(file))).run(OUT / f"fit-{file.stem}", how) for file in files
    }
    curve = _saturation(found[PICTURED], how)
    template = environment().from_string((ROOT / "tools" / "drives.md.j2").read_text(encoding="utf-8"))
    PAGE.write_text(wrapped(template.render(**_values(found, curve, fits))), encoding="utf-8")
    PICTURE.write_bytes(picture(finished(plots.steady(curve))))
    errors = [
        (f"{each.name}: {line.line.load.label}", line.error)
        for each in found.values()
        for line in each.compared
        if line.line.use == "held-out"
    ]
    HELD_OUT.write_bytes(picture(finished(_errors(errors))))


def _measured(file: Path, how: RunOptions) -> Measurement:
    device = (DEVICES / file.name).relative_to(ROOT)
    return MeasureStudy(MeasurePlan(str(device), "sheet", Sheet.load(file))).run(OUT / file.stem, how)


def _errors(lines: list[tuple[str, float]]) -> AnyChart:
    """How far simulated figures are from published ones, a bar a line; the band is the goal."""
    records = [
        {"line": line, "error": error, "place": max(error, 0), "text": f"{error:+.0%}"}
        for line, error in lines
    ]
    x = alt.X("error:Q", title="simulated against published", axis=alt.Axis(format="+.0%"))
    y = alt.Y("line:N", title=None, sort=None, axis=alt.Axis(labelLimit=400))
    bars = chart_of(records).mark_bar(color=PALETTE[0]).encode(x=x, y=y)
    names = chart_of(records).mark_text(align="left", dx=4).encode(x="place:Q", y=y, text="text:N")
    band = chart_of([{"low": -GOAL, "high": GOAL}]).mark_rect(opacity=0.25, color=PALETTE[1])
    near = sum(abs(error) <= GOAL for _, error in lines)
    title = f"{near} of {len(lines)} predictions are within {GOAL:.0%} of the published figure"
    return alt.layer(band.encode(x="low:Q", x2="high:Q"), bars, names).properties(width=420, title=title)


def _saturation(of: Measurement, how: RunOptions) -> Measurement:
    """The curve of one drive, and its steady load of the same kind."""
    plan = MeasurePlan(of.plan.source, "small")
    plan.loads = [SATURATION, SATURATION._replace(state="steady")]
    measured = MeasureStudy(plan).run(OUT / "saturation", replace(how, report=False))
    plan.loads = [SATURATION]
    return measured


def _values(found: dict[str, Measurement], curve: Measurement, fits: dict[str, Fit]) -> dict[str, object]:
    held_out = {
        name: [each for each in drive.compared if each.line.use == "held-out"]
        for name, drive in found.items()
    }
    lines = [each for some in held_out.values() for each in some]
    having = [some for some in held_out.values() if some]

    def drives(most: float) -> int:
        return sum(all(abs(each.error) <= most for each in some) for some in having)

    predicted = _predicted(fits)
    unknowns = [row for fit in fits.values() for row in _unknowns(fit)]
    rows = [(drive.name, *row[:-1]) for drive in found.values() for row in sheet_rows(drive)]
    saturated, steady = (curve.figures[each] for each in (SATURATION, SATURATION._replace(state="steady")))
    return {
        "drives": [
            {
                "name": each.name,
                "file": stem,
                "flash": next((fact.value for fact in each.plan.sheet.facts if fact.what == "flash"), ""),
                "sources": each.plan.sheet.sources,
            }
            for stem, each in found.items()
            if each.plan.sheet
        ],
        "held_out": [
            (*row[:5], row[7], predicted[row[0], row[1]][0]) for row in rows if row[5] == "held-out"
        ],
        "checks": [row[:5] for row in rows if row[5] == "check"],
        "endurance": [
            (f"`{stem}`", *row)
            for stem, drive in found.items()
            if drive.plan.sheet
            for row in endurance.rows(endurance.implied(drive.plan.sheet, drive.plan.facts))
        ],
        "counted": len(lines),
        "with": len(having),
        "within10": sum(abs(each.error) <= 0.10 for each in lines),
        "within20": sum(abs(each.error) <= 0.20 for each in lines),
        "better": sum(
            abs(each.error) < abs(each.naive_error) for each in lines if each.naive_error is not None
        ),
        "drives10": drives(0.10),
        "drives20": drives(0.20),
        "determined": [row[:-1] for row in unknowns if row[-1] == YES],
        "undetermined": sum(row[-1] != YES for row in unknowns),
        "inside": sum(inside == YES for _, inside in predicted.values()),
        "narrow": sum(_is_narrow(fit, each.line) for fit in fits.values() for each in fit.held_out),
        "tried": sum(each.solution.tried for fit in fits.values() for each in fit.choices),
        "narrowly": f"{NARROW - 1:.0%}",
        "tolerance": written(TOLERANCE, "share"),
        "pictured": found[PICTURED].name,
        "window": f"{saturated.first + 1} to {saturated.last + 1}",
        "average": figure_text(round(saturated.iops), "iops"),
        "steady": figure_text(round(steady.iops), "iops"),
        "beside": error_text(saturated.iops / steady.iops - 1),
    }


def _unknowns(fit: Fit) -> list[tuple[str, ...]]:
    """Give the unknowns of a drive: range, solution, what is permitted, and whether that determines it."""
    return [(fit.plan.sheet.name, *row[:-1]) for row in unknown_rows(fit)]


def _is_narrow(fit: Fit, line: PublishedFigure) -> bool:
    """Whether a published figure lies in a range that says something."""
    low, high = fit.range_of(line)
    return low <= line.value <= high <= NARROW * low


def _predicted(fits: dict[str, Fit]) -> dict[tuple[str, str], tuple[str, str]]:
    """Of every line: what all permitted drives make of it, and whether what is published lies within."""
    return {
        (fit.plan.sheet.name, line): (reached, inside)
        for fit in fits.values()
        for line, _, _, _, reached, inside, use, _ in line_rows(fit)
        if use == "held-out"
    }


if __name__ == "__main__":
    main()
