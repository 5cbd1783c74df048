"""Where the files are that policies of one's own are in.

What names one says where: a device file has its policies beside itself, the command line and Python in the
present folder. The core hands on the name alone, so the places are noted while a drive is made.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from reclaim.errors import InputError
from reclaim.layers import of_settings
from reclaim.parsing import toml_file
from reclaim.policy.marks import KINDS
from reclaim.policy.reads import digest, of_file

MOST_FILES = 16
"""Device files that may be based on each other, as in the core."""
_SENT: ContextVar[Mapping[str, tuple[Path, Path]]] = ContextVar("_SENT")
"""Where files that came from another machine are there, and here, by the names of policies."""
_OF_DRIVE: ContextVar[Mapping[str, Path]] = ContextVar("_OF_DRIVE")
"""Where the files of the drive are that is being made, by the names of its policies."""
_KNOWN: dict[str, dict[str, Path]] = {}
"""The same of all drives that were made, by the digests of the files, for their runs."""


def path_of(function: str) -> str:
    """Give the path in the name of a policy.

    >>> path_of("mine.py:fewest_valid")
    'mine.py'
    """
    return function.rpartition(":")[0]


def place_of(function: str, code: str | None) -> Path:
    """Give the file that a policy is in; whether it is there is not known.

    Args:
        function: what names the policy.
        code: digest that the file must have; None for any.

    Raises:
        InputError: if drives name files of several folders so, and nothing tells which is meant.
    """
    of_drive = _OF_DRIVE.get({})
    if function in of_drive:
        return of_drive[function]
    known = _KNOWN.get(function, {})
    if of_file(code) in known:
        return known[str(of_file(code))]
    if code is None and known:
        if len(set(known.values())) > 1:
            several = ", ".join(sorted({str(each) for each in known.values()}))
            raise InputError(f'function: "{function}" names several files ({several}); write the whole path')
        return next(iter(known.values()))
    return Path(path_of(function))


def whole_name(function: str, code: str | None) -> str:
    """Give the name of a policy with the whole path of its file, at home if the file came from there.

    Raises:
        InputError: as `place_of`.
    """
    sent_from = _SENT.get({}).get(function)
    file = place_of(function, code) if sent_from is None else sent_from[0]
    return f"{file.absolute()}{function.removeprefix(path_of(function))}"


@contextmanager
def sent(files: Mapping[str, tuple[Path, Path]]) -> Iterator[None]:
    """Look for the files of these policies elsewhere while drives are made and run.

    Args:
        files: where each is at home, and where it is here, by the names of the policies.
    """
    token = _SENT.set(files)
    try:
        yield
    finally:
        _SENT.reset(token)


@contextmanager
def looked_for(source: str, settings: Iterable[tuple[str, str]]) -> Iterator[None]:
    """Look for the policies of a drive where its files and settings name them, while it is made.

    Args:
        source: preset or device file.
        settings: on top of it, key and value.

    Raises:
        InputError: if both name a policy alike and mean two files.
    """
    found = _files(source, settings)
    token = _OF_DRIVE.set(found)
    try:
        yield
    finally:
        _OF_DRIVE.reset(token)
    for function, file in found.items():
        if file.is_file():
            _KNOWN.setdefault(function, {})[digest(file)] = file


def _files(source: str, settings: Iterable[tuple[str, str]]) -> dict[str, Path]:
    # Of a hundred thousand drives most have no file and no policy of one's own: nothing else is parsed.
    given = of_settings(each for each in settings if "function" in each[0] or "{" in each[1])
    layers = list(_layers(source))
    if not given and not layers:
        return {}
    elsewhere = _SENT.get({})
    found: dict[str, Path] = {}
    for kind in KINDS:
        of_setting = given.get(f"{kind}.function")
        placed: tuple[str, Path] | None
        if of_setting is not None:
            _, here = elsewhere.get(of_setting, (None, Path(path_of(of_setting))))
            placed = of_setting, here
        else:
            named = ((_function(table, kind), file.parent) for file, table in layers)
            placed = next(((name, folder / path_of(name)) for name, folder in named if name), None)
        if placed is None:
            continue
        function, file = placed[0], placed[1].absolute()
        if found.setdefault(function, file) != file:
            raise InputError(
                f'"{function}" names {found[function]} and, for {kind}, {file}: write the whole path of one'
            )
    return found


def _layers(source: str) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    """Read a device file and what it is based on; what is wrong with them is for the core to say."""
    for _ in range(MOST_FILES):
        file = Path(source)
        if not (file.suffix == ".toml" or "/" in source) or "\0" in source or not file.is_file():
            return
        try:
            table = toml_file(file)
        except InputError:
            return
        yield file, table
        base = str(table.get("base", ""))
        # As the core finds it: in the present folder, or else beside the file that names it.
        beside = file.parent / base
        source = str(beside) if "\0" not in base and beside.is_file() and not Path(base).exists() else base


def _function(table: Mapping[str, Any], kind: str) -> str | None:
    """Give the name of a policy in a device file."""
    found: Any = table
    for key in (*kind.split("."), "function"):
        found = found.get(key) if isinstance(found, Mapping) else None
    return found if isinstance(found, str) else None
