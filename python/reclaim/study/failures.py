"""How runs that failed are told: a line for each reason, whichever study they are of."""

from __future__ import annotations

from collections.abc import Iterable


def by_reason(failures: Iterable[tuple[str, str]], *, most: int | None = None) -> list[str]:
    """Say why runs failed: the first run that each reason stopped, and how many more there are.

    >>> by_reason([("a", "full"), ("b", "full"), ("c", "empty")])
    ['a: full (and 1 more run)', 'c: empty']

    Args:
        failures: what each run is called, and why it failed.
        most: reasons that are told; the others are counted. None for all.
    """
    runs: dict[str, list[str]] = {}
    for name, why in failures:
        runs.setdefault(why, []).append(name)
    told = [f"{first}: {why}{_more(len(further))}" for why, (first, *further) in runs.items()]
    if most is None or len(told) <= most:
        return told
    return [*told[:most], f"and {len(told) - most} more reasons; the report has them"]


def _more(runs: int) -> str:
    return f" (and {runs} more run{'s' if runs > 1 else ''})" if runs else ""
