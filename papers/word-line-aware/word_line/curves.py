"""Figures 5 and 6 as curves: CSV files beside the page, from the claims of its data.

`python -m word_line.curves page.json` in the paper's folder writes them anew; a test holds them to the data.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

SERIES: Mapping[str, tuple[tuple[str, str, str], ...]] = {
    "figure-5.csv": (
        ("cheapest pages", "fig5-least-", "value"),
        ("dearest pages", "fig5-most-", "value"),
    ),
    "figure-6.csv": (
        ("printed", "fig6-log-", "expected"),
        ("program again", "fig6-log-", "value"),
        ("counted once", "fig6-arbitrary-", "value"),
        ("vs fewest valid", "fig6-greedy-", "value"),
    ),
}
"""Curves of a file: its name, how the ids of its claims begin, and which of their numbers it is."""


def csv_of(data: Mapping[str, Any], name: str) -> str:
    """Give one of the files. Where all pages are valid nothing can be saved, and a log axis has no zero."""
    rows = [row for each in SERIES[name] for row in _points(data, *each)]
    return "\n".join(["series,x,y,low,high", *rows, ""])


def _points(data: Mapping[str, Any], series: str, begins: str, key: str) -> Iterator[str]:
    for claim in data["claims"]:
        if claim["id"].startswith(begins) and claim[key]:
            x = re.findall(r"-(\d+)-valid", claim["id"])[0]
            ends = (claim["low"], claim["high"]) if key == "value" else (None, None)
            low, high = ("" if end is None else f"{end:.6g}" for end in ends)
            yield f"{series},{x},{claim[key]:.6g},{low},{high}"


def main(file: Path) -> None:
    """Write the files of a page's data beside it."""
    data = json.loads(file.read_text(encoding="utf-8"))
    for name in SERIES:
        (file.parent / name).write_text(csv_of(data, name), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
