"""What can go wrong, by what the caller can do about it.

The extension raises all of these but the warning, so it has the classes; this is where to find them.
"""

from __future__ import annotations

import re

from reclaim import encoding
from reclaim._core import AuditError, InputError, ReclaimError, SimulationError

__all__ = ["AuditError", "InputError", "ReclaimError", "ResultWarning", "SimulationError"]


def _shown(error: BaseException) -> str:
    """The message as it is shown in a terminal, a notebook and a log: nothing is hidden in it."""
    return encoding.message(Exception.__str__(error))


ReclaimError.__str__ = _shown  # type: ignore[method-assign]


class ResultWarning(UserWarning):
    """A result says of itself that it is not to be trusted, or that some figures are inconclusive."""

    __str__ = _shown


LONGEST_VALUE = 80
"""Characters of a value that a message shows."""
LONGEST_WORD = 400
"""Characters of anything without a blank, but for a path."""
LONGEST_PATH = 4096
QUOTED = re.compile(r'"[^"\n]*"')
PATH = re.compile(r'"\.{0,2}/\S*"')
WORD = re.compile(r"[^\s\"]{401,}")


def bounded(message: str) -> str:
    """Shorten what a message shows of values, so that a value of a megabyte does not make one of two.

    Whole lines are bounded where a message is shown: `encoding.message`.

    >>> bounded('gc.score: "' + "a" * 81 + '" is unknown') == 'gc.score: "' + "a" * 79 + '…" is unknown'
    True
    >>> len(bounded("x" * 1_000_000)), bounded("host.mode: is missing")
    (400, 'host.mode: is missing')
    """
    # All of what is quoted, or the end of one would be taken for the begin of the next.
    shorter = QUOTED.sub(lambda found: _quoted(found[0]), message)
    return WORD.sub(lambda found: _word(found[0]), shorter)


def _quoted(text: str) -> str:
    longest = LONGEST_PATH if PATH.fullmatch(text) else LONGEST_VALUE
    return text if len(text) <= longest + 2 else f'{text[:longest]}…"'


def _word(text: str) -> str:
    """A path is told whole, as far as there can be one."""
    longest = LONGEST_PATH if "/" in text else LONGEST_WORD
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def _with_bounds(self: ReclaimError, *parts: object) -> None:
    Exception.__init__(self, *(bounded(each) if isinstance(each, str) else each for each in parts))


# The classes are the extension's; whoever raises one, in Rust or in Python, comes by here.
ReclaimError.__init__ = _with_bounds  # type: ignore[method-assign, assignment]
