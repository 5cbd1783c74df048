"""How valid pages are relocated: `gc.relocation` (docs/model.md, 13.3)."""

from __future__ import annotations

from collections.abc import Callable

from reference_model.configuration import Table
from reference_model.job import Job
from reference_model.operations import Operation
from reference_model.relocation.controller import through_controller
from reference_model.relocation.copyback import by_copyback

Relocation = Callable[[Job, int], Operation]
"""Return the first operation of the relocation of a page for a job."""


def make(policy: Table) -> Relocation:
    """Return the kind that the configuration names."""
    kinds: dict[str, Relocation] = {"controller": through_controller, "copyback": by_copyback}
    return kinds[policy.choice("kind", kinds)]
