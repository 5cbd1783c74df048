"""The search of `reclaim tune` where the optimum is known: planted figures, which take no runs."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from typing import Any

import pytest

from reclaim.errors import InputError
from reclaim.experiment.experiment import Experiment
from reclaim.result.verdict import Remark, Verdict
from reclaim.study.tuning.plan import Prepared
from reclaim.study.tuning.report import judged_rows
from reclaim.study.tuning.space import SearchedKey, in_order
from reclaim.study.tuning.study import Tuned
from reclaim.study.tuning.trials import Trial, front
from reclaim.study.tuning.words import conclusion, notes, verdict
from study.small_tuning import SOUND, Drawn, Formula, small, tuned

WIDE = {
    "gc.pages_in_flight": {"from": 1, "to": 16, "step": 1},
    "gc.trigger.start": {"from": "4%", "to": "12%", "step": "0.5%"},
    "gc.victim": ["greedy", "fifo", "random", "cost-benefit"],
    "controller.lookup": {"from": "0us", "to": "20us", "step": "1us"},
}
"""22,848 combinations."""
HERE = {
    "gc.pages_in_flight": "1",
    "gc.trigger.start": "5%",
    "gc.victim": "greedy",
    "controller.lookup": "0us",
}


def number(text: str) -> float:
    return float(text.rstrip("%nus"))


def planted(pages: float, start: float, victim: str, lookup: float, depth: float = 1.0) -> Formula:
    """A valley: figures are the lower, the nearer settings are to one place."""

    def figures(moved: Mapping[str, str]) -> Mapping[str, float]:
        at = HERE | dict(moved)
        log = 0.02 * abs(number(at["gc.pages_in_flight"]) - pages)
        log += 0.05 * abs(number(at["gc.trigger.start"]) - start)
        log += 0.02 * abs(number(at["controller.lookup"]) - lookup)
        log += 0.0 if at["gc.victim"] == victim else 0.3
        return {
            "write_mean_ns": 1e5 * math.exp(depth * log),
            "read_mean_ns": 1e5 * math.exp(-depth * log / 2),
            "gc_write_amplification": 1 + number(at["gc.pages_in_flight"]) / 10,
            "write_count": 1e6,
        }

    return figures


VALLEYS = [(3, 9, "cost-benefit", 4), (12, 6, "fifo", 11), (7, 11, "random", 17), (1, 5, "greedy", 9)]


def left(found: Tuned, formula: Formula) -> float:
    """How far above the bottom of the valley what was found is, in log units."""
    return math.log(formula(found.found.values)["write_mean_ns"] / 1e5)


def search(formula: Formula, budget: int = 12, noise: float = 0.0, **section: Any) -> Tuned:
    """With some of the 22,848 combinations."""
    return tuned({"search": WIDE, "budget": f"{budget} trials"} | section, Drawn(formula, noise))


def set_by(found: Tuned) -> dict[str, str]:
    """Every setting of what was found."""
    return HERE | dict(found.found.values)


PLACE = planted(3, 9, "fifo", 4)


def test_finds_what_is_planted_and_a_random_search_does_not() -> None:
    """With chance of 1 % in every run."""
    gaps = {"tpe": 0.0, "random": 0.0}
    for place in VALLEYS:
        formula = planted(*place)
        for sampler in gaps:
            found = search(formula, 60, 0.01, sampler=sampler)
            assert len(found.trials) == 60
            gaps[sampler] += left(found, formula) / len(VALLEYS)
            if sampler == "tpe" and found.is_new:
                assert set_by(found)["gc.victim"] == place[2]
    assert gaps["tpe"] < 0.1
    assert gaps["tpe"] < gaps["random"] / 2


def test_all_combinations_are_run_where_the_budget_has_room_for_them() -> None:
    values = {"gc.pages_in_flight": [1, 2, 3], "controller.lookup": ["0us", "5us", "9us"]}
    formula = planted(2, 5, "greedy", 5)
    found = search(formula, 9, search=values)
    assert len(found.trials) == 8, "the scheme as it is is one of them"
    assert set_by(found) == HERE | {"gc.pages_in_flight": "2", "controller.lookup": "5us"}
    assert left(found, formula) == pytest.approx(0)


def test_a_larger_budget_goes_on_where_a_smaller_one_ended_and_another_seed_elsewhere() -> None:
    many = [each.at for each in search(PLACE, 31).trials]
    assert [each.at for each in search(PLACE, 18).trials] == many[:18]
    assert len(set(many)) == 31
    one, same, other = ([each.at for each in search(PLACE, seed=seed).trials] for seed in (1, 1, 2))
    assert one == same != other


def test_a_constraint_is_kept_and_what_the_best_would_be_is_not_taken() -> None:
    limit = "gc_write_amplification <= 1.4"
    found = search(planted(12, 9, "fifo", 4), 60, constraints=[limit])
    told = judged_rows(found)[-1]
    assert (told[0], told[2]) == (limit, "kept")
    assert found.found.fits
    assert number(set_by(found)["gc.pages_in_flight"]) <= 4
    assert {each.reached[limit] for each in found.trials if each.fits} <= {1.1, 1.2, 1.3, 1.4}
    best = min(found.trials, key=lambda each: each.logs["write_mean_ns"])
    assert not best.fits, "without the constraint another would have been found"
    nothing = search(planted(12, 9, "fifo", 4), constraints=["gc_write_amplification <= 1"])
    assert nothing.found is None
    assert "No trial keeps the constraints" in conclusion(nothing)
    assert verdict(nothing) == 3


def test_two_objectives_make_a_front_of_which_each_is_judged() -> None:
    found = search(PLACE, 40, 0.001, objective=["write_mean_ns", "read_mean_ns"])
    logs = [(each.logs["write_mean_ns"], each.logs["read_mean_ns"]) for each in found.front]
    assert len(logs) > 2
    assert logs == sorted(logs)
    assert [read for _, read in logs] == sorted((read for _, read in logs), reverse=True)
    assert len(found.judged) in (5, 6)
    assert found.found in [each.trial for each in found.judged]
    assert all(each.trial in found.front for each in found.judged)
    assert all(set(each.corrected) == {"write_mean_ns", "read_mean_ns"} for each in found.judged)


def test_a_front_has_nothing_that_another_beats() -> None:
    def trial(number: int, one: float, other: float, excess: float = 0.0) -> Trial:
        logs = {"write_mean_ns": one, "write_iops": other}
        return Trial(number, (number,), {}, logs, excess=excess)

    trials = [trial(0, 0, 0), trial(1, -1, 0.5), trial(2, -1, 0.4), trial(3, -2, -1), trial(4, -9, 9, 0.1)]
    # The more requests per second the better: trial 1 beats 0 and 2, and 4 breaks a constraint.
    assert [each.number for each in front(trials, ["write_mean_ns", "write_iops"])] == [3, 1]


def test_gains_are_judged_on_runs_that_chose_nothing() -> None:
    """A gain that only the runs tuned on have is none; a real one is shown."""
    nothing = search(lambda _: {"write_mean_ns": 1e5}, 30, 0.05)
    assert nothing.found.logs["write_mean_ns"] < -0.01
    assert verdict(nothing) == 3
    real = search(planted(12, 9, "fifo", 11), 30, 0.01)
    assert "×0." in conclusion(real)
    assert verdict(real) == 0


def remarked(code: str) -> Verdict:
    return Verdict("not-established", (), (Remark(code, "It is so."),), ())


def test_what_collects_nothing_wins_nothing() -> None:
    """A collection that is put off until the trace has ended looks best, and is none."""

    def codes(moved: Mapping[str, str]) -> Verdict:
        return remarked("gc-never-ran") if number(moved.get("gc.trigger.start", "5%")) < 5 else SOUND

    found = tuned({"search": WIDE, "budget": "40 trials"}, Drawn(planted(1, 4, "greedy", 0), 0.0, codes))
    assert number(set_by(found)["gc.trigger.start"]) >= 5
    assert any("gc-never-ran" in each.fault for each in found.trials)
    assert any("gc-never-ran" in each for each in notes(found))
    # What the scheme as it is runs into is held against nothing.
    alike = tuned({"search": WIDE}, Drawn(PLACE, 0.0, lambda _: remarked("gc-never-ran")))
    assert not any(each.fault for each in alike.trials)


def test_a_percentile_of_few_requests_is_told() -> None:
    def figures(moved: Mapping[str, str]) -> Mapping[str, float]:
        return {"write_p99_9_ns": 1e6 + 10 * len(moved), "write_count": 9000.0}

    found = tuned({"objective": ["write_p99_9_ns"]}, Drawn(figures, 0.1))
    assert found.few["write_p99_9_ns"][1] == 10_000
    assert any("10,000 requests" in each for each in notes(found))
    assert verdict(found) == 3


@pytest.mark.slow
def test_what_lies_beside_the_best_is_run_and_told_unless_the_file_leaves_it_out() -> None:
    values = {"controller.lookup": {"from": "0us", "to": "500us", "step": "1us"}}
    section: dict[str, Any] = {"search": values, "budget": "3 trials", "sampler": "random"}
    formula = planted(1, 5, "greedy", 250, depth=3)
    drawn, without = Drawn(formula), Drawn(formula)
    found, alone = tuned(section, drawn), tuned(section | {"around": False}, without)
    at = number(set_by(found)["controller.lookup"])
    assert {number(each.value or "") for each in found.around} == {at - 1, at + 1, 0}
    assert any("beside it" in each for each in notes(found))
    assert set_by(alone) == set_by(found)
    assert not alone.around
    assert without.asked < drawn.asked
    costs = [prepared(each).cost().around for each in (section, section | {"around": False})]
    assert costs[1] < costs[0]


def test_refused_combinations_cost_nothing_and_are_counted() -> None:
    values = {
        "gc.trigger.start": ["4%", "8%", "12%"],
        "gc.trigger.stop": ["6%", "10%", "14%"],
        "gc.pages_in_flight": {"from": 1, "to": 16, "step": 1},
    }
    drawn = Drawn(planted(3, 9, "greedy", 0))
    found = tuned({"search": values, "budget": "24 trials"}, drawn)
    assert len(found.trials) == 24
    assert found.refused
    assert all("gc.trigger" in each.fault for each in found.refused)
    assert len(drawn.asked) == found.runs


def prepared(section: dict[str, Any]) -> Prepared:
    return Prepared(Experiment.from_dict(small(section)))


@pytest.mark.parametrize(("values", "trials"), [(["read-first", "fcfs"], 1), (["type-first", "fcfs"], 2)])
def test_the_scheme_as_it_is_is_no_trial(values: list[str], trials: int) -> None:
    cost = prepared({"search": {"scheduler": values}, "budget": "30 trials"}).cost()
    assert (cost.combinations, cost.trials) == (2, trials)


def test_budgets_are_trials_and_the_least_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    def trials(*budget: str) -> int:
        return prepared({"budget": list(budget)}).trials

    assert trials("30 trials") == 30
    assert trials("30 points") == 15, "a trial is two runs"
    by_time = trials("1 min")
    assert by_time > 30
    assert trials("1 h") == pytest.approx(60 * by_time, rel=0.1)
    assert trials("1 h", "50 trials", "20 points") == 10
    with pytest.raises(InputError, match="no room for one trial"):
        trials("1 point")
    # Minutes are the same on any machine.
    monkeypatch.setattr("reclaim.experiment.estimate.cores", lambda: 64)
    assert trials("1 min") == by_time


def test_declared_alternatives_are_searched_where_no_values_are_given() -> None:
    found = {each.key: each for each in prepared({"search": {}}).space.parameters}
    assert found["gc.pages_in_flight"].values == ("1", "2", "4", "8", "16")
    assert found["gc.trigger.start"].values == ("2.5%", "3.5%", "5%", "7.1%", "10%")
    assert found["gc.trigger.hard"].values[0] is None
    no = {"gc.victim", "scheduler", "channel.rate", "flash.t_read", "controller.write_buffer"}
    assert not no & set(found)
    assert not any(key.startswith(("ftl.wear", "trace", "host", "warmup")) for key in found)
    asked = {"search": {}, "keys": ["gc.victim", "gc.pages*"], "without": ["gc.pages*"]}
    (only,) = prepared(asked).space.parameters
    assert only.key == "gc.victim"
    assert only.values == ("greedy", "fifo", "random", "d-choices", "cost-benefit")
    assert not only.ordered


def test_values_of_one_unit_are_put_in_order() -> None:
    assert in_order(["10us", "2us"]) == ["2us", "10us"]
    assert in_order(["10us", "2ms"]) is None
    assert SearchedKey("k", ("1", "2", "3"), ordered=True, present="2", declared=True).others(0, 9) == [1]
    assert SearchedKey("k", ("a", "b", "c"), ordered=False, present="b", declared=True).others(1, 1) == [0]


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"keys": ["gc.victm"]}, r'experiment:\d+: tune.keys\[1\]: "gc.victm" .*gc.victim'),
    ({"keys": ["flash.t_move"]}, "flash.t_move"),
    ({"keys": ["name"]}, '"name" only names the drive'),
    ({"without": ["nothing.*"]}, r"tune\.without"),
    ({"keys": ["gc.*"], "without": ["gc.*"], "search": {}}, "nothing is left"),
    (
        {"search": {"gc.pages_in_fligt": [1, 2]}},
        r'experiment:\d+: tune.search."gc.pages_in_fligt": .*pages_in_flight',
    ),
    ({"search": {"gc.pages_in_flight": [-1, -2]}}, r'tune.search."gc.pages_in_flight": '),
]


@pytest.mark.parametrize(("section", "says"), WRONG, ids=[str(each) for each, _ in WRONG])
def test_what_cannot_be_searched_is_explained(section: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError, match=says):
        prepared(section)


def test_the_same_run_under_two_names_is_not_unseen() -> None:
    made = small({"judge_on": {"traces": ["twin"], "repeats": [0, 1]}})
    made["traces"] = ["bundled/sqlite", {"name": "twin", "source": "bundled/sqlite"}]
    made["set"]["trace.max_requests"] = 50
    made["tune"]["tune_on"] = {"traces": ["bundled/sqlite"]}
    with pytest.raises(InputError, match=r'"twin", repeat 0, .* "bundled/sqlite", repeat 0'):
        Prepared(Experiment.from_dict(made))
    made["tune"]["overlap"] = True
    assert Prepared(Experiment.from_dict(made)).judged


def test_without_optuna_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "optuna", None)
    with pytest.raises(InputError, match=r'pip install "reclaim\[tune\]"'):
        search(PLACE)
    assert search(PLACE, sampler="random").trials
