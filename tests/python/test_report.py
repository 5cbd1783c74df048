"""The HTML report of runs: complete and self-contained; its charts, timelines and colours."""

from __future__ import annotations

import json
import re
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import altair as alt
import numpy as np
import pytest

import reclaim
from conftest import DEVICE, Command, Recorded, timeline_of
from reclaim.charts import PALETTE, chart_of, finished, panels_of
from reclaim.report.html import prose
from reclaim.result.encodings import NOT_FROM_ZERO
from reclaim.result.plots import FIGURES, OF_SOME_RUNS, PARTS, TAIL_FLOOR, figures, latency_tail
from reclaim.result.report import write_report
from reclaim.result.timeline_plots import MOST_DRAWN, drawn_intervals, has_timeline, over_time
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
    assert prose(results[1].verdict.warnings[0].text) in page[: page.index('id="summary"')]
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
    assert prose("--warmup workload") in text
    amplification = written(doubtful.nand_write_amplification, "ratio")
    assert f'<td class="concerned doubt">{amplification} <b>?</b></td>' in text
    assert "? inconclusive" in text


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
    for name in set(FIGURES) - set(OF_SOME_RUNS):
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


def test_wear_is_drawn_block_by_block(results: list[reclaim.Result]) -> None:
    """All blocks are in the picture, each class around its numbers of erases; the worst is named."""
    counted = {"min_erases": 3, "max_erases": 9, "mean_erases": 4.5, "histogram": [2, 1, 0, 1]}
    changes: dict[str, Any] = {f"wear__{key}": value for key, value in counted.items()}
    first = results[0].label
    drawn = figures([edited(results[0], **changes, wear__histogram_step=2)])["wear"]
    shown = [row for rows in drawn["datasets"].values() for row in rows if row["scheme"] == first]
    edges = [(row["erases"], row["share"]) for row in shown if "share" in row]
    assert edges == [(2.5, 0), (2.5, 0.25), (4.5, 0.125), (6.5, 0), (8.5, 0.125), (10.5, 0)]
    assert [row["worst"] for row in shown if "worst" in row] == ["9, 2.00 × mean"]
    # An earlier version has counted no blocks.
    assert "vconcat" not in figures([edited(results[0], wear__histogram=[])])["wear"]


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


QUIET: dict[str, int] = {}
BUSY = {
    "completed_requests": 4,
    "latency_sum_ns": 2_000_000,
    "latency_max_ns": 900_000,
    "gc_channels": 3,
    "used_pages": 131_072,
}


def recorded(result: reclaim.Result, *rows: dict[str, int], label: str = "one", **how: int) -> Recorded:
    made = Recorded(result.to_json(), timeline_of(*rows, **how))
    made.label = label
    return made


def panels(*results: Recorded) -> list[dict[str, Any]]:
    """The three panels; those that share data have it from the level above."""
    spec = over_time(results).to_dict()
    drawn: list[dict[str, Any]] = spec["vconcat"]
    for panel in drawn:
        for layer in (panel, *panel.get("layer", [])):
            name = layer.get("data", panel["data"])["name"]
            layer["values"] = spec["datasets"][name]
    return drawn


def test_an_interval_is_one_row_where_rows_are_few(results: list[reclaim.Result]) -> None:
    found = drawn_intervals(recorded(results[0], BUSY, QUIET))
    columns = ("start_ns", "end_ns", "latency_us", "latency_max_us", "channels", "erased")
    # A quarter of the drive's 524 288 pages is in use.
    assert found.rows(named=True) == [
        dict(zip(columns, row, strict=True))
        for row in ((0, 10_000, 500.0, 900.0, 3.0, 0.75), (10_000, 20_000, None, None, 0.0, 1.0))
    ]
    slow = {"completed_requests": 1, "latency_sum_ns": 7_000_000, "latency_max_ns": 7_000_000}
    rows = [QUIET, BUSY, slow] * MOST_DRAWN
    found = drawn_intervals(recorded(results[0], *rows))
    assert found.height == MOST_DRAWN
    # Of five requests, not of two means; erased as it is at the end of the last row.
    assert found.select(columns).row(1) == (30_000, 60_000, 1800.0, 7000.0, 1.0, 1.0)
    assert drawn_intervals(recorded(results[0], *rows, BUSY)).height <= MOST_DRAWN
    # Requests that took no time have no place on a logarithmic axis.
    none = recorded(results[0], {"completed_requests": 3})
    assert drawn_intervals(none)["latency_us"].to_list() == [None]
    assert "NaN" not in json.dumps(panels(none))


def test_all_panels_have_one_axis_of_time_and_every_scheme(results: list[reclaim.Result]) -> None:
    longer = recorded(results[1], BUSY, BUSY, BUSY, label="two", interval_ns=2_000_000)
    latency, collecting, free = panels(recorded(results[0], BUSY, label="one"), longer)
    for chart in (*latency["layer"], collecting, free):
        assert chart["encoding"]["x"]["scale"] == {"domain": [0.0, 6.0], "nice": False}
        assert chart["encoding"]["color"]["scale"]["domain"] == ["one", "two"]
        assert {each["scheme"] for each in chart["values"]} == {"one", "two"}
    assert free["encoding"]["x"]["title"] == "simulated time (ms)"


def test_time_counts_from_the_start_of_the_trace(results: list[reclaim.Result]) -> None:
    late = recorded(results[0], BUSY | {"start_ns": 3_000_000_000, "length_ns": 1_000_000_000})
    *_, free = panels(late)
    assert free["encoding"]["x"]["scale"]["domain"] == [3.0, 4.0]
    assert free["encoding"]["x"]["title"] == "simulated time (s)"
    # A run that was never measured has nothing to draw.
    assert has_timeline(late)
    assert not has_timeline(recorded(results[0]))
    assert not has_timeline(results[0])


ALL = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
PROTANOPIA = [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
]
DEUTERANOPIA = [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.011820, 0.042940, 0.968881],
]
TRITANOPIA = [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.303900],
]
EYES = {"all": ALL, "protanopia": PROTANOPIA, "deuteranopia": DEUTERANOPIA, "tritanopia": TRITANOPIA}
"""Machado, Oliveira and Fernandes, 2009: what is seen of linear red, green and blue."""
XYZ = [
    [0.4124564, 0.3575761, 0.1804375],
    [0.2126729, 0.7151522, 0.0721750],
    [0.0193339, 0.1191920, 0.9503041],
]
WHITE = (0.95047, 1.0, 1.08883)
PAGES = {"#ffffff": "#000000", "#12161b": "#e8edf2"}
"""Backgrounds, and what black lines are drawn in there."""


def linear(colour: str) -> np.ndarray:
    parts = np.array([int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)])
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def lab(seen: np.ndarray) -> np.ndarray:
    share = np.array(XYZ) @ np.clip(seen, 0, 1) / np.array(WHITE)
    root = np.where(share > (6 / 29) ** 3, np.cbrt(share), share * (29 / 6) ** 2 / 3 + 4 / 29)
    return np.array([116 * root[1] - 16, 500 * (root[0] - root[1]), 200 * (root[1] - root[2])])


def distance(one: str, other: str, eyes: str) -> float:
    """Distance in CIELAB: about 2 is just seen."""
    seen = [lab(np.array(EYES[eyes]) @ linear(each)) for each in (one, other)]
    return float(np.linalg.norm(seen[0] - seen[1]))


def contrast(colour: str, page: str) -> float:
    """The contrast ratio of WCAG."""
    dark, light = sorted(float(np.array(XYZ[1]) @ linear(each)) for each in (colour, page))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("eyes", EYES)
def test_schemes_and_parts_of_a_latency_are_told_apart(eyes: str) -> None:
    for page, black in PAGES.items():
        drawn = [black if each == "#000000" else each for each in PALETTE]
        assert len(set(drawn)) == 8
        assert min(distance(*pair, eyes) for pair in combinations(drawn, 2)) > 15
        assert min(contrast(each, page) for each in drawn) > 2
    assert min(distance(*pair, eyes) for pair in combinations(PARTS, 2)) > 9
    assert min(distance(part, scheme, "all") for part in PARTS for scheme in PALETTE) > 25
