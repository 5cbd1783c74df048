"""Variants of an experiment in the folder of its sweep: a point is run once, and neither sees the other's."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import reclaim
from reclaim.experiment.experiment import Experiment
from reclaim.experiment.parts import Setting
from reclaim.report.document import Document, Text
from reclaim.study.runs import Points, Run, Runs, Variant, VariantStudy, runs_of, workloads_of
from reclaim.study.study import RunOptions
from reclaim.study.sweep import Sweep
from study.small import contents, experiment, stored

SMALL = experiment(record={})
NAME, AXIS = "trial", "gc.pages_in_flight"


def variants(made: Experiment) -> list[Variant]:
    """Both schemes as they are, the first with more pages at once, and one that no drive takes."""
    greedy, fifo = made.parts.schemes
    d = Setting("4", ("schemes", 0))
    return [
        *(Variant.of(each) for each in (greedy, fifo)),
        Variant.of(greedy, "deep", {"gc.pages_in_flight": Setting("8", ("schemes", 0))}),
        Variant.of(greedy, "odd", {"gc.victim.d": d}),
    ]


class Trial(VariantStudy[dict[Run, Any]]):
    """The least that a study is: what came of some variants under every workload, with all repeats."""

    place = NAME

    def __init__(self, made: Experiment, chosen: Sequence[Variant] = ()) -> None:
        self.experiment, self.points = made, Points(made)
        self._wanted = list(runs_of(workloads_of(made.parts), chosen, range(made.parts.repeats.count)))

    def cost(self, folder: Path | None = None) -> list[str]:
        del folder
        return [f"{len(self._wanted)} runs"]

    def judge(self, points: Runs) -> dict[Run, Any]:
        return points.run(self._wanted)

    def files(self, result: dict[Run, Any]) -> dict[str, str]:
        return {self.result: json.dumps([each.point for each in result.values()])}

    def document(self, result: dict[Run, Any]) -> Document:
        return Document(self.name, [Text(f"{len(result)} runs")])


def run_variants(made: Experiment, chosen: Sequence[Variant], folder: Path) -> dict[Run, Any]:
    """Run them, and close the folder again."""
    return Trial(made, chosen).run(folder, RunOptions(workers=2))


def run(folder: Path, **sections: Any) -> dict[Run, Any]:
    made = Experiment.from_dict(SMALL | sections)
    return run_variants(made, variants(made), folder)


MADE = Experiment.from_dict(SMALL)


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[Run, Any]]:
    """A folder in which they have run, and what they gave."""
    folder = tmp_path_factory.mktemp("runs") / "out"
    return folder, run(folder)


@pytest.fixture
def ran(kept: tuple[Path, dict[Run, Any]], tmp_path: Path) -> tuple[Path, dict[Run, Any]]:
    """A copy of the folder that a test may change."""
    return Path(shutil.copytree(kept[0], tmp_path / "out")), kept[1]


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sweep alone; not to be changed."""
    folder = tmp_path_factory.mktemp("sweep") / "out"
    Sweep(MADE).run(folder)
    return folder


def test_a_variant_is_what_its_settings_make_of_the_drive(tmp_path: Path) -> None:
    found = run(tmp_path / "out", axes={})
    made = Experiment.from_dict(SMALL | {"axes": {}})
    (workload,) = workloads_of(made.parts)
    assert workload.label() == "coupled-copyback-mini, uniform"
    assert len(found) == 4 * 2
    greedy, fifo, deep, odd = (found[workload, each, 1] for each in variants(made))
    assert odd.refused.startswith("gc.victim.d = 4: ")
    assert not odd.ran
    assert (odd.level, odd.codes, odd.concerning("read_mean_ns")) == (None, (), None)
    assert greedy.figures["gc_jobs"] > 0
    assert len({each.point for each in (greedy, fifo, deep)}) == 3
    assert deep.figures["write_mean_ns"] != greedy.figures["write_mean_ns"]
    drive = reclaim.Device("coupled-copyback-mini").with_scheme("greedy")
    drive = drive.with_settings(SMALL["set"] | {"gc.pages_in_flight": 8, "seed": 43})
    trace = reclaim.generate_trace(name="uniform", **SMALL["traces"][0]["generate"])
    alone = reclaim.simulate(drive, trace, warn=False)
    assert deep.figures["write_mean_ns"] == alone.summary()["write_mean_ns"]
    assert (tmp_path / "out/points" / deep.point / "results.json").read_text() == alone.to_json()
    assert deep.verdict == alone.verdict
    assert deep.level == "not-established"
    assert deep.concerning("gc_write_amplification") == "doubt"
    assert deep.concerning("simulated_ns") is None


def test_points_of_the_sweep_are_not_run_again(
    ran: tuple[Path, dict[Run, Any]], swept: Path, tmp_path: Path
) -> None:
    first, (second, found) = Path(shutil.copytree(swept, tmp_path / "first")), ran
    before = stored(first)
    assert run(first) == found
    assert stored(first)[: len(before)] == before
    extra = {each.point for each in found.values() if each.ran} - set(before)
    assert sorted(stored(first)[len(before) :]) == sorted(extra)
    assert len(extra) == 2
    again = Sweep(MADE).run(second)
    assert (again.total, again.before, again.aside) == (8, 8, 0)
    assert len(stored(second)) == len(set(stored(second))) == 10
    assert contents(first) == contents(second)
    assert reclaim.ResultSet.load(second).failures == []
    # Settings of a variant win over those of an axis.
    one, two = workloads_of(MADE.parts)
    deep = variants(MADE)[2]
    assert (one.place[-1], two.place[-1]) == ((AXIS, "1"), (AXIS, "2"))
    assert found[one, deep, 0].point == found[two, deep, 0].point
    # Points of instruments stay where they are, and out of the tables of a sweep.
    for name in ("points.parquet", "histograms.parquet", "manifest.json"):
        assert (second / name).read_bytes() == (swept / name).read_bytes(), name
    points = {each.point for each in found.values() if each.ran}
    assert all((second / "points" / each).is_dir() for each in points)
    assert set(json.loads((second / NAME / "points.json").read_text())) == points
    assert points <= set(json.loads((second / NAME / "result.json").read_text()))


def test_what_is_no_longer_kept_is_put_aside(ran: tuple[Path, dict[Run, Any]]) -> None:
    folder, found = ran
    run_variants(MADE, variants(MADE)[:2], folder)
    assert Sweep(MADE).run(folder).aside == 2
    log = stored(folder)
    assert run(folder) == found
    assert stored(folder) == log
    assert not (folder / "aside").exists()


def test_a_damaged_point_is_named_and_run_again(ran: tuple[Path, dict[Run, Any]]) -> None:
    folder, found = ran
    deep = next(each for run, each in found.items() if run.variant.name == "deep")
    (folder / "points" / deep.point / "results.json").write_text("{}")
    with Trial(MADE).opened(folder, RunOptions(), None) as runs:
        again = runs.run(runs_of(workloads_of(MADE.parts), variants(MADE), range(2)))
        assert (runs.before, len(runs.damaged)) == (9, 1)
        assert deep.point in runs.damaged[0]
    assert again == found


def test_runs_can_be_asked_for_in_several_steps(tmp_path: Path) -> None:
    greedy = variants(MADE)[0]
    one, two = workloads_of(MADE.parts)
    with Trial(MADE).opened(tmp_path / "out", RunOptions(workers=1), None) as runs:
        first = runs.run(runs_of([one], variants(MADE), range(1)))
        # Repeats past those of the file are fresh ones.
        more = runs.run(runs_of([one, two], [greedy], [0, 1, 7]))
        listed = set(json.loads((runs.place / "points.json").read_text()))
    assert more[one, greedy, 0] == first[one, greedy, 0]
    assert more[one, greedy, 7].figures != more[one, greedy, 1].figures
    assert listed == {each.point for each in (*first.values(), *more.values()) if each.ran}
