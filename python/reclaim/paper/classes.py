"""Which class each claim is of: `[[class]]` in `expected.toml`, the first entry that fits, and its reason."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from reclaim.mistakes import Mistakes, valid
from reclaim.paper.claims import CLASSES, Claim, ClaimClass

OF_OTHERS = "whose expected figure is none that a paper prints"
BY_KIND = "by its kind alone: the file has no [[class]]"


def classified(
    claims: Sequence[Claim], listed: Sequence[ClaimClass], groups: Mapping[str, str], mistakes: Mistakes
) -> list[Claim]:
    """Give each claim its class; a claim that no entry fits is a mistake, and an entry that fits none."""
    used: set[int] = set()
    found = []
    for number, claim in enumerate(claims):
        if claim.origin != "paper" or not listed:
            found.append(_by_kind(claim))
            continue
        at = next((at for at, each in enumerate(listed) if each.fits(claim)), None)
        if at is None:
            mistakes.add(("claim", number), f"no [[class]] fits it; classes: {', '.join(CLASSES)}")
            continue
        used.add(at)
        keys = ("of_class", "relative", "error_of", "rests_on")
        update = {key: getattr(listed[at], key) for key in keys}
        found.append(claim.model_copy(update={**update, "why_class": listed[at].why}))
    for at, each in enumerate(listed):
        for name in each.groups:
            if name not in groups:
                mistakes.add(("class", at, "groups"), f'"{name}" is no group; {valid(name, groups)}')
        if at not in used:
            mistakes.add(("class", at), "no claim is of it")
    return found


def _by_kind(claim: Claim) -> Claim:
    """Give a claim the class that it has where the file gives none."""
    if claim.origin != "paper":
        return claim.model_copy(update={"of_class": "own", "why_class": OF_OTHERS})
    of_class = "performance" if claim.kind in ("value", "ratio") else "comparison"
    return claim.model_copy(update={"of_class": of_class, "why_class": BY_KIND})
