"""What is judged, as a user names it: a policy, a score, a scheme, settings, or several of these."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from reclaim.errors import InputError
from reclaim.parsing import leaves, split_outside, toml_file, toml_value
from reclaim.policy.marks import is_own
from reclaim.policy.places import path_of
from reclaim.study.comparing import scheme_of

CANDIDATE = "candidate"
"""Beside a card, the folder of the files that its candidate is made of."""
SCORE = "score="
OF_THE_SUITE = (
    *("geometry.", "host.", "trace.", "warmup.", "measure.", "controller.", "channel.", "seed"),
    *("flash.t_", "flash.cell"),
)
"""How keys begin that would make another drive, or another load."""


def entry_of(text: str, name: str = "") -> dict[str, Any]:
    """Give the entry of an experiment file that a candidate is.

    >>> entry_of("greedy+ftl.separation=sepbit")["set"]
    {'ftl.separation': 'sepbit'}
    >>> entry_of("score=-age * valid")["set"]
    {'gc.victim': '{ kind = "score", score = "-age * valid" }'}

    Args:
        text: parts joined by `+`: FILE.py:NAME, score=EXPRESSION, FILE.toml of settings, a scheme, KEY=VALUE.
        name: what to call it; empty for the text.

    Raises:
        InputError: for what is none of these, and a file that has no such policy.
    """
    joined: list[str] = []
    settings: dict[str, Any] = {}
    for part in (part.strip() for part in split_outside(text, "+")):
        if part.startswith(SCORE):
            expression = part.removeprefix(SCORE).strip()
            given: dict[str, Any] = {"gc.victim": toml_value({"kind": "score", "score": expression})}
        elif part.endswith(".toml"):
            given = {".".join(keys): value for keys, value in leaves(toml_file(Path(part)))}
        else:
            names, given = scheme_of(part)
            joined += names
        if drive := [key for key in given if key.startswith(OF_THE_SUITE)]:
            raise InputError(
                f"{drive[0]}: is of the drive or the load, which the suite says; a candidate may set what is "
                "decided by firmware: gc, ftl, scheduler, interconnect, flash.suspend, redundancy"
            )
        if twice := settings.keys() & given.keys():
            raise InputError(f'"{text}": {", ".join(sorted(twice))} is given twice; give it once')
        settings |= given
    return {"name": name or short(text), "schemes": joined, "set": settings}


def short(text: str) -> str:
    """Leave out the folders of files: the name stands in tables."""
    return re.sub(r"[^+\s]*/(?=[^+/\s]+\.(py:\w+|toml)\b)", "", text)


def files_of(text: str, code: Iterable[Path]) -> Mapping[str, Path]:
    """Give the files that a candidate is made of, by the names that they have in one folder.

    There, `short(text)` names the same candidate.

    Args:
        text: what names it.
        code: the files of its policies, and those beside them that they follow from.

    Raises:
        InputError: if two of them would have one name.
    """
    parts = [part.strip() for part in split_outside(text, "+")]
    own = [Path(path_of(part)).absolute() for part in parts if is_own(part)]
    tables = [Path(part).absolute() for part in parts if part.endswith(".toml")]
    found = {each.name: each for each in tables}
    for file in dict.fromkeys([*own, *code]):
        above = next((each.parent for each in own if file.is_relative_to(each.parent)), file.parent)
        name = file.relative_to(above).as_posix()
        if found.setdefault(name, file) != file:
            raise InputError(f'"{text}": two of its files are called {name}; name one of them otherwise')
    return found
