"""Arguments of public functions, checked against their signatures before anything is done with them."""

from __future__ import annotations

import contextlib
import functools
import inspect
import types
import typing
import warnings
from collections.abc import Callable, Iterable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any, Literal, TypeVar

from reclaim.arguments import shown
from reclaim.errors import InputError, ResultWarning

Function = TypeVar("Function", bound=Callable[..., Any])
Class = TypeVar("Class", bound=type)
MADE_BY = {
    "Device": "Device.preset and Device.load make one",
    "Trace": "reclaim.open_trace and the like make one",
}
"""How to come by what is asked for."""


def checked(function: Function) -> Function:
    """Make a function refuse arguments of another kind than it takes, by name.

    >>> @checked
    ... def half(of: int) -> float:
    ...     return of / 2
    >>> half("6")
    Traceback (most recent call last):
    reclaim.errors.InputError: of must be a whole number, not '6'
    """
    signature = _by_name(function)
    parameters = signature.parameters.values()
    by_place = [each.name for each in parameters if each.kind is each.POSITIONAL_OR_KEYWORD]
    by_name = {*by_place, *(each.name for each in parameters if each.kind is each.KEYWORD_ONLY)}
    needed = {each.name for each in parameters if each.name in by_name and each.default is each.empty}

    @functools.wraps(function)
    def with_checks(*given: Any, **named: Any) -> Any:
        named = _with_present_names(function, named)
        kinds = kinds_of(function)
        known = dict(zip(by_place, given, strict=False))
        if len(given) == len(known) and named.keys() <= by_name - known.keys():
            known |= named
            if needed <= known.keys():
                # Nearly every call; to have it bound takes ten times as long.
                for name, value in known.items():
                    if name in kinds:
                        _check(name, value, kinds[name])
                return function(*given, **named)
        _check_bound(function, signature, given, named)
        return function(*given, **named)

    with_checks.__signature__ = signature  # type: ignore[attr-defined]
    return typing.cast(Function, with_checks)


def _check_bound(
    function: Callable[..., Any], signature: inspect.Signature, given: tuple[Any, ...], named: dict[str, Any]
) -> None:
    """Check the arguments of any call: too many, too few, unknown, or of another kind."""
    try:
        bound = signature.bind(*given, **named)
    except TypeError as error:
        raise TypeError(f"{function.__name__}() {error}") from None
    kinds = kinds_of(function)
    for name, value in bound.arguments.items():
        parameter = signature.parameters[name]
        if name in kinds and parameter.kind is parameter.VAR_POSITIONAL:
            for each in value:
                _check(f"{name}: each", each, kinds[name])
        elif name in kinds and parameter.kind is not parameter.VAR_KEYWORD:
            _check(name, value, kinds[name])


def renamed(**names: str) -> Callable[[Function], Function]:
    """Let a checked function take arguments under names that they had until now, with a note.

    Args:
        names: by each old name the present one.
    """

    def marked(function: Function) -> Function:
        function.__dict__["renamed"] = names
        return function

    return marked


def _with_present_names(function: Callable[..., Any], named: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a call by the names that they have now."""
    for old, new in getattr(function, "renamed", {}).items():
        if old in named and new not in named:
            told = f"{function.__name__}: {old} is called {new} now; the next version does not know {old}"
            warnings.warn(told, ResultWarning, stacklevel=4)
            named = {new if name == old else name: value for name, value in named.items()}
    return named


def _by_name(function: Callable[..., Any]) -> inspect.Signature:
    """The signature of a function, with the options of `Unpack` by name; None, False or empty if left out."""
    signature = inspect.signature(function)
    listed: list[inspect.Parameter] = []
    for each in signature.parameters.values():
        options = _options(function, each.annotation) if each.kind is each.VAR_KEYWORD else None
        if options is None:
            listed.append(each)
            continue
        for name, kind in typing.get_type_hints(options).items():
            left_out = next(value for value in (None, False, ()) if fits(value, kind))
            written = options.__annotations__[name].__forward_arg__
            listed.append(inspect.Parameter(name, each.KEYWORD_ONLY, default=left_out, annotation=written))
    return signature.replace(parameters=listed)


def _options(function: Callable[..., Any], annotation: Any) -> Any:
    """The `TypedDict` that lists the options which a function takes by name; None where none does."""
    if not str(annotation).startswith("Unpack["):
        return None
    return typing.get_args(eval(annotation, function.__globals__))[0]  # noqa: S307


OWN_CHECKS = "preset", "load", "set", "with_settings", "with_scheme", "from_records", "transformed"
"""Methods that check their arguments themselves, as their messages know more: which key, which record."""


def checks(made: Class) -> Class:
    """Make all public methods of a class `checked`, save those with checks of their own."""
    for name, value in list(vars(made).items()):
        if (
            name.startswith("_")
            or name in OWN_CHECKS
            or not isinstance(value, types.FunctionType | classmethod | staticmethod)
        ):
            continue
        if isinstance(value, types.FunctionType):
            setattr(made, name, checked(value))
        else:
            setattr(made, name, type(value)(checked(value.__func__)))
    return made


@functools.cache
def kinds_of(function: Callable[..., Any]) -> Mapping[str, Any]:
    """Give the kind of each parameter of a function whose kind is said, and is there when it runs."""
    found: dict[str, Any] = {}
    for name, kind in inspect.get_annotations(function).items():
        if (options := _options(function, kind)) is not None:
            found.update(typing.get_type_hints(options))
            continue
        # What is imported for type checkers alone cannot be asked for.
        with contextlib.suppress(NameError):
            found[name] = eval(kind, function.__globals__) if isinstance(kind, str) else kind  # noqa: S307
    found.pop("return", None)
    return found


def _check(name: str, value: Any, kind: Any) -> None:
    if not fits(value, kind):
        meant = f'; write ["{value}"]' if isinstance(value, str) and fits([value], kind) else ""
        raise InputError(f"{name} must be {in_words(kind)}, not {shown(value)}{meant}")


PLAIN: Mapping[Any, tuple[str, Callable[[Any], bool]]] = {
    type(None): ("None", lambda value: value is None),
    int: ("a whole number", lambda value: hasattr(value, "__index__") and not isinstance(value, type)),
    float: ("a number", lambda value: hasattr(value, "__float__") or hasattr(value, "__index__")),
    str: ("text", lambda value: isinstance(value, str)),
    bool: ("True or False", lambda value: isinstance(value, bool)),
    Path: ("a path (text or pathlib.Path)", lambda value: isinstance(value, str | PathLike)),
    Callable: ("a function to call", callable),
}
"""Kinds in words, and what is of them; numbers of NumPy are numbers."""
UNIONS = (typing.Union, types.UnionType)


@functools.cache
def _parts(kind: Any) -> tuple[Any, tuple[Any, ...]]:
    """Give what a kind is, and what it is of."""
    return typing.get_origin(kind) or kind, typing.get_args(kind)


def fits(value: Any, kind: Any) -> bool:
    """Whether a value is of a kind.

    >>> fits(1, int | None), fits("a", int), fits(["a"], list[str]), fits("a", list[str])
    (True, False, True, False)
    """
    origin, inner = _parts(kind)
    if origin in UNIONS:
        return any(fits(value, each) for each in inner)
    if origin is Literal:
        return any(isinstance(value, type(each)) for each in inner)
    if origin in PLAIN:
        return PLAIN[origin][1](value)
    return not isinstance(origin, type) or _is_made_of(value, origin, inner)


def _is_made_of(value: Any, of: type, inner: tuple[Any, ...]) -> bool:
    """Whether a value is of a class; of one that lists things, whether they are of their kind."""
    if issubclass(of, tuple) or not issubclass(of, Iterable) or issubclass(of, Mapping):
        return isinstance(value, (tuple, list) if issubclass(of, tuple) else of)
    if not isinstance(value, Iterable) or isinstance(value, str | bytes | Mapping):
        return False
    # What can be gone through once is left to who goes through it.
    known = value if isinstance(value, list | tuple) else ()
    return not inner or inner[0] not in PLAIN or all(fits(each, inner[0]) for each in known)


def in_words(kind: Any) -> str:
    """Name a kind in a message.

    >>> in_words(str | Path | None), in_words(list[str]), in_words(float)
    ('a path (text or pathlib.Path)', 'a list of text', 'a number')
    """
    origin, inner = _parts(kind)
    if origin in UNIONS:
        said = {str: Path, int: float}
        # That None is the same as left out is no help to who gave something else.
        parts = [each for each in inner if said.get(each) not in inner and each is not type(None)]
        return " or ".join(dict.fromkeys(map(in_words, parts)))
    if origin is Literal:
        return "one of " + ", ".join(map(repr, inner))
    if origin in PLAIN:
        return PLAIN[origin][0]
    listing = isinstance(origin, type) and issubclass(origin, Iterable)
    if listing and issubclass(origin, Mapping):
        return "a mapping"
    if listing and (inner or issubclass(origin, list | tuple)):
        of: dict[Any, str] = {str: " of text", int: " of whole numbers"}
        return "a list" + of.get(inner[0] if inner else None, "")
    name = str(getattr(origin, "__name__", origin))
    how = MADE_BY.get(name)
    return f"a reclaim.{name}" + (f" ({how})" if how else "")
