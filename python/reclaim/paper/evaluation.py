"""Every claim of a paper with our figure and its agreement, also under other readings and load rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import polars as pl

from reclaim.errors import InputError
from reclaim.paper import stand_in_error
from reclaim.paper.agreements import Judgement, judge
from reclaim.paper.claims import CLASSES, Claim, Class
from reclaim.paper.decisions import NAMES, NOT_COUNTED, Name, Trust
from reclaim.paper.figures import Drawing, PageTable, PaperFigure, family_claims
from reclaim.paper.measured import Figure, OurFigure, measure, of_experiment
from reclaim.paper.paper import OTHER_TRACES, Paper
from reclaim.paper.trust import of_points
from reclaim.paper.why import Finding

CHANGED = "changed"
"""How many agreements are other ones than under the default."""


@dataclass(frozen=True)
class VariedFigure:
    """Our figure under another reading or load rule. It is shown; the agreement does not rest on it."""

    label: str
    figure: Figure
    judgement: Judgement


@dataclass(frozen=True)
class JudgedClaim:
    """A claim beside what we found."""

    claim: Claim
    measured: OurFigure | None
    judgement: Judgement
    readings: tuple[VariedFigure, ...] = ()
    loads: tuple[VariedFigure, ...] = ()

    @property
    def is_judged(self) -> bool:
        """Whether something was found out about it."""
        return self.judgement.agreement not in ("not run", "outside the model")

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


NOT_HERE = PaperFigure(None, reason="this level does not run it")
"""A figure that the module of a paper does not bring."""


@dataclass(frozen=True)
class Evidence:
    """What a run of a paper leaves to judge its claims by."""

    paper: Paper
    points: pl.DataFrame
    figures: Mapping[str, PaperFigure]
    """Of the paper's module."""
    variations: Variations
    stand_ins: StandIns = field(default_factory=dict)
    varied: Mapping[str, Mapping[str, PaperFigure]] = field(default_factory=dict)
    """Figures of the module under other loads and readings, by label."""
    full_repeats: bool = True
    """Whether it was run as often as agreements to be cited are."""
    complete: bool = False
    """Whether all was run, so that every figure must be there."""
    turned: Mapping[str, str] = field(default_factory=dict)
    """Of claims, which choices turn them."""

    def rows(self) -> list[JudgedClaim]:
        """Judge every claim.

        Where one rests on stand-ins made from published figures, its reason says how far these may be off.

        Raises:
            InputError: if a claim names a figure that the paper's module does not bring.
        """
        rows = [self._barred(self._row(claim)) for claim in self.paper.expected.claims]
        for claim, found in family_claims(self.paper, self.figures) if self.figures else []:
            measured = OurFigure(found.figure)
            rows.append(JudgedClaim(claim, measured, judge(claim, measured)))
        return rows

    def _row(self, claim: Claim) -> JudgedClaim:
        measured: OurFigure | None = None
        readings: tuple[VariedFigure, ...] = ()
        loads: tuple[VariedFigure, ...] = ()
        if claim.figure:
            measured = self._of_module(claim)
            loads = self._others(claim, self.variations.loads, self._varied)
            readings = self._others(claim, self.variations.vary, self._varied)
        elif claim.measure is not None:
            measured = self._measured(claim, self.paper.load)
            others = [load for load in self.variations.loads if load != self.paper.load]
            loads = self._others(claim, others, self._measured)
            vary = () if claim.measure.vary else self.variations.vary
            readings = self._others(
                claim, vary, lambda claim, label: self._measured(claim, self.paper.load, label)
            )
        judgement = judge(
            claim,
            measured,
            other_traces=other_traces(self.paper, claim),
            turned_by=self.turned.get(claim.id, ""),
            full_repeats=self.full_repeats,
        )
        return JudgedClaim(claim, measured, judgement, readings, loads)

    def _measured(self, claim: Claim, load: str, vary: str = "") -> OurFigure:
        workloads = [each.name for each in self.paper.workloads]
        return measure(claim, self.points, workloads, load=load, vary=vary)

    def _varied(self, claim: Claim, label: str) -> OurFigure:
        own = self.varied.get(label, {}).get(claim.figure, NOT_HERE)
        return OurFigure(own.figure, own.parts, rule=own.rule)

    def _of_module(self, claim: Claim) -> OurFigure:
        """A figure of the module, with how far the runs that it rests on establish metrics of its kind."""
        if self.complete and claim.figure not in self.figures:
            file, module = self.paper.folder / "expected.toml", self.paper.module or "measures.toml"
            raise InputError(f'{file}: claim "{claim.id}": {module} brings no figure "{claim.figure}"')
        own = self.figures.get(claim.figure, NOT_HERE)
        trust: Trust = "trustworthy"
        why = ""
        if claim.rests_on and not self.points.is_empty():
            chosen = of_experiment(self.points, claim.rests_on, self.paper.load)
            trust, why = of_points(chosen, lambda metric: stand_in_error.kind_of(metric) == claim.error_of)
        return OurFigure(
            own.figure, own.parts, reason=own.reason, rule=own.rule, not_run=True, trust=trust, why_trust=why
        )

    def _others(
        self,
        claim: Claim,
        labels: Iterable[str],
        measured: Callable[[Claim, str], OurFigure],
    ) -> tuple[VariedFigure, ...]:
        """Our figure under other loads or readings, which are never run as often as the default."""
        found = []
        for label in labels:
            figures = measured(claim, label)
            if figures.figure is not None:
                traces = other_traces(self.paper, claim)
                judgement = judge(claim, figures, other_traces=traces, full_repeats=False)
                found.append(VariedFigure(label, figures.figure, judgement))
        return tuple(found)

    def _barred(self, row: JudgedClaim) -> JudgedClaim:
        """Say how far the stand-ins that an agreement rests on may be off."""
        if row.judgement.agreement in ("open", "not run", "outside the model"):
            return row
        measure = row.claim.measure
        if measure is not None:
            there = self.stand_ins.get(measure.experiment, {})
            named = measure.workloads
            used = [figures for name, figures in there.items() if not named or name in named]
        else:
            # A module's figure may rest on any of them: the widest bar holds.
            used = [figures for there in self.stand_ins.values() for figures in there.values()]
        said = stand_in_error.remark(row.claim, row.figure, stand_in_error.bar_of(row.claim, used))
        if not said:
            return row
        return replace(row, judgement=replace(row.judgement, why=f"{row.judgement.why}; {said}"))


def other_traces(paper: Paper, claim: Claim) -> str:
    """Name the kinds of the traces that a claim rests on, if none of them is the paper's own."""
    asked = claim.measure.workloads if claim.measure is not None else ()
    kinds = {each.kind for each in paper.workloads if not asked or each.name in asked}
    return ", ".join(sorted(kinds)) if kinds and kinds <= set(OTHER_TRACES) else ""


@dataclass(frozen=True)
class Provenance:
    """What a reader must know beside the agreements."""

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
    """The agreements on the measurements of a class."""

    of_class: Class
    counted: Mapping[Name, int]
    shown: Mapping[Name, int]
    """Of agreements that no total counts."""

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
    rows: tuple[JudgedClaim, ...]
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
        """Whether the level gives agreements at all."""
        return self.provenance.level != "quick"

    def measurements(self) -> list[JudgedClaim]:
        """The rows without those that measure and print what one before them does."""
        seen: set[tuple[object, ...]] = set()
        found = []
        for row in self.rows:
            if row.claim.measurement not in seen:
                seen.add(row.claim.measurement)
                found.append(row)
        return found

    def totals(self) -> list[Total]:
        """How many measurements of each class got each agreement; only what there is, in order."""
        rows = self.measurements() if self.is_judged else []
        found = []
        for of_class in CLASSES:
            agreements = [row.judgement.agreement for row in rows if row.claim.of_class == of_class]
            numbers = {name: agreements.count(name) for name in NAMES if name in agreements}
            if numbers:
                counted = {name: count for name, count in numbers.items() if name not in NOT_COUNTED}
                shown = {name: count for name, count in numbers.items() if name in NOT_COUNTED}
                found.append(Total(of_class, counted, shown))
        return found

    def by_variation(self) -> dict[str, dict[str, int]]:
        """Agreements under the default and under every other load rule and reading, of the same claims.

        They are the claims that have a figure under the default and under that variation.
        """
        found: dict[str, dict[str, int]] = {}
        for row in self.rows:
            for other in (*row.loads, *row.readings):
                if row.figure is None:
                    continue
                counts = found.setdefault(other.label, {})
                agreement = other.judgement.agreement
                counts[agreement] = counts.get(agreement, 0) + 1
                if agreement != row.judgement.agreement:
                    counts[CHANGED] = counts.get(CHANGED, 0) + 1
        return found

    def title(self, group: str) -> str:
        """Heading of a group or a family."""
        families = {each.id: each.what for each in self.paper.expected.families}
        return self.paper.expected.groups.get(group) or families.get(group) or "Other claims"

    def groups(self) -> dict[str, list[JudgedClaim]]:
        """Rows by the table or figure of the paper, in the order of `expected.toml`."""
        found: dict[str, list[JudgedClaim]] = {name: [] for name in self.paper.expected.groups}
        for row in self.rows:
            found.setdefault(row.claim.group, []).append(row)
        return {name: rows for name, rows in found.items() if rows}
