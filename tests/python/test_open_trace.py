"""What may be given for a trace file beyond its name, from Python and on the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import reclaim
from conftest import DEVICE, Command, parsed, refusal

HEAD = "time_us,op,offset_bytes,size_bytes\n"
COLUMNS = "_,time:ms,op,offset:sectors,size:bytes"
BLKPARSE = "8,0 0 1 0.000000100 5 Q WS 8 + 8 [x]\n8,0 0 2 0.000000500 5 D WS 8 + 16 [x]\n"
FILES = {
    "two": "1000 4 8 8 0\n2000 5 8 8 0\n3000 4 16 8 1\n",
    "table": "x;0.5;W;8;4096\ny;0.75;R;16;8192\n",
    "ticks": "1 0 8 8 0\n3 0 8 8 0\n",
    "events": BLKPARSE,
    "damaged": f"{HEAD}0,write,0,4096\nrubbish\n7,read,0,4096\n",
    "every": f"{HEAD}0,write,0,4096\n1,trim,0,4096\n2,flush,0,0\n3,read,0,4096\n",
    "table.toml": '# Figures.\npublished = 1\nname = "x"\n',
    "job.fio": "; a job\n[global]\nbs=4k\n[a]\nrw=randread\nsize=1m\n",
    "other": "[section]\nkey=value\n",
}
BAD = "line 3: time_us is missing or not a number (rubbish)"


@pytest.fixture(autouse=True)
def _files(tmp_path: Path) -> None:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)


@pytest.mark.parametrize(
    ("words", "options", "found"),
    [
        ("two --trace-device 5", {"device": 5}, {"requests": 1}),
        ("ticks --time-unit ms", {"time_unit": "ms"}, {"span_ns": 2_000_000}),
        ("events --event Q", {"event": "Q"}, {"write_bytes": 4096}),
        (
            f"table --columns {COLUMNS} --separator ;",
            {"columns": COLUMNS, "separator": ";"},
            {"format": "columns", "span_ns": 250_000, "max_end_bytes": 16384, "read_bytes": 8192},
        ),
        (
            "damaged --on-error report",
            {"on_error": "report"},
            {"requests": 2, "bad_lines": 1, "first_bad_lines": [BAD]},
        ),
        ("every", {}, {"requests": 4, "reads": 1, "writes": 1, "trims": 1, "flushes": 1}),
    ],
)
def test_options_say_how_a_trace_is_read(
    command: Command, tmp_path: Path, words: str, options: dict[str, Any], found: dict[str, Any]
) -> None:
    by_command = parsed(command("trace", "info", *words.split(), "--json"))
    by_python = reclaim.open_trace(tmp_path / words.split(maxsplit=1)[0], **options)
    summary = {"format": by_python.format, **by_python.summary()}
    assert {name: by_command[name] for name in found} == found
    assert {name: summary[name] for name in found} == found
    assert by_command["requests_counted"] == ["reads", "writes", "trims", "flushes"]


def test_lines_left_out_are_said_everywhere(command: Command, tmp_path: Path) -> None:
    page = ("--on-error", "report", "--html", "t.html")
    assert BAD in command("trace", "info", "damaged", *page).stdout
    assert f"1: {BAD}" in (tmp_path / "t.html").read_text()
    trace = reclaim.open_trace(tmp_path / "damaged", on_error="report")
    with pytest.warns(reclaim.ResultWarning, match="bad-lines"):
        result = reclaim.simulate(reclaim.Device.preset(DEVICE), trace, warmup="filled")
    assert result.to_dict()["trace"]["bad_lines"] == 1
    # A third of this trace is missing, which is no footnote.
    assert [each.code for each in result.verdict.warnings if each.code == "bad-lines"] == ["bad-lines"]
    assert not result.verdict.trustworthy
    with pytest.raises(reclaim.InputError, match="time_us"):
        reclaim.open_trace(tmp_path / "damaged").summary()


def test_parts_that_seem_to_be_missing_are_said_everywhere(command: Command, tmp_path: Path) -> None:
    (warning,) = parsed(command("trace", "info", "events", "--json"))["warnings"]
    sign = warning.split(":")[0]
    assert sign in " ".join(command("trace", "info", "events", "--html", "b.html").stdout.split())
    assert sign.partition("'")[0] in (tmp_path / "b.html").read_text()
    assert command("trace", "convert", "events", "b.csv").stderr.startswith(f"warning: {sign}")
    trace = reclaim.open_trace(tmp_path / "events")
    result = reclaim.simulate(reclaim.Device.preset(DEVICE), trace, warmup="filled")
    (note,) = [each.message for each in result.verdict.notes if each.code == "incomplete-recording"]
    assert sign in note
    (tmp_path / "whole").write_text(BLKPARSE + "CPU0 (8,0):\n")
    assert "warnings" not in parsed(command("trace", "info", "whole", "--json"))


@pytest.mark.parametrize("words", ["run damaged", "compare damaged --schemes greedy,fifo"])
def test_run_and_compare_take_the_same_options(command: Command, tmp_path: Path, words: str) -> None:
    done = command(*f"{words} --device {DEVICE} --warmup empty --on-error report -o out".split())
    assert done.returncode in (0, 1, 3), done.stderr
    assert "(--on-error report): 1;" in " ".join(done.stdout.split())
    assert "rubbish" in (tmp_path / "out" / "report.html").read_text()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("trace info two", "--trace-device 4"),
        ("trace info table.toml", "reclaim trace synthesize table.toml OUT.toml"),
        ("trace synthesize table.toml", "reclaim trace synthesize table.toml OUT.toml"),
        ("trace info job.fio", "reclaim trace generate job.fio OUT.csv"),
        (f"run job.fio --device {DEVICE}", "reclaim trace generate job.fio OUT.csv"),
        ("trace info other", "other"),
    ],
)
def test_what_is_no_trace_as_it_is_says_how_it_becomes_one(command: Command, words: str, says: str) -> None:
    assert says in refusal(command(*words.split()))
