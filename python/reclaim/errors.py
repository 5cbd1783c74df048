"""What can go wrong, by what the caller can do about it."""


class ReclaimError(Exception):
    """Base of everything Reclaim raises on purpose."""


class InputError(ReclaimError, ValueError):
    """Something given by the user cannot be used: a setting, a file, a trace line (exit code 2).

    The message names the file, line, key or value, says what is valid, and suggests a correction.
    """


class SimulationError(ReclaimError, RuntimeError):
    """A simulation did not finish (exit code 1)."""


class ResultWarning(UserWarning):
    """A result says of itself that it is not to be trusted, or that some figures are not established."""


class AuditError(SimulationError):
    """A simulation broke one of its own invariants; its numbers must not be used (exit code 1)."""
