"""Finding a policy by the name of its file and its own."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from hashlib import blake2b
from pathlib import Path
from typing import Any

from reclaim import input_file
from reclaim.errors import InputError
from reclaim.own_code import executed
from reclaim.policies.marks import MARK, digest
from reclaim.policies.places import place_of

LOADED = "reclaim_policy_"
"""How files of policies are called once they are loaded: none of them takes the place of a module."""
_REFUSED: ContextVar[str] = ContextVar("_REFUSED", default="")
"""Why no file may be imported now; empty where all may."""
FORM = "FILE.py:NAME, as in mine.py:fewest_valid"


@contextmanager
def refused(why: str) -> Iterator[None]:
    """Import no file of a policy meanwhile; refusals say why, unless that is empty."""
    token = _REFUSED.set(why)
    try:
        yield
    finally:
        _REFUSED.reset(token)


def split(function: str, code: str | None = None) -> tuple[Path, str]:
    """Take apart what names a policy.

    Args:
        function: its name.
        code: digest that its file must have; None for any.

    Raises:
        InputError: if it is no such name, or there is no such file.
    """
    path, _, name = function.rpartition(":")
    if not path.endswith(".py") or not name.isidentifier():
        raise InputError(f'function: "{function}" is not {FORM}')
    file = place_of(function, code)
    if not input_file.is_there(file):
        raise InputError(f'function: "{function}": there is no file {file.absolute()}{_elsewhere(path)}')
    return file, name


def _elsewhere(path: str) -> str:
    """Say where policies are looked for, where one is missing."""
    here = f"; {Path(path).absolute()} is one: write its whole path" if Path(path).is_file() else ""
    return f"; a file looks for its policies beside itself, the command line in the present folder{here}"


def code_of(function: str) -> str:
    """Give the digest of the file that a policy is in.

    Raises:
        InputError: if there is none.
    """
    return digest(split(function)[0])


def load(file: Path, name: str, code: str | None, kind: str) -> Any:
    """Import the file of a policy and give the policy.

    Args:
        file: is there.
        name: of the policy in it.
        code: digest that the file must have; None for any.
        kind: of policy, as `gc.victim`.

    Raises:
        InputError: if it is not there or none of that kind, or its file has changed or cannot be imported.
    """
    now = digest(file)
    if code is not None and code != now:
        raise InputError(
            f"function: {file} has changed since the configuration was made (it was {code}, it is {now}); "
            "leave out code to take the file as it is"
        )
    if why := _REFUSED.get():
        raise InputError(f"function: {file} {why}")
    module = _imported(file, now)
    found = getattr(module, name, None)
    if getattr(found, MARK, None) != kind:
        marked = [key for key, each in vars(module).items() if getattr(each, MARK, None) == kind]
        there = f"it has {', '.join(marked)}" if marked else "it has none"
        raise InputError(
            f'function: {file} has no policy "{name}" for {kind}; {there}. A policy is marked with a '
            "decorator of reclaim, as @reclaim.victim_policy"
        )
    return found


def _imported(file: Path, code: str) -> Any:
    for running in ("__main__", "__mp_main__"):
        # A script that simulates is not run again for the policy that stands in it.
        script = getattr(sys.modules.get(running), "__file__", None)
        if script is not None and Path(script).resolve() == file.resolve():
            return sys.modules[running]
    try:
        # Of two files with the same text, each says where its own mistakes are.
        place = blake2b(str(file.absolute()).encode(), digest_size=8).hexdigest()
        return executed(file, f"{LOADED}{code}_{place}")
    except (Exception, SystemExit) as error:
        raise InputError(f"function: {where(error, file)}") from error


def where(error: BaseException, file: Path) -> str:
    """Say what went wrong in a file of the user's: its last line there, and the exception."""
    inside = [
        each for each in traceback.extract_tb(error.__traceback__) if Path(each.filename).name == file.name
    ]
    line = inside[-1].lineno if inside else getattr(error, "lineno", None)
    place = f"{file}:{line}" if line else str(file)
    return f"{place}: {type(error).__name__}: {error}"
