"""Agreements on claims: what the decision table (`decisions.py`, docs/papers.md) is asked of each."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from reclaim.paper.claims import Claim
from reclaim.paper.decisions import WITHOUT_OURS, Beside, Facts, Name, decide
from reclaim.paper.measured import NO_INTERVAL, Figure, OurFigure, scaled

QUICK = "the quick level judges nothing: its drives are small and its repeats few"
MAJORITY = 0.5


@dataclass(frozen=True)
class Judgement:
    """An agreement, and why."""

    agreement: Name
    why: str
    capped: bool = False
    """It could have been *matches*, had there been an interval, or all workloads."""


def judge(
    claim: Claim,
    measured: OurFigure | None,
    *,
    other_traces: str = "",
    turned_by: str = "",
    full_repeats: bool = True,
) -> Judgement:
    """Apply the decision table to a claim and our figure for it.

    Args:
        claim: what is printed.
        measured: our figure, or why there is none.
        other_traces: of which kinds the traces are, where they are none of the paper's; else empty.
        turned_by: which choice turns the claim, by a study of sensitivity.
        full_repeats: whether it was run as often as agreements to be cited are.
    """
    if measured is None or measured.figure is None:
        beside, lacking = Standing("off", ""), ""
    else:
        beside, lacking = _beside(claim, measured), _lacking(claim, measured)
    trust, why_trust = (measured.trust, measured.why_trust) if measured is not None else ("trustworthy", "")
    facts = Facts(
        contradicts=claim.proof is not None and claim.proof.holds,
        outside=bool(claim.outside),
        measured=measured is not None and measured.figure is not None and not claim.missing,
        open=bool(claim.open),
        other_trace=claim.is_absolute and bool(other_traces),
        artefact=bool(claim.artefact),
        trust=trust,
        turned=bool(turned_by),
        beside=beside.where,
        in_full=not lacking,
        full_repeats=full_repeats,
    )
    agreement = decide(facts)
    capped = agreement == "same direction" and beside.where == "within"
    reasons: dict[Name, str] = {
        "error in the paper": claim.proof.shown if claim.proof is not None else "",
        "outside the model": claim.outside,
        "not run": _why_not_run(claim, measured),
        "open": claim.open,
        "other trace": f"{beside.why}; of another trace ({other_traces})",
        "artefact": claim.artefact,
        "not trustworthy": f"{beside.why}; {why_trust}",
        "not established": f"{beside.why}; {why_trust}",
        "depends on a choice": f"{beside.why}; {turned_by}",
    }
    why = reasons.get(agreement, f"{beside.why}; {lacking}" if capped else beside.why)
    return Judgement(agreement, why, capped=capped)


class Standing(NamedTuple):
    """Where our figure lies beside the printed one, and in words."""

    where: Beside
    why: str


def _beside(claim: Claim, measured: OurFigure) -> Standing:
    found = _RULES[claim.kind](claim, measured)
    return found._replace(why=f"{found.why}{_over_workloads(claim, measured)}")


def _over_workloads(claim: Claim, measured: OurFigure) -> str:
    """Geometric mean and median of a ratio beside what the paper prints: one workload can make a mean."""
    values = [part.value for _, part in measured.parts]
    form = claim.measure.form if claim.measure is not None else ""
    if claim.kind != "ratio" or form not in ("ratio", "speed-up") or len(values) < 2 or min(values) <= 0:
        return ""
    return (
        f"; over {len(values)} workloads geometric mean {statistics.geometric_mean(values):.3g}, "
        f"median {statistics.median(values):.3g}"
    )


def _why_not_run(claim: Claim, measured: OurFigure | None) -> str:
    if claim.missing or measured is None:
        return claim.missing or "this level has no figure for it"
    return measured.reason if measured.not_run else f"refused: {measured.reason}"


def withheld(found: Judgement) -> Judgement:
    """What is told in place of an agreement where only that everything runs was to be shown."""
    return found if found.agreement in WITHOUT_OURS else Judgement("not judged", QUICK)


def _lacking(claim: Claim, measured: OurFigure) -> str:
    """What is missing for a match: some workloads or repeats."""
    without = [*measured.absent, *measured.refused]
    if without:
        return f"without {', '.join(without)}"
    figure = _of(measured)
    sure = all(part.has_interval for _, part in measured.parts) and figure.has_interval
    return "" if sure or claim.kind == "value" else NO_INTERVAL


def _value(claim: Claim, measured: OurFigure) -> Standing:
    """A figure by itself: within tolerance or not."""
    figure = _of(measured)
    noted = "" if figure.has_interval else f"; {NO_INTERVAL}"
    if claim.matches(figure.value):
        return Standing("within", f"within {_band(claim)}{noted}")
    return Standing("off", f"outside {_band(claim)}{noted}")


def _ratio(claim: Claim, measured: OurFigure) -> Standing:
    """A figure beside no difference: the interval must lie on the paper's side of it."""
    figure = _of(measured)
    side = claim.side
    within = claim.matches(figure.value)
    least, most = figure.interval
    neutral = claim.neutral
    if side == 0:
        # The paper prints no difference.
        return Standing("within" if within else "off", f"{'within' if within else 'outside'} {_band(claim)}")
    on_side = least > neutral if side > 0 else most < neutral
    if on_side and within:
        return Standing("within", f"within {_band(claim)}, on the same side of {neutral:g}")
    if on_side:
        return Standing("on its side", f"on the same side of {neutral:g}, outside {_band(claim)}")
    low, high = claim.band
    what = "the interval" if figure.has_interval else "the figure"
    if figure.has_interval and least <= neutral <= most and least <= high and low <= most:
        return Standing(
            "no difference, printed effect", f"{what} holds {neutral:g}, no difference, and {_band(claim)}"
        )
    other = figure.value < neutral if side > 0 else figure.value > neutral
    where = "is on the other side of" if other and not least <= neutral <= most else "includes"
    return Standing("off", f"{what} {where} {neutral:g}, no difference")


def _order(claim: Claim, measured: OurFigure) -> Standing:
    """The scheme is better than the baseline: in all workloads, in most, or in their mean."""
    holds = claim.measure.holds if claim.measure is not None else "all"
    named = measured.parts if holds != "mean" else ()
    parts = named or (("mean", _of(measured)),)
    right = [name for name, part in parts if _on_side(claim, part)]
    share = len(right) / len(parts)
    said = f"{len(right)} of {len(parts)}" if named else ("it holds" if right else "it does not hold")
    if share == 1 or (holds == "most" and share > MAJORITY):
        return Standing("within", said)
    mean = _of(measured)
    leaning = mean.value < 1 if claim.better == "lower" else mean.value > 1
    if leaning and share > MAJORITY:
        return Standing("on its side", f"{said}, and the mean")
    return Standing("off", said)


def _on_side(claim: Claim, part: Figure) -> bool:
    low, high = part.interval
    return high < 1 if claim.better == "lower" else low > 1


def _shape(claim: Claim, measured: OurFigure) -> Standing:
    """It rises, falls or stays along an axis, by more than the claim's tolerance at each step."""
    values = [part.value for _, part in measured.parts]
    if claim.measure is None or len(values) < 2:
        # A module has looked at it: 1 where the shape is there, else 0.
        there = _of(measured).value == 1
        asked = f": {measured.rule}" if measured.rule else ""
        return Standing("within" if there else "off", f"{'it is there' if there else 'it is not'}{asked}")
    shape = claim.measure.shape
    room = claim.tolerance * max(abs(value) for value in values)
    steps = [after - before for before, after in pairwise(values)]
    if shape == "flat":
        flat = max(values) - min(values) <= room
        return Standing("within" if flat else "off", f"from {min(values):.4g} to {max(values):.4g}")
    sign = 1 if shape == "rises" else -1
    whole = sign * (values[-1] - values[0])
    said = f"from {values[0]:.4g} to {values[-1]:.4g}"
    if whole > room and all(sign * step >= -room for step in steps):
        return Standing("within", said)
    return Standing("on its side" if whole > 0 else "off", said)


_RULES = {"value": _value, "ratio": _ratio, "order": _order, "shape": _shape}


def _of(measured: OurFigure) -> Figure:
    if measured.figure is None:
        raise ValueError("nothing was measured")
    return measured.figure


def _band(claim: Claim) -> str:
    """What counts as within tolerance."""
    low, high = (scaled(each, claim.unit) for each in claim.band)
    return f"{low} to {high}" if low != high else f"the tolerance of {low}"
