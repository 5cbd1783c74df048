"""Results as Python objects, tables and files."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import reclaim
from conftest import DEVICE, timeline_of
from reclaim.results import result
from reclaim.results.stats import STORED_PERCENTILES


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
