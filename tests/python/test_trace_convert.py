"""Converted traces: read by others, and by Reclaim again."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import reclaim
from conftest import GENERATED, Command, refusal

ROWS = [(0, "write", 4096, 4096), (1500, "read", 0, 512), (2000, "trim", 8192, 4096), (2000, "flush", 0, 0)]
TRACE = "time_us,op,offset_bytes,size_bytes\n" + "".join(
    f"{time / 1000:g},{op},{offset},{size}\n" for time, op, offset, size in ROWS
)
PACKED = {".gz": b"\x1f\x8b", ".zst": b"\x28\xb5\x2f\xfd"}


@pytest.fixture(autouse=True)
def trace(tmp_path: Path) -> Path:
    """A trace with every operation, beside the description of another."""
    (tmp_path / "hot.toml").write_text(GENERATED)
    (tmp_path / "t.csv").write_text(TRACE)
    return tmp_path / "t.csv"


def content(file: Path) -> str:
    return str(reclaim.open_trace(file).summary()["content_hash"])


def test_parquet_is_what_other_programs_read(command: Command, trace: Path, tmp_path: Path) -> None:
    done = command("trace", "convert", trace.name, "out.parquet")
    assert (done.returncode, done.stderr) == (0, "")
    table = pl.read_parquet(tmp_path / "out.parquet")
    assert table.rows() == ROWS
    assert table.columns == ["time_ns", "op", "offset_bytes", "size_bytes"]
    assert reclaim.open_trace(tmp_path / "out.parquet").format == "parquet"
    assert content(tmp_path / "out.parquet") == content(trace)


def test_what_a_data_frame_wrote_is_a_trace(command: Command, tmp_path: Path) -> None:
    kinds = {"start": [0.0, 0.25, 0.5], "kind": ["R", "W", "W"], "lba": [8, 16, 24], "sectors": [8, 8, 8]}
    frame = pl.DataFrame(kinds)
    frame.write_parquet(tmp_path / "frame.parquet")
    frame.write_ipc(tmp_path / "frame.arrow", compression="zstd")
    columns = "start=time:ms,kind=op,lba=offset:sectors,sectors=size:sectors"
    for name in ("frame.parquet", "frame.arrow"):
        summary = reclaim.open_trace(tmp_path / name, columns=columns).summary()
        assert (summary["reads"], summary["writes"], summary["span_ns"]) == (1, 2, 500_000)
    assert "start, kind, lba, sectors" in refusal(command("trace", "info", "frame.parquet"))


def test_what_is_lost_is_said(command: Command, trace: Path, tmp_path: Path) -> None:
    lost = command("trace", "convert", trace.name, "out.mqsim").stderr
    assert [line.split()[:3] for line in lost.splitlines()] == [
        ["lost:", "1", "trims"],
        ["lost:", "1", "flushes"],
    ]
    assert (tmp_path / "out.mqsim").read_text() == "0 0 8 8 0\n1500 0 0 1 1\n"
    lost = command("trace", "convert", trace.name, "out.fio.gz").stderr
    assert [line.split()[:3] for line in lost.splitlines()] == [["lost:", "1", "times"]]
    assert reclaim.open_trace(tmp_path / "out.fio.gz").format == "fio"


def test_a_converted_trace_may_be_fitted_and_damaged_lines_left_out(
    command: Command, trace: Path, tmp_path: Path
) -> None:
    trace.write_text(TRACE + "rubbish\n")
    refusal(command("trace", "convert", trace.name, "out.csv"))
    assert not (tmp_path / "out.csv").exists()
    words = ("trace", "convert", trace.name, "out", "--as", "csv", "--on-error", "report")
    assert command(*words, "--max-requests", "2").returncode == 0
    assert (tmp_path / "out").read_text().splitlines()[1:] == ["0,write,4096,4096", "1.500,read,0,512"]
    done = command(*words, "--force")
    assert done.returncode == 0
    assert "line 6" in done.stderr


@pytest.mark.parametrize(
    ("kind", "packed"), [("csv", ""), ("csv", ".gz"), ("mqsim", ""), ("iolog", ".zst"), ("parquet", "")]
)
def test_what_is_generated_is_written_in_every_format(
    command: Command, tmp_path: Path, kind: str, packed: str
) -> None:
    written = tmp_path / f"out.{kind}{packed}"
    done = command("trace", "generate", "hot.toml", written.name)
    assert done.returncode == 0, done.stderr
    assert f"note: {written.name} cannot say" in done.stderr
    assert ("lost: 50 trims" in done.stderr) == (kind == "mqsim")
    assert reclaim.open_trace(written).format == {"iolog": "fio"}.get(kind, kind)
    assert (content(written) == content(tmp_path / "hot.toml")) == (kind != "mqsim")
    magic = PACKED.get(packed, b"PAR1" if kind == "parquet" else b"")
    assert written.read_bytes().startswith(magic)


def test_a_generated_trace_needs_a_format_too(command: Command, tmp_path: Path) -> None:
    assert command("trace", "generate", "--as", "parquet", "hot.toml", "out").returncode == 0
    assert reclaim.open_trace(tmp_path / "out").format == "parquet"


def test_a_stand_in_that_loses_its_label_is_said(command: Command, tmp_path: Path) -> None:
    done = command("trace", "convert", "msr-like/hm_0", "si.parquet", "--max-requests", "10")
    assert done.returncode == 0, done.stderr
    assert "note: si.parquet cannot say" in done.stderr
    # When this fails because the file does carry the label, the note goes.
    assert reclaim.open_trace(tmp_path / "si.parquet").provenance == "trace file"
