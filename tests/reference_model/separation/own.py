"""`python`: as the user's function says (docs/model.md, "Data kept apart")."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from reference_model.own import Named
from reference_model.separation.classes import WRAP, Classes

if TYPE_CHECKING:
    from reference_model.drive import Drive


class OwnClasses(Classes):
    """What it is shown, and its answers."""

    def __init__(self, drive: Drive, policy: Named, host: int, relocated: int) -> None:
        self.drive = drive
        self.policy = policy
        self.host, self.relocated = host, relocated
        self.unwritten = host - 1
        self.now = 0
        self.last: dict[int, int] = {}
        self.class_of: dict[int, int] = {}
        self.label: dict[int, tuple[int, int]] = {}  # by block: class, and now of then

    def of_write(self, logical: int, stream: int) -> int:
        """Its answer for what it is shown."""
        self.now = self.now + 1 if self.now < WRAP - 1 else 1
        shown = self._page(logical, self.class_of.get(logical, self.unwritten))
        shown |= {"collected": False, "classes": self.host, "stream": stream, "block_class": None}
        shown["valid_pages"] = self.drive.space.valid_pages
        self.last[logical] = self.now
        self.class_of[logical] = self._answer(shown)
        return self.class_of[logical]

    def of_relocated(self, logical: int, written_as: int, block: int) -> int:
        """Its answer for what it is shown."""
        shown = self._page(logical, written_as)
        shown |= {"collected": True, "classes": self.relocated, "stream": None, "valid_pages": None}
        shown["block_class"] = self.label.get(block, (None, 0))[0]
        return self._answer(shown)

    def block_opened(self, block: int, label: int | None) -> None:
        """Its label, for what is shown later."""
        if label is None:
            self.label.pop(block, None)
        else:
            self.label[block] = label, self.now

    def victim(self, block: int) -> None:
        """It is collected, and the policy is told."""
        note = self.policy.method("note")
        if note is not None and block in self.label:
            label, opened = self.label[block]
            shown = {"drive": self.policy.shown, "block_class": label}
            note(SimpleNamespace(**shown, lifespan=(self.now - opened) % WRAP))

    def _page(self, logical: int, last_class: int) -> dict[str, Any]:
        last = self.last.get(logical)
        age = -1 if last is None else (self.now - last) % WRAP
        shown: dict[str, Any] = {"drive": self.policy.shown, "logical_pages": [logical], "age": [age]}
        return shown | {"last_class": [last_class]}

    def _answer(self, shown: dict[str, Any]) -> int:
        answer = self.policy.decide(SimpleNamespace(**shown))
        return int(answer[0]) if hasattr(answer, "__len__") else int(answer)
