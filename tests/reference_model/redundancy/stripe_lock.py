"""Who may work on a stripe: its holder, and the line behind (docs/model.md, 16.7)."""

from __future__ import annotations

from reference_model.booking import Holds
from reference_model.redundancy.accesses import Access


class StripeLock:
    """The line of each stripe, its holder first."""

    def __init__(self) -> None:
        self.lines: dict[int, list[Access]] = {}

    def is_held(self, stripe: int) -> bool:
        """Whether the stripe has a holder."""
        return stripe in self.lines

    def ask(self, access: Access, now: int) -> bool:
        """Join the line: return whether the stripe had no holder, so that the one who asks is it."""
        line = self.lines.setdefault(access.stripe, [])
        line.append(access)
        if len(line) > 1:
            access.since, access.holds_before = now, line[0].holds_of_others
            return False
        self._hold(access, Holds(), now)
        return True

    def _hold(self, access: Access, holds_of_others: Holds, now: int) -> None:
        access.holder_at, access.gc_as_holder = now, access.times.gc
        access.holds_of_others = holds_of_others

    def leave(self, holder: Access, now: int) -> Access | None:
        """Hold the stripe no more: return who holds it now, if anybody."""
        line = self.lines[holder.stripe]
        assert line[0] is holder
        del line[0]
        if line:
            gc = holder.times.gc - holder.gc_as_holder
            holds = holder.holds_of_others.and_one(now - holder.holder_at, gc)
            holds.book_wait(line[0].times, now - line[0].since, line[0].holds_before)  # 15.7b
            self._hold(line[0], holds, now)
            return line[0]
        del self.lines[holder.stripe]
        return None
