"""How merged traces are opened and named, and traces that are compacted for another program."""

import json
from pathlib import Path

import pytest

import reclaim
from conftest import Command
from reclaim.cli.transforms import OPTIONS
from reclaim.traces.transforms import OPENING

HEAD = "time_us,op,offset_bytes,size_bytes\n"
COLUMNS = "op,offset:sectors,size:sectors,time:s"
TICKS = 128166372003061629


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A folder of small traces, which is also where the command runs."""
    texts = {
        "small.csv": f"{HEAD}0,write,0,4096\n2,write,4096,4096\n",
        "back.csv": f"{HEAD}5,write,0,4096\n1,read,4096,4096\n",
        "bad.csv": f"{HEAD}0,write,0,4096\nwhat?\n1,read,4096,4096\n",
        "q.txt": "w;0;8;0.5\nr;8;8;0.6\n",
        "two.msr": "".join(
            f"{TICKS + 10 * index},hm,{index % 2},Write,{8192 * index},4096,7\n" for index in range(6)
        ),
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def info(command: Command, *arguments: str | Path) -> dict:
    done = command("trace", "info", *arguments, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.usefixtures("files")
def test_two_devices_of_one_file_are_merged_on_the_command_line(command: Command) -> None:
    given = ["two.msr", "--trace-device", "hm_0", "--merge"]
    found = info(command, *given, "two.msr@1GiB,device=hm_1")
    assert (found["requests"], found["max_end_bytes"]) == (6, (1 << 30) + 8192 * 5 + 4096)
    # The option is of the first trace: the advice must not be what was done already.
    refused = command("trace", "info", *given, "two.msr@1GiB")
    assert refused.returncode == 2
    assert "--merge two.msr,device=" in refused.stderr


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    ("given", "requests", "bad_lines"),
    [
        (["small.csv", "--merge", "back.csv", "--sort"], 4, 0),
        (["small.csv", "--merge", "back.csv,sort=true"], 4, 0),
        (["small.csv", "--merge", "bad.csv", "--on-error", "report"], 4, 1),
        (["small.csv", "--merge", "bad.csv,on_error=report", "--merge", "small.csv"], 6, 1),
        (["q.txt", "--columns", COLUMNS, "--separator", ";", "--merge", "q.txt"], 4, 0),
        (["q.txt", "--columns", COLUMNS, "--separator", ";", "--merge", "small.csv"], 4, 0),
        (["small.csv", "--merge", f"q.txt@1MiB,columns={COLUMNS},separator=;"], 4, 0),
        (["bundled/varmail", "--merge", "bundled/varmail@8GiB", "--max-requests", "9"], 9, 0),
        (["small.csv", "--merge", "msr-like/hm_0", "--max-requests", "50"], 50, 0),
    ],
)
def test_what_is_said_of_opening_reaches_merged_traces(
    command: Command, given: list[str], requests: int, bad_lines: int
) -> None:
    found = info(command, *given)
    assert (found["requests"], found["bad_lines"]) == (requests, bad_lines)
    assert all(line.startswith("bad.csv: line 3") for line in found.get("first_bad_lines", []))


def test_bad_lines_of_a_merged_trace_are_counted_in_a_result(files: Path) -> None:
    trace = reclaim.open_trace(files / "small.csv", on_error="report").transformed(merge=[files / "bad.csv"])
    result = reclaim.simulate(reclaim.Device.preset("gc-bypass-mini"), trace, warmup="empty")
    assert result.to_dict()["trace"]["bad_lines"] == 1
    assert any("bad.csv" in line for line in result.to_dict()["trace"]["first_bad_lines"])


def test_a_file_that_is_called_like_an_entry_is_that_file(command: Command, files: Path) -> None:
    (files / "small.csv@8XB,device=1").write_text((files / "small.csv").read_text())
    assert info(command, "small.csv", "--merge", "small.csv@8XB,device=1")["requests"] == 4


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
        assert trace.transformed(sample=share).transforms[0].startswith("sampled 500000 ppm")
    assert trace.transformed(merge=None, sample=None, separate=None).transforms == []
    with pytest.raises(reclaim.InputError, match="did you mean"):
        trace.transformed(merge=[{"file": small, "shfit": 1}])
    with pytest.raises(reclaim.InputError, match="no trace to merge"):
        trace.transformed(merge=[3])  # type: ignore[list-item]


def test_a_device_file_says_how_the_trace_is_opened(command: Command, files: Path) -> None:
    drive = 'base = "gc-bypass-mini"\n[trace]\n'
    merge = 'merge = [{ file = "two.msr", device = "hm_1" }, { file = "bundled/varmail" }]\n'
    (files / "d.toml").write_text(f'{drive}device = "hm_0"\nremap = "wrap"\nmax_requests = 20\n{merge}')
    done = command("run", "two.msr", "--device", "d.toml", "--warmup", "empty", "--json", "-o", "out")
    assert done.returncode in (0, 1), done.stderr
    results = json.loads(done.stdout)
    assert results["trace"]["requests"] == 20
    # The name stays a name, so that results are the same wherever the catalogue has the file.
    assert results["config"]["trace"]["merge"][1]["file"] == "bundled/varmail"
    again = command("run", "two.msr", "--device", "out/config.toml", "--json")
    assert json.loads(again.stdout) == results
    assert info(command, "two.msr", "--device", "d.toml")["content_hash"] == results["trace"]["content_hash"]
    # The command line wins.
    taken = info(command, "two.msr", "--device", "d.toml", "--trace-device", "hm_1", "--max-requests", "1")
    assert taken["max_end_bytes"] == 8192 + 4096
    (files / "lenient.toml").write_text(f'{drive}on_error = "report"\n')
    assert info(command, "bad.csv", "--device", "lenient.toml")["bad_lines"] == 1
    strict = command("trace", "info", "bad.csv", "--device", "lenient.toml", "--on-error", "stop")
    assert strict.returncode == 2
    (files / "many.csv").write_text("419,W,0,4096,1577808144360767\n7,W,0,4096,1577808144360768\n")
    numbered = [["--trace-device", "419"], ["--device", "gc-bypass-mini", "--trace-device", "7"]]
    for given in numbered:
        assert info(command, "many.csv", *given)["requests"] == 1
    (files / "any.toml").write_text(f'{drive}columns = "{COLUMNS}"\nseparator = ";"\n')
    assert info(command, "q.txt", "--device", "any.toml")["requests"] == 2
    (files / "wrong.toml").write_text(f'{drive}devcie = "hm_0"\n')
    refused = command("run", "two.msr", "--device", "wrong.toml")
    assert refused.returncode == 2
    assert 'did you mean "device"?' in refused.stderr


def test_the_same_from_python(files: Path) -> None:
    drive = reclaim.Device.preset("gc-bypass-mini").set("trace.sort", True)
    straight = reclaim.open_trace(files / "back.csv", sort=True).summary()
    assert drive.open_trace(files / "back.csv").summary() == straight
    result = reclaim.simulate(drive, reclaim.open_trace(files / "back.csv"), warmup="empty")
    assert result.to_dict()["trace"]["content_hash"] == straight["content_hash"]


def test_every_way_of_opening_is_a_key_of_a_file_and_of_its_merged_traces() -> None:
    definitions = reclaim.schema()["$defs"]
    keys = set(definitions["TraceConfig"]["properties"])
    assert keys == {name.removesuffix("_") for name in OPTIONS} | set(OPENING) | {"remap"}
    assert set(definitions["MergeConfig"]["properties"]) == set(OPENING) | {"file", "shift"}


def test_a_trace_is_compacted_and_sped_up_for_another_program(command: Command, files: Path) -> None:
    lines = [f"{index * 10},write,{(999 - index) << 26},4096" for index in range(1000)]
    (files / "wide.csv").write_text(HEAD + "\n".join(lines) + "\n")
    done = command("trace", "convert", "wide.csv", "dense.trace", "--remap", "compact", "--time-scale", "2")
    assert done.returncode == 0, done.stderr
    rows = [line.split() for line in (files / "dense.trace").read_text().splitlines()]
    assert [int(row[2]) for row in rows] == [8 * index for index in range(1000)]
    assert [int(row[0]) for row in rows] == [5_000 * index for index in range(1000)]
    as_info = info(command, "wide.csv", "--remap", "compact", "--time-scale", "2")
    python = reclaim.open_trace(files / "wide.csv").transformed(remap="compact", time_scale=2)
    dense = reclaim.open_trace(files / "dense.trace").summary()["content_hash"]
    assert dense == as_info["content_hash"] == python.summary()["content_hash"]
    assert as_info["transforms"] == python.transforms
    assert len(python.transforms) == 2
    wide = info(command, "wide.csv", "--remap", "compact", "--remap-unit", "16KiB")
    assert wide["max_end_bytes"] == 999 * 16384 + 4096
    # With a drive, its pages; and the figures of the drive are of the compacted trace.
    (files / "d.toml").write_text('base = "gc-bypass-mini"\n[geometry]\npage_size = "8KiB"\n')
    found = info(command, "wide.csv", "--device", "d.toml", "--remap", "compact", "--time-scale", "2")
    assert found["max_end_bytes"] == 999 * 8192 + 4096
    assert not found["device"]["facts"]["trace"]["larger_than_drive"]
    plain = info(command, "wide.csv", "--device", "d.toml")
    assert plain["device"]["facts"]["trace"]["larger_than_drive"]
    assert found["device"]["demand"]["utilisation"] == pytest.approx(
        2 * plain["device"]["demand"]["utilisation"], rel=1e-6
    )


def test_compacting_beforehand_is_what_a_drive_that_compacts_does() -> None:
    drive = reclaim.Device.preset("gc-bypass-mini")
    page = drive.config["geometry"]["page_size"]
    records = [(index * 100_000, "write", (index * 7919 % 500) << 25, 4096) for index in range(1500)]
    trace = reclaim.Trace.from_records(records)
    placed = reclaim.simulate(drive, trace, warmup="empty", remap="compact").to_dict()
    before = trace.transformed(remap="compact", remap_unit=page)
    written = reclaim.simulate(drive, before, warmup="empty").to_dict()
    assert placed["requests"] == written["requests"]
    assert placed["gc"] == written["gc"]
