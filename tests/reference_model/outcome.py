"""What a run gives back (docs/model.md, 1.6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class RequestOutcome:
    """The row of a completed request."""

    arrival_ns: int
    completion_ns: int
    op: str
    offset_bytes: int
    size_bytes: int
    queue_ns: int
    gc_ns: int
    transfer_ns: int
    array_ns: int
    link_ns: int
    stream: int


@dataclass
class JobOutcome:
    """The row of an ended collection job (13.7); cause 0 is collection, 1 wear; emergency 0 or 1."""

    start_ns: int
    end_ns: int
    written_back_ns: int  # 13.17: grows after the row was made
    plane: int
    victim_block: int
    valid_pages: int
    free_blocks_after: int
    cause: int
    emergency: int
    used_pages: int


@dataclass
class Outcome:
    """All rows and counters of a run."""

    requests: list[RequestOutcome] = field(default_factory=list)
    gc_jobs: list[JobOutcome] = field(default_factory=list)
    timeline: Sequence[Mapping[str, int]] = ()
    counters: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    simulated_ns: int = 0
