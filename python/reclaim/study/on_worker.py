"""What a worker of a cluster does: runs a point from bytes and answers with the bytes of its files."""

from __future__ import annotations

import tempfile
import threading
import time
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

from reclaim import builds, input_file
from reclaim.experiment.task import DiedError, Task, into, is_failure, memory_budget, reason, run
from reclaim.study.alone import Order, Parcel, run_alone, unpacked

STATES_KEPT = 8
"""Warm-up states that a worker keeps at most."""


@dataclass(frozen=True)
class Answer:
    """What came of it."""

    files: dict[str, bytes]
    error: str
    seconds: float
    build: str = field(default_factory=builds.build)
    """That ran it."""
    worker: str = ""
    """Its address, if it was not run, as that build is another one."""
    died: bool = False
    """Whether it ended a process of its own."""


class _Place:
    """What a worker process keeps from point to point: files that came with them, states, traces."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="reclaim-worker-", dir=_scratch()))
        self._lock = threading.Lock()
        self._states: OrderedDict[str, threading.Lock] = OrderedDict()

    def file(self, path: str, content: bytes) -> Path:
        """Give a file with this content and the name and neighbours that `path` has at home."""
        place = self.folder / "files" / path.lstrip("/")
        with self._lock:
            if not place.is_file() or _hash(input_file.data(place)) != _hash(content):
                place.parent.mkdir(parents=True, exist_ok=True)
                partial = place.with_name(f".{place.name}")
                partial.write_bytes(content)
                partial.replace(place)
        return place

    def state(self, key: str) -> tuple[Path, threading.Lock]:
        """Give where a state is kept, and what to hold while it is made."""
        with self._lock:
            lock = self._states.setdefault(key, threading.Lock())
            self._states.move_to_end(key)
            while len(self._states) > STATES_KEPT:
                old, _ = self._states.popitem(last=False)
                (self.folder / f"{old}.state").unlink(missing_ok=True)
        return self.folder / f"{key}.state", lock


def _hash(content: bytes) -> bytes:
    return blake2b(content).digest()


def _worker() -> Any:
    from distributed import get_worker

    return get_worker()


def _scratch() -> str | None:
    """The folder that the cluster clears when a worker ends; None outside of one."""
    try:
        return str(_worker().local_directory)
    except (ImportError, ValueError):
        return None


@lru_cache(maxsize=1)
def _place() -> _Place:
    return _Place()


def content(data: bytes) -> bytes:
    """Give a file to the points that need it: when a worker is lost, the cluster does that once more."""
    return data


def work(parcel: Parcel, files: Mapping[str, bytes], trace_file: str, *, alone: bool = False) -> Answer:
    """Run a point.

    Args:
        parcel: the point.
        files: files by their paths at home; what is not among them is at the same path here.
        trace_file: which of them is the trace; empty if none.
        alone: run it in a process of its own: it may have ended workers.
    """
    if not any(builds.same(builds.build(), each) for each in (parcel.build, *parcel.accepted)):
        return Answer({}, "", 0.0, worker=_worker().address)
    try:
        return _work(parcel, files, trace_file, alone=alone)
    except BaseException as error:
        if not is_failure(error):
            raise
        return Answer({}, reason(error), 0.0, died=isinstance(error, DiedError))


def _work(parcel: Parcel, files: Mapping[str, bytes], trace_file: str, *, alone: bool) -> Answer:
    place = _place()
    here = {path: str(place.file(path, data)) for path, data in files.items()}
    trace = here.get(trace_file, "")
    with tempfile.TemporaryDirectory(dir=place.folder) as name:
        folder = Path(name)
        if alone:
            began = time.monotonic()
            if failed := run_alone(
                Order(replace(parcel, state=""), here, trace, folder, memory_budget(None))
            ):
                return Answer({}, failed, 0.0)
            seconds = time.monotonic() - began
        else:
            with unpacked(parcel, here, trace) as task:
                seconds = _run(task, folder, place)
        return Answer({each.name: input_file.data(each) for each in sorted(folder.iterdir())}, "", seconds)


def _run(task: Task, folder: Path, place: _Place) -> float:
    """Run a point from its state: the first on this worker makes it, others wait for that."""
    if not task.state:
        return run(task, into(folder))
    state, lock = place.state(task.state)
    lock.acquire()
    held = True

    def release(*_: Any) -> None:
        nonlocal held
        if held:
            held = False
            lock.release()

    try:
        if state.is_file():
            release()
            return run(task, into(folder), load=state)
        return run(task, into(folder), save=state, warmed=release)
    finally:
        release()
