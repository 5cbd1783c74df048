"""Arguments of the Python interface, checked against signatures before anything is done with them.

`checked` and `checks` see that an argument is of its kind; the functions below them, that it has a value that
the core can take, which knows no negative numbers.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import operator
import os
import types
import typing
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, Literal, TypeVar

from reclaim import input_file
from reclaim.errors import InputError, ResultWarning
from reclaim.suggestions import alike, did_you_mean, near

LARGEST = 2**64 - 1
OPERATIONS = ("read", "write", "trim", "flush")
FIELDS = ("time in ns", "operation", "offset in bytes", "size in bytes")
STREAM = "stream"
"""What may stand behind them."""
LAST_STREAM = 255


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


OWN_CHECKS = "load", "set", "with_settings", "with_scheme", "from_records"
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


def _is_float(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError, OverflowError):
        return False
    return True


PLAIN: Mapping[Any, tuple[str, Callable[[Any], bool]]] = {
    type(None): ("None", lambda value: value is None),
    int: ("a whole number", lambda value: hasattr(value, "__index__") and not isinstance(value, type)),
    float: ("a number", lambda value: not isinstance(value, str | bytes) and _is_float(value)),
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


def whole(name: str, value: Any, *, lowest: int = 0, highest: int = LARGEST) -> int:
    """Give `value` as an integer.

    >>> whole("seed", 7)
    7

    Raises:
        InputError: if it is no whole number or out of range, with its name.
    """
    try:
        found = operator.index(value)
    except TypeError:
        raise InputError(f"{name} must be a whole number, not {shown(value)}") from None
    if not lowest <= found <= highest:
        raise InputError(f"{name} must be from {lowest} to {highest}, not {found}")
    return found


def shown(value: Any) -> str:
    """Write a value into a message: what it is, and no address in memory.

    >>> shown(5), shown(int), shown(object()), shown(None)
    ('5', 'the class int', 'an object of the class object', 'nothing')
    """
    if value is None:
        return "nothing"
    if isinstance(value, type):
        return f"the class {value.__name__}"
    try:
        text = repr(value)
    except Exception:  # noqa: BLE001 - whatever it does when it is shown
        text = " at 0x"
    return f"an object of the class {type(value).__name__}" if " at 0x" in text or len(text) > 80 else text


def text(name: str, value: Any, *, what: str = "text") -> str:
    """Give `value` if it is text.

    >>> text("scheme", "fifo")
    'fifo'

    Raises:
        InputError: if it is none, with its name.
    """
    if not isinstance(value, str):
        raise InputError(f"{name} must be {what}, not {shown(value)}")
    return str(value)


def path(name: str, value: Any) -> Path:
    """Give `value` as the path of a file or folder.

    >>> path("save_state", "a.state").name
    'a.state'

    Raises:
        InputError: if it is none, empty, or holds a zero character, with its name.
    """
    try:
        found = os.fspath(value)
    except TypeError:
        found = None
    if not isinstance(found, str):
        raise InputError(f"{name} must be a path (text or pathlib.Path), not {shown(value)}")
    if not found:
        raise InputError(f"{name} is empty; give a path")
    if "\0" in found:
        raise InputError(f"{name} {found!r}: no path has a zero character in it")
    return Path(found)


def file_to_read(name: str, value: Any) -> Path:
    """Give `value` as the path of a regular file that is there.

    Raises:
        InputError: if it is none, with its name or that of the file.
    """
    found = path(name, value)
    try:
        input_file.check(found)
    except OSError as error:
        raise InputError(f"{found}: {error.strerror or error}") from None
    return found


def text_to_read(name: str, value: Any, *, most: int = 1 << 24) -> str:
    """Give the text of the regular file at `value`, which has at most `most` bytes.

    Raises:
        InputError: if there is none, or it is no text in UTF-8, with the name of the file.
    """
    found = file_to_read(name, value)
    try:
        size = found.stat().st_size
        with input_file.opened(found) as file:
            content = file.read(most + 1)
    except OSError as error:
        raise InputError(f"{found}: {error.strerror or error}") from None
    if size == 0 and content:
        raise InputError(f"{found}: is a file of the system, made up when it is read; name a file of yours")
    if len(content) > most:
        raise InputError(f"{found}: has more than {most} bytes, which is no file of this kind")
    try:
        return content.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise InputError(f"{found}: is no text in UTF-8 (byte {error.start})") from None


def near_file(value: Path, folders: Iterable[Path], suffix: str) -> str:
    """Suggest the file called most like `value`, beside it or in `folders`; nothing if none is alike.

    >>> near_file(Path("gone"), [], ".toml")
    ''
    """
    listed: dict[str, Path] = {}
    for folder in (value.parent, *folders):
        with contextlib.suppress(OSError):
            for each in sorted(folder.iterdir()):
                if each.suffix == suffix:
                    listed.setdefault(each.stem, each)
    found = alike(value.name.removesuffix(suffix), listed, cutoff=0.75)
    return did_you_mean((str(listed[each]) for each in found), quote="")


def listed(name: str, value: Any) -> list[Any]:
    """Give the entries of a list, which text is not.

    Raises:
        InputError: if it is none, with its name.
    """
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        raise InputError(f"{name} must be a list, not {shown(value)}")
    return list(value)


def check_records(records: Sequence[Any]) -> None:
    """Find the first record that is none and say what is wrong with it.

    Raises:
        InputError: with the record's number, counted from 1, and the field.
    """
    for position, record in enumerate(records, 1):
        try:
            fields = tuple(record)
        except TypeError:
            fields = ()
        if isinstance(record, str) or len(fields) not in (len(FIELDS), len(FIELDS) + 1):
            raise InputError(
                f"record {position}: {record!r} is not ({', '.join(FIELDS)}), "
                f"with a {STREAM} behind them or without"
            )
        for name, value in zip((*FIELDS, STREAM), fields, strict=False):
            if name != "operation":
                whole(f"record {position}: {name}", value, highest=LAST_STREAM if name == STREAM else LARGEST)
            elif value not in OPERATIONS:
                hint = near(str(value), OPERATIONS)
                raise InputError(
                    f"record {position}: unknown operation {value!r}; valid: {', '.join(OPERATIONS)}{hint}"
                )
