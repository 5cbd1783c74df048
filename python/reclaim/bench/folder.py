"""Opens the folder of a sweep: a new one, or one that an earlier run of the same experiment left."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from reclaim import input_file, output_file, output_folder
from reclaim.bench.commands import described
from reclaim.bench.experiment import Experiment
from reclaim.bench.store import PARTIAL, TRACES, Store
from reclaim.errors import InputError
from reclaim.output_folder import EXPERIMENT
from reclaim.parsing import toml_file
from reclaim.traces.generate import generate_trace


def fault(folder: Path, name: str) -> str | None:
    """Say why a sweep must not write into `folder` without being forced; None if it may.

    Args:
        folder: where; it need not exist.
        name: what the experiment is called: one of the same name may have been edited since.
    """
    if not os.path.lexists(folder):
        return None
    known = folder / EXPERIMENT
    # Looked at first: another command of the sweep may begin, and the experiment is what it writes first.
    strange = sorted(each.name for each in folder.iterdir() if not each.name.startswith(PARTIAL))
    if (other := output_folder.of_another_kind(folder, "sweep")) is not None:
        return other
    if not input_file.is_there(known):
        return f"{folder}: is not empty, and no sweep wrote what is in it ({strange[0]})" if strange else None
    try:
        there = toml_file(known).get("name")
    except InputError:
        return f"{known}: is no experiment"
    if there == name:
        return None
    return f'{folder}: has the points of another experiment, "{there}", not of "{name}"'


@contextmanager
def opened(folder: Path, experiment: Experiment, *, force: bool, shared: bool) -> Iterator[Store]:
    """Open a folder for a sweep, and keep others out as long.

    Args:
        folder: where points are stored.
        experiment: what is run.
        force: use a folder that has other things: points of another experiment are put aside.
        shared: let other commands of the same kind write there, too.

    Raises:
        InputError: if the folder cannot be used, or another run is writing there.
    """
    output_file.check_open_files(f"{folder}: cannot write a sweep here")
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder}: is a file; a sweep is written to a folder")
    try:
        reason = None if force else fault(folder, experiment.name)
        if reason is not None:
            raise InputError(
                f"{reason}; give another folder, or --force, which keeps what it does not replace"
            )
        folder.mkdir(parents=True, exist_ok=True)
        place = output_folder.locked(folder, shared=shared)
    except OSError as error:
        raise InputError(f"{folder}: cannot write a sweep here: {error.strerror or error}") from None
    try:
        store = Store(folder)
        try:
            # First of all: whatever ends this process, the next one knows the folder.
            _describe(store, experiment)
            store.prepare()
        except OSError as error:
            raise InputError(f"{folder}: cannot write a sweep here: {error.strerror or error}") from None
        yield store
    finally:
        os.close(place)


def _describe(store: Store, experiment: Experiment) -> None:
    """Write what is run, and what generates its traces, where it is not there already."""
    _write(store.folder / EXPERIMENT, experiment.text)
    for entry in experiment.parts.traces:
        if entry.generate is not None:
            text = generate_trace(name=entry.name, **entry.generate).description
            (store.folder / TRACES).mkdir(exist_ok=True)
            _write(described(store.folder, entry.name), text or "")


def _write(path: Path, text: str) -> None:
    if not path.is_file() or input_file.data(path) != text.encode():
        output_file.write_text(path, text)
