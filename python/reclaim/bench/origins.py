"""An experiment made of several files: in which of them, and at which key, each value stands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from reclaim.bench.lines import KeyPath


class Source(NamedTuple):
    """One of the files."""

    file: str
    """What messages call it."""
    text: str
    """Its text, to find lines in; empty where there is none."""


@dataclass(frozen=True)
class Node:
    """A value, and where it stands; those inside of it may stand elsewhere."""

    source: Source
    path: KeyPath
    content: Any
    """Nodes by their keys, a list of nodes, or a plain value."""


def planted(value: Any, source: Source, path: KeyPath = ()) -> Node:
    """Give a value of one file with all that is inside."""
    if isinstance(value, Mapping):
        return Node(source, path, {key: planted(inner, source, (*path, key)) for key, inner in value.items()})
    if isinstance(value, list):
        return Node(source, path, [planted(inner, source, (*path, at)) for at, inner in enumerate(value)])
    return Node(source, path, value)


def plain(node: Node) -> Any:
    """Give the value alone."""
    if isinstance(node.content, dict):
        return {key: plain(inner) for key, inner in node.content.items()}
    if isinstance(node.content, list):
        return [plain(inner) for inner in node.content]
    return node.content


def place_of(node: Node, path: KeyPath) -> tuple[Source, KeyPath]:
    """Say where a key of the whole stands; of one that is not there, where it would.

    >>> below = planted({"set": {"seed": 1}}, Source("below.toml", ""))
    >>> whole = Node(Source("above.toml", ""), (), {"set": below.content["set"]})
    >>> place_of(whole, ("set", "seed"))[0].file, place_of(whole, ("axes",))[0].file
    ('below.toml', 'above.toml')
    """
    for depth, part in enumerate(path):
        content = node.content
        inner = dict(enumerate(content)) if isinstance(content, list) else content
        if not isinstance(inner, dict) or part not in inner:
            return node.source, node.path + path[depth:]
        node = inner[part]
    return node.source, node.path
