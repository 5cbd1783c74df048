"""Headlines of a paper: what its claims come to, and the comparison that is asked what it depends on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from reclaim import input_file
from reclaim.papers.claims import Claim
from reclaim.papers.fields import Fields, twice
from reclaim.suggestions import near


@dataclass(frozen=True)
class Headline:
    """What a paper concludes, as a comparison of two schemes."""

    name: str
    """Of its folder among the results."""
    says: str
    """The paper's conclusion, in a sentence."""
    claims: tuple[str, ...]
    """Claims that fall with it: what turns it, turns them."""
    file: Path
    """Experiment with a section `[sensitivity]`, and with `[ablation]` where parts can be taken out."""


def headlines_of(fields: Fields, folder: Path, claims: Sequence[Claim]) -> tuple[Headline, ...]:
    """Read the headlines of `paper.toml`.

    Raises:
        InputError: for a file that is not there, a claim that is none, and a name that is given twice.
    """
    found = tuple(
        _headline(Fields(fields.file, f"headline {index}", table), folder, [each.id for each in claims])
        for index, table in enumerate(fields.tables("headline"), 1)
    )
    name = twice([each.name for each in found])
    if name is not None:
        raise fields.fault(f'two headlines are called "{name}"')
    return found


def _headline(fields: Fields, folder: Path, claims: Sequence[str]) -> Headline:
    found = Headline(
        name=fields.text("name"),
        says=fields.text("says"),
        claims=fields.texts("claims"),
        file=folder / fields.text("file"),
    )
    fields.done()
    if not found.name.replace("-", "").isalnum():
        raise fields.fault(f'name = "{found.name}": a folder is called so; letters, digits and hyphens')
    if not input_file.is_there(found.file):
        raise fields.fault(f"file: no file {found.file}")
    for claim in found.claims:
        if claim not in claims:
            raise fields.fault(f'claims: expected.toml has no claim "{claim}"{near(claim, claims)}')
    return found
