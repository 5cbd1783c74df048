"""Reading `paper.toml`: what a paper is, what of it runs at which level, and the readings of unclear text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import AfterValidator, Field, InstanceOf

from reclaim import input_file
from reclaim.errors import InputError
from reclaim.mistakes import KeyPath, Mistakes, valid
from reclaim.paper.claims import Claim, Expected
from reclaim.paper.entries import File, ListOf
from reclaim.paper.expected import load_expected
from reclaim.paper.experiments import ExperimentNames, Reading, figures, known
from reclaim.parsing import text_of
from reclaim.sections import Section, Words, Wrong, listed, load, must, named_twice
from reclaim.shipped import PAPERS
from reclaim.suggestions import near
from reclaim.trace.catalogue.files import folders_of


def _folder_name(name: str) -> str:
    if not name.replace("-", "").isalnum():
        raise must("letters, digits and hyphens: a folder is called so")
    return name


class Headline(Section):
    """What a paper concludes, as a comparison of two schemes."""

    name: Annotated[Words, AfterValidator(_folder_name)]
    """Of its folder among the results."""
    says: Words
    """The paper's conclusion, in a sentence."""
    claims: ListOf[Words] = ()
    """Claims that fall with it: what turns it, turns them."""
    file: File
    """Experiment with a section `[sensitivity]`, and with `[ablation]` where parts can be taken out."""


VARIABLE = "RECLAIM_PAPERS"
FILE = "paper.toml"
Level = Literal["quick", "default", "full"]
Rule = Literal["own", "30%", "60%", "closed"]
LEVELS: tuple[Level, ...] = get_args(Level)
OTHER_TRACES = ("recording", "stand-in")
"""Kinds of workloads whose absolute figures are not the paper's."""
CELL = ("device", "trace")
"""What tells cells apart beside the axes."""
WHICH_FIGURES = "docs/results.md has all, and points.parquet of any sweep as columns"


class PaperWorkload(Section):
    """A workload of the paper, and what we run in its place."""

    name: Words
    """Name of the trace in experiment files."""
    kind: Literal["real", "recording", "stand-in", "generated", "calculated"]
    """`real` is the paper's own trace, `recording` ours of the same application."""
    of: Words
    """What the paper calls it."""
    full: Words = ""
    """File that takes its place if it lies in the folder of --traces."""
    full_set: Mapping[str, Any] = Field(default_factory=dict)
    """Settings that this file is played with instead of those of the trace in the experiment."""
    note: Words = ""


Files = Mapping[str, File]
"""Experiments: name to file."""


def _all_levels(levels: Mapping[Level, Files]) -> Mapping[Level, Files]:
    return {level: levels.get(level, {}) for level in LEVELS}


class PaperFile(Section):
    """A paper, as its `paper.toml` describes it."""

    key: Words
    title: Words
    authors: Words
    about: Words
    drive: Words
    baseline: Words
    schemes: Mapping[str, Words] = Field(default_factory=dict)
    """The paper's names to ours."""
    workloads: Annotated[tuple[PaperWorkload, ...], named_twice("workload", "name")] = Field(
        (), alias="workload"
    )
    readings: Annotated[tuple[Reading, ...], named_twice("reading", "name")] = Field((), alias="reading")
    load: Rule = "own"
    """The load rule that agreements rest on."""
    loads: ListOf[Rule] = ()
    """The others that --full tries."""
    levels: Annotated[Mapping[Level, Files], AfterValidator(_all_levels)] = Field(
        default_factory=lambda: _all_levels({})
    )
    """Experiments of each level."""
    varied: ListOf[Words] = ()
    """Experiments that --full runs under other loads and readings, and with their variations."""
    alternatives: Mapping[str, Files] = Field(default_factory=dict)
    """Experiments in place of those of the level, by what is other about them; not at the quick level."""
    beyond: Mapping[str, Files] = Field(default_factory=dict)
    """The same for what goes past the paper, at the full level only; experiments of further names may run."""
    module: Words = ""
    """Python module that computes figures outside a sweep, if there is one."""
    deviations: ListOf[Words] = ()
    unsettled: ListOf[Words] = ()
    """What our figures hang on that no reading declares: with what it was measured, on what it may depend."""
    headlines: Annotated[tuple[Headline, ...], named_twice("headline", "name")] = Field((), alias="headline")
    """What its claims come to, for `--why`."""

    @classmethod
    def mistakes_in(cls, table: Mapping[str, Any], folder: Path, /) -> Iterable[Wrong]:
        """See that its key is that of the folder, and that what is varied is run at level full."""
        called = folder.resolve().name
        if "key" in table and table["key"] != called:
            yield Wrong(("key",), f'"{table["key"]}", but the folder is called {called}')
        levels, alternatives = table.get("levels", {}), table.get("alternatives", {})
        full = levels.get("full", {}) if isinstance(levels, Mapping) else {}
        others = alternatives.items() if isinstance(alternatives, Mapping) else ()
        named: list[tuple[KeyPath, Any]] = [
            (("varied", number), name) for number, name in enumerate(listed(table.get("varied")))
        ]
        named += [
            (("alternatives", label, name), name)
            for label, files in others
            for name in (files if isinstance(files, Mapping) else ())
        ]
        for path, name in named:
            if name not in full:
                yield Wrong(path, f'level full has no experiment "{name}"; {valid(str(name), full)}')
        names = {each.get("name") for each in listed(table.get("workload")) if isinstance(each, Mapping)}
        for number, each in enumerate(listed(table.get("reading"))):
            if isinstance(each, Mapping) and each.get("name") in names:
                yield Wrong(("reading", number, "name"), f'there is a [[workload]] "{each["name"]}" already')


class Paper(PaperFile):
    """A paper with its claims."""

    folder: Path
    expected: InstanceOf[Expected]

    @property
    def workload_names(self) -> tuple[str, ...]:
        """Names of the workloads, in the paper's order."""
        return tuple(each.name for each in self.workloads)


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
    file = load(PaperFile, folder / FILE, folder)
    expected = load_expected(folder / "expected.toml")
    paper = Paper.model_construct(**dict(file), folder=folder, expected=expected)
    _check_names(paper)
    return paper


def _mistakes(file: Path) -> Mistakes:
    return Mistakes(str(file), text_of(file))


def _check_names(paper: Paper) -> None:
    """Claims, readings and headlines name experiments, schemes, workloads and claims that there are."""
    of_levels = known(paper.levels.values(), paper.folder)
    own, printed = (_mistakes(paper.folder / name) for name in (FILE, "expected.toml"))
    if paper.expected.families and not paper.module:
        own.add((), "expected.toml has families, which need a module")
    _check_schemes(paper, of_levels, own)
    traces = sorted({name for each in of_levels.values() for name in each.traces})
    for number, workload in enumerate(paper.workloads if of_levels else ()):
        _known(own, ("workload", number, "name"), "workload", workload.name, traces)
    claims = [each.id for each in paper.expected.claims]
    for number, headline in enumerate(paper.headlines):
        for name in headline.claims:
            _known(own, ("headline", number, "claims"), "claim", name, claims)
    own.refuse()
    for number, claim in enumerate(paper.expected.claims):
        if claim.figure and not paper.module and not input_file.is_there(paper.folder / "measures.toml"):
            text = f"figure needs a measures.toml or a module, and {paper.folder / FILE} names none"
            printed.add(("claim", number, "figure"), text)
        _check_measure(paper, claim, ("claim", number, "measure"), of_levels, printed)
    printed.refuse()


def _check_schemes(paper: Paper, of_levels: Mapping[str, ExperimentNames], mistakes: Mistakes) -> None:
    further = known((*paper.alternatives.values(), *paper.beyond.values()), paper.folder)
    for name in paper.varied:
        _known(mistakes, ("baseline",), "scheme", paper.baseline, of_levels[name].schemes)
    every = sorted({scheme for each in of_levels.values() for scheme in each.schemes})
    for number, reading in enumerate(paper.readings):
        for key in ("schemes", "beside"):
            for scheme in getattr(reading, key):
                _known(mistakes, ("reading", number, key), "scheme", scheme, every)
    there = sorted({*every, *(scheme for each in further.values() for scheme in each.schemes)})
    for title, scheme in paper.schemes.items() if every else ():
        _known(mistakes, ("schemes", title), "scheme", scheme, there)


def _check_measure(
    paper: Paper, claim: Claim, path: KeyPath, experiments: Mapping[str, ExperimentNames], mistakes: Mistakes
) -> None:
    measure = claim.measure
    if measure is None:
        return
    if measure.experiment not in experiments:
        _known(mistakes, path, "experiment", measure.experiment, sorted(experiments))
        return
    there = experiments[measure.experiment]
    for scheme in (measure.scheme, *measure.baseline):
        _known(mistakes, path, "scheme", scheme, there.schemes)
    if measure.metric not in figures():
        meant = near(measure.metric, figures())
        mistakes.add(path, f'metric "{measure.metric}" is no figure of a run{meant}; {WHICH_FIGURES}')
    for axis in (*measure.where, *([measure.along] if measure.along else [])):
        _known(mistakes, path, "axis", axis, [*there.axes, *there.varied, *CELL])
    if measure.vary:
        # What may differ from the default cells: what the file varies, readings, and other experiments.
        readings = (each.name for each in paper.readings)
        others = [*there.varied, *readings, *paper.alternatives, *paper.beyond]
        _known(mistakes, path, "variation of", measure.vary.partition("=")[0], others)
    for name in measure.workloads:
        _known(mistakes, path, "workload", name, [each.name for each in paper.workloads])


def _known(mistakes: Mistakes, path: KeyPath, what: str, name: str, choices: Sequence[str]) -> None:
    if name not in choices:
        mistakes.add(path, f'{what} "{name}" is not there; {valid(name, dict.fromkeys(choices))}')
