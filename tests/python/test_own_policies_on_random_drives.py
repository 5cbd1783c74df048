"""Policies in Python on random drives: behind their adapters they see what the reference model shows them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import own_views
from differential.coverage import Coverage
from differential.own import KEYS
from differential.report import report
from differential.search import DifferenceError, search
from reclaim.policy.adapters import adapter

FILE = Path(own_views.__file__)
DRIVE = (3, 5, 7, 11, 13, 17, 2)
"""Channels, dies, planes, blocks of a plane, pages of a block, logical pages, levels."""


@pytest.mark.parametrize("key", KEYS)
def test_the_reference_model_runs_them_and_agrees(key: str) -> None:
    coverage = Coverage()
    try:
        search(range(3), coverage, [f"{key}.kind=python"])
    except DifferenceError as found:
        pytest.fail(report(found.case, found.what), pytrace=False)
    assert coverage.runs >= 2
    assert coverage.used[f"{key}.kind = python"] == coverage.runs
    assert coverage.jobs > coverage.runs


def seen(kind: str, numbers: list[int], columns: list[list[int]], question: str = "") -> dict[str, Any]:
    """What a policy of a kind sees where the core says this."""
    made = adapter(kind, f"{FILE}:{KEYS[kind].title()}", None, "{}", DRIVE)
    told = tuple(np.array(column, dtype=np.int64) for column in columns)
    if question:
        assert made.answers(question)
        made.ask_further(question, numbers, told)
    else:
        made.ask(numbers, told)
    view = own_views.told(made)
    found = view._asdict() if isinstance(view, tuple) else dict(vars(view))
    found.pop("drive")
    return {name: each.tolist() if isinstance(each, np.ndarray) else each for name, each in found.items()}


PLANE: dict[str, Any] = {"number": 5, "programmed": 99, "blocks": [2, 4], "valid": [20, 21]}
PLANE |= {"erases": [30, 31], "age": [40, 41], "since_sealed": [50, 51]}
PLANE |= {"of_level": [[60, 61], [70, 71]]}
SPACE = {"plane": 4, "free_blocks": 2, "reclaimable_pages": 33, "drive_free_blocks": 8}
JOBS = {"plane": 6, "channel": 2, "used_pages": 70, "valid_pages": 40, "per_channel": [0, 3, 1]}
WRITTEN = {"collected": False, "classes": 4, "stream": 3, "valid_pages": 60, "block_class": None}
RELOCATED = {"collected": True, "classes": 3, "stream": None, "valid_pages": None, "block_class": 5}
ONE = {"logical_pages": [9], "age": [8], "last_class": [7]}
ACTIVITY = {"used_pages": 70, "valid_pages": 40, "per_channel": [0, 3, 1]}


@pytest.mark.parametrize(
    ("kind", "question", "numbers", "columns", "expected"),
    [
        (
            "gc.victim",
            "",
            [5, 99],
            [[2, 4], *([10 * ten, 10 * ten + 1] for ten in range(2, 6)), [60, 61, 70, 71]],
            PLANE,
        ),
        *(
            (
                *("gc.trigger", "", [4, 2, 33, int(at == 0), 8, int(at == 1), int(at == 2)], []),
                SPACE | {"under_way": at == 0, "channel_idle": at == 1, "host_waits": at == 2},
            )
            for at in range(3)
        ),
        ("gc.concurrency", "", [6, 2, 70, 40, 0], [[0, 3, 1]], JOBS | {"channel_idle": False}),
        ("gc.concurrency", "", [6, 2, 70, 40, 1], [[0, 3, 1]], JOBS | {"channel_idle": True}),
        ("gc.concurrency", "limit", [70, 40], [[0, 3, 1]], ACTIVITY | {"drained": False}),
        ("gc.concurrency", "note", [70, 40, 1], [[0, 3, 1]], ACTIVITY | {"drained": True}),
        ("gc.concurrency", "note", [70, 40, 0], [[0, 3, 1]], ACTIVITY | {"drained": False}),
        (
            *("ftl.allocation", "", [9], [[5, 5, 6, 6, 7, 7, 8], [0, 1, 0, 0, 1, 1, 0]]),
            {"logical_page": 9, "pending": [5, 5, 6, 6, 7, 7, 8], "has_room": [0, 1, 0, 0, 1, 1, 0]},
        ),
        (
            *("ftl.separation", "", [0, 3, -1, 60, 4], [[9, 8, 7]]),
            WRITTEN | {"logical_pages": [9], "age": [8], "last_class": [7]},
        ),
        (
            *("ftl.separation", "", [1, -1, 5, -1, 3], [[9, 8, 7, 6, -1, 4]]),
            RELOCATED | {"logical_pages": [9, 6], "age": [8, -1], "last_class": [7, 4]},
        ),
        ("ftl.separation", "", [1, -1, -1, -1, 3], [[9, 8, 7]], RELOCATED | ONE | {"block_class": None}),
        ("ftl.separation", "note", [5, 44], [], {"block_class": 5, "lifespan": 44}),
    ],
)
def test_every_field(
    kind: str, question: str, numbers: list[int], columns: list[list[int]], expected: dict[str, Any]
) -> None:
    assert seen(kind, numbers, columns, question) == expected


@pytest.mark.parametrize("kind", KEYS)
def test_every_dimension(kind: str) -> None:
    made = adapter(kind, f"{FILE}:{KEYS[kind].title()}", None, "{}", DRIVE)
    names = "channels dies planes blocks_per_plane pages_per_block logical_pages levels"
    assert " ".join(vars(made.drive)) == names
    assert tuple(vars(made.drive).values()) == DRIVE
