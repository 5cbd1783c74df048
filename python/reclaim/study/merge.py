"""Puts the folders of parts of one sweep together."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from reclaim import input_file, output_file
from reclaim.checksums import changed, checksums
from reclaim.errors import InputError
from reclaim.output_folder import EXPERIMENT
from reclaim.parsing import toml_file
from reclaim.result.sets import log
from reclaim.study.store import FOUND, PARTIAL, POINTS, TRACES, Store, begun


class Merged(NamedTuple):
    """What was put together."""

    taken: int
    """Points that are new in the folder."""
    there: int
    """Points that it had already, with the same files."""


def merge(folders: Sequence[Path], output: Path, *, force: bool = False) -> Merged:
    """Copy the points of several folders into one, with what the logs say of them.

    The same sweep into that folder then makes the tables, and runs what is missing.

    Args:
        folders: of the same experiment, each with some of its points.
        output: may have points already.
        force: use a folder that has other things.

    Raises:
        InputError: for a folder without points, another experiment, a point that is not as it was written,
            and one that two folders have with different files.
    """
    parts = [_part_of(folder) for folder in folders]
    name, text = parts[0]
    for folder, (other_name, other) in zip(folders, parts, strict=True):
        if other != text:
            told = f'"{other_name}", not "{name}"' if other_name != name else f'another version of "{name}"'
            raise InputError(
                f"{folder}: has points of {told}, which {folders[0]} has; merge parts of one sweep"
            )
    taken = there = 0
    with begun(output, name, lambda: output_file.write_text(output / EXPERIMENT, text), force=force) as store:
        for folder in folders:
            part, notes = Store(folder), log.read(folder)
            for point in sorted(each.name for each in (folder / POINTS).iterdir() if each.is_dir()):
                if point.startswith(PARTIAL):
                    continue
                if _take(part, store, point, notes.of(point)):
                    taken += 1
                else:
                    there += 1
            for description in (folder / TRACES).glob("*.toml"):
                output_file.write_text(output / TRACES / description.name, input_file.text(description))
        store.tidy()
    return Merged(taken, there)


def _part_of(folder: Path) -> tuple[str, str]:
    """Give the name and the text of the experiment whose points a folder has."""
    file = folder / EXPERIMENT
    if not input_file.is_there(file) or not (folder / POINTS).is_dir():
        raise InputError(f"{folder}: no sweep has written points there")
    return str(toml_file(file).get("name")), input_file.text(file)


def _take(part: Store, store: Store, point: str, noted: log.Noted) -> bool:
    """Copy a point unless it is there already; whether it is new."""
    source = part.point(point)
    known = noted.files or checksums(source)
    if (reason := changed(source, known)) is not None:
        raise InputError(
            f"{source}: {reason} since it was written; sweep {part.folder} again, which runs it anew"
        )
    if store.has(point):
        if (reason := changed(store.point(point), known)) is not None:
            raise InputError(f"{source}: is not the same as {store.point(point)}: {reason}")
        return False
    with store.beginning(point) as partial:
        shutil.copytree(source, partial, dirs_exist_ok=True)
        store.commit(point, partial, noted.line or {"point": point, "outcome": FOUND})
    return True
