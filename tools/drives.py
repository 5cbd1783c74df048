"""The shipped real drives, measured and put beside their sheets: docs/drives.md, anew.

    python tools/drives.py [--workers N]

Points are stored in out/drives: called again, it goes on. Some ten minutes on two cores.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from reclaim.charts import finished
from reclaim.paper.page import environment
from reclaim.pictures import picture
from reclaim.study.fitting.fit import FitStudy
from reclaim.study.fitting.plan import Fit, FitPlan
from reclaim.study.fitting.report import YES, line_rows, unknown_rows
from reclaim.study.fitting.solve import TOLERANCE
from reclaim.study.measuring import plots
from reclaim.study.measuring.matrix import KIB, Load
from reclaim.study.measuring.measure import MeasureStudy
from reclaim.study.measuring.plan import Measured, Plan
from reclaim.study.measuring.report import error_text, fact_rows, figure_text, reasons, sheet_rows
from reclaim.study.measuring.sheet import USES, Line, Sheet
from reclaim.study.study import RunOptions
from reclaim.units import written

ROOT = Path(__file__).resolve().parents[1]
DEVICES = ROOT / "examples" / "devices"
OUT = ROOT / "out" / "drives"
PAGE, PICTURE = ROOT / "docs" / "drives.md", ROOT / "docs" / "images" / "drives-saturation.png"
PICTURED = "intel-p4500-1tb"
NARROW = 1.25
"""A range whose upper end is at most so many times the lower one."""
SATURATION = Load("random", "write", 4 * KIB, 32, "saturation")


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
    PAGE.write_text(template.render(**_values(found, curve, fits)), encoding="utf-8")
    spec = finished(plots.steady(curve))
    PICTURE.write_bytes(picture(spec))


def _measured(file: Path, how: RunOptions) -> Measured:
    device = (DEVICES / file.name).relative_to(ROOT)
    return MeasureStudy(Plan(str(device), "sheet", Sheet.load(file))).run(OUT / file.stem, how)


def _saturation(of: Measured, how: RunOptions) -> Measured:
    """The curve of one drive, and its steady load of the same kind."""
    plan = Plan(of.plan.source, "small")
    plan.loads = [SATURATION, SATURATION._replace(state="steady")]
    measured = MeasureStudy(plan).run(OUT / "saturation", replace(how, report=False))
    plan.loads = [SATURATION]
    return measured


def _values(found: dict[str, Measured], curve: Measured, fits: dict[str, Fit]) -> dict[str, object]:
    held_out = {
        name: [each for each in drive.compared if each.line.use == "held-out"]
        for name, drive in found.items()
    }
    lines = [each for some in held_out.values() for each in some]
    having = [some for some in held_out.values() if some]

    def drives(most: float) -> int:
        return sum(all(abs(each.error) <= most for each in some) for some in having)

    predicted = _predicted(fits)
    saturated, steady = (curve.figures[each] for each in (SATURATION, SATURATION._replace(state="steady")))
    used = {each.line.use for drive in found.values() for each in drive.compared}
    return {
        "drives": [
            {
                "name": each.name,
                "about": each.plan.sheet.about if each.plan.sheet else "",
                "points": len(each.figures),
                "facts": fact_rows(each),
                "sources": each.plan.sheet.sources if each.plan.sheet else (),
                "reasons": reasons(each),
            }
            for each in found.values()
        ],
        "rows": [(drive.name, *row[:-1]) for drive in found.values() for row in sheet_rows(drive)],
        "uses": [(use, text) for use, text in USES.items() if use in used],
        "counted": len(lines),
        "with": len(having),
        "within10": sum(abs(each.error) <= 0.10 for each in lines),
        "within20": sum(abs(each.error) <= 0.20 for each in lines),
        "better": sum(
            abs(each.error) < abs(each.naive_error) for each in lines if each.naive_error is not None
        ),
        "drives10": drives(0.10),
        "drives20": drives(0.20),
        "unknowns": _fit_rows(fits),
        "predicted": predicted,
        "inside": sum(row[6] == YES for row in predicted),
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


def _fit_rows(fits: dict[str, Fit]) -> list[tuple[str, ...]]:
    return [(fit.plan.sheet.name, *row[:-1]) for fit in fits.values() for row in unknown_rows(fit)]


def _is_narrow(fit: Fit, line: Line) -> bool:
    """Whether a published figure lies in a range that says something."""
    low, high = fit.range_of(line)
    return low <= line.value <= high <= NARROW * low


def _predicted(fits: dict[str, Fit]) -> list[tuple[str, ...]]:
    """Held-out lines: the solution, and what all permitted drives make of them."""
    rows: list[tuple[str, ...]] = []
    for fit in fits.values():
        chosen = [choice.choice.name for choice in fit.permitted]
        for row in line_rows(fit):
            line, published, solved, error, reached, inside, use, _ = row
            if use == "held-out":
                rows.append(
                    (fit.plan.sheet.name, line, published, solved, error, reached, inside, ", ".join(chosen))
                )
    return rows


if __name__ == "__main__":
    main()
