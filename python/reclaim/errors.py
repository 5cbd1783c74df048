"""What can go wrong, by what the caller can do about it.

The extension raises all of these but the warning, so it has the classes; this is where to find them.
"""

from __future__ import annotations

from reclaim._core import AuditError, InputError, ReclaimError, SimulationError

__all__ = ["AuditError", "InputError", "ReclaimError", "ResultWarning", "SimulationError"]


class ResultWarning(UserWarning):
    """A result says of itself that it is not to be trusted, or that some figures are not established."""
