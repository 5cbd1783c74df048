"""README says what its data say, and its figures of the demo are what the demo gives."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import readme
import reclaim
from reclaim import _core
from reclaim.results.sets import ResultSet

ROOT = Path(__file__).parents[2]
MOST_WORDS = 450
"""Beside tables and code."""


def blocks(page: str, language: str) -> list[str]:
    """The code on a page, block by block."""
    return re.findall(rf"^```{language}\n(.*?)^```$", (ROOT / page).read_text(), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", ["README.md", "docs/cli.md", "docs/validation.md"])
def test_the_python_of_a_page_runs(page: str, tmp_path: Path) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    found = blocks(page, "python")
    assert found
    for code in found:
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", code],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr


def test_readme_and_its_picture_are_what_their_data_say() -> None:
    assert readme.render() == readme.PAGE.read_text(encoding="utf-8"), "make pages"
    assert readme.draw() == readme.PICTURE.read_bytes(), "make pages"


def test_readme_is_read_in_three_minutes() -> None:
    text = re.sub(r"```.*?```", "", readme.PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)
    prose = [line for line in text.splitlines() if not line.startswith("|")]
    assert len(" ".join(prose).split()) <= MOST_WORDS


def test_no_figure_of_the_papers_or_of_the_speed_is_typed() -> None:
    template = readme.TEMPLATE.read_text(encoding="utf-8")
    for section in ("## Five papers", "## Beside MQSim"):
        text = template.partition(section)[2].partition("\n## ")[0]
        text = re.sub(r"\{\{.*?\}\}|\{%.*?%\}|\]\([^)]*\)|RAID-5|p99(\.99?)?", "", text, flags=re.DOTALL)
        assert not re.search(r"\d", text)


def words_of_the_catalogue() -> list[str]:
    """Every key of the settings and every policy, with what is said of it."""
    found = []

    def walk(node: Any, key: str) -> None:
        if isinstance(node, dict):
            for name, each in node.get("properties", {}).items():
                found.append(f"{key}.{name}: {each.get('description', '')}".lower())
            for name, each in node.items():
                walk(each, f"{key}.{name}" if node is not None else key)
        elif isinstance(node, list):
            for each in node:
                walk(each, key)

    walk(json.loads(_core.schema()), "")
    for kind in reclaim.catalogue():
        for policy in kind["policies"]:
            found.append(f"{kind['key']} = {policy['name']}: {policy['about']}".lower())
            walk(policy["parameters"], f"{kind['key']}.{policy['name']}")
    return found


def absent(words: tuple[str, ...]) -> list[str]:
    return [each for each in words_of_the_catalogue() if any(word in each for word in words)]


@pytest.mark.parametrize("limit", readme.ABSENT)
def test_what_readme_says_is_absent_has_no_key_and_no_policy(limit: str) -> None:
    """A limit that names a feature which has come since is a false line."""
    assert limit in readme.PAGE.read_text(encoding="utf-8")
    assert absent(readme.ABSENT[limit]) == []
    # Nor is there a key that is called what the limit says.
    name = "_".join(limit.removeprefix("no ").split())
    assert absent((name,)) == []


def test_limits_that_are_none_are_found() -> None:
    assert absent(("retry",))
    assert absent(("flash.wear", "by the erases of a block"))


def test_readme_names_the_model_of_every_speed_and_of_the_accuracy() -> None:
    text = readme.PAGE.read_text(encoding="utf-8")
    section = text.partition("## Beside MQSim")[2].partition("\n## ")[0]
    assert set(readme.MODELS.values()) <= set(reclaim.presets())
    head, _, *rows = [line for line in section.splitlines() if line.startswith("|")]
    assert [each.strip(" `") for each in head.split("|")[2:5]] == ["MQSim", "gc-bypass", "mqsim-mirror"]
    assert len(rows) == 4
    assert all(row.count("×") == 2 for row in rows)
    assert "`mqsim-mirror`" in section.partition("agree")[0].rpartition("\n\n")[2]


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that `make demo` leaves, made by its command."""
    makefile = (ROOT / "Makefile").read_text()
    named = re.search(r"^DEMO := (.*)$", makefile, re.MULTILINE)
    assert named
    folder = tmp_path_factory.mktemp("demo") / "out"
    command = [sys.executable, "-m", "reclaim", "sweep", named[1], "-o", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 3, done.stderr
    return folder


def test_only_these_schemes_of_the_demo_are_doubted(demo: Path) -> None:
    points = ResultSet.load(demo).points
    doubted = points.filter(points["verdict"] != "trustworthy")["scheme"].unique().to_list()
    assert set(doubted) == {"adaptive", "conv-0.7-allch"}


def test_what_papers_address_occurs_in_the_demo(demo: Path) -> None:
    results = ResultSet.load(demo)
    greedy = results.points.filter(results.points["scheme"] == "greedy")
    assert greedy["utilisation_channel"].min() > 0.3
    assert greedy["utilisation_die"].min() > 0.5
    at_work = [
        ("gc-bypass", "interconnect", "preemptions"),
        ("gc-bypass", "gc.relocation", "absorbed_writes"),
        ("adaptive", "gc.concurrency", "refused_starts"),
        ("wla", "gc.victim", "lighter_but_fuller"),
        ("dgc", "gc.deferral", "redirects"),
        ("coupledcb", "gc.relocation", "filled_pages"),
    ]
    for scheme, kind, counter in at_work:
        points = results.points.filter(results.points["scheme"] == scheme)["point"].to_list()
        for point in points:
            counted = results.results(point).to_dict()["policies"][kind][counter]["value"]
            assert counted > 0, f"{scheme}: {kind}.{counter}"


def test_schemes_of_the_demo_are_whole_schemes_of_the_papers() -> None:
    experiment = reclaim.Experiment.load(ROOT / "examples/experiments/papers.toml")
    compared = {each.scheme for each in experiment.parts.comparisons}
    assert {"gc-bypass", "adaptive", "wla", "dgc", "coupledcb"} <= compared
