"""Runs points on the workers of a Dask scheduler; their files come back as bytes and are stored here."""

from __future__ import annotations

import contextlib
import threading
import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

from reclaim import builds, input_file
from reclaim.errors import InputError
from reclaim.experiment.task import Task
from reclaim.result.sets.packed import texts
from reclaim.study.alone import Parcel, packed
from reclaim.study.local import STORED, TELL_SECONDS, Failed, entry
from reclaim.study.on_worker import Answer, content, work
from reclaim.study.store import Packed, Store
from reclaim.study.study import Meter, RunOptions

CONNECT_SECONDS = 20
MOST_SENT = 256 << 20
"""Bytes of a file that is sent to workers; a larger one must be at the same path there."""
MISSING = 'the extra "dask" is not installed; pip install "reclaim[dask]"'


def _client(address: str) -> Any:
    try:
        import distributed
    except ImportError:
        raise InputError(f"--dask {address}: {MISSING}") from None
    untyped: Any = distributed
    try:
        return untyped.Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        raise InputError(
            f"--dask {address}: no scheduler answers there ({error}); give tcp://HOST:PORT as it prints it"
        ) from None


class _Sender:
    """Sends files along with points, each once."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._sent: dict[str, Any] = {}

    def files(self, paths: Sequence[str]) -> dict[str, Any]:
        """Give what stands for the files at these paths where points are run."""
        for path in paths:
            if path not in self._sent and Path(path).stat().st_size <= MOST_SENT:
                data = input_file.data(path)
                key = f"reclaim-file-{blake2b(data, digest_size=16).hexdigest()}"
                with warnings.catch_warnings():
                    # That it is large is known.
                    warnings.simplefilter("ignore", UserWarning)
                    self._sent[path] = self._client.submit(content, data, key=key)
        return {path: self._sent[path] for path in paths if path in self._sent}

    def code(self, task: Task) -> list[str]:
        """Give the files that policies of one's own follow from.

        Raises:
            InputError: for one that is too large to be sent.
        """
        files = task.drive.code_files()
        for each in files:
            if each.stat().st_size > MOST_SENT:
                raise InputError(
                    f"--dask: {each}: a policy reads it, and files above {MOST_SENT >> 20} MiB are not sent; "
                    "run the sweep without --dask"
                )
        return [str(each) for each in files]


def _trace_file(task: Task) -> str:
    """The file behind a trace; empty for one that is generated."""
    made = task.trace._made  # noqa: SLF001 - how a trace is made again is what has to be sent
    if made is None or made[1][0] != "open":
        return ""
    # The path is absolute in what is used to make it again.
    return str(made[1][1][0])


@dataclass(frozen=True)
class Cluster:
    """Where points are run."""

    address: str
    """Of the scheduler."""
    accept: tuple[str, ...] = ()
    """Other builds whose workers may run some."""
    timeout: float = RunOptions.worker_timeout
    """Seconds without a word after which a worker is given up."""


@dataclass(frozen=True)
class _Sent:
    """A point on its way."""

    task: Task
    parcel: Parcel
    files: dict[str, Any]
    trace: str
    """Which of the files is the trace; empty if it is not among them."""
    alone: bool
    """Whether it is run in a process of its own."""

    def submit(self, client: Any) -> Any:
        key = f"reclaim-{self.task.id}{'-alone' if self.alone else ''}"
        return client.submit(work, self.parcel, self.files, self.trace, alone=self.alone, key=key, pure=False)


def _install() -> str:
    return f"install there the same, build {builds.build()}"


def _of_another_build(worker: str, build: str, cluster: Cluster) -> InputError:
    return InputError(
        f"--dask {cluster.address}: {worker} runs build {build}, and this is build {builds.build()}: their "
        f"figures may differ; {_install()}, or give --accept-build {build} to let it take part"
    )


def run_on_dask(cluster: Cluster, tasks: Sequence[Task], store: Store, meter: Meter, failed: Failed) -> None:
    """Run points on a cluster; a point whose worker is lost is run again by another.

    Raises:
        InputError: if no scheduler answers, a worker runs another build, or the folder cannot be written.
        KeyboardInterrupt: what had come back is stored.
    """
    client = _client(cluster.address)
    try:
        sender = _Sender(client)
        waiting: dict[Any, _Sent] = {}
        for task in tasks:
            trace = _trace_file(task)
            parcel = packed(task, cluster.accept)
            paths = [str(path.absolute()) for path in task.drive.files()] + ([trace] if trace else [])
            sent = sender.files([*paths, *sender.code(task)])
            point = _Sent(task, parcel, sent, trace if trace in sent else "", task.alone)
            waiting[point.submit(client)] = point
        _Gathering(client, cluster, waiting, store, meter, failed).go()
    finally:
        client.close()


class _Gathering:
    """Stores what comes back, in whatever order."""

    def __init__(
        self,
        client: Any,
        cluster: Cluster,
        waiting: dict[Any, _Sent],
        store: Store,
        meter: Meter,
        failed: Failed,
    ) -> None:
        self._client = client
        self._cluster = cluster
        self._waiting = waiting
        self._store = store
        self._meter = meter
        self._failed = failed
        self._began = time.time()

    def go(self) -> None:
        """Store all of it."""
        import distributed

        untyped: Any = distributed
        arriving = untyped.as_completed(list(self._waiting), loop=self._client.loop)
        ended_all = threading.Event()
        # Apart: to fetch what a worker has that has stopped would wait for it.
        watching = threading.Thread(target=self._watch, args=(ended_all,), daemon=True)
        watching.start()
        try:
            while self._waiting:
                ended = _next(arriving)
                if ended is not None:
                    point = self._waiting.pop(ended)
                    again = self._take(ended, point)
                    if again is not None:
                        self._waiting[again] = replace(point, alone=True)
                        arriving.add(again)
                    ended.release()
                self._meter.tell(tuple(each.task.label for each in list(self._waiting.values())[:1]))
        finally:
            ended_all.set()
            self._client.cancel(list(self._waiting))
            watching.join()

    def _watch(self, ended: threading.Event) -> None:
        """Have workers given up that say nothing; others then run their points."""
        timeout = self._cluster.timeout
        while not ended.wait(timeout / 4):
            # Where the scheduler refuses that, its own time holds.
            with contextlib.suppress(Exception):
                for worker in self._client.run_on_scheduler(_giving_up(timeout)):
                    self._meter.notes.append(f"{worker} said nothing for {timeout:g} s: it is given up")

    def _take(self, ended: Any, point: _Sent) -> Any:
        """Store a point, or note why it failed; or give it anew, alone, if its workers were lost."""
        answer: Answer | None = None
        lost = False
        try:
            answer = ended.result()
            error = answer.error
        except ImportError:
            # What is raised by a point itself comes back as an answer.
            told = "a worker has a version of Reclaim that does not name its build, or none"
            raise InputError(f"--dask {self._cluster.address}: {told}; {_install()}") from None
        except Exception as raised:  # noqa: BLE001 - whatever a cluster raises is the failure of one point
            lost = type(raised).__name__ == "KilledWorker"
            if lost and not point.alone:
                # It, or one beside it, has ended them: alone it can end nothing else.
                return replace(point, alone=True).submit(self._client)
            error = f"{type(raised).__name__}: {raised}"
        task = point.task
        if answer is not None and answer.worker:
            raise _of_another_build(f"worker {answer.worker}", answer.build, self._cluster)
        if answer is None or error:
            died = lost if answer is None else answer.died
            self._failed(task.id, error)
            self._meter.failed += 1
            self._store.log(entry(task.id, "dask", self._began, 0.0, error, died=died))
            return None
        note = entry(task.id, "dask", self._began, answer.seconds, STORED, build=answer.build)
        if self._store.packs_with(task.record):
            self._store.pack([Packed(task.id, texts(answer.files), note)])
        else:
            with self._store.beginning(task.id) as folder:
                for name, data in answer.files.items():
                    (folder / name).write_bytes(data)
            self._store.commit(task.id, folder, note)
        self._meter.stored()
        return None


def _giving_up(timeout: float) -> Any:
    """Give what a scheduler runs to give workers up; it goes there by value, as Reclaim need not be there."""

    async def give_up(dask_scheduler: Any) -> list[str]:
        from time import time

        now = time()
        silent = [each.address for each in dask_scheduler.workers.values() if now - each.last_seen > timeout]
        for address in silent:
            await dask_scheduler.remove_worker(address, stimulus_id=f"reclaim-silent-{now}")
        return silent

    return give_up


def _next(arriving: Any) -> Any:
    """Give a point that ended; None if none did for a moment."""
    deadline = time.monotonic() + TELL_SECONDS
    while time.monotonic() < deadline:
        if arriving.has_ready():
            return next(arriving)
        time.sleep(0.02)
    return None
