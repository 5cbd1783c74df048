"""Decorators that make functions and classes policies, and how a setting names one.

A class is made once for each run, with a `reclaim.policy.Drive`. Beside the method that decides, it may
have `save()` that gives bytes and `load(bytes)` that takes them up: warm-up and timed run may be two runs.
What is decided must follow from what was seen: the same questions have the same answers.

A policy is named by its file and its own name, anywhere a built-in is:
`device.set("gc.victim", fewest_valid)`, or in files and on the command line
`gc.victim = { kind = "python", function = "mine.py:fewest_valid" }`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from reclaim.arguments import shown
from reclaim.errors import InputError

MARK = "__reclaim_policy__"
KINDS = {
    "gc.victim": "select",
    "gc.trigger": "wants",
    "gc.concurrency": "may_start",
    "ftl.allocation": "place",
    "ftl.separation": "classify",
}
"""The method of a class that decides, by kind of policy."""
Policy = TypeVar("Policy", bound=Callable[..., Any])


def victim_policy(policy: Policy) -> Policy:
    """Make a function, or a class with `select`, a policy for `gc.victim`: which block is collected.

    It gets a `reclaim.policy.Plane` and returns one of `plane.blocks`:

        @reclaim.victim_policy
        def fewest_valid(plane):
            return plane.blocks[plane.valid.argmin()]
    """
    return _marked(policy, "gc.victim")


def trigger_policy(policy: Policy) -> Policy:
    """Make a function, or a class with `wants`, a policy for `gc.trigger`: whether a plane is collected.

    It gets a `reclaim.policy.Space` and returns True or False. From `hard` free blocks down, and where the
    host may open no block, planes are collected whatever it says. A class may name further occasions on which
    it is asked, in `asked_when`.
    """
    return _marked(policy, "gc.trigger")


def concurrency_policy(policy: Policy) -> Policy:
    """Make a function, or a class with `may_start`, a policy for `gc.concurrency`: whether a job may begin.

    It gets a `reclaim.policy.Jobs` and returns True or False. A plane that is held back asks again when a
    job ends, a die has nothing left to do, or anything it was told has changed; one where a host write waits
    for a page is not held back. A class may have `limit(activity)`, most channels that may collect now, and
    `note(activity)`, which is told after every event; both get a `reclaim.policy.Activity`.
    """
    return _marked(policy, "gc.concurrency")


def allocation_policy(policy: Policy) -> Policy:
    """Make a function, or a class with `place`, a policy for `ftl.allocation`: which plane a page goes to.

    It gets a `reclaim.policy.Placement` and returns the number of a plane, or None to wait: it is
    asked again when a job ends, and after every event if a plane has room. A write that is given a plane
    without room waits for that.
    """
    return _marked(policy, "ftl.allocation")


def separation_policy(policy: Policy) -> Policy:
    """Make a function, or a class with `classify`, a policy for `ftl.separation`: which data lies apart.

    It gets a `reclaim.policy.Pages`, of what the host writes or of what collection relocates, and returns a
    class for each, or one for all: from 0 below `open_blocks` of what is written, below
    `relocated_open_blocks` of what is relocated; these are settings beside `function` (2 and 1; with 1 it is
    not asked about relocated pages). A class may have `note(victim)`, which is told of each block that is
    collected, before its pages: it gets a `reclaim.policy.Victim`.

        @reclaim.separation_policy
        def young_apart(pages, span=1000):
            return np.where((pages.age >= 0) & (pages.age < span), 0, 1)
    """
    return _marked(policy, "ftl.separation")


DECORATORS = {
    "victim_policy": "gc.victim",
    "trigger_policy": "gc.trigger",
    "concurrency_policy": "gc.concurrency",
    "allocation_policy": "ftl.allocation",
    "separation_policy": "ftl.separation",
}
"""The kind of policy that each decorator makes, for who reads a file without running it."""


def _marked(policy: Policy, kind: str) -> Policy:
    # A class that has none of the methods is refused where a drive takes it, with those that it needs.
    if not callable(policy):
        raise InputError(f"policy must be a function to call, not {shown(policy)}")
    setattr(policy, MARK, kind)
    return policy


def is_own(scheme: str) -> bool:
    """Whether the name of a scheme is that of a policy of one's own.

    >>> is_own("mine.py:fewest"), is_own("greedy")
    (True, False)
    """
    return scheme.rpartition(":")[0].endswith(".py")


def is_policy(value: object) -> bool:
    """Whether something was marked as a policy of one's own."""
    return isinstance(getattr(value, MARK, None), str)


def named(policy: Any) -> dict[str, str]:
    """Give the setting that names a marked function or class.

    Raises:
        InputError: for one that no other process could find: made inside a function, or without a file.
    """
    name = policy.__qualname__
    try:
        file = inspect.getsourcefile(policy)
    except TypeError:
        file = None
    if file is None or not Path(file).is_file():
        raise InputError(f"{name}: a policy must be in a file, so that every worker can read it")
    if "." in name:
        raise InputError(f"{file}: {name}: a policy must stand at the top of its file, not inside anything")
    return {"kind": "python", "function": f"{Path(file).resolve()}:{name}"}
