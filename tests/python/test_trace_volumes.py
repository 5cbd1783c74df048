"""`reclaim trace volumes`, and volumes whose files are merged by the clock that recorded them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import reclaim
from conftest import Command, parsed, refusal

TENCENT = "".join(f"{1538323200 + at % 7},{at * 8},8,{int(at % 3 > 0)},{at * at % 5}\n" for at in range(200))


@pytest.fixture(autouse=True)
def folder(tmp_path: Path) -> Path:
    (tmp_path / "t.csv").write_text(TENCENT)
    return tmp_path


def counted() -> dict[str, list[int]]:
    """Requests, writes and bytes written of each volume, without the reader."""
    found: dict[str, list[int]] = {}
    for line in TENCENT.splitlines():
        _, _, sectors, kind, volume = line.split(",")
        each = found.setdefault(volume, [0, 0, 0])
        each[0] += 1
        each[1] += int(kind)
        each[2] += int(kind) * int(sectors) * 512
    return found


def test_each_volume_is_listed_with_its_writes_and_footprint(command: Command, folder: Path) -> None:
    found = parsed(command("trace", "volumes", "t.csv", "--json"))
    assert found["called"] == "volume"
    keys = ("requests", "writes", "write_bytes")
    listed = {each["name"]: [each[key] for key in keys] for each in found["volumes"]}
    assert listed == counted()
    assert found == reclaim.open_trace(folder / "t.csv").volumes()
    written = [each["write_bytes"] for each in found["volumes"]]
    assert written == sorted(written, reverse=True)
    shown = command("trace", "volumes", "t.csv", "--most", "1")
    assert shown.returncode == 0
    assert f"{len(listed)} volumes; {len(listed) - 1} more" in shown.stdout
    assert found["volumes"][0]["name"] in shown.stdout


def test_a_second_volume_says_how_to_list_them(command: Command) -> None:
    told = refusal(command("trace", "info", "t.csv"))
    assert "--trace-device" in told
    assert "reclaim trace volumes" in told


def test_what_names_no_volumes(command: Command, folder: Path) -> None:
    (folder / "own.csv").write_text("time_us,op,offset_bytes,size_bytes\n0,W,0,512\n")
    assert "names no volumes" in refusal(command("trace", "volumes", "own.csv"))
    with pytest.raises(reclaim.InputError, match="is no trace file"):
        reclaim.uniform_trace(footprint_bytes=1 << 20, count=10).volumes()


def test_what_is_put_in_order_is_said(command: Command) -> None:
    told = parsed(command("trace", "info", "t.csv", "--trace-device", "1", "--json"))
    assert told["transforms"] == ["put in order of time, in which tencent files are not written"]
    given = parsed(command("trace", "info", "t.csv", "--trace-device", "1", "--sort", "--json"))
    assert (given["transforms"], given["content_hash"]) == ([], told["content_hash"])


def test_files_of_volumes_keep_a_common_clock(command: Command, folder: Path) -> None:
    def spans(*arguments: str) -> Any:
        done = parsed(command("trace", "info", "LUN0.csv", "--merge", "LUN1.csv", *arguments, "--json"))
        return done["span_ns"], done["transforms"][1]

    for lun, second in ((0, 7), (1, 3)):
        (folder / f"LUN{lun}.csv").write_text(f"145613520{second}.5,0.1,W,{lun},0,512\n")
    assert spans("--separate", "--common-clock")[0] == 4_000_000_000
    assert spans("--separate")[0] == 0
    assert spans("--common-clock")[1].endswith("by their common clock")
    told = refusal(command("trace", "info", "LUN0.csv", "--common-clock"))
    assert "--common-clock" in told
    assert "--merge" in told
