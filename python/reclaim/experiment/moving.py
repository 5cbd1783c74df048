"""Files that a table of an experiment names, as seen from another folder than that of its file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from reclaim.errors import InputError
from reclaim.experiment.values import MERGE, policy_moved
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
