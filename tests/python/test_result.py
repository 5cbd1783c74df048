"""Results as Python objects, tables and files."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import polars as pl
import pytest

import reclaim
from conftest import DEVICE, timeline_of
from reclaim.results import result
from reclaim.results.stats import STORED_PERCENTILES


@pytest.fixture(scope="module")
def fresh() -> reclaim.Result:
    trace = reclaim.uniform_trace(
        footprint_bytes=4 << 20,
        count=3000,
        write_fraction=0.6,
        trim_fraction=0.1,
        mean_interarrival_ns=200_000,
        seed=5,
    )
    drive = reclaim.Device.preset(DEVICE)
    return reclaim.simulate(
        drive, trace, warmup="filled", record_requests=True, record_gc=True, record_timeline=True
    )


def test_percentiles_of_a_run_come_from_its_histogram(fresh: reclaim.Result) -> None:
    stored = fresh.to_dict()["requests"]["write"]
    assert fresh.write.latency.percentile(99) == stored["p99_ns"]
    assert fresh.write.latency.percentile(37.5) is not None
    assert fresh.write.latency.percentile(100) == stored["max_ns"]
    for name in ("read", "write", "trim"):
        stored = fresh.to_dict()["requests"][name]
        of = getattr(fresh, name).latency
        assert {key: of.percentile(percent) for percent, key in STORED_PERCENTILES.items()} == {
            key: stored[key] for key in STORED_PERCENTILES.values()
        }
    # The longest latency itself, not the end of its bucket in the histogram.
    longest = max(each["max_ns"] for each in fresh.to_dict()["requests"].values())
    assert fresh.latency.percentile(100) == longest


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


def test_a_saved_result_knows_every_percentile(fresh: reclaim.Result, tmp_path: Path) -> None:
    saved = fresh.save(tmp_path / "out", report=False)
    loaded = reclaim.Result.load(saved)
    pickled = pickle.loads(pickle.dumps(fresh))  # noqa: S301 - made right here
    for percent in (0, 1e-9, 3, 37.5, 50, 77.7, 99, 99.9, 99.99, 99.9999, 100):
        for again in (loaded, pickled):
            assert again.latency.percentile(percent) == fresh.latency.percentile(percent)
            for name in ("read", "write", "trim", "flush"):
                ours = getattr(again, name).latency.percentile(percent)
                assert ours == getattr(fresh, name).latency.percentile(percent)
                assert (ours is None) == (name == "flush")
    # Read back and saved again, they are the same.
    assert pl.DataFrame(loaded.histograms).equals(pl.DataFrame(fresh.histograms))
    loaded.save(tmp_path / "again", report=False)
    assert pl.read_parquet(tmp_path / "again" / "histograms.parquet").equals(pl.DataFrame(fresh.histograms))


@pytest.mark.parametrize("percent", [-1, 100.5])
def test_a_percentile_outside_0_to_100_is_refused(fresh: reclaim.Result, percent: float) -> None:
    with pytest.raises(reclaim.InputError, match="between 0 and 100"):
        fresh.read.latency.percentile(percent)


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


def test_a_table_can_be_taken_more_than_once(fresh: reclaim.Result) -> None:
    table = fresh.requests
    assert pl.DataFrame(table).equals(pl.DataFrame(table))


def test_nothing_is_recorded_unasked() -> None:
    trace = reclaim.uniform_trace(footprint_bytes=1 << 20, count=10)
    result = reclaim.simulate(reclaim.Device.preset(DEVICE), trace, warmup="empty")
    assert result.requests is None
    assert result.gc_log is None
    assert result.timeline is None


def test_saved_results_are_read_back(fresh: reclaim.Result, tmp_path: Path) -> None:
    where = fresh.save(tmp_path / "deep" / "run")
    again = reclaim.Result.load(where)
    assert again.to_json() == fresh.to_json()
    assert again.config_toml == fresh.config_toml
    assert again.write.latency.percentile(99.9) == fresh.to_dict()["requests"]["write"]["p99_9_ns"]
    assert pl.read_parquet(where / "requests.parquet").equals(pl.DataFrame(fresh.requests))
    assert pl.read_parquet(where / "gc_log.parquet").equals(pl.DataFrame(fresh.gc_log))
    assert pl.read_parquet(where / "timeline.parquet").equals(pl.DataFrame(fresh.timeline))
    assert (where / "report.html").stat().st_size > 100_000


def test_a_results_file_is_parsed_once(
    fresh: reclaim.Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    where = fresh.save(tmp_path, report=False)
    parsed: list[str] = []
    monkeypatch.setattr(result, "json_value", lambda text: parsed.append(text) or json.loads(text))
    assert reclaim.Result.load(where).to_json() == fresh.to_json()
    assert parsed == [(where / "results.json").read_text()]


def test_the_saved_configuration_gives_the_same_results(fresh: reclaim.Result, tmp_path: Path) -> None:
    where = fresh.save(tmp_path, report=False)
    trace = reclaim.uniform_trace(
        footprint_bytes=4 << 20,
        count=3000,
        write_fraction=0.6,
        trim_fraction=0.1,
        mean_interarrival_ns=200_000,
        seed=5,
    )
    again = reclaim.simulate(reclaim.Device.load(where / "config.toml"), trace)
    assert again.to_json() == fresh.to_json()


def test_a_result_from_a_file_knows_stored_percentiles_only(results: list[reclaim.Result]) -> None:
    assert results[0].read.latency.percentile(99.9) == results[0].to_dict()["requests"]["read"]["p99_9_ns"]
    with pytest.raises(reclaim.InputError, match=r"percentile 42: .* 50, 90, 95, 99, 99.9, 99.99, 100"):
        results[0].read.latency.percentile(42)
    with pytest.raises(reclaim.InputError, match="one class"):
        results[0].latency.percentile(99)


@pytest.mark.parametrize(
    ("stored", "named"), [(None, "without a format number"), (0, "of format 0"), (99, "of format 99")]
)
def test_a_file_of_another_format_is_refused_by_name(
    fresh: reclaim.Result, tmp_path: Path, stored: int | None, named: str
) -> None:
    data = fresh.to_dict()
    del data["format"]
    if stored is not None:
        data["format"] = stored
    file = tmp_path / "results.json"
    file.write_text(json.dumps(data))
    with pytest.raises(reclaim.InputError) as refused:
        reclaim.Result.load(file)
    for part in (str(file), named, "reads format 1", "run the simulation again"):
        assert part in str(refused.value)


def test_a_summary_has_what_policies_count(fresh: reclaim.Result) -> None:
    for kind, metrics in fresh.to_dict()["policies"].items():
        for name, metric in metrics.items():
            assert fresh.summary()[f"{kind.replace('.', '_')}_{name}"] == metric["value"]
    assert "scheduler_urgent_picks" in fresh.summary()


def test_a_changed_copy_does_not_change_the_result(fresh: reclaim.Result) -> None:
    fresh.to_dict()["gc"]["write_amplification"] = -1
    assert fresh.write_amplification >= 1
    assert json.loads(fresh.to_json())["gc"]["write_amplification"] >= 1
