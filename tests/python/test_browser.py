"""Reports in a real browser, offline: every chart drawn, nothing to complain of, on a laptop and a phone."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

import reclaim
from browser import Browser, running
from conftest import Recorded, timeline_of
from reclaim.result.plots import FIGURES, OF_SOME_RUNS
from reclaim.result.report import write_report
from reclaim.result.sets import ResultSet
from small_set import add_failure
from study.small import experiment
from study.small_tuning import small

WINDOWS = {"laptop": (1280, False), "phone": (390, False), "dark": (1280, True), "dark phone": (390, True)}
BACKGROUND = {False: "rgb(255, 255, 255)", True: "rgb(18, 22, 27)"}
OF_SETS = {
    "ratios",
    "latency",
    "axis_0",
    "over_time",
    "time_spent",
    "write_amplification",
    "utilisation",
    "wear",
}


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with running(tmp_path_factory.mktemp("profile")) as started:
        yield started


@pytest.fixture(scope="module")
def compared(results: list[reclaim.Result], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a comparison of runs that have recorded what every figure needs."""
    busy = {"completed_requests": 2, "latency_sum_ns": 500_000, "latency_max_ns": 400_000, "gc_channels": 1}
    timeline = timeline_of(busy, {"used_pages": 100_000}, busy)
    recorded = [Recorded(result.to_json(), timeline) for result in results]
    return write_report(recorded, tmp_path_factory.mktemp("report"))


@pytest.fixture(scope="module")
def swept(set_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a set."""
    return ResultSet.load(set_folder).report(tmp_path_factory.mktemp("page") / "set.html")


@pytest.fixture(scope="module")
def ablated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of an ablation of two workloads, with intervals and drives that are refused."""
    deep = {"gc.victim.d": 2, "gc.pages_in_flight": 4}
    schemes = ["greedy", {"name": "B", "schemes": ["d-choices"], "set": deep}]
    entry = {"from": "greedy", "to": "B", "metrics": ["write_mean_ns", "gc_write_amplification"]}
    made = experiment(schemes=schemes, repeats={"count": 6}, record={})
    made["axes"] = {"flash.t_program": ["600us", "700us"]}
    made["ablate"] = entry | {"parts": {"choices": ["gc.victim.d"]}}
    return reclaim.ablate(made, tmp_path_factory.mktemp("ablated"), report=True).folder / "report.html"


@pytest.fixture(scope="module")
def tuned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a tuning by two objectives."""
    section = {"objective": ["write_mean_ns", "gc_write_amplification"], "budget": "16 trials"}
    made = small(section, schemes=["random"])
    return reclaim.tune(made, tmp_path_factory.mktemp("tuned"), report=True).folder / "report.html"


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page on which the blocks of a small drive are watched."""
    drive = reclaim.Device.preset("tlc").with_settings(
        {"geometry.channels": 2, "geometry.chips_per_channel": 2}
    )
    pages = drive.facts()["logical_pages"]
    trace = reclaim.uniform_trace(
        footprint_bytes=pages * 4096 * 8 // 10, count=6000, mean_interarrival_ns=200_000
    )
    result = reclaim.simulate(drive, trace, record_blocks=True, record_gc=True, warn=False)
    page = tmp_path_factory.mktemp("watch") / "watch.html"
    page.write_text(result.to_watch(), encoding="utf-8")
    return page


def look(browser: Browser, moment: str) -> dict[str, object]:
    """What the page of blocks shows at a moment: pixels of each colour, and what it says."""
    return browser.evaluate(f"""(() => {{
      slider.value = {moment}; slider.dispatchEvent(new Event("input"));
      const pixels = grid.getContext("2d").getImageData(0, 0, grid.width, grid.height).data, found = {{}};
      const named = name => {{
        const probe = document.createElement("i");
        probe.style.color = `var(${{name}})`; document.body.append(probe);
        const told = getComputedStyle(probe).color; probe.remove();
        return told.match(/\\d+/g).slice(0, 3).join();
      }};
      const all = ["--valid", "--invalid", "--empty", "--mark"];
      const names = Object.fromEntries(all.map(each => [named(each), each]));
      for (let i = 0; i < pixels.length; i += 4) {{
        const name = names[pixels.slice(i, i + 3).join()];
        if (name && pixels[i + 3]) found[name] = (found[name] || 0) + 1;
      }}
      return {{ found, says: find("now").textContent, sums: sums[shown] }};
    }})()""")


@pytest.mark.parametrize("window", WINDOWS)
def test_blocks_can_be_watched(browser: Browser, watched: Path, window: str) -> None:
    width, dark = WINDOWS[window]
    opened = browser.open(watched, width=width, dark=dark)
    assert opened.complaints == []
    assert opened.told["page"][0] <= width
    assert opened.told["outside"] == []
    assert opened.told["background"] == BACKGROUND[dark]
    first, last = look(browser, "0"), look(browser, "times.length - 1")
    assert {"--valid", "--invalid", "--empty"} <= set(last["found"])
    assert first["says"] != last["says"]
    marks = [
        look(browser, f"Math.floor(times.length * {share})")["found"].get("--mark", 0)
        for share in (0.3, 0.5, 0.7)
    ]
    assert max(marks) > 0, "victims are outlined"
    moved = browser.evaluate("""new Promise(resolve => {
      slider.value = 0; speed.value = "40"; play.click();
      setTimeout(() => { play.click(); resolve(+slider.value); }, 1500);
    })""")
    assert moved > 3, "it plays"
    # To the end and back is the same.
    assert look(browser, "0") == first


SHOWN = {
    "compared": (set(FIGURES) - set(OF_SOME_RUNS)) | {"answer"},
    "swept": OF_SETS | {"answer"},
    "ablated": {"answer", "waterfall-write_mean_ns", "waterfall-gc_write_amplification"},
    "tuned": {"answer", "search", "traded", "judged", "around"},
}


@pytest.mark.parametrize(
    ("page", "window"),
    [
        (page, window)
        if window == "laptop" or (page, window) == ("swept", "dark phone")
        else pytest.param(page, window, marks=pytest.mark.slow)
        for page in SHOWN
        for window in WINDOWS
    ],
)
def test_every_chart_is_drawn_offline(
    page: str, window: str, browser: Browser, request: pytest.FixtureRequest
) -> None:
    width, dark = WINDOWS[window]
    opened = browser.open(request.getfixturevalue(page), width=width, dark=dark)
    assert opened.complaints == []
    told = opened.told
    assert set(told["drawn"]) == set(told["figures"]) == SHOWN[page]
    assert told["charts"] >= len(told["figures"])
    assert (told["empty"], told["cut"], told["outside"]) == (0, 0, [])
    assert told["page"] == [width, width], "the page scrolls sideways"
    assert told["background"] == BACKGROUND[dark]


@pytest.mark.slow
def test_requests_of_one_class_are_drawn_in_one_panel(browser: Browser, tmp_path: Path) -> None:
    trace = reclaim.uniform_trace(footprint_bytes=1 << 20, count=500, mean_interarrival_ns=500_000)
    result = reclaim.simulate(reclaim.Device.preset("mqsim-mirror-mini"), trace, warn=False)
    assert result.to_dict()["requests"]["read"]["count"] == 0
    opened = browser.open(write_report([result], tmp_path))
    assert (opened.complaints, opened.told["empty"]) == ([], 0)
    line = "document.querySelector('#latency_cdf .mark-line path').getAttribute('d').length"
    assert browser.evaluate(line) > 100


@pytest.mark.slow
def test_lines_that_are_all_the_same(browser: Browser, results: list[reclaim.Result], tmp_path: Path) -> None:
    same = [Recorded(results[0].to_json(), None) for _ in range(2)]
    for label, each in zip(("one", "other"), same, strict=True):
        each.label = label
    opened = browser.open(write_report(same, tmp_path))
    assert opened.complaints == []
    assert set(opened.told["drawn"]) == set(opened.told["figures"])
    said = "[...document.querySelectorAll('#latency_tail .alike')].map(each => each.textContent)"
    assert browser.evaluate(said) == ["All 2 schemes measured the same here."] * 2
    assert browser.evaluate("document.querySelectorAll('#latency_tail svg').length") == 0


@pytest.mark.slow
def test_six_schemes_fit(browser: Browser, results: list[reclaim.Result], tmp_path: Path) -> None:
    six = [reclaim.Result(results[index % 2].to_json()) for index in range(6)]
    names = ("greedy", "adaptive", "word-line", "copyback-odd-even", "gc-bypass", "raid5")
    for label, each in zip(names, six, strict=True):
        each.label = label
    page = write_report(six, tmp_path)
    wide = "document.querySelector('#summary ~ .wide')"
    assert browser.open(page, width=1300).told["outside"] == []
    assert browser.evaluate(f"{wide}.scrollWidth - {wide}.clientWidth") <= 0
    assert browser.open(page, width=390).told["page"] == [390, 390]
    place = f"{wide}.querySelector('tbody td').getBoundingClientRect().left"
    before = browser.evaluate(place)
    assert browser.evaluate(f"({wide}.scrollLeft = 150, {wide}.scrollLeft)") == 150
    assert browser.evaluate(place) == before


@pytest.mark.slow
def test_charts_follow_a_change_to_dark(browser: Browser, swept: Path) -> None:
    browser.open(swept)
    find = "document.querySelector('.figure .role-axis-label text').getAttribute('fill')"
    light = browser.evaluate(find)
    browser.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    browser.evaluate("new Promise(resolve => setTimeout(resolve, 100))")
    browser.wait_until_drawn()
    assert browser.evaluate(find) != light


def test_what_is_wrong_with_a_page_is_noticed(browser: Browser, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(
        "<img src='https://example.org/a.png'><script>console.error('broken'); missing();</script>"
    )
    found = " ".join(browser.open(page).complaints)
    assert all(each in found for each in ("https://example.org/a.png", "broken", "missing is not defined"))


@pytest.mark.slow
def test_many_points_stay_readable_and_small(set_folder: Path, browser: Browser, tmp_path: Path) -> None:
    """A hundred points and more: nine traces under six schemes, on two settings of an axis."""
    folder = spread(set_folder, tmp_path / "many", traces=9, schemes=6)
    add_failure(folder)
    results = ResultSet.load(folder)
    assert len(results) >= 100
    page = results.report()
    assert page.stat().st_size < 5_000_000
    assert "5 of 9 traces" in page.read_text()
    opened = browser.open(page, width=390)
    assert opened.complaints == []
    assert opened.told["page"] == [390, 390]
    assert opened.told["empty"] == 0


def spread(folder: Path, target: Path, *, traces: int, schemes: int) -> Path:
    """Copy a set so that it has as many traces and schemes, the first repeats alone; points share folders."""
    points = pl.read_parquet(folder / "points.parquet").filter(pl.col("repeat") == 0)
    histograms = pl.read_parquet(folder / "histograms.parquet")
    known_traces = points["trace"].unique(maintain_order=True).to_list()
    known_schemes = points["scheme"].unique(maintain_order=True).to_list()
    rows, buckets = [], []
    (target / "points").mkdir(parents=True)
    for trace in range(traces):
        for scheme in range(schemes):
            of_both = (pl.col("trace") == known_traces[trace % len(known_traces)]) & (
                pl.col("scheme") == known_schemes[scheme % len(known_schemes)]
            )
            for row in points.filter(of_both).iter_rows(named=True):
                point = f"{len(rows):016x}"
                rows.append(
                    row | {"point": point, "trace": f"workload {trace}", "scheme": f"scheme {scheme}"}
                )
                of_point = histograms.filter(pl.col("point") == row["point"])
                buckets.append(of_point.with_columns(pl.lit(point).alias("point")))
                shutil.copytree(folder / "points" / row["point"], target / "points" / point)
    pl.DataFrame(rows, schema=points.schema).write_parquet(target / "points.parquet")
    pl.concat(buckets).write_parquet(target / "histograms.parquet")
    return target
