"""Whether a function can remember anything from one call to the next."""

from __future__ import annotations

from collections.abc import Iterator
from dis import get_instructions
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from reclaim.own_code import LOADED

NOTHING = (int, float, complex, str, bytes, bool, type(None), frozenset, range, np.generic, np.ufunc)
"""What does not change; a tuple of these does not, either."""
REACHING = {
    *("setattr", "delattr", "globals", "vars", "exec", "eval", "open", "__dict__", "random", "seed"),
}
"""Names by which what stays can be changed."""


def remembers(policy: Any) -> bool:
    """Whether a function might remember something; of whatever cannot be told, it might.

    >>> remembers(lambda plane: plane.blocks[plane.valid.argmin()])
    False
    >>> remembers(lambda plane, seen=[]: seen.append(plane))
    True
    """
    return not isinstance(policy, FunctionType) or not _is_plain(policy, set())


def _is_plain(function: FunctionType, seen: set[int]) -> bool:
    if id(function) in seen:
        return True
    seen.add(id(function))
    kept: list[Any] = [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
    marks = {name for name in vars(function) if name != "__reclaim_policy__"}
    if function.__closure__ or marks or not all(map(_stays, kept)):
        return False
    for code in _codes(function.__code__):
        if not _only_reads(code):
            return False
        for name in code.co_names:
            if name in REACHING:
                return False
            value = function.__globals__.get(name)
            if not _is_harmless(value, seen):
                return False
    return True


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from _codes(each)


def _only_reads(code: CodeType) -> bool:
    changes = {"STORE_GLOBAL", "DELETE_GLOBAL", "STORE_ATTR", "DELETE_ATTR", "IMPORT_NAME"}
    return not any(each.opname in changes for each in get_instructions(code))


def _stays(value: Any) -> bool:
    return isinstance(value, NOTHING) or (isinstance(value, tuple) and all(map(_stays, value)))


def _is_harmless(value: Any, seen: set[int]) -> bool:
    if _stays(value) or isinstance(value, BuiltinFunctionType):
        return True
    if isinstance(value, FunctionType):
        return not _is_own(value.__module__) or _is_plain(value, seen)
    if isinstance(value, ModuleType):
        # One of the policy's own folder can hold anything.
        return not _is_own(value.__name__)
    return isinstance(value, type) and not _is_own(value.__module__)


def _is_own(module: str | None) -> bool:
    return module is None or module == "__main__" or module.startswith(LOADED)
