"""The old name of `reclaim.policy`, for one version: files of policies import what they see from here."""

from typing import Any
from warnings import warn

from reclaim import policy


def __getattr__(name: str) -> Any:
    """Give what is in `reclaim.policy` now."""
    if name not in policy.__all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    warn("reclaim.policies is called reclaim.policy now", FutureWarning, stacklevel=2)
    return getattr(policy, name)
