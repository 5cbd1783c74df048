"""Pages of papers from their templates and data, and the tables of docs/papers.md that are made from code.

python tools/pages.py          all of them
python tools/pages.py KEY …    those of some papers, and nothing else
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from reclaim.paper import page
from reclaim.paper.claims import CLASSES
from reclaim.paper.decisions import as_markdown
from reclaim.paper.page_parts import as_table, totals_table
from reclaim.paper.paper import keys, load_paper

PAGE = Path(__file__).parents[1] / "docs" / "papers.md"
BEGIN, END = "<!-- written by `make pages`: begin -->", "<!-- written by `make pages`: end -->"


def renewed(text: str) -> str:
    """Give docs/papers.md with its tables as code and data have them."""
    parts = iter((as_markdown(), as_table(["class", "what is in it"], list(CLASSES.items())), totals()))
    pattern = re.compile(f"{re.escape(BEGIN)}.*?{re.escape(END)}", re.DOTALL)
    return pattern.sub(lambda _: f"{BEGIN}\n{next(parts)}\n{END}", text)


def totals() -> str:
    """Give the measurements of all papers with each agreement, by class: before, and by today's rules."""
    before: dict[str, Counter[str]] = {name: Counter() for name in CLASSES}
    now: dict[str, Counter[str]] = {name: Counter() for name in CLASSES}
    for claim, earlier in _claims():
        now[claim["class"]][claim["agreement"]] += 1
        before[claim["class"]][earlier] += 1
    rows = [
        ([of_class, when], found[of_class])
        for of_class in CLASSES
        for when, found in (("before", before), ("now", now))
    ]
    return totals_table(["class", ""], rows)


def _claims() -> Iterator[tuple[dict[str, Any], str]]:
    for key in keys():
        folder = load_paper(key).folder
        data = json.loads((folder / page.DATA).read_text(encoding="utf-8"))
        earlier = json.loads((folder / page.BEFORE).read_text(encoding="utf-8"))["agreements"]
        for claim in data["claims"]:
            if claim["counted"]:
                yield claim, earlier.get(claim["id"], "")


def main() -> None:
    """Write all of them."""
    named = sys.argv[1:]
    for key in named or keys():
        page.write(load_paper(key).folder)
    if named:
        return
    PAGE.write_text(renewed(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
