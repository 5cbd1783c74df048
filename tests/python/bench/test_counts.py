"""Points are counted before they are made, and a long check says how far it is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import reclaim
from bench.small import GENERATED, experiment
from reclaim.bench import plan
from reclaim.bench.build import MOST_POINTS, Told
from reclaim.bench.check import check
from reclaim.bench.experiment import Experiment
from reclaim.bench.plan import combinations
from reclaim.bench.traces import Traces


@pytest.mark.parametrize(
    "sections",
    [
        {},
        {"vary": {"seed": [1, 2, 3]}, "repeats": {"count": 4}},
        {"axes": {}, "vary": {"seed": [1, 2, 3], "host.queue_depth": [1, 2]}},
        {"devices": ["gc-bypass-mini", "coupled-copyback-mini"], "vary": {"seed": [1, 2]}},
    ],
)
def test_the_count_is_that_of_what_is_made(sections: dict[str, Any]) -> None:
    parts = Experiment.from_dict(experiment(**sections)).parts
    assert plan.count(parts) == len(list(combinations(parts))) > 0


def test_too_many_points_are_refused_before_one_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    values = {"seed": list(range(1000)), "gc.pages_in_flight": list(range(1, MOST_POINTS // 1000 + 2))}
    large = experiment(axes=values, schemes=["greedy"], repeats={})
    monkeypatch.setattr("reclaim.bench.build.combinations", lambda _: pytest.fail("it was expanded"))
    with pytest.raises(reclaim.InputError, match=r"makes 101,000 points .*; the most is 100,000"):
        Experiment.from_dict(large).points()


def test_a_check_tells_how_far_it_is(tmp_path: Path) -> None:
    file = tmp_path / "x.toml"
    file.write_text(Experiment.from_dict(experiment()).text)
    told: list[Told] = []
    check(file, told.append)
    assert [each.done for each in told] == list(range(8))
    assert {each.total for each in told} == {8}
    assert [each.requests for each in told] == [GENERATED["generate"]["requests"], *[0] * 7]


def test_merged_traces_are_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    good = "time_us,op,offset_bytes,size_bytes\n0,write,0,4096\n"
    (tmp_path / "m.csv").write_text(good)
    read: list[object] = []
    transformed = reclaim.Trace.transformed
    monkeypatch.setattr(
        reclaim.Trace, "transformed", lambda *of, **how: read.append(how) or transformed(*of, **how)
    )
    made = Experiment.from_dict(experiment(set={"trace.merge": ["m.csv"]}), base=tmp_path)
    assert len(made.points()) == 8
    assert len(read) == 1
    assert Traces(tmp_path).requests_to_make(made.parts.traces[0]) == 1500
