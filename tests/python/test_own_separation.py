"""Separation in Python: twins of built-ins do the same, on drives with and without time, and in a log."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import own_policies as own
import reclaim
from reclaim.policy.adapters import adapter

SMALL = {
    "geometry.spare_factor": "45%",
    "geometry.blocks_per_plane": 40,
    "geometry.pages_per_block": 16,
    "gc.trigger": '{ kind = "free-blocks", start = "3 blocks" }',
    "warmup.kind": "overwrite",
    "warmup.overwrites": 1,
}
TWINS = [
    (
        *(own.by_stream, {"open_blocks": 3, "relocated_open_blocks": 3}),
        {"kind": "by-stream", "open_blocks": 3, "relocated": "by-class"},
    ),
    (own.by_stream, {"open_blocks": 3}, {"kind": "by-stream", "open_blocks": 3}),
    (own.Dac, {"open_blocks": 4, "relocated_open_blocks": 4}, {"kind": "dac", "open_blocks": 4}),
    (
        *(own.SepBit, {"relocated_open_blocks": 4, "params.lifespans": 4}),
        {"kind": "sepbit", "lifespans": 4},
    ),
]
IDS = ["by-stream", "by-stream-together", "dac", "sepbit"]


def skewed(count: int = 4000) -> reclaim.Trace:
    """Writes of one page or four, four of five to a few pages; three streams."""
    draw = np.random.default_rng(3)
    hot = draw.random(count) < 0.8
    page = np.where(hot, draw.integers(0, 200, count), draw.integers(0, 3000, count))
    pages = np.where(draw.random(count) < 0.2, 4, 1)
    streams = np.where(hot, 0, 1 + page % 2)
    rows = zip(page.tolist(), pages.tolist(), streams.tolist(), strict=True)
    return reclaim.Trace.from_records(
        [
            (at * 300_000, "write", page * 4096, many * 4096, stream)
            for at, (page, many, stream) in enumerate(rows)
        ]
    )


def run(separation: dict[str, Any], how: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    """Everything that was measured, but what policies count of themselves."""
    device = reclaim.Device.preset("coupled-copyback-mini")
    parts = {f"ftl.separation.{key}": value for key, value in separation.items() if key != "kind"}
    for key, value in (SMALL | more | {"ftl.separation": separation["kind"]} | parts).items():
        device = device.set(key, value)
    found = reclaim.simulate(device, skewed(), remap="wrap", **how or {}).to_dict()
    assert found["flash"]["erases"] > 100
    return {key: found[key] for key in ("requests", "flash", "gc", "utilisation", "wear") if key in found}


@pytest.mark.parametrize("untimed", [False, True], ids=["timed", "untimed"])
@pytest.mark.parametrize(("policy", "given", "built_in"), TWINS, ids=IDS)
def test_a_twin_does_the_same(
    policy: Any, given: dict[str, Any], built_in: dict[str, Any], *, untimed: bool
) -> None:
    more = {"measure.untimed": untimed}
    expected = run(built_in, **more)
    assert run({"kind": policy, **given}, **more) == expected
    assert run({"kind": "none"}, **more) != expected


def test_a_saved_state_goes_on(tmp_path: Path) -> None:
    given = {"kind": own.SepBit, **TWINS[3][1]}
    whole = run(given, how={"save_state": tmp_path / "state"})
    assert run(given, how={"load_state": tmp_path / "state"}) == whole


@pytest.mark.parametrize("victim", ["greedy", "cost-benefit"])
@pytest.mark.parametrize(("policy", "given", "built_in"), TWINS[1:], ids=IDS[1:])
def test_a_twin_does_the_same_in_a_log(
    policy: Any, given: dict[str, Any], built_in: dict[str, Any], victim: str
) -> None:
    mine = {key: value for key, value in given.items() if not key.startswith("params.")}
    params = {key.removeprefix("params."): value for key, value in given.items() if key.startswith("params.")}
    if params:
        mine["params"] = params
    log: Any = {"victim": victim, "segment_pages": 32}
    expected = reclaim.replay_log(skewed(), separation=built_in, **log)
    assert reclaim.replay_log(skewed(), separation={"function": policy, **mine}, **log) == expected
    assert reclaim.replay_log(skewed(), separation="none", **log) != expected


def test_a_log_takes_a_function_by_itself() -> None:
    by_itself = reclaim.replay_log(skewed(), separation=own.two_streams, segment_pages=32)
    assert by_itself == reclaim.replay_log(
        skewed(), separation={"kind": "python", "function": f"{own.__file__}:two_streams"}, segment_pages=32
    )


def asked(answer: str, tmp_path: Path, rows: list[int], *, collected: bool = False) -> bytes:
    """The classes that a policy gives pages with these rows."""
    file = tmp_path / "mine.py"
    file.write_text(f"import reclaim\n@reclaim.separation_policy\ndef mine(pages):\n    return {answer}\n")
    made: Any = adapter("ftl.separation", f"{file}:mine", None, "{}", (1, 1, 1, 9, 9, 9, 1))
    numbers = [1, -1, 2, -1, 4] if collected else [0, 1, -1, 70, 2]
    return bytes(made.ask(numbers, (np.array(rows, np.int64),)))


ONE, THREE = [5, 8, 0], [5, 8, 0, 6, -1, 1, 7, 0, 1]


def test_answers_are_a_class_for_each_page_or_one_for_all(tmp_path: Path) -> None:
    assert asked("1", tmp_path, ONE) == b"\1"
    assert asked("pages.age < 8", tmp_path, ONE) == b"\0"
    assert asked("pages.stream", tmp_path, ONE) == b"\1"
    assert asked("3", tmp_path, THREE, collected=True) == b"\3\3\3"
    assert asked("[int(age < 0) for age in pages.age]", tmp_path, THREE, collected=True) == b"\0\1\0"
    assert asked("pages.last_class + pages.block_class", tmp_path, THREE, collected=True) == b"\2\3\3"


@pytest.mark.parametrize(
    ("answer", "collected", "says"),
    [
        (
            "2",
            False,
            r"mine.py:2: mine returned 2, which is no class of .*: they are 0 to 1 \(.*.open_blocks = 2\)",
        ),
        ("-1", False, "returned -1, which is no class"),
        (
            "pages.logical_pages",
            True,
            r"returned 5, .*relocated pages: they are 0 to 3 \(ftl.separation.relocated_open_blocks = 4\)",
        ),
        ("None", False, "returned None, which is neither a whole number nor 1, one for each page"),
        ("0.5", False, "returned 0.5, which is neither"),
        ("[0, 1]", True, r"returned \[0, 1\], which is neither a whole number nor 3"),
        ("[0, [1]]", True, "mine.py"),
        ("pages.nothing", False, "mine.py:4: AttributeError"),
    ],
)
def test_answers_that_cannot_be_are_refused(
    answer: str, *, collected: bool, says: str, tmp_path: Path
) -> None:
    with pytest.raises(reclaim.InputError, match=says):
        asked(answer, tmp_path, THREE if collected else ONE, collected=collected)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"open_blocks": 1}, "open_blocks = 1; from 2 to 8 can be open"),
        ({"open_blocks": 9}, "open_blocks = 9; from 2 to 8 can be open"),
        ({"relocated_open_blocks": 0}, "relocated_open_blocks = 0; from 1 to 8 can be open"),
        ({"relocated_open_blocks": 9}, "relocated_open_blocks = 9; from 1 to 8 can be open"),
        ({"relocated": "by-class"}, "relocated_open_blocks"),
    ],
)
def test_numbers_of_classes_that_cannot_be_are_refused(given: dict[str, Any], says: str) -> None:
    with pytest.raises(reclaim.InputError, match=says):
        reclaim.replay_log(skewed(10), separation={"function": own.two_streams, **given})


def test_what_relocates_by_class_is_refused_where_that_cannot_be() -> None:
    device = reclaim.Device.preset("coupled-copyback-mini").set("geometry.spare_factor", "45%")
    device = device.set("ftl.separation", own.two_streams).set("gc.relocation", "copyback-odd-even")
    with pytest.raises(reclaim.InputError, match="relocated pages by class"):
        device.set("ftl.separation.relocated_open_blocks", 2)
