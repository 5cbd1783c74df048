"""By class, in an order that is given (docs/model.md, 11.7)."""

from __future__ import annotations

from typing import Any

from reference_model.configuration import Table
from reference_model.operations import CLASSES, Class, Operation

ORDER = ("host-read", "host-write", "erase", "gc-write", "gc-read")
URGENT_ORDER = ("erase", "gc-write", "gc-read", "host-read", "host-write")


def places_of(order: Any) -> dict[Class, int]:
    """Return the place of each class."""
    groups = [[place] if isinstance(place, str) else list(place) for place in order]
    found = {
        Class[name.upper().replace("-", "_")]: at
        for at, group in enumerate(group for group in groups if group)
        for name in group
    }
    if sorted(found) != sorted(CLASSES) or sum(map(len, groups)) != len(CLASSES):
        raise ValueError("scheduler.order must name each class once")
    return found


class ByClass:
    """`by-class`."""

    def __init__(self, policy: Table) -> None:
        self.places = places_of(policy.take("order", ORDER))
        urgent = policy.take("urgent_order", URGENT_ORDER)
        self.urgent_places = self.places if urgent == "none" else places_of(urgent)

    def pick(self, candidates: dict[Class, Operation], *, gc_urgent: bool) -> Class | None:
        """The first place, in it the lowest arrival number."""
        places = self.urgent_places if gc_urgent else self.places
        return min(candidates, key=lambda c: (places[c], candidates[c].number), default=None)
