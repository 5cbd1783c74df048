"""Policies that tests/python/test_own_code.py names: each fails in a way of its own."""

from __future__ import annotations

import functools
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import reclaim
from reclaim.policy import Drive, Jobs, Placement, Plane, Space


class SilentError(Exception):
    def __str__(self) -> str:
        raise ValueError("no message")


class Number:
    def __index__(self) -> int:
        raise OSError("no number")

    def __repr__(self) -> str:
        raise SystemExit(0)


@reclaim.victim_policy
def has_no_message(plane: Plane) -> NoReturn:
    raise SilentError


@reclaim.victim_policy
def gives_no_number(plane: Plane) -> Number:
    return Number()


@reclaim.victim_policy
def gives_much(plane: Plane) -> str:
    return "x" * 1_000_000


@reclaim.victim_policy
def writes(plane: Plane) -> Any:
    plane.valid[0] = 0
    return plane.blocks[0]


def not_marked(plane: Plane) -> Any:
    return plane.blocks[0]


def _negative(number: int, plane: Plane) -> int:
    return -number


part = reclaim.victim_policy(functools.partial(_negative, 7))


class _Object:
    def __call__(self, plane: Plane) -> str:
        return "a"


an_object = reclaim.victim_policy(_Object())
_made: dict[str, Callable[[Plane], Any]] = {}
exec("def divides(plane):\n    return 1 / 0\n\ndef halves(plane):\n    return 0.5\n", _made)
divides = reclaim.victim_policy(_made["divides"])
halves = reclaim.victim_policy(_made["halves"])


class _Made:
    def __init__(self, drive: Drive) -> None:
        pass


@reclaim.victim_policy
class SavesOnly(_Made):
    def select(self, plane: Plane) -> Any:
        return plane.blocks[0]

    def save(self) -> bytes:
        return b""


@reclaim.victim_policy
class Selects(_Made):
    pass


@reclaim.victim_policy
class HasNoMethod(_Made):
    @property
    def select(self) -> NoReturn:
        raise KeyError("select")


@reclaim.victim_policy
def prints(plane: Plane) -> Any:
    print("PRINTED")
    sys.stdout.write("WRITTEN\n")
    os.write(1, b"RAW\n")
    return plane.blocks[0]


@reclaim.victim_policy
def closes(plane: Plane) -> Any:
    sys.stdout.close()
    sys.stdout = None  # type: ignore[assignment]
    return plane.blocks[0]


@reclaim.victim_policy
def closes_errors(plane: Plane) -> Any:
    sys.stderr.close()
    raise ValueError("wrong")


@reclaim.allocation_policy
def raises(page: Placement) -> NoReturn:
    raise ValueError("wrong")


@reclaim.allocation_policy
def none_but_that(page: Placement) -> int:
    return page.drive.planes


@reclaim.allocation_policy
def always_later(page: Placement) -> None:
    return None


@reclaim.trigger_policy
def answers_nothing(space: Space) -> None:
    return None


def _busy(seconds: float) -> None:
    Path("asked").touch()
    until = time.perf_counter() + seconds
    while time.perf_counter() < until:
        pass


@reclaim.victim_policy
def takes_50_ms(plane: Plane) -> Any:
    _busy(0.05)
    return plane.blocks[0]


@reclaim.victim_policy
def sleeps(plane: Plane) -> Any:
    Path("asked").touch()
    time.sleep(20)
    return plane.blocks[0]


@reclaim.victim_policy
def never_ends(plane: Plane) -> NoReturn:
    while True:
        try:
            _busy(60)
        except BaseException:
            continue


@reclaim.allocation_policy
def never_places(page: Placement) -> NoReturn:
    while True:
        _busy(60)


@reclaim.concurrency_policy
class LimitExits(_Made):
    @property
    def limit(self) -> NoReturn:
        sys.exit(5)

    def may_start(self, jobs: Jobs) -> bool:
        return True
