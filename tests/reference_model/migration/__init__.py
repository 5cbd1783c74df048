"""How valid pages move: `gc.migration` (docs/model.md, 13.3)."""

from __future__ import annotations

from collections.abc import Callable

from reference_model.configuration import Table
from reference_model.job import Job
from reference_model.migration.controller import through_controller
from reference_model.migration.copyback import by_copyback
from reference_model.operations import Operation

Migration = Callable[[Job, int], Operation]
"""Return the first operation of the move of a page for a job."""


def make(policy: Table) -> Migration:
    """Return the kind that the configuration names."""
    kinds: dict[str, Migration] = {"controller": through_controller, "copyback": by_copyback}
    return kinds[policy.choice("kind", kinds)]
