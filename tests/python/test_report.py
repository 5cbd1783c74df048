"""The HTML report: complete, self-contained, and drawn by a real browser."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import altair as alt
import pytest

import reclaim
from conftest import DEVICE, Command, Recorded, timeline_of
from reclaim.charts import chart_of, finished, panels_of
from reclaim.html import options_whole
from reclaim.results.encodings import NOT_FROM_ZERO
from reclaim.results.plots import FIGURES, OF_NETWORKS, TAIL_FLOOR, figures, latency_tail
from reclaim.results.report import write_report
from reclaim.units import written
from test_table import edited


@pytest.fixture(scope="module")
def report(results: list[reclaim.Result], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of runs that have recorded what every figure needs."""
    busy = {"completed_requests": 2, "latency_sum_ns": 500_000, "latency_max_ns": 400_000, "gc_channels": 1}
    timeline = timeline_of(busy, {"used_pages": 100_000}, busy)
    recorded = [Recorded(result.to_json(), timeline) for result in results]
    return write_report(recorded, tmp_path_factory.mktemp("report"))


@pytest.fixture(scope="module")
def page(report: Path) -> str:
    """The report without its JavaScript libraries."""
    return re.sub(r"<script>.*?</script>", "", report.read_text(), count=1, flags=re.DOTALL)


def test_the_verdict_stands_above_the_numbers(
    page: str, results: list[reclaim.Result], doubtful: reclaim.Result, tmp_path: Path
) -> None:
    assert options_whole(results[1].verdict.warnings[0].text) in page[: page.index('id="summary"')]
    data = results[0].to_dict()
    assert data["trace"]["content_hash"] in page
    assert f"Reclaim {data['reclaim_version']}" in page
    trusted = write_report(results[:1], tmp_path / "trusted").read_text()
    assert 'class="verdict trustworthy"' in trusted
    # What was not recorded is not drawn.
    assert 'id="over_time"' not in trusted
    assert not (tmp_path / "trusted/figures/over_time.png").exists()
    text = write_report([doubtful], tmp_path / "doubtful").read_text()
    assert 'class="verdict not-established"' in text
    assert options_whole("--warmup workload") in text
    amplification = written(doubtful.nand_write_amplification, "ratio")
    assert f'<td class="concerned doubt">{amplification} <b>?</b></td>' in text
    assert "? not established" in text


def test_a_report_of_a_run_that_was_never_measured_is_drawn(tmp_path: Path) -> None:
    drive = reclaim.Device.preset(DEVICE)
    trace = reclaim.uniform_trace(footprint_bytes=1 << 20, count=50)
    with pytest.warns(reclaim.ResultWarning, match="measuring-never-began"):
        result = reclaim.simulate(drive, trace, warmup="empty", measure_after="first-round")
    text = write_report([result], tmp_path).read_text()
    assert 'class="verdict not-trustworthy"' in text


def test_summary_has_the_figures_with_units_and_ratios(page: str, results: list[reclaim.Result]) -> None:
    greedy, fifo = results
    amplification = [written(each.nand_write_amplification, "ratio") for each in results]
    slowest = [written(each.read.latency.percentile(99), "time") for each in results]
    ratio = f"×{fifo.nand_write_amplification / greedy.nand_write_amplification:.2f}"
    for expected in (*amplification, *slowest, ratio):
        assert re.search(rf">{re.escape(expected)}( <b>[?!]</b>)?</td>", page), expected
    assert "p99.99 latency" in page


def test_every_figure_is_there_and_on_disk_and_nothing_from_elsewhere(page: str, report: Path) -> None:
    for name in set(FIGURES) - set(OF_NETWORKS):
        assert f'id="{name}"' in page
        assert (report.parent / "figures" / f"{name}.png").read_bytes().startswith(b"\x89PNG")
    assert not re.search(r"<(script|img|iframe)[^>]*\ssrc=|<link\b|@import|url\(", page)
    assert len(re.findall(r"</script>", report.read_text())) == 2


def test_names_cannot_inject_markup(results: list[reclaim.Result], tmp_path: Path) -> None:
    name = "</script><script>alert(1)</script>"
    odd = {"trace__name": name, "scheme": name, "requests__read__count": 0, "latency_cdf__read": []}
    text = write_report([edited(results[0], **odd)], tmp_path).read_text()
    assert "<script>alert" not in text
    assert '"title": "reads"' not in text


def test_the_tail_of_requests_that_all_take_the_same_time_is_drawn(results: list[reclaim.Result]) -> None:
    """Its curve falls straight through the lowest percentile shown: it must end there, not vanish."""
    same = edited(results[0], latency_cdf__read=[[300_000, 1.0]])
    assert f'"slower": {TAIL_FLOOR}' in json.dumps(latency_tail([same]).to_dict())


def axes_of(spec: dict[str, Any]) -> list[dict[str, Any]]:
    """Every encoding of a figure for y."""
    parts = [*spec.get("layer", []), *spec.get("vconcat", []), *spec.get("hconcat", [])]
    own = [spec["encoding"]["y"]] if "y" in spec.get("encoding", {}) else []
    return own + [axis for part in parts for axis in axes_of(part)]


def test_write_amplification_is_drawn_to_the_end(results: list[reclaim.Result]) -> None:
    """It says where its axis begins."""
    data = results[0].to_dict()
    total, windows = data["flash"]["host_programs"], data["windows"]
    assert windows["host_pages"][-1] == total
    sizes = [end - start for start, end in pairwise([0, *windows["host_pages"]])]
    taken = sum(size * each for size, each in zip(sizes, windows["write_amplification"], strict=True))
    assert taken / total == pytest.approx(data["gc"]["write_amplification"])
    in_bytes = windows["nand_write_amplification"]
    assert len(in_bytes) == len(sizes)
    assert min(in_bytes) < data["gc"]["nand_write_amplification"] < max(in_bytes)
    for low, zero in ((1.0, True), (1.9, False)):
        values = [low, *[2.0] * (len(sizes) - 1)]
        made = edited(results[0], windows__nand_write_amplification=values, gc__nand_write_amplification=2.0)
        for axis in axes_of(figures([made])["write_amplification"]):
            assert axis["scale"]["zero"] is zero
            assert (NOT_FROM_ZERO in axis["title"]) is (not zero)


def test_lines_that_are_all_the_same_are_not_drawn(results: list[reclaim.Result]) -> None:
    def panels(shown: list[reclaim.Result], name: str) -> list[dict[str, Any]]:
        return list(panels_of(figures(shown)[name])["panels"])

    same, other = (reclaim.Result(results[0].to_json()) for _ in range(2))
    other.label = "other"
    for name in ("latency_tail", "latency_cdf", "write_amplification"):
        assert all("2 schemes" in each["usermeta"]["alike"] for each in panels([same, other], name))
        # What differs, and what one scheme alone measured, is drawn.
        for shown in (results, results[:1]):
            assert all("mark" in each or "layer" in each for each in panels(shown, name))
    cdf = results[0].to_dict()["latency_cdf"]["read"]
    slower = edited(results[0], latency_cdf__read=[*cdf[:-1], [cdf[-1][0] + 1000, cdf[-1][1]]])
    slower.label = "slower"
    reads, writes = panels([same, slower], "latency_tail")
    assert "alike" not in reads["usermeta"]
    assert "alike" in writes["usermeta"]
    # Bars are drawn: they say how much.
    assert "alike" not in str(panels([same, other], "time_spent")[0]["usermeta"])


def test_colour_and_shape_of_one_field_lose_their_legends_together() -> None:
    names = alt.Scale(domain=["a", "b"], range=["#000000", "#ffffff"])
    drawn = chart_of([{"of": "a", "other": "c", "at": 1}]).mark_point().encode(
        x="at:Q",
        color=alt.Color("of:N", scale=names),
        shape=alt.Shape("of:N", legend=alt.Legend(title=None)),
        strokeDash="of:N",
        size="other:N",
    )  # fmt: skip
    panels = panels_of(finished(drawn))
    encoding = panels["panels"][0]["encoding"]
    assert panels["legend"] == [("a", "#000000"), ("b", "#ffffff")]
    assert all(encoding[channel]["legend"] is None for channel in ("color", "shape", "strokeDash"))
    assert "legend" not in encoding["size"]


def test_formats_of_figures(results: list[reclaim.Result], tmp_path: Path, command: Command) -> None:
    write_report(results, tmp_path, ["svg", "pdf"])
    for kind, begin in {"png": b"\x89PNG", "svg": b"<svg", "pdf": b"%PDF"}.items():
        assert (tmp_path / "figures" / f"latency_tail.{kind}").read_bytes().startswith(begin)
    # Refused before anything runs.
    for words, says in ((("gif", "-o", "out"), '"gif"'), (("svg",), "-o")):
        done = command("compare", "bundled/varmail", "-d", DEVICE, "--schemes", "greedy", "--figures", *words)
        assert (done.returncode, done.stdout) == (2, "")
        assert says in done.stderr
