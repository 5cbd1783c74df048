"""What a worker of a cluster does: runs a point from bytes and answers with the bytes of its files."""

from __future__ import annotations

import pickle
import tempfile
import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

from reclaim import _core, input_file
from reclaim.bench.local import is_failure, reason
from reclaim.bench.parts import Record
from reclaim.bench.task import Task, run
from reclaim.device import Device
from reclaim.policies.places import sent
from reclaim.traces.trace import Trace

STATES_KEPT = 8
"""Warm-up states that a worker keeps at most."""


@dataclass(frozen=True)
class Parcel:
    """A point on its way: nothing in it opens a file where it is unpacked."""

    version: str
    """Of Reclaim, which must be the same on both sides."""
    id: str
    label: str
    device: tuple[str, tuple[str, ...], tuple[tuple[str, str], ...], tuple[str, ...]]
    policies: Mapping[str, str]
    """Files of policies of one's own at home, by the names of the policies."""
    trace: bytes
    """How the trace is made, pickled."""
    record: Record
    state: str


@dataclass(frozen=True)
class Answer:
    """What came of it."""

    files: dict[str, bytes]
    error: str
    seconds: float


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


def _scratch() -> str | None:
    """The folder that the cluster clears when a worker ends; None outside of one."""
    try:
        from distributed import get_worker

        return str(get_worker().local_directory)
    except (ImportError, ValueError):
        return None


@lru_cache(maxsize=1)
def _place() -> _Place:
    return _Place()


@lru_cache(maxsize=16)
def _trace(pickled: bytes, path: str) -> Trace:
    """Make a trace once for all points that play it; `path` is where its file is here, if it has one."""
    make, arguments = pickle.loads(pickled)  # noqa: S301 - from the client that the worker serves anyway
    if path:
        how, (_, *rest), again, _ = arguments
        arguments = (how, (path, *rest), again, (Path(path),))
    made: Trace = make(*arguments)
    return made


def content(data: bytes) -> bytes:
    """Give a file to the points that need it: when a worker is lost, the cluster does that once more."""
    return data


def work(parcel: Parcel, files: Mapping[str, bytes], trace_file: str) -> Answer:
    """Run a point.

    Args:
        parcel: the point.
        files: files by their paths at home; what is not among them is at the same path here.
        trace_file: which of them is the trace; empty if none.
    """
    if parcel.version != _core.__version__:
        told = f"the worker has Reclaim {_core.__version__}, and the sweep {parcel.version}"
        return Answer({}, f"{told}; install the same one", 0.0)
    try:
        return _work(parcel, files, trace_file)
    except BaseException as error:
        if not is_failure(error):
            raise
        return Answer({}, reason(error), 0.0)


def _work(parcel: Parcel, files: Mapping[str, bytes], trace_file: str) -> Answer:
    place = _place()
    here = {path: str(place.file(path, data)) for path, data in files.items()}
    policies = {
        named: (Path(path), Path(here[path])) for named, path in parcel.policies.items() if path in here
    }
    with sent(policies), tempfile.TemporaryDirectory(dir=place.folder) as name:
        source, schemes, settings, own = parcel.device
        drive = Device(here.get(source, source), schemes, settings, own)
        trace = _trace(parcel.trace, here.get(trace_file, ""))
        task = Task(parcel.id, parcel.label, drive, trace, parcel.record, parcel.state, 0)
        folder = Path(name)
        seconds = _run(task, folder, place)
        return Answer({each.name: input_file.data(each) for each in sorted(folder.iterdir())}, "", seconds)


def _run(task: Task, folder: Path, place: _Place) -> float:
    """Run a point from its state: the first on this worker makes it, others wait for that."""
    if not task.state:
        return run(task, folder)
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
            return run(task, folder, load=state)
        return run(task, folder, save=state, warmed=release)
    finally:
        release()
