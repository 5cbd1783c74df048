"""The trace catalogue: every trace that can be named, and where it is.

A name given in place of a file is looked up here: recordings that come with the source, synthetic
stand-ins, the user's own files, and public sets, which are picked up once their files lie in the user's
folder.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from importlib import resources
from pathlib import Path
from typing import Any

from reclaim import input_file
from reclaim.errors import InputError
from reclaim.shipped import RECORDINGS
from reclaim.suggestions import alike, did_you_mean
from reclaim.trace.catalogue.files import (
    VARIABLE,
    missing_folders,
    trace_files,
    user_folders,
)
from reclaim.trace.catalogue.public_sets import PUBLIC_SETS, PublicSet, device_in, set_of_folder, set_of_name

__all__ = [
    "Entry",
    "Located",
    "entries",
    "folders_note",
    "locate",
    "locate_in",
    "matches",
    "places",
    "resolve",
    "where_to_get",
]

RECORDING = "recording"
STAND_IN = "synthetic stand-in"
FILE = "your file"
PUBLIC_HERE = "public set"
PUBLIC_MISSING = "public set, not here"


@dataclass(frozen=True)
class Entry:
    """A trace that can be named."""

    name: str
    kind: str
    about: str
    path: str | None
    """Where it is; None for a trace of a public set whose file is not here."""
    where: str = ""
    """Where to get it, for public sets."""
    terms: str = ""
    also: tuple[str, ...] = ()
    """Further files of the same folder that have this name: it is ambiguous and opens none."""

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        return asdict(self)


@dataclass(frozen=True)
class Located:
    """A file to open, and the device to take from it."""

    path: Path
    device: str | None = None


def _stand_in_folder() -> Path:
    return Path(str(resources.files("reclaim").joinpath("data", "stand-ins")))


def _stand_ins() -> list[Entry]:
    folder = _stand_in_folder()
    found = []
    for path in sorted(folder.rglob("*.toml")):
        name = path.relative_to(folder).with_suffix("").as_posix()
        # What is wrong with one comes out when it is opened, not when others are listed.
        head = input_file.text(path, errors="replace")
        of = re.search(r'^of = "(.*)"$', head, re.MULTILINE)
        source = re.search(r'^source = "(.*)"$', head, re.MULTILINE)
        about = f"in place of {of[1]}; figures of {source[1].partition(',')[0]}" if of and source else ""
        found.append(Entry(name, STAND_IN, about, str(path)))
    return found


def _described(recording: str, readme: str) -> str:
    """What the README beside the recordings says of one: the beginning of its row."""
    row = re.search(rf"^\| `{re.escape(recording)}` \| ([^|:;]*)", readme, re.MULTILINE)
    return row[1].replace("`", "").strip() if row else f"{recording}, recorded for this project"


def _recordings() -> list[Entry]:
    if not RECORDINGS.is_dir():
        return []
    table = RECORDINGS / "README.md"
    readme = input_file.text(table, errors="replace") if table.is_file() else ""
    return _each_name_once(
        Entry(f"bundled/{name}", RECORDING, _described(name, readme), str(path))
        for name, path in trace_files(RECORDINGS)
    )


def _each_name_once(found: Iterable[Entry]) -> list[Entry]:
    """Put files of one folder that have the same name into one entry."""
    named: dict[str, Entry] = {}
    for each in found:
        first = named.setdefault(each.name, each)
        if first is not each:
            named[each.name] = replace(first, also=(*first.also, str(each.path)))
    return list(named.values())


def _own_files() -> list[Entry]:
    return [
        each
        for folder in user_folders()
        for each in _each_name_once(_own_file(name, path) for name, path in trace_files(folder))
    ]


def _own_file(name: str, path: Path) -> Entry:
    head, _, rest = name.partition("/")
    known = set_of_folder(head) if rest else None
    if known is None:
        return Entry(name, FILE, str(path), str(path))
    if not known.device_file or not re.fullmatch(known.device_file + ".*", path.name):
        return _of_set(known, f"{known.name}/{rest}", path)
    return _of_set(known, f"{known.name}/<device>", path)


def _of_set(known: PublicSet, name: str, path: Path | None) -> Entry:
    kind = PUBLIC_MISSING if path is None else PUBLIC_HERE
    return Entry(name, kind, known.about, None if path is None else str(path), known.where, known.terms)


def _public(here: list[Entry]) -> list[Entry]:
    names = {each.name for each in here}
    found = []
    for known in PUBLIC_SETS:
        if known.traces:
            found += [
                _of_set(known, name, None)
                for name in (f"{known.name}/{each}" for each in known.traces)
                if name not in names
            ]
        elif not any(name.startswith(f"{known.name}/") for name in names):
            found.append(_of_set(known, f"{known.name}/…", None))
    return found


def entries() -> list[Entry]:
    """List every trace that can be named; of two folders that have one name the first counts."""
    found: dict[str, Entry] = {}
    for entry in [*_recordings(), *_stand_ins(), *_own_files()]:
        found.setdefault(entry.name, entry)
    return [*found.values(), *_public(list(found.values()))]


def matches(name: str, pattern: str) -> bool:
    """Whether a name, or what follows its last slash, is like a pattern, or has it in it.

    >>> [matches("bundled/sqlite", each) for each in ("bundled/*", "sqlite*", "sql", "mysql")]
    [True, True, True, False]
    """
    return pattern in name or any(fnmatch.fnmatch(each, pattern) for each in (name, name.rpartition("/")[2]))


def locate(name: str) -> Located | None:
    """Find what a name stands for; None if it is no name of the catalogue or its file is not here.

    Raises:
        InputError: if several files of one folder have this name.
    """
    return _located(name, {each.name: each for each in entries() if each.path is not None})


def locate_in(folder: Path, name: str) -> Located | None:
    """Find a trace of a public set in a folder that has one for each set, or is that of a set.

    Raises:
        InputError: if several files have this name.
    """
    head = f"{folder.name}/" if set_of_folder(folder.name) else ""
    found = _each_name_once(_own_file(f"{head}{rest}", path) for rest, path in trace_files(folder))
    return _located(name, {each.name: each for each in found})


def where_to_get(public_set: str) -> str:
    """Say where a public set comes from."""
    return next(f"{each.name}: {each.where}" for each in PUBLIC_SETS if each.name == public_set)


def _located(name: str, listed: Mapping[str, Entry]) -> Located | None:
    if name in listed:
        return Located(_only(name, listed[name]))
    known, device = set_of_name(name), device_in(name)
    if known and device:
        alike = [each for each in (f"{known.name}/{device}", f"{known.name}/ali{device}") if each in listed]
        if alike:
            return Located(_only(name, listed[alike[0]]))
        whole = listed.get(f"{known.name}/<device>")
        if whole:
            return Located(_only(name, whole), device)
    return None


def _only(name: str, entry: Entry) -> Path:
    if entry.also:
        files = " and ".join([str(entry.path), *entry.also])
        raise InputError(f"{name}: is the name of {files}; give the path of the one that is meant")
    return Path(str(entry.path))


def folders_note() -> str:
    """Give a line for a name that is not found, if folders to look in are missing; empty if none is."""
    gone = ", ".join(str(each) for each in missing_folders())
    return f"\n  {VARIABLE} names what is no folder here: {gone}" if gone else ""


def resolve(text: str | Path) -> Located:
    """Find what to open: a file, or else a trace of the catalogue.

    Raises:
        InputError: for a name of a public set whose file is not here (with where to get it), and for a name
        that is like one of the catalogue. Anything else is left to whoever opens it.
    """
    name = str(text)
    if "\0" in name:
        raise InputError(f"the trace {name!r}: no path has a zero character in it")
    try:
        if Path(name).exists():
            return Located(Path(name))
        if Path(name).is_symlink():
            raise InputError(f"{name}: is a link to {Path(name).readlink()}, which is not there")
    except OSError as error:
        # A folder that may not be looked into, a name that is too long.
        raise InputError(f"{name}: {error.strerror}") from None
    found = locate(name)
    if found is not None:
        return found
    known = set_of_name(name)
    if known is not None:
        raise InputError(_how_to_get(known, name) + folders_note())
    names = [each.name for each in entries() if each.path is not None]
    near = alike(name, names, most=3, cutoff=0.75)
    # "hm_0" for "msr-like/hm_0", and "dbenc" for "bundled/dbench".
    last = {each: each.rpartition("/")[2] for each in names}
    last_alike = alike(name, dict.fromkeys(last.values()), most=2, cutoff=0.75)
    near = [each for each in names if last[each] == name] or near
    near = near or [each for each in names if last[each] in last_alike][:3]
    if near:
        raise InputError(
            f"{name}: no such file, and no trace of that name{did_you_mean(near, quote='')} "
            f"See reclaim trace list{folders_note()}"
        )
    return Located(Path(name))


def places(names: Iterable[str]) -> dict[str, tuple[str, str | None]]:
    """Find the traces that are named otherwise than by the path of a file: file, and device to take from it.

    Raises:
        InputError: as `resolve`.
    """
    found = {name: resolve(name) for name in names}
    return {name: (str(each.path), each.device) for name, each in found.items() if str(each.path) != name}


def _how_to_get(known: PublicSet, name: str) -> str:
    folders = [each for each in user_folders() if each.is_dir()] or user_folders()
    where = f"into {folders[0]}" if folders else f"into a folder, name that in {VARIABLE}"
    lines = [
        f"{name}: is of a public set that is not part of this project, and its file is not here",
        f"  what: {known.about}",
        f"  where to get it: {known.where}",
        f"  terms: {known.terms}",
        f"  then put its files {where}, as in {known.example}",
    ]
    if known.stand_ins:
        rest = name.partition("/")[2]
        wanted = f"{known.stand_ins}/{rest}"
        names = [each.name for each in _stand_ins()]
        # The volume itself, if it is there, before the parts of it that single papers used.
        named = [each for each in names if each == wanted]
        named += [each for each in names if each.startswith(f"{wanted}-")]
        lines += [f"  a synthetic stand-in comes with this program: {each}" for each in named]
    if known.traces and name.partition("/")[2] not in known.traces:
        near = alike(name.partition("/")[2], known.traces)
        hint = did_you_mean((f"{known.name}/{each}" for each in near), quote="")
        lines[0] = f"{name}: no trace of that name{hint}; the set has {', '.join(known.traces)}"
    return "\n".join(lines)
