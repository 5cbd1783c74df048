"""`reclaim validate`: the simulator meets its closed forms, and would be caught if it did not."""

from __future__ import annotations

import dataclasses
import json
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import reclaim
import validation_picture
from reclaim import _core
from reclaim.cli import app
from reclaim.paper.paper import load_paper
from reclaim.paper.report import to_dict
from reclaim.paper.reproduce import reproduce
from reclaim.validation import amplification, limits, load, mqsim, run
from reclaim.validation.amplification import Policy, _uniform
from reclaim.validation.checks import QUICK, Check, CheckedFigure, ExpectedFigure, rows_of
from reclaim.validation.closed_forms import amplification as oracle
from reclaim.validation.drives import drive, timing
from reclaim.validation.run import markdown
from small_paper import is_met
from test_interrupt import interrupted

DOCUMENT = Path(__file__).parents[2] / "docs" / "validation.md"
ROW_PASSES = "| pass |\n"
GROUPS = {
    name: int(rows)
    for part in DOCUMENT.read_text().split("| group | rows |")[1:]
    for name, rows in re.findall(r"^\| (.+?) \| (\d+) \|", part.split("\n\n")[0], flags=re.MULTILINE)
}
"""Rows of each group, as the document counts them."""


def validated(few: bool, checks: list[Check]) -> run.Report:
    """What comes of the checks, or of the first of each group."""
    first = {check.group: check for check in reversed(checks)}
    report = run.validate(QUICK, checks=list(first.values()) if few else checks)
    rows = {group: len(rows) for group, rows in report.groups()}
    assert set(rows) == set(first)
    assert few or rows == {group: GROUPS[group] for group in first}
    return report


FEW_OR_ALL = [True, pytest.param(False, marks=pytest.mark.slow)]


@pytest.fixture(scope="module", params=FEW_OR_ALL, ids=["few", "all"])
def quick(request: pytest.FixtureRequest) -> run.Report:
    return validated(request.param, run.all_checks(QUICK))


@pytest.fixture(scope="module", params=FEW_OR_ALL, ids=["few", "all"])
def beside_mqsim(request: pytest.FixtureRequest) -> run.Report:
    return validated(request.param, run.mqsim_checks())


def failed(report: run.Report) -> list[tuple[str, float, float]]:
    return [(row.name, row.measured, row.expected) for row in report.rows if not row.passed]


def uniform(policy: Policy, percent: int, pages: int) -> CheckedFigure:
    check = _uniform(QUICK, policy, percent, pages)
    (row,) = rows_of(check, [check.run(1, lambda *_: None)])
    assert row.passed
    return row


def test_every_row_is_within_its_tolerance(quick: run.Report) -> None:
    assert failed(quick) == []
    assert quick.passed
    assert markdown(quick).count(ROW_PASSES) == len(quick.rows)


def test_tolerances_are_those_that_were_promised(quick: run.Report) -> None:
    for row in quick.rows:
        loose = row.name.endswith(("random", "d = 2", "light load", "heavy load"))
        allowed = {
            "ns": 0.03 if "percentile" in row.name else 0.01,
            "ratio": 0.02 if loose else 0.01,
            "bytes/s": 0.005,
        }
        expected = 0 if row.group == "Alone on the drive" else allowed[row.unit]
        assert row.tolerance == expected, row.name


def test_the_reserve_matters_and_is_told() -> None:
    """At the nominal spare factor the same measurements would miss by percents on small drives."""
    row = uniform(amplification.FIFO, 7, 256)
    details = row.details
    assert details["effective_spare_factor"] < details["spare_factor"] == pytest.approx(0.07, abs=1e-5)
    assert 2 < details["reserve_blocks"] < 2.5
    assert row.measured / details["expected_at_nominal"] > 1.04
    assert abs(row.deviation) < 0.01


@pytest.mark.slow
def test_load_moves_write_amplification_between_the_ends_that_facts_name() -> None:
    """Free blocks run down from `start` to `hard`; where these are one, the write buffer is what is left."""
    facts = load.device_of({}).facts()
    said = [facts[end]["write_amplification"] for end in ("light_load", "heavy_load")]
    checks = [check for check in load.checks(QUICK) if check.group == "Write amplification by load"]
    rows = {row.name: row for row in run.validate(QUICK, checks=checks).rows}
    swept = [row.measured for name, row in rows.items() if name.startswith("start 6, hard 1:")]
    assert swept == sorted(swept, reverse=True)
    assert said[0] * 1.01 > swept[0] > swept[-1] > said[1] * 0.99
    assert swept[0] / swept[-1] > 1.25
    light, heavy = (rows[f"start 1, hard 1: queue depth {depth}"] for depth in (1, 128))
    assert 1 < light.measured / heavy.measured < 1.025
    # What is left is that 128 pages are in the write buffer.
    spare = heavy.details["effective_spare_factor"]
    unbuffered = spare - (1 - spare) * 128 / (load.USER_PAGES - 128)
    assert oracle.greedy(unbuffered, 64) == pytest.approx(light.measured, rel=0.005)


def test_a_wrong_simulator_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """What if greedy victims were FIFO?"""
    check = amplification.checks(QUICK)[0]
    assert rows_of(check, [check.run(1, lambda *_: None)])[0].passed
    measure = _core.write_amplification

    def wrong(_: str, **rest: Any) -> str:
        return measure("fifo", **rest)

    monkeypatch.setattr(_core, "write_amplification", wrong)
    assert not rows_of(check, [check.run(1, lambda *_: None)])[0].passed


def test_rows_average_runs_and_tell_their_noise() -> None:
    runs = [
        [ExpectedFigure("mean", value, 100, 0.01, "ns", {"spare": value})] for value in (99.0, 100.0, 102.0)
    ]
    check = Check("group", lambda _, __: [], 3)
    (row,) = rows_of(check, runs)
    assert row.measured == pytest.approx(100 + 1 / 3)
    assert row.passed
    assert row.noise == pytest.approx(0.00882, abs=1e-4)
    assert row.details == {"spare": pytest.approx(100 + 1 / 3)}
    assert rows_of(check, runs[:1])[0].noise is None
    low = [[ExpectedFigure("mean", 98.0, 100, 0.01, "ns")]]
    assert not any(rows_of(check, far)[0].passed for far in (runs[2:], low))


def test_the_command_fails_with_one_bad_row(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from typer.testing import CliRunner

    def some(factor: float) -> Any:
        point = ExpectedFigure("mean wait", 100 * factor, 100, 0.01, "ns")
        return lambda _: [Check("Some queue", lambda _, __: [point])]

    monkeypatch.setattr(run, "all_checks", some(1.005))
    done = CliRunner().invoke(app.app, ["validate", "--quick", "--json", "-o", str(tmp_path / "made")])
    assert done.exit_code == 0, done.output
    data = json.loads(done.stdout)
    assert data["passed"] is True
    assert data == json.loads((tmp_path / "made" / "validation.json").read_text())
    assert "+0.50 %" in (tmp_path / "made" / "validation.md").read_text()
    monkeypatch.setattr(run, "all_checks", some(1.02))
    done = CliRunner().invoke(app.app, ["validate", "--quick"])
    assert done.exit_code == 1
    assert "1 beyond" in done.output


@pytest.mark.slow
def test_the_command_stops_soon(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "reclaim", "validate", "--full"]
    code, seconds, stderr = interrupted(words, 2.0, tmp_path)
    assert code == 130
    # A trace that is being read through is read to its end.
    assert seconds < 15.0
    assert "Traceback" not in stderr


def test_the_mirror_is_in_step_with_mqsim(beside_mqsim: run.Report) -> None:
    """Counts within 2 %, times within 5 %, single operations to the nanosecond."""
    assert failed(beside_mqsim) == []
    for row in beside_mqsim.rows:
        counts = row.unit == "ratio" or row.name in {"collections", "pages moved"}
        exact = row.group == "MQSim: alone and in pairs"
        assert row.tolerance == (0 if exact else 0.02 if counts else 0.05), row.name
    assert "| MQSim |" in markdown(beside_mqsim)


@pytest.mark.slow
def test_the_drive_as_a_paper(monkeypatch: pytest.MonkeyPatch) -> None:
    """All rows of both are claims of the first paper, which level quick does not judge; and all are met."""
    both = validated(False, run.all_checks(QUICK) + run.mqsim_checks())
    monkeypatch.setattr(run, "validate", lambda *_, **__: both)
    monkeypatch.delitem(sys.modules, "rows", raising=False)
    done = to_dict(reproduce(load_paper("drive"), "quick"))
    assert done["counts"] == {}
    claims = done["claims"]
    assert {each["agreement"] for each in claims} <= {"not judged", "open"}
    assert Counter(each["origin"] for each in claims) == {"program": 60, "formula": 182}
    assert [each["id"] for each in claims if not is_met(each)] == []
    ids = [each["id"] for each in claims]
    assert len(set(ids)) == len(ids)
    assert {"wa-fifo-over-greedy", "uniform-b-64-sf-0.10-greedy", "mqsim-first-reads-p99"} <= set(ids)
    monkeypatch.delitem(sys.modules, "rows", raising=False)


@pytest.mark.slow
def test_a_drive_that_is_not_mqsims_is_told_from_it(monkeypatch: pytest.MonkeyPatch) -> None:
    column = next(column for column in mqsim.COLUMNS if column.label == "preemptible collection")
    other = dataclasses.replace(column, settings={**column.settings, "flash.dies_overlap": True})
    monkeypatch.setattr(mqsim, "COLUMNS", (other,))
    check = mqsim.checks()[-1]
    failed = [row.name for row in rows_of(check, [check.run(1, lambda *_: None)]) if not row.passed]
    assert "reads: p95" in failed
    assert "write amplification" not in failed


def test_other_requests_than_mqsims_are_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(mqsim, "REQUESTS", 1000)
    with pytest.raises(reclaim.SimulationError, match="draws other requests"):
        mqsim.write_xval(tmp_path / "short.trace")


def test_the_same_numbers_every_time() -> None:
    some = [*amplification.checks(QUICK)[:2], limits.checks()[1]]
    assert run.validate(QUICK, checks=some) == run.validate(QUICK, checks=some)


def test_progress_is_told() -> None:
    seen: list[tuple[int, int]] = []
    run.validate(checks=limits.checks()[:3], progress=lambda done, total: seen.append((done, total)))
    assert seen == [(1, 3), (2, 3), (3, 3)]


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"hot": (1.5, 0.5)}, r"1\.5"),
        ({"hot": (0.5, 0.5), "trims": 0.1}, "both"),
        ({"victim": "gready"}, "greedy"),
        ({"spare": (0, 100)}, "spare blocks"),
    ],
)
def test_experiments_that_cannot_be(settings: dict[str, Any], named: str) -> None:
    sound: dict[str, Any] = {"victim": "greedy", "blocks": 64, "pages_per_block": 16, "spare": (20, 100)}
    with pytest.raises(reclaim.InputError, match=named):
        _core.write_amplification(**(sound | settings), warm_up=1, measured=1, seed=1)


def test_facts_tell_nearly_the_same_effective_spare_factor() -> None:
    """Before a run the reserve is an estimate; afterwards it is measured."""
    device = drive(blocks=2048, pages_per_block=64, user_pages=2048 * 64 * 9 // 10)
    facts = device.set("ftl.gc_frontier", "shared").facts()
    row = uniform(amplification.GREEDY, 10, 64)
    measured = row.details["effective_spare_factor"]
    assert facts["light_load"] == facts["heavy_load"]
    assert facts["light_load"]["effective_spare_factor"] == pytest.approx(measured, abs=0.0001)
    assert facts["light_load"]["write_amplification"] == pytest.approx(row.measured, rel=0.01)


def test_times_are_read_from_the_text_of_a_configuration() -> None:
    device = drive("word-line-aware", blocks=8, pages_per_block=16, user_pages=64)
    facts, times = device.facts(), timing(device)
    assert (times.read, times.program, times.erase) == (
        facts["unloaded_read_ns"],
        facts["unloaded_write_ns"],
        facts["erase_ns"],
    )


def test_the_picture_is_that_of_the_document() -> None:
    assert validation_picture.draw() == validation_picture.PICTURE.read_bytes(), "make pages"


def test_the_document_has_every_group() -> None:
    assert {check.group for check in run.all_checks(QUICK) + run.mqsim_checks()} == set(GROUPS)
