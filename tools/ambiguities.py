"""What the papers leave open, as a page: docs/ambiguities.md, made of docs/ambiguities.toml.

python tools/ambiguities.py
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parents[1] / "docs"
SOURCE = DOCS / "ambiguities.toml"
PAGE = DOCS / "ambiguities.md"
HEAD = """# What the papers leave open

This page is made of [`ambiguities.toml`](ambiguities.toml) by `python tools/ambiguities.py`.

Texts of papers permit more than one reading, and leave parameters out. Each such question has the keys that
decide it here, which `reclaim sensitivity` moves ([sensitivity](sensitivity.md)), or is not modelled, and
says why. {modelled} of {total} questions have a key.
"""


def read() -> dict[str, dict[str, Any]]:
    """Every question, by paper and by what it is called."""
    return tomllib.loads(SOURCE.read_text(encoding="utf-8"))


def page() -> str:
    """The page, whole."""
    papers = read()
    entries = [entry for questions in papers.values() for entry in questions.values()]
    modelled = sum("keys" in entry for entry in entries)
    lines = [HEAD.format(modelled=modelled, total=len(entries))]
    for paper, questions in papers.items():
        lines += [
            f"## {paper}\n",
            "| question | what is open | keys, or why there is none |",
            "|---|---|---|",
        ]
        for name, entry in questions.items():
            keys = ", ".join(f"`{key}`" for key in entry.get("keys", []))
            lines.append(f"| {name} | {entry['about']} | {keys or 'not modelled: ' + entry['unmodelled']} |")
        lines.append("")
    return "\n".join(lines)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
