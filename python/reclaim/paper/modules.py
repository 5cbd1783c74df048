"""Which Python code a paper may name: that of its own folder; with leave, if it is not Reclaim's."""

from __future__ import annotations

import re
from hashlib import blake2b
from pathlib import Path
from types import ModuleType

from reclaim import input_file
from reclaim.errors import InputError
from reclaim.own_code import demand_leave, executed, refused

OWN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
LEAVE = (
    "is code that did not come with Reclaim, and would run with all rights that you have; read it, then say "
    "--allow-code (from Python allow_code=True)"
)
"""Why code of a paper's folder does not run."""
LOADED = "reclaim_paper_"
"""How modules of folders are called once they are loaded: none of them takes the place of another."""


def load(name: str, folder: Path, *, allow_code: bool) -> ModuleType:
    """Import a module that a paper names.

    Args:
        name: what a Python file or a package beside paper.toml is called.
        folder: that of the paper.
        allow_code: whether code of the folder may run.

    Raises:
        InputError: for every other name, if there is no such module, if it may not run, and if it fails.
    """
    about = f'{folder / "paper.toml"}: module = "{name}"'
    if not OWN.fullmatch(name):
        raise InputError(
            f"{about}: is not the name of a Python file or of a package beside paper.toml, without .py"
        )
    file = next(
        (
            each
            for each in (folder / f"{name}.py", folder / name / "__init__.py")
            if input_file.is_there(each)
        ),
        None,
    )
    if file is None:
        raise InputError(f"{about}: there is no {folder / name}.py")
    if not file.resolve().is_relative_to(folder.resolve()):
        raise InputError(f"{about}: {file} is a link out of the folder of the paper")
    with refused("" if allow_code else LEAVE):
        try:
            demand_leave(file)
        except InputError as error:
            raise InputError(f"{about}: {error}") from None
        return executed(file, LOADED + blake2b(str(file.resolve()).encode(), digest_size=8).hexdigest())
