"""Coupled blocks lend pages to a job (docs/model.md, 13.21 to 13.29)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from reference_model.configuration import Table
from reference_model.job import Job
from reference_model.placement.lifetimes import ByFuture
from reference_model.randomness import Stream
from reference_model.relocation import regression
from reference_model.relocation.by_parity import Left, Pcgc
from reference_model.relocation.regression import Sample
from reference_model.request import Request
from reference_model.space import Block, State

if TYPE_CHECKING:
    from reference_model.drive import Drive

MOST_SAMPLES = 4096
WATCHED_WINDOWS = 3  # behind the one in which it began
MILLION = 1_000_000


@dataclass
class Host:
    """What the host does in a window."""

    requests: int = 0
    writes: int = 0
    pages: int = 0
    updates: int = 0


@dataclass(eq=False)
class Watch:
    """13.28."""

    block: Block
    window: int
    inputs: list[float]
    probability: float
    valid: int
    remaining: int


def quotient(part: int, whole: int) -> float:
    """0 where the divisor is 0."""
    return part / whole if whole else 0.0


class Coupled(Pcgc):
    """`coupled`."""

    def __init__(self, drive: Drive, policy: Table) -> None:
        order = policy.choice("order", ("pointers", "source"), "pointers")
        super().__init__(drive, policy, in_order=order == "source")
        self.most_blocks = policy.whole("blocks", 3)
        admissions = ("text", "pseudocode", "always", "invalid-ratio", "future")
        self.admission = policy.choice("admission", admissions, "text")
        self.invalid = policy.ppm("invalid", "50%")
        self.window = policy.whole("window", 1024)
        self.rate = policy.number("learning_rate", 0.05)
        self.iterations = policy.whole("iterations", 20)
        self.retrain_below = policy.number("retrain_below", 0.9)
        self.label = policy.choice("label", ("half", "any", "collected", "share"), "half")
        self.until_collected = self.label in {"collected", "share"}
        self.fills_any = policy.choice("fills", ("any-unit", "victim-units"), "any-unit") == "any-unit"
        self.uses_bias = not policy.switch("lib_replica", False)
        self.model = regression.given(policy)
        if not self.uses_bias:
            self.model.bias = 0.0
        self.future = ByFuture(drive)
        self.stream = Stream(drive.config.seed, "coupled")
        self.now, self.last = Host(), Host()
        self.ended = 0
        self.invalid_then: dict[int, int] = {}  # of blocks, when the last window ended
        self.reclaimable_then: dict[int, int] = {}  # of planes
        self.notes: dict[int, tuple[Block, int]] = {}  # of logical pages: lender, its erases
        self.lent_pages: dict[int, int] = {}
        self.changed: dict[int, int] = {}
        self.watches: list[Watch] = []
        self.samples: list[tuple[Sample, bool]] = []

    def begin(self, job: Job) -> None:
        """13.24, 13.28."""
        self._decide([watch for watch in self.watches if watch.block is job.block])
        super().begin(job)
        course = self.courses[job.plane]
        course.fills_any = self.fills_any
        if not course.tight and job.block.valid > 0:
            course.lenders = [Left(self.drive, block) for block in self._coupled_blocks(job)]
            if self.admission == "future":
                course.ranked = self._ranked(course.lenders)

    def _ranked(self, lenders: list[Left]) -> list[int]:
        """13.29a: pages whose data lives longest first."""
        pages = [page for lender in lenders for page in lender.all()]
        owners = self.drive.space.owner
        lifetimes = {page: self.future.of(logical) for page in pages if (logical := owners[page]) is not None}
        endless = [page for page in pages if lifetimes[page] is None]
        # The sort is stable: equals stay as they are.
        living = [page for page in pages if lifetimes[page] is not None]
        return endless + sorted(living, key=lambda page: -(lifetimes[page] or 0))

    def _coupled_blocks(self, job: Job) -> list[Block]:
        """13.24."""
        blocks = [self.drive.space.blocks[k] for k in self.drive.geometry.blocks_of(job.plane)]
        candidates = [block for block in blocks if block.state is State.SEALED and block.valid > 0]
        candidates.sort(key=lambda block: (block.valid, block.number))
        admitted: list[Block] = []
        for block in candidates:
            if len(admitted) == self.most_blocks:
                break
            if self._admits(block):
                admitted.append(block)
        return admitted

    def _admits(self, block: Block) -> bool:
        """13.24."""
        pages = self.drive.geometry.pages_per_block
        if self.admission in ("always", "future"):
            return True
        if self.admission == "invalid-ratio":
            return (pages - block.valid) * MILLION >= self.invalid * pages
        inputs = self._inputs(block)
        probability = self.model.probability(inputs)
        once = self.until_collected
        if all(
            watch.block is not block or (not once and watch.window != self.ended) for watch in self.watches
        ):
            remaining = self._remaining(block)
            self.watches.append(Watch(block, self.ended, inputs, probability, block.valid, remaining))
        z = self.stream.below(2**30) / 2**30
        return (z >= probability) is (self.admission == "text")

    def _inputs(self, block: Block) -> list[float]:
        """13.26."""
        geometry, q = self.drive.geometry, block.plane
        pages = geometry.pages_per_block
        of_plane = pages * len(geometry.blocks_of(q))
        return [
            quotient(pages - block.valid, pages),
            quotient(self.invalid_then.get(block.number, 0), pages),
            quotient(self.drive.space.planes[q].reclaimable, of_plane),
            quotient(self.reclaimable_then.get(q, 0), of_plane),
            quotient(self.now.writes, self.now.requests),
            quotient(self.last.writes, self.last.requests),
            quotient(self.now.updates, self.now.pages),
            quotient(self.last.updates, self.last.pages),
        ]

    def foresee(self, requests: list[Request]) -> None:
        """13.29a."""
        if self.admission == "future":
            self.future.begin(requests)

    def request(self, *, writes: bool) -> None:
        """13.26."""
        if self.now.requests == self.window:
            self._end_window()
        self.now.requests += 1
        self.now.writes += int(writes)

    def written(self, logical: int, *, update: bool) -> None:
        """13.26, 13.27."""
        self.future.written(logical)
        self.now.pages += 1
        self.now.updates += int(update)
        self.trimmed(logical)

    def trimmed(self, logical: int) -> None:
        """13.27."""
        note = self.notes.pop(logical, None)
        if note is not None:
            block, erases = note
            if block.erases == erases:
                self.changed[block.number] = self.changed.get(block.number, 0) + 1

    def lent(self, logical: int, block: Block) -> None:
        """13.27."""
        self.notes[logical] = (block, block.erases)
        self.lent_pages[block.number] = self.lent_pages.get(block.number, 0) + 1

    def erased(self, block: Block) -> None:
        """13.19, 13.27."""
        super().erased(block)
        self.lent_pages.pop(block.number, None)
        self.changed.pop(block.number, None)

    def _remaining(self, block: Block) -> int:
        """13.27."""
        return block.valid + self.lent_pages.get(block.number, 0) - self.changed.get(block.number, 0)

    def _decide(self, watches: list[Watch]) -> None:
        """13.28."""
        for watch in watches:
            self.watches.remove(watch)
            lost = watch.remaining - self._remaining(watch.block)
            if self.label == "share":
                target = min(lost, watch.valid) / max(watch.valid, 1)
            else:
                target = float(lost > 0 if self.label == "any" else 2 * lost > watch.valid)
            if len(self.samples) < MOST_SAMPLES:
                right = (watch.probability >= 0.5) is (target > 0.5)
                self.samples.append((Sample(watch.inputs, target), right))

    def _end_window(self) -> None:
        """13.28."""
        due = [watch for watch in self.watches if watch.window + WATCHED_WINDOWS == self.ended]
        self._decide([] if self.until_collected else due)
        space, pages = self.drive.space, self.drive.geometry.pages_per_block
        self.invalid_then = {
            block.number: pages - block.valid for block in space.blocks if block.state is State.SEALED
        }
        self.reclaimable_then = {plane.number: plane.reclaimable for plane in space.planes}
        self.last, self.now = self.now, Host()
        self.ended += 1
        right = sum(right for _, right in self.samples)
        if right < self.retrain_below * len(self.samples):
            samples = [sample for sample, _ in self.samples]
            self.model.train(samples, self.rate, self.iterations, bias=self.uses_bias)
        self.samples.clear()
