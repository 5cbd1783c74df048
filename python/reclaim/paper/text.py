"""Claims and figures as text, for the terminal, the report and the page of a paper."""

from __future__ import annotations

from reclaim.paper.agreements import QUICK
from reclaim.paper.claims import Claim
from reclaim.paper.evaluation import JudgedClaim, Reproduction
from reclaim.paper.measured import SCALED, Figure, number, scaled
from reclaim.report.document import Tone

NOTHING = "–"
TONES: dict[str, Tone] = {
    "matches": "good",
    "same direction": "near",
    "below resolution": "doubt",
    "not reproduced": "bad",
    "depends on a choice": "doubt",
    "not established": "doubt",
    "not trustworthy": "bad",
    "artefact": "odd",
    "other trace": "soft",
    "open": "doubt",
    "error in the paper": "odd",
    "outside the model": "soft",
    "not run": "soft",
    "not judged": "soft",
}


def printed(claim: Claim) -> str:
    """What the paper prints, with its unit."""
    if not isinstance(claim.value, float):
        return str(claim.value)
    if claim.unit in SCALED:
        return scaled(claim.value, claim.unit)
    if claim.reading_error is not None:
        unit = "" if claim.unit == "ratio" else f" {claim.unit}"
        return f"{number(claim.value)} ± {number(claim.reading_error)}{unit}, read off"
    text = claim.printed if len(claim.printed) < 9 else number(claim.value)
    return f"{text} {claim.unit}".strip() if claim.unit != "ratio" else f"{text}×"


def ours(figure: Figure | None, claim: Claim) -> str:
    """Our figure with its interval."""
    if figure is None:
        return NOTHING
    if claim.kind == "shape" and claim.measure is None:
        return "yes" if figure.value == 1 else "no"
    if claim.unit in SCALED:
        return figure.text(lambda value: scaled(value, claim.unit))
    unit = "" if claim.kind == "order" else claim.unit
    unit = "×" if claim.kind == "order" or unit == "ratio" else f" {unit}" if unit else ""
    return figure.text(number, unit)


def summary(found: Reproduction) -> str:
    """How many measurements got each agreement, by class, in one line; at the quick level that none did."""
    if not found.is_judged:
        return f"{len(found.rows)} claims, none of them judged: {QUICK}; leave out --quick to judge them"
    said = []
    for total in found.totals():
        agreements = [f"{count} {name}" for name, count in total.counted.items()]
        agreements += [f"{count} {name}, not counted" for name, count in total.shown.items()]
        share = f" (of {total.of})" if total.of else ""
        said.append(f"{total.words}{share}: {', '.join(agreements)}")
    return "; ".join(said)


def parts(row: JudgedClaim) -> list[str]:
    """Our figure workload by workload, where there are several."""
    if row.measured is None or len(row.measured.parts) < 2:
        return []
    return [f"{name}: {ours(figure, row.claim)}" for name, figure in row.measured.parts]
