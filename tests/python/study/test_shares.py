"""What an ablation is made of: parts in which drives differ, their shares, the sentence and its marks."""

from __future__ import annotations

import dataclasses
from itertools import permutations
from math import fsum
from random import Random

import pytest

import reclaim
from reclaim.layers import differing, flat
from reclaim.mistakes import Mistakes
from reclaim.result.verdict import Remark, Verdict
from reclaim.study.ablation import game, report
from reclaim.study.ablation.drives import SchemePart, cannot_go, parts_of
from reclaim.study.ablation.result import Decomposition, LogFigure, OfMetric, PartPair, PartShare, figure_of
from reclaim.study.ablation.words import conclusion, share_of_total
from reclaim.study.runs import Outcome
from reclaim.study.sensitivity.conclusion import ratio_of
from reclaim.study.sensitivity.judging import BASE, SIDES, Moved, PairedRatios, Pairing, SideRun, measured
from reclaim.study.sensitivity.judging import RunFigure as Moving
from reclaim.study.tuning.trials import Trial, compared
from reclaim.study.tuning.words import ratio, tuned


def figure(value: float, half: float | None = 0.02) -> LogFigure:
    """A figure of six repeats with an interval, or of two without."""
    if half is None:
        return LogFigure(value, value, None, None, 2)
    return LogFigure(value, value, value - half, value + half, 6)


def test_an_interval_that_ends_at_0_decides_nothing() -> None:
    ends = ((-2.0, 0.0), (-2.0, -0.5), (0.0, 2.0), (0.5, 2.0), (-1.0, 1.0))
    assert [LogFigure(1, 1, *each, 6).decided(0) for each in ends] == [0, -1, 0, 1, 0]
    assert [LogFigure(value, value, None, None, 2).decided(1) for value in (-1, -1.5, 1, 1.5)] == [
        0,
        -1,
        0,
        1,
    ]


def taken(total: LogFigure, lead: LogFigure | None = None, **shares: LogFigure) -> Decomposition:
    rows = tuple(PartShare((name,), share, None, None) for name, share in shares.items())
    return Decomposition(("w",), total, rows, lead=lead)


def said(made: Decomposition) -> str:
    return conclusion("read_p99_ns", "A", "B", made)


CLEAR = figure(0.2)


@pytest.mark.parametrize(
    ("made", "told"),
    [
        (taken(figure(-0.5), CLEAR, a=figure(-0.4), b=figure(-0.1)), ["largest", "a 0.670"]),
        (
            taken(figure(-0.3), CLEAR, a=figure(-0.5), b=figure(0.2)),
            ["largest", "a 0.607", "against it: b 1.221 (1.197 to 1.246)"],
        ),
        # The largest share of all goes the other way.
        (
            taken(figure(0.1), CLEAR, a=figure(-0.5), b=figure(0.3), c=figure(0.3)),
            ["made by b 1.350 (1.323 to 1.377), c 1.350 (1.323 to 1.377)", "against it: a 0.607"],
        ),
        (taken(figure(0.4), figure(0.01), a=figure(0.2), b=figure(0.2)), ["not told apart: a "]),
        # Two repeats have no interval: a lead of less than 1 % is none either.
        (
            taken(figure(0.4, None), figure(0.001, None), a=figure(0.2, None), b=figure(0.2, None)),
            ["not told apart: a 1.221, b 1.221."],
        ),
        (taken(figure(0.1), CLEAR, a=figure(0.05, 0.1), b=figure(0.05, 0.1)), ["for certain."]),
        # Certain, and next to nothing.
        (taken(figure(0.1), CLEAR, a=figure(0.1), b=figure(0.005, 0.001)), ["a 1.105 (1.083 to 1.127)."]),
        (
            taken(figure(0.0), CLEAR, a=figure(0.3), b=figure(-0.3)),
            ["1.000 (0.980 to 1.020)", "6 repeats", "oppose "],
        ),
        (taken(figure(0.1, None), a=figure(0.1, None)), ["2 different repeats", "a makes all of it."]),
        (
            Decomposition((), None, unknown="w: A has no value"),
            ["read p99 latency from A to B: w: A has no value"],
        ),
        (
            Decomposition(
                ("w",), figure(0.5), (PartShare(("a",), None, figure(0.1), None),), unknown="no order does"
            ),
            ["as no order does."],
        ),
        (
            Decomposition(("w",), figure(0.5), (PartShare(("a", "b"), figure(0.5), None, None),)),
            ["a with b ", "make all of it."],
        ),
    ],
)
def test_the_sentence(made: Decomposition, told: list[str]) -> None:
    assert [each for each in told if each not in said(made)] == [], said(made)


def test_percentages_are_left_out_where_parts_cancel_or_the_total_may_be_none() -> None:
    def percent(made: Decomposition) -> list[str]:
        return [share_of_total(row, made) for row in made.rows]

    assert percent(taken(figure(-0.5), a=figure(-0.6), b=figure(0.1))) == ["120 %", "\u221220 %"]
    assert percent(taken(figure(-0.1), a=figure(-0.4), b=figure(0.3))) == ["", ""]
    assert percent(taken(figure(0.01), a=figure(0.01))) == [""]


def test_shares_that_other_orders_may_turn_are_not_named() -> None:
    def drawn(error: float, a: float = 0.4, b: float = 0.1) -> str:
        rows = tuple(
            PartShare((name,), figure(share), None, None, error) for name, share in (("a", a), ("b", b))
        )
        return said(Decomposition(("w",), figure(a + b), rows, lead=figure(a - b)))

    assert "a 1.492 (1.462 to 1.522), b 1.105" in drawn(0.02)
    assert drawn(0.06).endswith("a 1.492 (1.462 to 1.522).")
    assert "1.492" not in drawn(0.3)
    assert "not told apart: a " in drawn(0.06, 0.3, 0.2)


FILE = '[ablate]\n[ablate.parts]\n"early" = [\n "gc.trigger.idle",\n "%s",\n]\n'
GREEDY = flat(reclaim.Device("gc-bypass-mini", ("greedy",)).config)
ADAPTIVE = flat(reclaim.Device("gc-bypass-mini", ("adaptive",), (("gc.pages_in_flight", "4"),)).config)
KEYS = differing(GREEDY, ADAPTIVE)


def test_settings_that_differ_are_those_of_either() -> None:
    assert [
        *("gc.trigger.kind", "gc.trigger.start", "gc.concurrency.kind"),
        *("gc.pages_in_flight", "gc.concurrency.idle"),
    ] == KEYS
    assert differing(GREEDY, GREEDY) == []


def test_what_follows_from_other_settings_is_no_difference() -> None:
    made = reclaim.Device("gc-bypass-mini", (), (("warmup.kind", "filled"), ("warmup.scheme", "greedy")))
    assert "warmup.scheme" in flat(made.config)
    assert not [key for key in flat(made.config) if key.startswith("warmup.policies") or key == "name"]


def test_a_policy_kind_is_a_part_and_so_is_the_rest_of_a_section() -> None:
    mistakes = Mistakes("x.toml")
    assert parts_of(KEYS, {}, KEYS, mistakes) == [
        SchemePart("gc.trigger", ("gc.trigger.kind", "gc.trigger.start")),
        SchemePart("gc.concurrency", ("gc.concurrency.kind", "gc.concurrency.idle")),
        SchemePart("gc.pages_in_flight", ("gc.pages_in_flight",)),
    ]
    assert mistakes.messages() == []


def test_an_experiment_names_parts_of_several_kinds_and_below_them() -> None:
    named = {"kinds": ["gc.trigger", "gc.concurrency.kind"], "start": ["gc.trigger.start"]}
    mistakes = Mistakes("x.toml")
    assert parts_of(KEYS, named, KEYS, mistakes) == [
        SchemePart("kinds", ("gc.trigger.kind", "gc.concurrency.kind")),
        SchemePart("start", ("gc.trigger.start",)),
        SchemePart("gc.pages_in_flight", ("gc.pages_in_flight",)),
        SchemePart("gc.concurrency", ("gc.concurrency.idle",)),
    ]
    assert mistakes.messages() == []
    named = {"gc": ["gc.trigger"]}
    assert [each.name for each in parts_of(KEYS, named, KEYS, mistakes)] == [
        "gc",
        "gc.concurrency",
        "gc.pages_in_flight",
    ]


def test_a_key_that_takes_nothing_is_told_with_its_line() -> None:
    both = [*GREEDY, *ADAPTIVE]
    for key, said in (
        ("gc.victim", "gc.trigger.kind, "),
        ("gc.concurency", 'did you mean "gc.concurrency"?'),
    ):
        mistakes = Mistakes("x.toml", FILE % key)
        parts_of(KEYS, {"early": ["gc.concurrency", key]}, both, mistakes)
        (message,) = mistakes.messages()
        assert message.startswith("x.toml:5: ablate.parts.early[2]: ")
        assert f'"{key}"' in message
        assert said in message
    # All below it is named elsewhere.
    mistakes = Mistakes("x.toml")
    named = {"one": ["gc.trigger"], "kind": ["gc.trigger.kind"], "start": ["gc.trigger.start"]}
    parts_of(KEYS, named, KEYS, mistakes)
    (message,) = mistakes.messages()
    assert message.startswith('x.toml: ablate.parts.one[1]: "gc.trigger" ')


def test_settings_that_cannot_be_taken_away_again() -> None:
    # Another kind of policy comes without the parameters of the old one.
    assert (cannot_go(GREEDY, ADAPTIVE), cannot_go(ADAPTIVE, GREEDY)) == (0, 0)
    urgent = GREEDY | {"gc.trigger.hard": "2 blocks"}
    assert (cannot_go(urgent, GREEDY), cannot_go(GREEDY, urgent)) == (1, 0)


A, B, C = 1, 2, 4
GLOVES = {0: 0.0, A: 0.0, B: 0.0, C: 0.0, A | B: 1.0, A | C: 1.0, B | C: 0.0, A | B | C: 1.0}
"""One left glove, two right ones: a pair is worth 1."""
NEEDS_B = {0: 0.0, A: 1.0, B: 2.0, A | B: 4.0, B | C: 5.0, A | B | C: 9.0}
"""Part c cannot be without b. The orders that can be are abc, bac and bca."""


def shares(values: dict[int, float], count: int = 3) -> list[float]:
    steps = game.all_orders(count, values)
    found = game.shares(count, values, steps)
    assert fsum(found) == pytest.approx(values[(1 << count) - 1] - values[0])
    return found


def random_game(stream: Random, count: int, known: float) -> dict[int, float]:
    """A game in which each subset but the ends has a value with this chance."""
    whole = (1 << count) - 1
    kept = [each for each in range(whole + 1) if each in (0, whole) or stream.random() < known]
    return {each: stream.uniform(-1, 1) for each in kept}


def by_hand(count: int, values: dict[int, float]) -> list[float] | None:
    """The shares by going through every order."""
    added = []
    for order in permutations(range(count)):
        met = game.prefixes(order)
        if all(each in values for each in met):
            gains = {
                part: values[after] - values[before]
                for part, before, after in zip(order, met, met[1:], strict=False)
            }
            added.append([gains[part] for part in range(count)])
    return [fsum(each) / len(added) for each in zip(*added, strict=True)] if added else None


def test_games_solved_by_hand() -> None:
    # The left glove makes the pair in four of six orders, and each right one in one.
    assert shares(GLOVES) == pytest.approx([2 / 3, 1 / 6, 1 / 6])
    # abc: 1, 3, 5; bac: 2, 2, 5; bca: 4, 2, 3.
    assert shares(NEEDS_B) == pytest.approx([7 / 3, 7 / 3, 13 / 3])
    steps = game.all_orders(3, NEEDS_B)
    assert (steps.used, steps.of) == (3, 6)


@pytest.mark.parametrize(("count", "known"), [(1, 1.0), (3, 0.7), (4, 0.5), (5, 0.7)])
def test_shares_are_means_over_the_orders_that_can_be(count: int, known: float) -> None:
    stream, met = Random(f"{count} {known}"), 0  # noqa: S311 - not in secret
    for _ in range(40):
        values = random_game(stream, count, known)
        wanted = by_hand(count, values)
        if wanted is None:
            assert game.all_orders(count, values) is None
            continue
        met += 1
        back = {(1 << count) - 1 ^ subset: value for subset, value in values.items()}
        assert shares(back, count) == pytest.approx([-each for each in wanted]), "the way back negates"
        assert shares(values, count) == pytest.approx(wanted)
    assert met


def test_drawn_orders_are_those_of_the_seed_and_all_of_them_give_the_exact_share() -> None:
    assert game.draw(7, 6, 1) == game.draw(7, 6, 1) != game.draw(7, 6, 2)
    # On every machine: a change of the stream is a change of results.
    assert game.draw(4, 2, 1) == [(1, 2, 0, 3), (3, 0, 2, 1)]
    steps = game.drawn_orders(list(permutations(range(3))), NEEDS_B)
    assert (steps.used, steps.of) == (3, 6)
    assert game.shares(3, NEEDS_B, steps) == pytest.approx([7 / 3, 7 / 3, 13 / 3])
    assert game.drawn_orders([(2, 0, 1)], NEEDS_B) is None


def test_the_error_of_drawing_is_that_of_the_mean_of_draws() -> None:
    # abc with cba (which cannot be): b adds 3; bca with acb (which cannot be): b adds 2.
    orders = [(0, 1, 2), (2, 1, 0), (1, 2, 0), (0, 2, 1)]
    found = game.drawn_errors(orders, NEEDS_B)
    assert found[1] == pytest.approx(0.5)
    assert game.drawn_errors(orders[:2], NEEDS_B) is None
    # Where parts do not interact, no order is better than another.
    plain = {subset: float(subset) for subset in range(8)}
    assert game.drawn_errors(orders, plain) == pytest.approx([0, 0, 0])


def test_inseparable_parts_are_merged() -> None:
    # b and c only together: {a}, {b, c}.
    values = {0: 0.0, A: 1.0, B | C: 5.0, A | B | C: 9.0}
    assert game.all_orders(3, values) is None
    blocks = game.finest(3, values)
    assert blocks == [A, B | C]
    merged = game.of_blocks(blocks, values)
    assert merged == {0: 0.0, 1: 1.0, 2: 5.0, 3: 9.0}
    assert shares(merged, 2) == pytest.approx([2.5, 6.5])
    # A subset that leads nowhere separates nothing.
    assert game.finest(4, [0, A, A | B, A | B | C | 8, C]) == [A, B, C | 8]
    # b with c, or a with c: nothing says which.
    assert game.finest(3, [0, A, B, A | B | C]) is None
    assert game.finest(3, [0, A]) is None


def test_blocks_of_several_workloads_are_joined() -> None:
    assert game.joined(4, []) == [1, 2, 4, 8]
    assert game.joined(4, [[1, 2, 4, 8], [1, 6, 8]]) == [1, 6, 8]
    assert game.joined(4, [[3, 4, 8], [1, 6, 8]]) == [7, 8]


def test_interactions_solved_by_hand() -> None:
    # a + 2b + 3c, and 5 more if both a and b are there.
    values = {
        subset: (subset & 1) + (subset >> 1 & 1) * 2 + (subset >> 2) * 3 + 5.0 * (subset & 3 == 3)
        for subset in range(8)
    }
    found = {(each.first, each.second): each for each in game.interactions(3, values)}
    assert {pair: each.value for pair, each in found.items()} == pytest.approx(
        {(0, 1): 5, (0, 2): 0, (1, 2): 0}
    )
    assert {(each.used, each.of) for each in found.values()} == {(2, 2)}
    # What c does beside a and b together is not known: the pair is known beside none of the others alone.
    del values[A | C]
    (one,) = [each for each in game.interactions(3, values) if (each.first, each.second) == (0, 1)]
    assert (one.value, one.used, one.of) == (5, 1, 2)
    # a with c, and b with c beside it, need the drive that is gone.
    assert (0, 2) not in {
        (each.first, each.second) for each in game.interactions(3, {0: 0.0, A: 1.0, 7: 2.0})
    }


WA = "gc_write_amplification"
DOUBT = Remark("drift", "It drifts.", ("gc.write_amplification",))
FIGURE = figure_of([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
TAKEN = Decomposition(
    ("busy",),
    FIGURE,
    (PartShare(("a",), FIGURE, FIGURE, None),),
    (PartPair(("a", "b"), FIGURE, beside=1, of=2),),
)


def test_an_ablation_marks_what_runs_doubt() -> None:
    trusted = OfMetric(WA, "It rises.", TAKEN, {})
    assert (trusted.mark, trusted.told) == ("", "It rises.")
    doubted = dataclasses.replace(trusted, doubts={"drift": 1})
    assert doubted.told == "It rises. ? inconclusive: the notes say why."
    assert [each.mark for each in (doubted, dataclasses.replace(trusted, few_samples=2))] == ["?", "?"]
    assert dataclasses.replace(doubted, warnings={"unbounded-queue": 1}).mark == "!"
    part, total = report.rows(TAKEN, doubted.mark)
    assert [cell.mark == "?" for cell in part] == [False, True, False, True, True, True, False]
    assert [cell.mark == "?" for cell in total] == [False, True, False, True, False, True, False]
    assert [cell.mark == "?" for cell in report.pairs(TAKEN, "?")[0]] == [False, True, False, False]
    assert not any(cell.mark for row in report.rows(TAKEN, trusted.mark) for cell in row)


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
    steady = PairedRatios({}, (0.0, 0.1, 0.2, 0.1, 0.3, 0.2))
    value, _, interval = ratio_of(steady).partition(",")
    assert ratio_of(dataclasses.replace(steady, mark="!")) == f"{value} !,{interval}"
    for marks, told in (({WA: "?"}, "×1.000 ?"), ({}, "×1.000")):
        assert tuned(Trial(1, None, {}, {WA: 0.0}, marks=marks), WA) == told


def test_a_comparison_takes_the_marks_of_its_figures() -> None:
    pairing = Pairing(BASE, Moved((("x", "1"),)))
    figures = {
        SideRun("busy", side, pairing.of(side), repeat): Moving(1.0 + repeat, mark="?" if repeat else "")
        for side in SIDES
        for repeat in range(2)
    }
    assert measured(pairing, ["busy"], [0, 1], figures).mark == "?"
    trusted = {cell: each._replace(mark="") for cell, each in figures.items()}
    assert measured(pairing, ["busy"], [0, 1], trusted).mark == ""
