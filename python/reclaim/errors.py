"""What can go wrong, by what the caller can do about it.

The extension raises all of these but the warning, so it has the classes; this is where to find them.
"""

from __future__ import annotations

from reclaim import encoding
from reclaim._core import AuditError, InputError, ReclaimError, SimulationError

__all__ = ["AuditError", "InputError", "ReclaimError", "ResultWarning", "SimulationError"]


def _shown(error: BaseException) -> str:
    """The message as it is shown in a terminal, a notebook and a log: nothing is hidden in it."""
    return encoding.message(Exception.__str__(error))


ReclaimError.__str__ = _shown  # type: ignore[method-assign]


class ResultWarning(UserWarning):
    """A result says of itself that it is not to be trusted, or that some figures are not established."""

    __str__ = _shown
