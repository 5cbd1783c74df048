"""Links between files of the repository, and between the pages of the site that show them."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[2]
OUTSIDE = ("ARCHITECTURE.md", "CONTRIBUTING.md", "examples/traces/README.md")
SHOWN = {".toml": "toml", ".py": "python", ".json": "json", ".rs": "rust"}
"""Files that are no pages, but are shown as one when a page links to them: suffix and language."""

_CODE_OR_LINK = re.compile(
    r"^```.*?^```"
    r"|(?P<before>!?\[(?:[^\[\]]|\[[^\[\]]*\])*\]\()(?P<target>[^)\s#]+)(?P<anchor>#[^)\s]*)?\)"
    r"|`[^`\n]+`",
    re.MULTILINE | re.DOTALL,
)
"""Whichever begins first: there are no links in code, but code in the words of links."""


def outside_pages() -> list[str]:
    """Markdown files outside of docs/ that are pages, as paths from the root of the repository."""
    papers = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "papers").rglob("*.md"))
    return ["README.md", *OUTSIDE, *papers]


def place_of(file: str) -> str | None:
    """Where the site has a file of the repository; None if it shows no such file."""
    if file == "README.md":
        return "index.md"
    if file.startswith("docs/"):
        return file.removeprefix("docs/")
    if file in OUTSIDE or (file.startswith("papers/") and file.endswith(".md")):
        return file
    if PurePosixPath(file).match("papers/*/pictures/*.png"):
        return file
    if PurePosixPath(file).suffix in SHOWN:
        return f"files/{file}.md"
    return None


def file_of(place: str) -> str:
    """Which file of the repository a page of the site shows."""
    files = {place_of(file): file for file in outside_pages()}
    return files.get(place, f"docs/{place}")


def shown_files(text: str, file: str) -> list[str]:
    """Files of the repository that are no pages, and to which this page links."""
    found: list[str] = []

    def note(target: str, before: str) -> str:
        if (place_of(target) or "").startswith("files/") and (ROOT / target).is_file():
            found.append(target)
        return before + target

    _each_link(text, file, note)
    return found


def moved(text: str, file: str) -> str:
    """Give a page's text with links that hold on the site. What the site does not show is no link there."""
    here = PurePosixPath(place_of(file) or file).parent

    def link(target: str, before: str) -> str:
        place = place_of(target)
        if place is None and (ROOT / target).exists():
            return ""
        return before + os.path.relpath(place or target, here)

    return _each_link(text, file, link)


def _each_link(text: str, file: str, change: Callable[[str, str], str]) -> str:
    """Put each link to a file through `change`, which gets its target and what stands before that."""
    folder = PurePosixPath(file).parent

    def one(match: re.Match[str]) -> str:
        if match["target"] is None or re.match(r"[a-z]+:", match["target"]):
            return match[0]
        changed = change(os.path.normpath(folder / match["target"]), match["before"])
        if not changed:
            return match["before"].removesuffix("](").removeprefix("[")
        return f"{changed}{match['anchor'] or ''})"

    return _CODE_OR_LINK.sub(one, text)
