"""Load rules, the same for every paper: when the requests of a workload arrive.

`own` is the trace's own arrival times. `30%` and `60%` are the same times stretched or squeezed once for each
workload, so that the dies are used for that share of the time under the paper's baseline, collection
included; all schemes then get those times. `closed` keeps 32 requests outstanding, whatever the times.

How much to stretch is searched for: use grows about in proportion to speed, so the next try follows from the
last two. Where the drive cannot be used so much at all, the search says how far it came.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

SHARES = {"30%": 0.30, "60%": 0.60}
QUEUE_DEPTH = 32
CLOSED: dict[str, str | int] = {"host.mode": "closed-loop", "host.queue_depth": QUEUE_DEPTH}
RULES = ("own", *SHARES, "closed")
_SCALED = (
    "arrival times scaled once for each workload so that the dies are used {} of the time under the baseline"
)
WORDS = {
    "own": "arrival times of the trace",
    **{rule: _SCALED.format(rule.replace("%", " %")) for rule in SHARES},
    "closed": f"closed loop, {QUEUE_DEPTH} requests outstanding",
}
NEAR = 0.01
"""How far off the wish the measured die utilisation may be: one point."""
ENOUGH = 0.004
"""So near that no further try is worth its time."""
MOST_TRIES = 12
FASTEST, SLOWEST = 1e7, 1e-7
BEYOND = 1000.0
"""How many times faster than the last a try may be."""
SLOWER = 8.0
"""How many times slower still a try is, where one that was slower used the drive as much as before."""
IDLE = 1e-9
TWICE = 1.9
GAIN = 1.02
"""A drive whose utilisation grows by less when requests come twice as fast is saturated."""


@dataclass(frozen=True)
class Scaling:
    """How a workload's arrival times are scaled, and what that gave."""

    wanted: float
    reached: float
    time_scale: float
    tries: tuple[tuple[float, float], ...]
    """Every time scale that was tried, with the die utilisation measured."""
    reason: str = ""
    """Why the wish was not met; empty where it was."""


@dataclass
class Search:
    """One search: it says what to try next and is told what came out, until there is nothing to try."""

    wanted: float
    scale: float | None = 1.0
    """What to try next; None when the search has ended."""
    tries: list[tuple[float, float]] = field(default_factory=list)
    low: tuple[float, float] = (0.0, 0.0)
    high: tuple[float, float] = (FASTEST, 1.0)
    reason: str = f"not reached in {MOST_TRIES} tries"

    def tell(self, used: float) -> None:
        """Take the die utilisation that the scale gave, and choose the next."""
        if self.scale is None:
            return
        before, self.scale = self.scale, None
        self.tries.append((before, used))
        if abs(used - self.wanted) <= ENOUGH or len(self.tries) == MOST_TRIES:
            return
        if used < self.wanted:
            if self.low[0] and before / self.low[0] > TWICE and used < self.low[1] * GAIN:
                self.reason = f"the drive is saturated at {100 * used:.1f} %"
                return
            self.low = max(self.low, (before, used))
        else:
            self.high = min(self.high, (before, used))
        following = float(f"{min(max(self._next(), SLOWEST), FASTEST):.7g}")
        if all(following != tried for tried, _ in self.tries):
            self.scale = following

    def _next(self) -> float:
        """In proportion, or on the line through the nearest tries on both sides."""
        (slow, less), (fast, more) = self.low, self.high
        if fast == FASTEST:
            # The second time it may be saturation: go far enough to see it.
            least = 2.0 if len(self.tries) > 1 else 1.0
            return slow * min(max(self.wanted / max(less, IDLE), least), BEYOND)
        if not slow:
            # As long as the drive stays saturated, how much slower it must be is unknown.
            saturated = len(self.tries) > 1 and more > self.tries[-2][1] / GAIN
            return fast * self.wanted / more / (SLOWER if saturated else 1.0)
        share = (self.wanted - less) / max(more - less, IDLE)
        # Neither end can stay where it is for ever.
        return slow + (fast - slow) * min(max(share, 0.05), 0.95)

    @property
    def found(self) -> Scaling:
        """The nearest of what was tried."""
        best = min(self.tries, key=lambda tried: abs(tried[1] - self.wanted))
        met = abs(best[1] - self.wanted) <= NEAR
        return Scaling(self.wanted, best[1], best[0], tuple(self.tries), "" if met else self.reason)


def search(measure: Callable[[float], float], wanted: float) -> Scaling:
    """Find the time scale that gives a die utilisation, trying few of them.

    Args:
        measure: time scale to die utilisation; rises with it until the drive is saturated.
        wanted: share of the time.

    >>> search(lambda scale: min(0.11 * scale, 0.9), 0.30).time_scale
    2.727273
    >>> search(lambda scale: min(0.11 * scale, 0.5), 0.60).reason
    'the drive is saturated at 50.0 %'
    """
    found = Search(wanted)
    while found.scale is not None:
        found.tell(measure(found.scale))
    return found.found
