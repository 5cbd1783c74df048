"""Standard output and error, which can be closed, full, or unable to show a character."""

from __future__ import annotations

import codecs
import contextlib
import io
import os
import re
import sys
import threading
import warnings
from collections.abc import Iterator
from typing import Any, NoReturn, TextIO, cast

from reclaim import encoding, own_code

NEAREST = dict.fromkeys("\u00a0\u202f\u2009", " ") | {
    "\u00d7": "x",
    "\u00b5": "u",
    "\u03bc": "u",
    "\u2026": "...",
    "\u2192": "->",
    "\u2013": "-",
    "\u2014": "-",
    "\u2212": "-",
    "\u2265": ">=",
    "\u2264": "<=",
    "\u00b1": "+-",
    "\u2248": "~",
    "\u2018": "'",
    "\u2019": "'",
    "\u201c": '"',
    "\u201d": '"',
}
"""What stands for characters that an encoding has not."""
HANDLER = "reclaim-nearest"
READ_ENOUGH = 141
"""Exit code where a pipe was closed by what reads it: that of every program that SIGPIPE ends."""
_stop_was_said = False


def _nearest(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end]
    parts = (NEAREST.get(each) or each.encode("ascii", "backslashreplace").decode() for each in text)
    return "".join(parts), error.end


def prepare() -> None:
    """Let every character come out: as itself, as the nearest that there is, or as its number."""
    global _stop_was_said  # noqa: PLW0603
    _stop_was_said = False
    codecs.register_error(HANDLER, _nearest)
    warnings.showwarning = _say_warning
    own_code.keep_streams(_keep_apart)
    if getattr(sys, "stderr", None) is None:
        # Closed from the start: what writes progress and notes need not know.
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name, None)
        if not isinstance(stream, io.TextIOWrapper):
            continue
        if isinstance(stream.buffer, io.RawIOBase):
            # PYTHONUNBUFFERED: what a nearly full disk takes only a part of would be cut without a word.
            setattr(sys, name, _buffered(stream))
        else:
            stream.reconfigure(errors=HANDLER)


def _say_warning(message: Warning | str, category: type[Warning], *_where: Any, **_how: Any) -> None:
    """Say what a library warns of as any other message."""
    say(f"warning: {category.__name__}: {message}")


def _buffered(stream: io.TextIOWrapper) -> TextIO:
    """The same stream with a buffer, which is emptied at the end of every line."""
    return open(stream.fileno(), "w", buffering=1, encoding=stream.encoding, errors=HANDLER, closefd=False)


class _Results:
    """Standard output for results alone: what code of users writes there goes to standard error."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def _chosen(self) -> TextIO:
        main = threading.current_thread() is threading.main_thread()
        return self._stream if main and not own_code.is_running() else sys.stderr

    def __getattr__(self, name: str) -> Any:
        return getattr(self._chosen(), name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._chosen())

    def close(self) -> None:
        """Stay open: it is not for code of users to close."""


def _keep_apart() -> tuple[Any, ...]:
    """Put standard output where code of users does not find it, nor programs that it starts."""
    out, err = sys.stdout, sys.stderr
    try:
        is_output = out.fileno() == 1
    except (AttributeError, OSError, ValueError):
        is_output = False
    if not is_output:
        # Whoever has put something in its place knows what is written there.
        return ()
    out.flush()
    apart = open(  # noqa: SIM115, PTH123 - it has a number, and is open to the end
        os.dup(1), "w", buffering=1 if out.isatty() else -1, encoding=out.encoding, errors=HANDLER
    )
    with contextlib.suppress(OSError, ValueError, AttributeError):
        os.dup2(err.fileno(), 1)
    sys.stdout = cast(TextIO, _Results(apart))
    with contextlib.suppress(AttributeError):
        err.close = lambda: None  # type: ignore[method-assign]
    return (sys.stdout, err)


def is_open() -> bool:
    """Whether there is a standard output at all; Python has none where it was closed from the start."""
    return getattr(sys, "stdout", None) is not None


def give_up(stream: TextIO | None) -> None:
    """Throw away what could not be written, so that Python does not report it once more at the end."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        if stream is not None:
            os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
    except (OSError, ValueError):
        pass


def leave(code: int) -> NoReturn:
    """End the process, at once where a policy goes on that was told to end."""
    core: Any = sys.modules.get("reclaim._core")
    if core is not None and core.left_behind():
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError, AttributeError):
                stream.flush()
        os._exit(code)
    sys.exit(code)


def say(text: str) -> None:
    """Write a line to standard error; where nobody can read it, the exit code has to do."""
    stream: TextIO | None = getattr(sys, "stderr", None)
    if stream is None:
        return
    try:
        stream.write(f"{encoding.message(text)}\n")
        stream.flush()
    except OSError:
        give_up(stream)


def say_stopped(how: str) -> None:
    """Answer Ctrl-C, once: who hears of it first knows how far the work had come."""
    global _stop_was_said  # noqa: PLW0603
    if not _stop_was_said:
        say(how or "stopped")
    _stop_was_said = True


def json_text(text: str) -> str:
    """JSON that standard output can show, whatever its encoding: the values stay the same."""
    shown = encoding.json_shown(text)
    try:
        shown.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        return re.sub(r"[^\x00-\x7f]", lambda found: encoding.escaped(found[0]), shown)
    return shown


def write_json(value: object) -> None:
    """Write a value to standard output as JSON."""
    sys.stdout.write(json_text(encoding.json_text(value) + "\n"))
