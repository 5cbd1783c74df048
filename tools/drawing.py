"""Whether the drawing of ARCHITECTURE.md is true: no library reads a Mermaid drawing as a contract."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from rust_names import Edge

FENCE = re.compile(r"^```mermaid\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BOX = re.compile(r'^ *(\w+)\["([^"]*)"\]$', re.MULTILINE)
ARROW = re.compile(r"^ *(\w+) --> (\w+)$", re.MULTILINE)
LEFT_OUT = re.compile(r"[^/]+/[^/]+/((tests|examples|benches)/.*|src/lib\.rs|__init__\.py|__main__\.py)")
"""Who uses a crate from outside, and what only hands names on."""


def boxes_of(drawn: str) -> dict[str, list[str]]:
    """Folders and files of each box, as the lines of its label after the first give them.

    >>> boxes_of(' low["below<br>a/b/<br>c/: d/ · e.rs"]')
    {'low': ['a/b/', 'c/d/', 'c/e.rs']}
    """
    found: dict[str, list[str]] = {}
    for name, label in BOX.findall(drawn):
        found[name] = []
        for line in label.split("<br>")[1:]:
            folder, colon, inside = line.rpartition(": ")
            found[name] += [folder * bool(colon) + each for each in inside.split(" · ")]
    return found


def faults(page: str, files: Iterable[str], edges: Iterable[Edge]) -> Iterator[str]:
    """Where drawing and sources differ.

    A file names only files of its own box and of those that arrows lead to from there, every arrow stands for
    somebody, no arrows lead in a circle, and no box is empty.
    """
    (drawn,) = FENCE.findall(page)
    boxes, arrows = boxes_of(drawn), ARROW.findall(drawn)
    box_of: dict[str, str] = {}
    for file in files:
        around = [(len(path), name) for name, paths in boxes.items() for path in paths if _in(file, path)]
        if not LEFT_OUT.fullmatch(file):
            box_of[file] = max(around, default=(0, ""))[1]
            if not around:
                yield f"{file}: is in no box"
    yield from (f"box {name}: holds no file" for name in boxes if name not in box_of.values())
    below = {name: {name} for name in boxes}
    for _ in boxes:
        for source, to in arrows:
            below[source] |= below[to]
    yield from (f"box {one}: arrows lead back to it" for one, to in arrows if one in below[to])
    used = set()
    for edge in edges:
        one, other = box_of.get(edge.source), box_of.get(edge.target)
        if edge.binds and one and other and one != other:
            used.add((one, other))
            if other not in below[one]:
                named = f"names {edge.text} of {edge.target}"
                yield f"{edge.source}:{edge.line}: {named}, and no arrows lead from {one} to {other}"
    yield from (f"{one} --> {other}: nobody does" for one, other in arrows if (one, other) not in used)


def _in(file: str, path: str) -> bool:
    return file == path or (path.endswith("/") and file.startswith(path))
