"""Reading `paper.toml`: what a paper is, what of it runs at which level, and the readings of unclear text."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

from reclaim.errors import InputError
from reclaim.papers.claims import Expected
from reclaim.papers.expected import load_expected
from reclaim.papers.fields import Fields, load, suggestion
from reclaim.papers.loads import RULES

VARIABLE = "RECLAIM_PAPERS"
FOLDER = Path(__file__).resolve().parents[3] / "papers"
"""The papers that come with the source; an installed wheel has none."""
FILE = "paper.toml"
Level = Literal["quick", "default", "full"]
LEVELS: tuple[Level, ...] = ("quick", "default", "full")
KINDS = ("real", "recording", "stand-in", "generated", "calculated")
Setting = str | int | float | bool


@dataclass(frozen=True)
class Reading:
    """One of the ways to understand an unclear text; each way is a group of settings."""

    name: str
    unclear: str
    """What the text leaves open, in our words."""
    default: str
    """The one that verdicts rest on, declared before anything was run."""
    why: str
    settings: Mapping[str, Mapping[str, Setting]]
    schemes: tuple[str, ...] = ()
    """Schemes that it is about; empty for all."""


@dataclass(frozen=True)
class Workload:
    """A workload of the paper, and what we run in its place."""

    name: str
    """Name of the trace in experiment files."""
    kind: str
    """`real` is the paper's own trace, `recording` ours of the same application."""
    of: str
    """What the paper calls it."""
    full: str = ""
    """File that takes its place if it lies in the folder of --traces."""
    note: str = ""


@dataclass(frozen=True)
class Paper:
    """A paper, as its folder describes it."""

    key: str
    folder: Path
    title: str
    authors: str
    about: str
    drive: str
    baseline: str
    schemes: Mapping[str, str]
    """The paper's names to ours."""
    workloads: tuple[Workload, ...]
    readings: tuple[Reading, ...]
    load: str
    """The load rule that verdicts rest on."""
    loads: tuple[str, ...]
    """The others that --full tries."""
    levels: Mapping[Level, Mapping[str, Path]]
    """Experiments of each level: name to file."""
    varied: tuple[str, ...]
    """Experiments that --full runs under other loads and readings, and with their variations."""
    module: str
    """Python module that computes figures outside a sweep, if there is one."""
    deviations: tuple[str, ...]
    expected: Expected


def folders() -> list[Path]:
    """Where papers are looked for: RECLAIM_PAPERS, else `papers/` of the checkout."""
    given = os.environ.get(VARIABLE)
    return [Path(each).expanduser() for each in given.split(os.pathsep) if each] if given else [FOLDER]


def keys() -> list[str]:
    """Keys of the papers that can be reproduced."""
    found = {file.parent.name for folder in folders() for file in folder.glob(f"*/{FILE}")}
    return sorted(found)


def find(key: str) -> Path:
    """The folder of a paper: by its key, or by its path.

    Raises:
        InputError: if there is none.
    """
    if (Path(key) / FILE).is_file():
        return Path(key)
    for folder in folders():
        if (folder / key / FILE).is_file():
            return folder / key
    valid = keys()
    where = " or ".join(str(folder) for folder in folders())
    known = f"papers: {', '.join(valid)}{suggestion(key, valid)}" if valid else f"there is none in {where}"
    raise InputError(f'no paper "{key}"; {known}; or the path of a folder with a {FILE}')


def load_paper(key: str) -> Paper:
    """Read a paper and its claims.

    Raises:
        InputError: for anything wrong with it, with the file and the key.
    """
    folder = find(key)
    path = folder / FILE
    fields = Fields(path, "the file", load(path))
    workloads = tuple(_workload(path, index, each) for index, each in enumerate(fields.tables("workload"), 1))
    readings = tuple(_reading(path, index, each) for index, each in enumerate(fields.tables("reading"), 1))
    paper = Paper(
        key=fields.text("key"),
        folder=folder,
        title=fields.text("title"),
        authors=fields.text("authors"),
        about=fields.text("about"),
        drive=fields.text("drive"),
        baseline=fields.text("baseline"),
        schemes=_texts(fields, "schemes"),
        workloads=workloads,
        readings=readings,
        load=fields.choice("load", RULES, "own"),
        loads=tuple(_rule(fields, each) for each in fields.texts("loads")),
        levels=_levels(fields, folder),
        varied=fields.texts("varied"),
        module=fields.text("module", ""),
        deviations=fields.texts("deviations"),
        expected=load_expected(folder / "expected.toml"),
    )
    fields.done()
    if paper.key != folder.resolve().name:
        raise fields.fault(f'key = "{paper.key}", but the folder is called {folder.resolve().name}')
    for name in paper.varied:
        if name not in paper.levels["full"]:
            raise fields.fault(f'varied: level full has no experiment "{name}"')
    names = [*(each.name for each in workloads), *(each.name for each in readings)]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice:
        raise fields.fault(f'two workloads or readings are called "{twice}"')
    _check_claims(paper)
    return paper


def _rule(fields: Fields, name: str) -> str:
    if name not in RULES:
        raise fields.fault(f'loads: no rule "{name}"; valid: {", ".join(RULES)}{suggestion(name, RULES)}')
    return name


def _texts(fields: Fields, key: str) -> dict[str, str]:
    table = fields.table(key) or {}
    for name, value in table.items():
        if not isinstance(value, str):
            raise fields.fault(f"{key}.{name} = {value!r} is not a text")
    return table


def _levels(fields: Fields, folder: Path) -> dict[Level, dict[str, Path]]:
    table = fields.table("levels") or {}
    inner = Fields(fields.file, "levels", table)
    found: dict[Level, dict[str, Path]] = {}
    for level in LEVELS:
        files = _texts(inner, level)
        found[level] = {name: folder / file for name, file in files.items()}
        for name, file in found[level].items():
            if not file.is_file():
                raise inner.fault(f"{level}.{name}: no file {file}")
    inner.done()
    return found


def _workload(path: Path, index: int, table: dict[str, Any]) -> Workload:
    fields = Fields(path, f"workload {index}", table)
    found = Workload(
        name=fields.text("name"),
        kind=fields.choice("kind", KINDS),
        of=fields.text("of"),
        full=fields.text("full", ""),
        note=fields.text("note", ""),
    )
    fields.done()
    return found


def _reading(path: Path, index: int, table: dict[str, Any]) -> Reading:
    fields = Fields(path, f"reading {index}", table)
    settings = fields.table("settings") or {}
    found = Reading(
        name=fields.text("name"),
        unclear=fields.text("unclear"),
        default=fields.text("default"),
        why=fields.text("why"),
        settings=cast(dict[str, dict[str, Setting]], settings),
        schemes=fields.texts("schemes"),
    )
    if found.default not in settings or not all(isinstance(each, dict) for each in settings.values()):
        valid = ", ".join(settings) or "none are given"
        raise fields.fault(f'default = "{found.default}" is none of the named groups of settings: {valid}')
    fields.done()
    return found


def _check_claims(paper: Paper) -> None:
    """Claims name experiments, workloads and readings that there are."""
    file = paper.folder / "expected.toml"
    experiments = {name for level in paper.levels.values() for name in level}
    workloads = [each.name for each in paper.workloads]
    for claim in paper.expected.claims:
        wanted = claim.measure
        fields = Fields(file, f'claim "{claim.id}"', {})
        if (claim.figure or paper.expected.families) and not paper.module:
            raise fields.fault(f"figure needs a module, and {paper.folder / FILE} names none")
        if wanted is None:
            continue
        if wanted.experiment not in experiments:
            near = suggestion(wanted.experiment, sorted(experiments))
            raise fields.fault(f'no level has an experiment "{wanted.experiment}"{near}')
        for name in wanted.workloads:
            if name not in workloads:
                raise fields.fault(f'no workload "{name}" in {FILE}{suggestion(name, workloads)}')
