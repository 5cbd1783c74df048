"""What is made from code on the pages of papers: tables of docs/papers.md.

python tools/pages.py
"""

from __future__ import annotations

import re
from pathlib import Path

from reclaim.papers.claims import CLASSES
from reclaim.papers.decisions import as_markdown

PAGE = Path(__file__).parents[1] / "docs" / "papers.md"
BEGIN, END = "<!-- written by `make pages`: begin -->", "<!-- written by `make pages`: end -->"


def renewed(text: str) -> str:
    """Give a page with its tables as the code has them."""
    classes = "\n".join(f"| {name} | {words} |" for name, words in CLASSES.items())
    parts = iter((as_markdown(), "| class | what is in it |\n|---|---|\n" + classes))
    pattern = re.compile(f"{re.escape(BEGIN)}.*?{re.escape(END)}", re.DOTALL)
    return pattern.sub(lambda _: f"{BEGIN}\n{next(parts)}\n{END}", text)


if __name__ == "__main__":
    PAGE.write_text(renewed(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
