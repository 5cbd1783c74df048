"""A paper's own Python module: figures that no sweep measures, such as a formula or a validation table."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import cast

from reclaim.errors import InputError
from reclaim.papers.claims import Claim, Family
from reclaim.papers.measured import Figure
from reclaim.papers.paper import Level, Paper

Tell = Callable[[str, int, int], object]
"""Called now and then with what is done, how much of it, and out of how much (0 where unknown)."""


@dataclass(frozen=True)
class Custom:
    """A figure of a paper's module."""

    figure: Figure
    family: str = ""
    """Group of the `[[family]]` it belongs to; empty for a figure that a claim names itself."""
    expected: float | None = None
    """Of a family: what is to come out."""
    tolerance: float = 0.0
    unit: str = ""
    what: str = ""
    """What it is, where its name says more than a row of its family must."""


Figures = Callable[[Level, Tell], Mapping[str, Custom]]
"""What a module must have, under the name `figures`; it gives each figure under a name of its own."""


def figures_of(paper: Paper, level: Level, tell: Tell) -> dict[str, Custom]:
    """Run the module of a paper, if it has one.

    Raises:
        InputError: if there is no such module, or it computes no figures.
    """
    if not paper.module:
        return {}
    try:
        module = importlib.import_module(paper.module)
    except ModuleNotFoundError as error:
        raise InputError(f"{paper.folder / 'paper.toml'}: no module {paper.module}: {error}") from None
    found = getattr(module, "figures", None)
    if not callable(found):
        raise InputError(f"{paper.folder / 'paper.toml'}: module {paper.module} has no function figures")
    return dict(cast(Figures, found)(level, tell))


def family_claims(paper: Paper, found: Mapping[str, Custom]) -> list[tuple[Claim, Custom]]:
    """Make a claim of each figure of a family.

    Raises:
        InputError: if the module brings another number of them than `expected.toml` says.
    """
    claims = []
    for family in paper.expected.families:
        members = {name: each for name, each in found.items() if each.family == family.group}
        if len(members) != family.count:
            raise InputError(
                f'{paper.folder / "expected.toml"}: family "{family.id}" has {family.count} figures, but '
                f"module {paper.module} brings {len(members)}"
            )
        claims += [(_claim(family, name, each), each) for name, each in members.items()]
    return claims


def _claim(family: Family, name: str, found: Custom) -> Claim:
    slug = re.sub(r"[^a-z0-9.]+", "-", (found.what or name).lower()).strip("-")
    expected = found.expected if found.expected is not None else found.figure.value
    return Claim(
        id=f"{family.id}-{slug}",
        what=found.what or name,
        where=family.where,
        kind="value",
        value=expected,
        printed=f"{expected:.10g}",
        unit=found.unit,
        tolerance=found.tolerance,
        group=family.id,
        figure=name,
    )
