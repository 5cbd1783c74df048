"""Which class each claim is of: `[[class]]` in `expected.toml`, the first entry that fits, and its reason."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from reclaim.papers.claims import CLASSES, KINDS, Claim, Class
from reclaim.papers.fields import Fields
from reclaim.papers.stand_in_error import KINDS as ERRORS

OF_OTHERS = "whose expected figure is none that a paper prints"
BY_KIND = "by its kind alone: the file has no [[class]]"


@dataclass(frozen=True)
class Entry:
    """Some claims, and the class that they are of."""

    of_class: Class
    why: str
    claims: tuple[str, ...]
    """Ids or patterns of ids; empty for any."""
    groups: tuple[str, ...]
    kinds: tuple[str, ...]
    relative: bool
    error_of: str
    rests_on: str

    def fits(self, claim: Claim) -> bool:
        """Whether a claim is one of them."""
        named = not self.claims or any(fnmatch.fnmatchcase(claim.id, each) for each in self.claims)
        grouped = not self.groups or claim.group in self.groups
        return named and grouped and (not self.kinds or claim.kind in self.kinds)


def entries(path: Path, tables: Sequence[dict[str, Any]]) -> list[Entry]:
    """Read the entries.

    Raises:
        InputError: for anything that is wrong in one.
    """
    found = []
    for index, table in enumerate(tables, 1):
        fields = Fields(path, f"class {index}", table)
        entry = Entry(
            of_class=cast(Class, fields.choice("class", tuple(CLASSES))),
            why=fields.text("why"),
            claims=fields.texts("claims"),
            groups=fields.texts("groups"),
            kinds=fields.texts("kinds"),
            relative=fields.flag("relative"),
            error_of=fields.choice("error_of", tuple(ERRORS)) if "error_of" in table else "",
            rests_on=fields.text("rests_on", ""),
        )
        fields.done()
        strange = [each for each in entry.kinds if each not in KINDS]
        if entry.rests_on and not entry.error_of:
            raise fields.fault("rests_on says of which experiment, and error_of must say of which metrics")
        if strange:
            raise fields.fault(f'kinds has "{strange[0]}"; valid: {", ".join(KINDS)}')
        found.append(entry)
    return found


def classified(
    path: Path, claims: Iterable[Claim], listed: Sequence[Entry], groups: Mapping[str, str]
) -> list[Claim]:
    """Give each claim its class.

    Raises:
        InputError: for a claim that no entry fits, and an entry that fits none.
    """
    if not listed:
        return [_by_kind(claim) for claim in claims]
    used: set[int] = set()
    found = []
    for claim in claims:
        if claim.origin != "paper":
            found.append(_by_kind(claim))
            continue
        at = next((at for at, each in enumerate(listed) if each.fits(claim)), None)
        if at is None:
            fields = Fields(path, f'claim "{claim.id}"', {})
            raise fields.fault(f"no [[class]] fits it; classes: {', '.join(CLASSES)}")
        used.add(at)
        each = listed[at]
        found.append(
            replace(
                claim,
                of_class=each.of_class,
                why_class=each.why,
                relative=each.relative,
                error_of=each.error_of,
                rests_on=each.rests_on,
            )
        )
    for at, each in enumerate(listed):
        strange = [name for name in each.groups if name not in groups]
        if at not in used or strange:
            fields = Fields(path, f"class {at + 1}", {})
            raise fields.fault(
                f'groups has "{strange[0]}"; valid: {", ".join(groups)}' if strange else "no claim is of it"
            )
    return found


def _by_kind(claim: Claim) -> Claim:
    """Give a claim the class that it has where the file gives none."""
    if claim.origin != "paper":
        return replace(claim, of_class="own", why_class=OF_OTHERS)
    numbers = claim.kind in ("value", "ratio")
    return replace(claim, of_class="performance" if numbers else "comparison", why_class=BY_KIND)
