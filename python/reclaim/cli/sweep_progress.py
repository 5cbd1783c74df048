"""What a sweep shows of itself while it goes on, on stderr."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.text import Text

from reclaim.bench.build import BuildProgress, Tell
from reclaim.bench.study import Progress, Report, duration
from reclaim.cli.console import err
from reclaim.cli.progress import LINE_SECONDS

SHOWN = 8
"""More points at once than this are counted, not named."""


def line(progress: Progress) -> str:
    """Say how far a sweep has come, in a line.

    >>> line(Progress(10, 4, 2, 1, ("a",), 6.0, 10.0))
    '5 of 10 points, 0.5/s, about 10 s left, 1 failed'
    """
    text = f"{progress.done + progress.failed} of {progress.total} points"
    if progress.rate:
        text += f", {progress.rate:.2g}/s"
    if progress.seconds_left:
        text += f", about {duration(progress.seconds_left)} left"
    return text + (f", {progress.failed} failed" if progress.failed else "")


@contextmanager
def live(name: str) -> Iterator[Report]:
    """Show points, rate, time left, failures and what runs: live on a terminal, as lines elsewhere."""
    if not err.is_terminal:
        yield _lines()
        return
    with Live(console=err, transient=True, auto_refresh=False) as shown:

        def show(progress: Progress) -> None:
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
    if err.is_terminal:
        with err.status("reading traces") as status:
            yield lambda told: status.update(Text(_checked(told)))
        return
    last = time.monotonic()

    def show(told: BuildProgress) -> None:
        nonlocal last
        if told.requests >= MANY_REQUESTS or time.monotonic() - last >= LINE_SECONDS:
            last = time.monotonic()
            err.print(_checked(told), soft_wrap=True, markup=False)

    yield show


def _checked(told: BuildProgress) -> str:
    """Say how far a check has come.

    >>> _checked(BuildProgress(1200, 40000, "uniform", 0)), _checked(BuildProgress(0, 1, "uniform", 5000000))
    ('1,200 of 40,000 points checked', '0 of 1 points checked; makes the 5,000,000 requests of uniform')
    """
    text = f"{told.done:,} of {told.total:,} points checked"
    return text + (f"; makes the {told.requests:,} requests of {told.trace}" if told.requests else "")


def _lines() -> Report:
    last = time.monotonic()

    def show(progress: Progress) -> None:
        nonlocal last
        if time.monotonic() - last >= LINE_SECONDS:
            last = time.monotonic()
            err.print(line(progress), soft_wrap=True, markup=False)

    return show
