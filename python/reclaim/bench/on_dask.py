"""Runs points on the workers of a Dask scheduler; their files come back as bytes and are stored here."""

from __future__ import annotations

import pickle
import time
import warnings
from collections.abc import Callable, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

from reclaim import _core
from reclaim.bench.local import STORED, TELL_SECONDS, Failed, entry
from reclaim.bench.on_worker import Answer, Parcel, content, work
from reclaim.bench.progress import Meter
from reclaim.bench.store import Store
from reclaim.bench.task import Task
from reclaim.errors import InputError

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
                data = Path(path).read_bytes()
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


def _parcel(task: Task) -> Parcel:
    drive = task.drive
    source = str(Path(drive.source).absolute()) if drive.files() else drive.source
    trace = pickle.dumps(task.trace._made)  # noqa: SLF001
    made = (source, drive.schemes, drive.settings, drive.own)
    policies = {named: str(file) for named, file in drive.policy_files().items()}
    return Parcel(_core.__version__, task.id, task.label, made, policies, trace, task.record, task.state)


def run_on_dask(address: str, tasks: Sequence[Task], store: Store, meter: Meter, failed: Failed) -> None:
    """Run points on a cluster; a point whose worker is lost is run again by another.

    Raises:
        InputError: if no scheduler answers, or the folder cannot be written.
        KeyboardInterrupt: what had come back is stored.
    """
    client = _client(address)
    try:
        sender = _Sender(client)
        waiting: dict[Any, Task] = {}
        for task in tasks:
            trace = _trace_file(task)
            parcel = _parcel(task)
            paths = [str(path.absolute()) for path in task.drive.files()] + ([trace] if trace else [])
            sent = sender.files([*paths, *sender.code(task)])
            future = client.submit(
                work,
                parcel,
                sent,
                trace if trace in sent else "",
                key=f"reclaim-{task.id}",
                pure=False,
            )
            waiting[future] = task
        _gather(client, waiting, store, meter, failed)
    finally:
        client.close()


def _gather(client: Any, waiting: dict[Any, Task], store: Store, meter: Meter, failed: Failed) -> None:
    """Store what comes back, in whatever order."""
    import distributed

    untyped: Any = distributed
    began = time.time()
    arriving = untyped.as_completed(list(waiting), loop=client.loop)
    try:
        while waiting:
            ended = _next(arriving)
            if ended is not None:
                _store(ended, waiting.pop(ended), store, meter, failed, began)
                ended.release()
            meter.tell(tuple(task.label for task in list(waiting.values())[:1]))
    finally:
        client.cancel(list(waiting))


def _next(arriving: Any) -> Any:
    """Give a point that ended; None if none did for a moment."""
    deadline = time.monotonic() + TELL_SECONDS
    while time.monotonic() < deadline:
        if arriving.has_ready():
            return next(arriving)
        time.sleep(0.02)
    return None


def _store(
    ended: Any, task: Task, store: Store, meter: Meter, failed: Callable[[str, str], object], began: float
) -> None:
    answer: Answer | None = None
    try:
        answer = ended.result()
        error = answer.error
    except Exception as raised:  # noqa: BLE001 - whatever a cluster raises is the failure of one point
        error = f"{type(raised).__name__}: {raised}"
    if answer is None or error:
        failed(task.id, error)
        meter.failed += 1
        store.log(entry(task.id, "dask", began, 0.0, error))
        return
    with store.beginning(task.id) as folder:
        for name, data in answer.files.items():
            (folder / name).write_bytes(data)
    files = store.commit(task.id, folder)
    meter.done += 1
    store.log(entry(task.id, "dask", began, answer.seconds, STORED, files))
