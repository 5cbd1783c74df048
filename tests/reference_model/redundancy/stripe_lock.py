"""Who may work on a stripe: its holder, and the line behind (docs/model.md, 16.7)."""

from __future__ import annotations

from reference_model.redundancy.accesses import Access


class StripeLock:
    """The line of each stripe, its holder first."""

    def __init__(self) -> None:
        self.lines: dict[int, list[Access]] = {}

    def is_held(self, stripe: int) -> bool:
        """Whether the stripe has a holder."""
        return stripe in self.lines

    def ask(self, access: Access) -> bool:
        """Join the line: return whether the stripe had no holder, so that the one who asks is it."""
        line = self.lines.setdefault(access.stripe, [])
        line.append(access)
        return len(line) == 1

    def leave(self, holder: Access) -> Access | None:
        """Hold the stripe no more: return who holds it now, if anybody."""
        line = self.lines[holder.stripe]
        assert line[0] is holder
        del line[0]
        if line:
            return line[0]
        del self.lines[holder.stripe]
        return None
