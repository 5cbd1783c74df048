"""Warm-ups that leave the same state are run once, and change nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import reclaim
from reclaim.device import Device
from reclaim.experiment.experiment import Experiment
from reclaim.experiment.parts import Record
from reclaim.experiment.task import Task
from reclaim.result.sets import ResultSet
from reclaim.simulate import simulate
from reclaim.study import runner as run
from reclaim.study.local import Schedule
from reclaim.study.study import RunOptions
from reclaim.study.sweep import Sweep
from study.small import GENERATED, contents, experiment

DRIVE = Device.preset("coupled-copyback-mini")
TRACE = reclaim.Trace.from_records([(0, "write", 0, 4096)])


def task(name: str, state: str = "", memory: int = 1) -> Task:
    return Task(name, name, DRIVE, TRACE, Record(), state, memory)


def started(schedule: Schedule) -> list[str]:
    """Everything that may start now."""
    found = []
    while (each := schedule.next()) is not None:
        found.append(each.id)
    return found


def test_who_shares_a_state_waits_for_the_first() -> None:
    tasks = [task("a", "s"), task("b", "s"), task("c"), task("d", "s")]
    schedule = Schedule(tasks, None)
    assert started(schedule) == ["a", "c"]
    assert schedule.saves(tasks[0])
    schedule.warmed(tasks[0])
    assert started(schedule) == ["b", "d"]
    assert schedule.loads(tasks[1])
    assert [schedule.ended(each) for each in (tasks[0], tasks[3], tasks[1])] == [None, None, "s"]


def test_the_next_makes_the_state_where_the_first_failed_and_the_last_saves_none() -> None:
    tasks = [task(name, "s") for name in "abc"]
    schedule = Schedule(tasks, None)
    for each, saves in zip(tasks, (True, True, False), strict=True):
        assert started(schedule) == [each.id]
        assert schedule.saves(each) is saves
        assert schedule.ended(each) == (None if saves else "s")


def test_points_start_while_their_memory_fits() -> None:
    tasks = [task("a", memory=6), task("b", memory=6), task("c", memory=4)]
    schedule = Schedule(tasks, 10)
    assert started(schedule) == ["a", "c"]
    schedule.ended(tasks[2])
    assert started(schedule) == []
    schedule.ended(tasks[0])
    assert started(schedule) == ["b"]
    assert schedule.is_done


def watched_loads(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether each run from now on begins with a state that another has saved."""
    loaded: list[bool] = []

    def watched(*arguments: object, **options: object) -> reclaim.Result:
        loaded.append(options.get("load_state") is not None)
        return simulate(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr("reclaim.experiment.task.simulate", watched)
    return loaded


def test_states_save_warm_ups_and_change_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    loaded = watched_loads(monkeypatch)
    # Two schemes that share their warm-up, as they differ in what happens in time alone; so do two traces.
    traces = [GENERATED, GENERATED | {"name": "again"}]
    schemes = ["greedy", "greedy+flash.t_read=60us"]
    what = Experiment.from_dict(experiment(traces=traces, schemes=schemes, axes={}))
    Sweep(what).run(tmp_path / "shared", RunOptions(workers=2))
    assert loaded.count(True) == 6
    monkeypatch.setattr(run, "_state_of", lambda _: "")
    Sweep(what).run(tmp_path / "alone", RunOptions(workers=1))
    assert contents(tmp_path / "shared") == contents(tmp_path / "alone")
    assert not (tmp_path / "shared" / "states").exists()


def test_a_trace_is_read_once_for_each(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    named: list[str] = []

    def watched(task: Task) -> str:
        named.append(task.label)
        return state_of(task)

    state_of = vars(run)["_state_of"]
    monkeypatch.setattr(run, "_state_of", watched)
    made = Experiment.from_dict(experiment(schemes=["greedy", "greedy+flash.t_read=60us", "fifo"], axes={}))
    Sweep(made).run(tmp_path / "shared", RunOptions(workers=1))
    # Of each trace the two under greedy share one; those of fifo share none.
    assert len(named) == len(set(named)) == 2
    assert all("greedy" in each for each in named)


def test_each_order_of_requests_has_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    schemes = ["greedy", "greedy+flash.t_read=60us"]
    axes = {"trace.repeat_order": ["same", "shuffled"]}
    settings = {"warmup.kind": "workload", "trace.repeat": 2}
    what = Experiment.from_dict(experiment(schemes=schemes, axes=axes, set=settings, repeats={}))
    orders = [(point, point.axes["trace.repeat_order"]) for point in what.points()]
    keys = [(order, point.drive.warm_up_key(point.opened)) for point, order in orders]
    assert len(set(keys)) == len({key for _, key in keys}) == 2
    Sweep(what).run(tmp_path / "shared", RunOptions(workers=1))
    monkeypatch.setattr(run, "_state_of", lambda _: "")
    Sweep(what).run(tmp_path / "alone", RunOptions(workers=1))
    assert contents(tmp_path / "shared") == contents(tmp_path / "alone")
    results = ResultSet.load(tmp_path / "alone")
    found = [results.results(point).to_dict() for point in results.points["point"]]
    assert len({json.dumps(each["one_play"]) for each in found}) == 1
    transforms = [each["transforms"] for each in found]
    assert [len(each) for each in transforms] == [1, 1, 2, 2]


def test_a_state_of_an_earlier_run_is_used_and_a_bad_one_costs_nothing(tmp_path: Path) -> None:
    schemes = ["greedy", "greedy+flash.t_read=60us"]
    what = Experiment.from_dict(experiment(schemes=schemes, axes={}, repeats={}))
    Sweep(what).run(tmp_path / "whole")
    first = what.points()[0]
    key = first.drive.warm_up_key(first.opened)
    for content in (None, b"no state"):
        folder = tmp_path / f"again-{content is None}"
        (folder / "states").mkdir(parents=True)
        (folder / "experiment.toml").write_text(what.text)
        state = folder / "states" / f"{key}.state"
        if content is None:
            simulate(first.drive, first.opened, save_state=state, warn=False)
        else:
            state.write_bytes(content)
        swept = Sweep(what).run(folder)
        assert swept.failures == []
        assert contents(folder) == contents(tmp_path / "whole")
        assert not state.exists()
    assert json.loads((tmp_path / "whole/manifest.json").read_text())["experiment"] == "small"
