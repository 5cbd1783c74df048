"""Entries of a paper's files: lists that may be single, files that must be there, and numbers."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Annotated, TypeVar

from pydantic import BeforeValidator, PlainValidator, ValidationInfo

from reclaim import input_file
from reclaim.sections import must

Entry = TypeVar("Entry")
ListOf = Annotated[
    tuple[Entry, ...], BeforeValidator(lambda given: given if isinstance(given, list | tuple) else [given])
]
"""A list, or a single entry of it."""


def _file(name: object, info: ValidationInfo) -> Path:
    if not isinstance(name, str) or not name.strip():
        raise must("the name of a file in the paper's folder")
    file = Path(info.context or ".", name)
    if not input_file.is_there(file):
        raise ValueError(f"no file {file}")
    return file


File = Annotated[Path, PlainValidator(_file)]
"""A file of the folder that is given as the context; it must be there."""


def finite(value: object) -> float | None:
    """A number of TOML that is neither infinite nor none at all; None for everything else.

    >>> finite(3), finite(float("nan")), finite(10**400), finite("3")
    (3.0, None, None, None)
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > sys.float_info.max:
        return None
    return None if math.isnan(value) else float(value)
