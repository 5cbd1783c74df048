"""The keys of a comparison: what two schemes have in common, what one has alone, in what they differ."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from reclaim.experiment.experiment_file import Repeats
from reclaim.experiment.parts import Axis
from reclaim.experiment.work import is_work
from reclaim.layers import below
from reclaim.study.sensitivity.alternatives import KINDS, AlternativeKey
from reclaim.study.sensitivity.judging import BASE, SIDES, Key, Move, Moved, Pairing, Side, Variation
from reclaim.study.sensitivity.section import Sensitivity

MOVED_BY_REPEATS = {
    "seed": ("seed",),
    "rotate": ("trace.rotate",),
    "workload": ("trace.rotate", "trace.draw"),
    "jitter": ("trace.jitter",),
}
SHARED = ("geometry", "host.link")
"""What schemes are compared on beside the work: one of them on another is another comparison."""
PACE = "host.time_scale"
SOLVED = ("host.target_utilisation", "host.target_total_utilisation")

Asked = Callable[[Side, str, str], bool]
"""Answers a question of a scheme, a key and a value of it."""


@dataclass
class KeyList:
    """Every key that was looked at."""

    keys: list[Key] = field(default_factory=list)
    """Those that are moved: readings first, then what is unprinted, then scope."""
    compared: list[str] = field(default_factory=list)
    """Those in which the two schemes differ: they are what is compared."""
    vain: list[str] = field(default_factory=list)
    """Those of which the configuration itself says that they have no effect on this drive."""
    left_out: list[str] = field(default_factory=list)
    """Those that the experiment leaves out."""
    changed: list[str] = field(default_factory=list)
    """Those whose alternatives the experiment gives itself."""


def listed(
    choices: Mapping[Side, Mapping[str, AlternativeKey]],
    section: Sensitivity,
    vary: Sequence[Axis],
    repeats: Repeats,
    says_nothing: Asked,
    is_vain: Asked,
    is_present: Asked,
) -> KeyList:
    """List the keys of two schemes and their variations.

    Args:
        choices: of each scheme, by key.
        section: which keys are moved.
        vary: alternatives that the experiment gives: those after the first.
        repeats: what moves from repeat to repeat is no choice.
        says_nothing: asked whether a key with its present value is refused as without effect.
        is_vain: the same of an absent key and a value for it.
        is_present: asked whether a value is the present one, in other words.
    """
    found = KeyList()
    own = {axis.name: axis.choices for axis in vary if not axis.crossed}
    names = dict.fromkeys([*choices["baseline"], *choices["candidate"]])
    names |= dict.fromkeys(own)
    solved = any(key in side and side[key].present for side in choices.values() for key in SOLVED)
    for name in names:
        if name in MOVED_BY_REPEATS[repeats.by] or (solved and name == PACE):
            continue
        here: dict[Side, AlternativeKey] = {
            side: choices[side][name] for side in SIDES if name in choices[side]
        }
        if name in own:
            found.changed.append(name)
            here = _given(name, [each.text for each in own[name][1:]], here)
        if not any(each.others() for each in here.values()):
            continue
        if _left_out(name, section):
            found.left_out.append(name)
        elif len({each.present for each in here.values()}) > 1:
            found.compared.append(name)
        elif any(_says_nothing(side, each, says_nothing, is_vain) for side, each in here.items()):
            found.vain.append(name)
        else:
            key = _key(name, here, is_present)
            if key.variations:
                found.keys.append(key)
    found.keys.sort(key=lambda key: KINDS.index(key.kind))
    return found


def _given(
    name: str, values: Sequence[str], here: Mapping[Side, AlternativeKey]
) -> dict[Side, AlternativeKey]:
    """The choice with the alternatives that the experiment gives."""
    why = "The experiment gives these alternatives itself."
    if not here:
        return {side: AlternativeKey(name, "scope", why, None, tuple(values)) for side in SIDES}
    return {
        side: AlternativeKey(name, each.kind, why, each.present, tuple(values), each.raw)
        for side, each in here.items()
    }


def _says_nothing(side: Side, choice: AlternativeKey, says_nothing: Asked, is_vain: Asked) -> bool:
    """Whether the configuration itself says of a key that it has no effect on the drive of a scheme."""
    if choice.present is not None:
        return says_nothing(side, choice.key, choice.present)
    return all(is_vain(side, choice.key, moved) for moved in choice.others().values())


def _left_out(name: str, section: Sensitivity) -> bool:
    wanted = not section.keys or any(fnmatchcase(name, each) for each in section.keys)
    return not wanted or any(fnmatchcase(name, each) for each in section.without)


def _key(name: str, here: Mapping[Side, AlternativeKey], is_present: Asked) -> Key:
    first = next(iter(here.values()))
    key = Key(name, first.kind, first.why, {side: each.present for side, each in here.items()})
    for value, moved in first.others().items():
        if any(is_present(side, name, moved) for side in here):
            continue
        for move in _moves(name, here):
            variant = Moved(((name, moved),))
            pairing = Pairing(
                variant if move in ("both", "baseline") else BASE,
                variant if move in ("both", "candidate") else BASE,
            )
            key.variations.append(Variation(name, value, move, pairing))
    return key


def _moves(name: str, here: Mapping[Side, AlternativeKey]) -> tuple[Move, ...]:
    """For whom a key is moved; what both schemes run on, and from, is never moved for one of them alone."""
    if len(here) < len(SIDES):
        return tuple(here)
    same = is_work(name) or any(below(name, each) for each in SHARED)
    shared = same or any(each.kind == "scope" for each in here.values())
    return ("both",) if shared else ("both", "baseline", "candidate")


def unknown_patterns(section: Sensitivity, names: Sequence[str]) -> list[str]:
    """Give patterns of the experiment that no key matches."""
    return [
        each
        for each in (*section.keys, *section.without)
        if not any(fnmatchcase(name, each) for name in names)
    ]
