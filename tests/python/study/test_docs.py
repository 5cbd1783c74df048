"""Pages that show what a command prints: it is run as it stands there; keys and files have names there.

Slow: studies in full size; small ones are those of test_ablate.py and test_tuning.py.
"""

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

from conftest import environment, ran
from reclaim.experiment.experiment import Experiment
from reclaim.sections import keys_of as keys_of_section
from reclaim.study.tuning.section import Tune
from reclaim.study.tuning.space import PROMISED

ROOT = Path(__file__).parents[3]
UPDATE = "RECLAIM_UPDATE_DOCS"


def text_of(page: str) -> str:
    return (ROOT / "docs" / page).read_text()


class Documented:
    """A page, and a folder in which its command was run."""

    def __init__(self, page: str, command: str, folder: Path) -> None:
        """Run the first line of the page that begins with `reclaim` and the command."""
        self.page = ROOT / "docs" / page
        self.folder = folder
        self._shown = re.compile(
            rf"(<!-- what reclaim {command} prints: .*? -->\n```\n)(.*?)(```\n)", re.DOTALL
        )
        (folder / "examples").symlink_to(ROOT / "examples")
        words = re.search(rf"^reclaim ({command} [^#\n]*)", self.text(), re.MULTILINE)
        assert words
        self.done = ran(folder, *words[1].split())
        assert self.done.returncode in (0, 3), self.done.stderr
        self.lines = self.done.stdout.splitlines()

    def text(self) -> str:
        return self.page.read_text()

    def shows_what_is_printed(self, place: str, pictures: dict[str, str]) -> None:
        """The page has the lines; its pictures (by their names in docs/images) are those of the results."""
        assert self.lines[-1] == f"results: {place}"
        now = "".join(f"{line.rstrip()}\n" for line in self.lines[:-1])
        if os.environ.get(UPDATE):
            self.page.write_text(self._shown.sub(lambda found: found[1] + now + found[3], self.text()))
            for picture, drawn in pictures.items():
                shutil.copy(self.folder / place / drawn, ROOT / "docs" / "images" / picture)
            return
        shown = self._shown.search(self.text())
        assert shown
        assert shown[2] == now, f"{UPDATE}=1 renews it"
        assert all((ROOT / "docs" / "images" / picture).is_file() for picture in pictures)

    def gives_the_same_from_python(self, log: str) -> None:
        """The Python on the page prints a conclusion that the command printed, and runs nothing again."""
        (code,) = re.findall(r"^```python\n(.*?)^```$", self.text(), re.MULTILINE | re.DOTALL)
        stored = (self.folder / log).read_text()
        words = [sys.executable, "-c", code]
        printed = subprocess.check_output(words, cwd=self.folder, env=environment(), text=True)
        assert printed.splitlines()[0] in self.lines
        assert (self.folder / log).read_text() == stored, "it ran something again"


@pytest.fixture(scope="module")
def ablation(tmp_path_factory: pytest.TempPathFactory) -> Documented:
    return Documented("ablation.md", "ablate", tmp_path_factory.mktemp("docs"))


@pytest.mark.slow
def test_the_page_of_ablation_shows_what_is_printed(ablation: Documented) -> None:
    ablation.shows_what_is_printed(
        "out/parts/ablation", {"ablation-read-p99.png": "waterfall-read_p99_ns.png"}
    )
    ablation.gives_the_same_from_python("out/parts/log.jsonl")


def test_the_section_on_the_page_is_that_of_the_experiment() -> None:
    shown = re.findall(r"^```toml\n(.*?)^```$", text_of("ablation.md"), re.MULTILINE | re.DOTALL)
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


@pytest.mark.slow
def test_the_page_says_what_every_key_of_the_file_is(ablation: Documented) -> None:
    found = json.loads((ablation.folder / "out/parts/ablation/ablation.json").read_text())
    section = ablation.text().partition("## The files")[2].partition("## From Python")[0]
    named = set(re.findall(r"`(\w+)`", section))
    assert sorted(set(keys_of(found)) - named) == []
    assert {"conclusion", "no_value", "drawn_error", "median"} <= set(keys_of(found))


@pytest.fixture(scope="module")
def tuning(tmp_path_factory: pytest.TempPathFactory) -> Documented:
    return Documented("tune.md", "tune", tmp_path_factory.mktemp("docs"))


@pytest.mark.slow
def test_the_page_of_tuning_shows_what_is_printed(tuning: Documented) -> None:
    assert tuning.done.returncode == 3
    pictures = {f"tune-{name}.png": f"{name}.png" for name in ("search", "around")}
    tuning.shows_what_is_printed("out/tune/tune", pictures)
    tuning.gives_the_same_from_python("out/tune/log.jsonl")


@pytest.mark.slow
def test_the_device_file_is_taken_by_run(tuning: Documented) -> None:
    words = "run bundled/dbench --device out/tune/tune/found.toml --json"
    found = json.loads(ran(tuning.folder, *words.split()).stdout)
    values = json.loads((tuning.folder / "out/tune/tune/result.json").read_text())["found"]["set"]
    assert str(found["config"]["gc"]["pages_in_flight"]) == values["gc.pages_in_flight"]


def test_the_section_on_the_page_is_sound_and_has_every_key() -> None:
    (text,) = re.findall(r"^```toml\n(.*?)^```$", text_of("tune.md"), re.MULTILINE | re.DOTALL)
    head = 'name = "x"\ndevices = ["coupled-copyback-mini"]\nschemes = ["greedy"]\n'
    traces = "".join(
        f'{{ name = "{name}", source = "bundled/{name}" }}, ' for name in ("varmail", "sqlite", "mysql")
    )
    found = Experiment.parse(f"{head}traces = [{traces}]\n[repeats]\ncount = 6\n{text}")
    assert set(found.table["tune"]) == set(keys_of_section(Tune))
    assert found.parts.sections["tune"].judge_on.repeats == (0, 1, 2, 3, 4, 5)


@pytest.mark.slow
def test_what_is_left_out_and_every_file_is_named(tuning: Documented) -> None:
    there = {each.name for each in (tuning.folder / "out/tune/tune").iterdir()} - {"points.json"}
    assert {name for name in (*there, *PROMISED) if f"`{name}`" not in tuning.text()} == set()
