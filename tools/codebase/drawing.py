"""The rooms as a picture (Mermaid, which GitHub draws) and as text."""

from __future__ import annotations

from collections.abc import Iterator

from codebase.graph import Graph
from codebase.rooms import Codebase, is_beside, is_front, name_of, part_of

HOW_TO_READ = """\
An arrow points from who uses to who is used; one that follows from others is left out. Rooms that use each
other in a circle share a box. Tests, examples and what only hands names on (`lib.rs`, `__init__.py`) are not
drawn. `make graph` draws this anew and writes every edge to `out/import-graph.md`.
"""


def pictures(codebase: Codebase) -> str:
    """What ARCHITECTURE.md shows: the rooms of every part, and the circles."""
    rooms = codebase.rooms.binding()
    lines = [HOW_TO_READ]
    for part in codebase.parts:
        within = [room for room in rooms.nodes if part_of(room) == part]
        shown = [room for room in within if not is_beside(room) and not is_front(room)]
        lines += [f"`{part}`:", "", *_mermaid(_only(rooms, shown)), ""]
    return "\n".join([*lines, *_circles_in_short(codebase.files.binding())])


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


def _only(graph: Graph, nodes: list[str]) -> Graph:
    kept = set(nodes)
    edges = (edge for pair, edges in graph.edges.items() if kept.issuperset(pair) for edge in edges)
    return Graph(nodes, edges)


def _mermaid(graph: Graph) -> Iterator[str]:
    boxes = graph.components()
    box_of = {room: number for number, box in enumerate(boxes) for room in box}
    after: dict[int, set[int]] = {number: set() for number in range(len(boxes))}
    for source, target in graph.edges:
        if box_of[source] != box_of[target]:
            after[box_of[source]].add(box_of[target])
    yield "```mermaid"
    yield "flowchart TD"
    # Boxes come in the order in which they need each other, so what a box reaches is known before it.
    reach: dict[int, set[int]] = {}
    for number, box in enumerate(boxes):
        names = [name_of(room) for room in box]
        rows = [" · ".join(names[first : first + 4]) for first in range(0, len(names), 4)]
        yield f'    n{number}["{"<br>".join(rows)}"]'
        reach[number] = after[number].union(*(reach[used] for used in after[number]))
    for number, targets in after.items():
        behind = set[int]().union(*(reach[used] for used in targets))
        for used in sorted(targets - behind):
            yield f"    n{number} --> n{used}"
    yield "```"


def _circles_in_short(files: Graph) -> Iterator[str]:
    circles = files.circles()
    if not circles:
        yield "No file uses another one in a circle."
        return
    yield f"Circles of files that use each other ({len(circles)}):"
    yield ""
    for circle in circles:
        names = ", ".join(f"`{name_of(file).removeprefix('src/')}`" for file in circle)
        yield f"- `{part_of(circle[0])}`, {len(circle)} files: {names}"


def _circles_in_full(graph: Graph) -> Iterator[str]:
    for circle in graph.circles():
        yield f"- {len(circle)}: {', '.join(circle)}; the shortest way round:"
        for edge in graph.shortest_loop(circle):
            count = len(graph.edges[edge.source, edge.target])
            more = f" (and {count - 1} more)" if count > 1 else ""
            yield f"  - {edge.place} ({edge.kind.value}) `{edge.text}` → {edge.target}{more}"
