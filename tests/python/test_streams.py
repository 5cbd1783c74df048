"""What goes wrong between the command and the system: one clear line each, never a traceback."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import reclaim
from conftest import DEVICE, environment
from reclaim.cli.streams import json_text


def started(cwd: Path, *words: str | Path, **how: Any) -> subprocess.CompletedProcess[bytes]:
    """`reclaim …` with another standard output."""
    surroundings = environment() | how.pop("env", {})
    return subprocess.run(
        [sys.executable, "-m", "reclaim", *map(str, words)],
        cwd=cwd,
        env=surroundings,
        stderr=subprocess.PIPE,
        timeout=120,
        check=False,
        **how,
    )


COMMANDS = [("device", "list"), ("config", "schema"), ("--version",)]


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_a_full_stdout_is_one_line(tmp_path: Path, words: tuple[str, ...]) -> None:
    with Path("/dev/full").open("wb") as full:
        done = started(tmp_path, *words, stdout=full)
    assert done.stderr.decode() == "error: standard output: No space left on device\n"
    assert done.returncode == 2


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_a_stdout_that_nobody_reads_is_one_line(tmp_path: Path, words: tuple[str, ...]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = started(tmp_path, *words, stdout=writer)
    os.close(writer)
    assert done.stderr.decode() == "error: standard output was closed by what reads it\n"
    assert done.returncode == 2


def test_no_stdout_at_all(tmp_path: Path) -> None:
    words = f"{sys.executable} -m reclaim device list >&-"
    done = subprocess.run(
        ["bash", "-c", words], cwd=tmp_path, env=environment(), capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    assert done.stderr.startswith("error: standard output is closed")


def test_a_full_stdout_after_a_run_does_not_cost_its_results(tmp_path: Path, trace_file: Path) -> None:
    words = ("run", trace_file, "--device", DEVICE, "--warmup", "empty", "--json", "-o", "out")
    with Path("/dev/full").open("wb") as full:
        done = started(tmp_path, *words, stdout=full)
    assert done.returncode == 2
    assert done.stderr.decode().splitlines()[1:] == ["error: standard output: No space left on device"]
    assert reclaim.Result.load(tmp_path / "out").write.count == 2000


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_an_encoding_that_cannot_show_a_character(tmp_path: Path, trace_file: Path, encoding: str) -> None:
    strange = tmp_path / "étude ☃ 𝄞.csv"
    strange.write_bytes(trace_file.read_bytes())
    how: dict[str, Any] = {"stdout": subprocess.PIPE, "env": {"PYTHONIOENCODING": encoding}}
    done = started(tmp_path, "run", strange.name, "--device", DEVICE, "--warmup", "empty", **how)
    assert done.returncode == 1, done.stderr
    text = done.stdout.decode(encoding)
    assert "2 000" in text
    assert "?" not in text.replace(" ?", "")
    done = started(tmp_path, "trace", "info", strange.name, "--device", DEVICE, **how)
    assert (done.returncode, r"\u2603" in done.stdout.decode(encoding)) == (0, True), done.stderr
    # JSON says the same in any encoding.
    done = started(tmp_path, "run", strange.name, "--device", DEVICE, "--warmup", "empty", "--json", **how)
    assert json.loads(done.stdout.decode(encoding))["trace"]["name"] == strange.name


def test_json_is_the_same_where_everything_can_be_shown(capsys: pytest.CaptureFixture[str]) -> None:
    del capsys
    assert json_text('{"a": "☃"}') == '{"a": "☃"}'


def test_a_name_that_is_no_text(tmp_path: Path, trace_file: Path) -> None:
    name = os.fsencode(tmp_path) + b"/\xff.toml"
    Path(os.fsdecode(name)).write_text(f'base = "{DEVICE}"\n')
    done = started(tmp_path, "device", "check", os.fsdecode(name), stdout=subprocess.PIPE)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"is not UTF-8 text" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    trace = os.fsdecode(os.fsencode(tmp_path) + b"/\xff.csv")
    Path(trace).write_bytes(trace_file.read_bytes())
    done = started(tmp_path, "trace", "info", trace, stdout=subprocess.PIPE)
    assert (done.returncode, b"Traceback" in done.stderr) == (0, False), done.stderr


def test_device_files_that_go_round_in_a_circle(tmp_path: Path) -> None:
    for name, base in (("a", "b"), ("b", "c"), ("c", "b"), ("alone", "alone")):
        (tmp_path / f"{name}.toml").write_text(f'base = "{tmp_path / base}.toml"\n')
    (tmp_path / "deep.toml").symlink_to(tmp_path / "alone.toml")
    for name, circle in (
        ("a", "b.toml -> {0}/c.toml -> {0}/b.toml"),
        ("deep", "deep.toml -> {0}/alone.toml"),
    ):
        # In a process of its own: what does not notice ends it with a stack overflow.
        done = started(tmp_path, "device", "check", f"{tmp_path}/{name}.toml", stdout=subprocess.PIPE)
        assert (done.returncode, done.stdout) == (2, b"")
        assert (
            f"files based on each other in a circle: {tmp_path}/{circle.format(tmp_path)}\n"
            in done.stderr.decode()
        )


def test_a_device_file_that_never_ends(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.toml")
    with pytest.raises(reclaim.InputError, match=r"pipe\.toml: is a pipe; .* regular file"):
        reclaim.Device.load(tmp_path / "pipe.toml")
    (tmp_path / "based.toml").write_text(f'base = "{tmp_path}/pipe.toml"\n')
    with pytest.raises(reclaim.InputError, match=r"pipe\.toml: is a pipe; .* regular file"):
        reclaim.Device.load(tmp_path / "based.toml")


def test_a_trace_below_a_file(tmp_path: Path, trace_file: Path) -> None:
    done = started(tmp_path, "trace", "info", trace_file / "inside.csv", stdout=subprocess.PIPE)
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1), done.stderr
    done = started(
        tmp_path, "run", trace_file, "--device", DEVICE, "-o", trace_file / "out", stdout=subprocess.PIPE
    )
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1), done.stderr
    assert b"Not a directory" in done.stderr


def test_a_trace_in_a_folder_that_cannot_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # Who tests as root can read every folder.
    stat = os.stat

    def refused(path: object, *arguments: Any, **named: Any) -> os.stat_result:
        if "locked" in str(path):
            raise PermissionError(13, "Permission denied", str(path))
        return stat(path, *arguments, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "stat", refused)
    monkeypatch.setattr(sys, "argv", ["reclaim", "trace", "info", str(tmp_path / "locked" / "a.csv")])
    from reclaim.cli import main

    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert capsys.readouterr().err == f"error: {tmp_path}/locked/a.csv: Permission denied\n"
    with pytest.raises(reclaim.InputError, match=r"locked/a\.csv: Permission denied"):
        reclaim.open_trace(tmp_path / "locked" / "a.csv")
