"""What docs/ablation.md shows is what the experiment that ships gives; its keys are those of the file."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conftest import environment

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "ablation.md"
PICTURE = ROOT / "docs" / "images" / "ablation-read-p99.png"
PRINTED = re.compile(r"(<!-- what reclaim ablate prints: .*? -->\n```\n)(.*?)(```\n)", re.DOTALL)
UPDATE = "RECLAIM_UPDATE_DOCS"


def ran(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    surroundings = environment() | {"COLUMNS": "120"}
    return subprocess.run(
        [sys.executable, *words], cwd=folder, env=surroundings, capture_output=True, text=True, check=False
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the command of the page was run, and what it printed."""
    place = tmp_path_factory.mktemp("docs")
    (place / "examples").symlink_to(ROOT / "examples")
    words = re.search(r"^reclaim (ablate .*)$", PAGE.read_text(), re.MULTILINE)
    assert words
    done = ran(place, "-m", "reclaim", *words[1].split())
    assert done.returncode in (0, 3), done.stderr
    (place / "printed").write_text(done.stdout)
    return place


def test_the_page_shows_what_is_printed(folder: Path) -> None:
    lines = (folder / "printed").read_text().splitlines()
    assert lines[-1] == "results: out/parts/ablation"
    now = "".join(f"{line.rstrip()}\n" for line in lines[:-1])
    page = PAGE.read_text()
    if os.environ.get(UPDATE):
        PAGE.write_text(PRINTED.sub(lambda found: found[1] + now + found[3], page))
        shutil.copy(folder / "out/parts/ablation/waterfall-read_p99_ns.png", PICTURE)
        return
    shown = PRINTED.search(page)
    assert shown
    assert shown[2] == now, f"{UPDATE}=1 renews it"
    assert PICTURE.is_file()


def test_the_section_on_the_page_is_that_of_the_experiment() -> None:
    shown = re.findall(r"^```toml\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    written = (ROOT / "examples/experiments/parts.toml").read_text()

    def settings(text: str) -> list[str]:
        return [line.partition("#")[0].strip() for line in text[text.index("[ablate]") :].splitlines()]

    assert [settings(each) for each in shown] == [settings(written)]


def keys_of(value: Any) -> Iterator[str]:
    """Keys of a file but those that are names of parts, keys, metrics, workloads, codes."""
    if isinstance(value, list):
        for each in value:
            yield from keys_of(each)
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            if key in ("by_workload", "keys"):
                yield from keys_of(list(inner.values()))
            elif key not in ("place", "values", "no_value", "warnings", "doubts"):
                yield from keys_of(inner)


def test_the_page_says_what_every_key_of_the_file_is(folder: Path) -> None:
    found = json.loads((folder / "out/parts/ablation/ablation.json").read_text())
    section = PAGE.read_text().partition("## The files")[2].partition("## From Python")[0]
    named = set(re.findall(r"`(\w+)`", section))
    assert sorted(set(keys_of(found)) - named) == []
    assert {"conclusion", "no_value", "drawn_error", "median"} <= set(keys_of(found))


def test_the_python_on_the_page_gives_what_the_command_gave(folder: Path) -> None:
    (code,) = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    stored = (folder / "out/parts/log.jsonl").read_text()
    done = ran(folder, "-c", code)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0] == (folder / "printed").read_text().splitlines()[0]
    assert (folder / "out/parts/log.jsonl").read_text() == stored, "it ran something again"
