"""How a point fails: it stops, it ends its process, or it has an error, which stops no other point."""

from __future__ import annotations

from reclaim.errors import ReclaimError


class StoppedError(Exception):
    """Raised in a run that is to end now."""


class DiedError(Exception):
    """Raised when the process of a point was ended by a signal; says by which, and why probably."""


def is_failure(error: BaseException) -> bool:
    """Whether an error is that of one point: others still can run."""
    # The core's panics are no Exceptions.
    return isinstance(error, Exception) or type(error).__name__ == "PanicException"


def reason(error: BaseException) -> str:
    """Say why a point failed; of what should not happen also which kind of error it was."""
    if isinstance(error, (ReclaimError, DiedError)) and str(error):
        return str(error)
    return f"{type(error).__name__}: {error}"
