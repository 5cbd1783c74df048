"""The shipped real drives, measured and put beside their sheets: docs/drives.md, anew.

    python tools/drives.py [--workers N]

Points are stored in out/drives: called again, it goes on. About a minute on two cores.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import jinja2

from reclaim.bench.runner import How
from reclaim.charts import finished
from reclaim.device import Device
from reclaim.instruments.measuring import plots
from reclaim.instruments.measuring.matrix import KIB, Load
from reclaim.instruments.measuring.measure import measure_into
from reclaim.instruments.measuring.plan import Measured, Plan
from reclaim.instruments.measuring.sheet import USES, Sheet
from reclaim.instruments.measuring.tables import error_text, fact_rows, figure_text, reasons, sheet_rows
from reclaim.pictures import picture
from reclaim.units import written

ROOT = Path(__file__).resolve().parents[1]
DEVICES = ROOT / "examples" / "devices"
OUT = ROOT / "out" / "drives"
PAGE, PICTURE = ROOT / "docs" / "drives.md", ROOT / "docs" / "images" / "drives-saturation.png"
PICTURED = "intel-p4500-1tb"
SATURATION = Load("random", "write", 4 * KIB, 32, "saturation")
DIES = {"intel-p4500-1tb": (24,), "intel-p4500-2tb": (42,), "intel-s4500": (40,), "intel-p4320": (60,)}
"""Other numbers of dies that the sheet permits as well."""
USER = {"intel-p4500-1tb": 1.0, "intel-p4500-2tb": 2.0, "intel-s4500": 1.92, "intel-p4320": 7.68}
"""TB."""
DIE_GIB = {"intel-p4320": 128}
INTEL_GIB = 48


def main() -> None:
    """Measure every drive, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workers", type=int, default=None)
    how = How(workers=parser.parse_args().workers)
    found = {file.stem: _measured(file, how) for file in sorted((DEVICES / "sheets").glob("*.toml"))}
    curve = _saturation(found[PICTURED], how)
    loader = jinja2.Environment(  # noqa: S701 - a page of Markdown, of what ships
        trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
    )
    template = loader.from_string((ROOT / "tools" / "drives.md.j2").read_text(encoding="utf-8"))
    PAGE.write_text(template.render(**_values(found, curve, how)), encoding="utf-8")
    spec = finished(plots.steady(curve))
    PICTURE.write_bytes(picture(spec))


def _measured(file: Path, how: How) -> Measured:
    device = (DEVICES / file.name).relative_to(ROOT)
    return measure_into(Plan(str(device), "sheet", Sheet.load(file)), OUT / file.stem, how)


def _saturation(of: Measured, how: How) -> Measured:
    """The curve of one drive, and its steady load of the same kind."""
    plan = Plan(of.plan.source, "small")
    plan.loads = [SATURATION, SATURATION._replace(state="steady")]
    measured = measure_into(plan, OUT / "saturation", how, report=False)
    plan.loads = [SATURATION]
    return measured


def _values(found: dict[str, Measured], curve: Measured, how: How) -> dict[str, object]:
    held_out = {
        name: [each for each in drive.compared if each.line.use == "held-out"]
        for name, drive in found.items()
    }
    lines = [each for some in held_out.values() for each in some]
    having = [some for some in held_out.values() if some]

    def drives(most: float) -> int:
        return sum(all(abs(each.error) <= most for each in some) for some in having)

    others = {name: _alternatives(found[name], name, numbers, how) for name, numbers in DIES.items()}
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
        "alternatives": [row for rows in others.values() for row in rows],
        "tried": len(others),
        "between": sum(len({row[-1][0] for row in rows}) == 2 for rows in others.values()),
        "pictured": found[PICTURED].name,
        "window": f"{saturated.first + 1} to {saturated.last + 1}",
        "average": figure_text(round(saturated.iops), "iops"),
        "steady": figure_text(round(steady.iops), "iops"),
        "beside": error_text(saturated.iops / steady.iops - 1),
    }


def _alternatives(drive: Measured, name: str, numbers: tuple[int, ...], how: How) -> list[tuple[str, ...]]:
    """Random writes with other numbers of dies; programs take as much longer as there are more."""
    (line,) = (
        each
        for each in drive.compared
        if each.line.use == "held-out" and each.line.load.block == 4 * KIB and each.line.load.depth > 1
    )
    geometry = drive.plan.device.config["geometry"]
    dies = int(geometry["channels"]) * int(geometry["chips_per_channel"])
    rows = [_row(drive.name, dies, _spare(name, dies), line.measured, line.line.value)]
    for number in numbers:
        file = OUT / f"{name}-{number}.toml"
        file.write_text(_with_dies(drive.plan.device, name, number), encoding="utf-8")
        plan = Plan(str(file.relative_to(ROOT)), "small")
        plan.loads = [line.line.load]
        measured = measure_into(plan, OUT / f"{name}-{number}", how, report=False).figures[line.line.load]
        rows.append(_row(drive.name, number, _spare(name, number), measured.iops, line.line.value))
    return rows


def _row(name: str, dies: int, spare: float, iops: float, published: float) -> tuple[str, ...]:
    return (
        name,
        str(dies),
        written(spare, "share"),
        figure_text(round(iops), "iops"),
        error_text(iops / published - 1),
    )


def _spare(name: str, dies: int) -> float:
    return 1 - USER[name] * 1e12 / (dies * DIE_GIB.get(name, INTEL_GIB) * 2**30)


def _with_dies(device: Device, name: str, dies: int) -> str:
    """The drive with another number of dies, as fast in sequential writes, and as much left to garbage."""
    geometry, flash = device.config["geometry"], device.config["flash"]
    before = int(geometry["channels"]) * int(geometry["chips_per_channel"])
    program = int(
        flash["t_program"][0]
        if isinstance(flash["t_program"], list)
        else flash["t_program"].removesuffix("ns")
    )
    settings: dict[str, str | int] = {
        "geometry.channels": dies,
        "geometry.chips_per_channel": 1,
        "flash.t_program": f"{program * dies // before}ns",
    }
    low, high = _spare(name, dies), _spare(name, dies) + 0.15
    for _ in range(30):
        middle = (low + high) / 2
        tried = device.with_settings(settings | {"geometry.spare_factor": f"{100 * middle:.3f}%"})
        left = float(tried.facts()["heavy_load"]["effective_spare_factor"])
        low, high = (middle, high) if left < _spare(name, dies) else (low, middle)
    return device.with_settings(settings | {"geometry.spare_factor": f"{100 * high:.3f}%"}).to_toml()


if __name__ == "__main__":
    main()
