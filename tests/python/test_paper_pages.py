"""Pages of papers: made of data that a run left, short, without a number that was typed; their pictures."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import altair as alt
import pytest

import reclaim
from reclaim.paper.measured import Figure
from reclaim.paper.page import DATA, PAGE, SCREEN, TEMPLATE, pictures, render, screen
from reclaim.paper.page_data import FORMAT, with_kept
from reclaim.paper.page_parts import PageParts
from reclaim.paper.paper import keys, load_paper
from reclaim.paper.pictures import FOLDER as PICTURES
from reclaim.paper.pictures import Picture, _named, _scale, load, png, specification
from reclaim.paper.text import printed


@pytest.mark.parametrize("key", keys())
def test_the_page_of_every_shipped_paper_is_what_its_data_say(key: str) -> None:
    """A digit that is changed by hand is found; `make pages` mends it."""
    folder = load_paper(key).folder
    assert (folder / PAGE).read_text(encoding="utf-8") == render(folder)


def test_data_and_templates_that_say_verdict_are_read(tmp_path: Path) -> None:
    """As they called agreement before 0.1."""
    claim = {"id": "a", "verdict": "matches"}
    (tmp_path / DATA).write_text(json.dumps({"format": FORMAT, "claims": [claim], "tables": []}))
    (tmp_path / TEMPLATE).write_text('{{ verdict("a") }}, {{ agreement("a") }}')
    assert render(tmp_path) == "matches, matches"


SHORT = [key for key in keys() if (load_paper(key).folder / SCREEN).exists()]


def words(text: str) -> list[str]:
    """Words as they are read: no code, no pictures, links as their words, no rules of tables."""
    text = re.sub(r"```.*?```|<[^>]+>|!\[[^\]]*\]\([^)]*\)|\]\([^)]*\)|:?-{2,}:?", " ", text, flags=re.DOTALL)
    return re.sub(r"[\[|#*_`>]+", " ", text).split()


@pytest.mark.parametrize("key", SHORT)
def test_the_first_screen_is_read_in_a_minute_and_the_page_in_five(key: str) -> None:
    folder = load_paper(key).folder
    first, page = screen(folder), render(folder)
    assert len(words(first)) <= 120
    assert sum(bool(re.search(r"\d", word)) for word in words(first)) <= 12
    assert first.count("![") == 1
    assert len(words(page)) <= 1200
    assert page.index(first.rstrip()) < 200, "the page opens with it"


@pytest.mark.parametrize("key", keys())
def test_every_figure_that_a_claim_names_is_brought(key: str) -> None:
    """A name in `expected.toml` stands once more alone: where the module of the paper makes the figure."""
    paper = load_paper(key)
    data = json.loads((paper.folder / DATA).read_text(encoding="utf-8"))
    lacking = {each["id"] for each in data["claims"] if each["agreement"] == "not run"}
    named = {each.figure for each in paper.expected.claims if each.figure and each.id not in lacking}
    assert named <= set(data["figures"])


@pytest.mark.parametrize("key", SHORT)
def test_pictures_are_what_their_data_say(key: str) -> None:
    folder = load_paper(key).folder
    drawn = pictures(folder)
    assert {path.name: path.read_bytes() for path in (folder / PICTURES).glob("*.png")} == drawn
    assert set(re.findall(rf"\]\({PICTURES}/([^)]+)\)", render(folder))) == set(drawn)


@pytest.mark.parametrize("key", keys())
def test_the_data_of_every_shipped_page_are_of_the_claims_of_today(key: str) -> None:
    paper = load_paper(key)
    data = json.loads((paper.folder / DATA).read_text(encoding="utf-8"))
    judged = {each["id"]: each for each in data["claims"]}
    for claim in paper.expected.claims:
        there = judged[claim.id]
        assert there["class"] == claim.of_class, claim.id
        assert there["printed"] == printed(claim), claim.id
        assert not claim.open or (there["agreement"], there["why"]) == ("open", claim.open), claim.id
    families = sum(each.count for each in paper.expected.families)
    assert len(judged) == len(paper.expected.claims) + families
    assert data["unsettled"] == list(paper.unsettled)


PLACE = r"(?:Figures?|Tables?|[Ss]ections?|[Ee]quations?|Algorithm)"
TYPED = re.compile(
    rf"""
      {PLACE}\s+[0-9IVX]+[-0-9A-Z.]*(?:(?:,|\sand|\sto)\s[0-9IVX]+)*
    | RAID-5 | p99(?:\.99?)? | P99(?:\.99?)? | 99(?:\.99?)?th | θ[12] | 70\s% | 95\s%\sinterval | 8\sGiB
    | ee442ad
    | (?:STG|RSRCH|PRN|USR|PRXY|HM|WDEV|SRC\d)_\d | Ali\d+ | [a-z]+_\d\b
    """,
    re.VERBOSE,
)
"""What a template may have digits in: places in a paper, and what stands in the names of things."""
CALL_OR_CODE = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|`[^`]*`|\]\([^)]*\)", re.DOTALL)


@pytest.mark.parametrize("key", keys())
def test_no_number_of_a_page_is_typed(key: str) -> None:
    folder = load_paper(key).folder
    files = [folder / name for name in (TEMPLATE, SCREEN) if (folder / name).exists()]
    text = "\n".join(file.read_text(encoding="utf-8") for file in files)
    assert not re.search(r"\{\{ *[\d.]+ *\}\}|`[\d.]+`", text), "a setting is `setting(32)`"
    prose = TYPED.sub("", CALL_OR_CODE.sub("", text))
    assert [line for line in prose.splitlines() if re.search(r"\d", line)] == []


def test_what_a_run_has_not_made_is_kept_as_of_the_run_that_made_it() -> None:
    def data(commit: str, figures: dict[str, int], *tables: str) -> dict[str, Any]:
        made = {"command": f"run {commit}", "reclaim_version": "1", "commit": commit}
        return made | {"figures": figures, "tables": [{"name": name, "of": commit} for name in tables]}

    first = data("a", {"small": 1, "large": 2, "old": 3}, "small", "large")
    second = with_kept(data("b", {"small": 4, "old": 5}, "small"), first)
    assert second["figures"] == {"small": 4, "old": 5, "large": 2}
    assert [(each["name"], each["of"]) for each in second["tables"]] == [("small", "b"), ("large", "a")]
    assert second["kept"] == [{"command": "run a", "reclaim_version": "1", "commit": "a", "names": ["large"]}]
    # What the second had kept is still of the first; what it made itself is of the second.
    third = with_kept(data("c", {"small": 6}), second)
    kept = {each["commit"]: each["names"] for each in third["kept"]}
    assert kept == {"a": ["large"], "b": ["old", "small"]}
    assert third["figures"] == {"small": 6, "old": 5, "large": 2}
    assert with_kept(data("d", first["figures"], "small", "large"), third)["kept"] == []


def test_claims_of_the_paper_stand_apart_from_those_of_others() -> None:
    given = [("paper", "matches"), ("paper", "matches"), ("paper", "open"), ("own", "not reproduced")]
    claims = [
        {"id": str(at), "origin": origin, "agreement": agreement, "counted": at != 1}
        for at, (origin, agreement) in enumerate(given)
    ]
    rows = PageParts(Path(), {"claims": claims, "tables": []}, {}).by_origin().splitlines()[2:]
    counted = [[each.strip() for each in row.split("|")[2:-1]] for row in rows]
    assert counted == [["3", "2", "", "1"], ["1", "", "1", ""]]


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


def test_the_name_of_a_curve_begins_at_its_end(tmp_path: Path) -> None:
    (picture,) = declared(tmp_path, CURVES)
    layers = specification(picture, FIGURES.__getitem__)["layer"]
    (names,) = (each["mark"] for each in layers if each["mark"].get("fontWeight") == "bold")
    assert (names["align"], names["dx"]) == ("left", 6)


@pytest.mark.parametrize(("low", "ends"), [(3.0, [0, 10.4]), (5.0, [4.8, 10.2])])
def test_a_scale_begins_at_0_where_that_is_near(tmp_path: Path, low: float, ends: list[float]) -> None:
    (picture,) = declared(tmp_path, DOTS)
    assert _scale(picture, "x", [low, 10.0]).to_dict()["domain"] == pytest.approx(ends)


def test_a_name_stands_where_a_logarithmic_scale_leaves_room() -> None:
    """Of 10 to 1000, 100 is in the middle: there is half of it to the right, and a sixth left of 20."""
    scale = alt.Scale(type="log", domain=[10, 1000])
    records = [{"series": name, "low": 20.0, "high": 100.0} for name in ("a", "b")]
    (first, _) = _named(records, ["a", "b"], scale, log=True)
    assert (first["align"], first["at"], first["says"]) == ("left", 100.0, "a")


@pytest.mark.parametrize(
    ("text", "points", "says"),
    [
        (
            DOTS.replace('"dots"', '"bars"'),
            POINTS,
            r'picture\[1\].kind: "bars" is unknown; valid: dots',
        ),
        (DOTS.replace("axis", "axes"), POINTS, r"picture\[1\]: a picture of kind .dots. needs axis"),
        (DOTS.replace("label", "lable"), POINTS, r"row\[1\]: label is missing"),
        (DOTS + 'mark = "x"', POINTS, "mark: unknown key; valid: label, panel, marks"),
        (DOTS.partition("[[picture.row]]")[0], POINTS, "needs row"),
        (CURVES, "series,x\nours,1\n", "points.csv, line 2: 'y'"),
        (CURVES, "series,x,y\nours,0,1\n", r'"curve": log = \["x"\], but 0'),
        (CURVES, "series,x,y\n", "points.csv: has no points"),
        (CURVES, "series,x,y\nours,1,much\n", "points.csv, line 2: "),
    ],
)
def test_mistakes_are_told(tmp_path: Path, text: str, points: str, says: str) -> None:
    with pytest.raises(reclaim.InputError, match=says):
        [specification(picture, FIGURES.__getitem__) for picture in declared(tmp_path, text, points)]
