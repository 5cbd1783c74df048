"""Write amplification in bytes: beside the closed form, over time, and where results are too old for it."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

import reclaim
from reclaim.cli.console import out
from reclaim.report.terminal import show
from reclaim.result.opening import opening
from reclaim.result.sets import ResultSet
from reclaim.result.sets.brief import brief
from reclaim.result.sets.metrics import IN_BYTES, IN_PAGES, amplification
from reclaim.result.sets.opening import opening as opening_of_set
from reclaim.result.sets.report import write_report as write_set_report
from reclaim.result.sets.tables import POINTS
from reclaim.result.table import rows
from reclaim.validation.closed_forms import amplification as oracle
from reclaim.validation.drives import drive

BLOCKS, PAGES_PER_BLOCK, USER_PAGES = 512, 32, 13_107


def old(result: reclaim.Result) -> reclaim.Result:
    """The same, as it was saved before bytes were counted."""
    data = result.to_dict()
    del data["written"], data["gc"]["nand_write_amplification"]
    del data["windows"]["nand_write_amplification"]
    return reclaim.Result(json.dumps(data))


@pytest.mark.parametrize(("page_kib", "request_bytes"), [(4, 4096), (4, 512), (8, 16384)])
def test_it_is_the_closed_form_by_the_share_of_a_page_that_is_written(
    page_kib: int, request_bytes: int
) -> None:
    page = page_kib * 1024
    size = {"blocks": BLOCKS, "pages_per_block": PAGES_PER_BLOCK, "user_pages": USER_PAGES}
    host = {"host.mode": "closed-loop", "host.queue_depth": 1}
    device = drive(**size, page_size=f"{page_kib}KiB", settings=host)
    pages = -(-request_bytes // page)
    trace = reclaim.uniform_trace(
        footprint_bytes=USER_PAGES // pages * pages * page, count=3 * USER_PAGES, request_bytes=request_bytes
    )
    found = reclaim.simulate(device, trace, warmup="overwrite:6", warn=False)
    written = found.to_dict()["written"]
    assert written["host_bytes"] == 3 * USER_PAGES * request_bytes
    assert found.write_amplification is not None
    expected = oracle.in_bytes(found.write_amplification, page_bytes=page, request_bytes=request_bytes)
    assert found.nand_write_amplification == pytest.approx(expected, rel=1e-12)
    if pages == 1:
        effective = device.facts()["light_load"]["effective_spare_factor"]
        of_pages = oracle.greedy(effective, PAGES_PER_BLOCK)
        expected = oracle.in_bytes(of_pages, page_bytes=page, request_bytes=request_bytes)
        assert found.nand_write_amplification == pytest.approx(expected, rel=0.03)


def test_what_a_timeline_has_adds_up_to_the_results() -> None:
    trace = reclaim.uniform_trace(footprint_bytes=8 << 20, count=2_000, request_bytes=2048)
    device = reclaim.Device.preset("coupled-copyback-mini")
    found = reclaim.simulate(device, trace, warmup="steady", record_timeline=True, warn=False)
    timeline, written = pl.DataFrame(found.timeline), found.to_dict()["written"]
    for name, value in written.items():
        if name != "empty_bytes":
            assert timeline[name].sum() == value, name
    causes = [name for name in written if name.startswith("nand_") and name != "nand_bytes"]
    assert len(causes) == 7
    assert sum(written[name] for name in causes) == written["nand_bytes"]


def test_results_of_an_earlier_day_have_a_dash(results: list[reclaim.Result], tmp_path: Path) -> None:
    (tmp_path / "results.json").write_text(old(results[0]).to_json())
    before = reclaim.Result.load(tmp_path)
    assert before.nand_write_amplification is None
    assert before.summary().get(IN_BYTES) is None
    first = {row.label: row.texts()[0] for row in rows([before, results[1]])}
    assert first["write amplification (bytes)"] == first["bytes programmed"] == "–"
    assert first["write amplification (pages)"] != "–"
    assert "write amplification (pages)" in opening([before])
    assert "write amplification (bytes)" in opening([results[0]])


def test_a_folder_of_an_earlier_day_has_dashes(set_folder: Path, tmp_path: Path) -> None:
    newer = ResultSet.load(set_folder)
    points = newer.points.drop(IN_BYTES).select(pl.exclude("^written_.*$"))
    points.write_parquet(tmp_path / POINTS)
    before = ResultSet.load(tmp_path)
    assert before.points[IN_BYTES].null_count() == len(before)
    assert {IN_BYTES, IN_PAGES} <= set(before.headline())
    assert (amplification(newer.points), amplification(before.points)) == (IN_BYTES, IN_PAGES)
    assert "write amplification (bytes)" not in opening_of_set(before)
    page = write_set_report(before, tmp_path / "report.html").read_text()
    row = page[page.index("write amplification (bytes)") :]
    assert "–" in row[: row.index("</tr>")]


def test_the_terminal_leads_with_bytes(
    set_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    points = ResultSet.load(set_folder).points
    points.drop(IN_BYTES).write_parquet(tmp_path / POINTS)
    for folder, units in ((set_folder, ["(bytes)"]), (tmp_path, ["(bytes)", "(pages)"])):
        show(brief(ResultSet.load(folder)), out)
        shown = capsys.readouterr().out
        assert [unit for unit in ("(bytes)", "(pages)") if unit in shown] == units
