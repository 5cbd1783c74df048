"""A graph of files or of rooms, and the circles in it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import Enum


class Kind(Enum):
    """How one file names another."""

    USE = "use"
    """An import at the top of a file, or in Rust anywhere."""
    PATH = "path"
    """A full path in the middle of the code."""
    LATE = "late"
    """A Python import inside a function."""
    TYPES = "types"
    """A Python import for the type checker alone."""
    REEXPORT = "re-export"
    """A name that a file only passes on, such as `pub use` in a `mod.rs`."""

    @property
    def binds(self) -> bool:
        """Whether the file needs it: what is only passed on, or for the type checker, closes no circle."""
        return self not in (Kind.REEXPORT, Kind.TYPES)


@dataclass(frozen=True, order=True)
class Place:
    """A line of a file."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True)
class Edge:
    """One file names something that another one defines."""

    source: str
    target: str
    place: Place
    kind: Kind
    text: str


class Graph:
    """Nodes, and between two of them all the edges."""

    def __init__(self, nodes: Iterable[str], edges: Iterable[Edge]) -> None:
        self.nodes = sorted(nodes)
        self.edges: dict[tuple[str, str], list[Edge]] = {}
        for edge in sorted(edges, key=lambda edge: (edge.source, edge.target, edge.place)):
            if edge.source != edge.target:
                self.edges.setdefault((edge.source, edge.target), []).append(edge)
        self._after: dict[str, list[str]] = {node: [] for node in self.nodes}
        for source, target in self.edges:
            self._after[source].append(target)

    def targets(self, node: str) -> list[str]:
        """The nodes that `node` names, in alphabetical order."""
        return self._after[node]

    def binding(self) -> Graph:
        """Only what a file needs of others (see `Kind.binds`)."""
        return Graph(self.nodes, (edge for edges in self.edges.values() for edge in edges if edge.kind.binds))

    def grouped(self, room_of: Callable[[str], str]) -> Graph:
        """The same graph between the rooms of the files."""
        moved = (
            Edge(room_of(edge.source), room_of(edge.target), edge.place, edge.kind, edge.text)
            for edges in self.edges.values()
            for edge in edges
        )
        return Graph({room_of(node) for node in self.nodes}, moved)

    def circles(self) -> list[list[str]]:
        """Sets of nodes that all reach each other, the largest first."""
        return sorted(
            (part for part in self.components() if len(part) > 1), key=lambda part: (-len(part), part)
        )

    def components(self) -> list[list[str]]:
        """Strongly connected components (Tarjan), each sorted; who is named comes before who names it."""
        number: dict[str, int] = {}
        low: dict[str, int] = {}
        stack: list[str] = []
        found: list[list[str]] = []
        for root in self.nodes:
            if root in number:
                continue
            path: list[tuple[str, Iterator[str]]] = [(root, iter(self._after[root]))]
            number[root] = low[root] = len(number)
            stack.append(root)
            while path:
                node, rest = path[-1]
                following = next(rest, None)
                if following is None:
                    path.pop()
                    if path:
                        low[path[-1][0]] = min(low[path[-1][0]], low[node])
                    if low[node] == number[node]:
                        at = stack.index(node)
                        found.append(sorted(stack[at:]))
                        del stack[at:]
                elif following not in number:
                    number[following] = low[following] = len(number)
                    stack.append(following)
                    path.append((following, iter(self._after[following])))
                elif following in stack:
                    low[node] = min(low[node], number[following])
        return found

    def shortest_loop(self, circle: list[str]) -> list[Edge]:
        """The shortest way round inside a circle, as one edge a step."""
        within = set(circle)
        pairs = ((source, target) for source in circle for target in self._after[source] if target in within)
        loops = ([self._example(source, target), *self.way(target, source)] for source, target in pairs)
        return min(loops, key=len)

    def way(self, start: str, end: str) -> list[Edge]:
        """The shortest way from one node to another, as one edge a step; empty if there is none."""
        before: dict[str, str] = {}
        queue = deque([start])
        while queue and end not in before:
            node = queue.popleft()
            for target in self._after[node]:
                if target not in before and target != start:
                    before[target] = node
                    queue.append(target)
        steps: list[Edge] = []
        while end in before:
            steps.append(self._example(before[end], end))
            end = before[end]
        return steps[::-1]

    def _example(self, source: str, target: str) -> Edge:
        """The edge that shows best why `source` needs `target`: an import before a path in the code."""
        return min(self.edges[source, target], key=lambda edge: (edge.kind is not Kind.USE, edge.place))
