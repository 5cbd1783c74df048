"""A tracefs instance of our own: events of one device, read while they come."""

from __future__ import annotations

import os
import select
import subprocess
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Self

from reclaim.errors import InputError
from reclaim.trace.record.plan import EVENT
from reclaim.trace.record.requirements import TRACEFS

CHUNK = 1 << 20
WAIT_S = 0.2


class Tracing:
    """Block events of one device, from the start of the context to `stop`, into a file of text."""

    def __init__(self, major: int, minor: int, text: Path, *, buffer_kib: int, spare_mount: Path) -> None:
        self.device = major << 20 | minor
        self.text = text
        self.buffer_kib = buffer_kib
        self.spare_mount = spare_mount
        self.stack = ExitStack()
        self.ended = threading.Event()
        self.origin_ns = 0

    def __enter__(self) -> Self:
        try:
            root = self._tracefs()
            self.instance = root / "instances" / f"reclaim-{os.getpid()}"
            self.instance.mkdir()
            self.stack.callback(self._remove_instance)
            self._set("tracing_on", "0")
            self._set("trace_clock", "mono")
            self._set("buffer_size_kb", str(self.buffer_kib))
            self._set(f"events/block/{EVENT}/filter", f"dev == {self.device}")
            self._set(f"events/block/{EVENT}/enable", "1")
            self.stack.callback(self._set, f"events/block/{EVENT}/enable", "0")
            self.reader = threading.Thread(target=self._read, daemon=True)
            self.reader.start()
            self.stack.callback(self._end_reader)
            self.origin_ns = time.monotonic_ns()
            self._set("tracing_on", "1")
            self.stack.callback(self._set, "tracing_on", "0")
        except OSError as error:
            self.stack.close()
            raise InputError(
                f"tracing cannot be switched on: {error}; is tracing locked down here?"
            ) from None
        except BaseException:
            self.stack.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stack.close()

    def stop(self) -> None:
        """Stop tracing and read what is left; the text is then complete."""
        self._set("tracing_on", "0")
        self._end_reader()

    def lost(self) -> int:
        """Events that the buffer had no room for, on all processors."""
        count = 0
        for file in self.instance.glob("per_cpu/cpu*/stats"):
            for line in file.read_text().splitlines():
                name, _, value = line.partition(":")
                if name in {"overrun", "dropped events"}:
                    count += int(value)
        return count

    def _tracefs(self) -> Path:
        for place in TRACEFS:
            if (place / "instances").is_dir() and (place / "events" / "block" / EVENT).is_dir():
                return place
        # Not mounted: for us alone, and gone afterwards.
        self.spare_mount.mkdir()
        self.stack.callback(self.spare_mount.rmdir)
        words = ["mount", "-t", "tracefs", "tracefs", str(self.spare_mount)]
        done = subprocess.run(words, capture_output=True, text=True, check=False)  # noqa: S603
        if done.returncode:
            raise InputError(f"tracefs cannot be mounted: {done.stderr.strip()}")
        self.stack.callback(
            subprocess.run, ["umount", str(self.spare_mount)], capture_output=True, check=False
        )
        if not (self.spare_mount / "events" / "block" / EVENT).is_dir():
            raise InputError(f"the kernel has no tracepoint {EVENT} (CONFIG_BLK_DEV_IO_TRACE)")
        return self.spare_mount

    def _set(self, name: str, value: str) -> None:
        (self.instance / name).write_text(value)

    def _remove_instance(self) -> None:
        # Busy for a moment after the reader has closed its pipe.
        _patiently(self.instance.rmdir)

    def _end_reader(self) -> None:
        self.ended.set()
        self.reader.join(timeout=30)

    def _read(self) -> None:
        pipe = os.open(self.instance / "trace_pipe", os.O_RDONLY | os.O_NONBLOCK)
        try:
            with self.text.open("wb") as out:
                while True:
                    ended = self.ended.is_set()
                    ready, _, _ = select.select([pipe], [], [], 0 if ended else WAIT_S)
                    data = b""
                    if ready or ended:
                        try:
                            data = os.read(pipe, CHUNK)
                        except BlockingIOError:
                            data = b""
                    if data:
                        out.write(data)
                    elif ended:
                        return
                    elif ready:
                        time.sleep(WAIT_S)
        finally:
            os.close(pipe)


def _patiently(action: Callable[[], object], tries: int = 25) -> None:
    for left in reversed(range(tries)):
        try:
            action()
        except OSError:
            if not left:
                raise
            time.sleep(WAIT_S)
        else:
            return
