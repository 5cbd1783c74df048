"""The command `reclaim`."""

from __future__ import annotations

import gc
import signal
import sys
from types import FrameType

from reclaim.errors import InputError, ReclaimError

INTERRUPTED = 130
ENDED = (signal.SIGTERM, signal.SIGHUP)
"""Signals that are answered as Ctrl-C is; the exit code is 128 and their number."""


class _Stop:
    """Whether a signal to end has come: it is answered as Ctrl-C is, and told apart at the end."""

    came: int | None = None

    def answer(self, number: int, _frame: FrameType | None) -> None:
        """Remember it, and stop what goes on."""
        self.came = number
        raise KeyboardInterrupt


def main() -> None:
    """Run the command line; every expected failure is one message and an exit code, never a traceback."""
    from reclaim.cli import streams

    streams.prepare()
    # Points of a sweep are no garbage: to look for some among them was a quarter of the time of going on.
    gc.set_threshold(100_000, 50, 50)
    stop = _Stop()
    # Where it is ignored by the will of whoever started this, it still is.
    answered = [each for each in ENDED if signal.getsignal(each) is signal.SIG_DFL]
    for each in answered:
        signal.signal(each, stop.answer)
    try:
        code = _run()
        sys.stdout.flush()
    except InputError as error:
        code = _failed(str(error), 2)
    except ReclaimError as error:
        code = _failed(str(error), 1)
    except MemoryError:
        code = _failed("memory ran out: raise the limit of this process (ulimit -v, ulimit -d)", 2)
    except KeyboardInterrupt as interrupt:
        code = INTERRUPTED
        streams.say_stopped(str(interrupt))
    except BrokenPipeError:
        streams.give_up(sys.stdout)
        code = streams.READ_ENOUGH
    except OSError as error:
        # Whatever is written elsewhere says its name itself.
        if error.filename is None:
            streams.give_up(sys.stdout)
        place = "standard output" if error.filename is None else error.filename
        code = _failed(f"{place}: {error.strerror or error}", 2)
    finally:
        for each in answered:
            signal.signal(each, signal.SIG_DFL)
    streams.leave(128 + stop.came if stop.came is not None and code == INTERRUPTED else code)


def _run() -> int:
    from reclaim.cli import streams

    if not streams.is_open():
        raise InputError("standard output is closed; give it a file, or /dev/null")
    from reclaim.cli.assembly import put_together

    try:
        put_together(sys.argv[1:])()
    except SystemExit as end:
        if end.code == INTERRUPTED:
            # Typer says nothing of Ctrl-C before the command begins.
            streams.say_stopped("")
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    return 0


def _failed(message: str, code: int) -> int:
    from reclaim.cli import streams

    streams.say(f"error: {message}")
    return code
