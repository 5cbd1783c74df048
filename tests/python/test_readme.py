"""README says what its data say, and its figures of the demo are what the demo gives."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import readme
import reclaim
from page_samples import ROOT, Sample, run, samples
from reclaim import _core
from reclaim.result.sets import ResultSet
from reclaim.result.sets.comparisons import comparisons_of

MOST_WORDS = 450
"""Beside tables and code."""


@pytest.mark.parametrize(
    "page",
    [
        "README.md",
        pytest.param("docs/cli.md", marks=pytest.mark.slow),
        "docs/validation.md",
        "docs/notebooks.md",
    ],
)
def test_the_python_of_a_page_runs(page: str, tmp_path: Path) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    scripts = [each for each in samples(page) if not each.words]
    found = [each.text for each in scripts if (each.file or "mine.py").endswith(".py")]
    assert found
    for code in found:
        # A policy is read from its file.
        run(Sample(code, file="mine.py"), tmp_path)
        run(Sample("import runpy; runpy.run_path('mine.py', run_name='__main__')"), tmp_path)


def section(title: str, text: str) -> str:
    return text.partition(f"## {title}")[2].partition("\n## ")[0]


def test_readme_and_its_picture_are_what_their_data_say_and_read_in_three_minutes() -> None:
    page = readme.PAGE.read_text(encoding="utf-8")
    assert readme.render() == page, "make pages"
    assert readme.draw() == readme.PICTURE.read_bytes(), "make pages"
    text = re.sub(r"```.*?```", "", page, flags=re.DOTALL)
    prose = [line for line in text.splitlines() if not line.startswith("|")]
    assert len(" ".join(prose).split()) <= MOST_WORDS


@pytest.mark.parametrize("title", ["Five papers", "Beside MQSim"])
def test_no_figure_of_the_papers_or_of_the_speed_is_typed(title: str) -> None:
    text = section(title, readme.TEMPLATE.read_text(encoding="utf-8"))
    text = re.sub(r"\{\{.*?\}\}|\{%.*?%\}|\]\([^)]*\)|RAID-5|p99(\.99?)?", "", text, flags=re.DOTALL)
    assert not re.search(r"\d", text)


def test_what_readme_says_is_absent_has_no_key_and_no_policy() -> None:
    """A limit that names a feature which has come since is a false line."""
    catalogue = f"{_core.schema()}{reclaim.catalogue()}".lower()

    def absent(words: tuple[str, ...]) -> list[str]:
        return [each for each in words if each in catalogue]

    page = readme.PAGE.read_text(encoding="utf-8")
    for limit, words in readme.ABSENT.items():
        assert limit in page
        # Nor is there a key that is called what the limit says.
        assert absent((*words, "_".join(limit.removeprefix("no ").split()))) == []
    # Limits that are none are found.
    assert absent(("retry",))
    assert absent(("by the erases of a block",))


def test_readme_names_the_model_of_every_speed_and_of_the_accuracy() -> None:
    text = section("Beside MQSim", readme.PAGE.read_text(encoding="utf-8"))
    assert set(readme.MODELS.values()) <= set(reclaim.presets())
    head, _, *rows = [line for line in text.splitlines() if line.startswith("|")]
    assert [each.strip(" `") for each in head.split("|")[2:5]] == ["MQSim", "gc-bypass", "mqsim-mirror"]
    assert [row.count("×") for row in rows] == [2] * 4
    assert "`mqsim-mirror`" in text.partition("agree")[0].rpartition("\n\n")[2]


@pytest.mark.slow
def test_what_papers_address_occurs_in_the_demo(tmp_path: Path) -> None:
    """In the folder that `make demo` leaves, made by its command."""
    named = re.search(r"^DEMO := (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert named
    command = [sys.executable, "-m", "reclaim", "sweep", named[1], "-o", str(tmp_path / "out")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    results = ResultSet.load(tmp_path / "out")
    assert set(results.points["verdict"]) == {"trustworthy"}
    page = (tmp_path / "out/report.html").read_text(encoding="utf-8")
    assert "5 of 6 lower what they are meant to lower" in page
    # The row of a scheme that writes much says so, whatever its baseline writes.
    (coupled,) = (each for each in comparisons_of(results) if each.name == "CoupledCB")
    assert re.fullmatch(r"3\.7; baseline 5\.6; greedy 1\.2", coupled.plain)
    assert {figure.of for figure in coupled.controls} == {"PcGC"}
    greedy = results.points.filter(results.points["scheme"] == "greedy")
    assert greedy["utilisation_channel"].min() > 0.3
    assert greedy["utilisation_die"].min() > 0.5
    at_work = [
        ("GC bypass", "interconnect", "preemptions"),
        ("GC bypass", "gc.relocation", "absorbed_writes"),
        ("G(t), idle channels", "gc.concurrency", "refused_starts"),
        ("least array time", "gc.victim", "lighter_but_fuller"),
        ("DGC", "gc.deferral", "redirects"),
        ("CoupledCB", "gc.relocation", "filled_pages"),
    ]
    for scheme, kind, counter in at_work:
        for point in results.points.filter(results.points["scheme"] == scheme)["point"].to_list():
            counted = results.results(point).to_dict()["policies"][kind][counter]["value"]
            assert counted > 0, f"{scheme}: {kind}.{counter}"


def test_schemes_of_the_demo_are_whole_schemes_of_the_papers() -> None:
    experiment = reclaim.Experiment.load(ROOT / "examples/experiments/papers.toml")
    joined = {each.name: each.schemes for each in experiment.parts.schemes}
    compared = {scheme for each in experiment.parts.comparisons for scheme in joined[each.candidate]}
    assert {"gc-bypass", "adaptive", "wla", "dgc", "coupledcb"} <= compared
    assert sum(each.control is not None for each in experiment.parts.comparisons) == 4
