"""Results of a released version stay: what moves one is noticed here, and told in CHANGELOG.md."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest

import reclaim
from conftest import FIXTURES
from kept_figures import figures, of

ROOT = Path(__file__).parents[2]
KEPT = json.loads((FIXTURES / "figures.json").read_text())
RENEW = "if that is meant: `make fixtures`, and a line under 'Results' at the top of CHANGELOG.md"


def test_no_figure_has_moved() -> None:
    now = figures()
    moved = {
        f"{scheme}: {figure}": (was, now[scheme][figure])
        for scheme, before in KEPT.items()
        for figure, was in before.items()
        if now.get(scheme, {}).get(figure) != was
    }
    assert moved == {}, RENEW


def test_every_scheme_of_a_released_version_is_watched() -> None:
    """A scheme that is new since the last one is, from the next `make fixtures` on."""
    new = set(reclaim.schemes()) - set(KEPT)
    assert set(KEPT) <= set(reclaim.schemes()), "make fixtures"
    heading = re.search(r"^## .*", (ROOT / "CHANGELOG.md").read_text(), flags=re.MULTILINE)
    assert heading is not None
    assert not new or "not yet released" in heading[0], f"make fixtures: {sorted(new)}"


def test_a_change_of_the_drive_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kept_figures.OF_SCHEMES", {"greedy": {"flash.t_program": "501us"}})
    assert of("greedy") != KEPT["greedy"]
    assert of("fifo") == KEPT["fifo"]


def test_one_version_everywhere() -> None:
    version = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"]
    assert reclaim.__version__ == version
    newest = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), flags=re.MULTILINE)
    assert newest is not None
    assert newest[1] == version, "CHANGELOG.md begins with the version of Cargo.toml"
    cited = re.search(r"^version: (\S+)$", (ROOT / "CITATION.cff").read_text(), flags=re.MULTILINE)
    assert cited is not None
    assert cited[1] == version, "CITATION.cff"
