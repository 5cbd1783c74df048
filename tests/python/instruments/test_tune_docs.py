"""What docs/tune.md shows is what the experiment that ships gives; what it says of files and keys holds."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import reclaim
from conftest import environment
from reclaim.bench.experiment import Experiment
from reclaim.bench.tune_section import KEYS
from reclaim.instruments.tuning.space import PROMISED

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "tune.md"
IMAGES = ROOT / "docs" / "images"
PRINTED = re.compile(r"(<!-- what reclaim tune prints: .*? -->\n```\n)(.*?)(```\n)", re.DOTALL)
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
    words = re.search(r"^reclaim (tune .*?) +#", PAGE.read_text(), re.MULTILINE)
    assert words
    done = ran(place, "-m", "reclaim", *words[1].split())
    assert done.returncode == 3, done.stderr
    (place / "printed").write_text(done.stdout)
    return place


def test_the_page_shows_what_is_printed(folder: Path) -> None:
    lines = (folder / "printed").read_text().splitlines()
    assert lines[-1] == "results: out/tune/tune"
    now = "".join(f"{line.rstrip()}\n" for line in lines[:-1])
    page = PAGE.read_text()
    if os.environ.get(UPDATE):
        PAGE.write_text(PRINTED.sub(lambda found: found[1] + now + found[3], page))
        for name in ("search", "around"):
            shutil.copy(folder / f"out/tune/tune/{name}.png", IMAGES / f"tune-{name}.png")
        return
    shown = PRINTED.search(page)
    assert shown
    assert shown[2] == now, f"{UPDATE}=1 renews it"
    assert (IMAGES / "tune-search.png").is_file()


def test_the_python_on_the_page_gives_what_the_command_gave(folder: Path) -> None:
    (code,) = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    stored = (folder / "out/tune/log.jsonl").read_text()
    done = ran(folder, "-c", code)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0] == (folder / "printed").read_text().splitlines()[0]
    assert (folder / "out/tune/log.jsonl").read_text() == stored, "it ran something again"


def test_the_device_file_is_taken_by_run(folder: Path) -> None:
    done = ran(
        folder, "-m", "reclaim", "run", "bundled/dbench", "--device", "out/tune/tune/found.toml", "--json"
    )
    assert done.returncode in (0, 1, 3), done.stderr
    found = json.loads(done.stdout)
    values = json.loads((folder / "out/tune/tune/result.json").read_text())["found"]["set"]
    assert str(found["config"]["gc"]["pages_in_flight"]) == values["gc.pages_in_flight"]


def test_the_section_on_the_page_is_sound_and_has_every_key() -> None:
    (text,) = re.findall(r"^```toml\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    head = 'name = "x"\ndevices = ["coupled-copyback-mini"]\nschemes = ["greedy"]\n'
    traces = "".join(
        f'{{ name = "{name}", source = "bundled/{name}" }}, ' for name in ("varmail", "sqlite", "mysql")
    )
    found = Experiment.parse(f"{head}traces = [{traces}]\n[repeats]\ncount = 6\n{text}")
    assert set(found.table["tune"]) == set(KEYS)
    assert found.parts.tune is not None
    assert found.parts.tune.judge_on.repeats == (0, 1, 2, 3, 4, 5)


def test_what_is_left_out_is_told_key_by_key() -> None:
    page = PAGE.read_text()
    for key in PROMISED:
        assert f"`{key}`" in page


def test_every_file_is_named(folder: Path) -> None:
    page = PAGE.read_text()
    there = {each.name for each in (folder / "out/tune/tune").iterdir()} - {"points.json"}
    assert {name for name in there if f"`{name}`" not in page} == set()
    assert reclaim.Device.load(folder / "out/tune/tune/found.toml")
