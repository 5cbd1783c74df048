"""An ablation of real runs: its ends are the schemes, its shares sum, and it is the same however it runs."""

from __future__ import annotations

import json
import shutil
from math import exp, fsum, log
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import reclaim
from conftest import Command
from reclaim.experiment.experiment import Experiment
from reclaim.study.ablation.result import Decomposition
from reclaim.study.ablation.shares import Ablation, taken
from study.small import contents, experiment, stored

WRITES, AMPLIFICATION = "write_mean_ns", "gc_write_amplification"
GREEDY = {"name": "A", "schemes": ["greedy"], "set": {"gc.trigger.start": "2 blocks"}}
DEEP = {"name": "B", "schemes": ["d-choices"], "set": {"gc.victim.d": 2, "gc.pages_in_flight": 4}}


def described(**sections: Any) -> dict[str, Any]:
    """Three parts: the trigger, the victim policy, and pages in flight."""
    ablate = {"baseline": "A", "candidate": "B", "metrics": [WRITES, AMPLIFICATION]} | sections.pop(
        "ablate", {}
    )
    return experiment(schemes=[GREEDY, DEEP], axes={}, record={}) | {"ablate": ablate} | sections


def back(**sections: Any) -> dict[str, Any]:
    return described(ablate={"baseline": "B", "candidate": "A"} | sections.pop("ablate", {}), **sections)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The ablation, run by one worker."""
    folder = tmp_path_factory.mktemp("ablation") / "whole"
    reclaim.ablate(described(), folder, workers=1)
    return folder


@pytest.fixture(scope="module")
def found(whole: Path) -> Ablation:
    return reclaim.ablate(described(), whole)


START = {"gc.trigger.start": "2 blocks"}
BETWEEN = {
    "gc.victim": {"name": "1", "schemes": ["d-choices"], "set": START | {"gc.victim.d": 2}},
    "gc.pages_in_flight": {"name": "2", "schemes": ["greedy"], "set": START | {"gc.pages_in_flight": 4}},
    "gc.trigger": {"name": "3", "schemes": ["greedy"]},
}
"""Drives with one part of B, as one would write them by hand."""


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> reclaim.ResultSet:
    """A sweep of both ends and of what lies one part beyond the first."""
    made = described(schemes=[GREEDY, DEEP, *BETWEEN.values()])
    return reclaim.sweep(made, tmp_path_factory.mktemp("swept") / "out")


def drives_of(found: Ablation) -> dict[tuple[str, ...], dict[str, Any]]:
    return {tuple(each["parts_of_target"]): each for each in found.to_dict()["drives"]}


def sum_of(of: Decomposition) -> float:
    """What the shares come to, which is the total."""
    shares = fsum(row.share.value for row in of.rows if row.share)
    assert shares == pytest.approx(of.total.value)
    return shares


def test_shares_sum_to_the_total(found: Ablation, swept: reclaim.ResultSet) -> None:
    assert [(part.name, part.keys) for part in found.plan.parts] == [
        ("gc.trigger", ("gc.trigger.start",)),
        ("gc.victim", ("gc.victim.kind", "gc.victim.d")),
        ("gc.pages_in_flight", ("gc.pages_in_flight",)),
    ]
    assert (len(found.plan.subsets), len(stored(found.folder.parent))) == (8, 16)
    for metric in (WRITES, AMPLIFICATION):
        of = found.of(metric).overall
        values = {name: swept.filter(scheme=name).points.sort("repeat")[metric].to_list() for name in "AB"}
        ratios = [log(ours / theirs) for theirs, ours in zip(values["A"], values["B"], strict=True)]
        assert sum_of(of) == pytest.approx(fsum(ratios) / 2)
        assert (of.total.low, of.total.repeats) == (None, 2), "two repeats have no interval"


def test_alone_and_all_but_are_single_drives(found: Ablation) -> None:
    drives = drives_of(found)
    row = next(row for row in found.of(WRITES).overall.rows if row.parts == ("gc.pages_in_flight",))

    def gain(*parts: str) -> float:
        ours, theirs = (drives[each]["values"][WRITES] for each in (parts, ()))
        return fsum(log(one / other) for one, other in zip(ours, theirs, strict=True)) / 2

    assert row.alone.value == pytest.approx(gain("gc.pages_in_flight"))
    assert row.all_but.value == pytest.approx(gain("gc.trigger", "gc.victim"))


def test_drives_are_those_of_a_sweep(found: Ablation, swept: reclaim.ResultSet) -> None:
    drives = drives_of(found)
    ends = {(): "A", ("gc.trigger", "gc.victim", "gc.pages_in_flight"): "B"}
    for parts, name in (ends | {(part,): str(each["name"]) for part, each in BETWEEN.items()}).items():
        points = swept.filter(scheme=name).points.sort("repeat")
        assert drives[parts]["values"] == {each: points[each].to_list() for each in (WRITES, AMPLIFICATION)}
        for point in drives[parts]["points"] if parts in ends else ():
            ours, theirs = (folder / "points" / point for folder in (found.folder.parent, swept.folder))
            assert contents(ours) == contents(theirs)
    assert len({str(each["values"]) for each in drives.values()}) == 8, "no two of them are alike"


def negated(one: Decomposition, other: Decomposition) -> bool:
    """Whether all shares are, and their medians."""
    shares, turned = ([row.share for row in each.rows] for each in (one, other))
    assert [row.parts for row in one.rows] == [row.parts for row in other.rows]
    assert [each.median for each in turned] == pytest.approx([-each.median for each in shares], abs=1e-12)
    return [each.value for each in turned] == pytest.approx([-each.value for each in shares], abs=1e-12)


def test_the_way_back_negates_and_runs_nothing_new(found: Ablation) -> None:
    folder = found.folder.parent
    before = stored(folder)
    reverse = reclaim.ablate(back(), folder)
    assert stored(folder) == before
    for metric in (WRITES, AMPLIFICATION):
        ours, theirs = found.of(metric).overall, reverse.of(metric).overall
        assert negated(ours, theirs)
        # A square is the same backwards.
        pairs = [each.value.value for each in ours.interactions]
        assert [each.value.value for each in theirs.interactions] == pytest.approx(pairs, abs=1e-12)
    # The folder is as it was, for other tests.
    reclaim.ablate(described(), folder)


def test_a_sweep_shares_its_points_and_does_not_show_those_between(whole: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(whole, tmp_path / "both"))
    swept = reclaim.sweep(described(), folder)
    assert sorted(swept.points["scheme"].unique()) == ["A", "B"]
    assert len(swept) == 4
    assert len(stored(folder)) == 16
    assert (folder / "ablation/ablation.json").read_bytes() == (whole / "ablation/ablation.json").read_bytes()
    again = reclaim.ablate(described(), folder)
    assert len(stored(folder)) == 16
    assert again.damaged == ()


def test_six_repeats_have_intervals_that_hold_what_the_repeats_say(tmp_path: Path) -> None:
    other = {"name": "B", "schemes": ["d-choices"], "set": {"gc.victim.d": 2} | START}
    found = reclaim.ablate(described(repeats={"count": 6}, schemes=[GREEDY, other]), tmp_path / "six")
    total = found.of(WRITES).overall.total
    assert total.low is not None
    assert total.high is not None
    assert (total.low < total.value < total.high, total.repeats) == (True, 6)
    table = found.table().filter(metric=WRITES, workload="", part="gc.victim")
    assert table["share_low"].item() <= table["share"].item() <= table["share_high"].item()
    # Repeats that measured the same count once.
    plain = {"warmup.kind": "filled", "trace.max_requests": 500}
    other = {"name": "B", "schemes": ["greedy"], "set": {"gc.pages_in_flight": 4}}
    made = described(set=plain, repeats={"count": 6}, schemes=[GREEDY, other])
    found = reclaim.ablate(made, tmp_path / "same")
    total = found.of(WRITES).overall.total
    assert (found.repeats, total.repeats, total.low) == (1, 1, None)


def test_more_than_six_parts_are_added_in_drawn_orders(tmp_path: Path) -> None:
    moves = {
        "gc.pages_in_flight": 4,
        "gc.block_victim_access": True,
        "gc.trigger.start": "2 blocks",
        "channel.command_cycle": "2ns",
        "flash.t_read": "95us",
        "flash.t_program": "1.2ms",
        "controller.lookup": "1us",
    }
    schemes = [{"name": "A", "schemes": ["greedy"]}, {"name": "B", "schemes": ["greedy"], "set": moves}]
    ablate = {"parts": {key: [key] for key in moves}, "orderings": 4, "seed": 3, "metrics": [WRITES]}
    set_ = {"warmup.kind": "filled", "trace.max_requests": 300}
    sections = {"schemes": schemes, "set": set_, "repeats": {"count": 1}}
    found = reclaim.ablate(described(ablate=ablate, **sections), tmp_path / "out")
    assert len(found.plan.parts) == 7
    assert len(found.plan.orders) == 4
    of = found.of(WRITES).overall
    assert of.orders == (4, 4)
    assert found.to_dict()["orders_drawn"] == {"orders": 4, "seed": 3}
    sum_of(of)
    assert all(row.alone and row.all_but and row.drawn_error is not None for row in of.rows)
    reverse = reclaim.ablate(back(ablate=ablate, **sections), tmp_path / "out").of(WRITES).overall
    assert negated(of, reverse)
    assert len(stored(tmp_path / "out")) == len(found.plan.subsets)


def test_a_part_below_a_policy_kind_can_make_drives_that_are_refused(tmp_path: Path) -> None:
    ablate = {"parts": {"choices": ["gc.victim.d"]}, "metrics": [WRITES]}
    found = reclaim.ablate(described(ablate=ablate), tmp_path / "out")
    # A number of choices says something beside the policy that chooses alone.
    for parts, each in drives_of(found).items():
        assert bool(each["refused"]) == ("choices" in parts and "gc.victim" not in parts)
        assert not each["refused"] or ("gc.victim.d" in each["refused"] and each["points"] == [])
    of = found.of(WRITES).overall
    assert of.orders == (12, 24), "the policy before its parameter, in half of the orders"
    sum_of(of)
    alone = {row.parts: row.alone for row in of.rows}
    assert alone["choices",] is None
    assert alone["gc.victim",] is not None


def test_parts_that_no_drive_separates_are_merged_and_named(tmp_path: Path, command: Command) -> None:
    # The trigger's start belongs to its kind: neither can be without the other.
    schemes = [{"name": "A", "schemes": ["greedy"]}, {"name": "B", "schemes": ["adaptive"]}]
    ablate = {"parts": {"kind": ["gc.trigger.kind"], "start": ["gc.trigger.start"]}, "metrics": [WRITES]}
    made = Experiment.from_dict(described(schemes=schemes, ablate=ablate))
    (tmp_path / "x.toml").write_text(made.text)
    ran = command("ablate", "x.toml", "-o", "out")
    told = json.loads((tmp_path / "out/ablation/ablation.json").read_text())
    rows = told["metrics"][0]["overall"]["rows"]
    assert [each["parts"] for each in rows] == [["kind", "start"], ["gc.concurrency"]]
    total = told["metrics"][0]["overall"]["total"]["value"]
    assert fsum(each["share"]["value"] for each in rows) == pytest.approx(total)
    assert "kind and start" in ran.stdout
    reasons = {tuple(each["parts_of_target"]): each["refused"] for each in told["drives"]}
    assert "gc.trigger.start" in reasons["kind",]
    assert "gc.trigger.start" in reasons["start",]


def test_settings_of_a_scheme_that_an_axis_overrides_are_no_difference_there(tmp_path: Path) -> None:
    axes = {"pages": {"own": {}, "four": {"gc.pages_in_flight": 4}}}
    made = described(axes=axes, ablate={"metrics": [WRITES]}, repeats={"count": 1})
    found = reclaim.ablate(made, tmp_path / "out")
    own, four = found.of(WRITES).by_workload.values()
    changed = [
        {row.parts: row.share.value for row in each.rows if row.share}["gc.pages_in_flight",] != 0
        for each in (own, four)
    ]
    assert changed == [True, False]
    assert sum_of(found.of(WRITES).overall) == pytest.approx((sum_of(own) + sum_of(four)) / 2)
    # The four drives of `four` are those of `own` that have four pages in flight: each is run once.
    assert len(stored(tmp_path / "out")) == 8


@pytest.mark.slow
def test_the_command_writes_the_same(whole: Path, tmp_path: Path, command: Command) -> None:
    (tmp_path / "x.toml").write_text(Experiment.from_dict(described()).text)
    ran = command("ablate", "x.toml", "-o", "out", "--workers", "3")
    assert ran.returncode == 3, "these short runs are not established"
    before = contents(tmp_path / "out")
    drawn = {name for name in before if name.endswith(".png")}
    waterfalls = {f"ablation/waterfall-{metric}.png" for metric in (WRITES, AMPLIFICATION)}
    assert drawn == {"ablation/answer.png", *waterfalls}
    assert {name: before[name] for name in before if name not in drawn} == contents(whole)
    told = json.loads(before["ablation/ablation.json"])["metrics"][0]
    assert ran.stdout.startswith("Inconclusive (?): B, compared with A, ")
    assert told["conclusion"] in ran.stdout
    assert f"{exp(told['overall']['total']['value']):.3f} times" in told["conclusion"]
    page = (tmp_path / "out/ablation/report.html").read_text()
    assert (
        page.index("B, compared with A") < page.index("<h2>") < page.index("From A to B, write mean latency")
    )
    again = command("ablate", "x.toml", "-o", "out")
    assert "16 points, 16 of them stored\n" in again.stderr
    assert again.stdout == ran.stdout
    assert contents(tmp_path / "out") == before


def test_drives_whose_queues_grow_without_bound_have_no_value(tmp_path: Path, command: Command) -> None:
    slow = {"name": "B", "schemes": ["greedy"], "set": {"flash.t_program": "60ms", "gc.pages_in_flight": 4}}
    set_ = {"warmup.kind": "filled"}
    made = Experiment.from_dict(described(schemes=[GREEDY, slow], set=set_, repeats={"count": 1}))
    (tmp_path / "x.toml").write_text(made.text)
    ran = command("ablate", "x.toml", "-o", "out", "--no-report")
    assert ran.returncode == 1
    told = json.loads((tmp_path / "out/ablation/ablation.json").read_text())
    without = [each["parts_of_target"] for each in told["drives"] if each["no_value"]]
    assert len(without) == 4
    assert all("flash.t_program" in each for each in without)
    assert told["metrics"][0]["overall"]["total"] is None, "never an imputed value"
    (workload,) = told["metrics"][0]["by_workload"].values()
    assert workload["unknown"] in ran.stdout.splitlines()[0]
    assert all(len(each["points"]) == 1 for each in told["drives"]), "they ran"


def test_one_drive_between_that_has_no_value_restricts_the_orders(whole: Path) -> None:
    plan = reclaim.ablate(described(), whole).plan
    # Each part adds 1 in the first repeat and 2 in the second, all three together 10 more.
    logs = {
        subset: np.array([1.0, 2.0]) * subset.bit_count() + (10.0 if subset == 7 else 0.0)
        for subset in range(8)
        if subset not in (1, 6)
    }
    of = taken(plan, {"w": logs}, [0, 1])
    # Of the orders of a, b, c those remain that neither begin with a nor end with it: bac, cab.
    assert of.orders == (2, 6)
    shares = {row.parts: row.share.value for row in of.rows if row.share}
    assert list(shares.values()) == pytest.approx([1.5, 6.5, 6.5])
    assert [row.alone is None for row in of.rows] == [True, False, False]
    assert [row.all_but is None for row in of.rows] == [True, False, False]
    del logs[3], logs[5]
    # Only b and c alone are left: a with c, or a with b, and nothing says which.
    nothing = taken(plan, {"w": logs}, [0, 1])
    assert not nothing.has_shares
    assert nothing.total.value == pytest.approx(14.5)
    assert [row.alone.value if row.alone else None for row in nothing.rows] == [None, 1.5, 1.5]


def test_an_ablation_is_refused_where_it_says_nothing(tmp_path: Path) -> None:
    made = described()
    del made["ablate"]
    with pytest.raises(reclaim.InputError, match=r"\[ablate\]"):
        reclaim.ablate(made, tmp_path / "out")
    same = [{"name": "A", "schemes": ["greedy"]}, {"name": "B", "schemes": ["greedy"]}]
    with pytest.raises(reclaim.InputError, match='"A" and "B"'):
        reclaim.ablate(described(schemes=same), tmp_path / "out")
    with pytest.raises(reclaim.InputError, match="read_mean_ns"):
        reclaim.ablate(described(), tmp_path / "out").of("read_mean_ns")
