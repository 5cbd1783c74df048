"""Results as Python objects, tables and files, their verdicts; what goes to other processes."""

from __future__ import annotations

import copy
import json
import pickle
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import reclaim
from conftest import DEVICE, GENERATED, timeline_of
from reclaim.result import result
from reclaim.result.stats import STORED_PERCENTILES
from reclaim.result.verdict import Verdict, worst


def writes() -> reclaim.Trace:
    return reclaim.uniform_trace(
        footprint_bytes=4 << 20,
        count=3000,
        write_fraction=0.6,
        trim_fraction=0.1,
        mean_interarrival_ns=200_000,
        seed=5,
    )


@pytest.fixture(scope="module")
def fresh() -> reclaim.Result:
    """A run that has recorded all there is."""
    drive, kept = (
        reclaim.Device.preset(DEVICE),
        {f"record_{each}": True for each in ("requests", "gc", "timeline")},
    )
    return reclaim.simulate(drive, writes(), warmup="filled", warn=False, **kept)


@pytest.fixture(scope="module")
def saved(fresh: reclaim.Result, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return fresh.save(tmp_path_factory.mktemp("deep") / "deep" / "run")


def there_and_back(thing: object) -> Any:
    return pickle.loads(pickle.dumps(thing))  # noqa: S301 - made right here


def test_percentiles_of_a_run_come_from_its_histogram(fresh: reclaim.Result) -> None:
    requests = fresh.to_dict()["requests"]
    assert fresh.write.latency.percentile(37.5) is not None
    for name in ("read", "write", "trim"):
        stored, latency = requests[name], getattr(fresh, name).latency
        for percent, key in STORED_PERCENTILES.items():
            assert latency.percentile(percent) == stored[key]
        assert latency.percentile(100) == stored["max_ns"]
    # The longest latency itself, not the end of its bucket in the histogram.
    assert fresh.latency.percentile(100) == max(each["max_ns"] for each in requests.values())
    for percent in (-1, 100.5):
        with pytest.raises(reclaim.InputError, match="between 0 and 100"):
            fresh.read.latency.percentile(percent)


def test_histograms_hold_every_request(fresh: reclaim.Result) -> None:
    table = pl.DataFrame(fresh.histograms)
    assert dict(table.schema) == {"class": pl.String, "upper_ns": pl.UInt64, "count": pl.UInt64}
    stored = fresh.to_dict()["requests"]
    assert table["class"].unique(maintain_order=True).to_list() == ["read", "write", "trim"]  # no flush
    for (name,), rows in table.group_by("class"):
        assert rows["count"].sum() == stored[str(name)]["count"]
        assert rows["count"].min() > 0
        assert rows["upper_ns"].max() == stored[str(name)]["max_ns"]
        assert rows["upper_ns"].is_sorted()
        assert rows["upper_ns"].is_unique().all()
    # What falls into a bucket is at most 0.1 % shorter than its end.
    requests = pl.DataFrame(fresh.requests).filter(pl.col("op") == 0)
    longest = (requests["completion_ns"] - requests["arrival_ns"]).sort().to_list()
    ends = table.filter(pl.col("class") == "read")
    told = [end for end, count in ends.select("upper_ns", "count").iter_rows() for _ in range(count)]
    assert all(0 <= end - ns <= ns / 1000 for end, ns in zip(told, longest, strict=True))


def test_a_saved_or_pickled_result_is_the_same(fresh: reclaim.Result, saved: Path, tmp_path: Path) -> None:
    loaded = reclaim.Result.load(saved)
    again = reclaim.Result.load(loaded.save(tmp_path / "again", report=False))
    for same in (loaded, there_and_back(fresh), again):
        assert (same.to_json(), same.config_toml) == (fresh.to_json(), fresh.config_toml)
        for percent in (0, 1e-9, 37.5, 77.7, 99.9, 99.9999, 100):
            assert same.latency.percentile(percent) == fresh.latency.percentile(percent)
            for name in ("read", "write", "trim", "flush"):
                ours = getattr(same, name).latency.percentile(percent)
                assert ours == getattr(fresh, name).latency.percentile(percent)
                assert (ours is None) == (name == "flush")
        for table in ("histograms", "requests", "gc_log", "timeline"):
            assert pl.DataFrame(getattr(same, table)).equals(pl.DataFrame(getattr(fresh, table))), table
    assert (saved / "report.html").stat().st_size > 100_000
    configured = reclaim.simulate(reclaim.Device.load(saved / "config.toml"), writes(), warn=False)
    assert configured.to_json() == fresh.to_json()
    # Over the folder it was read from, too.
    again.save(tmp_path / "again", report=False)
    assert pl.DataFrame(reclaim.Result.load(tmp_path / "again/results.json").requests).height == 3000
    (tmp_path / "again/requests.parquet").write_bytes(b"no table")
    with pytest.raises(reclaim.InputError, match=r"requests\.parquet"):
        _ = reclaim.Result.load(tmp_path / "again").requests


def test_the_parts_of_the_mean_add_up(fresh: reclaim.Result) -> None:
    for stats in (fresh.read, fresh.write):
        each = stats.breakdown
        parts = [each.queue_ns, each.gc_ns, each.transfer_ns, each.array_ns, each.link_ns, each.other_ns]
        assert sum(parts) == pytest.approx(stats.mean_ns, rel=1e-6)


def test_to_arrow_goes_into_polars_as_one_row(fresh: reclaim.Result) -> None:
    frame = pl.DataFrame(fresh.to_arrow())
    assert frame.height == 1
    row = frame.row(0, named=True)
    assert row["gc_write_amplification"] == fresh.write_amplification
    assert row["gc_nand_write_amplification"] == fresh.nand_write_amplification
    assert row["written_host_bytes"] == fresh.to_dict()["written"]["host_bytes"]
    assert row["read_p99_ns"] == fresh.to_dict()["requests"]["read"]["p99_ns"]
    assert row == fresh.summary()


def test_recorded_requests_agree_with_the_statistics(fresh: reclaim.Result) -> None:
    frame = pl.DataFrame(fresh.requests)
    writes = frame.filter(pl.col("op") == 1)
    latency = writes["completion_ns"] - writes["arrival_ns"]
    assert writes.height == fresh.write.count
    assert latency.mean() == pytest.approx(fresh.write.mean_ns, rel=1e-9)
    assert latency.max() == fresh.write.max_ns
    assert writes["size_bytes"].sum() == fresh.write.bytes


def test_a_recorded_timeline_agrees_with_the_statistics(fresh: reclaim.Result) -> None:
    data, frame = fresh.to_dict(), pl.DataFrame(fresh.timeline)
    assert frame.columns == timeline_of().columns
    assert frame.height <= 2048
    assert frame["completed_requests"].sum() == sum(each["count"] for each in data["requests"].values())
    assert frame["host_programs"].sum() == data["flash"]["host_programs"]
    assert frame["used_pages"].max() <= data["facts"]["physical_pages"]


def test_nothing_is_recorded_unasked() -> None:
    trace = reclaim.uniform_trace(footprint_bytes=1 << 20, count=10)
    result = reclaim.simulate(reclaim.Device.preset(DEVICE), trace, warmup="empty")
    result.label = "mine"
    for each in (result, there_and_back(result)):
        assert (each.label, each.wall_seconds) == ("mine", result.wall_seconds)
        assert each.requests is each.gc_log is each.timeline is None


def test_a_results_file_is_parsed_once(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []
    monkeypatch.setattr(result, "json_value", lambda text: parsed.append(text) or json.loads(text))
    assert reclaim.Result.load(saved).to_json() == (saved / "results.json").read_text() == parsed.pop()
    assert not parsed


def test_a_result_from_a_file_knows_stored_percentiles_only(results: list[reclaim.Result]) -> None:
    assert results[0].read.latency.percentile(99.9) == results[0].to_dict()["requests"]["read"]["p99_9_ns"]
    with pytest.raises(reclaim.InputError, match=r"42.* 50, 90, 95, 99, 99.9, 99.99, 100"):
        results[0].read.latency.percentile(42)
    with pytest.raises(reclaim.InputError, match="one class"):
        results[0].latency.percentile(99)


@pytest.mark.parametrize("stored", [None, 0, 99])
def test_another_format_is_refused(fresh: reclaim.Result, tmp_path: Path, stored: int | None) -> None:
    data = {key: value for key, value in fresh.to_dict().items() if key != "format"}
    file = tmp_path / "results.json"
    file.write_text(json.dumps(data if stored is None else data | {"format": stored}))
    with pytest.raises(reclaim.InputError, match="reads format 1") as refused:
        reclaim.Result.load(file)
    assert str(file) in str(refused.value)
    assert ("without" if stored is None else f"of format {stored}") in str(refused.value)


def test_a_summary_has_what_policies_count(fresh: reclaim.Result) -> None:
    for kind, metrics in fresh.to_dict()["policies"].items():
        for name, metric in metrics.items():
            assert fresh.summary()[f"{kind.replace('.', '_')}_{name}"] == metric["value"]
    assert "scheduler_urgent_picks" in fresh.summary()


def test_a_changed_copy_does_not_change_the_result(fresh: reclaim.Result) -> None:
    fresh.to_dict()["gc"]["write_amplification"] = -1
    assert fresh.write_amplification >= 1
    assert json.loads(fresh.to_json())["gc"]["write_amplification"] >= 1


def test_a_notebook_shows_the_main_figures(results: list[reclaim.Result]) -> None:
    shown = there_and_back(results[1])
    shown.label = "<script>"
    page = shown._repr_html_()
    assert page.startswith("<p><b>&lt;script&gt; on ")
    assert all(
        each in page for each in ("not trustworthy", f"{shown.write_amplification:.3f}", "<li>warning: ")
    )
    assert page.count("<tr>") == page.count("</tr>") > 20


REPOSITORY = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def short() -> reclaim.Trace:
    """Writes all over a drive, but few."""
    return reclaim.uniform_trace(footprint_bytes=32 << 20, count=200, mean_interarrival_ns=1_000_000)


def test_a_doubt_is_issued_as_a_warning_and_a_trusted_result_says_nothing(short: reclaim.Trace) -> None:
    drive = reclaim.Device.preset(DEVICE)
    with pytest.warns(reclaim.ResultWarning) as issued:
        result = reclaim.simulate(drive, short, warmup="steady")
    assert result.verdict.level == "not-established"
    assert not result.verdict.trustworthy
    doubts = [f"{doubt.code}: {doubt.text}" for doubt in result.verdict.doubts]
    assert [str(each.message) for each in issued] == doubts
    assert all(each.filename == __file__ for each in issued), "it points at the caller"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        trusted = reclaim.simulate(drive, short, warmup="steady", warn=False)
    assert trusted.to_json() == result.to_json()


def test_a_remark_names_figures_that_are_there(short: reclaim.Trace) -> None:
    result = reclaim.simulate(reclaim.Device.preset(DEVICE), short, warmup="steady", warn=False)
    data = result.to_dict()
    named = {figure for doubt in result.verdict.doubts for figure in doubt.figures}
    assert {"gc.nand_write_amplification", "gc.write_amplification"} <= set(named)
    for figure in named:
        inner = data
        for key in figure.split("."):
            inner = inner[key]
        assert inner is None or isinstance(inner, int | float), figure
    assert result.verdict.concerning("gc.nand_write_amplification") == "doubt"
    assert result.verdict.concerning("flash.erases") is None


def test_ten_requests_beyond_make_a_percentile(results: list[reclaim.Result]) -> None:
    data = results[0].to_dict()
    read = results[0].read
    assert (read.count, data["requests"]["read"]["not_established"]) == (7088, ["p99_9_ns", "p99_99_ns"])
    assert [read.latency.is_established(each) for each in (99, 99.9, 100)] == [True, False, True]
    for count, percent, expected in (
        (100_000, 99.99, True),
        (99_999, 99.99, False),
        (1000, 99, True),
        (999, 99, False),
        (0, 50, False),
    ):
        data["requests"]["read"]["count"] = count
        found = reclaim.Result(json.dumps(data)).read.latency
        assert found.is_established(percent) is expected, (count, percent)


def test_the_worst_of_several_runs_counts(results: list[reclaim.Result], doubtful: reclaim.Result) -> None:
    good, bad = (result.verdict for result in results)
    assert worst([good]) == "trustworthy"
    assert worst([good, doubtful.verdict]) == "not-established"
    assert worst([doubtful.verdict, bad, good]) == "not-trustworthy"


def test_the_verdict_of_an_earlier_version_is_refused(results: list[reclaim.Result], tmp_path: Path) -> None:
    data = results[0].to_dict()
    data["verdict"] = {"trustworthy": True, "warnings": [], "notes": []}
    (tmp_path / "results.json").write_text(json.dumps(data))
    with pytest.raises(reclaim.InputError, match=r"results\.json: .*verdict.doubts"):
        reclaim.Result.load(tmp_path)
    with pytest.raises(reclaim.InputError):
        Verdict.of(data["verdict"])


def test_every_code_has_its_paragraph_and_no_paragraph_is_of_a_code_that_is_gone() -> None:
    source = "\n".join(
        path.read_text() for path in (REPOSITORY / "crates" / "sim" / "src").rglob("remark.rs")
    )
    codes = set(re.findall(r'^    [A-Z]\w+ "([a-z-]+)",$', source, flags=re.MULTILINE))
    assert len(codes) > 10
    page = (REPOSITORY / "docs" / "verdicts.md").read_text().split("## Every code")[1]
    described = set(re.findall(r"^\| `([a-z-]+)` \|", page, flags=re.MULTILINE))
    assert described == codes


def test_a_drive(tmp_path: Path) -> None:
    preset = reclaim.Device.preset(DEVICE).with_scheme("fifo").set("seed", 7)
    (tmp_path / "mine.toml").write_text(preset.to_toml())
    for drive in (preset, reclaim.Device.load(tmp_path / "mine.toml")):
        same = pickle.loads(pickle.dumps(drive))  # noqa: S301 - made right here
        assert (same, same.to_toml()) == (drive, drive.to_toml())
        assert copy.deepcopy(drive) == drive


MAKERS: dict[str, Callable[[Path], reclaim.Trace]] = {
    "file": lambda folder: reclaim.open_trace(folder / "hot.toml"),
    "records": lambda _: reclaim.Trace.from_records([(0, "write", 0, 4096), (9, "read", 0, 512)], name="two"),
    "uniform": lambda _: reclaim.uniform_trace(footprint_bytes=1 << 20, count=50, write_fraction=0.5, seed=3),
    "fio": lambda _: reclaim.fio_trace(rw="randwrite", bs="4k", size="1m"),
    "changed": lambda folder: reclaim.open_trace(folder / "hot.toml").transformed(
        align="8KiB", repeat=2, remap="compact", time_scale=2.0
    ),
    "changed by a drive": lambda folder: (
        reclaim.Device.preset(DEVICE)
        .set("trace.max_requests", 9)
        .transformed(reclaim.open_trace(folder / "hot.toml"))
    ),
}


@pytest.mark.parametrize("how", MAKERS)
def test_a_trace(how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "hot.toml").write_text(GENERATED)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    trace = MAKERS[how](Path())
    pickled = pickle.dumps(trace)
    monkeypatch.chdir(tmp_path / "elsewhere")
    same = pickle.loads(pickled)  # noqa: S301 - made right here
    monkeypatch.chdir(tmp_path)
    assert same.summary() == trace.summary()
    assert (same.name, same.transforms, same.provenance) == (trace.name, trace.transforms, trace.provenance)
