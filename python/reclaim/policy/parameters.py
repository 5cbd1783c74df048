"""Parameters of policies: arguments with a default, which settings below `params` give other values."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from reclaim.errors import InputError
from reclaim.suggestions import near

Value = bool | int | float | str
MOST = 1 << 63
"""Whole numbers of settings are below this."""
WORDS: Mapping[type, str] = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "text",
}


@dataclass(frozen=True)
class Parameter:
    """An argument that settings may give."""

    name: str
    type: type
    default: Value

    def taken(self, value: Any) -> Value:
        """Give a setting as the policy takes it.

        Raises:
            InputError: for one that it does not take.
        """
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if self.type is float and is_number:
            # Without the sign of a zero: equal settings are written alike.
            return float(value) + 0.0
        if self.type is int and is_number and value == int(value):
            return int(value)
        if self.type is str and isinstance(value, int):
            # Written without quotes, in a list of values, such text is a number.
            return str(value).lower()
        if isinstance(value, bool | str) and isinstance(value, self.type) and self.type is not int:
            return value
        shown = f'"{value}"' if isinstance(value, str) else str(value).lower()
        hint = ""
        if self.type is int and is_number:
            hint = f"; write its default as {float(self.default)} to have it take fractions"
        raise InputError(
            f"params.{self.name}: {shown} is not {WORDS[self.type]}, as its default {self.default!r} is{hint}"
        )


def declared(policy: Callable[..., Any]) -> dict[str, Parameter]:
    """Give the parameters of a function or a class: its arguments after the first that have a plain default.

    >>> def mine(plane, *, exponent: float = 2, mode="fast", seen=[]): ...
    >>> [(each.name, each.type, each.default) for each in declared(mine).values()]
    [('exponent', <class 'float'>, 2.0), ('mode', <class 'str'>, 'fast')]
    """
    try:
        arguments = list(inspect.signature(policy).parameters.values())
    except (TypeError, ValueError):
        # Something that can be called and does not say how.
        return {}
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    # What it is asked, or the drive, comes first.
    first = bool(arguments) and arguments[0].kind is not inspect.Parameter.KEYWORD_ONLY
    listed = [_parameter(each) for each in arguments[first:] if each.kind in kinds]
    return {each.name: each for each in listed if each is not None}


def _parameter(argument: inspect.Parameter) -> Parameter | None:
    default = argument.default
    if argument.annotation in (float, "float") and type(default) is int:
        default = float(default)
    # What settings can hold: NumPy's numbers are some of these.
    match default:
        case bool() | str():
            return Parameter(argument.name, type(default), default)
        case int() if abs(default) < MOST:
            return Parameter(argument.name, int, int(default))
        case float() if math.isfinite(default):
            return Parameter(argument.name, float, float(default))
    return None


def resolved(known: Mapping[str, Parameter], given: Mapping[str, Any]) -> dict[str, Value]:
    """Give all parameters of a policy, where settings give some.

    >>> known = {"exponent": Parameter("exponent", float, 2.0)}
    >>> resolved(known, {}), resolved(known, {"exponent": 3})
    ({'exponent': 2.0}, {'exponent': 3.0})

    Raises:
        InputError: for one that it does not have, or a value that it does not take.
    """
    for name in given:
        if name not in known:
            raise InputError(f"params.{name}: {unknown(name, known)}")
    return {name: each.taken(given[name]) if name in given else each.default for name, each in known.items()}


def unknown(name: str, known: Iterable[str]) -> str:
    """Say which parameters there are instead of one that is not."""
    listed = list(known)
    if not listed:
        return (
            "it takes no parameters; an argument with a default behind the first is one, as in "
            "def mine(plane, exponent=2.0), or in a class def __init__(self, drive, exponent=2.0)"
        )
    return f"it has no such parameter; valid: {', '.join(listed)}{near(name, listed)}"
