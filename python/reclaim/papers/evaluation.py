"""Every claim of a paper with our figure and its verdict, also under other readings and load rules."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from reclaim.errors import InputError
from reclaim.papers import stand_in_error
from reclaim.papers.claims import CLASSES, Claim, Class
from reclaim.papers.contradictions import Proof, prove
from reclaim.papers.custom import Custom, Drawing, PageTable, family_claims
from reclaim.papers.decisions import NAMES, NOT_COUNTED, Name, Trust
from reclaim.papers.measured import Figure, Measured, measure, of_experiment
from reclaim.papers.paper import OTHER_TRACES, Paper
from reclaim.papers.trust import of_points
from reclaim.papers.verdicts import Judgement, judge
from reclaim.papers.why import Finding

CHANGED = "changed"
"""How many verdicts are other ones than under the default."""


@dataclass(frozen=True)
class Other:
    """Our figure under another reading or load rule. It is shown; the verdict does not rest on it."""

    label: str
    figure: Figure
    judgement: Judgement


@dataclass(frozen=True)
class Row:
    """A claim beside what we found."""

    claim: Claim
    measured: Measured | None
    judgement: Judgement
    proof: Proof | None = None
    readings: tuple[Other, ...] = ()
    loads: tuple[Other, ...] = ()

    @property
    def is_judged(self) -> bool:
        """Whether something was found out about it."""
        return self.judgement.verdict not in ("not run", "outside the model")

    @property
    def parts(self) -> tuple[tuple[str, Figure], ...]:
        """Our figure by workload."""
        return () if self.measured is None else self.measured.parts

    @property
    def figure(self) -> Figure | None:
        """Our figure, if there is one."""
        return None if self.measured is None else self.measured.figure


@dataclass(frozen=True)
class Variations:
    """What was run beside the default cells."""

    loads: tuple[str, ...] = ()
    vary: tuple[str, ...] = ()
    """`axis=value`"""


StandIns = Mapping[str, Mapping[str, Mapping[str, Any]]]
"""Experiment to name of a trace to the figures that its stand-in was made from; only of stand-ins."""


def evaluate(
    paper: Paper,
    points: pl.DataFrame,
    custom: Mapping[str, Custom],
    variations: Variations,
    stand_ins: StandIns | None = None,
    custom_varied: Mapping[str, Mapping[str, Custom]] | None = None,
    *,
    full_repeats: bool = True,
    turned: Mapping[str, str] | None = None,
) -> list[Row]:
    """Judge every claim.

    `custom_varied` has figures of the paper's module under other loads and readings, by label.
    Where one rests on stand-ins made from published figures, its reason says how far these may be off.
    `full_repeats` tells whether it was run as often as verdicts to be cited are; `turned` says of claims
    which choices turn them.

    Raises:
        InputError: if a claim names a figure that the paper's module does not bring.
    """
    rows = [
        _barred(row, stand_ins or {})
        for row in (
            _row(paper, claim, points, custom, variations, full_repeats, (turned or {}).get(claim.id, ""))
            for claim in paper.expected.claims
        )
    ]
    rows = [_with_variations(paper, row, variations, custom_varied or {}) for row in rows]
    for claim, found in family_claims(paper, custom) if custom else []:
        measured = Measured(found.figure)
        rows.append(Row(claim, measured, judge(claim, measured)))
    return rows


def _row(
    paper: Paper,
    claim: Claim,
    points: pl.DataFrame,
    custom: Mapping[str, Custom],
    variations: Variations,
    full_repeats: bool,
    turned_by: str,
) -> Row:
    file = paper.folder / "expected.toml"
    proof = prove(claim, claim.contradiction) if claim.contradiction is not None else None

    def judged(measured: Measured | None) -> Judgement:
        return _judged(paper, claim, measured, proof, full_repeats=full_repeats, turned_by=turned_by)

    if claim.figure:
        if claim.figure not in custom:
            raise InputError(f'{file}: claim "{claim.id}": {paper.module} brings no figure "{claim.figure}"')
        own = custom[claim.figure]
        trust, why = _trust(claim, points, paper.load)
        measured: Measured | None = Measured(
            own.figure,
            own.parts,
            reason=own.reason,
            rule=own.rule,
            not_run=True,
            trust=trust,
            why_trust=why,
        )
        return Row(claim, measured, judged(measured), proof)
    if claim.measure is None:
        return Row(claim, None, judged(None), proof)
    names = [each.name for each in paper.workloads]
    measured = measure(claim, points, names, load=paper.load)
    loads = _others(
        paper, claim, points, [(load, load, "") for load in variations.loads if load != paper.load], proof
    )
    varied = [] if claim.measure.vary else variations.vary
    readings = _others(paper, claim, points, [(vary, paper.load, vary) for vary in varied], proof)
    return Row(claim, measured, judged(measured), proof, readings, loads)


def _with_variations(
    paper: Paper, row: Row, variations: Variations, found: Mapping[str, Mapping[str, Custom]]
) -> Row:
    """A claim about a figure of the paper's module, with what that is under other loads and readings."""

    def others(labels: Iterable[str]) -> tuple[Other, ...]:
        figures = [(label, found.get(label, {}).get(row.claim.figure)) for label in labels]
        return tuple(
            Other(
                label,
                each.figure,
                _judged(paper, row.claim, Measured(each.figure, each.parts, rule=each.rule), row.proof),
            )
            for label, each in figures
            if each is not None and each.figure is not None
        )

    if not row.claim.figure or not found:
        return row
    return replace(row, loads=others(variations.loads), readings=others(variations.vary))


def _trust(claim: Claim, points: pl.DataFrame, load: str) -> tuple[Trust, str]:
    """How far the runs that a module's figure rests on establish metrics of its kind."""
    if not claim.rests_on or points.is_empty():
        return "trustworthy", ""
    chosen = of_experiment(points, claim.rests_on, load)
    return of_points(chosen, lambda metric: stand_in_error.kind_of(metric) == claim.error_of)


def other_traces(paper: Paper, claim: Claim) -> str:
    """Name the kinds of the traces that a claim rests on, if none of them is the paper's own."""
    asked = claim.measure.workloads if claim.measure is not None else ()
    kinds = {each.kind for each in paper.workloads if not asked or each.name in asked}
    return ", ".join(sorted(kinds)) if kinds and kinds <= set(OTHER_TRACES) else ""


def _barred(row: Row, stand_ins: StandIns) -> Row:
    """Say how far the stand-ins that a verdict rests on may be off."""
    if row.judgement.verdict in ("open", "not run", "outside the model"):
        return row
    measure = row.claim.measure
    if measure is not None:
        there = stand_ins.get(measure.experiment, {})
        named = measure.workloads
        used = [figures for name, figures in there.items() if not named or name in named]
    else:
        # A module's figure may rest on any of them: the widest bar holds.
        used = [figures for of_experiment in stand_ins.values() for figures in of_experiment.values()]
    said = stand_in_error.remark(row.claim, row.figure, stand_in_error.bar_of(row.claim, used))
    if not said:
        return row
    return replace(row, judgement=replace(row.judgement, why=f"{row.judgement.why}; {said}"))


def _judged(
    paper: Paper,
    claim: Claim,
    measured: Measured | None,
    proof: Proof | None,
    *,
    full_repeats: bool = False,
    turned_by: str = "",
) -> Judgement:
    """Judge a claim of a paper. Other loads and readings are never run as often as the default."""
    return judge(
        claim,
        measured,
        proof,
        other_traces=other_traces(paper, claim),
        turned_by=turned_by,
        full_repeats=full_repeats,
    )


def _others(
    paper: Paper,
    claim: Claim,
    points: pl.DataFrame,
    chosen: Iterable[tuple[str, str, str]],
    proof: Proof | None,
) -> tuple[Other, ...]:
    names = [each.name for each in paper.workloads]
    found = []
    for label, load, vary in chosen:
        measured = measure(claim, points, names, load=load, vary=vary)
        if measured.figure is not None:
            found.append(Other(label, measured.figure, _judged(paper, claim, measured, proof)))
    return tuple(found)


@dataclass(frozen=True)
class Provenance:
    """What a reader must know beside the verdicts."""

    level: str
    command: str
    version: str
    traces: tuple[Mapping[str, Any], ...] = ()
    """For each workload: name, kind, where it came from, how long."""
    scalings: tuple[Mapping[str, Any], ...] = ()
    """For each scaled workload: rule, time scale, utilisation reached, why not."""
    failures: tuple[str, ...] = ()


@dataclass(frozen=True)
class Total:
    """The verdicts on the measurements of a class."""

    of_class: Class
    counted: Mapping[Name, int]
    shown: Mapping[Name, int]
    """Of verdicts that no total counts."""

    @property
    def words(self) -> str:
        """What the class is of."""
        return CLASSES[self.of_class]

    @property
    def of(self) -> int:
        """What a share is taken of: refused, not run and not established ones are in it."""
        return sum(self.counted.values())


@dataclass(frozen=True)
class Reproduction:
    """A paper, reproduced."""

    paper: Paper
    rows: tuple[Row, ...]
    provenance: Provenance
    drawings: tuple[Drawing, ...] = ()
    """Further figures, of the paper's module."""
    findings: tuple[Finding, ...] = ()
    """What its headlines depend on; none where that was not asked."""
    figures: tuple[tuple[str, Figure], ...] = ()
    """Those of the paper's module, by name, which its page may quote."""
    tables: tuple[PageTable, ...] = ()
    """Of the paper's module, for its page."""

    @property
    def is_judged(self) -> bool:
        """Whether the level gives verdicts at all."""
        return self.provenance.level != "quick"

    def measurements(self) -> list[Row]:
        """The rows without those that measure and print what one before them does."""
        seen: set[tuple[object, ...]] = set()
        found = []
        for row in self.rows:
            if row.claim.measurement not in seen:
                seen.add(row.claim.measurement)
                found.append(row)
        return found

    def totals(self) -> list[Total]:
        """How many measurements of each class got each verdict; only what there is, in order."""
        rows = self.measurements() if self.is_judged else []
        found = []
        for of_class in CLASSES:
            verdicts = [row.judgement.verdict for row in rows if row.claim.of_class == of_class]
            numbers = {name: verdicts.count(name) for name in NAMES if name in verdicts}
            if numbers:
                counted = {name: count for name, count in numbers.items() if name not in NOT_COUNTED}
                shown = {name: count for name, count in numbers.items() if name in NOT_COUNTED}
                found.append(Total(of_class, counted, shown))
        return found

    def by_variation(self) -> dict[str, dict[str, int]]:
        """Verdicts under the default and under every other load rule and reading, of the same claims.

        They are the claims that have a figure under the default and under that variation.
        """
        found: dict[str, dict[str, int]] = {}
        for row in self.rows:
            for other in (*row.loads, *row.readings):
                if row.figure is None:
                    continue
                counts = found.setdefault(other.label, {})
                verdict = other.judgement.verdict
                counts[verdict] = counts.get(verdict, 0) + 1
                if verdict != row.judgement.verdict:
                    counts[CHANGED] = counts.get(CHANGED, 0) + 1
        return found

    def title(self, group: str) -> str:
        """Heading of a group or a family."""
        families = {each.id: each.what for each in self.paper.expected.families}
        return self.paper.expected.groups.get(group) or families.get(group) or "Other claims"

    def groups(self) -> dict[str, list[Row]]:
        """Rows by the table or figure of the paper, in the order of `expected.toml`."""
        found: dict[str, list[Row]] = {name: [] for name in self.paper.expected.groups}
        for row in self.rows:
            found.setdefault(row.claim.group, []).append(row)
        return {name: rows for name, rows in found.items() if rows}
