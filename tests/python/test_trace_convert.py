"""Converted traces: read by others, and by Reclaim again."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import reclaim
from conftest import GENERATED, Command

TRACE = (
    "time_us,op,offset_bytes,size_bytes\n0,write,4096,4096\n1.5,read,0,512\n2,trim,8192,4096\n2,flush,0,0\n"
)
PACKED = {".gz": b"\x1f\x8b", ".zst": b"\x28\xb5\x2f\xfd"}


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    """A trace with every operation."""
    path = tmp_path / "t.csv"
    path.write_text(TRACE)
    return path


def test_parquet_is_what_other_programs_read(command: Command, trace: Path, tmp_path: Path) -> None:
    done = command("trace", "convert", trace.name, "out.parquet")
    assert (done.returncode, done.stdout, done.stderr) == (0, "out.parquet: 4 requests\n", "")
    table = pl.read_parquet(tmp_path / "out.parquet")
    assert table.rows() == [
        (0, "write", 4096, 4096),
        (1500, "read", 0, 512),
        (2000, "trim", 8192, 4096),
        (2000, "flush", 0, 0),
    ]
    assert table.columns == ["time_ns", "op", "offset_bytes", "size_bytes"]
    again = reclaim.open_trace(tmp_path / "out.parquet")
    assert again.format == "parquet"
    assert again.summary()["content_hash"] == reclaim.open_trace(trace).summary()["content_hash"]


def test_what_a_data_frame_wrote_is_a_trace(command: Command, tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {
            "start": [0.0, 0.25, 0.5],
            "kind": ["R", "W", "W"],
            "lba": [8, 16, 24],
            "sectors": [8, 8, 8],
        }
    )
    frame.write_parquet(tmp_path / "frame.parquet")
    frame.write_ipc(tmp_path / "frame.arrow", compression="zstd")
    columns = "start=time:ms,kind=op,lba=offset:sectors,sectors=size:sectors"
    for name in ("frame.parquet", "frame.arrow"):
        summary = reclaim.open_trace(tmp_path / name, columns=columns).summary()
        assert (summary["reads"], summary["writes"], summary["span_ns"]) == (1, 2, 500_000)
    refused = command("trace", "info", "frame.parquet")
    assert refused.returncode == 2
    assert "has no column for the time" in refused.stderr
    assert "start, kind, lba, sectors" in refused.stderr


def test_what_is_lost_is_said(command: Command, trace: Path, tmp_path: Path) -> None:
    done = command("trace", "convert", trace.name, "out.mqsim")
    assert done.returncode == 0
    assert done.stderr == (
        "lost: 1 trims left out: MQSim's format has none\nlost: 1 flushes left out: MQSim's format has none\n"
    )
    assert (tmp_path / "out.mqsim").read_text() == "0 0 8 8 0\n1500 0 0 1 1\n"
    done = command("trace", "convert", trace.name, "out.fio.gz")
    assert done.stderr == (
        "lost: 1 times rounded down to whole microseconds, which is all that fio's format has\n"
    )
    assert reclaim.open_trace(tmp_path / "out.fio.gz").format == "fio"


def test_a_converted_trace_may_be_fitted_and_damaged_lines_left_out(
    command: Command, trace: Path, tmp_path: Path
) -> None:
    trace.write_text(TRACE + "rubbish\n")
    refused = command("trace", "convert", trace.name, "out.csv")
    assert refused.returncode == 2
    assert not (tmp_path / "out.csv").exists()
    done = command(
        "trace", "convert", trace.name, "out", "--as", "csv", "--on-error", "report", "--max-requests", "2"
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out").read_text().splitlines()[1:] == ["0,write,4096,4096", "1.500,read,0,512"]
    done = command("trace", "convert", trace.name, "out", "--as", "csv", "--on-error", "report")
    assert done.returncode == 2
    assert "exists already; --force overwrites it" in done.stderr
    done = command("trace", "convert", trace.name, "out", "--as", "csv", "--on-error", "report", "--force")
    assert done.returncode == 0
    assert "left out: 1 lines that cannot be read" in done.stderr
    assert "line 6" in done.stderr


@pytest.mark.parametrize(
    ("kind", "packed"), [("csv", ""), ("csv", ".gz"), ("mqsim", ""), ("iolog", ".zst"), ("parquet", "")]
)
def test_what_is_generated_is_written_in_every_format(
    command: Command, tmp_path: Path, kind: str, packed: str
) -> None:
    (tmp_path / "hot.toml").write_text(GENERATED)
    name = f"out.{kind}{packed}"
    done = command("trace", "generate", "hot.toml", name)
    assert done.returncode == 0, done.stderr
    assert f"note: {name} cannot say that it was generated" in done.stderr
    assert ("lost: 50 trims left out" in done.stderr) == (kind == "mqsim")
    written = reclaim.open_trace(tmp_path / name)
    assert written.format == {"iolog": "fio"}.get(kind, kind)
    if kind != "mqsim":
        expected = reclaim.open_trace(tmp_path / "hot.toml").summary()["content_hash"]
        assert written.summary()["content_hash"] == expected
    magic = PACKED.get(packed, b"PAR1" if kind == "parquet" else b"")
    assert (tmp_path / name).read_bytes().startswith(magic)


def test_a_generated_trace_needs_a_format_too(command: Command, tmp_path: Path) -> None:
    (tmp_path / "hot.toml").write_text(GENERATED)
    done = command("trace", "generate", "hot.toml", "out")
    assert done.returncode == 2
    assert "the name does not tell the format" in done.stderr
    assert not (tmp_path / "out").exists()
    assert command("trace", "generate", "--as", "parquet", "hot.toml", "out").returncode == 0
    assert reclaim.open_trace(tmp_path / "out").format == "parquet"


@pytest.mark.parametrize("name", ["si.csv", "si.parquet"])
def test_a_stand_in_that_loses_its_label_is_said(command: Command, tmp_path: Path, name: str) -> None:
    done = command("trace", "convert", "msr-like/hm_0", name, "--max-requests", "10")
    assert done.returncode == 0, done.stderr
    assert f"note: {name} cannot say that it is a synthetic stand-in; the description" in done.stderr
    # When this fails because the file does carry the label, the note goes.
    assert reclaim.open_trace(tmp_path / name).provenance == "trace file"
