"""Parameters of policies in Python: where they arrive, what is refused, and every way to set them."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import reclaim
from conftest import Command
from reclaim.experiment.experiment import Experiment
from reclaim.policy.adapters import adapter
from study.small import TINY, contents, experiment, slowed, stored
from study.small_tuning import small
from test_own_policies import ONE_EACH, drive, measured, run

MINE = """from __future__ import annotations

import reclaim


@reclaim.victim_policy
def weighed(plane, *, sign: float = 1, text="a", many=True):
    return plane.blocks[(sign * plane.valid).argmin()]


@reclaim.victim_policy
class Weighed:
    def __init__(self, drive, sign=1.0):
        self.sign = sign

    def select(self, plane):
        return plane.blocks[(self.sign * plane.valid).argmin()]


@reclaim.trigger_policy
def when(space, level=9):
    return space.free_blocks <= level


@reclaim.concurrency_policy
class Limited:
    def __init__(self, drive, *, most=1):
        self.most = most

    def may_start(self, jobs):
        return bool(jobs.per_channel.sum() < self.most)

    def limit(self, activity):
        return self.most


@reclaim.allocation_policy
def stepping(page, step=1, _seen=[]):
    return page.logical_page * step % page.drive.planes
"""
GREEDY = '{ kind = "greedy", ties = "lowest-number" }'
FULLEST = '{ kind = "score", score = "sign * valid", params = { sign = -1 } }'


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    (tmp_path / "mine.py").write_text(MINE)
    return tmp_path / "mine.py"


def policy(function: str, **params: Any) -> str:
    given = ", ".join(f"{name} = {json.dumps(value)}" for name, value in params.items())
    return f'{{ kind = "python", function = "{function}", params = {{ {given} }} }}'


def test_a_function_and_a_class_decide_by_them(mine: Path) -> None:
    few, many = (measured(run(drive(**{"gc.victim": each}), 3000)) for each in (GREEDY, FULLEST))
    assert few != many
    for name in ("weighed", "Weighed"):
        asked = drive(**{"gc.victim": policy(f"{mine}:{name}")})
        assert measured(run(asked, 3000)) == few
        assert measured(run(asked.set("gc.victim.params.sign", -1), 3000)) == many


def test_every_kind_of_policy_takes_them(mine: Path) -> None:
    first = measured(run(drive(), 3000))
    start = drive(**{"gc.trigger": policy(f"{mine}:when", level=4)})
    assert measured(run(start, 3000)) == first
    assert measured(run(start.set("gc.trigger.params.level", 2), 3000)) != first
    made = adapter("gc.concurrency", f"{mine}:Limited", None, '{"most": 4}', (3, 3, 3, 9, 9, 9, 1))
    jobs = (np.array([0, 3, 0]),)
    assert [made.ask([0, 0, 0, 0, 0], jobs), made.ask_further("limit", [0, 0], jobs)] == [1, 4]
    made = adapter("ftl.allocation", f"{mine}:stepping", None, '{"step": 2}', (3, 3, 3, 9, 9, 9, 1))
    assert made.ask([2], (np.zeros(3, np.int64), np.zeros(3, np.int64))) == 1
    by_number = drive(**ONE_EACH, **{"ftl.allocation": policy(f"{mine}:stepping")})
    assert by_number.config["ftl"]["allocation"]["params"] == {"step": 1}


def test_those_that_are_not_given_are_known_all_the_same(mine: Path) -> None:
    made = drive(**{"gc.victim": policy(f"{mine}:weighed", many=False)})
    assert made.config["gc"]["victim"]["params"] == {"sign": 1.0, "text": "a", "many": False}
    again = made.set("gc.victim.params.text", 5)
    assert again.config["gc"]["victim"]["params"] == {"sign": 1.0, "text": "5", "many": False}
    file = mine.with_name("drive.toml")
    file.write_text(again.to_toml())
    assert reclaim.Device.load(file).config == again.config
    # Those of one function are none of another's, in whatever order both are named.
    other = {"gc.victim.params.sign": -1, "gc.victim.function": f"{mine}:Weighed"}
    assert again.with_settings(other).config["gc"]["victim"]["params"] == {"sign": -1.0}
    assert again.set("gc.victim.function", f"{mine}:Weighed").config["gc"]["victim"]["params"] == {
        "sign": 1.0
    }


@pytest.mark.parametrize(
    ("name", "key", "value", "says"),
    [
        (
            "weighed",
            "sing",
            2,
            'params.sing: it has no such parameter; valid: sign, text, many; did you mean "sign"?',
        ),
        ("weighed", "sign", "much", 'params.sign: "much" is not a number, as its default 1.0 is'),
        ("weighed", "sign", "inf", 'params.sign: "inf" is not a number'),
        ("weighed", "many", 1, "params.many: 1 is not true or false, as its default True is"),
        ("weighed", "text", 1.5, "params.text: 1.5 is not text, as its default 'a' is"),
        (
            "when",
            "level",
            1.5,
            "params.level: 1.5 is not a whole number, as its default 9 is; write its default as 9.0",
        ),
        ("when", "level", True, "params.level: true is not a whole number"),
        ("stepping", "_seen", 1, "params._seen: it has no such parameter; valid: step"),
    ],
)
def test_what_it_does_not_take_is_explained(mine: Path, name: str, key: str, value: Any, says: str) -> None:
    kind = {"weighed": "gc.victim", "when": "gc.trigger", "stepping": "ftl.allocation"}[name]
    with pytest.raises(reclaim.InputError) as refused:
        drive(**{kind: policy(f"{mine}:{name}")}).set(f"{kind}.params.{key}", value)
    assert says in str(refused.value)
    assert f"--set {kind}.params.{key}=" in str(refused.value)
    assert re.search(rf"mine.py:\d+: {name}\)$", str(refused.value))


def test_one_that_takes_none_says_how_to_take_some(tmp_path: Path, command: Command) -> None:
    (tmp_path / "p.py").write_text(
        "import reclaim\n\n\n@reclaim.victim_policy\ndef p(plane):\n    return plane.blocks[0]\n"
    )
    setting = 'gc.victim={kind="python",function="p.py:p",params={a=1}}'
    ran = command("device", "show", "gc-bypass-mini", "--set", setting)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr.count("error: ") == 1
    assert (
        "params.a: it takes no parameters; an argument with a default behind the first is one" in ran.stderr
    )


def swept(mine: Path, values: list[Any], **sections: Any) -> dict[str, Any]:
    """A sweep over a parameter, of drives of a hundredth of a second."""
    own = {"kind": "python", "function": f"{mine}:Weighed", "params": {"sign": 3}}
    schemes = [{"name": "mine", "set": {"gc.victim": own}}]
    made = slowed(experiment(schemes=schemes, axes={"gc.victim.params.sign": values}, record={}))
    return made | {"set": made["set"] | TINY, "repeats": {"count": 2}} | sections


def test_a_sweep_over_one(mine: Path, tmp_path: Path) -> None:
    found = reclaim.sweep(swept(mine, [1, -1]), tmp_path / "out")
    points = found.points.sort("gc.victim.params.sign")
    assert points["gc.victim.params.sign"].to_list() == ["-1", "-1", "1", "1"]
    assert points["gc_write_amplification"].n_unique() > 1
    names = {each.name for each in (tmp_path / "out/points").iterdir()}
    for name in names:
        text = (tmp_path / "out/points" / name / "config.toml").read_text()
        assert tomllib.loads(text)["gc"]["victim"]["params"]["sign"] in (1.0, -1.0)
    # Goes on where it was, and equal parameters are the same point, however they are written.
    before = stored(tmp_path / "out")
    reclaim.sweep(swept(mine, [1, -1]), tmp_path / "out")
    assert stored(tmp_path / "out") == before
    reclaim.sweep(swept(mine, [-1.0, 1.0]), tmp_path / "again")
    ids = lambda folder: sorted(each.name for each in (folder / "points").iterdir())  # noqa: E731
    assert ids(tmp_path / "again") == ids(tmp_path / "out")
    for name in names:
        # `config.toml` has the settings as they were written, in a comment.
        of = [
            contents(folder / "points" / name, {"config.toml"})
            for folder in (tmp_path / "again", tmp_path / "out")
        ]
        assert of[0] == of[1]


def test_states_after_other_parameters_are_other_states(mine: Path) -> None:
    made = drive(**{"gc.victim": policy(f"{mine}:weighed"), "warmup.kind": "overwrite"})
    trace = reclaim.uniform_trace(footprint_bytes=1 << 20, count=10, mean_interarrival_ns=1000)
    keys = [made.set("gc.victim.params.sign", sign).warm_up_key(trace) for sign in (1, 1.0, -1)]
    assert keys[0] == keys[1] != keys[2]


def test_tuning_finds_one(mine: Path, tmp_path: Path) -> None:
    own = {"kind": "python", "function": f"{mine}:Weighed", "params": {"sign": -1}}
    schemes = [{"name": "mine", "set": {"gc.victim": own}}]
    made = small({"search": {"gc.victim.params.sign": [-1.0, 1.0]}, "budget": "4 trials"}, schemes=schemes)
    assert reclaim.tune(made, tmp_path / "out", workers=1).values == {"gc.victim.params.sign": "1.0"}


def test_an_ablation_says_what_one_does(mine: Path, tmp_path: Path) -> None:
    own = {"kind": "python", "function": f"{mine}:Weighed", "params": {"sign": -1}}
    other = {"gc.victim": own | {"params": {"sign": 1}}, "gc.pages_in_flight": 4}
    schemes = [{"name": "A", "set": {"gc.victim": own}}, {"name": "B", "set": other}]
    ablate = {"baseline": "A", "candidate": "B", "metrics": ["gc_write_amplification"]}
    parts = {"the sign": ["gc.victim.params.sign"]}
    made = swept(mine, [], schemes=schemes, axes={}, ablate=ablate | {"parts": parts})
    found = reclaim.ablate(made, tmp_path / "out")
    assert [(part.name, part.keys) for part in found.plan.parts] == [
        ("the sign", ("gc.victim.params.sign",)),
        ("gc.pages_in_flight", ("gc.pages_in_flight",)),
    ]
    of = {tuple(each["parts_of_target"]): each["values"] for each in found.to_dict()["drives"]}
    better, worse = of[("the sign",)], of[()]
    assert better["gc_write_amplification"][0] < 0.9 * worse["gc_write_amplification"][0]


def test_a_sweep_over_a_number_of_score(tmp_path: Path) -> None:
    score = {"kind": "score", "score": "valid / pow(age, power)", "params": {"power": 0}}
    schemes = [{"name": "mine", "set": {"gc.victim": score}}]
    made = swept(tmp_path / "none.py", [], schemes=schemes, axes={"gc.victim.params.power": [0, 0.5]})
    points = Experiment.from_dict(made).points()
    given = {each.drive.config["gc"]["victim"]["params"]["power"] for each in points if each.drive}
    assert given == {0, 0.5}
    found = reclaim.sweep(made, tmp_path / "out").points
    assert found["gc_write_amplification"].n_unique() > 2
