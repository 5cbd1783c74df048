"""Which waiting operation a die takes next: `scheduler` (docs/model.md, 11.7)."""

from __future__ import annotations

from typing import Protocol

from reference_model.configuration import Table
from reference_model.operations import Class, Operation
from reference_model.schedulers.by_class import ByClass
from reference_model.schedulers.fcfs import Fcfs
from reference_model.schedulers.read_first import ReadFirst
from reference_model.schedulers.type_first import TypeFirst


class Scheduler(Protocol):
    """What the rest of the model asks a scheduler."""

    def pick(self, candidates: dict[Class, Operation], *, gc_urgent: bool) -> Class | None:
        """Return a class among those that have a candidate; none if there is none."""


def make(policy: Table) -> Scheduler:
    """Return the scheduler that the configuration names."""
    kind = policy.choice("kind", ("read-first", "type-first", "fcfs", "by-class"))
    if kind == "read-first":
        return ReadFirst()
    if kind == "type-first":
        return TypeFirst(policy)
    return ByClass(policy) if kind == "by-class" else Fcfs(policy)
