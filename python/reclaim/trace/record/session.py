"""One recording from beginning to end, with every step undone on every way out."""

from __future__ import annotations

import contextlib
import gzip
import os
import shlex
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn, TextIO

from reclaim import _core, output_file
from reclaim.errors import InputError
from reclaim.trace.record.events import Event, parse
from reclaim.trace.record.plan import DIRTY_BYTES, RecordingPlan
from reclaim.trace.record.tracing import Tracing

GRACE_S = 10.0
"""How long a command may take to end when it is told to."""
UMOUNT_TRIES = 30


@dataclass(frozen=True)
class Recording:
    """What came of it."""

    output: Path
    requests: int
    lost: int
    """Events that the kernel's buffer had no room for: above 0, the trace has gaps."""
    exit_code: int
    """Of the command; negative if a signal ended it."""
    interrupted: bool
    """Whether it was stopped by Ctrl-C or a termination signal; the trace up to then is kept."""


class _Stopped(Exception):  # noqa: N818 - nobody outside sees it
    """A termination signal came."""


def record(plan: RecordingPlan, *, say: Callable[[str], object] = lambda _: None) -> Recording:
    """Carry out a recording; ask `requirements.missing` first.

    Args:
        plan: what to record.
        say: called with a line on every step.

    Raises:
        InputError: if a step fails; everything before it has been undone.
    """
    with ExitStack() as undo:
        undo.enter_context(_signals_as_exceptions())
        undo.enter_context(output_file.folder_made(plan.output.absolute().parent))
        device, minor = _device(plan, undo, say)
        text = plan.folder / f".{plan.output.name}.events"
        undo.callback(text.unlink, missing_ok=True)
        spare = plan.folder / f".{plan.output.name}.tracefs"
        tracing = undo.enter_context(Tracing(7, minor, text, buffer_kib=plan.buffer_kib, spare_mount=spare))
        began = time.time()
        with ExitStack() as mounted:
            _mount(plan, device, mounted, say)
            exit_code, interrupted = _run(plan, mounted, say)
            # A second Ctrl-C must not leave the device mounted or the trace unwritten.
            mounted.enter_context(_no_signals())
        with _no_signals():
            tracing.stop()
            lost = tracing.lost()
            requests = _write(plan, text, tracing.origin_ns, lost=lost, began=began, exit_code=exit_code)
    return Recording(plan.output, requests, lost, exit_code, interrupted)


@contextlib.contextmanager
def _signals_as_exceptions() -> Iterator[None]:
    def stop(_number: int, _frame: FrameType | None) -> NoReturn:
        raise _Stopped

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    # Under nohup, a terminal that hangs up ends nothing.
    answered = [
        each for each in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(each) is not signal.SIG_IGN
    ]
    before = {each: signal.signal(each, stop) for each in answered}
    try:
        yield
    except _Stopped:
        raise KeyboardInterrupt from None
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


@contextlib.contextmanager
def _no_signals() -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {
        each: signal.signal(each, signal.SIG_IGN) for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    }
    try:
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


def _do(words: list[str]) -> str:
    done = subprocess.run(words, capture_output=True, text=True, check=False)  # noqa: S603 - our own words
    if done.returncode:
        raise InputError(f"{shlex.join(words)}: {done.stderr.strip() or f'exit code {done.returncode}'}")
    return done.stdout.strip()


def _device(plan: RecordingPlan, undo: ExitStack, say: Callable[[str], object]) -> tuple[str, int]:
    say(f"making a device of {plan.size_bytes >> 20} MiB")
    with plan.image.open("xb") as image:
        undo.callback(plan.image.unlink, missing_ok=True)
        image.truncate(plan.size_bytes)
    device = _do(plan.losetup())
    undo.callback(_do, ["losetup", "--detach", device])
    _do(plan.mkfs(device))
    minor = os.minor(Path(device).stat().st_rdev)
    limits = Path(f"/sys/class/bdi/7:{minor}")
    # Kernels before 6.2 have no limit in bytes: then the whole machine's holds.
    with contextlib.suppress(OSError):
        (limits / "strict_limit").write_text("1")
        (limits / "max_bytes").write_text(str(DIRTY_BYTES))
    return device, minor


def _mount(plan: RecordingPlan, device: str, undo: ExitStack, say: Callable[[str], object]) -> None:
    plan.mount_point.mkdir()
    undo.callback(plan.mount_point.rmdir)
    _do(plan.mount(device))
    undo.callback(_umount, plan.mount_point)
    say(f"mounted at {plan.mount_point}")


def _umount(place: Path) -> None:
    for left in reversed(range(UMOUNT_TRIES)):
        try:
            _do(["umount", str(place)])
        except InputError:
            if not left:
                raise
            time.sleep(1)
        else:
            return


def _run(plan: RecordingPlan, undo: ExitStack, say: Callable[[str], object]) -> tuple[int, bool]:
    """Run the command; its exit code, and whether it was stopped from outside."""
    if plan.drop_cache_s:
        done = threading.Event()
        dropper = threading.Thread(target=_drop_cache, args=(plan, done), daemon=True)
        dropper.start()
        undo.callback(dropper.join)
        undo.callback(done.set)
    say(f"running {shlex.join(plan.words())}")
    environment = os.environ | {"RECLAIM_MOUNT": str(plan.mount_point)}
    try:
        child = subprocess.Popen(  # noqa: S603 - the user's own command
            plan.words(), cwd=plan.mount_point, env=environment, start_new_session=True
        )
    except OSError as error:
        raise InputError(f"{plan.command[0]}: cannot be run: {error.strerror}") from None
    interrupted = False
    try:
        child.wait()
    except (KeyboardInterrupt, _Stopped):
        interrupted = True
        with _no_signals():
            say("stopping the command")
            _end(child)
    # What it left running would keep the file system busy.
    with _no_signals(), contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGTERM)
    say("writing back and unmounting")
    with contextlib.suppress(InputError):
        _do(["sync", "--file-system", str(plan.mount_point)])
    return child.returncode, interrupted


def _end(child: subprocess.Popen[Any]) -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, number)
        try:
            child.wait(timeout=GRACE_S)
        except subprocess.TimeoutExpired:
            continue
        else:
            return


def _drop_cache(plan: RecordingPlan, done: threading.Event) -> None:
    """Drop what the page cache holds of the device's files, again and again."""
    while not done.wait(plan.drop_cache_s):
        for where, _, names in os.walk(plan.mount_point):
            for name in names:
                with contextlib.suppress(OSError):
                    file = os.open(
                        Path(where) / name, os.O_RDONLY | os.O_NOATIME | os.O_NOFOLLOW | os.O_NONBLOCK
                    )
                    try:
                        os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
                    finally:
                        os.close(file)


def _write(
    plan: RecordingPlan, text: Path, origin_ns: int, *, lost: int, began: float, exit_code: int
) -> int:
    """Write the events in order of time, and what they are at the end; the number of requests."""
    events: list[Event] = []
    gaps = 0
    with text.open(encoding="utf-8", errors="replace") as lines:
        for found in parse(lines):
            if isinstance(found, Event):
                events.append(found)
            else:
                gaps += found
    events.sort()
    with output_file.whole(plan.output) as partial, _opened(partial) as out:
        for number, event in enumerate(events, 1):
            out.write(event.line(number, origin_ns) + "\n")
        out.write("\n".join(provenance(plan, len(events), max(lost, gaps), began, exit_code)) + "\n")
    return len(events)


def _opened(path: Path) -> TextIO:
    if path.suffix == ".gz":
        return gzip.open(path, "wt", encoding="utf-8")
    return path.open("w", encoding="utf-8")


def provenance(plan: RecordingPlan, requests: int, lost: int, began: float, exit_code: int) -> list[str]:
    """Write down how the trace came about, behind the line with which blkparse begins its summary."""
    kernel = os.uname()
    cache = f"dropped every {plan.drop_cache_s:g} s" if plan.drop_cache_s else "as the kernel keeps it"
    return [
        f"Total (recorded by reclaim trace record, Reclaim {_core.__version__})",
        f" Command:         {shlex.join(plan.command)}",
        f" Exit code:       {exit_code}",
        f" Began:           {time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime(began))}",
        f" Kernel:          {kernel.sysname} {kernel.release} {kernel.machine}, {os.cpu_count()} processors",
        f" Device:          loop device with direct I/O, {plan.size_bytes} bytes",
        " File system:     fresh ext4, mounted with -o discard",
        f" Dirty limit:     {DIRTY_BYTES} bytes",
        f" Page cache:      {cache}",
        " Events:          block_rq_issue (D), times in microseconds of the monotonic clock",
        f" Requests:        {requests}",
        f" Lost events:     {lost}",
    ]
