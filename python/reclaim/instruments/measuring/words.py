"""What is said of a measurement: the conclusion in some sentences, and its notes."""

from __future__ import annotations

from collections.abc import Iterator

from reclaim.instruments.measuring.plan import Compared, Measured
from reclaim.units import MISSING, written


def figure_text(value: float | None, metric: str) -> str:
    """Write a figure of a metric of sheets.

    >>> figure_text(72000, "iops"), figure_text(110, "us"), figure_text(None, "iops")
    ('72\u202f000 IOPS', '110 µs', '–')
    """
    if value is None:
        return MISSING
    if metric == "us":
        return written(value * 1e3, "time")
    return f"{written(value, 'rate')} {'IOPS' if metric == 'iops' else 'MB/s'}"


def error_text(value: float | None) -> str:
    """Write how far a figure is off.

    >>> error_text(0.123), error_text(-0.04), error_text(-0.0001), error_text(None)
    ('+12.3 %', '-4.0 %', '+0.0 %', '–')
    """
    if value is None:
        return MISSING
    # Nothing is nothing, whichever side it is on.
    return f"{round(100 * value, 1) + 0.0:+.1f} %"


def conclusion(found: Measured) -> str:
    """Say what the drive reaches, and how far that is from its sheet."""
    steady = [each for each in found.figures.values() if each.steady is not None]
    unsteady = sum(each.steady is False for each in steady)
    text = f"{found.name}: {len(found.figures)} loads measured."
    if steady:
        reached = len(steady) - unsteady
        text += f" {reached} of {len(steady)} steady ones reach the steady state by SNIA's rule."
    held_out = [each for each in found.compared if each.line.use == "held-out"]
    if held_out:
        worst = max(held_out, key=lambda each: abs(each.error))
        text += f" {_held_out(held_out)}; the farthest off is {worst.line.load.label} "
        text += f"({error_text(worst.error)}, naive {error_text(worst.naive_error)})."
    elif found.plan.sheet is not None:
        text += " No line of its sheet is held out."
    return text


def _held_out(lines: list[Compared]) -> str:
    """Count held-out lines by how far off they are.

    Half the lines within 10 % and all within 20 % is the goal.
    """
    near, far = (sum(abs(each.error) <= most for each in lines) for most in (0.10, 0.20))
    better = sum(abs(each.error) < abs(each.naive_error) for each in lines if each.naive_error is not None)
    count = len(lines)
    of = f"Of {count} held-out lines" if count > 1 else "Of the one held-out line"
    return f"{of} {near} within 10 %, {far} within 20 %, {better} nearer than the naive predictor"


def notes(found: Measured) -> Iterator[str]:
    """Give what must be known beside that."""
    for text in found.failures:
        yield f"could not be run: {text}"
    for each in found.figures.values():
        if each.steady is False:
            yield (
                f"{each.load.name}: no five rounds keep SNIA's rule; its figures are those of the last five"
            )
    small = [each for each in found.figures.values() if each.p99_ns is None]
    if small:
        yield f"{len(small)} loads have too few requests for a p99: fewer than ten lie beyond it"


def window_text(found: Measured) -> str:
    """Say what a round is."""
    rounds = sorted({len(each.rounds) for each in found.figures.values()})
    return f"{' or '.join(map(str, rounds))} rounds of equal time each"
