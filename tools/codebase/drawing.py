"""The drawing of ARCHITECTURE.md (Mermaid, which GitHub draws) beside the sources, and all edges as text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from codebase.graph import Graph
from codebase.rooms import Codebase, is_beside, is_front, name_of, part_of

FENCE = re.compile(r"^```mermaid\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BOX = re.compile(r'^ *(\w+)\["([^"]*)"\]$', re.MULTILINE)
ARROW = re.compile(r"^ *(\w+) --> (\w+)$", re.MULTILINE)


@dataclass(frozen=True)
class Drawing:
    """Boxes of files, and arrows from who uses to who is used."""

    boxes: Mapping[str, tuple[str, ...]]
    """Folders (end with `/`) and files of each, as the lines of its label after the first give them."""
    arrows: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, document: str) -> Drawing:
        """The one in a page."""
        (drawn,) = FENCE.findall(document)
        boxes = {
            name: tuple(path for line in label.split("<br>")[1:] for path in _paths(line))
            for name, label in BOX.findall(drawn)
        }
        return cls(boxes, tuple(ARROW.findall(drawn)))

    def box_of(self, file: str) -> str | None:
        """The box whose folder is the nearest around a file."""
        around = [
            (len(path), name) for name, paths in self.boxes.items() for path in paths if _in(file, path)
        ]
        return max(around)[1] if around else None

    def below(self, box: str) -> set[str]:
        """All boxes that arrows lead to from one, and it itself."""
        found = {box}
        while more := {to for source, to in self.arrows if source in found} - found:
            found |= more
        return found


def _paths(line: str) -> list[str]:
    """`a/b/` or `a/b/: c.rs · d/`, which are files and folders of `a/b/`."""
    folder, colon, inside = line.partition(": ")
    return [folder + name for name in inside.split(" · ")] if colon else line.split(" · ")


def _in(file: str, path: str) -> bool:
    return file == path or (path.endswith("/") and file.startswith(path))


def faults(drawing: Drawing, codebase: Codebase) -> list[str]:
    """Where drawing and sources differ.

    A file names only files of its own box and of those below it, every arrow stands for somebody, no arrows
    lead in a circle, and no box is empty. Tests, examples and what only hands names on (`lib.rs`,
    `__init__.py`) are left out.
    """
    rooms = {file: codebase.room_of(file) for file in codebase.files.nodes}
    files = [file for file, room in rooms.items() if not is_beside(room) and not is_front(room)]
    box_of = {file: drawing.box_of(file) for file in files}
    found = [f"{file}: is in no box" for file, box in box_of.items() if box is None]
    found += [f"box {name}: holds no file" for name in drawing.boxes if name not in box_of.values()]
    below = {name: drawing.below(name) for name in drawing.boxes}
    found += [f"box {name}: arrows lead back to it" for name in drawing.boxes if _returns(drawing, name)]
    used: set[tuple[str, str]] = set()
    for (source, target), edges in codebase.files.binding().edges.items():
        one, other = box_of.get(source), box_of.get(target)
        if one is None or other is None or one == other:
            continue
        used.add((one, other))
        if other not in below[one]:
            place, named = edges[0].place, edges[0].text
            found.append(f"{place}: names {named} of {target}, and no arrows lead from {one} to {other}")
    found += [f"{one} --> {other}: nobody does" for one, other in drawing.arrows if (one, other) not in used]
    return found


def _returns(drawing: Drawing, box: str) -> bool:
    return any(box in drawing.below(to) for source, to in drawing.arrows if source == box)


def summary(codebase: Codebase) -> str:
    """Everything: rooms, edges between rooms with the number of lines behind them, circles with the lines."""
    rooms = codebase.rooms
    lines = ["# Import graph", ""]
    for part in codebase.parts:
        lines += [
            f"## {part}",
            "",
            "| room | files | lines | used by rooms | uses (so many lines do) |",
            "|---|--:|--:|--:|---|",
            *(_row(codebase, room) for room in rooms.nodes if part_of(room) == part),
            "",
        ]
    for what, graph in (("files", codebase.files), ("rooms", rooms)):
        binding = graph.binding()
        lines += [f"## Circles of {what}", "", *_circles_in_full(binding), ""]
        handed_on = [circle for circle in graph.circles() if circle not in binding.circles()]
        if handed_on:
            lines += [f"Circles of {what} if names that are only handed on count, too:", ""]
            lines += [*(f"- {len(circle)}: {', '.join(circle)}" for circle in handed_on), ""]
    return "\n".join(lines)


def _row(codebase: Codebase, room: str) -> str:
    rooms, part = codebase.rooms, part_of(room)
    files, count = codebase.size(room)
    users = sum((other, room) in rooms.edges for other in rooms.nodes)
    used = ", ".join(
        f"{name_of(target) if part_of(target) == part else target} {len(rooms.edges[room, target])}"
        for target in rooms.targets(room)
    )
    return f"| {name_of(room)} | {files} | {count} | {users} | {used} |"


def _circles_in_full(graph: Graph) -> Iterator[str]:
    for circle in graph.circles():
        yield f"- {len(circle)}: {', '.join(circle)}; the shortest way round:"
        for edge in graph.shortest_loop(circle):
            count = len(graph.edges[edge.source, edge.target])
            more = f" (and {count - 1} more)" if count > 1 else ""
            yield f"  - {edge.place} ({edge.kind.value}) `{edge.text}` → {edge.target}{more}"
