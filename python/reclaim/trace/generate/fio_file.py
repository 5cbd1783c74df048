"""The files in which fio has its jobs: sections, and options with or without a value."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from reclaim.errors import InputError
from reclaim.parsing import text_of

GLOBAL = "global"


@dataclass(frozen=True)
class JobSection:
    """A job of a file, with what sections called `global` above it say."""

    name: str
    options: dict[str, str]
    places: dict[str, str]
    """Where each option stands: file and line."""


def read_jobs(path: Path) -> list[JobSection]:
    """Read a job file.

    Raises:
        InputError: if it cannot be read, or is none, with the line.
    """
    jobs: list[JobSection] = []
    shared = JobSection(GLOBAL, {}, {})
    now: JobSection | None = None
    for number, line in enumerate(text_of(path).splitlines(), 1):
        text = _without_comment(line)
        if not text:
            continue
        place = f"{path}:{number}"
        if text.startswith("["):
            name, bracket, rest = text[1:].partition("]")
            if not bracket or rest.strip() or not name.strip():
                raise InputError(f"{place}: {text!r} is no section, as in [job]")
            now = shared
            if name.strip() != GLOBAL:
                now = JobSection(name.strip(), dict(shared.options), dict(shared.places))
                jobs.append(now)
            continue
        if now is None:
            raise InputError(f"{place}: {text!r} stands before the first section: not a job file of fio")
        key, equals, value = text.partition("=")
        key = key.strip().lower()
        if not key or " " in key:
            raise InputError(f"{place}: {text!r} is no option, as in rw=randwrite or norandommap")
        # The last of several counts, and one of the job more than one of all.
        now.options[key] = value.strip() if equals else "1"
        now.places[key] = place
    if not jobs:
        raise InputError(f"{path}: has no job: a section such as [job] beside [global]")
    return jobs


def _without_comment(line: str) -> str:
    """Take off what stands behind a semicolon or a number sign."""
    text = line.strip()
    return "" if text.startswith(("#", ";")) else re.split(r"\s[;#]", text)[0].strip()
