"""What runs and studies show of themselves while they go on, on stderr."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Group
from rich.live import Live
from rich.progress import (
    BarColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    Task,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)
from rich.progress_bar import ProgressBar
from rich.table import Column
from rich.text import Text

from reclaim.cli.console import err
from reclaim.experiment.build import BuildProgress, Tell
from reclaim.result.result import Result
from reclaim.simulate import Progress as Callback
from reclaim.study.study import Progress as StudyProgress
from reclaim.study.study import Report
from reclaim.units import duration, written

PATIENCE_SECONDS = 1.0
LINE_SECONDS = 10.0
"""How often a line is written where there is no terminal."""
LONGEST_NAME = 24
"""Characters of a trace or a scheme before a bar, so that a line of 80 has room for what comes behind."""


AT_MOST = "at most"
"""Words of a phase that nobody knows the end of: its total is the most that it can become."""


class _TimeLeft(TimeRemainingColumn):
    """Time left, which is the most of it where the end is not known."""

    def render(self, task: Task) -> Text:
        left = super().render(task)
        if task.total is None or AT_MOST not in task.description:
            return left
        return Text.assemble((f"{AT_MOST} ", left.style), left)


class _Rate(ProgressColumn):
    """Steps per second of the present phase; where there are rounds, their words have its place."""

    def render(self, task: Task) -> Text:
        speed = None if AT_MOST in task.description else task.finished_speed or task.speed
        return Text("" if not speed else f"{speed:,.0f}/s", style="progress.data.speed")


def _hushed() -> bool:
    """Whether no progress is wanted; a console of another making knows no such wish."""
    return getattr(err, "hushed", False)


def _moves() -> bool:
    """Whether there is a terminal on which something may move."""
    return err.is_terminal and not _hushed()


@contextmanager
def progress(label: str, *, lines: bool = False) -> Iterator[Callback]:
    """Show a bar with rate and time left after the first second.

    Args:
        label: what it is of.
        lines: whether a line is written now and then if stderr is no terminal; else nothing is.

    Raises:
        KeyboardInterrupt: as it came, with how far it had come.
    """
    reached = ""

    def note(phase: str, done: int, total: int, simulated_ns: int) -> None:
        nonlocal reached
        reached = _reached(phase, done, total, simulated_ns)

    try:
        with _bar(label) if _moves() or not lines else _lines(label) as show:

            def both(phase: str, done: int, total: int, simulated_ns: int) -> None:
                note(phase, done, total, simulated_ns)
                if show is not None:
                    show(phase, done, total, simulated_ns)

            yield both
    except KeyboardInterrupt:
        raise KeyboardInterrupt(f"{label}: stopped {reached or 'before anything was simulated'}") from None


@contextmanager
def _lines(label: str) -> Iterator[Callback]:
    yield _seldom(lambda phase, done, total, _: f"{label}: {phase}, {done:,} of {total:,}")


def _seldom(text: Callable[..., str], at_once: Callable[..., bool] = lambda *_: False) -> Callable[..., None]:
    """Write a line now and then of what is told often; of what is to be known at once, always."""
    last = time.monotonic()

    def show(*told: Any) -> None:
        nonlocal last
        if _hushed():
            return
        if at_once(*told) or time.monotonic() - last >= LINE_SECONDS:
            last = time.monotonic()
            err.print(text(*told))

    return show


def _reached(phase: str, done: int, total: int, simulated_ns: int) -> str:
    """Say how far a run has come.

    >>> _reached("run", 1200, 5000, 2_500_000_000)
    'in the run, at 24 % (1,200 of 5,000), after 2.500 s simulated'
    >>> _reached("warm-up, round 2 of at most 40", 9, 90, 0)
    'in the warm-up, round 2 of at most 40, at 9 of at most 90'
    """
    at = f", at {done:,}" if done else ""
    if total and AT_MOST in phase:
        at = f", at {done:,} of {AT_MOST} {total:,}"
    elif total:
        at = f", at {100 * done // total} % ({done:,} of {total:,})"
    return f"in the {phase}{at}" + (
        f", after {written(simulated_ns, 'time')} simulated" if simulated_ns else ""
    )


@contextmanager
def _bar(label: str) -> Iterator[Callback | None]:
    if not _moves():
        yield None
        return
    # Where a line is too short for all, the bar gives way, and then the name.
    rate, left = _Rate(Column(no_wrap=True)), _TimeLeft(table_column=Column(no_wrap=True))
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), rate, left)
    name = label if len(label) <= LONGEST_NAME else f"{label[: LONGEST_NAME - 1]}…"
    bar = Progress(*columns, console=err, transient=True)
    began = time.monotonic()
    running = ""
    shown: TaskID | None = None

    def update(phase: str, done: int, total: int, simulated_ns: int) -> None:
        nonlocal running, shown
        if time.monotonic() - began < PATIENCE_SECONDS:
            return
        bar.start()
        # Rounds of a phase are one bar.
        part = phase.partition(",")[0]
        if shown is None or part != running:
            if shown is not None:
                bar.remove_task(shown)
            # Of a task that has a total, it cannot be taken back.
            running, shown = part, bar.add_task(part, total=None)
        at = f", {written(simulated_ns, 'time')} simulated" if simulated_ns else ""
        bar.update(shown, completed=done, total=total or None, description=f"{name}: {phase}{at}")

    try:
        yield update
    finally:
        bar.stop()


@contextmanager
def busy(doing: str) -> Iterator[None]:
    """Show that something of unknown length goes on; nothing if stderr is no terminal."""
    if not _moves():
        yield
        return
    with err.status(Text(doing)):
        yield


@contextmanager
def counted(doing: str) -> Iterator[Callable[[int, int], None] | None]:
    """Show how many of a number of things are done; nothing if stderr is no terminal."""
    if not _moves():
        yield None
        return
    columns = (
        SpinnerColumn(),
        TextColumn(doing),
        BarColumn(),
        TextColumn("{task.completed} of {task.total}"),
    )
    with Progress(*columns, console=err, transient=True) as bar:
        task = bar.add_task(doing, total=None)
        yield lambda done, of: bar.update(task, completed=done, total=of)


def finished(result: Result) -> None:
    """One line on how long it took."""
    requests = result.to_dict()["trace"]["requests"]
    seconds = result.wall_seconds or 0.0
    err.print(f"{result.label}: {requests:,} requests in {seconds:.1f} s, warm-up included", style="dim")


SHOWN = 8
"""More points at once than this are counted, not named."""


def line(progress: StudyProgress) -> str:
    """Say how far a sweep has come, in a line.

    >>> line(StudyProgress(10, 4, 2, 1, ("a",), 6.0, 10.0))
    '5 of 10 points, 0.5/s, about 10 s left, 1 failed'
    """
    part = f"{progress.part}: " if progress.part else ""
    text = f"{part}{progress.done + progress.failed} of {progress.total} points"
    if progress.rate:
        text += f", {progress.rate:.2g}/s"
    if progress.seconds_left:
        text += f", about {duration(progress.seconds_left)} left"
    return text + (f", {progress.failed} failed" if progress.failed else "")


@contextmanager
def live(name: str) -> Iterator[Report]:
    """Show points, rate, time left, failures and what runs: live on a terminal, as lines elsewhere."""
    noted = 0

    def note(progress: StudyProgress) -> None:
        nonlocal noted
        for text in progress.notes[noted:]:
            err.print(f"note: {text}")
        noted = len(progress.notes)

    if not _moves():
        seldom = _seldom(lambda now: f"{name}: {line(now)}")

        def tell(progress: StudyProgress) -> None:
            note(progress)
            seldom(progress)

        yield tell
        return
    with Live(console=err, transient=True, auto_refresh=False) as shown:

        def show(progress: StudyProgress) -> None:
            note(progress)
            bar = ProgressBar(progress.total, progress.done + progress.failed, width=40)
            running = [
                Text(f"  {label}", style="dim", overflow="ellipsis") for label in progress.running[:SHOWN]
            ]
            if len(progress.running) > SHOWN:
                running.append(Text(f"  and {len(progress.running) - SHOWN} more", style="dim"))
            shown.update(Group(Text(f"{name}: {line(progress)}"), bar, *running), refresh=True)

        yield show


MANY_REQUESTS = 100_000_000
"""Half a minute to make them."""


@contextmanager
def checking() -> Iterator[Tell]:
    """Show how many points were made, and which trace takes long: live on a terminal, as lines elsewhere."""
    if _moves():
        with err.status("reading traces") as status:
            yield lambda told: status.update(Text(_checked(told)))
        return
    yield _seldom(_checked, lambda told: told.requests >= MANY_REQUESTS)


def _checked(told: BuildProgress) -> str:
    """Say how far a check has come.

    >>> _checked(BuildProgress(1200, 40000, "uniform", 0)), _checked(BuildProgress(0, 1, "uniform", 5000000))
    ('1,200 of 40,000 points checked', '0 of 1 points checked; makes the 5,000,000 requests of uniform')
    """
    text = f"{told.done:,} of {told.total:,} points checked"
    return text + (f"; makes the {told.requests:,} requests of {told.trace}" if told.requests else "")
