"""Between the core and policies of the user's: numbers one way, a checked answer the other."""

from __future__ import annotations

import inspect
import json
import operator
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any, NoReturn, TypeAlias
from weakref import finalize

import numpy as np
from numpy.typing import NDArray

from reclaim.errors import InputError
from reclaim.own_code import Whose, guarded, in_words
from reclaim.policy.files import changed, load, split
from reclaim.policy.marks import KINDS
from reclaim.policy.memory import remembers
from reclaim.policy.modules import forget
from reclaim.policy.parameters import Parameter, declared, resolved
from reclaim.policy.reads import PolicyReads, code_of, words_of
from reclaim.policy.views import Activity, Drive, Jobs, Pages, Placement, Plane, Space, Victim, plane_without

Columns: TypeAlias = tuple[NDArray[np.int64], ...]
"""Read-only arrays of what there is of many things; nothing else has them."""

LATER = -1
"""What the core understands as no plane now."""


def adapter(kind: str, function: str, code: str | None, params: str, dimensions: Sequence[int]) -> Adapter:
    """Make a policy for a drive.

    Args:
        kind: of policy, as `gc.victim`.
        function: its file and name.
        code: digest that the file must have, with what it follows from; None for any.
        params: its parameters, of those that are given, as JSON.
        dimensions: what `Drive` has, in that order.

    Raises:
        InputError: if there is no such policy, or it cannot be made.
    """
    file, name = split(function, code)
    file = file.absolute()
    known = _BESIDE.get((file, code)) if code else None
    if known is not None and (now := code_of(file, known)) != code:
        raise changed(file, str(code), now, ", ".join(sorted(known)))
    reads = PolicyReads(file)
    reads.found |= known or set()
    given = json.loads(params)
    made = OF_KIND[kind](kind, function, file, name, code, given, Drive(*dimensions), reads)
    reads.is_made = True
    if known is None:
        # It is made for a configuration: the runs of that one must have the same.
        now = reads.code()
        if code is not None and now != code:
            raise changed(file, code, now, ", ".join(sorted(reads.found)) or "nothing now")
        _BESIDE[file, now] = frozenset(reads.found)
        _LAST[file, name] = now, made.parameters
        _FORGETFUL[file, name] = made.is_forgetful
    return made


_BESIDE: dict[tuple[Path, str], frozenset[str]] = {}
"""What a file follows from beside itself, by the digest of all."""
_LAST: dict[tuple[Path, str], tuple[str, Mapping[str, Parameter]]] = {}
"""The digest of a policy that was made last for a configuration, and which parameters it has."""
_FORGETFUL: dict[tuple[Path, str], bool] = {}
"""Whether a policy may remember what no saved state has."""


def last_made(function: str, params: str) -> tuple[str, str]:
    """Give the digest of a policy's code, with what it follows from, and all its parameters.

    Args:
        function: its file and name; it was made.
        params: those parameters that are given, as JSON, as those that are returned.

    Raises:
        InputError: if there is no such file.
    """
    file, name = split(function)
    code, known = _LAST[file.absolute(), name]
    return code, json.dumps(resolved(known, json.loads(params)))


PROBED = 100
"""Questions by which it is seen how long an answer takes, at most,"""
PROBE_SECONDS = 0.1
"""and how long they may take together."""
CORE_SECONDS = 4e-6
"""What the core does for a question: it collects what the policy is shown, and comes into Python and back."""
ANSWER_SECONDS = 10e-6
"""An answer of a policy that fails where it is tried."""


@cache
def seconds_of_answer(kind: str, function: str, code: str, params: str, dimensions: tuple[int, ...]) -> float:
    """Measure how long an answer takes of a policy that a drive was made with; it runs for that.

    Args:
        kind: of policy, as `gc.victim`.
        function: its file and name.
        code: digest of its file, with what it follows from.
        params: its parameters, as JSON.
        dimensions: what `Drive` has, in that order.
    """
    try:
        made = adapter(kind, function, code, params, dimensions)
        numbers, columns = made.example()
        made.ask(numbers, columns)
        times: list[float] = []
        until = perf_counter() + PROBE_SECONDS
        while len(times) < PROBED and perf_counter() < until:
            begun = perf_counter()
            made.ask(numbers, columns)
            times.append(perf_counter() - begun)
    except InputError:
        return CORE_SECONDS + ANSWER_SECONDS
    # Whatever else the computer does lengthens a few of them, as much as it likes.
    return CORE_SECONDS + median(times)


def beside(file: Path, code: str) -> list[Path]:
    """Give the files that a policy's file follows from beside itself."""
    return [file.parent / name for name in sorted(_BESIDE.get((file, code), ()))]


def is_forgetful(file: Path, name: str) -> bool:
    """Whether a policy may remember what no saved state has."""
    return _FORGETFUL.get((file, name), True)


class Adapter:
    """A policy as the core asks it; each kind has a class of its own."""

    def __init__(
        self,
        kind: str,
        function: str,
        file: Path,
        name: str,
        code: str | None,
        params: Mapping[str, Any],
        drive: Drive,
        reads: PolicyReads,
    ) -> None:
        self._file, self._name = file, name
        self._reads = reads
        self.drive = drive
        policy = load(file, name, code, kind, reads)
        finalize(self, forget, reads.package).atexit = False
        self._whose = Whose(file, _place_of(policy, file), reads)
        self._made: Any = None
        self.parameters = self._guarded(declared, policy)
        try:
            self.values = values = resolved(self.parameters, params)
        except InputError as error:
            raise InputError(f"{error} ({self.called()})") from None
        if inspect.isclass(policy):
            make: Callable[..., Any] = policy
            self._made = self._guarded(partial(make, drive, **values))
            method = KINDS[kind]
            policy = self._guarded(getattr, self._made, method, None)
            if not callable(policy):
                raise InputError(f"function: {function}: the class has no method {method}")
            if self._has("save") != self._has("load"):
                raise InputError(f"function: {function}: the class needs save() and load(bytes), or neither")
            self._whose = Whose(file, _place_of(policy, file), reads)
        self.is_forgetful = remembers(policy) if self._made is None else not self._has("save")
        self._policy: Any = partial(policy, **values) if values and self._made is None else policy

    def called(self) -> str:
        """Say where it is."""
        return f"{self._whose.place}: {self._name}"

    def _has(self, method: str) -> bool:
        return callable(self._guarded(getattr, self._made, method, None))

    def _guarded(self, function: Callable[..., Any], *arguments: Any) -> Any:
        answer = guarded(function, *arguments, whose=self._whose)
        if self._reads.late:
            self._refuse_late()
        return answer

    def _refuse_late(self) -> NoReturn:
        """Refuse what opened a file too late; it may have caught what told it so."""
        raise InputError(f"{self.called()} {self._reads.too_late()}")

    def _refused(self, answer: object, why: str) -> InputError:
        return InputError(self._said(answer, f"which is {why}"))

    def _said(self, answer: object, why: str) -> str:
        return f"{self._whose.place}: {self._name} returned {self._shown(answer)}, {why}"

    def _shown(self, answer: object) -> str:
        return str(guarded(in_words, answer, repr, whose=Whose(self._file)))

    def blame(self, answer: int, why: str) -> str:
        """Give the message where an answer, as the core knows it, leaves the drive nothing to do."""
        return self._said(answer, why)

    def answers(self, question: str) -> bool:  # noqa: ARG002 - most kinds have none
        """Whether the policy answers a question that not every policy of its kind answers."""
        return False

    def ask_further(self, question: str, numbers: Sequence[int], columns: Columns) -> int:
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
            raise InputError(
                f"{self._whose.place}: {self._name}.save() returned {type(state).__name__}, not bytes"
            )
        return state

    def load(self, state: bytes) -> bool:
        """Take up such a state. Tells whether it was understood."""
        if not self._has("load"):
            return not state
        self._guarded(self._made.load, state)
        return True

    def example(self) -> tuple[list[int], Columns]:
        """Give what the policy could be asked on its drive, to see how long an answer takes."""
        raise NotImplementedError

    def ask(self, numbers: Sequence[int], columns: Columns) -> int | bytes:
        """Ask the policy, and check its answer; of a kind that answers for several things, a byte for each.

        Raises:
            InputError: if it raised, or gave an answer that cannot be; the message names file and line.
        """
        raise NotImplementedError

    def _whole(self, given: Any) -> int | None:
        """Give a whole number, of Python or NumPy; None for anything else."""
        if type(given) is int or isinstance(given, np.integer):
            return int(given)
        if isinstance(given, bool) or not hasattr(type(given), "__index__"):
            return None
        try:
            return int(self._guarded(operator.index, given))
        except InputError as error:
            why = f"a whole number by a method that fails: {error}"
            raise self._refused(given, why) from error

    def _yes_or_no(self, seen: object) -> int:
        answer = self._guarded(self._policy, seen)
        if not isinstance(answer, bool | np.bool_):
            raise self._refused(answer, "neither True nor False")
        return int(answer)


class _Victim(Adapter):
    def __init__(self, *made_from: Any) -> None:
        super().__init__(*made_from)
        words = self._reads.words() | words_of(json.dumps(self.values))
        self._told = [name for name in QUANTITIES if name in words]
        self._has_levels = "of_level" in self._told
        missing = [name for name in QUANTITIES if name not in self._told]
        self._plane = plane_without(missing) if missing else Plane
        # The fields of a plane, of those that `ask` has behind each other.
        known = ["blocks", *self._told, "drive", "number", "programmed", None]
        self._in_order = operator.itemgetter(
            *(known.index(name if name in known else None) for name in Plane._fields)
        )
        self._chosen: Any = None

    def answers(self, question: str) -> bool:
        return question in self._told

    def ask(self, numbers: Sequence[int], columns: Columns) -> int:
        if self._has_levels:
            columns = (*columns[:-1], columns[-1].reshape(self.drive.levels, -1))
        seen = _NEW(self._plane, self._in_order((*columns, self.drive, *numbers, None)))
        # As `_guarded` does, which is one call more.
        chosen = guarded(self._policy, seen, whose=self._whose)
        if self._reads.late:
            self._refuse_late()
        # Whether it is a candidate is seen in the core, sooner than here.
        number = int(chosen) if type(chosen) in _WHOLE else self._whole(chosen)
        if number is None or not 0 <= number < self.drive.blocks_per_plane:
            raise self._refused(chosen, none_of(len(columns[0]), numbers[0]))
        self._chosen = chosen
        return number

    def example(self) -> tuple[list[int], Columns]:
        draw, blocks = np.random.default_rng(0), self.drive.blocks_per_plane
        counts = [blocks * (self.drive.levels if name == "of_level" else 1) for name in self._told]
        columns = [draw.integers(1, self.drive.pages_per_block, count) for count in counts]
        return [0, sum(int(column.sum()) for column in columns)], (np.arange(blocks), *columns)

    def blame(self, answer: int, why: str) -> str:  # noqa: ARG002 - shown as it was returned
        return self._said(self._chosen, why)


_NEW = tuple.__new__
"""Makes a named tuple of a tuple."""
QUANTITIES = ("valid", "erases", "age", "since_sealed", "of_level")
"""Arrays of a `Plane` that are computed for a policy that names them, in their order."""
_WHOLE = (int, np.int64)
"""What victims are returned as, most often."""


def none_of(candidates: int, plane: int) -> str:
    """Say what an answer is that is none of the candidates; the core says the same."""
    return (
        f"none of the {candidates} candidates of plane {plane}; return one of plane.blocks, as in "
        "plane.blocks[plane.valid.argmin()]"
    )


OCCASIONS = ("drive", "sealed", "invalidated", "erased", "idle", "requests", "writes")
"""When a trigger may want to be asked, beside when every trigger is."""


class _Trigger(Adapter):
    def __init__(self, *made_from: Any) -> None:
        super().__init__(*made_from)
        given = self._guarded(getattr, self._made, "asked_when", ())
        self._occasions = (given,) if isinstance(given, str) else self._guarded(tuple, given)
        for each in self._occasions:
            if each not in OCCASIONS:
                raise InputError(
                    f"{self._whose.place}: {self._name}.asked_when has {self._shown(each)}; there are "
                    f"{', '.join(OCCASIONS)}"
                )

    def answers(self, question: str) -> bool:
        return question in self._occasions

    def example(self) -> tuple[list[int], Columns]:
        return [0, 2, self.drive.pages_per_block, 0, 2 * self.drive.planes, 1, 1], ()

    def ask(self, numbers: Sequence[int], columns: Columns) -> int:  # noqa: ARG002 - there are none
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
    def __init__(self, *made_from: Any) -> None:
        super().__init__(*made_from)
        self._further = {question for question in ("limit", "note") if self._has(question)}

    def example(self) -> tuple[list[int], Columns]:
        pages = self.drive.logical_pages
        return [0, 0, pages, pages, 1], (np.zeros(self.drive.channels, np.int64),)

    def ask(self, numbers: Sequence[int], columns: Columns) -> int:
        plane, channel, used, valid, idle = numbers
        (jobs,) = columns
        return self._yes_or_no(Jobs(self.drive, plane, channel, used, valid, bool(idle), jobs))

    def answers(self, question: str) -> bool:
        return question in self._further

    def ask_further(self, question: str, numbers: Sequence[int], columns: Columns) -> int:
        used, valid, *rest = numbers
        (jobs,) = columns
        seen = Activity(self.drive, used, valid, jobs, drained=rest == [1])
        found = self._guarded(self._guarded(getattr, self._made, question), seen)
        if question == "note":
            return 0
        number = self._whole(found)
        if number is None or number < 0:
            raise InputError(
                f"{self._whose.place}: {self._name}.{question}() returned {self._shown(found)}, which is no "
                "number of channels"
            )
        return number

    def blame(self, answer: int, why: str) -> str:
        return self._said(bool(answer), why)


class _Allocation(Adapter):
    def example(self) -> tuple[list[int], Columns]:
        planes = np.ones(self.drive.planes, np.int64)
        return [0], (0 * planes, planes)

    def ask(self, numbers: Sequence[int], columns: Columns) -> int:
        pending, has_room = columns
        chosen = self._guarded(self._policy, Placement(self.drive, numbers[0], pending, has_room))
        if chosen is None:
            return LATER
        number = self._whole(chosen)
        if number is None or not 0 <= number < self.drive.planes:
            raise self._refused(
                chosen, f"no plane: they are 0 to {self.drive.planes - 1}, or None to wait until one has room"
            )
        return number

    def blame(self, answer: int, why: str) -> str:
        return self._said(None if answer == LATER else answer, why)


class _Separation(Adapter):
    def __init__(self, *made_from: Any) -> None:
        super().__init__(*made_from)
        self._notes = self._has("note")

    def answers(self, question: str) -> bool:
        return question == "note" and self._notes

    def ask_further(self, question: str, numbers: Sequence[int], columns: Columns) -> int:  # noqa: ARG002
        self._guarded(self._guarded(getattr, self._made, question), Victim(self.drive, *numbers))
        return 0

    def example(self) -> tuple[list[int], Columns]:
        return [0, 0, -1, self.drive.logical_pages, 2], (np.array([0, 1, 0]),)

    def ask(self, numbers: Sequence[int], columns: Columns) -> bytes:
        collected, stream, block_class, valid_pages, classes = numbers
        table = columns[0].reshape(-1, 3).T
        known = (None if each < 0 else each for each in (stream, valid_pages, block_class))
        shown = _NEW(Pages, (self.drive, bool(collected), *table, classes, *known))
        answer = self._guarded(self._policy, shown)
        count = table.shape[1]
        found = answer if isinstance(answer, np.ndarray) else self._guarded(np.asarray, answer)
        if found.dtype.kind not in "iub" or found.shape not in ((), (count,)):
            raise self._refused(
                answer, f"neither a whole number nor {count}, one for each page; return pages.age < 1000, say"
            )
        outside = found[(found < 0) | (found >= classes)]
        if outside.size:
            raise self._refused(outside.flat[0].item(), _no_class(classes, collected))
        return np.broadcast_to(found.astype(np.uint8), count).tobytes()


def _no_class(classes: int, collected: int) -> str:
    key = "relocated_open_blocks" if collected else "open_blocks"
    which = "relocated pages" if collected else "pages that the host writes"
    return f"no class of {which}: they are 0 to {classes - 1} (ftl.separation.{key} = {classes})"


def _place_of(policy: Any, file: Path) -> str:
    """Say where a policy begins, whatever it is made of."""
    while isinstance(policy, partial):
        policy = policy.func
    if inspect.isclass(policy):
        policy = vars(policy).get("__init__", policy)
    policy = getattr(policy, "__func__", policy)
    if not hasattr(policy, "__code__"):
        # An object that can be called.
        policy = vars(type(policy)).get("__call__")
    try:
        code = inspect.unwrap(policy).__code__ if callable(policy) else None
    except (AttributeError, ValueError):
        code = None
    if code is None:
        return str(file)
    made = "" if Path(code.co_filename).name == file.name else f" ({code.co_filename}:{code.co_firstlineno})"
    return f"{file}{made}" if made else f"{file}:{code.co_firstlineno}"


OF_KIND: dict[str, type[Adapter]] = {
    "gc.victim": _Victim,
    "gc.trigger": _Trigger,
    "gc.concurrency": _Concurrency,
    "ftl.allocation": _Allocation,
    "ftl.separation": _Separation,
}
