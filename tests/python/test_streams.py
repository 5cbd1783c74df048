"""What the command does with streams and names that are not as they mostly are; more is among the answers."""

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
    done = started(tmp_path, "trace", "info", strange.name, "--device", DEVICE, **how)
    text = done.stdout.decode(encoding)
    assert (done.returncode, r"\u2603" in text, "2 220" in text) == (0, True, True), done.stderr
    # JSON says the same in any encoding.
    done = started(tmp_path, "run", strange.name, "--device", DEVICE, "--warmup", "empty", "--json", **how)
    assert json.loads(done.stdout.decode(encoding))["trace"]["name"] == strange.name


def test_the_name_of_a_trace_need_not_be_text(tmp_path: Path, trace_file: Path) -> None:
    trace = os.fsdecode(os.fsencode(tmp_path) + b"/\xff.csv")
    Path(trace).write_bytes(trace_file.read_bytes())
    done = started(tmp_path, "trace", "info", trace, stdout=subprocess.PIPE)
    assert (done.returncode, b"Traceback" in done.stderr) == (0, False), done.stderr


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
