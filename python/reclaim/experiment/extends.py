"""Experiments that extend others: a file says what it changes, and all else is that of the other file."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from reclaim.arguments import near_file, text_to_read
from reclaim.errors import InputError
from reclaim.experiment.parts import MERGE, policy_moved
from reclaim.mistakes import KeyPath, Mistakes, Node, SourceFile, kind_of, parse_present, planted, valid
from reclaim.trace.catalogue import locate
from reclaim.trace.transforms import merge_entry

Table = dict[str, Any]


def short(path: Path) -> Path:
    """Write a path without `..` where that names the same file: behind a link it may name another."""
    written = Path(os.path.normpath(path))
    return written if os.path.realpath(written) == os.path.realpath(path) else path


class Move:
    """Writes names of files beside one folder as names of the same files beside another."""

    def __init__(self, folder: Path, base: Path) -> None:
        self._folder = folder
        self._base = base
        self._stays = os.path.realpath(folder) == os.path.realpath(base)

    def table(self, table: Mapping[str, Any]) -> Table:
        """Move all names of a table; other values are as they were."""
        if self._stays:
            return dict(table)
        moved: Table = {key: self._merges(key, value) for key, value in table.items()}
        for key, move in (("devices", self._device), ("traces", self._trace), ("schemes", self._scheme)):
            if isinstance(moved.get(key), list):
                moved[key] = [move(each) for each in moved[key]]
        return moved

    def _file(self, name: str) -> str:
        if Path(name).is_absolute():
            return name
        there = self._folder / name
        near = os.path.relpath(there, self._base)
        same = os.path.realpath(self._base / near) == os.path.realpath(there)
        return Path(near).as_posix() if same else str(there.absolute())

    def _device(self, entry: Any) -> Any:
        is_file = isinstance(entry, str) and (entry.endswith(".toml") or "/" in entry)
        return self._file(entry) if is_file else entry

    def _trace(self, entry: Any) -> Any:
        if isinstance(entry, Mapping):
            return {**entry, "source": self._trace(entry["source"])} if "source" in entry else entry
        if not isinstance(entry, str) or not entry.strip():
            return entry
        # What is neither a file nor known is a file that is missing, if it looks like one.
        is_file = (self._folder / entry).is_file() or (Path(entry).suffix and locate(entry) is None)
        return self._file(entry) if is_file else entry

    def _scheme(self, entry: Any) -> Any:
        if isinstance(entry, str):
            # A + that stands beside nothing is told where it is read.
            return "+".join(self._setting(each) for each in entry.split("+"))
        if isinstance(entry, Mapping) and isinstance(entry.get("for_traces"), str):
            return {**entry, "for_traces": self._file(entry["for_traces"])}
        return entry

    def _setting(self, text: str) -> str:
        key, equals, value = text.partition("=")
        return f"{key}{equals}{policy_moved(key.strip(), value.strip(), self._file)}" if equals else text

    def _merges(self, key: str, value: Any) -> Any:
        """Move the traces that settings merge in, and policies of one's own, wherever settings stand."""
        if isinstance(value, Mapping):
            return {inner: self._merges(f"{key}.{inner}", each) for inner, each in value.items()}
        if key == MERGE or key.endswith(f".{MERGE}"):
            listed = value if isinstance(value, list) else [value]
            moved = [self._merge(each) for each in listed]
            return moved if isinstance(value, list) else moved[0]
        if isinstance(value, list):
            return [self._merges(key, each) for each in value]
        return policy_moved(key, value, self._file)

    def _merge(self, entry: Any) -> Any:
        if isinstance(entry, list):
            return [self._merge(each) for each in entry]
        if isinstance(entry, str) and not entry.lstrip().startswith("["):
            try:
                taken = merge_entry(entry, MERGE)
            except InputError:
                # It is read again where mistakes are noted.
                return entry
        elif isinstance(entry, Mapping):
            taken = dict(entry)
        else:
            return entry
        file = taken.get("file", "")
        if not isinstance(file, str) or not (self._folder / file).is_file():
            return entry
        return {**taken, "file": self._file(file)}


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
    source: SourceFile
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


def _extended(said: object, chain: list[Link]) -> SourceFile:
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
        return SourceFile(str(path), text_to_read("the experiment", path))
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
