"""Pages of a victim by parity, and what fills the rest of their units (docs/model.md, 13.20 to 13.23)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from reference_model.configuration import Table
from reference_model.job import Answer, Job, Step, Way
from reference_model.relocation.copies import Copies
from reference_model.relocation.counting import OddEven
from reference_model.space import Block

if TYPE_CHECKING:
    from reference_model.drive import Drive


class Left:
    """13.20: the valid pages of a block that no step of the job has had."""

    def __init__(self, drive: Drive, block: Block) -> None:
        self.drive = drive
        self.pages = drive.geometry.pages_of(block.number)
        self.had: set[int] = set()

    def all(self) -> list[int]:
        """In their order."""
        return [x for x in self.pages if self.drive.space.valid[x] and x not in self.had]

    def of_parity(self, parity: int) -> list[int]:
        """Those of one parity."""
        return [x for x in self.all() if self.drive.program_units.parity_of(x) == parity]

    def copy(self) -> Left:
        """For a look ahead."""
        other = Left.__new__(Left)
        other.drive, other.pages, other.had = self.drive, self.pages, set(self.had)
        return other


class Course:
    """What is left of a job."""

    def __init__(self, victim: Left, lenders: Sequence[Left], *, in_order: bool, carry: bool) -> None:
        self.victim, self.lenders = victim, list(lenders)
        self.in_order, self.carry = in_order, carry
        self.tight = False
        self.fills_any = True  # 13.23, `fills`
        self.ranked: list[int] | None = None  # 13.29a

    def next_step(self, t: int, copies: Copies) -> Step | Answer:
        """13.22."""
        if not self.victim.all():
            return Answer.NONE_LEFT
        return self._tight_step(t, copies) if self.tight else self._step(t, copies)

    def _tight_step(self, t: int, copies: Copies) -> Step:
        units = self.victim.drive.program_units
        p, m = units.parity(t), units.size - t % units.size
        if self.in_order:
            pages = self.victim.all()[:m]
        else:
            pages = (self.victim.of_parity(p) + self.victim.of_parity(1 - p))[:m]
        fits = all(units.parity_of(x) == p for x in pages) and not copies.any_due(pages)
        self.victim.had |= set(pages)
        return Step(pages, Way.COPYBACK if fits else Way.CONTROLLER, self._is_loaded(pages, m))

    def _step(self, t: int, copies: Copies) -> Step:
        units = self.victim.drive.program_units
        p, room = units.parity(t), units.size - t % units.size
        stays = bool(self._own(p, 1)) or (self.fills_any and self._lent(p, copies) is not None)
        parity, m = (p, room) if stays else (1 - p, units.size)
        pages, way = self._own(parity, m), Way.COPYBACK
        if copies.any_due(pages):
            m, way = room, Way.CONTROLLER
            pages = self._own(parity, m)
        self.victim.had |= set(pages)
        loaded = self._is_loaded(pages, m)
        if way is Way.COPYBACK and not loaded:
            self._fill(pages, parity, m, copies)
        return Step(pages, way, loaded)

    def _own(self, parity: int, most: int) -> list[int]:
        """The next pages of the victim that have that parity."""
        if not self.in_order:
            return self.victim.of_parity(parity)[:most]
        pages: list[int] = []
        for x in self.victim.all()[:most]:
            if self.victim.drive.program_units.parity_of(x) != parity:
                break
            pages.append(x)
        return pages

    def _is_loaded(self, pages: list[int], m: int) -> bool:
        """The last pages wait for those of the next job."""
        return self.carry and len(pages) < m and not self.victim.all()

    def _lent(self, parity: int, copies: Copies) -> tuple[Left, int] | None:
        """13.23, 13.29a: what the coupled blocks have of that parity."""
        if self.ranked is not None:
            return self._lent_by_rank(self.ranked, parity, copies)
        for lender in self.lenders:
            for page in lender.of_parity(parity):
                if not copies.is_due(page):
                    return lender, page
                lender.had.add(page)
        return None

    def _lent_by_rank(self, ranked: list[int], parity: int, copies: Copies) -> tuple[Left, int] | None:
        """13.29a."""
        for page in ranked:
            lender = next(each for each in self.lenders if page in each.pages)
            if page in lender.of_parity(parity) and not copies.is_due(page):
                return lender, page
        return None

    def _fill(self, pages: list[int], parity: int, m: int, copies: Copies) -> None:
        """13.23."""
        while len(pages) < m:
            lent = self._lent(parity, copies)
            if lent is None:
                return
            lender, page = lent
            lender.had.add(page)
            pages.append(page)

    def pages_used(self, t: int) -> int:
        """13.8, by steps without lent pages."""
        units = self.victim.drive.program_units
        block_pages = self.victim.drive.geometry.pages_per_block
        ahead = Course(self.victim.copy(), [], in_order=self.in_order, carry=self.carry)
        used, unlimited = 0, Copies(None)
        while isinstance(step := ahead.next_step(t, unlimited), Step):
            while units.parity(t) != units.parity_of(step.pages[0]):
                rest_of_unit = units.size - t % units.size
                used, t = used + rest_of_unit, (t + rest_of_unit) % block_pages
            more = len(step.pages) if step.loaded else units.size - t % units.size
            used, t = used + more, (t + more) % block_pages
        return used


class Pcgc(OddEven):
    """`pcgc`."""

    def __init__(self, drive: Drive, policy: Table, *, in_order: bool = False) -> None:
        super().__init__(drive, policy)
        self.in_order = in_order
        self.courses: dict[int, Course] = {}  # of planes

    def begin(self, job: Job) -> None:
        """13.22."""
        units = self.drive.program_units
        course = Course(Left(self.drive, job.block), [], in_order=self.in_order, carry=self.carry)
        won = self.drive.geometry.pages_per_block - course.pages_used(units.next_gc_page(job.plane))
        course.tight = won < units.size
        self.courses[job.plane] = course

    def next_step(self, job: Job) -> Step | Answer:
        """13.20."""
        if job.steps > 0:
            return Answer.WAIT
        t = self.drive.program_units.next_gc_page(job.plane)
        return self.courses[job.plane].next_step(t, self.copies)
