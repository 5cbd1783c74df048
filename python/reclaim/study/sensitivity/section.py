"""The section `[sensitivity]`: which comparison is studied, and what of the model is moved."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Annotated, Literal, Self

from pydantic import Field, PlainValidator, StrictInt, WithJsonSchema

from reclaim.experiment.fields import (
    Budget,
    Metrics,
    Patterns,
    SchemeName,
    StudySection,
    budget_of,
    budget_schema,
)
from reclaim.experiment.parts import Axis, FileParts, SchemeEntry
from reclaim.mistakes import Mistakes

SENSITIVITY = "sensitivity"
Load = Literal["arrivals", "utilisation", "both"]
UNITS = "points?|min|h"
WANTED = 'a number of points or a time, as in "600 points" or "20 min"'


class Sensitivity(StudySection):
    """A comparison of two schemes whose dependence on the model is studied."""

    baseline: SchemeName = ""
    """The scheme that is the measure (default: the first)."""
    candidate: SchemeName = ""
    """The scheme beside it (default: the first other one)."""
    metrics: Metrics = Field(max_length=1, examples=[["write_mean_ns"]])
    """A column of points.parquet, such as write_mean_ns."""
    budget: Annotated[
        Budget,
        PlainValidator(partial(budget_of, units=UNITS, wanted=WANTED)),
        WithJsonSchema(budget_schema(UNITS)),
    ] = Budget()
    """Runs or minutes of one processor, at most: "600 points", "20 min"."""
    load: Load = "arrivals"
    """What stays where a variation is faster or slower than the base: when requests arrive, or how much the
    host uses the dies; or one after the other."""
    keys: Patterns = ()
    """Patterns of the keys that are moved (default: all)."""
    without: Patterns = ()
    """Patterns of keys that are not."""
    combinations: StrictInt = Field(64, ge=0, le=10_000)
    """Random combinations of alternatives."""

    @property
    def metric(self) -> str:
        """The one metric that is studied."""
        return self.metrics[0]

    @classmethod
    def check(cls, section: Self | None, parts: FileParts, mistakes: Mistakes) -> None:
        """See that it is one comparison of two schemes on one drive."""
        if len(parts.schemes) < 2:
            mistakes.add((SENSITIVITY,), 'compares two schemes: give schemes = ["greedy", "fifo"], or more')
        elif section is not None:
            base, other = compared(section, parts.schemes)
            if base.name == other.name:
                mistakes.add((SENSITIVITY,), f"compares {base.name} with itself; name another scheme")
        if len(parts.devices) > 1:
            many = f"names {len(parts.devices)} drives"
            mistakes.add(("devices",), f"{many}; a study is of one: the others are alternatives")
        for axis in parts.axes:
            _check_axis(axis, mistakes)
        # Arrays are for experiments that have such a section.
        from reclaim.statistics.intervals import fewest

        if parts.repeats.count < fewest() and not mistakes.has("repeats"):
            few = f"is {parts.repeats.count}; a study needs {fewest()} at least for 95 % intervals"
            mistakes.add(("repeats", "count"), few)


def _check_axis(axis: Axis, mistakes: Mistakes) -> None:
    if axis.crossed and len(axis.choices) > 1:
        mistakes.add(("axes", axis.name), "is crossed; a study moves one key at a time: use [vary]")
    elif not axis.crossed and any(set(each.settings) != {axis.name} for each in axis.choices):
        mistakes.add(("vary", axis.name), "has groups of settings; a study moves one key at a time")


def compared(section: Sensitivity, schemes: Sequence[SchemeEntry]) -> tuple[SchemeEntry, SchemeEntry]:
    """Give baseline and candidate of at least two schemes."""
    by_name = {each.name: each for each in schemes}
    base = by_name.get(section.baseline) or schemes[0]
    rest = [each for each in schemes if each is not base]
    return base, by_name.get(section.candidate) or rest[0]
