"""The conclusion of a study, in a sentence: what the comparison says, and which choices would turn it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from reclaim.result.sets.metrics import describe
from reclaim.result.verdict import in_words
from reclaim.statistics.samples import Sample
from reclaim.study.sensitivity.comparison import Kept
from reclaim.study.sensitivity.judging import UNCOLLECTED, UNSTEADY, Key, Move, PairedRatios, Status, state_of
from reclaim.study.sensitivity.phases import Findings
from reclaim.units import MISSING

WORDS: dict[Status, tuple[str, str]] = {
    "turns": ("turns it", "turn it"),
    "open": ("leaves it open", "leave it open"),
    "unsteady": ("ran unsteadily", "ran unsteadily"),
    "uncollected": ("collected nothing", "collected nothing"),
    "refused": ("could not be run", "could not be run"),
    "not-run": ("was beyond the budget", "were beyond the budget"),
    "nothing": ("changes nothing", "change nothing"),
}
"""What is counted beside those that agree: of one key, and of several."""
GIVES = ("gives it a direction", "give it a direction")
"""What a key does that shows a difference where the base shows none."""
NAMED: tuple[Status, ...] = ("turns", "open")
SILENT: dict[Status, str] = {
    "unsteady": "ran unsteadily",
    "uncollected": "collected nothing",
    "refused": "could not be run",
    "not-run": "were beyond the budget",
}
"""What is counted of variations."""
MOST_NAMED = 8
LOADS: dict[Kept, str] = {
    "arrivals": "requests arrive when they do in the base",
    "utilisation": "the host uses dies as much as in the base",
}


@dataclass(frozen=True)
class ComparedNames:
    """What is compared."""

    baseline: str
    candidate: str
    objective: str

    def whose(self, move: Move) -> str:
        """Say for whom a key is moved; nothing where it is for both.

        >>> ComparedNames("greedy", "fifo", "write_mean_ns").whose("candidate")
        ' for fifo alone'
        """
        return (
            "" if move == "both" else f" for {self.baseline if move == 'baseline' else self.candidate} alone"
        )


def ratio_text(sample: Sample) -> str:
    """Write a ratio with its interval.

    >>> ratio_text(Sample.of([-0.5, -0.6, -0.4, -0.5, -0.5, -0.5])), ratio_text(Sample.of([0.0] * 6))
    ('×0.607, 95 % 0.549 to 0.670', '×1.000')
    """
    text = f"×{math.exp(sample.median):.3f}"
    span = sample.interval()
    return text if span is None else f"{text}, 95 % {math.exp(span[0]):.3f} to {math.exp(span[1]):.3f}"


def ratio_of(found: PairedRatios) -> str:
    """Write the ratio of a comparison that has one, with its mark."""
    if found.sample is None:
        return MISSING
    value, comma, interval = ratio_text(found.sample).partition(",")
    return f"{value}{found.mark and f' {found.mark}'}{comma}{interval}"


def comparison_text(names: ComparedNames, base: PairedRatios, side: int) -> str:
    """Say what the comparison says as it stands."""
    label, baseline, candidate = describe(names.objective).label, names.baseline, names.candidate
    sample = base.sample
    if sample is None:
        return f"{candidate} cannot be compared with {baseline} in {label} ({base.fault})"
    if not sample.varies:
        return (
            f"{candidate} has {ratio_of(base)} the {label} of {baseline}, and all repeats measured the "
            "same, so that there is no interval"
        )
    if side == 0:
        return f"no difference between {candidate} and {baseline} in {label} is shown ({ratio_of(base)})"
    word = "lower" if side < 0 else "higher"
    return f"{candidate} has a {word} {label} than {baseline} ({ratio_of(base)})"


def _keys(keys: Sequence[Key], names: ComparedNames) -> str:
    named = [f"`{key.name}`{_alone(key, names)}" for key in keys[:MOST_NAMED]]
    more = len(keys) - len(named)
    return ", ".join(named) + (f" and {more} more" if more else "")


def _alone(key: Key, names: ComparedNames) -> str:
    """For which scheme a key matters, if it does for one alone."""
    moves = {each.move for each in key.turning or key.opening}
    return names.whose(moves.pop()) if len(moves) == 1 else ""


def counts(study: Findings) -> dict[Status, list[Key]]:
    """Give the keys of every status, those of one in the order of their corrected p."""
    ordered = sorted(study.keys, key=lambda key: key.corrected)
    return {status: [key for key in ordered if key.status == status] for status in (*WORDS, "holds")}


def _count_text(study: Findings, names: ComparedNames) -> str:
    found = counts(study)
    parts = []
    for status, (one, many) in WORDS.items():
        keys = found[status]
        if not keys and status not in NAMED:
            continue
        if status == "open" and study.side == 0:
            continue
        words = GIVES if status == "turns" and study.side == 0 else (one, many)
        number = str(len(keys)) if keys else "none"
        word = words[0] if len(keys) < 2 else words[1]
        parts.append(f"{number} {word}" + (f" ({_keys(keys, names)})" if keys and status in NAMED else ""))
    choices = f"{len(study.keys)} choices" if len(study.keys) != 1 else "1 choice"
    return f"of {choices} " + ", ".join(parts)


def _reach_text(study: Findings, names: ComparedNames) -> str:
    """Say what the conclusion depends on, and where it holds: scope is not something that it depends on."""
    turning = counts(study)["turns"]
    parts = []
    depends = [key for key in turning if key.kind != "scope"]
    if depends:
        # Those that turn it are named just before.
        whole = "that choice" if len(turning) == 1 else "these choices"
        parts.append(f"it depends on {whole if depends == turning else _keys(depends, names)}")
    scope = [key for key in turning if key.kind == "scope"][:MOST_NAMED]
    if scope:
        here = ", ".join(f"`{key.name}` = {_present(key)}" for key in scope)
        there = ", ".join(
            f"`{key.name}` = {' or '.join(dict.fromkeys(each.value for each in key.turning))}"
            for key in scope
        )
        parts.append(f"it holds on {here}, not on {there}")
    return "; ".join(parts)


def _silent_text(study: Findings) -> str:
    """Count the variations that say nothing, which those of a key that holds otherwise are among."""
    of_all = [
        state_of(each, study.side, study.expected, study.base)
        for key in study.keys
        for each in key.variations
    ]
    parts = [f"{of_all.count(each)} {word}" for each, word in SILENT.items() if each in of_all]
    if not parts:
        return ""
    last = parts.pop()
    told = f"{', '.join(parts)} and {last}" if parts else last
    return f" Of {len(of_all)} variations {told}: these say nothing of it."


def _present(key: Key) -> str:
    return next((value for value in key.present.values() if value is not None), "as it is")


def sentence(names: ComparedNames, study: Findings, kept: Kept) -> str:
    """Write the conclusion."""
    text = f"{comparison_text(names, study.base, study.side)}; {_count_text(study, names)}"
    text += f"; {LOADS[kept]}."
    reach = _reach_text(study, names) if study.side else ""
    if reach:
        text += f" {reach[0].upper()}{reach[1:]}."
    text += _silent_text(study)
    together = [each for each in (*study.pairs, *study.combinations) if each.turns]
    if together and study.side:
        tried = len(study.pairs) + len(study.combinations)
        text += f" Moved together, {len(together)} of {tried} sets of keys turn it."
    doubts = sorted(study.expected & (UNSTEADY | UNCOLLECTED))
    if doubts:
        text += (
            f" The base itself is not steady ({', '.join(map(in_words, doubts))}): docs/verdicts.md has the "
            "limits of each and what settles it."
        )
    return text
