"""Arguments of the Python interface, checked before they reach the core, which knows no negative numbers."""

from __future__ import annotations

import contextlib
import operator
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from reclaim import input_file
from reclaim.errors import InputError
from reclaim.suggestions import alike, did_you_mean, near

LARGEST = 2**64 - 1
OPERATIONS = ("read", "write", "trim", "flush")
FIELDS = ("time in ns", "operation", "offset in bytes", "size in bytes")
STREAM = "stream"
"""What may stand behind them."""
LAST_STREAM = 255


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


def number(name: str, value: Any) -> float:
    """Give `value` as a real number.

    Raises:
        InputError: if it is none, with its name.
    """
    if isinstance(value, str):
        raise InputError(f"{name} must be a number, not {value!r}")
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{name} must be a number, not {shown(value)}") from None


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


def switch(name: str, value: Any) -> bool:
    """Give `value` if it is True or False.

    Raises:
        InputError: if it is neither, with its name.
    """
    if not isinstance(value, bool):
        raise InputError(f"{name} must be True or False, not {shown(value)}")
    return value


def function(name: str, value: Any, *, optional: bool = True) -> None:
    """See that `value` can be called, or, if it is `optional`, is None.

    Raises:
        InputError: if it cannot, with its name.
    """
    if not callable(value) and not (value is None and optional):
        raise InputError(f"{name} must be a function to call, not {shown(value)}")


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


def instance(name: str, value: Any, kind: type, how: str) -> None:
    """Refuse what is no `kind`; `how` says what makes one.

    Raises:
        InputError: with the name.
    """
    if not isinstance(value, kind):
        raise InputError(f"{name} must be a reclaim.{kind.__name__} ({how}), not {shown(value)}")


def listed(name: str, value: Any) -> list[Any]:
    """Give the entries of a list, which text is not.

    Raises:
        InputError: if it is none, with its name.
    """
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        raise InputError(f"{name} must be a list, not {shown(value)}")
    return list(value)


def names(name: str, value: Any, *, example: str, one: bool = False) -> list[str]:
    """Give a list of names; with `one`, text by itself is a list of one.

    >>> names("schemes", ["greedy"], example="greedy"), names("metrics", "a", example="a", one=True)
    (['greedy'], ['a'])

    Raises:
        InputError: if it is none, with its name.
    """
    if one and isinstance(value, str):
        return [value]
    what = f'a list of names, as in ["{example}"]'
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        raise InputError(f"{name} must be {what}, not {shown(value)}")
    return [text(f"{name}: each", each, what="a name") for each in value]


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
