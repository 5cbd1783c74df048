"""The old name of `reclaim.policy`, for one version: files of policies import what they see from here."""

from warnings import warn

from reclaim.policy import (
    Activity,
    Drive,
    Jobs,
    Placement,
    Plane,
    Space,
    allocation_policy,
    concurrency_policy,
    trigger_policy,
    victim_policy,
)

__all__ = [
    "Activity",
    "Drive",
    "Jobs",
    "Placement",
    "Plane",
    "Space",
    "allocation_policy",
    "concurrency_policy",
    "trigger_policy",
    "victim_policy",
]

warn("reclaim.policies is called reclaim.policy now", FutureWarning, stacklevel=2)
