"""Verdicts on claims, by fixed rules; `docs/papers.md` has them in words."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, get_args

from reclaim.papers.claims import Claim
from reclaim.papers.contradictions import Proof
from reclaim.papers.digits import scaled
from reclaim.papers.measured import NO_INTERVAL, Figure, Measured

Name = Literal[
    "matches",
    "same direction",
    "not reproduced",
    "open",
    "error in the paper",
    "outside the model",
    "not run",
    "not judged",
]
NAMES: tuple[Name, ...] = get_args(Name)
OF_OUR_FIGURES = ("matches", "same direction", "not reproduced")
"""Verdicts that rest on what was simulated."""
QUICK = "the quick level judges nothing: its drives are small and its repeats few"
MAJORITY = 0.5


@dataclass(frozen=True)
class Judgement:
    """A verdict, and why."""

    verdict: Name
    why: str
    capped: bool = False
    """It could have been *matches*, had there been an interval, or all workloads."""


def judge(claim: Claim, measured: Measured | None, proof: Proof | None = None) -> Judgement:
    """Apply the rules to a claim and our figure for it."""
    if proof is not None and proof.holds:
        return Judgement("error in the paper", proof.shown)
    if claim.outside:
        return Judgement("outside the model", claim.outside)
    if claim.missing:
        return Judgement("not run", claim.missing)
    if measured is None or measured.figure is None:
        reason = measured.reason if measured is not None else "this level has no figure for it"
        return Judgement("not run", reason if measured is None or measured.not_run else f"refused: {reason}")
    if claim.open:
        return Judgement("open", claim.open)
    found = _RULES[claim.kind](claim, measured)
    return _capped(claim, measured, found)


def withheld(found: Judgement) -> Judgement:
    """What is told in place of a verdict where only that everything runs was to be shown."""
    return Judgement("not judged", QUICK) if found.verdict in OF_OUR_FIGURES else found


def _capped(claim: Claim, measured: Measured, found: Judgement) -> Judgement:
    """Nothing that some workloads or repeats are missing for can be more than *same direction*."""
    if found.verdict != "matches" or measured.figure is None:
        return found
    lacking = [*measured.absent, *measured.refused]
    if lacking:
        return Judgement("same direction", f"{found.why}; without {', '.join(lacking)}", capped=True)
    sure = all(part.has_interval for _, part in measured.parts) and measured.figure.has_interval
    if not sure and claim.kind in ("ratio", "order", "shape"):
        why = f"{found.why}; {NO_INTERVAL}"
        return Judgement("same direction", why, capped=True)
    return found


def _value(claim: Claim, measured: Measured) -> Judgement:
    """A figure by itself: within tolerance or not."""
    figure = _of(measured)
    noted = "" if figure.has_interval else f"; {NO_INTERVAL}"
    if claim.matches(figure.value):
        return Judgement("matches", f"within {_band(claim)}{noted}")
    return Judgement("not reproduced", f"outside {_band(claim)}{noted}")


def _ratio(claim: Claim, measured: Measured) -> Judgement:
    """A figure beside no difference: the interval must lie on the paper's side of it."""
    figure = _of(measured)
    side = claim.side
    within = claim.matches(figure.value)
    least, most = figure.interval
    neutral = claim.neutral
    if side == 0:
        # The paper prints no difference.
        verdict: Name = "matches" if within else "not reproduced"
        return Judgement(verdict, f"{'within' if within else 'outside'} {_band(claim)}")
    on_side = least > neutral if side > 0 else most < neutral
    if not on_side:
        other = figure.value < neutral if side > 0 else figure.value > neutral
        where = "is on the other side of" if other and not least <= neutral <= most else "includes"
        what = "the interval" if figure.has_interval else "the figure"
        return Judgement("not reproduced", f"{what} {where} {neutral:g}, no difference")
    if within:
        return Judgement("matches", f"within {_band(claim)}, on the same side of {neutral:g}")
    return Judgement("same direction", f"on the same side of {neutral:g}, outside {_band(claim)}")


def _order(claim: Claim, measured: Measured) -> Judgement:
    """The scheme is better than the baseline: in all workloads, in most, or in their mean."""
    holds = claim.measure.holds if claim.measure is not None else "all"
    named = measured.parts if holds != "mean" else ()
    parts = named or (("mean", _of(measured)),)
    right = [name for name, part in parts if _on_side(claim, part)]
    share = len(right) / len(parts)
    said = f"{len(right)} of {len(parts)}" if named else ("it holds" if right else "it does not hold")
    if share == 1 or (holds == "most" and share > MAJORITY):
        return Judgement("matches", said)
    mean = _of(measured)
    leaning = mean.value < 1 if claim.better == "lower" else mean.value > 1
    if leaning and share > MAJORITY:
        return Judgement("same direction", f"{said}, and the mean")
    return Judgement("not reproduced", said)


def _on_side(claim: Claim, part: Figure) -> bool:
    low, high = part.interval
    return high < 1 if claim.better == "lower" else low > 1


def _shape(claim: Claim, measured: Measured) -> Judgement:
    """It rises, falls or stays along an axis, by more than the claim's tolerance at each step."""
    values = [part.value for _, part in measured.parts]
    if claim.measure is None or len(values) < 2:
        # A module has looked at it: 1 where the shape is there, else 0.
        there = _of(measured).value == 1
        return Judgement(
            "matches" if there else "not reproduced", "the shape is there" if there else "it is not"
        )
    shape = claim.measure.shape
    room = claim.tolerance * max(abs(value) for value in values)
    steps = [after - before for before, after in pairwise(values)]
    if shape == "flat":
        flat = max(values) - min(values) <= room
        return Judgement(
            "matches" if flat else "not reproduced", f"from {min(values):.4g} to {max(values):.4g}"
        )
    sign = 1 if shape == "rises" else -1
    whole = sign * (values[-1] - values[0])
    said = f"from {values[0]:.4g} to {values[-1]:.4g}"
    if whole > room and all(sign * step >= -room for step in steps):
        return Judgement("matches", said)
    return Judgement("same direction" if whole > 0 else "not reproduced", said)


_RULES = {"value": _value, "ratio": _ratio, "order": _order, "shape": _shape}


def _of(measured: Measured) -> Figure:
    if measured.figure is None:
        raise ValueError("nothing was measured")
    return measured.figure


def _band(claim: Claim) -> str:
    """What counts as within tolerance."""
    low, high = (scaled(each, claim.unit) for each in claim.band)
    return f"{low} to {high}" if low != high else f"the tolerance of {low}"
