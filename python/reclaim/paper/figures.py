"""A paper's own Python module: figures that no sweep measures, such as a formula or a validation table."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path
from types import ModuleType
from typing import Any

import polars as pl

from reclaim import input_file, table_file
from reclaim.charts import AnyChart
from reclaim.errors import InputError, ReclaimError
from reclaim.own_code import Whose, demand_leave, executed, guarded, refused
from reclaim.paper.claims import Claim, Family
from reclaim.paper.measured import Figure, of_experiment
from reclaim.paper.paper import Level, Paper, came_with_reclaim
from reclaim.result.sets.tables import OF_POINTS
from reclaim.study.study import Progress, Report

Tell = Callable[[str, int, int], object]
"""Called now and then with what is done, how much of it, and out of how much (0 where unknown)."""


@dataclass(frozen=True)
class PaperFigure:
    """A figure of a paper's module."""

    figure: Figure | None
    family: str = ""
    """Group of the `[[family]]` it belongs to; empty for a figure that a claim names itself."""
    expected: float | None = None
    """Of a family: what is to come out."""
    tolerance: float = 0.0
    unit: str = ""
    what: str = ""
    """What it is, where its name says more than a row of its family must."""
    parts: tuple[tuple[str, Figure], ...] = ()
    """What an order is claimed of, each by itself: workloads, metrics."""
    reason: str = ""
    """Why there is no figure at this level."""
    rule: str = ""
    """When a shape counts as there, with every threshold: it stands beside the agreement."""


def shape(holds: bool, repeats: int, rule: str) -> PaperFigure:
    """A shape as a figure: 1 if it is there in all of so many repeats; `rule` says when it is."""
    from reclaim.statistics.intervals import fewest

    value = float(holds)
    end = value if repeats >= fewest() else None
    return PaperFigure(Figure(value, end, end, repeats), rule=rule)


Brought = Mapping[str, Figure | PaperFigure] | Iterable[tuple[str, Figure | PaperFigure]]
"""Figures of a paper's module by name; a `Figure` is one of which there is no more to say."""


def by_name(figures: Brought) -> dict[str, PaperFigure]:
    """Give figures as they are judged."""
    return {
        name: PaperFigure(figure) if isinstance(figure, Figure) else figure
        for name, figure in dict(figures).items()
    }


@dataclass(frozen=True)
class LevelRuns:
    """What the sweeps of a level left."""

    level: Level
    load: str
    """The rule that agreements rest on."""
    points: pl.DataFrame
    """All of them, with `experiment_key` and `load` in front."""
    sweeps: Path
    """The folder with a folder for each sweep."""
    workloads: tuple[str, ...] = ()
    """Those of the paper, in its order."""

    def cells(self, experiment: str) -> pl.DataFrame:
        """The points of an experiment under the default load and readings."""
        if self.points.is_empty():
            return self.points
        return of_experiment(self.points, experiment, self.load)

    def timelines(self, experiment: str) -> pl.DataFrame:
        """The timelines of its points, if it recorded any."""
        file = self.sweeps / experiment / "timelines.parquet"
        return table_file.read(file, OF_POINTS["timelines"]) if input_file.is_there(file) else pl.DataFrame()


@dataclass(frozen=True)
class Drawing:
    """A figure of the report that is not one of claims."""

    title: str
    caption: str
    chart: AnyChart


@dataclass(frozen=True)
class PageTable:
    """A table of the paper's page that is not one of claims."""

    name: str
    """By which the template asks for it."""
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    """As the page shows them: numbers are text already."""


def leave(paper: Paper, *, allow_code: bool) -> AbstractContextManager[None]:
    """Let no code run that a paper brings or names, unless it came with Reclaim or may run."""
    return refused("" if allow_code or came_with_reclaim(paper) else LEAVE)


def _call(module: ModuleType | None, name: str, *arguments: Any) -> Any:
    """Call what a module has under a name; None if it has nothing there."""
    found = getattr(module, name, None)
    if found is None or module is None:
        return None
    return guarded(found, *arguments, whose=Whose(Path(str(module.__file__))), through=(ReclaimError,))


def module_of(paper: Paper, *, allow_code: bool = False) -> ModuleType | None:
    """The module of a paper, if it has one.

    Args:
        paper: from `load_paper`.
        allow_code: let code of the paper's folder run; that of Reclaim's own papers always may.

    Raises:
        InputError: if there is no such module, it may not run, cannot be imported, or computes nothing.
    """
    if not paper.module:
        return None
    module = load(paper.module, paper.folder, allow_code=allow_code or came_with_reclaim(paper))
    if not any(callable(getattr(module, name, None)) for name in ("figures", "of_runs")):
        raise InputError(
            f"{paper.folder / 'paper.toml'}: module {paper.module} has no function figures or of_runs"
        )
    return module


def figures_of(module: ModuleType | None, level: Level, progress: Report | None) -> dict[str, PaperFigure]:
    """What a module computes without any sweep."""

    def tell(what: str, done: int, total: int) -> None:
        if progress is not None:
            progress(Progress(total, done, 0, 0, (), 0.0, None, part=what))

    return by_name(_call(module, "figures", level, tell) or {})


def run_figures(module: ModuleType | None, ran: LevelRuns) -> dict[str, PaperFigure]:
    """What a module computes of the sweeps."""
    return by_name(_call(module, "of_runs", ran) or {})


def variation_figures(module: ModuleType | None, ran: LevelRuns) -> dict[str, PaperFigure]:
    """What a module computes of another load or reading, as if it were the default."""
    return by_name(_call(module, "of_variations", ran) or {})


def variations_of(
    ran: LevelRuns, loads: Sequence[str], vary: Sequence[str]
) -> Iterator[tuple[str, LevelRuns]]:
    """Give the runs under every other load and reading by its label, as if they were those of the default."""
    if ran.points.is_empty():
        return
    chosen = [(load, pl.col("vary") == "", load) for load in loads if load != ran.load]
    chosen += [(label, pl.col("vary") == label, ran.load) for label in vary]
    for label, is_it, load in chosen:
        part = ran.points.filter(is_it & (pl.col("load") == load))
        yield label, replace(ran, points=part.with_columns(load=pl.lit(ran.load), vary=pl.lit("")))


def drawings_of(module: ModuleType | None, ran: LevelRuns) -> tuple[Drawing, ...]:
    """What a module draws of the sweeps."""
    return tuple(_call(module, "drawings", ran) or ())


def tables_of(module: ModuleType | None, ran: LevelRuns) -> tuple[PageTable, ...]:
    """What a module tabulates of the sweeps."""
    return tuple(_call(module, "tables", ran) or ())


def family_claims(paper: Paper, found: Mapping[str, PaperFigure]) -> list[tuple[Claim, PaperFigure]]:
    """Make a claim of each figure of a family.

    Raises:
        InputError: if the module brings another number of them than `expected.toml` says.
    """
    claims = []
    for family in paper.expected.families:
        members = {name: each for name, each in found.items() if each.family == family.group}
        if len(members) != family.count:
            raise InputError(
                f'{paper.folder / "expected.toml"}: family "{family.id}" has {family.count} figures, but '
                f"module {paper.module} brings {len(members)}"
            )
        claims += [(_claim(family, name, each), each) for name, each in members.items()]
    return claims


def _claim(family: Family, name: str, found: PaperFigure) -> Claim:
    slug = re.sub(r"[^a-z0-9.]+", "-", (found.what or name).lower()).strip("-")
    expected = found.expected
    if expected is None:
        expected = found.figure.value if found.figure is not None else 0.0
    return Claim.model_construct(
        id=f"{family.id}-{slug}",
        what=found.what or name,
        where=family.where,
        kind="value",
        value=expected,
        printed=f"{expected:.10g}",
        unit=found.unit,
        tolerance=found.tolerance,
        group=family.id,
        figure=name,
        origin=family.origin,
        of_class="own",
    )


OWN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
LEAVE = (
    "is code that did not come with Reclaim, and would run with all rights that you have; read it, then say "
    "--allow-code (from Python allow_code=True)"
)
"""Why code of a paper's folder does not run."""
LOADED = "reclaim_paper_"
"""How modules of folders are called once they are loaded: none of them takes the place of another."""


def load(name: str, folder: Path, *, allow_code: bool) -> ModuleType:
    """Import a module that a paper names.

    Args:
        name: what a Python file or a package beside paper.toml is called.
        folder: that of the paper.
        allow_code: whether code of the folder may run.

    Raises:
        InputError: for every other name, if there is no such module, if it may not run, and if it fails.
    """
    about = f'{folder / "paper.toml"}: module = "{name}"'
    if not OWN.fullmatch(name):
        raise InputError(
            f"{about}: is not the name of a Python file or of a package beside paper.toml, without .py"
        )
    file = next(
        (
            each
            for each in (folder / f"{name}.py", folder / name / "__init__.py")
            if input_file.is_there(each)
        ),
        None,
    )
    if file is None:
        raise InputError(f"{about}: there is no {folder / name}.py")
    if not file.resolve().is_relative_to(folder.resolve()):
        raise InputError(f"{about}: {file} is a link out of the folder of the paper")
    with refused("" if allow_code else LEAVE):
        try:
            demand_leave(file)
        except InputError as error:
            raise InputError(f"{about}: {error}") from None
        return executed(file, LOADED + blake2b(str(file.resolve()).encode(), digest_size=8).hexdigest())
