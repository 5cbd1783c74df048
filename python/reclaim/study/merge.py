"""Puts the folders of parts of one sweep together."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Literal, NamedTuple

from reclaim import input_file, output_file
from reclaim.checksums import checksums
from reclaim.errors import InputError
from reclaim.output_folder import EXPERIMENT
from reclaim.parsing import toml_file
from reclaim.result.sets.log import Line, stored_lines
from reclaim.result.sets.stored import POINTS
from reclaim.study.consolidate import AT_ONCE
from reclaim.study.store import FOUND, TRACES, Packed, Store, begun


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
            waiting: list[Packed] = []
            lines = stored_lines(folder)
            with closing(Store(folder)) as part:
                for point in sorted(part.ids()):
                    found = _take(part, store, point, lines.get(point))
                    taken, there = taken + (found is not None), there + (found is None)
                    waiting += [found] if isinstance(found, Packed) else []
                    if len(waiting) == AT_ONCE:
                        store.pack(waiting)
                        waiting = []
            if waiting:
                store.pack(waiting)
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


def _take(part: Store, store: Store, point: str, line: Line | None) -> Packed | Literal[True] | None:
    """Copy a point that has a folder, or give one of many to be copied; None if it is there already.

    `line` is what the log says of it.
    """
    source, noted = part.point(point), part.noted(point)
    known = noted.files or checksums(source)
    if (reason := part.changed(point, known)) is not None:
        raise InputError(
            f"{source}: {reason} since it was written; sweep {part.folder} again, which runs it anew"
        )
    if store.has(point):
        if (reason := store.changed(point, known)) is not None:
            raise InputError(f"{source}: is not the same as {store.point(point)}: {reason}")
        return None
    note = line or {"point": point, "outcome": FOUND}
    if noted.place is not None:
        return Packed(point, part.unpacked(point) or {}, note)
    with store.beginning(point) as partial:
        shutil.copytree(source, partial, dirs_exist_ok=True)
        store.commit(point, partial, note)
    return True
