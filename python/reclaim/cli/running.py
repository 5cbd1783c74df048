"""What commands that run a study share: their options, and all that they do with the study."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from reclaim.builds import checked
from reclaim.cli.bundle import takes
from reclaim.cli.commands import Quiet
from reclaim.cli.console import err, leave, out
from reclaim.cli.options import Json
from reclaim.cli.progress import checking, live
from reclaim.cli.streams import json_text
from reclaim.errors import InputError
from reclaim.experiment.build import Tell
from reclaim.study.study import Opened, Result, RunOptions, Study

Folder = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="DIR", help="Store points here; the same folder goes on."),
]
Cost = Annotated[
    bool, typer.Option("--cost", help="Say what is to be run and how long it takes; run nothing.")
]
Report = Annotated[bool, typer.Option("--report/--no-report", help="Draw the report at the end.")]

Workers = Annotated[
    int | None, typer.Option(metavar="N", min=1, help="Points at the same time (default: one a core).")
]
Memory = Annotated[
    str | None,
    typer.Option(metavar="SIZE", help="What all runs may take together (default: what is available)."),
]
Dask = Annotated[
    str | None, typer.Option(metavar="tcp://HOST:PORT", help="Run on the workers of a Dask scheduler.")
]
WorkerTimeout = Annotated[
    float, typer.Option(metavar="SECONDS", help="Give a Dask worker up that says nothing for so long.")
]
AcceptBuild = Annotated[
    list[str] | None,
    typer.Option(metavar="ID", help="Count what this other build of Reclaim has run, or saved; repeatable."),
]
Retry = Annotated[
    bool, typer.Option("--retry", help="Run points again that have ended a process, as out of memory.")
]
PointsForce = Annotated[
    bool, typer.Option("--force", help="Use a folder that has other things, or another experiment's points.")
]


@dataclass(frozen=True)
class StudyCommand:
    """What the options say that every study has."""

    output: Path | None
    options: RunOptions
    cost_only: bool
    json: bool
    quiet: bool
    kept: bool = True
    """Whether the folder is there afterwards."""

    def folder(self) -> Path:
        """Give the folder of the points.

        Raises:
            InputError: where none is given.
        """
        if self.output is None:
            raise InputError(
                "--output: give the folder that points are stored in, as in -o out/study; or --cost"
            )
        return self.output

    @contextmanager
    def somewhere(self) -> Iterator[StudyCommand]:
        """Give the same with a folder that is gone afterwards where something is to run and none is given."""
        if self.output is not None or self.cost_only:
            yield self
            return
        options = replace(self.options, report=False)
        with TemporaryDirectory(prefix="reclaim-") as folder:
            try:
                yield replace(self, output=Path(folder), options=options, kept=False)
            except KeyboardInterrupt:
                raise KeyboardInterrupt("stopped; without -o DIR nothing is kept") from None

    def carry_out(self, make: Callable[[Tell], Study[Opened, Result]]) -> None:
        """Make a study, say what it takes, run it, and show its result; exit codes are those of the study.

        Args:
            make: makes it, and tells how far that has come.
        """
        if not self.cost_only:
            self.folder()
        with nullcontext(lambda _: None) if self.quiet else checking() as tell:
            study = make(tell)
            said = self.cost_only or (study.announced and not self.quiet)
            lines = study.cost(self.output) if said else []
        for line in lines:
            (out if self.cost_only else err).print(line)
        if not self.cost_only:
            result = self.run(study)
            if self.json:
                sys.stdout.write(json_text(study.json(result)))
            leave(*self.outcome(study, result))

    def run(self, study: Study[Opened, Result]) -> Result:
        """Run a study, and show its result unless that is wanted as JSON."""
        with nullcontext() if self.quiet else live(study.name) as progress:
            result = study.run(self.folder(), self.options, progress)
        for line in study.complaints(result):
            err.print(line)
        if not self.json:
            # What draws tables is for commands that have one.
            from reclaim.report.terminal import show

            show(study.brief(result), out)
            for line in study.ending(result, self.folder()) if self.kept else ():
                out.print(line)
        return result

    def outcome(self, study: Study[Opened, Result], result: Result) -> tuple[int, str]:
        """Give the exit code, and why it is not 0 where that was not shown."""
        code, why = study.outcome(result)
        return code, "" if study.tells_reasons and not self.json else why


def _study(
    output: Folder = None,
    cost: Cost = False,
    workers: Workers = None,
    memory: Memory = None,
    dask: Dask = None,
    worker_timeout: WorkerTimeout = RunOptions.worker_timeout,
    report: Report = True,
    force: PointsForce = False,
    accept_build: AcceptBuild = None,
    retry: Retry = False,
    json: Json = False,
    quiet: Quiet = False,
) -> StudyCommand:
    options = RunOptions(
        workers=workers,
        memory=memory,
        dask=dask,
        worker_timeout=worker_timeout,
        report=report,
        force=force,
        accept=checked(accept_build or ()),
        retry=retry,
        again=(sys.executable, *sys.orig_argv[1:]),
    )
    return StudyCommand(output, options, cost, json, quiet)


_OF_A_STUDY = inspect.signature(_study, eval_str=True).parameters.values()
runs_a_study = takes("study", _study)
"""Gives a command the options of running a study, as its parameter `study`."""
runs_a_paper = takes("study", _study, [each for each in _OF_A_STUDY if each.name != "report"])
"""The same of a paper, whose report is always written."""
