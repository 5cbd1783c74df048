"""Arguments of the Python interface, checked before they reach the core, which knows no negative numbers."""

from __future__ import annotations

import difflib
import operator
from collections.abc import Sequence
from typing import Any

from reclaim.errors import InputError

LARGEST = 2**64 - 1
OPERATIONS = ("read", "write", "trim", "flush")
FIELDS = ("time in ns", "operation", "offset in bytes", "size in bytes")


def whole(name: str, value: Any, *, lowest: int = 0, highest: int = LARGEST) -> int:
    """Give `value` as an integer.

    >>> whole("seed", 7)
    7

    Raises:
        InputError: if it is no whole number or out of range, with its name.
    """
    try:
        number = operator.index(value)
    except TypeError:
        raise InputError(f"{name} must be a whole number, not {value!r}") from None
    if not lowest <= number <= highest:
        raise InputError(f"{name} must be from {lowest} to {highest}, not {number}")
    return number


def check_records(records: Sequence[Any]) -> None:
    """Find the first record that is none and say what is wrong with it.

    Raises:
        InputError: with the record's number, counted from 1, and the field.
    """
    for number, record in enumerate(records, 1):
        try:
            fields = tuple(record)
        except TypeError:
            fields = ()
        if isinstance(record, str) or len(fields) != len(FIELDS):
            raise InputError(f"record {number}: {record!r} is not ({', '.join(FIELDS)})")
        for name, value in zip(FIELDS, fields, strict=True):
            if name != "operation":
                whole(f"record {number}: {name}", value)
            elif value not in OPERATIONS:
                near = difflib.get_close_matches(str(value), OPERATIONS, 1)
                hint = f'; did you mean "{near[0]}"?' if near else ""
                raise InputError(
                    f"record {number}: unknown operation {value!r}; valid: {', '.join(OPERATIONS)}{hint}"
                )
