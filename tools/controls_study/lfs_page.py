"""What docs/controls.md says of the cleaner of a log-structured file system, from stored figures."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

import altair as alt

from controls_study.lfs import LOADS, STORED, VICTIMS
from network_study.pictures import on_white
from reclaim.charts import PALETTE, chart_of
from reclaim.report.document import Table
from reclaim.report.forms import markdown_of
from reclaim.units import MISSING

UNIFORM, LOCAL, MORE_LOCAL = LOADS
GREEDY, COST_BENEFIT = VICTIMS
Curve = Mapping[float, float]


def stored(what: str) -> list[dict[str, Any]]:
    """What was measured for one purpose."""
    found: list[dict[str, Any]] = json.loads(STORED.read_text(encoding="utf-8"))
    return [each for each in found if each["what"] == what]


def curve(load: str, victim: str, what: str = "curves") -> Curve:
    """Pages written per page of a load, by how full the log is."""
    of = {"load": load, "victim": victim}
    return {each["utilisation"]: each["found"] for each in stored(what) if each.items() >= of.items()}


def lower(load: str, what: str = "curves") -> dict[float, float]:
    """By which share cost-benefit writes less than greedy, by how full the log is."""
    ours, theirs = curve(load, COST_BENEFIT, what), curve(load, GREEDY, what)
    return {at: 1 - ours[at] / theirs[at] for at in ours}


def victims(victim: str) -> list[float]:
    """Shares of victims by how full they are, in twentieths."""
    (found,) = [each["found"] for each in stored("victims") if each["victim"] == victim]
    return list(found)


def peak(shares: list[float], below: bool) -> float:
    """How full the most frequent victims of the emptier, or the fuller half are."""
    half = range(10) if below else range(10, 20)
    return (max(half, key=shares.__getitem__) + 0.5) / 20


def percent(share: float) -> str:
    """A share, whole."""
    return f"{100 * share:.0f} %"


class Claim(NamedTuple):
    """A statement of section 3.5, and what was found of it, with relocated pages grouped by age, too."""

    what: str
    printed: str
    found: str
    holds: bool
    grouped: str = MISSING
    holds_grouped: bool | None = None

    @property
    def agrees(self) -> bool:
        """Whether it does; where pages are grouped by age, as in the paper, that decides."""
        return self.holds if self.holds_grouped is None else self.holds_grouped


def _of(kept: Sequence[float], all_of: Collection[float]) -> tuple[str, bool]:
    """At how many utilisations something holds, and whether that is at most of them."""
    return f"at {len(kept)} of {len(all_of)}", len(kept) > len(all_of) / 2


def _locality(what: str) -> list[tuple[str, bool]]:
    """Whether greedy writes more under locality, and more so under more of it, by over 1 %."""
    uniform, local, further = (curve(load, GREEDY, what) for load in LOADS)
    pairs = ((local, uniform), (further, local))
    return [_of([at for at in local if more[at] > 1.01 * less[at]], local) for more, less in pairs]


def _gains(what: str) -> list[tuple[str, bool]]:
    """By how much cost-benefit writes less: at most, up to 60 % and above, and under more locality."""
    gain, further = lower(LOCAL, what), lower(MORE_LOCAL, what)
    below, above = (max(gain[at] for at in gain if (at > 0.6) == side) for side in (False, True))
    most, more = max(gain.values()), max(further.values())
    return [
        (percent(most), most > 0.45),
        (f"{percent(above)}, to 60 % full {percent(below)}", above > below),
        (percent(more), more > most),
    ]


def claims() -> list[Claim]:
    """The statements."""
    uniform, shares = curve(UNIFORM, GREEDY), victims(COST_BENEFIT)
    emptied, hot, cold = 1 - 1 / uniform[0.75], peak(shares, True), peak(shares, False)
    both = zip(_locality("curves") + _gains("curves"), _locality("small") + _gains("small"), strict=True)
    printed = (
        ("locality makes greedy write more", "yes"),
        ("… more locality, more so", "yes"),
        ("cost-benefit writes less, at most by", "50 %"),
        ("… mostly above 60 % full", "yes"),
        ("… more locality, more so", "yes"),
    )
    return [
        Claim(
            "uniform, 75 % full: how full victims are", "55 %", percent(emptied), abs(emptied - 0.55) < 0.02
        ),
        Claim(
            "uniform, under 20 % full: some victims are empty",
            "yes",
            percent(2 - uniform[0.15]),
            uniform[0.15] < 1.5,
        ),
        *(Claim(*each, *plain, *grouped) for each, (plain, grouped) in zip(printed, both, strict=True)),
        Claim(
            "cost-benefit, 75 % full: emptier and fuller victims are",
            "15 % and 75 %",
            f"{percent(hot)} and {percent(cold)}",
            abs(hot - 0.15) < 0.05 and abs(cold - 0.75) < 0.1,
        ),
        Claim("… most are of the emptier", "yes", percent(sum(shares[:10])), sum(shares[:10]) > 0.5),
    ]


def table() -> str:
    """A row for each claim."""
    rows = [
        [each.what, each.printed, each.found, each.grouped, "yes" if each.agrees else "**no**"]
        for each in claims()
    ]
    return markdown_of(Table(["section 3.5", "printed", "relocated apart", "grouped by age", "agrees"], rows))


def gain_at(**changes: Any) -> float:
    """By which share cost-benefit writes less in a log three quarters full, with what is varied."""
    found = {each["victim"]: each["found"] for each in stored("varied") if each.items() >= changes.items()}
    return float(1 - found[COST_BENEFIT] / found[GREEDY])


def spread() -> str:
    """The same at other sizes, lengths of segments and seeds: least and most."""
    varied = ({"segments": 250}, {"segments": 4000}, {"pages": 32}, {"pages": 512}, {"seed": 2})
    gains = [gain_at(**each) for each in varied]
    return f"{100 * min(gains):.0f} to {percent(max(gains))}"


def picture() -> dict[str, Any]:
    """How full victims are under both policies."""
    values = [
        {"full": 100 * at / 20, "to": 100 * (at + 1) / 20, "share": 100 * share, "victims": victim}
        for victim in VICTIMS
        for at, share in enumerate(victims(victim))
    ]
    color = alt.Color(
        "victims:N",
        sort=list(VICTIMS),
        title=None,
        scale=alt.Scale(domain=list(VICTIMS), range=[PALETTE[1], PALETTE[0]]),
        legend=alt.Legend(orient="top"),
    )
    drawn = (
        chart_of(values)
        .mark_bar(opacity=0.75, binSpacing=0)
        .encode(
            x=alt.X(
                "full:Q", title="how full a victim is, %", scale=alt.Scale(domain=[0, 100]), bin="binned"
            ),
            x2="to:Q",
            y=alt.Y("share:Q", title="victims, %", stack=None),
            color=color,
        )
        .properties(width=520, height=200)
    )
    return on_white(drawn.configure_axis(labelFontSize=12, titleFontSize=12))
