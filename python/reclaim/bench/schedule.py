"""Which point starts next: in the order of the experiment, as far as memory and warm-up states allow."""

from __future__ import annotations

from collections.abc import Iterable

from reclaim.bench.task import Task


class Schedule:
    """Points that wait and points that run.

    Of points that share the state after the warm-up the first makes it; the others wait until it is saved.
    """

    def __init__(self, tasks: Iterable[Task], budget: int | None, ready: Iterable[str] = ()) -> None:
        """Take the points in order.

        Args:
            tasks: points that fit into the budget alone.
            budget: bytes that may be in use at the same time; None for any.
            ready: states that are there already.
        """
        self._waiting = list(tasks)
        self._running: dict[str, Task] = {}
        self.budget = budget
        self._ready = set(ready)
        self._making: dict[str, str] = {}
        """State: the point that makes it."""
        self._needed: dict[str, int] = {}
        for task in self._waiting:
            if task.state:
                self._needed[task.state] = self._needed.get(task.state, 0) + 1

    @property
    def running(self) -> tuple[Task, ...]:
        """What runs, longest first."""
        return tuple(self._running.values())

    @property
    def is_done(self) -> bool:
        """Whether nothing waits."""
        return not self._waiting

    def next(self) -> Task | None:
        """Give a point to start now; None while nothing can."""
        used = sum(each.memory_bytes for each in self._running.values())
        for number, task in enumerate(self._waiting):
            if task.state in self._making:
                continue
            if self.budget is not None and used + task.memory_bytes > self.budget:
                continue
            del self._waiting[number]
            self._running[task.id] = task
            if task.state and task.state not in self._ready and self._needed[task.state] > 1:
                self._making[task.state] = task.id
            return task
        return None

    def loads(self, task: Task) -> bool:
        """Whether a point starts from a state that is there."""
        return task.state in self._ready

    def saves(self, task: Task) -> bool:
        """Whether a point makes the state that others wait for."""
        return self._making.get(task.state) == task.id

    def warmed(self, task: Task) -> None:
        """Note that a point has saved its state."""
        if self.saves(task):
            del self._making[task.state]
            self._ready.add(task.state)

    def ended(self, task: Task) -> str | None:
        """Note that a point has ended; give its state if nobody needs that any more."""
        self._running.pop(task.id, None)
        if not task.state:
            return None
        # It may have failed before it saved anything: then the next one makes the state.
        if self.saves(task):
            del self._making[task.state]
        self._needed[task.state] -= 1
        if self._needed[task.state]:
            return None
        self._ready.discard(task.state)
        return task.state
