"""Experiments that extend others: a file says what it changes, and all else is that of the other file."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from reclaim.arguments import near_file, text_to_read
from reclaim.errors import InputError
from reclaim.experiment.moving import Move, short
from reclaim.mistakes import KeyPath, Mistakes, Node, Source, kind_of, planted, valid
from reclaim.old_keys import parse_present

EXTENDS, WITHOUT = "extends", "without"
OWN = ("name", "about")
"""What no file takes from another: two experiments of one name would share a folder."""
LISTED = ("traces", "schemes")
"""Lists whose entries have names."""
SHOWN_DEPTH = 2
"""Keys of keys are listed where a message says what is valid; what is inside of those is not."""


class Link(NamedTuple):
    """A file of a chain in which each extends the next."""

    table: Mapping[str, Any]
    source: Source
    folder: Path
    """Where the file is."""
    path: Path | None
    """The file; None for text that is in none."""


def whole(link: Link, base: Path, mistakes: Mistakes) -> Node:
    """Give all that an experiment says, together with what it extends.

    Args:
        link: the experiment.
        base: where files that it names are looked for.
        mistakes: what is wrong with any `extends` and `without` of the chain.
    """
    if EXTENDS not in link.table:
        mistakes.at(link.source, (WITHOUT,), "takes keys out of what is extended; it needs extends")
        return planted(link.table, link.source)
    chain = [link]
    while EXTENDS in chain[-1].table and not mistakes.told:
        chain += _next(chain, mistakes)
    joined = planted({}, chain[-1].source)
    for each in reversed(chain):
        # The experiment itself names files from its base already.
        table = each.table if each is link else Move(each.folder, base).table(each.table)
        node = planted(table, each.source)
        joined = _joined(_kept(joined, node, mistakes), node, mistakes)
    return joined


def _next(chain: list[Link], mistakes: Mistakes) -> list[Link]:
    """Read what the last file of a chain extends; nothing, and a mistake, where that cannot be."""
    last = chain[-1]
    try:
        source = _extended(last.table[EXTENDS], chain)
    except InputError as error:
        mistakes.at(last.source, (EXTENDS,), str(error))
        return []
    table, source = parse_present(source, mistakes)
    if not mistakes.told and not {"devices", "traces", EXTENDS} & table.keys():
        what = "is no experiment: it names neither devices nor traces, and extends no other"
        text = f'"{last.table[EXTENDS]}" {what}; name a file that `reclaim check` takes'
        mistakes.at(last.source, (EXTENDS,), text)
    return [Link(table, source, Path(source.file).parent, Path(source.file))]


def _extended(said: object, chain: list[Link]) -> Source:
    """The file that the last of a chain extends.

    Raises:
        InputError: if there is none.
    """
    if not isinstance(said, str) or not said.strip() or "\0" in said:
        raise InputError(f'must be the path of another experiment, as in "cells.toml", not {kind_of(said)}')
    path = short(chain[-1].folder / said)
    before = [os.path.realpath(each.path) if each.path else "" for each in chain]
    if os.path.realpath(path) in before:
        circle = [each.source.file for each in chain[before.index(os.path.realpath(path)) :]]
        files = " → ".join([*circle, str(path)])
        raise InputError(f'"{said}": files extend each other in a circle ({files}); one must stand alone')
    if not path.exists():
        raise InputError(f'"{said}": no such file; it would be {path}{near_file(path, [], ".toml")}')
    try:
        return Source(str(path), text_to_read("the experiment", path))
    except InputError as error:
        raise InputError(f'"{said}": {error}') from None


def _walk(node: Node, above: KeyPath = ()) -> Iterator[tuple[KeyPath, Node]]:
    """Every key of a table and of the tables in it, from the top."""
    for key, inner in node.content.items():
        yield (*above, key), inner
        if isinstance(inner.content, dict):
            yield from _walk(inner, (*above, key))


def _dotted(path: KeyPath) -> str:
    return ".".join(map(str, path))


def _kept(below: Node, above: Node, mistakes: Mistakes) -> Node:
    """What is taken from the other file: neither what is its own nor what `without` lists."""
    below = _pruned(below, {(key,) for key in OWN})
    listed = above.content.get(WITHOUT)
    if listed is None:
        return below
    entries = listed.content if isinstance(listed.content, list) else []
    if not entries or not all(isinstance(each.content, str) for each in entries):
        text = 'must be a list of keys of what is extended, as in ["record", "set.trace.remap"]'
        mistakes.at(listed.source, listed.path, text)
        return below
    paths = [path for path, _ in _walk(below)]
    keys = set(map(_dotted, paths))
    shown = list(dict.fromkeys(_dotted(path) for path in paths if len(path) <= SHOWN_DEPTH))
    for each in entries:
        if each.content not in keys:
            text = f'"{each.content}" is no key of {below.source.file}; {valid(each.content, shown)}'
            mistakes.at(each.source, each.path, text)
    named = {each.content for each in entries}
    return _pruned(below, {path for path in paths if _dotted(path) in named})


def _joined(below: Node, above: Node, mistakes: Mistakes) -> Node:
    """Lay a file over what it extends."""
    content = {key: node for key, node in above.content.items() if key not in (EXTENDS, WITHOUT)}
    for key in LISTED:
        if key in content and isinstance(content[key].content, list):
            content[key] = _listed(key, below, content[key], mistakes)
    return _merged(below, replace(above, content=content))


def _merged(below: Node, above: Node) -> Node:
    """Merge tables key by key, whatever their depth; `above` wins."""
    leaves = {_dotted(path): path for path in _leaves(above)}
    # A key with its quotes and the same without them are one setting, which is set once.
    respelt = {path for path in _leaves(below) if leaves.get(_dotted(path), path) != path}
    return _laid(_pruned(below, respelt), above)


def _laid(below: Node, above: Node) -> Node:
    content = dict(below.content)
    for key, node in above.content.items():
        both = key in content and isinstance(content[key].content, dict) and isinstance(node.content, dict)
        content[key] = _laid(content[key], node) if both else node
    return replace(above, content=content)


def _leaves(node: Node) -> Iterator[KeyPath]:
    """Paths of what is no table with something in it."""
    return (path for path, inner in _walk(node) if not (isinstance(inner.content, dict) and inner.content))


def _pruned(node: Node, paths: set[KeyPath], above: KeyPath = ()) -> Node:
    kept = {}
    for key, inner in node.content.items():
        path = (*above, key)
        if path not in paths:
            kept[key] = _pruned(inner, paths, path) if isinstance(inner.content, dict) else inner
    return replace(node, content=kept)


def _listed(key: str, below: Node, above: Node, mistakes: Mistakes) -> Node:
    """Take entries that a list refers to from the list of what is extended; others are its own."""
    there = below.content.get(key)
    others = there.content if there is not None and isinstance(there.content, list) else []
    known = {_name(each): each for each in others if _name(each)}
    entries: list[Node] = []
    for entry in above.content:
        name = _name(entry)
        if isinstance(entry.content, str) and any(_name(each) == name for each in entries):
            mistakes.at(entry.source, entry.path, f'"{name}" is listed twice; leave one of them out')
            continue
        if isinstance(entry.content, str):
            entries.append(known.get(name, entry))
            continue
        changes = key == "traces" and isinstance(entry.content, dict) and "source" not in entry.content
        if changes and name and name not in known and "generate" not in entry.content:
            said = f'"{name}" is no trace of {below.source.file}, and has neither source nor generate'
            mistakes.at(entry.source, (*entry.path, "name"), f"{said}; {valid(name, known)}")
        entries.append(_changed(known[name], entry) if changes and name in known else entry)
    return replace(above, content=entries)


def _name(entry: Node) -> str:
    """What an entry is called; nothing if that cannot be told."""
    if isinstance(entry.content, dict):
        named = entry.content.get("name", entry.content.get("source"))
        return _name(named) if named is not None and isinstance(named.content, str) else ""
    return entry.content if isinstance(entry.content, str) else ""


def _changed(below: Node, entry: Node) -> Node:
    """A trace of the other file with what an entry changes of it."""
    if isinstance(below.content, str):
        below = replace(below, content={"name": below, "source": below})
    if "generate" in entry.content and "generate" not in below.content:
        return entry
    return _merged(below, entry)
