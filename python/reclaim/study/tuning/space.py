"""What is searched: parameters of a scheme, each with the values that it can have."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fnmatch import fnmatchcase
from itertools import pairwise, product
from math import prod
from typing import Any

from reclaim.experiment.parts import SchemeEntry, Setting, Settings, value_text
from reclaim.experiment.work import not_the_drive
from reclaim.layers import policy_kinds
from reclaim.mistakes import Mistakes
from reclaim.study.sensitivity.alternatives import AlternativeKey
from reclaim.study.tuning.section import SECTION, Tune
from reclaim.suggestions import near
from reclaim.units import plain, quantity, with_unit

At = tuple[int, ...]
"""One value of every parameter, by its place among the parameter's values, or `AS_IS`."""
AS_IS = -1
"""In place of a value: what the scheme has, whether that is one of the values or not."""
SECTIONS = ("gc.*", "ftl.*", "scheduler.*", "redundancy.*")
"""Keys that are searched where the file names none: what firmware decides."""
PROMISED = {
    "gc.relocation.capacity": "a buffer is hardware",
    "gc.relocation.max_consecutive_copybacks": "it bounds the errors that copybacks add up",
    "redundancy.xor": "how fast parity is computed is hardware",
    "ftl.wear.*": "wear levelling is what keeps a drive alive",
    "ftl.slc_cache.t_*": "how fast flash is in single-level mode is hardware",
    "ftl.slc_cache.rested": "it is of the start of the run, not of the scheme",
    "ftl.mapping_cache*": "how much memory a controller has is hardware",
    "ftl.assign_pages": "it is of the model, not of the scheme",
}
"""Keys of these that are not, and why: they cost something that no metric here tells."""
WIDE = 2
"""Between two values of which one is so many times the other, one in their middle is searched, too."""


@dataclass(frozen=True)
class SearchedKey:
    """A key and its values."""

    key: str
    values: tuple[str | None, ...]
    """As `--set` takes them, in order where they have one; None: left out, as the drive has it."""
    ordered: bool
    present: str | None
    """What it is as the scheme is."""
    declared: bool
    """Whether the values are made of the declared alternatives; those of the file if not."""

    def value(self, at: int) -> str | None:
        """Give the value at a place."""
        return self.present if at == AS_IS else self.values[at]

    def others(self, at: int, most: int) -> list[int]:
        """Give places of the values beside one: of ordered values the next on both sides, else the others."""
        if at == AS_IS:
            if self.present not in self.values:
                return list(range(len(self.values)))[:most]
            at = self.values.index(self.present)
        if self.ordered:
            return [each for each in (at - 1, at + 1) if 0 <= each < len(self.values)]
        return [each for each in range(len(self.values)) if each != at][:most]


@dataclass(frozen=True)
class SearchSpace:
    """All that is searched."""

    parameters: tuple[SearchedKey, ...]
    scheme: SchemeEntry

    @property
    def size(self) -> int:
        """How many combinations of values there are."""
        return prod(len(each.values) for each in self.parameters)

    @property
    def keys(self) -> tuple[str, ...]:
        """Keys of the parameters."""
        return tuple(each.key for each in self.parameters)

    def as_it_is(self) -> At | None:
        """Give the place of the scheme as it is; None where it is none of the combinations."""
        try:
            return tuple(each.values.index(each.present) for each in self.parameters)
        except ValueError:
            return None

    def values(self, at: At) -> dict[str, str]:
        """Give the keys in which a combination differs from the scheme as it is, with their values."""
        named = zip(self.parameters, at, strict=True)
        pairs = ((each, each.value(place)) for each, place in named)
        return {each.key: value for each, value in pairs if value is not None and value != each.present}

    def settings(self, at: At) -> Settings:
        """Give the same as settings of the scheme: a drive that prepares this one does without them."""
        path = (*self.scheme.path, SECTION)
        return {key: Setting(value, (*path, key)) for key, value in self.values(at).items()}

    def every(self) -> Iterator[At]:
        """Give all combinations."""
        return product(*(range(len(each.values)) for each in self.parameters))

    def drawn(self, draw: random.Random) -> At:
        """Draw one."""
        return tuple(draw.randrange(len(each.values)) for each in self.parameters)


def parameters(
    section: Tune, choices: Mapping[str, AlternativeKey], config: Mapping[str, Any], mistakes: Mistakes
) -> list[SearchedKey]:
    """List what is searched, before any drive is asked whether it takes the values.

    Args:
        section: which keys.
        choices: those of the scheme, as it is.
        config: its resolved configuration.
        mistakes: patterns that no key with alternatives matches.
    """
    _check_patterns(section, choices, config, mistakes)
    found = [_given(key, values, section, config) for key, values in section.values.items()]
    patterns = section.keys or (() if section.search else SECTIONS)
    named = [] if section.keys else [*PROMISED]
    for key, choice in choices.items():
        wanted = any(fnmatchcase(key, each) for each in patterns)
        left = any(fnmatchcase(key, each) for each in (*section.without, *named))
        # A scheme is its policies: which of them it has is searched where the file says so.
        kind = key in policy_kinds() and not any(each == key for each in section.keys)
        # What a pattern has of the work beside the drive is left as it is.
        if wanted and not left and not kind and key not in section.search and not not_the_drive(key, ""):
            found.append(_declared(choice))
    return [each for each in found if len(each.values) > 1]


def _check_patterns(
    section: Tune, choices: Mapping[str, AlternativeKey], config: Mapping[str, Any], mistakes: Mistakes
) -> None:
    for name, patterns in (("keys", section.keys), ("without", section.without)):
        for number, each in enumerate(patterns):
            matched = [key for key in (*choices, *section.search) if fnmatchcase(key, each)]
            wrong = [not_the_drive(key, "tuned") for key in matched or [each]]
            if name == "keys" and all(wrong):
                mistakes.add((SECTION, name, number), wrong[0])
            if matched or all(wrong):
                continue
            if _present(each, config)[0]:
                text = "has no declared alternatives (reclaim device schema); give it values, as in"
                text = f'"{each}" {text} [{SECTION}.search] "{each}" = […]'
            else:
                hint = near(each, list(choices)) or ", or one that this scheme does not have"
                text = f'"{each}" is no key with alternatives (reclaim device schema), nor a pattern'
                text = f"{text} of any{hint}"
            mistakes.add((SECTION, name, number), text)


def _present(key: str, config: Mapping[str, Any]) -> tuple[bool, str | None]:
    """Whether a configuration has a key, and its value as `--set` takes it."""
    value: Any = config
    for part in key.split("."):
        if not isinstance(value, Mapping) or part not in value:
            return False, None
        value = value[part]
    if isinstance(value, Mapping):
        value = value.get("kind")
    return value is not None, None if value is None else value_text(value)


def _given(key: str, values: Sequence[str], section: Tune, config: Mapping[str, Any]) -> SearchedKey:
    """A parameter with the values of the file; those that are all numbers of a unit are put in order."""
    ordered = in_order(values)
    listed = list(values) if ordered is None or key in section.ranges else ordered
    return SearchedKey(key, tuple(listed), ordered is not None, _present(key, config)[1], declared=False)


def _declared(choice: AlternativeKey) -> SearchedKey:
    """A parameter with its declared alternatives and what it is; numbers far apart get some between them."""
    others = list(dict.fromkeys(choice.others().values()))
    values: list[str | None] = [choice.present, *others]
    ordered = None if choice.present is None else in_order([choice.present, *others])
    if ordered is not None:
        values = [*between(ordered)]
    return SearchedKey(
        choice.key, tuple(dict.fromkeys(values)), ordered is not None, choice.present, declared=True
    )


def in_order(values: Sequence[str]) -> list[str] | None:
    """Sort values that are all numbers of one unit; None where they are not.

    >>> in_order(["5%", "2.5%", "10%"]), in_order(["1", "off"]), in_order(["2 blocks", "1 block"])
    (['2.5%', '5%', '10%'], None, ['1 block', '2 blocks'])
    """
    known = [quantity(each) for each in values]
    if any(each is None for each in known) or len({each[1] for each in known if each}) > 1:
        return None
    return [
        text for _, text in sorted((each[0], text) for each, text in zip(known, values, strict=True) if each)
    ]


def between(ordered: Sequence[str]) -> list[str]:
    """Put the geometric mean between neighbours of which one is at least twice the other.

    >>> between(["1", "4", "16"]), between(["2.5%", "5%"]), between(["0", "64"])
    (['1', '2', '4', '8', '16'], ['2.5%', '3.5%', '5%'], ['0', '64'])
    >>> between(["1 block", "2 blocks"])
    ['1 block', '2 blocks']
    """
    found = [ordered[0]]
    for below, above in pairwise(ordered):
        low, high = quantity(below), quantity(above)
        if low is not None and high is not None and low[0] > 0 and high[0] >= WIDE * low[0]:
            middle = _middle(low[0], high[0], low[1])
            if middle is not None:
                found.append(with_unit(middle, low[1]))
        found.append(above)
    return found


def _middle(low: Decimal, high: Decimal, unit: str) -> Decimal | None:
    """Their geometric mean: a whole number for what is counted, else of two digits; None if it is an end."""
    mean = (low * high).sqrt()
    if unit.strip() in ("", "block", "ns") and low == low.to_integral() and high == high.to_integral():
        middle = mean.to_integral()
    else:
        middle = Decimal(f"{mean:.2g}")
    return Decimal(plain(middle)) if low < middle < high else None
