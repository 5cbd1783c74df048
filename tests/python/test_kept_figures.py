"""Results of a released version stay: what moves one is noticed here, and told in CHANGELOG.md."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest

import reclaim
from conftest import FIXTURES
from kept_figures import of

ROOT = Path(__file__).parents[2]
KEPT = json.loads((FIXTURES / "figures.json").read_text())
RENEW = "if that is meant: `make fixtures`, and a line under 'Results' at the top of CHANGELOG.md"
CHANGES = (ROOT / "CHANGELOG.md").read_text()


@pytest.mark.parametrize("scheme", KEPT)
def test_no_figure_has_moved(scheme: str) -> None:
    assert of(scheme) == KEPT[scheme], RENEW


def test_every_scheme_of_a_released_version_is_watched() -> None:
    """A scheme that is new since the last one is, from the next `make fixtures` on."""
    new = set(reclaim.schemes()) - set(KEPT)
    heading = re.search(r"^## .*", CHANGES, flags=re.MULTILINE)
    assert heading is not None
    assert not new or "not yet released" in heading[0], f"make fixtures: {sorted(new)}"


def test_one_version_everywhere() -> None:
    version = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"]
    assert reclaim.__version__ == version
    cited = (ROOT / "CITATION.cff").read_text()
    for pattern, text in ((r"^## (\S+)", CHANGES), (r"^version: (\S+)$", cited)):
        found = re.search(pattern, text, flags=re.MULTILINE)
        assert found is not None
        assert found[1] == version, pattern
