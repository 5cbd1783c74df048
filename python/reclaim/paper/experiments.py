"""The experiment files of a paper: read whole before anything runs, and what claims can name of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reclaim.errors import InputError
from reclaim.experiment.build import Builder
from reclaim.experiment.experiment import Experiment
from reclaim.mistakes import Mistakes
from reclaim.paper.variants import Table, scheme_name, trace_name


def read_table(file: Path, folder: Path) -> Table:
    """Read an experiment file as a table, with what it extends; devices and traces are those of the folder.

    Raises:
        InputError: with every mistake of its text.
    """
    return dict(Experiment.load(file, base=folder).table)


@dataclass
class Known:
    """What an experiment has, over all files of that name."""

    schemes: list[str] = field(default_factory=list)
    traces: list[str] = field(default_factory=list)
    axes: list[str] = field(default_factory=list)
    varied: list[str] = field(default_factory=list)


def known(files: Iterable[Mapping[str, Path]], folder: Path) -> dict[str, Known]:
    """Read the files, and give what each experiment has.

    Raises:
        InputError: for a mistake in one of them.
    """
    found: dict[str, Known] = {}
    read: set[tuple[str, Path]] = set()
    for name, file in (each for one in files for each in one.items()):
        if (name, file) in read:
            continue
        read.add((name, file))
        table = read_table(file, folder)
        here = found.setdefault(name, Known())
        here.schemes += map(scheme_name, table.get("schemes", []))
        here.traces += map(trace_name, table["traces"])
        here.axes += table.get("axes", {})
        here.varied += table.get("vary", {})
    return found


def check_settings(what: str, table: Mapping[str, Any], folder: Path) -> None:
    """See that every setting of an experiment is one that some drive takes; no trace is opened.

    Args:
        what: it was read from.
        table: the experiment.
        folder: where files that it names are looked for.

    Raises:
        InputError: with every one that is not, and what it was read from.
    """
    experiment = Experiment.from_dict(table, base=folder)
    mistakes = Mistakes(what)
    Builder(experiment.parts, folder, mistakes).check_settings()
    if messages := mistakes.messages():
        raise InputError("\n".join(messages))
