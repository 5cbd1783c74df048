"""What the papers leave open, as a page: docs/ambiguities.md, made of docs/ambiguities.toml.

python tools/ambiguities.py
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from textwrap import fill
from typing import Any

from reclaim.report.document import Table
from reclaim.report.forms import markdown_of

DOCS = Path(__file__).resolve().parents[1] / "docs"
SOURCE = DOCS / "ambiguities.toml"
PAGE = DOCS / "ambiguities.md"
HEAD = """# What the papers leave open

This page is made of [`ambiguities.toml`](ambiguities.toml) by `python tools/ambiguities.py`.

Texts of papers permit more than one reading, and leave parameters out. Each question has the keys that decide
it, which [`reclaim sensitivity`](sensitivity.md) moves, or has what Reclaim always does, or is about no
setting of a drive. {modelled} of {total} questions have a key.
"""
NO_SETTING = {
    "arithmetic": "Arithmetic on figures",
    "definition": "Definitions of figures",
    "counted": "Definitions of figures, of which Reclaim counts both",
    "print": "The printed page",
    "workloads": "Traces, of which an experiment names several",
    "metric": "The metric, which an experiment names",
    "bits": "Bits, not behaviour",
}
"""Why a question is about no setting of a drive, and the words of the page."""


def read() -> dict[str, dict[str, Any]]:
    """Every question, by paper and by what it is called."""
    return tomllib.loads(SOURCE.read_text(encoding="utf-8"))


def page() -> str:
    """The page, whole."""
    papers = read()
    entries = [entry for questions in papers.values() for entry in questions.values()]
    modelled = sum("keys" in entry for entry in entries)
    parts = [HEAD.format(modelled=modelled, total=len(entries))]
    for paper, questions in papers.items():
        parts.append(f"\n## {paper}\n")
        keys = {
            name: ", ".join(f"`{key}`" for key in entry["keys"])
            for name, entry in questions.items()
            if "keys" in entry
        }
        parts.append(_table("keys", keys, questions))
        others = {name: entry["unmodelled"] for name, entry in questions.items() if name not in keys}
        fixed = {name: reason for name, reason in others.items() if reason not in NO_SETTING}
        parts.append(_table("what Reclaim does", fixed, questions))
        lines = ""
        for reason, words in NO_SETTING.items():
            found = [f"{name} ({questions[name]['about']})" for name in others if others[name] == reason]
            if found:
                lines += fill(f"* {words}: {'; '.join(found)}.", 120, subsequent_indent="  ") + "\n"
        if lines:
            parts.append(f"\nNo setting of a drive:\n\n{lines}")
    return "".join(parts)


def _table(last: str, cells: Mapping[str, str], questions: Mapping[str, Mapping[str, Any]]) -> str:
    rows = [[name, questions[name]["about"], cell] for name, cell in cells.items()]
    return "\n" + markdown_of(Table(["question", "what is open", last], rows))


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
