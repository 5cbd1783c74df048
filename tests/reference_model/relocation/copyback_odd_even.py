"""Pages move inside the plane, odd to odd and even to even ones (docs/model.md, 13.8 and 13.9)."""

from __future__ import annotations

from reference_model.job import Answer, Job, Step, Way
from reference_model.relocation.counting import OddEven
from reference_model.relocation.in_order import valid_pages_left


class CopybackOddEven(OddEven):
    """`copyback-odd-even`."""

    def begin(self, job: Job) -> None:
        """13.8: a job is tight that would win less than a unit."""
        won = self.drive.geometry.pages_per_block - self._pages_used(job)
        job.tight = won < self.drive.program_units.size

    def _pages_used(self, job: Job) -> int:
        """13.8: by a job that is not tight."""
        units, block_pages = self.drive.program_units, self.drive.geometry.pages_per_block
        t, used = units.next_gc_page(job.plane), 0
        left = valid_pages_left(self.drive, job)
        while left:
            step = self._step(left, t)
            while units.parity(t) != units.parity_of(step.pages[0]):
                rest_of_unit = units.size - t % units.size
                used, t = used + rest_of_unit, (t + rest_of_unit) % block_pages
            if step.loaded:
                used, t = used + len(step.pages), t + len(step.pages)
            else:
                rest_of_unit = units.size - t % units.size
                used, t = used + rest_of_unit, (t + rest_of_unit) % block_pages
            left = left[len(step.pages) :]
        return used

    def next_step(self, job: Job) -> Step | Answer:
        """13.9."""
        left = valid_pages_left(self.drive, job)
        if not left:
            return Answer.NONE_LEFT
        if job.steps > 0 and (job.tight or self.carry or job.checks):
            return Answer.WAIT
        t = self.drive.program_units.next_gc_page(job.plane)
        step = self._tight_step(left, t) if job.tight else self._step(left, t)
        job.checks = self.copies.any_due(step.pages)
        if job.checks:  # 13.19
            if job.steps > 0:
                job.checks = False
                return Answer.WAIT
            room = self.drive.program_units.size - t % self.drive.program_units.size
            pages = step.pages[:room]
            return Step(pages, Way.CONTROLLER, self._is_loaded(pages, left, room))
        return step

    def _step(self, left: list[int], t: int) -> Step:
        """13.9, not tight: pages of one parity."""
        units = self.drive.program_units
        parity, most = units.parity_of(left[0]), units.size
        if t % units.size and units.parity(t) == parity:
            most = units.size - t % units.size
        pages: list[int] = []
        for x in left[:most]:
            if units.parity_of(x) != parity:
                break
            pages.append(x)
        return Step(pages, Way.COPYBACK, self._is_loaded(pages, left, most))

    def _tight_step(self, left: list[int], t: int) -> Step:
        """13.9, tight: pages of any parity, over the channel if they may not be copied."""
        units = self.drive.program_units
        most = units.size - t % units.size
        pages = left[:most]
        fits = all(units.parity_of(x) == units.parity(t) for x in pages)
        way = Way.COPYBACK if fits else Way.CONTROLLER
        return Step(pages, way, self._is_loaded(pages, left, most))

    def _is_loaded(self, pages: list[int], left: list[int], most: int) -> bool:
        """13.9: the last pages of a block wait for those of the next job."""
        return self.carry and len(pages) < most and len(pages) == len(left)
