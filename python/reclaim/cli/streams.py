"""Standard output and error, which can be closed, full, or unable to show a character."""

from __future__ import annotations

import codecs
import io
import os
import re
import sys
import warnings
from typing import Any, TextIO

from reclaim import encoding

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
