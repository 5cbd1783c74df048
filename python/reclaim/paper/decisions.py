"""The decision table of agreement: of the rules of what is known of a claim, the first that holds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

from reclaim.report.document import Table
from reclaim.report.forms import markdown_of

Name = Literal[
    "matches",
    "same direction",
    "below resolution",
    "not reproduced",
    "depends on a choice",
    "not established",
    "not trustworthy",
    "artefact",
    "other trace",
    "open",
    "error in the paper",
    "outside the model",
    "not run",
    "not judged",
]
NAMES: tuple[Name, ...] = get_args(Name)
WITHOUT_OURS: tuple[Name, ...] = (
    "artefact",
    "open",
    "error in the paper",
    "outside the model",
    "not run",
    "not judged",
)
"""Agreements that do not rest on what was simulated; all others do."""
NOT_COUNTED: tuple[Name, ...] = ("other trace", "outside the model")
"""Agreements on what no run here can decide: they are shown beside the totals, not in them."""

Beside = Literal["within", "on its side", "no difference, printed effect", "off"]
"""Our figure beside the printed one: within tolerance and on its side; on its side alone; its interval holds
both no difference and the printed effect; anything else."""
BESIDE: tuple[Beside, ...] = get_args(Beside)
Trust = Literal["trustworthy", "not established", "not trustworthy"]
"""What the simulator itself says of the runs that a figure rests on, as far as that figure goes."""
TRUSTS: tuple[Trust, ...] = get_args(Trust)


@dataclass(frozen=True)
class Facts:
    """All that an agreement is decided by."""

    contradicts: bool = False
    """Printed numbers contradict each other."""
    outside: bool = False
    """No run of this simulator can decide it."""
    measured: bool = True
    """There is a figure of ours."""
    open: bool = False
    """Our figure hangs on a choice that no reading declares."""
    other_trace: bool = False
    """It is an absolute figure, and none of the traces here is the one that it was measured with."""
    artefact: bool = False
    """We show what else produces the printed number."""
    trust: Trust = "trustworthy"
    turned: bool = False
    """A study of sensitivity found a reading or an unprinted parameter that turns it, or leaves it open."""
    beside: Beside = "off"
    in_full: bool = True
    """All its workloads were run, and repeats say how far the figure can be trusted."""
    full_repeats: bool = True
    """It was run as often as agreements to be cited are."""


class Rule(NamedTuple):
    """When an agreement is given, unless a rule above it holds."""

    agreement: Name
    when: str
    holds: Callable[[Facts], bool]


TABLE: tuple[Rule, ...] = (
    Rule(
        "error in the paper",
        "printed numbers contradict each other, whatever they were rounded from; the computation is shown",
        lambda facts: facts.contradicts,
    ),
    Rule(
        "outside the model",
        "declared in `expected.toml`, with the reason: silicon area, energy, another processor, the "
        "authors' own traces, background that the paper only cites, digits that cannot be read",
        lambda facts: facts.outside,
    ),
    Rule(
        "not run",
        "the level has no such cell, Reclaim lacks something (said what), or every cell was refused",
        lambda facts: not facts.measured,
    ),
    Rule(
        "open",
        "our figure depends on a choice that is neither the paper's nor a declared reading; the reason "
        "names it",
        lambda facts: facts.open,
    ),
    Rule(
        "other trace",
        "an absolute figure of which all traces here are recordings of ours or stand-ins; it is shown, "
        "and counted in no total",
        lambda facts: facts.other_trace,
    ),
    Rule(
        "artefact",
        "we show what produces the printed number: repository, commit and function, or the derivation",
        lambda facts: facts.artefact,
    ),
    Rule(
        "not trustworthy",
        "a run that the figure rests on warns of it (docs/verdicts.md)",
        lambda facts: facts.trust == "not trustworthy",
    ),
    Rule(
        "not established",
        "a run that the figure rests on does not establish it (docs/verdicts.md)",
        lambda facts: facts.trust == "not established",
    ),
    Rule(
        "depends on a choice",
        "a reading that the paper permits, or a parameter that it does not print, turns the claim or "
        "leaves it open ([sensitivity](sensitivity.md)); the reason names the choice",
        lambda facts: facts.turned,
    ),
    Rule(
        "matches",
        "our figure is within tolerance of the printed one, and no workload is missing; of a ratio, the "
        "whole interval over six repeats or more is on the printed side, too",
        lambda facts: facts.beside == "within" and facts.in_full,
    ),
    Rule(
        "same direction",
        "the whole interval of a ratio is on the printed side, but our figure is outside the "
        "tolerance; or something is missing for a match",
        lambda facts: facts.beside in ("within", "on its side"),
    ),
    Rule(
        "below resolution",
        "the interval of a ratio holds both no difference and the printed effect with its tolerance, "
        "and more runs than those of `--full` would be needed to tell them apart",
        lambda facts: facts.beside == "no difference, printed effect" and facts.full_repeats,
    ),
    Rule(
        "not reproduced",
        "all else: the interval excludes the printed effect, or is on the other side; a "
        "figure that is no ratio is outside its tolerance",
        lambda _facts: True,
    ),
)


def decide(facts: Facts) -> Name:
    """Give the agreement.

    >>> decide(Facts(beside="within")), decide(Facts(beside="within", trust="not established"))
    ('matches', 'not established')
    """
    return next(rule.agreement for rule in TABLE if rule.holds(facts))


def comes_before(agreement: str, other: Name) -> bool:
    """Whether an agreement is decided before another one is asked for; what is not judged is, too.

    >>> comes_before("not established", "depends on a choice"), comes_before("matches", "depends on a choice")
    (True, False)
    """
    order: list[str] = [rule.agreement for rule in TABLE]
    return agreement not in order or order.index(agreement) < order.index(other)


def as_markdown() -> str:
    """The table as docs/papers.md shows it."""
    rows = [[f"**{rule.agreement}**", rule.when] for rule in TABLE]
    return markdown_of(Table(["agreement", "when, if no row above holds"], rows)).rstrip("\n")
