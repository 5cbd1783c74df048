"""Policies of your own, in Python: a function or class marked with a decorator is used like a built-in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from reclaim import _core
from reclaim.own_code import end
from reclaim.policy.marks import (
    allocation_policy,
    concurrency_policy,
    separation_policy,
    trigger_policy,
    victim_policy,
)
from reclaim.policy.views import Activity, Drive, Jobs, Pages, Placement, Plane, Space, Victim

if TYPE_CHECKING:
    from reclaim.policy.adapters import Adapter

__all__ = [
    "Activity",
    "Drive",
    "Jobs",
    "Pages",
    "Placement",
    "Plane",
    "Space",
    "Victim",
    "allocation_policy",
    "concurrency_policy",
    "separation_policy",
    "trigger_policy",
    "victim_policy",
]


def _adapter(kind: str, function: str, code: str | None, params: str, dimensions: Sequence[int]) -> Adapter:
    # Arrays are imported when there is a policy to show them to.
    from reclaim.policy.adapters import adapter

    return adapter(kind, function, code, params, dimensions)


def _resolved(function: str, params: str) -> tuple[str, str]:
    from reclaim.policy.adapters import last_made

    return last_made(function, params)


_core.use_policies(_adapter, _resolved, end)
