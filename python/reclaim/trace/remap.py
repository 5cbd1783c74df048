"""Remapping: how the addresses of a trace are brought inside a drive."""

from __future__ import annotations

from typing import Literal, get_args

from reclaim.errors import InputError
from reclaim.suggestions import near

Remap = Literal["none", "wrap", "compact", "scale"]
REMAPS: tuple[Remap, ...] = get_args(Remap)

KEY = "trace.remap"


def checked(remap: str, valid: tuple[str, ...] = REMAPS) -> str:
    """Give `remap` if it is a way to bring addresses inside a drive.

    Raises:
        InputError: if it is none, with those that are.
    """
    if remap not in valid:
        raise InputError(f'unknown remap "{remap}"; valid: {", ".join(valid)}{near(str(remap), valid)}')
    return remap


def setting(remap: str) -> dict[str, str]:
    """The setting that a configuration takes.

    >>> setting("wrap")
    {'trace.remap': 'wrap'}
    """
    return {KEY: checked(remap)}


def is_compact(remap: str | None) -> bool:
    """Whether units are numbered as they are first touched: the one remap that needs no drive.

    Raises:
        InputError: for a remap that needs a drive, or that is none.
    """
    if remap is None or checked(remap) == "none":
        return False
    if remap != "compact":
        raise InputError(
            "remap wrap and remap scale bring a trace inside a drive, so they need one: they are for run, "
            "compare and simulate(remap=…), and keys of a device file; compact needs none"
        )
    return True
