"""The docs site builds without a warning, and shows lists and links as GitHub does."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from browser import running
from docs_site.commonmark import for_renderer
from docs_site.links import file_of, moved, outside_pages, place_of
from docs_site.reference import pages

ROOT = Path(__file__).parents[2]
SEARCH = """new Promise(resolve => {
  const query = document.querySelector("[data-md-component=search-query]");
  query.focus();
  query.value = "latex";
  query.dispatchEvent(new Event("input"));
  query.dispatchEvent(new Event("keyup"));
  let tries = 0;
  const look = () => {
    const found = [...document.querySelectorAll(".md-search-result__item h1")].map(each => each.textContent);
    found.length || ++tries > 200 ? resolve(found) : setTimeout(look, 50);
  };
  look();
})"""
"""Titles of the pages that the site's search finds."""


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("material") is None, reason="mkdocs-material is not installed")
def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path)],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = {
        path.relative_to(tmp_path).as_posix(): path.read_text(encoding="utf-8")
        for path in tmp_path.rglob("*.html")
        if "files" not in path.relative_to(tmp_path).parts
    }
    for page in ("configuration", "cli", "reference/python", "papers/gc-bypass/index"):
        assert f"{page}.html" in found
    # No list and no link is left as text, and nothing is loaded from elsewhere.
    odd = re.compile(r"<p>[^<]*\n(?:-|\d+\.) \w|\]\([\w./-]+\.(?:md|toml|py)\)")
    assert {name: match[0] for name, page in found.items() if (match := odd.search(page))} == {}
    elsewhere = r'<(?:link|script|img)[^>]*(?:href|src)="https?://[^"]*"'
    assert re.findall(elsewhere, found["index.html"]) == []
    # Every page of the contents is in the menu of its part.
    assert "The drive itself" in found["papers/drive/index.html"]
    assert r"\|" not in found["cli.html"]
    with running(tmp_path / "profile") as browser:
        assert browser.open(tmp_path / "index.html").complaints == []
        assert "Tables, figures and citations for a paper" in browser.evaluate(SEARCH)
        # On a phone no page is wider than the screen, nor anything on it that does not scroll by itself.
        narrow = {name: browser.open(tmp_path / name, width=390).told for name in found}
        assert {name: told["outside"] for name, told in narrow.items() if told["page"] != [390, 390]} == {}


def test_every_public_name_is_in_the_python_reference() -> None:
    assert "reclaim.judge" in pages()["reference/python.md"]


def test_every_page_has_one_place() -> None:
    places = [place_of(file) for file in outside_pages()]
    assert len(set(places)) == len(places)
    assert [file_of(place) for place in places if place] == outside_pages()


@pytest.mark.parametrize(
    ("file", "text", "expected"),
    [
        ("README.md", "[a](docs/traces.md#csv)", "[a](traces.md#csv)"),
        ("papers/drive/README.md", "[a](../../docs/papers.md)", "[a](../../papers.md)"),
        ("papers/drive/README.md", "[a](victims.toml)", "[a](../../files/papers/drive/victims.toml.md)"),
        ("docs/traces.md", "[the folder](../examples)", "the folder"),
        ("docs/bench.md", "[`a`](../papers/drive/rows.py), `b`", "[`a`](files/papers/drive/rows.py.md), `b`"),
        ("docs/traces.md", "```\n[a](b.md)\n```", "```\n[a](b.md)\n```"),
        ("docs/traces.md", "`[a](b.md)` [b](https://c.d/e.md)", "`[a](b.md)` [b](https://c.d/e.md)"),
    ],
)
def test_links_are_moved(file: str, text: str, expected: str) -> None:
    assert moved(text, file) == expected


def test_lists_are_indented_for_the_renderer() -> None:
    text = "1. a\n   b\n\n   ```\n   c\n     d\n   ```\n- e\n  - f\n    g\n\nh"
    expected = "1. a\n    b\n\n    ```\n    c\n      d\n    ```\n- e\n    - f\n        g\n\nh"
    assert for_renderer(text) == expected
