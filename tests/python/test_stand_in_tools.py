"""`tools/stand_in_error.py` prints what the page about it says, of a trace that comes with the source."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
DOCUMENT = REPOSITORY / "docs" / "collecting-stand-ins.md"


def run(tool: str, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(REPOSITORY / "tools" / tool), *words]
    return subprocess.run(command, check=False, capture_output=True, text=True)


def test_the_errors_of_published_figures_are_those_of_the_document(tmp_path: Path) -> None:
    done = run("stand_in_error.py", "varmail", "--traces", str(tmp_path))
    assert done.returncode == 0, done.stderr
    rows = [line for line in done.stdout.splitlines() if "| varmail |" in line]
    assert len(rows) == 4
    assert [row for row in rows if row not in DOCUMENT.read_text()] == []


def test_traces_that_are_not_at_hand_are_named(tmp_path: Path) -> None:
    done = run("stand_in_error.py", "winpc_mayun", "--traces", str(tmp_path))
    assert done.returncode == 1
    assert "winpc_mayun" in done.stderr
    done = run("stand_in_error.py", "varmial", "--traces", str(tmp_path))
    assert done.returncode == 2
    assert "unknown: varmial; known: " in done.stderr
    assert run("stand_in_error.py", "varmail", "--write").returncode == 2
