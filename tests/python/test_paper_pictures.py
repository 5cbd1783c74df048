"""Pictures of a paper's page: what is declared is drawn, and mistakes are told."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import reclaim
from reclaim.papers.measured import Figure
from reclaim.papers.pictures import Picture, load, png, specification

DOTS = """
[[picture]]
name = "answer"
title = "A title that says what is to be seen, and is longer than a line"
kind = "dots"
axis = "latency (µs)"
lines = [{ at = 1, says = "no difference" }]
[[picture.row]]
label = "reads"
marks = { "printed" = "theirs", "ours" = "ours" }
"""
CURVES = """
[[picture]]
name = "curve"
title = "Both curves fall"
kind = "curves"
x = "valid pages (%)"
y = "time (ms)"
log = ["x"]
files = ["points.csv"]
"""
POINTS = "series,x,y,low,high\nprinted,1,10,,\nprinted,10,5,,\nours,1,9,8,10\nours,10,4,3,5\n"
FIGURES = {"theirs": Figure(2.0), "ours": Figure(0.5, 0.4, 0.8)}


def declared(folder: Path, text: str, points: str = POINTS) -> tuple[Picture, ...]:
    (folder / "pictures.toml").write_text(text)
    (folder / "points.csv").write_text(points)
    return tuple(load(folder))


def drawn(picture: Picture, key: str) -> list[dict[str, Any]]:
    """All records of the drawing that have a key."""
    spec = specification(picture, FIGURES.__getitem__)
    assert max(map(len, spec["title"]["text"])) <= 42, "legible on a narrow screen"
    return [row for rows in spec["datasets"].values() for row in rows if key in row]


@pytest.mark.parametrize(
    ("show", "ours"),
    [("value", (0.5, 0.4, 0.8)), ("reduction", (50, 20, 60)), ("inverse", (2, 1.25, 2.5))],
)
def test_dots_are_the_figures_as_they_are_to_be_shown(
    tmp_path: Path, show: str, ours: tuple[float, float, float]
) -> None:
    (picture,) = declared(tmp_path, DOTS.replace('kind = "dots"', f'kind = "dots"\nshow = "{show}"'))
    found = next(row for row in drawn(picture, "value") if row["series"] == "ours")
    assert (found["value"], found["low"], found["high"]) == pytest.approx(ours)


def test_the_same_data_give_the_same_bytes(tmp_path: Path) -> None:
    for picture in declared(tmp_path, DOTS + CURVES):
        first, again = (png(picture, FIGURES.__getitem__) for _ in range(2))
        assert first == again
        assert first.startswith(b"\x89PNG")


def test_names_of_curves_that_end_together_do_not_touch(tmp_path: Path) -> None:
    points = "series,x,y\n" + "".join(f"{name},{x},5\n" for name in "abc" for x in (1, 2))
    (picture,) = declared(tmp_path, CURVES.replace("Both curves fall", "Short"), points)
    ends = sorted(row["y"] for row in drawn(picture, "y") if len(row) == 3)
    assert [round(250 / 0.4 * (b - a)) for a, b in pairwise(ends)] == [16, 16]


@pytest.mark.parametrize(
    ("text", "points", "says"),
    [
        (DOTS.replace('"dots"', '"bars"'), POINTS, r'picture 1: kind = "bars"; valid: dots, curves'),
        (DOTS.replace("axis", "axes"), POINTS, "picture 1: has no axis"),
        (DOTS.replace("label", "lable"), POINTS, "row: has no label"),
        (DOTS + 'mark = "x"', POINTS, "unknown key mark; valid: label, marks, panel"),
        (DOTS.partition("[[picture.row]]")[0], POINTS, r"has no \[\[picture.row\]\]"),
        (CURVES, "series,x\nours,1\n", "points.csv, line 2: 'y'"),
        (CURVES, "series,x,y\nours,0,1\n", r'"curve": log = \["x"\], but 0'),
        (CURVES, "series,x,y\n", "points.csv: has no points"),
        (CURVES, "series,x,y\nours,1,much\n", "points.csv, line 2: "),
    ],
)
def test_mistakes_are_told(tmp_path: Path, text: str, points: str, says: str) -> None:
    with pytest.raises(reclaim.InputError, match=says):
        [specification(picture, FIGURES.__getitem__) for picture in declared(tmp_path, text, points)]
