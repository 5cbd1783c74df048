"""The bar of progress: its words, totals and time left, in every kind of warm-up."""

from __future__ import annotations

import io
import re
from itertools import pairwise

import pytest
from rich.console import Console

import reclaim
from conftest import DEVICE
from reclaim.cli import progress

CAPACITY_WRITES = 40_000


def drawn(monkeypatch: pytest.MonkeyPatch, *told: tuple[str, int, int], width: int = 120) -> list[str]:
    """What the bar shows after each of these, its colours left out."""
    monkeypatch.setattr(progress, "PATIENCE_SECONDS", 0.0)
    screen = io.StringIO()
    console = Console(file=screen, force_terminal=True, width=200, color_system=None, legacy_windows=False)
    monkeypatch.setattr(progress, "err", console)
    shown = []
    bars: list[progress.Progress] = []
    made = progress.Progress

    def making(*columns: object, **how: object) -> progress.Progress:
        bars.append(made(*columns, auto_refresh=False, **how))  # type: ignore[arg-type]
        return bars[-1]

    monkeypatch.setattr(progress, "Progress", making)
    with progress.progress("run of it" if width > 80 else "a" * 50) as tell:
        for phase, done, total in told:
            tell(phase, done, total, 0)
            text = io.StringIO()
            Console(file=text, width=width, color_system=None).print(bars[-1].get_renderable())
            shown.append(text.getvalue().strip())
    return shown


def test_a_phase_without_a_total_is_not_full(monkeypatch: pytest.MonkeyPatch) -> None:
    scan, fill, replay = drawn(monkeypatch, ("scan", 5000, 0), ("fill", 10, 10), ("warm-up", 11, 0))
    assert "0:00:00" in fill
    for line in (scan, replay):
        assert "0:00:00" not in line


def test_where_the_end_is_unknown_it_is_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second, run = drawn(
        monkeypatch,
        ("warm-up, round 1 of at most 40", 100, 4000),
        ("warm-up, round 2 of at most 40", 200, 4000),
        ("run", 10, 100),
    )
    assert "run of it: warm-up, round 1 of at most 40" in first
    assert "run of it: warm-up, round 2 of at most 40" in second
    for line in (first, second):
        assert "at most -:--:--" in line or "at most 0:0" in line
    assert "at most" not in run


def test_the_time_left_has_room_on_a_narrow_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    told = [("warm-up, round 12 of at most 40", done, 4_000_000_000) for done in (1000, 900_000_000)]
    line = drawn(monkeypatch, *told, width=80)[-1]
    assert "round 12 of at most 40 " in line
    assert re.search(r" at most (-|0:\d\d):\S\S", line), line


@pytest.mark.parametrize("warmup", ["filled", "overwrite:3", "steady", "workload", "replay:40"])
def test_every_warm_up_has_a_total_that_is_not_passed(warmup: str) -> None:
    seen: list[tuple[str, int, int]] = []
    drive = reclaim.Device.preset(DEVICE)
    trace = reclaim.uniform_trace(footprint_bytes=64 << 20, count=CAPACITY_WRITES, write_fraction=1.0)

    def told(phase: str, done: int, total: int, _: int) -> None:
        seen.append((phase, done, total))

    reclaim.simulate(drive, trace, warmup=warmup, progress=told, warn=False)
    prepared = [each for each in seen if each[0].startswith(("fill", "warm-up"))]
    assert all(0 < done <= total for _, done, total in prepared)
    if warmup in ("steady", "workload"):
        assert all("at most" in phase for phase, _, _ in prepared if phase.startswith("warm-up"))
    else:
        assert {phase for phase, _, _ in prepared} <= {"fill", "warm-up"}
    for name in {phase.partition(",")[0] for phase, _, _ in prepared}:
        listed = [(done, total) for phase, done, total in prepared if phase.startswith(name)]
        assert listed == sorted(listed, key=lambda each: each[0])
        assert all(later <= earlier for (_, earlier), (_, later) in pairwise(listed))


@pytest.mark.parametrize(("lines", "expected"), [(True, ["paper: cells, 2 of 9"]), (False, [])])
def test_where_there_is_no_terminal_a_line_is_written_now_and_then(
    monkeypatch: pytest.MonkeyPatch, *, lines: bool, expected: list[str]
) -> None:
    file = io.StringIO()
    monkeypatch.setattr(progress, "err", Console(file=file, width=200))
    clock = iter((0.0, 1.0, progress.LINE_SECONDS, progress.LINE_SECONDS, 11.0))
    monkeypatch.setattr("reclaim.cli.progress.time.monotonic", lambda: next(clock))
    with progress.progress("paper", lines=lines) as tell:
        for done in (1, 2, 3):
            tell("cells", done, 9, 0)
    assert file.getvalue().splitlines() == expected
