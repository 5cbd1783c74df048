"""The section `[ablate]`: which two schemes are taken apart, and by which parts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, Field, StrictInt

from reclaim.experiment.fields import Metrics, SchemeName, Seed, StudySection, Unique
from reclaim.sections import Words, Wrong, also, listed, listed_twice

ABLATE = "ablate"


def _even(orderings: int) -> int:
    if orderings % 2:
        why = "as each order is taken backwards, too"
        raise ValueError(f"must be even, {why}, not {orderings}; give {orderings + 1}")
    return orderings


def _mistakes_in_parts(parts: Any) -> Iterable[Wrong]:
    """A part needs a name, and a key is in one part."""
    owner: dict[str, str] = {}
    for name, keys in parts.items() if isinstance(parts, Mapping) else ():
        if not name.strip():
            yield Wrong((name,), "is empty; give the part a name")
        for number, key in enumerate(listed(keys)):
            other = owner.setdefault(str(key), name)
            if other != name:
                text = f'"{key}" is in the part "{other}" already; a key is in one part'
                yield Wrong((name, number), text)


class Ablate(StudySection):
    """What `reclaim ablate` takes apart: two schemes of this experiment."""

    baseline: SchemeName = Field(examples=["greedy"])
    """Name of the scheme that it starts from."""
    candidate: SchemeName = Field(examples=["greedy"])
    """Name of the scheme that it arrives at."""
    metrics: Metrics = Field(examples=[["read_p99_ns"]])
    """Columns of points.parquet."""
    parts: Annotated[
        dict[str, Annotated[tuple[Words, ...], Unique, also(listed_twice)]], also(_mistakes_in_parts)
    ] = Field({}, examples=[{"name": ["gc.victim"]}])
    """Keys that go together, by the name of the part; other keys: by policy kind."""
    orderings: Annotated[StrictInt, AfterValidator(_even)] = Field(
        24, ge=2, le=10_000, json_schema_extra={"multipleOf": 2}
    )
    """Orders of the parts that are drawn where there are more than six."""
    seed: Seed = 1
    """What the orders are drawn with."""

    @classmethod
    def mistakes_in(cls, table: Mapping[str, Any], context: Any, /) -> Iterable[Wrong]:
        """See that it compares two schemes."""
        name = table.get("baseline")
        if isinstance(name, str) and name == table.get("candidate"):
            others = ", ".join(f'"{each}"' for each in (context.schemes if context else ()) if each != name)
            others = others or "the experiment has no other; list it in schemes"
            yield Wrong(("candidate",), f'is "{name}", as baseline is; name another scheme: {others}')
