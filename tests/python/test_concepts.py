"""Each kind of policy has a page with a picture and all policies. RECLAIM_UPDATE_DOCS=1 renews the tables."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest

import concept_pictures
import reclaim

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "concepts"
BEGIN = (
    "<!-- from `reclaim policy list`; RECLAIM_UPDATE_DOCS=1 pytest tests/python/test_concepts.py: begin -->\n"
)
END = "<!-- end -->"
KINDS = {kind["key"]: kind["policies"] for kind in reclaim.catalogue()}


def table(policies: list[dict[str, Any]]) -> str:
    rows = [f"| `{policy['name']}` | {policy['about'].replace('|', chr(92) + '|')} |" for policy in policies]
    return "\n".join(["| policy | what it does |", "|---|---|", *rows])


@pytest.mark.parametrize("key", KINDS)
def test_every_kind_has_a_page_with_its_policies_and_a_picture(key: str) -> None:
    name = key.rpartition(".")[2]
    path = FOLDER / f"{name}.md"
    text = path.read_text(encoding="utf-8")
    assert f"`{key}`" in text.splitlines()[0]
    assert f"(../images/concepts/{name}.svg)" in text
    before, rest = text.split(BEGIN)
    found, after = rest.split(END)
    if os.environ.get("RECLAIM_UPDATE_DOCS"):
        path.write_text(f"{before}{BEGIN}\n{table(KINDS[key])}\n\n{END}{after}", encoding="utf-8")
    else:
        assert found.strip() == table(KINDS[key]), (
            "RECLAIM_UPDATE_DOCS=1 pytest tests/python/test_concepts.py"
        )


def test_the_first_page_lists_every_policy_of_every_kind() -> None:
    path = FOLDER / "index.md"
    text = path.read_text(encoding="utf-8")
    row = re.compile(r"^(\| \[`([\w.]+)`\].*\| ).* \|$", re.MULTILINE)
    assert {match[2] for match in row.finditer(text)} == set(KINDS)
    lists = {key: ", ".join(f"`{policy['name']}`" for policy in policies) for key, policies in KINDS.items()}
    whole = row.sub(lambda match: f"{match[1]}{lists[match[2]]} |", text)
    if os.environ.get("RECLAIM_UPDATE_DOCS"):
        path.write_text(whole, encoding="utf-8")
    else:
        assert text == whole, "RECLAIM_UPDATE_DOCS=1 pytest tests/python/test_concepts.py"


@pytest.mark.parametrize("name", concept_pictures.PICTURES)
def test_pictures_are_what_the_script_draws(name: str) -> None:
    drawn = concept_pictures.PICTURES[name]().svg()
    assert (concept_pictures.FOLDER / f"{name}.svg").read_text(encoding="utf-8") == drawn, (
        "python tools/concept_pictures.py"
    )
