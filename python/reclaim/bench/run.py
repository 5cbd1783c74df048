"""Sweeps an experiment: what is stored already is not run again, and what fails stops nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from reclaim import room
from reclaim.bench.consolidate import REPORT, consolidate, write_manifest
from reclaim.bench.experiment import Experiment
from reclaim.bench.folder import opened
from reclaim.bench.integrity import check_builds, look
from reclaim.bench.point import Point
from reclaim.bench.progress import Report
from reclaim.bench.runner import How, Runner
from reclaim.errors import InputError
from reclaim.output_folder import MANIFEST
from reclaim.suggestions import did_you_mean

__all__ = ["How", "Swept", "sweep_into"]


@dataclass(frozen=True)
class Swept:
    """What a sweep did."""

    folder: Path
    total: int
    """Points of the experiment that are stored under a name of their own."""
    before: int
    """Of them stored before."""
    failures: list[dict[str, Any]] = field(default_factory=list)
    """Of each point that failed: what it is, `error` and `command`."""
    warnings: list[dict[str, Any]] = field(default_factory=list)
    aside: int = 0
    """Points put aside that the experiment no longer has."""
    damaged: Sequence[str] = ()
    """Of each stored point that was changed or incomplete: which it is, and why; it was run again."""
    found: int = 0
    """Stored points that had no checksum: complete, as far as can be told without one."""
    report: Path | None = None
    notes: Sequence[str] = ()
    """What is as written, and perhaps not as meant, of how points were run."""


def _unique(points: Sequence[Point]) -> list[Point]:
    """Points by their names, each once: two that are the same run are stored once."""
    return list({point.id: point for point in points}.values())


def _chosen(points: Sequence[Point], only: Sequence[str]) -> list[Point]:
    known = {point.id: point for point in points}
    for wanted in only:
        if wanted not in known:
            hint = did_you_mean([each for each in known if each.startswith(wanted)][:1], quote="")
            raise InputError(f"--only {wanted}: is no point of this experiment; --emit lists all{hint}")
    return [known[wanted] for wanted in only] if only else list(points)


def sweep_into(
    experiment: Experiment, folder: Path, how: How | None = None, progress: Report | None = None
) -> Swept:
    """Run every point of an experiment that is not stored yet, and make the tables of all.

    Raises:
        InputError: for mistakes of the experiment, and a folder that cannot be used.
        KeyboardInterrupt: saying how far it came.
    """
    how = how or How()
    room.demand(room.TABLES, f"{folder}: cannot write results here")
    # All mistakes come out before anything is written.
    points = _unique(experiment.points())
    chosen = _chosen(points, how.only)
    budget = how.budget()
    with opened(folder, experiment, force=how.force, shared=bool(how.only)) as store:
        aside = 0
        if not how.only:
            store.clear()
            aside, _ = store.arrange(point.id for point in points)
        # Of all of them: other commands may run the others.
        check_builds(store, points, how.accept, force=how.force)
        stored = look(store, chosen, mend=True)
        todo = [point for point in chosen if not store.has(point.id)]
        runner = Runner(store, how, budget, progress, store.fail)
        runner.run(todo, len(chosen))
        swept = Swept(
            folder,
            len(chosen),
            len(chosen) - len(todo),
            runner.failures,
            aside=aside,
            damaged=list(stored.damaged.values()),
            found=stored.found,
            notes=runner.notes,
        )
        if how.only:
            return swept
        # Until the new ones are there, it would speak of others.
        (folder / MANIFEST).unlink(missing_ok=True)
        warnings = consolidate(store, experiment.points())
        store.tidy()
        drawn = how.report and any(store.has(point.id) for point in points)
        report = _report(folder) if drawn else None
        if not drawn:
            # One of an earlier run would be of other points.
            (folder / REPORT).unlink(missing_ok=True)
        write_manifest(store, experiment.name, [point.id for point in points])
        return replace(swept, warnings=warnings, report=report)


def _report(folder: Path) -> Path:
    """Draw the report of the set."""
    from reclaim.results.sets import ResultSet

    target = folder / REPORT
    ResultSet.load(folder).report(target)
    return target
