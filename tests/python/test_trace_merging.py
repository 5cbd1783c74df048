"""How merged traces are opened and named, and traces that are compacted for another program."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import reclaim
from conftest import Command, parsed, refusal
from reclaim.cli.transforms import STEPS
from reclaim.trace.transforms import MERGING, OPENING

HEAD = "time_us,op,offset_bytes,size_bytes\n"
COLUMNS = "op,offset:sectors,size:sectors,time:s"
TICKS = 128166372003061629
DRIVE = "gc-bypass-mini"


@pytest.fixture(autouse=True)
def files(tmp_path: Path) -> Path:
    """A folder of small traces, which is also where the command runs."""
    two = (f"{TICKS + 10 * at},hm,{at % 2},Write,{8192 * at},4096,7\n" for at in range(6))
    texts = {
        "small.csv": f"{HEAD}0,write,0,4096\n2,write,4096,4096\n",
        "back.csv": f"{HEAD}5,write,0,4096\n1,read,4096,4096\n",
        "bad.csv": f"{HEAD}0,write,0,4096\nwhat?\n1,read,4096,4096\n",
        "q.txt": "w;0;8;0.5\nr;8;8;0.6\n",
        "two.msr": "".join(two),
        "many.csv": "419,W,0,4096,1577808144360767\n7,W,0,4096,1577808144360768\n",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def info(command: Command, *arguments: str | Path) -> Any:
    return parsed(command("trace", "info", *arguments, "--json"))


def test_two_devices_of_one_file_are_merged_on_the_command_line(command: Command) -> None:
    given = ["two.msr", "--trace-device", "hm_0", "--merge"]
    found = info(command, *given, "two.msr@1GiB,device=hm_1")
    assert (found["requests"], found["max_end_bytes"]) == (6, (1 << 30) + 8192 * 5 + 4096)
    # The option is of the first trace: the advice must not be what was done already.
    assert "--merge two.msr,device=" in refusal(command("trace", "info", *given, "two.msr@1GiB"))


def test_two_merged_traces_are_two_tenants(files: Path) -> None:
    trace = reclaim.open_trace(files / "small.csv").transformed(
        merge=[{"file": files / "back.csv", "sort": True, "stream": 7}], separate=True
    )
    result = reclaim.simulate(reclaim.Device.preset(DRIVE), trace, warn=False)
    assert {name: of.write.count for name, of in result.streams.items()} == {0: 2, 7: 1}


@pytest.mark.parametrize("stream", ["256", "-1", "two", "1.5"])
def test_a_stream_that_is_none_is_refused(command: Command, stream: str) -> None:
    told = refusal(command("trace", "info", "small.csv", "--merge", f"back.csv,stream={stream}"))
    assert f"stream={stream}" in told
    assert "0 to 255" in told


@pytest.mark.parametrize(
    ("given", "requests", "bad_lines"),
    [
        ("small.csv --merge back.csv --sort", 4, 0),
        ("small.csv --merge back.csv,sort=true", 4, 0),
        ("small.csv --merge bad.csv --on-error report", 4, 1),
        (f"q.txt --columns {COLUMNS} --separator ; --merge q.txt", 4, 0),
        (f"small.csv --merge q.txt@1MiB,columns={COLUMNS},separator=;", 4, 0),
        ("small.csv --merge msr-like/hm_0 --max-requests 50", 50, 0),
        ("small.csv --merge small.csv@512", 4, 0),
        # A file that is called like an entry is that file.
        ("small.csv --merge small.csv@8XB,device=1", 4, 0),
    ],
)
def test_what_is_said_of_opening_reaches_merged_traces(
    command: Command, files: Path, given: str, requests: int, bad_lines: int
) -> None:
    (files / "small.csv@8XB,device=1").write_text((files / "small.csv").read_text())
    found = info(command, *given.split())
    assert (found["requests"], found["bad_lines"]) == (requests, bad_lines)
    assert all(line.startswith("bad.csv: line 3") for line in found.get("first_bad_lines", []))


def test_python_takes_lists_numbers_and_none(files: Path) -> None:
    trace = reclaim.open_trace(files / "small.csv")
    small = str(files / "small.csv")
    for entry in (small, files / "small.csv", {"file": small, "shift": None}):
        assert trace.transformed(merge=[entry]).summary()["requests"] == 4
    for shift in (512, "512", "512B"):
        merged = trace.transformed(merge=[{"file": small, "shift": shift}], from_=None, shift=shift)
        assert merged.summary()["max_end_bytes"] == 8192 + 1024
    two = reclaim.open_trace(files / "two.msr", device="hm_0")
    both = two.transformed(merge=[{"file": files / "two.msr", "device": "hm_1"}])
    assert both.summary()["requests"] == 6
    for share in (0.5, "0.5", "50%"):
        assert "500000" in trace.transformed(sample=share).transforms[0]
    assert trace.transformed(merge=None, sample=None, separate=None).transforms == []


@pytest.mark.parametrize(
    ("trace", "section", "given", "found"),
    [
        (
            "two.msr",
            'device = "hm_0"',
            "--trace-device hm_1 --max-requests 1",
            {"max_end_bytes": 8192 + 4096},
        ),
        ("bad.csv", 'on_error = "report"', "", {"bad_lines": 1}),
        ("many.csv", 'remap = "wrap"', "--trace-device 419", {"requests": 1}),
        ("back.csv", "sort = true", "", {"reads": 1}),
        ("q.txt", f'columns = "{COLUMNS}"\nseparator = ";"', "", {"requests": 2}),
    ],
)
def test_a_device_file_says_how_the_trace_is_opened(
    command: Command, files: Path, trace: str, section: str, given: str, found: dict[str, int]
) -> None:
    (files / "d.toml").write_text(f'base = "{DRIVE}"\n[trace]\n{section}\n')
    told = info(command, trace, "--device", "d.toml", *given.split())
    assert {name: told[name] for name in found} == found
    if not given:
        opened = reclaim.Device.load(files / "d.toml").open_trace(files / trace)
        assert opened.summary()["content_hash"] == told["content_hash"]
    if "on_error" in section:
        # The command line wins.
        refusal(command("trace", "info", trace, "--device", "d.toml", "--on-error", "stop"))


def test_a_run_opens_its_trace_as_the_device_file_says(command: Command, files: Path) -> None:
    merge = 'merge = [{ file = "two.msr", device = "hm_1" }, { file = "bundled/varmail" }]\n'
    head = f'base = "{DRIVE}"\n[trace]\n'
    (files / "d.toml").write_text(f'{head}device = "hm_0"\nremap = "wrap"\nmax_requests = 20\n{merge}')
    words = ("run", "two.msr", "--json", "--device")
    results = parsed(command(*words, "d.toml", "--warmup", "empty", "-o", "out"))
    assert results["trace"]["requests"] == 20
    # The name stays a name, so that results are the same wherever the catalogue has the file.
    assert results["config"]["trace"]["merge"][1]["file"] == "bundled/varmail"
    assert parsed(command(*words, "out/config.toml")) == results
    assert info(command, "two.msr", "--device", "d.toml")["content_hash"] == results["trace"]["content_hash"]


def test_every_way_of_opening_is_a_key_of_a_file_and_of_its_merged_traces() -> None:
    definitions = reclaim.schema()["$defs"]
    keys = set(definitions["TraceConfig"]["properties"])
    assert keys == {each.name.removesuffix("_") for each in STEPS} - {"plays"} | set(OPENING) | {
        "remap",
        "streams",
    }
    assert set(definitions["MergeConfig"]["properties"]) == {"file", *MERGING}


def test_a_trace_is_compacted_and_sped_up_for_another_program(command: Command, files: Path) -> None:
    lines = [f"{index * 10},write,{(999 - index) << 26},4096" for index in range(1000)]
    (files / "wide.csv").write_text(HEAD + "\n".join(lines) + "\n")
    dense = ("--remap", "compact", "--time-scale", "2")
    assert command("trace", "convert", "wide.csv", "dense.trace", *dense).returncode == 0
    rows = [[int(each) for each in line.split()] for line in (files / "dense.trace").read_text().splitlines()]
    assert [(row[0], row[2]) for row in rows] == [(5_000 * index, 8 * index) for index in range(1000)]
    by_command = info(command, "wide.csv", *dense)
    python = reclaim.open_trace(files / "wide.csv").transformed(remap="compact", time_scale=2)
    written = reclaim.open_trace(files / "dense.trace").summary()["content_hash"]
    assert written == by_command["content_hash"] == python.summary()["content_hash"]
    assert by_command["transforms"] == python.transforms
    assert len(python.transforms) == 2
    wide = info(command, "wide.csv", "--remap", "compact", "--remap-unit", "16KiB")
    assert wide["max_end_bytes"] == 999 * 16384 + 4096
    # With a drive, its pages; and the figures of the drive are of the compacted trace.
    (files / "d.toml").write_text(f'base = "{DRIVE}"\n[geometry]\npage_size = "8KiB"\n')
    found = info(command, "wide.csv", "--device", "d.toml", *dense)
    plain = info(command, "wide.csv", "--device", "d.toml")
    assert found["max_end_bytes"] == 999 * 8192 + 4096
    larger = [each["device"]["facts"]["trace"]["larger_than_drive"] for each in (found, plain)]
    assert larger == [False, True]
    before, after = (each["device"]["demand"]["utilisation"] for each in (plain, found))
    assert after == pytest.approx(2 * before, rel=1e-6)


def test_compacting_beforehand_is_what_a_drive_that_compacts_does() -> None:
    drive = reclaim.Device.preset(DRIVE)
    records = [(index * 100_000, "write", (index * 7919 % 500) << 25, 4096) for index in range(1500)]
    trace = reclaim.Trace.from_records(records)
    before = trace.transformed(remap="compact", remap_unit=drive.config["geometry"]["page_size"])
    placed = reclaim.simulate(drive, trace, warmup="empty", remap="compact").to_dict()
    written = reclaim.simulate(drive, before, warmup="empty").to_dict()
    assert [placed[part] for part in ("requests", "gc")] == [written[part] for part in ("requests", "gc")]
