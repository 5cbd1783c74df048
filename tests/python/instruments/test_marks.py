"""Figures of ablations, tunings and studies of sensitivity have the marks of the runs they are made of."""

from __future__ import annotations

import dataclasses

from reclaim.instruments.ablation import tables
from reclaim.instruments.ablation.result import OfMetric, Pair, Row, Taken, figure_of
from reclaim.instruments.conclusion import ratio_of
from reclaim.instruments.judging import Measured, measured
from reclaim.instruments.moves import BASE, SIDES, Cell, Figure, Moved, Pairing
from reclaim.instruments.outcome import Outcome
from reclaim.instruments.tuning.trials import Trial, compared
from reclaim.instruments.tuning.words import ratio, tuned
from reclaim.results.verdict import Remark, Verdict

WA = "gc_write_amplification"
DOUBT = Remark("drift", "It drifts.", ("gc.write_amplification",))
FIGURE = figure_of([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
TAKEN = Taken(
    ("busy",), FIGURE, (Row(("a",), FIGURE, FIGURE, None),), (Pair(("a", "b"), FIGURE, beside=1, of=2),)
)


def test_an_ablation_marks_what_runs_doubt() -> None:
    trusted = OfMetric(WA, "It rises.", TAKEN, {})
    assert (trusted.mark, trusted.told) == ("", "It rises.")
    doubted = dataclasses.replace(trusted, doubts={"drift": 1})
    assert doubted.told == "It rises. ? not established: the notes say why."
    assert [each.mark for each in (doubted, dataclasses.replace(trusted, chance=2))] == ["?", "?"]
    assert dataclasses.replace(doubted, warnings={"unbounded-queue": 1}).mark == "!"
    part, total = tables.rows(TAKEN, doubted.mark)
    assert [cell.endswith(" ?") for cell in part] == [False, True, False, True, True, True, False]
    assert [cell.endswith(" ?") for cell in total] == [False, True, False, True, False, True, False]
    assert [cell.endswith(" ?") for cell in tables.pairs(TAKEN, "?")[0]] == [False, True, False, False]
    assert not any("?" in cell for row in tables.rows(TAKEN, trusted.mark) for cell in row)


def _outcome(value: float, *doubts: Remark) -> Outcome:
    level = "not-established" if doubts else "trustworthy"
    return Outcome("", verdict=Verdict(level, (), doubts, ()), figures={WA: value, "flash_erases": value})


def test_a_ratio_has_the_worst_mark_of_its_runs() -> None:
    base = {("busy", 0): _outcome(2.0), ("busy", 1): _outcome(2.1)}
    tried = {("busy", 0): _outcome(1.0), ("busy", 1): _outcome(1.1, DOUBT)}
    assert compared(WA, base, tried).mark == "?"
    assert compared(WA, base, base).mark == ""
    assert compared("flash_erases", base, tried).mark == "", "the doubt is not about it"
    assert ratio(compared(WA, base, tried)).endswith(" ?")
    assert " " not in ratio(compared("flash_erases", base, tried))


def test_sentences_have_the_mark_behind_the_ratio() -> None:
    steady = Measured({}, (0.0, 0.1, 0.2))
    value, _, interval = ratio_of(steady).partition(",")
    assert ratio_of(dataclasses.replace(steady, mark="!")) == f"{value} !,{interval}"
    for marks, told in (({WA: "?"}, "×1.000 ?"), ({}, "×1.000")):
        assert tuned(Trial(1, None, {}, {WA: 0.0}, marks=marks), WA) == told


def test_a_comparison_takes_the_marks_of_its_figures() -> None:
    pairing = Pairing(BASE, Moved((("x", "1"),)))
    figures = {
        Cell("busy", side, pairing.of(side), repeat): Figure(1.0 + repeat, mark="?" if repeat else "")
        for side in SIDES
        for repeat in range(2)
    }
    assert measured(pairing, ["busy"], [0, 1], figures).mark == "?"
    trusted = {cell: each._replace(mark="") for cell, each in figures.items()}
    assert measured(pairing, ["busy"], [0, 1], trusted).mark == ""
