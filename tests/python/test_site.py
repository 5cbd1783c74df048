"""The docs site builds without a warning, and shows lists and links as GitHub does."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from docs_site.commonmark import for_renderer
from docs_site.links import file_of, moved, outside_pages, place_of

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built as `make site` builds it."""
    if importlib.util.find_spec("material") is None:
        pytest.skip("mkdocs-material is not installed: make install, or pip install mkdocs-material")
    place = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(place)],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return place


def test_the_site_builds_without_a_warning(site: Path) -> None:
    assert (site / "index.html").is_file()
    for page in ("configuration", "reference/commands", "reference/python", "papers/gc-bypass/index"):
        assert (site / f"{page}.html").is_file(), page


def test_no_list_and_no_link_is_left_as_text(site: Path) -> None:
    odd = re.compile(r"<p>[^<]*\n(?:-|\d+\.) \w|\]\([\w./-]+\.(?:md|toml|py)\)")
    found = {
        path.relative_to(site).as_posix(): match[0]
        for path in site.rglob("*.html")
        if "files" not in path.parts and (match := odd.search(path.read_text(encoding="utf-8")))
    }
    assert found == {}


def test_every_page_of_the_contents_is_in_the_menu_of_its_part(site: Path) -> None:
    page = (site / "papers" / "drive" / "index.html").read_text(encoding="utf-8")
    assert "The drive itself" in page
    assert r"\|" not in (site / "reference" / "commands.html").read_text(encoding="utf-8")


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    page = (site / "index.html").read_text(encoding="utf-8")
    assert re.findall(r'<(?:link|script|img)[^>]*(?:href|src)="https?://[^"]*"', page) == []


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
