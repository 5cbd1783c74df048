"""Reading `paper.toml`: what a paper is, what of it runs at which level, and the readings of unclear text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, cast

from reclaim import input_file
from reclaim.errors import InputError
from reclaim.papers.claims import Claim, Expected
from reclaim.papers.expected import load_expected
from reclaim.papers.experiments import Known, known
from reclaim.papers.fields import Fields, twice
from reclaim.papers.headlines import Headline, headlines_of
from reclaim.papers.loads import RULES
from reclaim.papers.metrics import figures
from reclaim.papers.variants import Reading, Setting
from reclaim.parsing import toml_file
from reclaim.shipped import PAPERS
from reclaim.suggestions import near
from reclaim.traces.catalogue.files import folders_of

VARIABLE = "RECLAIM_PAPERS"
FILE = "paper.toml"
Level = Literal["quick", "default", "full"]
LEVELS: tuple[Level, ...] = ("quick", "default", "full")
OTHER_TRACES = ("recording", "stand-in")
"""Kinds of workloads whose absolute figures are not the paper's."""
CELL = ("device", "trace")
"""What tells cells apart beside the axes."""
WHICH_FIGURES = "docs/results.md has all, and points.parquet of any sweep as columns"
KINDS = ("real", "recording", "stand-in", "generated", "calculated")


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
    full_set: Mapping[str, Setting] = field(default_factory=dict)
    """Settings that this file is played with instead of those of the trace in the experiment."""
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
    alternatives: Mapping[str, Mapping[str, Path]]
    """Experiments in place of those of the level, by what is other about them; not at the quick level."""
    beyond: Mapping[str, Mapping[str, Path]]
    """The same for what goes past the paper, at the full level only; experiments of further names may run."""
    module: str
    """Python module that computes figures outside a sweep, if there is one."""
    deviations: tuple[str, ...]
    unsettled: tuple[str, ...]
    """What our figures hang on that no reading declares: with what it was measured, on what it may depend."""
    expected: Expected
    headlines: tuple[Headline, ...]
    """What its claims come to, for `--why`."""


def folders() -> list[Path]:
    """Where papers are looked for: RECLAIM_PAPERS, else those that come with Reclaim."""
    return folders_of(VARIABLE) or [PAPERS]


def came_with_reclaim(paper: Paper) -> bool:
    """Whether the folder of a paper is one of those that come with Reclaim."""
    return paper.folder.resolve().parent == PAPERS


def keys() -> list[str]:
    """Keys of the papers that can be reproduced."""
    found = {file.parent.name for folder in folders() for file in folder.glob(f"*/{FILE}")}
    return sorted(found)


def find(key: str) -> Path:
    """The folder of a paper: by its key, or by its path.

    Raises:
        InputError: if there is none.
    """
    if input_file.is_there(Path(key) / FILE):
        return Path(key)
    for folder in folders():
        if input_file.is_there(folder / key / FILE):
            return folder / key
    if Path(key).exists() and not Path(key).is_dir():
        raise InputError(f"{key}: is no folder with a {FILE}, in which a paper is")
    valid = keys()
    where = " or ".join(str(folder) for folder in folders())
    known = f"papers: {', '.join(valid)}{near(key, valid)}" if valid else f"there is none in {where}"
    raise InputError(f'no paper "{key}"; {known}; or the path of a folder with a {FILE}')


def load_paper(key: str) -> Paper:
    """Read a paper and its claims.

    Raises:
        InputError: for anything wrong with it, with the file and the key.
    """
    folder = find(key)
    path = folder / FILE
    fields = Fields(path, "the file", toml_file(path))
    workloads = tuple(_workload(path, index, each) for index, each in enumerate(fields.tables("workload"), 1))
    readings = tuple(_reading(path, index, each) for index, each in enumerate(fields.tables("reading"), 1))
    expected = load_expected(folder / "expected.toml")
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
        alternatives=_alternatives(fields, "alternatives", folder),
        beyond=_alternatives(fields, "beyond", folder),
        module=fields.text("module", ""),
        deviations=fields.texts("deviations"),
        unsettled=fields.texts("unsettled"),
        expected=expected,
        headlines=headlines_of(fields, folder, expected.claims),
    )
    fields.done()
    if paper.key != folder.resolve().name:
        raise fields.fault(f'key = "{paper.key}", but the folder is called {folder.resolve().name}')
    for name in paper.varied:
        if name not in paper.levels["full"]:
            raise fields.fault(f'varied: level full has no experiment "{name}"')
    for label, files in paper.alternatives.items():
        for name in files:
            if name not in paper.levels["full"]:
                raise fields.fault(f'alternatives: {label}: level full has no experiment "{name}"')
    again = twice([*(each.name for each in workloads), *(each.name for each in readings)])
    if again is not None:
        raise fields.fault(f'two workloads or readings are called "{again}"')
    _check_claims(paper)
    return paper


def _rule(fields: Fields, name: str) -> str:
    if name not in RULES:
        raise fields.fault(f'loads: no rule "{name}"; valid: {", ".join(RULES)}{near(name, RULES)}')
    return name


def _texts(fields: Fields, key: str) -> dict[str, str]:
    table = fields.table(key) or {}
    for name, value in table.items():
        if not isinstance(value, str):
            raise fields.fault(f"{key}.{name} = {value!r} is not a text")
    return table


def _levels(fields: Fields, folder: Path) -> dict[Level, dict[str, Path]]:
    inner = Fields(fields.file, "levels", fields.table("levels") or {})
    found: dict[Level, dict[str, Path]] = {level: _experiments(inner, level, folder) for level in LEVELS}
    inner.done()
    return found


def _alternatives(fields: Fields, key: str, folder: Path) -> dict[str, dict[str, Path]]:
    table = fields.table(key) or {}
    inner = Fields(fields.file, key, table)
    return {name: _experiments(inner, name, folder) for name in table}


def _experiments(fields: Fields, key: str, folder: Path) -> dict[str, Path]:
    found = {name: folder / file for name, file in _texts(fields, key).items()}
    for name, file in found.items():
        if not input_file.is_there(file):
            raise fields.fault(f"{key}.{name}: no file {file}")
    return found


def _workload(path: Path, index: int, table: dict[str, Any]) -> Workload:
    fields = Fields(path, f"workload {index}", table)
    found = Workload(
        name=fields.text("name"),
        kind=fields.choice("kind", KINDS),
        of=fields.text("of"),
        full=fields.text("full", ""),
        full_set=fields.table("full_set") or {},
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
        beside=fields.texts("beside"),
    )
    if found.default not in settings or not all(isinstance(each, dict) for each in settings.values()):
        valid = ", ".join(settings) or "none are given"
        raise fields.fault(f'default = "{found.default}" is none of the named groups of settings: {valid}')
    fields.done()
    return found


def _check_claims(paper: Paper) -> None:
    """Claims and readings name experiments, schemes and workloads that there are."""
    of_levels = known(paper.levels.values(), paper.folder)
    further = known((*paper.alternatives.values(), *paper.beyond.values()), paper.folder)
    schemes = {name: each.schemes for name, each in of_levels.items()}
    about = Fields(paper.folder / FILE, "the file", {})
    if paper.expected.families and not paper.module:
        raise about.fault("expected.toml has families, which need a module")
    for name in paper.varied:
        _known(about, "baseline", paper.baseline, schemes[name])
    every = sorted(set().union(*schemes.values())) if schemes else []
    for reading in paper.readings:
        for scheme in (*reading.schemes, *reading.beside):
            _known(about, f"reading {reading.name}: scheme", scheme, every)
    for workload in paper.workloads:
        if of_levels:
            traces = sorted({name for each in of_levels.values() for name in each.traces})
            _known(about, "workload", workload.name, traces)
    for title, scheme in paper.schemes.items():
        if every:
            _known(about, f'schemes: "{title}"', scheme, sorted({*every, *_schemes_of(further)}))
    for claim in paper.expected.claims:
        _check_claim(paper, claim, of_levels)


def _schemes_of(experiments: Mapping[str, Known]) -> list[str]:
    return [name for each in experiments.values() for name in each.schemes]


def _check_claim(paper: Paper, claim: Claim, experiments: Mapping[str, Known]) -> None:
    fields = Fields(paper.folder / "expected.toml", f'claim "{claim.id}"', {})
    if claim.figure and not paper.module:
        raise fields.fault(f"figure needs a module, and {paper.folder / FILE} names none")
    wanted = claim.measure
    if wanted is None:
        return
    _known(fields, "experiment", wanted.experiment, sorted(experiments))
    there = experiments[wanted.experiment]
    for scheme in (wanted.scheme, *wanted.baseline):
        _known(fields, "scheme", scheme, there.schemes)
    if wanted.metric not in figures():
        meant = near(wanted.metric, figures())
        raise fields.fault(f'metric "{wanted.metric}" is no figure of a run{meant}; {WHICH_FIGURES}')
    for axis in (*wanted.where, *([wanted.along] if wanted.along else [])):
        _known(fields, "axis", axis, [*there.axes, *there.varied, *CELL])
    if wanted.vary:
        _known(fields, "variation of", wanted.vary.partition("=")[0], _variations(paper, there))
    for name in wanted.workloads:
        _known(fields, "workload", name, [each.name for each in paper.workloads])


def _variations(paper: Paper, experiment: Known) -> list[str]:
    """What may differ from the default cells: what the file varies, readings, and other experiments."""
    readings = (each.name for each in paper.readings)
    return [*experiment.varied, *readings, *paper.alternatives, *paper.beyond]


def _known(fields: Fields, what: str, name: str, valid: Sequence[str]) -> None:
    if name not in valid:
        there = ", ".join(dict.fromkeys(valid)) or "none"
        raise fields.fault(f'{what} "{name}" is not there; there are: {there}{near(name, valid)}')
