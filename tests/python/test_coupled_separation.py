"""How well the regression's inputs tell blocks apart: judged on samples that are made up."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from coupled import separation
from coupled.separation import judged, tables
from coupled.training import thinned

KNOWS_NOTHING = (0.0, [0.0] * 8, [0.0] * 8, [1.0] * 8)


def samples(count: int, invalidated: int) -> list[tuple[list[float], float]]:
    """Blocks of which those with the highest invalid ratio live, and all had the same a window ago."""
    return [([1 - at / count, 0.5, *([0.25] * 6)], float(at >= count - invalidated)) for at in range(count)]


def test_an_input_of_the_wrong_sign_is_seen_and_a_fit_makes_up_for_it() -> None:
    found = judged(samples(100, 25), KNOWS_NOTHING)
    assert (found["samples"], found["invalidated"]) == (100, 0.25)
    assert (found["invalid ratio"], found["fitted"], found["fitted to its own"]) == (0, 1, 1)
    assert (found["invalid ratio a window ago"], found["shipped"]) == (0.5, 0.5)


def test_others_with_the_opposite_sign_mislead() -> None:
    opposite = [(inputs, 1 - target) for inputs, target in samples(100, 50)]
    found = judged(samples(100, 25), KNOWS_NOTHING, opposite)
    assert found["fitted to others"] == 0
    assert "fitted to others" not in judged(samples(100, 25), KNOWS_NOTHING, opposite[:10])


def test_calibration_is_beside_the_best_constant() -> None:
    # Who says a half is off by a quarter in the square; who says 25 % by 3/16.
    found = judged(samples(100, 25), KNOWS_NOTHING)
    assert found["said"] == pytest.approx(0.5)
    assert found["brier_gain"] == pytest.approx(1 - 0.25 / 0.1875)


def test_with_hardly_any_block_invalidated_only_counts_are_given() -> None:
    assert judged(samples(1000, 19), KNOWS_NOTHING) == {"samples": 1000, "invalidated": 0.019}
    assert judged([], KNOWS_NOTHING) == {"samples": 0, "invalidated": 0}


def test_a_workload_and_share_is_a_row_with_both_labels(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = {"workload": "stg_0", "share": "36%", "label": "half", "samples": 9, "invalidated": 0.001}
    more = few | {"label": "collected", "invalidated": 0.25, "said": 0.3, "brier_gain": -0.5}
    more |= {"shipped": 0.4, "fitted": 0.75, "fitted to its own": 0.7, "fitted to others": 0.6}
    more |= {"invalid ratio": 0.2}
    file = tmp_path / "separation.json"
    monkeypatch.setattr(separation, "FILE", file)
    assert tables() == []
    file.write_text(json.dumps([few, more]), encoding="utf-8")
    (table,) = tables()
    unknown, known = "– " * 7, "25.0_% 30.0_% -50.0_% 0.40 0.75 0.70 0.60 0.20"
    told = f"stg_0 36% 0.1_% {unknown}{known}".split()
    assert table.rows == (tuple(each.replace("_%", " %") for each in told),)
    assert len(table.head) == len(table.rows[0])


def test_what_the_page_shows_is_of_every_setting() -> None:
    found = json.loads(separation.FILE.read_text(encoding="utf-8"))
    settings = [(each["workload"], each["share"], each["label"]) for each in found]
    shares, labels = separation.SHARES, separation.LABELS
    assert settings == [
        (name, share, label) for share in shares for label in labels for name in separation.TESTED
    ]


def test_samples_are_thinned_evenly() -> None:
    many = [([float(at)] * 8, 0.0) for at in range(45_000)]
    assert [inputs[0] for inputs, _ in thinned(many)[:3]] == [0, 3, 6]
