"""What every study is: points that it plans, what it judges of them once they are stored, and its documents.

One entry point runs all of them (`Study.run`), with one set of options and one report of progress.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, ClassVar, Generic, TypedDict, TypeVar

from reclaim import builds, limits, output_file
from reclaim.arguments import path, whole
from reclaim.errors import InputError
from reclaim.experiment.task import memory_budget
from reclaim.report import PAGE
from reclaim.report.document import Document
from reclaim.report.ratios import PICTURE

LEAST_TIMEOUT = 5.0
"""Ten times as long as the workers of a small cluster need between two words."""
Opened = TypeVar("Opened")
"""What runs points and gives those that are stored."""
Result = TypeVar("Result")


@dataclass(frozen=True)
class RunOptions:
    """How to run the points of a study."""

    workers: int | None = None
    """Points at the same time; None for one a core."""
    dask: str | None = None
    """Address of a Dask scheduler; None to run here."""
    worker_timeout: float = 60.0
    """Seconds without a word after which a worker of Dask is given up."""
    memory: str | None = None
    """What all runs may take together; None for what is available."""
    force: bool = False
    """Use a folder that has other things."""
    report: bool = False
    """Draw report.html at the end."""
    only: Sequence[str] = ()
    """Run only these points, and make no tables."""
    shard: tuple[int, int] | None = None
    """Run only this part of the points, counted from 1, of so many, and make no tables."""
    accept: tuple[str, ...] = ()
    """Other builds whose points count, and whose workers may run some."""
    retry: bool = False
    """Run points again that have ended a process."""
    again: Sequence[str] = ()
    """The command that goes on where this process ends for want of memory; none: nothing goes on."""

    @classmethod
    def of(cls, given: StudyOptions) -> RunOptions:
        """Take what a caller of the library says, and refuse what cannot be.

        Raises:
            InputError: with the name of the first argument that cannot be.
        """
        named: dict[str, Any] = {key: value for key, value in given.items() if value is not None}
        named.pop("progress", None)
        accept = builds.checked(named.pop("accept_build", ()), option="accept_build")
        if "workers" in named:
            named["workers"] = whole("workers", named["workers"], lowest=1)
        return cls(accept=accept, **named)

    @property
    def in_part(self) -> bool:
        """Whether others may run the other points at the same time."""
        return bool(self.only) or self.shard is not None

    def budget(self) -> int | None:
        """Bytes that all runs may take together; None for any.

        Raises:
            InputError: for a size that is none, no workers, and too short a timeout.
        """
        if self.workers is not None and self.workers < 1:
            raise InputError(f"--workers {self.workers}: at least one is needed")
        if not self.worker_timeout >= LEAST_TIMEOUT:
            raise InputError(
                f"--worker-timeout {self.worker_timeout:g}: at least {LEAST_TIMEOUT:g} seconds are needed: "
                "workers say only now and then that they are there"
            )
        return memory_budget(self.memory)


@dataclass(frozen=True)
class Progress:
    """The state of a sweep at one moment."""

    total: int
    """Points of the experiment."""
    done: int
    """Of them stored, those of earlier runs included."""
    before: int
    """Of them stored before this run began."""
    failed: int
    running: tuple[str, ...]
    """Labels of what runs now, each with how far it is."""
    seconds: float
    """Since this run began."""
    seconds_left: float | None
    """Estimated from the points that ended so far; None before the first."""
    notes: tuple[str, ...] = ()
    """What the points that ended have shown, to be known at once."""
    part: str = ""
    """Which of several sweeps these points are of, where a study has some."""

    @property
    def rate(self) -> float:
        """Points per second."""
        return (self.done + self.failed - self.before) / self.seconds if self.seconds > 0 else 0.0


Report = Callable[[Progress], object]


def of_part(part: str, report: Report | None) -> Report | None:
    """Let a part of a study report how far it came, as that part."""
    return None if report is None else lambda now: report(replace(now, part=part))


class Meter:
    """Counts points and tells who wants to know."""

    def __init__(
        self, total: int, before: int, report: Report | None, note: Callable[[], str] = lambda: ""
    ) -> None:
        """Begin to count.

        Args:
            total: points that are wanted.
            before: of them stored already.
            report: told how far it came.
            note: asked after each point whether there is something to know at once.
        """
        self._total = total
        self._note = note
        self.notes: list[str] = []
        self._before = before
        self._report = report
        self._began = time.monotonic()
        self.done = before
        self.failed = 0

    def now(self, running: tuple[str, ...]) -> Progress:
        """Give the present state."""
        seconds = time.monotonic() - self._began
        ended = self.done + self.failed - self._before
        left = self._total - self.done - self.failed
        remaining = seconds / ended * left if ended else None
        return Progress(
            self._total, self.done, self._before, self.failed, running, seconds, remaining, tuple(self.notes)
        )

    def stored(self, points: int = 1) -> None:
        """Count points that are stored."""
        self.done += points
        if said := self._note():
            self.notes.append(said)

    def tell(self, running: tuple[str, ...]) -> None:
        """Report the present state."""
        if self._report is not None:
            self._report(self.now(running))


class StudyOptions(TypedDict, total=False):
    """What every public function that runs a study takes by name; docstrings of these say what each does."""

    workers: int | None
    dask: str | None
    worker_timeout: float | None
    memory: str | None
    progress: Report | None
    force: bool
    report: bool
    accept_build: Sequence[str]
    retry: bool


class Study(ABC, Generic[Opened, Result]):
    """One study, whose mistakes came out when it was made: nothing has run."""

    place: ClassVar[str] = ""
    """The folder of its documents, in that of the points."""
    page: ClassVar[str] = PAGE
    """Its report, in this folder."""
    result: ClassVar[str] = "result.json"
    """Its result as JSON, beside it."""
    pictures: ClassVar[bool] = True
    """Whether charts of the report are written as PNG, too."""
    drawn: ClassVar[Sequence[str]] = ()
    """Patterns of names of pictures and other files beside the report that an earlier run may have left."""
    announced: ClassVar[bool] = True
    """Whether its command says what it takes before it runs; `--cost` always does."""
    tells_reasons: ClassVar[bool] = False
    """Whether a terminal has the reasons of an exit code in what it shows of the result."""

    @property
    @abstractmethod
    def name(self) -> str:
        """What it is called while it runs."""

    @abstractmethod
    def cost(self, folder: Path | None = None) -> list[str]:
        """Say in some lines what it plans, and what that takes.

        Args:
            folder: has points of it; a study that knows its points before the first ran leaves these out.
        """

    @abstractmethod
    def opened(
        self, folder: Path, options: RunOptions, progress: Report | None
    ) -> AbstractContextManager[Opened]:
        """Open the folder of the points, and keep others out as long.

        Raises:
            InputError: for a folder that cannot be used.
        """

    @abstractmethod
    def judge(self, points: Opened) -> Result:
        """Have its points run, in as many phases as it takes, and judge what is stored of them."""

    @abstractmethod
    def document(self, result: Result) -> Document:
        """Tell the result: what the report and the terminal show."""

    def brief(self, result: Result) -> Document:
        """Tell as much of the result as a terminal shows."""
        return self.document(result)

    @abstractmethod
    def files(self, result: Result) -> Mapping[str, str]:
        """Give the text of every file that tells the result to programs, by its name."""

    def json(self, result: Result) -> str:
        """Write the result for programs."""
        return self.files(result)[self.result]

    def draw(self, result: Result, place: Path) -> None:
        """Draw the report, and its pictures beside it."""
        from reclaim.report.html import write

        write(self.document(result), place / self.page, pictures=self.pictures)

    def ending(self, result: Result, folder: Path) -> list[str]:
        """Say where the result is, below what the terminal shows of it."""
        del result
        return [f"results: {folder / self.place}"]

    def outcome(self, result: Result) -> tuple[int, str]:
        """Give the exit code of its command, and why it is not 0."""
        del result
        return 0, ""

    def complaints(self, result: Result) -> list[str]:
        """Say what went wrong of its points, a line for each."""
        damaged = [f"warning: {each}" for each in getattr(result, "damaged", ())]
        failures: Iterable[str] = getattr(result, "failures", ())
        return damaged + [f"could not be run: {each}" for each in failures]

    def run(self, folder: Path, options: RunOptions | None = None, progress: Report | None = None) -> Result:
        """Run what is not stored yet, judge all, and write what it is told by.

        Raises:
            InputError: for a folder that cannot be used, and as `judge`.
            KeyboardInterrupt: saying how far it came; what had ended is stored.
        """
        options = options or RunOptions()
        options.budget()
        place = folder / self.place
        if options.report and place.is_dir():
            output_file.check_page(place / self.page)
        with self.opened(folder, options, progress) as points:
            if options.report:
                # Before hours are spent, not after them.
                limits.demand(limits.PAGE, f"{place / self.page}: cannot be drawn")
            result = self.judge(points)
            self.write(result, place, report=options.report)
        return result

    def write(self, result: Result, place: Path, *, report: bool) -> None:
        """Write files and report, in place of those of an earlier run."""
        old = [self.page, f"{PICTURE}.png"] if output_file.is_page(place / self.page) else []
        for file in place.iterdir() if place.is_dir() else ():
            if file.name in old or any(fnmatchcase(file.name, pattern) for pattern in self.drawn):
                file.unlink()
        for name, content in self.files(result).items():
            output_file.write_text(place / name, content)
        if report:
            self.draw(result, place)


def carry_out(make: Callable[[], Study[Opened, Result]], output: str | Path, given: StudyOptions) -> Result:
    """Run a study as a public function does: arguments are checked before it is made."""
    options, folder = RunOptions.of(given), path("output", output)
    return make().run(folder, options, given.get("progress"))
