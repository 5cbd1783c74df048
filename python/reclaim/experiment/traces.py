"""The traces of an experiment: each is opened and read once, however many points play it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from reclaim import input_file
from reclaim.checksums import checksum
from reclaim.device import Device
from reclaim.errors import InputError
from reclaim.experiment.parts import TraceEntry
from reclaim.trace.catalogue import locate, places, resolve
from reclaim.trace.generate import generate_trace
from reclaim.trace.opening import open_trace
from reclaim.trace.trace import Trace
from reclaim.trace.transforms import OPENING

HASH_BYTES = 32
_OF_GENERATED: dict[tuple[str, str], dict[str, Any]] = {}
"""What is in generated traces, by name and description: the experiments of a paper share them."""


def _summary(trace: Trace) -> dict[str, Any]:
    if trace.description is None:
        # A file may have changed.
        return trace.summary()
    key = (trace.name, trace.description)
    if key not in _OF_GENERATED:
        _OF_GENERATED[key] = trace.summary()
    return _OF_GENERATED[key]


class Traces:
    """Opens traces and knows what is in them."""

    def __init__(self, base: Path) -> None:
        self._base = base
        self._opened: dict[tuple[str, str], Trace] = {}
        self._failed: dict[tuple[str, str], InputError] = {}
        self._summaries: dict[int, dict[str, Any]] = {}
        self._hash = cache(_hash)
        self._merged: dict[tuple[int, str], InputError | None] = {}
        """What is wrong with the traces that are merged into one, by its `id()` and how."""
        self._find, self._is_generated = cache(self._find_source), cache(self._is_generated_source)

    def open(self, entry: TraceEntry, drive: Device, config: Mapping[str, Any]) -> Trace:
        """Open a trace as the `[trace]` section of a drive says.

        Raises:
            InputError: if it cannot be opened or read, or is not where the experiment says.
        """
        how = {key: config["trace"][key] for key in OPENING if key in config["trace"]}
        key = (entry.name, json.dumps(how, sort_keys=True))
        if key in self._failed:
            raise self._failed[key]
        if key not in self._opened:
            try:
                trace = self._open(entry, drive)
                self._summaries[id(trace)] = _summary(trace)
                self._opened[key] = trace
            except InputError as error:
                self._failed[key] = error
                raise
        return self._opened[key]

    def requests_to_make(self, entry: TraceEntry) -> int:
        """How many requests are made before anything is known of a trace; 0 if it is read, or known."""
        requests = (entry.generate or {}).get("requests")
        return requests if isinstance(requests, int) and not self.is_open(entry) else 0

    def is_open(self, entry: TraceEntry) -> bool:
        """Whether a trace was opened for some drive."""
        return any(name == entry.name for name, _ in self._opened)

    def is_generated(self, entry: TraceEntry) -> bool:
        """Whether a trace is generated, so that there are other draws of it; no for one that is not there."""
        return entry.generate is not None or self._is_generated(entry.source)

    def _is_generated_source(self, source: str) -> bool:
        try:
            return open_trace(self._find(source)).description is not None
        except InputError:
            # What is wrong comes out when the trace is opened as the drive says.
            return False

    def look(self, entry: TraceEntry) -> None:
        """See that a trace is there, or can be generated.

        Raises:
            InputError: if not.
        """
        if entry.generate is not None:
            generate_trace(name=entry.name, **entry.generate)
        else:
            self.place(entry)

    def _open(self, entry: TraceEntry, drive: Device) -> Trace:
        if entry.generate is not None:
            return generate_trace(name=entry.name, **entry.generate)
        return drive.open_trace(self.place(entry))

    def place(self, entry: TraceEntry) -> str:
        """Say what to open: a file beside the experiment, or else a name of the catalogue.

        Raises:
            InputError: if it is neither; a file of the present folder is none: an experiment means the
                same wherever it is started.
        """
        return self._find(entry.source)

    def _find_source(self, source: str) -> str:
        beside = self._base / source
        try:
            if not (beside.is_dir() and locate(source) is not None) and input_file.is_there(beside):
                return str(beside)
        except OSError as error:
            # Longer than any name of a file.
            raise InputError(f"{source}: {error.strerror or error}") from None
        if locate(source) is None:
            if not Path(source).exists():
                # Says what was probably meant, or where a public trace is to be had.
                resolve(source)
            raise InputError(f"{source}: no such file ({beside}), and no trace of that name")
        return source

    def summary(self, trace: Trace) -> dict[str, Any]:
        """Give what reading the trace has told."""
        return self._summaries[id(trace)]

    def summaries(self) -> dict[int, dict[str, Any]]:
        """Give the same of all traces that are open, by their `id()`."""
        return dict(self._summaries)

    def merged(self, drive: Device, config: Mapping[str, Any], trace: Trace) -> list[str]:
        """Give hashes of the files that a drive merges into its trace, once all of them were read.

        Raises:
            InputError: if one cannot be read.
        """
        names = drive.merged_files()
        if not names:
            return []
        steps = {key: config["trace"][key] for key in ("merge", "separate")}
        key = (id(trace), json.dumps(steps, sort_keys=True))
        if key not in self._merged:
            try:
                trace.transformed(**steps).summary()
                self._merged[key] = None
            except InputError as error:
                self._merged[key] = error
        if (fault := self._merged[key]) is not None:
            raise fault
        found = places(names)
        return [self._hash(found[name][0] if name in found else name) for name in names]


def _hash(file: str) -> str:
    try:
        return checksum(Path(file), HASH_BYTES)
    except OSError as error:
        raise InputError(f"{file}: {error.strerror or error}") from None
