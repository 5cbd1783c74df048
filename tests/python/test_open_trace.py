"""What may be given for a trace file beyond its name, from Python and on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import reclaim
from conftest import DEVICE, Command

TWO_DEVICES = "1000 4 8 8 0\n2000 5 8 8 0\n3000 4 16 8 1\n"
TABLE = "x;0.5;W;8;4096\ny;0.75;R;16;8192\n"
COLUMNS = "_,time:ms,op,offset:sectors,size:bytes"
BLKPARSE = "8,0 0 1 0.000000100 5 Q WS 8 + 8 [x]\n8,0 0 2 0.000000500 5 D WS 8 + 16 [x]\n"
DAMAGED = "time_us,op,offset_bytes,size_bytes\n0,write,0,4096\nrubbish\n7,read,0,4096\n"


def info(command: Command, *arguments: str) -> dict[str, object]:
    done = command("trace", "info", *arguments, "--json")
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


def test_one_device_of_several(command: Command, tmp_path: Path) -> None:
    (tmp_path / "t").write_text(TWO_DEVICES)
    refused = command("trace", "info", "t")
    assert refused.returncode == 2
    assert "--trace-device 4" in refused.stderr
    assert info(command, "t", "--trace-device", "4")["requests"] == 2
    assert info(command, "t", "--trace-device", "all")["requests"] == 3
    assert reclaim.open_trace(tmp_path / "t", device=5).summary()["requests"] == 1


def test_any_table_by_its_columns(command: Command, tmp_path: Path) -> None:
    (tmp_path / "t").write_text(TABLE)
    summary = info(command, "t", "--columns", COLUMNS, "--separator", ";")
    assert (summary["format"], summary["span_ns"], summary["max_end_bytes"]) == ("columns", 250_000, 16384)
    trace = reclaim.open_trace(tmp_path / "t", columns=COLUMNS, separator=";")
    assert trace.summary()["read_bytes"] == 8192


def test_the_unit_of_time_and_the_event(command: Command, tmp_path: Path) -> None:
    (tmp_path / "t").write_text("1 0 8 8 0\n3 0 8 8 0\n")
    assert info(command, "t", "--time-unit", "ms")["span_ns"] == 2_000_000
    (tmp_path / "b").write_text(BLKPARSE)
    assert info(command, "b", "--event", "Q")["write_bytes"] == 4096
    assert reclaim.open_trace(tmp_path / "b", event="D").summary()["write_bytes"] == 8192


def test_lines_left_out_are_said_everywhere(command: Command, tmp_path: Path) -> None:
    (tmp_path / "t").write_text(DAMAGED)
    summary = info(command, "t", "--on-error", "report")
    first = "line 3: time_us is missing or not a number (rubbish)"
    assert (summary["requests"], summary["bad_lines"], summary["first_bad_lines"]) == (2, 1, [first])
    assert first in command("trace", "info", "t", "--on-error", "report", "--html", "t.html").stdout
    assert f"1: {first}" in (tmp_path / "t.html").read_text()

    trace = reclaim.open_trace(tmp_path / "t", on_error="report")
    with pytest.warns(reclaim.ResultWarning, match="bad-lines: Lines of the trace"):
        result = reclaim.simulate(reclaim.Device.preset(DEVICE), trace, warmup="filled")
    assert result.to_dict()["trace"]["bad_lines"] == 1
    # A third of this trace is missing, which is no footnote.
    assert [each.code for each in result.verdict.warnings if each.code == "bad-lines"] == ["bad-lines"]
    assert not result.verdict.trustworthy
    with pytest.raises(reclaim.InputError, match="time_us is missing"):
        reclaim.open_trace(tmp_path / "t").summary()


def test_parts_that_seem_to_be_missing_are_said_everywhere(command: Command, tmp_path: Path) -> None:
    (tmp_path / "b").write_text(BLKPARSE)
    sign = "the text ends without the summary that closes blkparse's output"
    warnings = info(command, "b")["warnings"]
    assert isinstance(warnings, list)
    assert [each.split(":")[0] for each in warnings] == [sign]
    assert sign in " ".join(command("trace", "info", "b", "--html", "b.html").stdout.split())
    assert sign.partition("'")[0] in (tmp_path / "b.html").read_text()
    converted = command("trace", "convert", "b", "b.csv")
    assert converted.stderr.startswith(f"warning: {sign}")
    result = reclaim.simulate(
        reclaim.Device.preset(DEVICE), reclaim.open_trace(tmp_path / "b"), warmup="filled"
    )
    notes = [each.message for each in result.verdict.notes if each.code == "incomplete-recording"]
    assert len(notes) == 1
    assert sign in notes[0]

    (tmp_path / "b").write_text(BLKPARSE + "CPU0 (8,0):\n")
    assert "warnings" not in info(command, "b")


def test_the_json_says_what_counts_as_a_request(command: Command, tmp_path: Path) -> None:
    lines = "0,write,0,4096\n1,trim,0,4096\n2,flush,0,0\n3,read,0,4096\n"
    (tmp_path / "t").write_text(f"time_us,op,offset_bytes,size_bytes\n{lines}")
    found = info(command, "t")
    assert found["requests_counted"] == ["reads", "writes", "trims", "flushes"]
    assert (
        found["requests"]
        == sum(int(str(found[kind])) for kind in ("reads", "writes", "trims", "flushes"))
        == 4
    )


def test_run_and_compare_take_the_same_options(command: Command, tmp_path: Path) -> None:
    (tmp_path / "t").write_text(DAMAGED)
    for words in (["run"], ["compare", "--schemes", "greedy,fifo"]):
        done = command(
            *words, "t", "--device", DEVICE, "--warmup", "empty", "--on-error", "report", "-o", words[0]
        )
        assert "Traceback" not in done.stderr
        assert "that could not be read and were left out, as asked for (--on-error report): 1;" in " ".join(
            done.stdout.split()
        )
        assert "rubbish" in (tmp_path / words[0] / "report.html").read_text()


def test_what_describes_a_trace_and_is_none_is_recognised(command: Command, tmp_path: Path) -> None:
    (tmp_path / "table.toml").write_text('# Figures.\npublished = 1\nname = "x"\n')
    (tmp_path / "job.fio").write_text("; a job\n[global]\nbs=4k\n[a]\nrw=randread\nsize=1m\n")
    for words in (["info", "table.toml"], ["synthesize", "table.toml"]):
        done = command("trace", *words)
        assert done.returncode == 2
        assert "reclaim trace synthesize table.toml OUT.toml" in done.stderr, done.stderr
    for words in (["trace", "info", "job.fio"], ["run", "job.fio", "--device", DEVICE]):
        done = command(*words)
        assert done.returncode == 2
        assert "reclaim trace generate job.fio OUT.csv" in done.stderr, done.stderr
    (tmp_path / "other").write_text("[section]\nkey=value\n")
    assert "is in no trace format known here" in command("trace", "info", "other").stderr
