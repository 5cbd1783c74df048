"""A point on its way to another process, here or elsewhere."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from reclaim import _core, builds
from reclaim.bench.parts import Record
from reclaim.bench.task import Task
from reclaim.device import Device
from reclaim.policies.files import changed
from reclaim.policies.places import sent
from reclaim.traces.trace import Trace


@dataclass(frozen=True)
class Parcel:
    """A point on its way: nothing in it opens a file where it is unpacked."""

    version: str
    """Of Reclaim, with its build: what compares versions alone refuses it."""
    build: str
    """That sends it."""
    accepted: tuple[str, ...]
    """Other builds that may run it."""
    id: str
    label: str
    device: tuple[str, tuple[str, ...], tuple[tuple[str, str], ...], tuple[str, ...]]
    code: tuple[tuple[str, str], ...]
    """Policies of one's own, and the digests of what they are at home."""
    policies: Mapping[str, str]
    """Files of policies of one's own at home, by the names of the policies."""
    trace: bytes
    """How the trace is made, pickled."""
    record: Record
    state: str


def packed(task: Task, accepted: tuple[str, ...] = ()) -> Parcel:
    """Pack a point."""
    drive = task.drive
    source = str(Path(drive.source).absolute()) if drive.files() else drive.source
    build = builds.build()
    return Parcel(
        version=f"{_core.__version__} of build {build}",
        build=build,
        accepted=accepted,
        id=task.id,
        label=task.label,
        device=(source, drive.schemes, drive.settings, drive.own),
        code=tuple(drive.own_policies()),
        policies={named: str(file) for named, file in drive.policy_files().items()},
        # How a trace is made again is what has to be sent.
        trace=pickle.dumps(task.trace._made),  # noqa: SLF001
        record=task.record,
        state=task.state,
    )


@contextmanager
def unpacked(parcel: Parcel, here: Mapping[str, str], trace: str) -> Iterator[Task]:
    """Make the point again, to be run while this is open.

    Args:
        parcel: the point.
        here: where files are by their paths at home; what is not among them is at the same path here.
        trace: where the file of the trace is, if it is among them.
    """
    policies = {
        named: (Path(path), Path(here[path])) for named, path in parcel.policies.items() if path in here
    }
    with sent(policies):
        source, schemes, settings, own = parcel.device
        drive = Device(here.get(source, source), schemes, settings, own)
        for (function, was), (_, now) in zip(parcel.code, drive.own_policies(), strict=True):
            if was != now:
                raise changed(Path(function.rpartition(":")[0]), was, now)
        made = _trace(parcel.trace, trace)
        yield Task(parcel.id, parcel.label, drive, made, parcel.record, parcel.state, 0)


@lru_cache(maxsize=16)
def _trace(pickled: bytes, path: str) -> Trace:
    """Make a trace once for all points that play it; `path` is where its file is here, if it has one."""
    make, arguments = pickle.loads(pickled)  # noqa: S301 - from the client that the worker serves anyway
    if path:
        how, (_, *rest), again, _ = arguments
        arguments = (how, (path, *rest), again, (Path(path),))
    made: Trace = make(*arguments)
    return made
