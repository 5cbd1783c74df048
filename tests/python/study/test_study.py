"""What a study says where it is known what decides: planted keys, and the statistics that it goes by."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import pytest

from reclaim.experiment.experiment_file import Repeats
from reclaim.report.document import Text
from reclaim.statistics.samples import Sample, holm, of_key
from reclaim.study.sensitivity.alternatives import AlternativeKey, Kind
from reclaim.study.sensitivity.conclusion import ComparedNames, counts, sentence
from reclaim.study.sensitivity.judging import SIDES, Pairing, RunFigure, Side, SideRun, measured, side_runs
from reclaim.study.sensitivity.keys import listed
from reclaim.study.sensitivity.phases import SCREEN_REPEATS, Findings, PhaseRunner, SensitivityPlan
from reclaim.study.sensitivity.report import _blocks
from reclaim.study.sensitivity.section import Sensitivity
from reclaim.study.sensitivity.tornado import tornado

TRACES = ("one", "two")
Effect = Callable[[Side, Mapping[str, str]], float]
"""What moved keys do to the logarithm of a scheme's figure."""


@dataclass
class World:
    """What runs would give."""

    effect: Effect
    base: float = 0.1
    """Log ratio of B to A as they are."""
    noise: float = 0.01
    """Deviation of the logarithm of a run."""
    seed: int = 0
    codes: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """Codes of runs with a key at a value."""
    refused: frozenset[tuple[str, str]] = frozenset()
    asked: dict[SideRun, None] = field(default_factory=dict)

    def run(self, wanted: Sequence[SideRun]) -> dict[SideRun, RunFigure]:
        self.asked |= dict.fromkeys(wanted)
        return {cell: self._figure(cell) for cell in wanted}

    def cost(self, wanted: Sequence[SideRun]) -> int:
        return len({cell for cell in wanted if cell not in self.asked and not self._is_refused(cell)})

    def _is_refused(self, cell: SideRun) -> bool:
        return any(part in self.refused for part in cell.moved.keys)

    def _figure(self, cell: SideRun) -> RunFigure:
        if self._is_refused(cell):
            return RunFigure(None, fault="is refused")
        draw = random.Random(f"{self.seed} {cell}")  # noqa: S311 - reproducible, not secret
        log = self.effect(cell.side, dict(cell.moved.keys)) + draw.gauss(0, self.noise)
        codes = frozenset(self.codes[part] for part in cell.moved.keys if part in self.codes)
        return RunFigure(math.exp(log + (self.base if cell.side == "candidate" else 0)), codes)


def study(
    world: World,
    keys: int | Sequence[tuple[str, Kind]] = 8,
    repeats: int = 6,
    combinations: int = 0,
    budget: int | None = None,
) -> Findings:
    """Study keys `key-0` … of two values beside that of the base, each moved for both and for one."""
    named: Sequence[tuple[str, Kind]] = (
        [(f"key-{number}", "reading") for number in range(keys)] if isinstance(keys, int) else keys
    )
    choices = {name: AlternativeKey(name, kind, "A reason.", "0", ("0", "1", "2")) for name, kind in named}
    found = listed(
        {"baseline": choices, "candidate": choices},
        Sensitivity(metrics=["write_mean_ns"]),
        (),
        Repeats(count=repeats),
        lambda *_: False,
        lambda *_: False,
        lambda *_: False,
    )
    plan = SensitivityPlan(TRACES, repeats, world.seed, combinations, budget)
    as_is = side_runs(Pairing(), *plan.full)
    spent = world.cost(as_is)
    base = measured(Pairing(), *plan.full, world.run(as_is))
    return PhaseRunner(plan, world.run, world.cost, base, found, spent).go()


def turning(found: Findings) -> list[str]:
    return [key.name for key in found.keys if key.status == "turns"]


NAMES = ComparedNames("a", "b", "write_mean_ns")


def nothing(_side: Side, _moved: Mapping[str, str]) -> float:
    return 0.0


def at(key: str, value: str | None, effect: float) -> Effect:
    """For the candidate alone, where a key is at a value (or at any)."""

    def effects(side: Side, moved: Mapping[str, str]) -> float:
        there = moved.get(key) == value if value else key in moved
        return effect if side == "candidate" and there else 0.0

    return effects


def test_planted_keys_are_found_and_no_others() -> None:
    """Of 20 keys drawn by seed, at least 18; and of 20 studies that nothing turns, at most one that is."""
    found = falsely = 0
    for seed in range(20):
        draw = random.Random(seed)  # noqa: S311 - reproducible, not secret
        key, value = f"key-{draw.randrange(8)}", draw.choice("12")
        side = draw.choice(("baseline", "candidate", "both"))
        pull = {"baseline": 0.15, "candidate": -0.15}

        def decides(here: Side, moved: Mapping[str, str], of: tuple[str, str] = (key, value)) -> float:
            return pull[here] if moved.get(of[0]) == of[1] and side in (here, "both") else 0.0  # noqa: B023

        found += turning(study(World(decides, seed=seed))) == [key]
        shifts = {f"key-{number}": draw.uniform(-0.06, 0.06) for number in range(8)}

        def pulls(here: Side, moved: Mapping[str, str], by: Mapping[str, float] = shifts) -> float:
            return sum(by[each] for each in moved) if here == "candidate" else 0.0

        falsely += bool(turning(study(World(pulls, seed=seed))))
    assert found >= 18
    assert falsely <= 1


def test_a_choice_for_one_side_alone_does_not_hide() -> None:
    def for_both_alike(_side: Side, moved: Mapping[str, str]) -> float:
        return -0.3 if moved.get("key-2") == "1" else 0.0

    found = study(World(for_both_alike))
    assert turning(found) == ["key-2"]
    (key,) = (each for each in found.keys if each.status == "turns")
    assert {each.move for each in key.turning} == {"candidate"}
    told = sentence(NAMES, found, "arrivals")
    assert "of 8 choices 1 turns it (`key-2` for b alone)" in told
    assert "depends" in told


def test_what_is_open_is_told_apart() -> None:
    found = study(World(at("key-1", None, -0.1)))
    assert turning(found) == []
    assert [key.name for key in counts(found)["open"]] == ["key-1"]


def test_scope_is_no_choice_that_a_conclusion_depends_on() -> None:
    found = study(World(at("load", "2", -0.3)), keys=[("load", "scope"), ("rule", "reading")])
    told = sentence(NAMES, found, "arrivals")
    assert "depends" not in told
    assert "`load` = 0, not on `load` = 2" in told


def test_what_cannot_be_run_is_counted_and_not_dropped() -> None:
    world = World(
        nothing,
        refused=frozenset({("key-0", "1"), ("key-0", "2"), ("key-4", "1")}),
        codes={
            ("key-1", "1"): "unbounded-queue",
            ("key-2", "1"): "gc-never-ran",
            ("key-2", "2"): "gc-never-ran",
        },
    )
    found = study(world)
    told = {status: [key.name for key in keys] for status, keys in counts(found).items() if keys}
    assert told == {
        "refused": ["key-0"],
        "unsteady": ["key-1"],
        "uncollected": ["key-2"],
        "holds": ["key-3", "key-4", "key-5", "key-6", "key-7"],
    }
    text = sentence(NAMES, found, "arrivals")
    assert "of 8 choices " in text
    # Two values, each for both, the baseline alone and the candidate alone.
    assert "Of 48 variations 3 ran unsteadily, 6 collected nothing and 9 could not be run" in text
    # An unsteady run turns nothing.
    found = study(World(at("key-0", "1", -0.3), codes={("key-0", "1"): "unbounded-queue"}))
    assert turning(found) == []
    assert counts(found)["unsteady"][0].name == "key-0"


def test_a_base_without_a_conclusion_lists_what_gives_it_one() -> None:
    found = study(World(at("key-3", "2", 0.2), base=0.0, seed=3))
    assert found.side == 0
    told = sentence(NAMES, found, "arrivals")
    assert "1 gives it a direction (`key-3`" in told
    assert "open" not in told


def test_pairs_turn_what_no_key_turns() -> None:
    def together(side: Side, moved: Mapping[str, str]) -> float:
        pulled = sum(moved.get(each) == "1" for each in ("key-0", "key-5"))
        return -0.07 * pulled if side == "candidate" else 0.0

    found = study(World(together, noise=0.004))
    assert turning(found) == []
    turned = [{key for key, _ in each.parts} for each in found.pairs if each.turns]
    assert turned == [{"key-0", "key-5"}]
    assert "Moved together, 1 of" in sentence(NAMES, found, "arrivals")


def test_combinations_are_drawn_by_seed_and_reported_apart() -> None:
    def many(side: Side, moved: Mapping[str, str]) -> float:
        return -0.3 if side == "candidate" and len(moved) >= 3 else 0.0

    found = study(World(many), combinations=20)
    assert turning(found) == []
    assert len(found.combinations) == 20
    assert any(each.turns for each in found.combinations)
    assert all(len(each.parts) >= 3 for each in found.combinations if each.turns)
    for seed in (0, 1):
        again = study(World(many, seed=seed), combinations=20).combinations
        same = [each.parts for each in again] == [each.parts for each in found.combinations]
        assert same == (seed == 0)


def test_several_keys_of_one_side_turn_what_moved_for_both_holds() -> None:
    """What three keys grant to the baseline alone is found; for both they cancel, and one does nothing."""

    def granted(_side: Side, moved: Mapping[str, str]) -> float:
        return 0.3 if sum(value == "1" for value in moved.values()) >= 3 else 0.0

    found = study(World(granted), combinations=60)
    assert turning(found) == []
    assert {each.move for each in found.combinations} == {"both", "baseline", "candidate"}
    turned = {each.move for each in found.combinations if each.turns}
    assert turned == {"baseline"}, "of the candidate alone they make it larger"
    for each in found.combinations:
        moved = [each.pairing.of(side).keys != () for side in SIDES]
        assert moved == [each.move != "candidate", each.move != "baseline"]


def test_screen_is_of_two_repeats_and_full_repeats_are_of_what_is_near() -> None:
    found = study(World(at("key-6", None, -0.09), noise=0.001))
    far, close = (next(key for key in found.keys if key.name == name) for name in ("key-0", "key-6"))
    assert all(each.full is None for each in far.variations)
    assert {each.screened.sample.count for each in far.variations if each.screened} == {SCREEN_REPEATS}
    assert any(each.full is not None and each.full.sample.count == 6 for each in close.variations)


def test_dots_have_the_shape_of_whom_a_key_is_moved_for() -> None:
    chart = tornado(NAMES, study(World(at("key-6", None, -0.09))))
    assert chart is not None
    shapes = [each["encoding"]["shape"] for each in chart.to_dict()["layer"] if "shape" in each["encoding"]]
    assert {each["field"] for each in shapes} == {"for"}
    assert all(each["scale"]["domain"] == ["both", "a alone", "b alone"] for each in shapes)


def test_a_budget_is_kept_and_told() -> None:
    world = World(nothing)
    base = 6 * 2 * len(TRACES)
    found = study(world, budget=base + 100, combinations=64)
    assert len(world.asked) <= base + 100
    assert "the screen" in found.over_budget
    told = next(each.text for each in _blocks(NAMES, found, 2) if isinstance(each, Text))
    assert told == f"The budget cut short: {', '.join(found.over_budget)}."
    beyond = counts(found)["not-run"]
    assert beyond
    assert f"{len(beyond)} were beyond the budget" in sentence(NAMES, found, "arrivals")


def test_sample_by_hand() -> None:
    found = Sample.of([0.1, 0.2, 0.3])
    assert (found.mean, found.deviation, found.count) == (pytest.approx(0.2), pytest.approx(0.1), 3)
    assert found.interval() is None
    six = Sample.of([0.1, 0.3, 0.2, 0.5, 0.2, 0.9])
    assert (six.median, six.interval()) == (0.25, (0.1, 0.9))
    assert six.excludes_none(1)
    assert not six.excludes_none(-1)
    assert not Sample.of([-0.01, 0.3, 0.2, 0.5, 0.2, 0.9]).excludes_none(1)


def test_p_is_that_of_tables() -> None:
    """Tables of Student's t, two-sided, by the t that a sample has."""
    for freedom, alpha, t in (
        (1, 0.05, 12.7062),
        (2, 0.05, 4.30265),
        (5, 0.001, 6.86883),
        (30, 0.001, 3.64596),
    ):
        spread = [float(each - freedom / 2) for each in range(freedom + 1)]
        error = Sample.of(spread).deviation / math.sqrt(freedom + 1)
        found = Sample.of([each + t * error for each in spread])
        assert found.p() == found.p(1) == pytest.approx(alpha, rel=1e-4)
        assert found.p(-1) == 1.0


def test_what_repeats_show() -> None:
    """A min-to-max interval of six stops at 2 / 2^6, about 3 %: this goes on."""
    logs = Sample.of([0.30, 0.31, 0.29, 0.30, 0.32, 0.28])
    assert logs.p(1) < 0.05 / 31 < 2 / 2**6
    assert logs.p(-1) == 1.0
    same = Sample.of([0.2] * 6)
    assert same.interval() is None
    assert (same.p(1), same.excludes_none(1)) == (1.0, False)


def test_corrections_by_hand() -> None:
    """Of four: 0.005 × 4, then 0.011 × 3, then 0.02 × 2, then 0.04 × 1; never less than the one before."""
    found = holm({"c": 0.02, "a": 0.005, "d": 0.04, "b": 0.011})
    assert found == pytest.approx({"c": 0.04, "a": 0.02, "d": 0.04, "b": 0.033})
    assert list(found) == ["c", "a", "d", "b"]
    assert holm({"x": 0.02, "y": 0.021}) == pytest.approx({"x": 0.04, "y": 0.04})
    assert holm({}) == {}
    # What could not be run is not dropped from their number.
    assert holm({"a": 0.03, "refused": 1.0})["a"] == pytest.approx(0.06)
    # A key pays for its variations.
    assert of_key([0.004, 1.0, 1.0], 3) == pytest.approx(0.012)
    assert of_key([0.5], 4) == 1.0


def test_level_is_kept_where_nothing_is() -> None:
    """Of 2000 families of ten keys without any difference, Holm's correction blames a key in at most 5 %."""
    draw = random.Random(7)  # noqa: S311 - reproducible, not secret
    families, blamed = 2000, 0
    for _ in range(families):
        ps = {str(key): Sample.of([draw.gauss(0, 0.1) for _ in range(6)]).p() for key in range(10)}
        blamed += min(holm(ps).values()) <= 0.05
    # Three deviations of a count around 5 %; and a test that never blames would be none.
    assert 0.02 * families < blamed < 0.05 * families + 3 * math.sqrt(0.05 * 0.95 * families)
