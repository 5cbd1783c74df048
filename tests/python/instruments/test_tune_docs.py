"""What docs/tune.md shows is what the experiment that ships gives; what it says of files and keys holds."""

from __future__ import annotations

import json
import re

import pytest

from conftest import ran
from instruments.documented import Documented
from reclaim.bench.experiment import Experiment
from reclaim.bench.tune_section import KEYS
from reclaim.instruments.tuning.space import PROMISED


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Documented:
    return Documented("tune.md", "tune", tmp_path_factory.mktemp("docs"))


def test_the_page_shows_what_is_printed_and_its_python_gives_the_same(page: Documented) -> None:
    assert page.done.returncode == 3
    pictures = {f"tune-{name}.png": f"{name}.png" for name in ("search", "around")}
    page.shows_what_is_printed("out/tune/tune", pictures)
    page.gives_the_same_from_python("out/tune/log.jsonl")


def test_the_device_file_is_taken_by_run(page: Documented) -> None:
    words = "run bundled/dbench --device out/tune/tune/found.toml --json"
    found = json.loads(ran(page.folder, *words.split()).stdout)
    values = json.loads((page.folder / "out/tune/tune/result.json").read_text())["found"]["set"]
    assert str(found["config"]["gc"]["pages_in_flight"]) == values["gc.pages_in_flight"]


def test_the_section_on_the_page_is_sound_and_has_every_key(page: Documented) -> None:
    (text,) = re.findall(r"^```toml\n(.*?)^```$", page.text(), re.MULTILINE | re.DOTALL)
    head = 'name = "x"\ndevices = ["coupled-copyback-mini"]\nschemes = ["greedy"]\n'
    traces = "".join(
        f'{{ name = "{name}", source = "bundled/{name}" }}, ' for name in ("varmail", "sqlite", "mysql")
    )
    found = Experiment.parse(f"{head}traces = [{traces}]\n[repeats]\ncount = 6\n{text}")
    assert set(found.table["tune"]) == set(KEYS)
    assert found.parts.tune.judge_on.repeats == (0, 1, 2, 3, 4, 5)


def test_what_is_left_out_and_every_file_is_named(page: Documented) -> None:
    there = {each.name for each in (page.folder / "out/tune/tune").iterdir()} - {"points.json"}
    assert {name for name in (*there, *PROMISED) if f"`{name}`" not in page.text()} == set()
