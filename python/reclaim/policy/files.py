"""Finding a policy by the name of its file and its own."""

from __future__ import annotations

import ast
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from reclaim import input_file
from reclaim.errors import InputError
from reclaim.own_code import Whose, demand_leave, guarded
from reclaim.parsing import toml_value
from reclaim.policy.marks import DECORATORS, MARK, is_own
from reclaim.policy.modules import loaded
from reclaim.policy.places import place_of
from reclaim.policy.reads import PolicyReads, digest, of_file

FORM = "FILE.py:NAME, as in mine.py:fewest_valid"


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


def among(schemes: Sequence[str]) -> tuple[tuple[str, ...], dict[str, str]]:
    """Take policies of one's own out of names of schemes, where `mine.py:fewest_valid` is one.

    Returns:
        The other names, and the settings that choose the policies.

    Raises:
        InputError: for a name of which no decorator says what kind of policy it is, and for two of a kind.
    """
    settings: dict[str, str] = {}
    for function in filter(is_own, schemes):
        kind = _kind_by_decorator(function)
        if kind in settings:
            raise InputError(
                f'"{function}": there is another policy for {kind} beside it; give one of a kind'
            )
        settings[kind] = toml_value({"kind": "python", "function": function})
    return tuple(each for each in schemes if not is_own(each)), settings


def _kind_by_decorator(function: str) -> str:
    """What kind of policy a name is of; its file is read and not run."""
    file, name = split(function)
    try:
        body = ast.parse(input_file.text(file), str(file)).body
    except SyntaxError as error:
        raise InputError(f"{file}:{error.lineno}: {error.msg}") from None
    kinds = {each.name: _decorated(each) for each in body if isinstance(each, ast.FunctionDef | ast.ClassDef)}
    if kind := kinds.get(name):
        return kind
    known = [each for each, found in kinds.items() if found]
    there = f"it has {', '.join(known)}" if known else "it has none"
    raise InputError(
        f'{file} has no policy "{name}"; {there}. A policy is marked with a decorator of reclaim, as '
        "@reclaim.victim_policy"
    )


def _decorated(node: ast.FunctionDef | ast.ClassDef) -> str:
    """The kind of policy that a decorator makes of a function or class; nothing if none does."""
    names = (getattr(each, "attr", getattr(each, "id", "")) for each in node.decorator_list)
    return next((DECORATORS[each] for each in names if each in DECORATORS), "")


def _elsewhere(path: str) -> str:
    """Say where policies are looked for, where one is missing."""
    here = f"; {Path(path).absolute()} is one: write its whole path" if Path(path).is_file() else ""
    return f"; a file looks for its policies beside itself, the command line in the present folder{here}"


def load(file: Path, name: str, code: str | None, kind: str, reads: PolicyReads) -> Any:
    """Run the file of a policy and give the policy.

    Args:
        file: is there.
        name: of the policy in it.
        code: digest that it must have, with what it follows from; None for any.
        kind: of policy, as `gc.victim`.
        reads: hears of what it reads of its folder.

    Raises:
        InputError: if it may not run, is not there or none of that kind, or its file has changed or cannot be
            imported.
    """
    now = digest(file)
    if code is not None and of_file(code) != now:
        raise changed(file, str(of_file(code)), now)
    try:
        demand_leave(file)
    except InputError as error:
        raise InputError(f"function: {error}") from None
    module = _imported(file, name, reads)
    found = getattr(module, name, None)
    if _kind(found) != kind:
        marked = [key for key, each in vars(module).items() if _kind(each) == kind]
        there = f"it has {', '.join(marked)}" if marked else "it has none"
        raise InputError(
            f'function: {file} has no policy "{name}" for {kind}; {there}. A policy is marked with a '
            "decorator of reclaim, as @reclaim.victim_policy"
        )
    return found


def changed(file: Path, was: str, now: str, beside: str = "") -> InputError:
    """Say that the code of a configuration is no more."""
    what = f"{file}, or what it reads of its folder ({beside})," if beside else str(file)
    return InputError(
        f"function: {what} has changed since the configuration was made (it was {was}, it is {now}); "
        "leave out code to take the file as it is"
    )


def _kind(value: Any) -> str | None:
    """Give the kind of policy that a value was marked as; whatever its attributes do."""
    try:
        return getattr(value, MARK, None)
    except Exception:  # noqa: BLE001 - a value of the user's file that has nothing to do with this
        return None


def _imported(file: Path, name: str, reads: PolicyReads) -> Any:
    for running in ("__main__", "__mp_main__"):
        # A script that simulates is not run again for the policy that stands in it.
        script = getattr(sys.modules.get(running), "__file__", None)
        if script is not None and Path(script).resolve() == file.resolve() and not _is_importable(file, name):
            return sys.modules[running]
    try:
        return guarded(loaded, file, reads, whose=Whose(file, reads=reads))
    except InputError as error:
        raise InputError(f"function: {error}") from error


def _is_importable(script: Path, name: str) -> bool:
    """Whether a script does its work under `if __name__ == "__main__"`, so that others can import its names.

    A notebook does, but what stands in its cells is not at its top.
    """
    tree = ast.parse(input_file.data(script))
    if not any(isinstance(each, ast.FunctionDef | ast.ClassDef) and each.name == name for each in tree.body):
        return False
    return any(
        isinstance(each, ast.If) and '"__main__"' in ast.unparse(each.test).replace("'", '"')
        for each in tree.body
    )
