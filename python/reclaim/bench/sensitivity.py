"""Reads `[sensitivity]`: which comparison is studied, by which figure, and what that may cost."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, get_args

from reclaim.bench.fields import check_keys, kind_of, text_of
from reclaim.bench.metric_names import check_metric
from reclaim.bench.mistakes import Mistakes, valid
from reclaim.bench.parts import Axis, Load, Repeats, SchemeEntry, Sensitivity

SECTION = "sensitivity"
KEYS = ("base", "other", "metric", "budget", "load", "keys", "without", "combinations")
AMOUNT = r"(?P<number>\d{1,9}(?:\.\d{1,9})?)"
"""The number of a budget."""
MOST_AMOUNT = "at most 999,999,999"
BUDGET = re.compile(AMOUNT + r" *(?P<unit>points?|min|h)")
MOST_COMBINATIONS = 10_000
FEWEST_REPEATS = 6
"""Of fewer there is no interval that is called 95 % (docs/result-sets.md)."""


def read_sensitivity(table: object, mistakes: Mistakes) -> Sensitivity:
    """Read the section; what is wrong is left out and noted."""
    if not isinstance(table, Mapping):
        mistakes.add((SECTION,), f"must be a table, written [{SECTION}], not {kind_of(table)}")
        return Sensitivity()
    check_keys(table, (SECTION,), KEYS, mistakes)
    if "metric" not in table:
        mistakes.add((SECTION,), 'needs a metric, as in metric = "write_mean_ns"')
    metric = text_of(table, "metric", (SECTION,), mistakes)
    if metric:
        check_metric(metric, (SECTION, "metric"), mistakes)
    points, minutes = _budget(table, mistakes)
    load = table.get("load", "arrivals")
    if load not in get_args(Load):
        mistakes.add((SECTION, "load"), f"{kind_of(load)} is unknown; {valid(str(load), get_args(Load))}")
        load = "arrivals"
    return Sensitivity(
        base=text_of(table, "base", (SECTION,), mistakes),
        other=text_of(table, "other", (SECTION,), mistakes),
        metric=metric,
        points=points,
        minutes=minutes,
        load=load,
        keys=_patterns(table, "keys", mistakes),
        without=_patterns(table, "without", mistakes),
        combinations=_combinations(table, mistakes),
    )


def _budget(table: Mapping[str, Any], mistakes: Mistakes) -> tuple[int | None, float | None]:
    """Read the budget: points, or minutes of one processor."""
    if "budget" not in table:
        return None, None
    given = table["budget"]
    found = BUDGET.fullmatch(given.strip()) if isinstance(given, str) else None
    number = float(found["number"]) if found else 0.0
    if found is None or number <= 0:
        mistakes.add(
            (SECTION, "budget"),
            f'must be a number of points or a time, as in "600 points" or "20 min", {MOST_AMOUNT}, '
            f"not {kind_of(given)}",
        )
        return None, None
    if found["unit"].startswith("point"):
        return int(number), None
    return None, number * (60 if found["unit"] == "h" else 1)


def _patterns(table: Mapping[str, Any], key: str, mistakes: Mistakes) -> tuple[str, ...]:
    given = table.get(key, [])
    if isinstance(given, list) and all(isinstance(each, str) and each.strip() for each in given):
        return tuple(given)
    mistakes.add((SECTION, key), f'must be a list of keys, as in ["gc.*", "scheduler"], not {kind_of(given)}')
    return ()


def _combinations(table: Mapping[str, Any], mistakes: Mistakes) -> int:
    given = table.get("combinations", Sensitivity.combinations)
    if isinstance(given, bool) or not isinstance(given, int) or not 0 <= given <= MOST_COMBINATIONS:
        mistakes.add(
            (SECTION, "combinations"),
            f"must be a whole number from 0 to {MOST_COMBINATIONS}, not {kind_of(given)}",
        )
        return Sensitivity.combinations
    return given


def check_comparison(
    section: Sensitivity,
    schemes: Sequence[SchemeEntry],
    devices: int,
    axes: Sequence[Axis],
    repeats: Repeats,
    mistakes: Mistakes,
) -> None:
    """Note what keeps an experiment from being one comparison of two schemes on one drive."""
    names = [each.name for each in schemes]
    if len(names) < 2:
        mistakes.add((SECTION,), 'compares two schemes: give schemes = ["greedy", "fifo"], or more')
    for key, name in (("base", section.base), ("other", section.other)):
        if name and name not in names:
            mistakes.add((SECTION, key), f'no scheme "{name}"; {valid(name, names)}')
    pair = compared(section, schemes)
    if pair is not None and pair[0].name == pair[1].name:
        mistakes.add((SECTION,), f"compares {pair[0].name} with itself; name another scheme")
    if devices > 1:
        mistakes.add(("devices",), f"names {devices} drives; a study is of one: the others are alternatives")
    for axis in axes:
        if axis.crossed and len(axis.choices) > 1:
            mistakes.add(
                ("axes", axis.name),
                "is crossed; a study moves one key at a time: use [vary]",
            )
        elif not axis.crossed and any(set(each.settings) != {axis.name} for each in axis.choices):
            mistakes.add(("vary", axis.name), "has groups of settings; a study moves one key at a time")
    if repeats.count < FEWEST_REPEATS:
        mistakes.add(
            ("repeats", "count"),
            f"is {repeats.count}; a study needs {FEWEST_REPEATS} at least for 95 % intervals",
        )


def compared(section: Sensitivity, schemes: Sequence[SchemeEntry]) -> tuple[SchemeEntry, SchemeEntry] | None:
    """Give schemes A and B; None where there are none."""
    if len(schemes) < 2:
        return None
    by_name = {each.name: each for each in schemes}
    base = by_name.get(section.base) or schemes[0]
    rest = [each for each in schemes if each is not base]
    return base, by_name.get(section.other) or rest[0]
