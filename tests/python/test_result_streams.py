"""What results say of each stream: values, tables, page, files."""

from __future__ import annotations

import io
import json
from pathlib import Path

import polars as pl
import pytest
from rich.console import Console

import reclaim
from conftest import DEVICE, Command
from reclaim.report import html
from reclaim.report.terminal import show
from reclaim.result.report import document
from reclaim.result.streams import stream_tables

COUNT = 3_000
PAGE = 8192


def two_tenants(streams: tuple[int, int] = (1, 2)) -> reclaim.Trace:
    """One writes a log, the other overwrites a few pages and reads them."""
    rows = []
    for k in range(COUNT):
        rows.append((k * 100_000, "write", k * PAGE, PAGE, streams[0]))
        op = "write" if k % 2 else "read"
        rows.append((k * 100_000 + 50_000, op, (COUNT + k * 7 % 100) * PAGE, PAGE, streams[1]))
    return reclaim.Trace.from_records(rows)


@pytest.fixture(scope="module")
def result() -> reclaim.Result:
    return reclaim.simulate(
        reclaim.Device.preset(DEVICE), two_tenants(), warmup="empty", warn=False, record_requests=True
    )


def text_of(result: reclaim.Result) -> str:
    console = Console(width=100, record=True, file=io.StringIO())
    show(stream_tables([result]), console)
    return console.export_text()


def test_figures_of_streams_add_up_to_those_of_the_run(result: reclaim.Result) -> None:
    log, other = result.streams[1], result.streams[2]
    assert list(result.streams) == [1, 2]
    assert (log.host_bytes, other.host_bytes) == (COUNT * PAGE, COUNT // 2 * PAGE)
    assert (log.valid_pages, other.valid_pages) == (COUNT, 50)
    data = result.to_dict()
    assert log.nand_bytes + other.nand_bytes == data["written"]["nand_bytes"]
    assert log.write is not None
    assert other.write is not None
    assert other.read is not None
    assert (log.write.count, other.write.count, other.read.count) == (COUNT, COUNT // 2, COUNT // 2)
    total = sum(each.write.mean_ns * each.write.count for each in (log, other) if each.write is not None)
    assert total == pytest.approx(result.write.mean_ns * result.write.count)
    assert data["fdp"]["host_bytes_with_metadata_written"] == data["written"]["host_bytes"]
    assert result.summary()["stream_2_read_p99_ns"] == other.read.latency.percentile(99)


def test_rows_of_requests_name_their_stream_and_give_its_latencies(result: reclaim.Result) -> None:
    rows = pl.DataFrame(result.requests).with_columns(latency=pl.col("completion_ns") - pl.col("arrival_ns"))
    for stream, found in result.streams.items():
        for op, stats in enumerate((found.read, found.write)):
            latencies = rows.filter((pl.col("stream") == stream) & (pl.col("op") == op))["latency"]
            assert stats is not None
            assert len(latencies) == stats.count
            if stats.count:
                assert latencies.mean() == pytest.approx(stats.mean_ns)
                assert latencies.max() == stats.max_ns


def test_a_run_without_time_has_no_latencies_of_streams() -> None:
    drive = reclaim.Device.preset(DEVICE).set("measure.untimed", True)
    found = reclaim.simulate(drive, two_tenants(), warmup="empty", warn=False)
    assert (found.streams[1].write, found.streams[2].read) == (None, None)
    assert found.streams[1].host_bytes == COUNT * PAGE
    shown = text_of(found)
    assert "valid pages at the end" in shown
    assert "latency" not in shown


def test_the_table_is_there_only_with_several_streams(result: reclaim.Result) -> None:
    shown = text_of(result)
    assert "stream 1" in shown
    assert "p99.9 latency of reads" in shown
    # 1,500 reads: a percentile with fewer than ten beyond it is chance.
    assert "?" in next(line for line in shown.splitlines() if "p99.9 latency of reads" in line)
    assert "Streams" in html.render(document([result], {}))
    alone = reclaim.simulate(reclaim.Device.preset(DEVICE), two_tenants((3, 3)), warmup="empty", warn=False)
    assert list(alone.streams) == [3]
    assert stream_tables([alone]) == []
    assert "<h2>Streams" not in html.render(document([alone], {}))


def test_the_command_shows_streams_and_their_files_are_checked(
    command: Command, tmp_path: Path, result: reclaim.Result
) -> None:
    trace = tmp_path / "tenants.csv"
    two_tenants().convert(trace)
    done = command("run", trace, "-d", DEVICE, "--warmup", "empty", "-o", tmp_path / "run")
    assert "stream 2" in done.stdout
    stored = tmp_path / "run" / "results.json"
    data = json.loads(stored.read_text())
    assert data["streams"] == json.loads(result.to_json())["streams"]
    assert pl.read_parquet(tmp_path / "run" / "histograms.parquet").height
    data["streams"][1]["host_bytes"] = "many"
    stored.write_text(json.dumps(data))
    with pytest.raises(reclaim.InputError, match=r"streams\[2\]\.host_bytes is \"many\""):
        reclaim.Result.load(stored)
