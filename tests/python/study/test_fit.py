"""`reclaim device fit`: planted drives are found again, and what figures leave open is said to be open."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

import reclaim
from conftest import Command
from reclaim.errors import InputError
from reclaim.study.fitting.plan import Fit, FitPlan
from reclaim.study.fitting.report import conclusion, document
from reclaim.study.fitting.solve import TOLERANCE, extremes, solve
from reclaim.study.measuring.sheet import Sheet
from study.small import contents
from study.test_measure import DRIVE, LINE, SOURCE

SHEETS = sorted((Path(__file__).parents[3] / "examples/devices/sheets").glob("*.toml"))
LOOKUP = '[controller]\nlookup = "5us"\n'
HEAD = 'name = "Tiny"'
UNKNOWN = '[[unknown]]\nkey = "{}"\nfrom = "10us"\nto = "300us"\nwhy = "made"\n'
OF_LOOKUP = UNKNOWN.format("controller.lookup").replace("10us", "1us").replace("300us", "40us")
SHEET = f'{HEAD}\ndevice = "tiny.toml"\n{SOURCE}{UNKNOWN.format("flash.t_read")}{OF_LOOKUP}'
LINES = {
    "one": ("read", 1, "us", "fitted"),
    "many": ("read", 64, "iops", "fitted"),
    "writes": ("write", 32, "iops", "held-out"),
}


def line(name: str, value: float) -> str:
    operation, depth, metric, use = LINES[name]
    return LINE.format(operation, depth, metric, value, use) + 'why = "made"\n'


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> dict[str, float]:
    """What the drive with a read of 50 µs and a lookup of 5 µs reaches."""
    folder = tmp_path_factory.mktemp("planted")
    (folder / "tiny.toml").write_text(DRIVE + LOOKUP)
    (folder / "sheet.toml").write_text(SHEET + "".join(line(name, 1.0) for name in LINES))
    found = reclaim.measure(folder / "tiny.toml", folder / "out", matrix="sheet", sheet=folder / "sheet.toml")
    return dict(zip(LINES, (each.measured for each in found.compared), strict=True))


def sheet_of(folder: Path, planted: dict[str, float], *names: str, more: str = "") -> Path:
    """A sheet with some lines of the planted drive, beside a drive that is three times as slow to read."""
    far = DRIVE.replace('t_read = "50us"', 't_read = "150us"') + LOOKUP.replace("5us", "20us")
    (folder / "tiny.toml").write_text(far)
    file = folder / "sheet.toml"
    file.write_text(SHEET + more + "".join(line(name, planted[name]) for name in names))
    return file


@pytest.fixture(scope="module")
def done(planted: dict[str, float], tmp_path_factory: pytest.TempPathFactory) -> Fit:
    folder = tmp_path_factory.mktemp("done")
    return reclaim.fit(sheet_of(folder, planted, *LINES), folder / "out", workers=1, report=True)


def solved(found: Fit) -> dict[str, float]:
    """In µs."""
    unknowns, places = found.plan.sheet.unknowns, found.best.solution.places
    return {each.key: each.number(place) for each, place in zip(unknowns, places, strict=True)}


def test_the_report_says_how_near_a_permitted_drive_is(done: Fit) -> None:
    (said,) = (each for each in document(done).blocks if isinstance(each, str) and "permitted if" in each)
    assert "every fitted line is within 5.0 % of its published figure" in said


def test_a_planted_drive_is_found_again(done: Fit) -> None:
    """Reads one at a time and all dies at once: two lines for two unknowns."""
    assert done.best.solution.fits
    assert solved(done)["flash.t_read"] == pytest.approx(50, rel=0.02)
    assert solved(done)["controller.lookup"] == pytest.approx(5, rel=0.15)
    assert done.is_determined(0)
    (held_out,) = done.held_out
    assert held_out.error == pytest.approx(0, abs=0.02)
    low, high = done.range_of(held_out.line)
    assert low <= held_out.line.value <= high
    drive = reclaim.Device.load(done.folder / "fitted.toml")
    assert drive.to_toml() == (done.folder / "fitted.toml").read_text()
    assert set(done.best.solution.places) & {done.plan.start} == set()
    assert json.loads((done.folder / "fit.json").read_text())["conclusion"] == conclusion(done)
    assert "flash.t_read" in (done.folder / "fit.html").read_text()


@pytest.mark.slow
def test_what_one_line_leaves_open_is_said(planted: dict[str, float], tmp_path: Path) -> None:
    """The latency of one read is a sum: each of its parts can be what the other leaves."""
    found = reclaim.fit(sheet_of(tmp_path, planted, "one", "writes"), tmp_path / "out")
    assert found.best.solution.fits
    assert not found.is_determined(1)
    assert "controller.lookup" in conclusion(found)
    assert not (tmp_path / "out/fit.html").exists()
    # Both ends are drives that were simulated, and keep the line.
    (one,) = found.plan.fitted
    for low, high in found.best.ends:
        for end in (low, high):
            value = end.measured.figures[one.load].metric(one.metric)
            assert abs(math.log(value / one.value)) <= TOLERANCE
    shortest, longest = map(found.plan.sheet.unknowns[1].number, found.best.permitted(1))
    assert longest > 3 * shortest


@pytest.mark.slow
def test_a_choice_that_cannot_be_is_not_permitted(planted: dict[str, float], tmp_path: Path) -> None:
    """A page takes longer over such a channel than a whole read of the sheet."""
    slow = '[[choice]]\nname = "slow"\nwhy = "made"\nset = { "channel.rate" = "20 MT/s" }\n'
    found = reclaim.fit(sheet_of(tmp_path, planted, *LINES, more=slow), tmp_path / "out")
    whole, less = found.choices
    assert whole.solution.fits
    assert not less.solution.fits
    assert found.permitted == [whole]
    assert "Of 2 choices 1 keep" in conclusion(found)


@pytest.mark.slow
def test_the_command(done: Fit, planted: dict[str, float], tmp_path: Path, command: Command) -> None:
    file = sheet_of(tmp_path, planted, *LINES)
    ran = command("device", "fit", file, "-o", tmp_path / "out", "--workers", "2")
    assert ran.returncode == 0, ran.stderr
    assert "flash.t_read" in ran.stdout
    assert (tmp_path / "out/fit-lines.png").is_file()
    for name in ("fit.json", "fitted.toml", "fit.html"):
        assert (tmp_path / "out" / name).read_bytes() == (done.folder / name).read_bytes()
    before = contents(tmp_path / "out")
    reclaim.fit(file, tmp_path / "out", workers=1, report=True)
    again = contents(tmp_path / "out")
    assert {name for name in before | again if before.get(name) != again.get(name)} == set()
    point = next((tmp_path / "out/runs").rglob("points/*/results.json"))
    point.write_text("{}")
    (told,) = reclaim.fit(file, tmp_path / "out", workers=1).damaged
    assert told.startswith(f"{point.parent} (")


@pytest.mark.parametrize("file", SHEETS, ids=lambda file: file.stem)
def test_every_shipped_sheet_can_be_fitted(file: Path) -> None:
    plan = FitPlan.of(Sheet.load(file))
    assert all(0 < place < 1 for place in plan.start)


def test_solving_finds_the_only_solution_of_products() -> None:
    """In logarithms products are sums, so that the solver has to be exact on them."""
    found = solve(lambda at: (at[0] + at[1] - 1.1, at[0] - at[1] + 0.3), (0.5, 0.5), 40)
    assert found.places == pytest.approx((0.4, 0.7), abs=1e-3)
    assert found.worst < 1e-3


def test_the_budget_is_kept() -> None:
    tried = []

    def residuals(at: tuple[float, ...]) -> list[float]:
        tried.append(at)
        return [math.sin(20 * at[0]) + at[1], at[0] * at[1] - 3]

    assert solve(residuals, (0.2, 0.9), 12).tried == len(tried) <= 12 + 3


def test_the_end_of_a_range_is_tried() -> None:
    """A step from 0.98 of a range upwards ends at its end, which is allowed."""
    tried: list[float] = []

    def residuals(at: tuple[float, ...]) -> list[float]:
        tried.append(at[0])
        return [at[0] - 0.5]

    solve(residuals, (1.0,), 20)
    assert tried[:2] == [0.98, 1.0]


def test_ends_go_as_far_as_the_lines_permit() -> None:
    """One sum of two unknowns: one can fall by as much as the other can rise, and a bit for the tolerance."""
    found = solve(lambda at: [at[0] + at[1] - 0.5], (0.2, 0.3), 40)
    (low, high), _ = extremes(found)
    assert low[0] == 0
    assert high[0] == pytest.approx(min(1.0, 0.5 + TOLERANCE), abs=1e-3)
    assert low[1] == pytest.approx(0.5, abs=TOLERANCE + 1e-3)
    (low, high), _ = extremes(solve(lambda at: [at[0] - 0.5, at[1] - 0.5], (0.2, 0.3), 40))
    assert (low[0], high[0]) == pytest.approx((0.5 - TOLERANCE, 0.5 + TOLERANCE), abs=1e-3)


CHOICE = '[[choice]]\nname = "{}"\nwhy = "made"\nset = {{ "{}" = {} }}\n'
SPARE = UNKNOWN.format("geometry.spare_factor").replace("us", "%")
ONE, TWO = (CHOICE.format(name, "geometry.channels", count) for name, count in (("x", 2), ("y", 2)))
FACT = '[[fact]]\nwhat = "dies"\nvalue = "8"\nassumed = "x"\n'
MISTAKES = [
    ('device = "tiny.toml"\n', "", "device is missing"),
    ('from = "10us"', 'from = "400us"', "from and to"),
    ('from = "10us"', 'from = "1 ms"', "one unit"),
    ('key = "flash.t_read"', 'key = "flash.t_raed"', '"t_read"'),
    ("[[unknown]]", "[[unknwon]]", "unknown"),
    ('use = "fitted"', 'use = "check"', 'use = "fitted"'),
    (HEAD, f'choice = [{{ name = "x", why = "y", set = 3 }}]\n{HEAD}', "must be a table"),
    (HEAD, HEAD + '\nchoice = [{ name = "x", why = "y", set = { "gc.what" = 1 } }]', "[[choice]] 1"),
    ("", UNKNOWN.format("name"), 'unknown[3].key: "name"'),
    ("", UNKNOWN.format("trace.jitter"), 'unknown[3].key: "trace.jitter" is part of the work'),
    ("", UNKNOWN.format("flash.t_read"), 'unknown[3].key: "flash.t_read"'),
    ("", UNKNOWN.format("flash.cell"), 'flash.cell is "MLC"'),
    ("", UNKNOWN.format("flash.suspend"), "flash.suspend is a section"),
    ("", CHOICE.format("x", "flash.t_read", '"60us"'), '"flash.t_read" is an [[unknown]]'),
    ("", CHOICE.format("x", "warmup.kind", '"empty"'), '"warmup.kind" is part of the work'),
    ("", ONE + ONE.replace("2", "1"), '[[choice]] "x" already'),
    ("", ONE + TWO, 'has the settings of the [[choice]] "x"'),
    ("", SPARE + CHOICE.format("x", "geometry.over_provisioning", '"7%"'), '"geometry.over_provisioning"'),
    ("", SOURCE, 'source[2].key: there is a [[source]] "made"'),
    ("", FACT * 2, '[[fact]] "dies"'),
    ('"4KiB"', '"1GiB"', 'from "1KiB" to "16384KiB"'),
    ('"4KiB"', '"16385KiB"', 'from "1KiB" to "16384KiB"'),
    ('"4KiB"', f'"{"9" * 400}KiB"', 'from "1KiB" to "16384KiB"'),
    ("value = ", "value = 1e308 # ", "above 0 and below"),
    ("value = ", "value = inf # ", "above 0 and below"),
]


@pytest.mark.parametrize(("old", "new", "said"), MISTAKES)
def test_mistakes(old: str, new: str, said: str, planted: dict[str, float], tmp_path: Path) -> None:
    file = sheet_of(tmp_path, planted, *LINES, more="" if old else new)
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new) if old else text)
    with pytest.raises(InputError) as told:
        FitPlan.of(Sheet.load(file))
    assert said in str(told.value)
    assert str(file) in str(told.value)


def test_a_drive_that_does_not_fit(planted: dict[str, float], tmp_path: Path) -> None:
    """Reads a hundred times as long as any drive of the declared ranges takes, and twice as many of them."""
    far = {**planted, "one": planted["one"] * 100}
    found = reclaim.fit(sheet_of(tmp_path, far, *LINES), tmp_path / "out", drives=6)
    assert not found.best.solution.fits
    assert not any(found.is_determined(place) for place in range(2))
    said = conclusion(found)
    assert "nothing is determined" in said
    assert not [word for word in ("Determined:", "held-out") if word in said]
    stored = json.loads((tmp_path / "out" / "fit.json").read_text())
    assert not any(each["determined"] for each in stored["choices"][0]["unknowns"])
    assert not any(each["inside"] for each in stored["lines"])
