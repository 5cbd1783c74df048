"""What an ablation found, in sentences."""

from __future__ import annotations

import math
from collections.abc import Sequence

from reclaim.result.sets.metrics import SAME, describe
from reclaim.statistics.intervals import fewest
from reclaim.study.ablation.result import Decomposition, LogFigure, PartShare

LEAST = math.log(1 + SAME)
"""Smaller logarithms are taken for no change where there is no interval."""
ERRORS = 2
"""Standard errors that a share must be away from zero, where orders of the parts were drawn."""
MOST_NAMED = 3
"""Parts that the conclusion names."""


def factor(figure: LogFigure) -> str:
    """Write a figure as what the metric is multiplied by.

    >>> factor(LogFigure(-0.2, -0.2, -0.25, -0.1, 6)), factor(LogFigure(0.0, 0.0, None, None, 1))
    ('0.819 (0.779 to 0.905)', '1.000')
    """
    text = f"{math.exp(figure.value):.3f}"
    if figure.low is None or figure.high is None:
        return text
    return f"{text} ({math.exp(figure.low):.3f} to {math.exp(figure.high):.3f})"


def in_log_units(value: float) -> str:
    """Write a logarithm with its sign; three places.

    >>> in_log_units(-0.0001), in_log_units(0.25)
    ('0.000', '+0.250')
    """
    text = f"{value:+.3f}"
    return "0.000" if float(text) == 0 else text.replace("-", "\u2212")


def share_of_total(row: PartShare, taken: Decomposition) -> str:
    """Write a share in percent of the total; nothing where the total may be none, or parts nearly cancel.

    Parts cancel too much for percentages where all shares without their signs are more than twice the total.

    >>> all_of_it, none = LogFigure(-0.2, -0.2, None, None, 1), LogFigure(0.001, 0.001, None, None, 1)
    >>> row = PartShare(("a",), all_of_it, None, None)
    >>> share_of_total(row, Decomposition((), all_of_it, (row,)))
    '100 %'
    >>> share_of_total(row, Decomposition((), none, (row,)))
    ''
    >>> little = PartShare(("b",), LogFigure(0.0004, 0.0004, None, None, 1), None, None)
    >>> share_of_total(little, Decomposition((), all_of_it, (row, little)))
    '0 %'
    """
    total = taken.total
    if row.share is None or total is None or not total.decided(LEAST) or abs(total.value) < LEAST:
        return ""
    if math.fsum(abs(each.share.value) for each in taken.by_size() if each.share) > 2 * abs(total.value):
        return ""
    # A zero has no sign.
    return f"{100 * row.share.value / total.value:z.0f} %".replace("-", "\u2212")


def named(parts: Sequence[str]) -> str:
    """Name a part, or several that cannot be told apart.

    >>> named(["a"]), named(["a", "b"])
    ('a', 'a with b')
    """
    return " with ".join(parts)


def conclusion(metric: str, origin: str, target: str, taken: Decomposition) -> str:
    """Say in one sentence what changes, and which part makes it."""
    label = describe(metric).label
    if taken.total is None:
        return f"Nothing is known of the {label} from {origin} to {target}: {taken.unknown}."
    total = taken.total
    sign = total.decided(LEAST)
    way = {1: "rises to", 0: "does not change for certain: it is", -1: "falls to"}[sign]
    sure = _certainty(total)
    head = f"From {origin} to {target}, {label} {way} {factor(total)} times what it was, {sure}"
    if not taken.has_shares:
        return f"{head}; which part makes it is not known, as {taken.unknown}."
    return f"{head}; {_parts(taken, sign)}."


def _certainty(total: LogFigure) -> str:
    if total.low is not None:
        return f"95 % interval of {total.repeats} repeats"
    repeats = "one repeat" if total.repeats == 1 else f"{total.repeats} different repeats"
    return f"without an interval, of {repeats}" + (
        f" (it takes {fewest()})" if total.repeats < fewest() else ""
    )


def _parts(taken: Decomposition, sign: int) -> str:
    """Name the parts that make it, the largest first."""
    rows = taken.by_size()
    if len(rows) == 1:
        (row,) = rows
        apart = " cannot be told apart and" if len(row.parts) > 1 else ""
        return f"{named(row.parts)}{apart} make{'s' if len(row.parts) == 1 else ''} all of it"
    ways = {row.parts: _way(row) for row in rows}
    told = [row for row in rows if ways[row.parts]]
    if not told:
        return "no part changes it for certain"
    if not sign:
        both = len({ways[row.parts] for row in told}) > 1
        oppose = "parts of it oppose each other" if both else "some parts of it do change it"
        return f"{oppose}: {_listed(told)}"
    along = [row for row in told if ways[row.parts] == sign]
    against = [row for row in told if ways[row.parts] != sign]
    opposed = f"; against it: {_listed(against)}" if against else ""
    if not along:
        return f"no part makes that for certain{opposed}"
    if len(told) > 1 and not _leads(taken):
        head = "the largest shares are not told apart:"
    else:
        head = "the largest share is that of" if told[0] is along[0] else "it is made by"
    return f"{head} {_listed(along)}{opposed}"


def _way(row: PartShare) -> int:
    """Whether a share is named, and its sign: one that changes very little is not, however certain it is.

    Nor is one that other orders of the parts than those that were drawn may turn.
    """
    if row.share is None or abs(row.share.value) < max(LEAST, ERRORS * (row.drawn_error or 0.0)):
        return 0
    return row.share.decided(LEAST)


def _leads(taken: Decomposition) -> bool:
    """Whether the largest share is told apart from the next, also by the orders that were drawn."""
    errors = ERRORS * math.fsum(row.drawn_error or 0.0 for row in taken.by_size()[:2])
    return taken.lead is None or (taken.lead.decided(LEAST) > 0 and taken.lead.value > errors)


def _listed(rows: Sequence[PartShare]) -> str:
    """Name parts with the factors of their shares, the first few."""
    shown = [f"{named(row.parts)} {factor(row.share)}" for row in rows[:MOST_NAMED] if row.share]
    more = f" and {len(rows) - MOST_NAMED} more" if len(rows) > MOST_NAMED else ""
    return ", ".join(shown) + more
