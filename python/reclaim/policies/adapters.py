"""Between the core and policies of the user's: numbers one way, a checked answer the other."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from reclaim.errors import InputError
from reclaim.policies.files import load, split, where
from reclaim.policies.marks import KINDS
from reclaim.policies.views import Activity, Drive, Jobs, Placement, Plane, Space

LATER = -1
"""What the core understands as no plane now."""


def adapter(kind: str, function: str, code: str | None, dimensions: Sequence[int]) -> Adapter:
    """Make a policy for a drive.

    Args:
        kind: of policy, as `gc.victim`.
        function: its file and name.
        code: digest that the file must have; None for any.
        dimensions: what `Drive` has, in that order.

    Raises:
        InputError: if there is no such policy, or it cannot be made.
    """
    return OF_KIND[kind](kind, function, code, Drive(*dimensions))


class Adapter:
    """A policy as the core asks it; each kind has a class of its own."""

    def __init__(self, kind: str, function: str, code: str | None, drive: Drive) -> None:
        self._file, self._name = split(function, code)
        self.drive = drive
        policy = load(self._file, self._name, code, kind)
        self._made: Any = None
        if inspect.isclass(policy):
            self._made = self._guarded(policy, drive)
            method = KINDS[kind]
            policy = getattr(self._made, method, None)
            if not callable(policy):
                raise InputError(f"function: {function}: the class has no method {method}")
            if self._has("save") != self._has("load"):
                raise InputError(f"function: {function}: the class needs save() and load(bytes), or neither")
        self._policy: Callable[[Any], Any] = policy

    def _has(self, method: str) -> bool:
        return callable(getattr(self._made, method, None))

    def _guarded(self, function: Callable[..., Any], *arguments: Any) -> Any:
        try:
            return function(*arguments)
        except Exception as error:
            raise InputError(where(error, self._file)) from error

    def _refused(self, answer: object, why: str) -> InputError:
        return InputError(self._said(answer, f"which is {why}"))

    def _said(self, answer: object, why: str) -> str:
        line = inspect.getsourcelines(self._policy)[1]
        return f"{self._file}:{line}: {self._name} returned {answer!r}, {why}"

    def blame(self, answer: int, why: str) -> str:
        """Give the message where an answer, as the core knows it, leaves the drive nothing to do."""
        return self._said(answer, why)

    def answers(self, question: str) -> bool:  # noqa: ARG002 - most kinds have none
        """Whether the policy answers a question that not every policy of its kind answers."""
        return False

    def ask_further(self, question: str, numbers: Sequence[int], rows: bytes) -> int:
        """Ask such a question, and check the answer.

        Raises:
            InputError: as `ask`.
        """
        raise NotImplementedError

    def save(self) -> bytes:
        """Give the state of a class that has one.

        Raises:
            InputError: if it raised, or returned no bytes.
        """
        if not self._has("save"):
            return b""
        state = self._guarded(self._made.save)
        if not isinstance(state, bytes):
            raise InputError(f"{self._file}: {self._name}.save() returned {type(state).__name__}, not bytes")
        return state

    def load(self, state: bytes) -> bool:
        """Take up such a state. Tells whether it was understood."""
        if not self._has("load"):
            return not state
        self._guarded(self._made.load, state)
        return True

    def ask(self, numbers: Sequence[int], rows: bytes) -> int:
        """Ask the policy, and check its answer.

        Raises:
            InputError: if it raised, or gave an answer that cannot be; the message names file and line.
        """
        raise NotImplementedError

    def _yes_or_no(self, seen: object) -> int:
        answer = self._guarded(self._policy, seen)
        if not isinstance(answer, bool | np.bool_):
            raise self._refused(answer, "neither True nor False")
        return int(answer)


class _Victim(Adapter):
    def ask(self, numbers: Sequence[int], rows: bytes) -> int:
        plane, programmed = numbers
        table = np.frombuffer(rows, dtype=np.int64).reshape(5 + self.drive.levels, -1)
        blocks, valid, erases, age, since_sealed = table[:5]
        count = len(blocks)
        seen = Plane(self.drive, plane, programmed, blocks, valid, erases, age, since_sealed, table[5:])
        chosen = self._guarded(self._policy, seen)
        number = _whole(chosen)
        at = count if number is None else int(np.searchsorted(blocks, number))
        if number is None or at == count or blocks[at] != number:
            raise self._refused(
                chosen,
                f"none of the {count} candidates of plane {plane}; return one of plane.blocks, as in "
                "plane.blocks[plane.valid.argmin()]",
            )
        return number


OCCASIONS = ("drive", "sealed", "invalidated", "erased", "idle", "requests", "writes")
"""When a trigger may want to be asked, beside when every trigger is."""


class _Trigger(Adapter):
    def __init__(self, kind: str, function: str, code: str | None, drive: Drive) -> None:
        super().__init__(kind, function, code, drive)
        given = getattr(self._made, "asked_when", ())
        self._occasions = (given,) if isinstance(given, str) else tuple(given)
        for each in self._occasions:
            if each not in OCCASIONS:
                raise InputError(
                    f"function: {function}: asked_when has {each!r}; there are {', '.join(OCCASIONS)}"
                )

    def answers(self, question: str) -> bool:
        return question in self._occasions

    def ask(self, numbers: Sequence[int], rows: bytes) -> int:  # noqa: ARG002 - there are none
        plane, free_blocks, reclaimable_pages, under_way, drive_free_blocks, idle, waits = numbers
        seen = Space(
            drive=self.drive,
            plane=plane,
            free_blocks=free_blocks,
            reclaimable_pages=reclaimable_pages,
            under_way=bool(under_way),
            drive_free_blocks=drive_free_blocks,
            channel_idle=bool(idle),
            host_waits=bool(waits),
        )
        return self._yes_or_no(seen)


class _Concurrency(Adapter):
    def ask(self, numbers: Sequence[int], rows: bytes) -> int:
        plane, channel, used, valid, idle = numbers
        jobs = np.frombuffer(rows, dtype=np.int64)
        return self._yes_or_no(Jobs(self.drive, plane, channel, used, valid, bool(idle), jobs))

    def answers(self, question: str) -> bool:
        return self._has(question)

    def ask_further(self, question: str, numbers: Sequence[int], rows: bytes) -> int:
        used, valid, *rest = numbers
        jobs = np.frombuffer(rows, dtype=np.int64)
        seen = Activity(self.drive, used, valid, jobs, drained=rest == [1])
        found = self._guarded(getattr(self._made, question), seen)
        if question == "note":
            return 0
        number = _whole(found)
        if number is None or number < 0:
            raise InputError(
                f"{self._file}: {self._name}.{question}() returned {found!r}, which is no number of channels"
            )
        return number

    def blame(self, answer: int, why: str) -> str:
        return self._said(bool(answer), why)


class _Allocation(Adapter):
    def ask(self, numbers: Sequence[int], rows: bytes) -> int:
        pending, has_room = np.frombuffer(rows, dtype=np.int64).reshape(2, -1)
        chosen = self._guarded(self._policy, Placement(self.drive, numbers[0], pending, has_room))
        if chosen is None:
            return LATER
        number = _whole(chosen)
        if number is None or not 0 <= number < self.drive.planes:
            raise self._refused(
                chosen, f"no plane: they are 0 to {self.drive.planes - 1}, or None to wait until one has room"
            )
        return number

    def blame(self, answer: int, why: str) -> str:
        return self._said(None if answer == LATER else answer, why)


def _whole(given: Any) -> int | None:
    """Give a whole number, of Python or NumPy; None for anything else."""
    if isinstance(given, bool):
        return None
    try:
        return int(given.__index__())
    except (AttributeError, TypeError):
        return None


OF_KIND: dict[str, type[Adapter]] = {
    "gc.victim": _Victim,
    "gc.trigger": _Trigger,
    "gc.concurrency": _Concurrency,
    "ftl.allocation": _Allocation,
}
