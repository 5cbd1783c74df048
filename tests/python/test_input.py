"""Whatever a user gets wrong: one clear message, exit code 2, no traceback."""

from __future__ import annotations

from pathlib import Path

import pytest

import reclaim
from conftest import DEVICE, Command

HEADER = "time_us,op,offset_bytes,size_bytes\n"


def refused(command: Command, *arguments: str | Path) -> str:
    done = command(*arguments)
    assert done.returncode == 2, done.stderr + done.stdout
    assert "Traceback" not in done.stderr
    assert "p99 latency" not in done.stdout
    return done.stderr


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (
            ["--device", "coupled-copyback-mni"],
            ["coupled-copyback-mni", 'did you mean "coupled-copyback-mini"', "valid:"],
        ),
        (["--set", "gc.victim.kind=gredy"], ["gredy", "fifo", 'did you mean "greedy"']),
        (["--set", "gc.victm.kind=greedy"], ["victm", 'did you mean "victim"']),
        (["--set", "gc.victim.kind"], ["KEY=VALUE"]),
        (["--set", "geometry.pages_per_block=many"], ["geometry.pages_per_block", "many"]),
        (["--set", "seed=1", "--seed", "2"], ["seed is given twice"]),
        (["--scheme", "gredy"], ["gredy", 'did you mean "greedy"']),
        (["--warmup", "stedy"], ["stedy", "steady"]),
        (["--warmup", "overwrite:lots"], ["lots", "overwrite:2"]),
        (["--warmup", "filled:2"], ["filled:2", "overwrite:N"]),
        (["--mode", "openloop"], ["openloop", "open-loop"]),
        (["--queue-depth", "0"], ["queue-depth"]),
        (["--time-scale", "-1"], ["host.time_scale"]),
        (["--remap", "squeeze"], ["squeeze", "wrap"]),
        (["--format", "blkprase"], ["blkprase", "blkparse"]),
        (["--record-requests"], ["-o DIR"]),
        (["--no-such-option"], ["--no-such-option"]),
        (["--set", "geometry.channels=0"], ["geometry.channels"]),
        (["--set", "geometry.blocks_per_plane=4000000000"], ["geometry"]),
        (["--load-state", "missing.state"], ["missing.state"]),
    ],
    ids=lambda value: " ".join(value[:2]) if isinstance(value, list) else None,
)
def test_settings(command: Command, trace_file: Path, arguments: list[str], parts: list[str]) -> None:
    device = [] if "--device" in arguments else ["--device", DEVICE]
    message = refused(command, "run", trace_file, *device, *arguments)
    for part in parts:
        assert part in message, message


def test_the_device_is_asked_for(command: Command, trace_file: Path) -> None:
    assert "--device" in refused(command, "run", trace_file)


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        (HEADER + "0,write,0,4096\n5,write,zero,4096\n", [":3:", "5,write,zero,4096", "expected:"]),
        (HEADER + "0,write,0,4096\n5,wrte,0,4096\n", [":3:", "wrte", "write"]),
        (HEADER + "0,write,0,4096\n5,wri", [":3:", "5,wri"]),
        (HEADER + "9,write,0,4096\n5,read,0,4096\n", [":3:", "--sort"]),
        (HEADER, ["requests"]),
        ("", ["empty"]),
        ("to whom it may concern\n", ["format"]),
    ],
    ids=[
        "not a number",
        "unknown operation",
        "truncated",
        "time backwards",
        "no requests",
        "empty",
        "no trace",
    ],
)
def test_traces(command: Command, tmp_path: Path, content: str, parts: list[str]) -> None:
    (tmp_path / "bad.csv").write_text(content)
    for arguments in (["trace", "info", "bad.csv"], ["run", "bad.csv", "--device", DEVICE]):
        message = refused(command, *arguments)
        assert "bad.csv" in message
        for part in parts:
            assert part in message, message


def test_time_backwards_is_sorted_on_request(command: Command, tmp_path: Path) -> None:
    (tmp_path / "back.csv").write_text(HEADER + "9,write,0,4096\n5,read,0,4096\n")
    done = command("trace", "info", "back.csv", "--sort")
    assert done.returncode == 0, done.stderr


def test_missing_file_and_directory(command: Command, tmp_path: Path) -> None:
    assert "missing.csv" in refused(command, "run", "missing.csv", "--device", DEVICE)
    assert "directory" in refused(command, "run", tmp_path, "--device", DEVICE)


def test_a_trace_larger_than_the_drive_says_what_to_do(command: Command, tmp_path: Path) -> None:
    (tmp_path / "far.csv").write_text(HEADER + f"0,write,0,4096\n5,write,{1 << 40},4096\n")
    message = refused(command, "run", "far.csv", "--device", DEVICE)
    for part in ("--remap compact", "wrap", "scale", "user_capacity"):
        assert part in message, message


def test_a_device_file_is_named_with_the_line(command: Command, tmp_path: Path, trace_file: Path) -> None:
    text = reclaim.Device.preset(DEVICE).to_toml().replace("pages_per_block", "pages_per_blok")
    (tmp_path / "mine.toml").write_text(text)
    line = 1 + text[: text.index("pages_per_blok")].count("\n")
    for arguments in (["device", "check", "mine.toml"], ["run", trace_file, "--device", "mine.toml"]):
        message = refused(command, *arguments)
        assert f"mine.toml:{line}" in message, message
        assert 'did you mean "pages_per_block"' in message


def test_output_into_a_file_is_refused_before_the_run(
    command: Command, tmp_path: Path, trace_file: Path
) -> None:
    (tmp_path / "taken").write_text("")
    assert "taken" in refused(command, "run", trace_file, "--device", DEVICE, "-o", "taken")


def test_a_typo_in_the_last_scheme_costs_no_run(command: Command, trace_file: Path) -> None:
    message = refused(command, "compare", trace_file, "--device", DEVICE, "--schemes", "greedy,fifi")
    assert 'did you mean "fifo"' in message
    assert "requests in" not in message
    assert "twice" in refused(command, "compare", trace_file, "--device", DEVICE, "--schemes", "fifo,fifo")


def test_python_raises_the_same_messages() -> None:
    with pytest.raises(reclaim.InputError, match='did you mean "coupled-copyback-mini"'):
        reclaim.Device.preset("coupled-copyback-mni")
    with pytest.raises(ValueError, match="fifo"):
        reclaim.Device.preset(DEVICE).set("gc.victim.kind", "fifoo")
    with pytest.raises(reclaim.InputError, match="unknown operation"):
        reclaim.Trace.from_records([(0, "wirte", 0, 4096)])
