"""The first screen of every report: the answer in one sentence, one picture of ratios, all else folded."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from reclaim.palette import COLOURS
from reclaim.report.document import LEGEND, Block, Chart, Fold, Note, Notes, Table, Text, Verdict

PICTURE = "answer"
"""What the picture of ratios is called, as a figure and as a file."""
SAME_WITHIN = 0.01
"""Share by which figures may differ without one being ahead; latencies are kept to 0.1 %."""
Way = Literal["lower", "higher"]
Shown = Literal["lower", "higher", "no measurable difference", "no interval", "inconclusive"]
COLOUR: dict[Shown, str] = {
    "lower": COLOURS[0],
    "higher": COLOURS[1],
    "no measurable difference": "#8a8a8a",
    "no interval": "#8a8a8a",
    "inconclusive": COLOURS[3],
}
"""A colour says which way a figure differs; hollow marks are no evidence."""
ROW, CONTROL = 38, 20
"""Pixels of a row: its words above its mark; and of the words of a control below."""
PANEL, MOST_PANELS = 430, 8
NEAR = 1.1
"""The axis reaches at least as far on both sides."""
TWICE = 2.0


def listed(names: Iterable[str]) -> str:
    """Names as a sentence lists them.

    >>> listed(["a"]), listed(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def percent(share: float) -> str:
    """A share for a sentence, with two digits or three.

    >>> percent(0.0604), percent(0.4321), percent(0.01)
    ('6.0 %', '43 %', '1 %')
    """
    return f"{100 * share:.1f} %" if SAME_WITHIN < share < 0.0995 else f"{100 * share:.0f} %"


def change(value: float) -> str:
    """How far a ratio is from 1, for a picture.

    >>> change(0.81), change(1.3), change(3.06), change(0.999)
    ('19 % lower', '30 % higher', '3.1 times', 'equal')
    """
    if value >= TWICE:
        return f"{value:.1f} times" if value < 10 else f"{value:.0f} times"
    share = percent(abs(1 - value))
    return "equal" if share == "0 %" else f"{share} {'lower' if value < 1 else 'higher'}"


def way(value: float, low: float | None, high: float | None, *, alone: bool = False) -> Way | None:
    """Which way a ratio to a baseline differs from 1, by the whole of its interval; None if it may not.

    Args:
        value: the ratio.
        low: least of its interval; None where it has none.
        high: most of it.
        alone: whether a ratio without an interval counts by itself.

    >>> way(0.9, 0.85, 0.95), way(0.9, 0.85, 1.02), way(1.2, None, None), way(1.2, None, None, alone=True)
    ('lower', None, None, 'higher')
    """
    if low is None or high is None:
        if not alone:
            return None
        low = high = value
    if high < 1 and value < 1 - SAME_WITHIN:
        return "lower"
    return "higher" if low > 1 and value > 1 + SAME_WITHIN else None


def _short(ratio: float) -> str:
    """Write a ratio with two decimals, a large one with fewer: a picture is narrow.

    >>> _short(0.984), _short(38.153), _short(1287.04)
    ('0.98', '38.2', '1,287')
    """
    return f"{ratio:,.{2 if ratio < 10 else 1 if ratio < 100 else 0}f}"


@dataclass(frozen=True)
class Ratio:
    """A figure over that of the baseline: the median of repeats, with its 95 % interval if it has one."""

    figure: str
    value: float
    low: float | None = None
    high: float | None = None
    mark: str = ""
    """`?` or `!` where a verdict speaks against either."""
    beside: str = ""
    """What a reader must know with it, below it in the picture."""
    control: Ratio | None = None
    """The same figure of a simpler scheme over the same baseline, called by that scheme."""

    @classmethod
    def of_logs(cls, figure: str, value: float, ends: tuple[float, float] | None, mark: str) -> Ratio:
        """Make it of logarithms; without ends it has no interval."""
        low, high = (None, None) if ends is None else map(math.exp, ends)
        return cls(figure, math.exp(value), low, high, mark)

    @property
    def shown(self) -> Shown:
        """What the runs show of it."""
        if self.mark:
            return "inconclusive"
        if self.low is None or self.high is None:
            return "no interval"
        return way(self.value, self.low, self.high) or "no measurable difference"

    @property
    def size(self) -> float:
        """How large the effect is, whichever way."""
        return abs(math.log(self.value))

    @property
    def brief(self) -> str:
        """The change, the ratio, and the mark."""
        return self._told("")

    @property
    def text(self) -> str:
        """The same with the interval; what the runs do not show has no words.

        >>> [Ratio("p99", 0.98, low, high).text for low, high in ((0.97, 0.99), (0.95, 1.01))]
        ['2.0 % lower · ×0.98 [0.97, 0.99]', '×0.98 [0.95, 1.01]']
        >>> Ratio("p99", 1.004, 0.997, 1.008).text
        'equal · ×1.00 [1.00, 1.01]'
        """
        ends = () if self.low is None or self.high is None else (self.low, self.high)
        return self._told(f" [{', '.join(map(_short, ends))}]" if ends else "")

    def _told(self, ends: str) -> str:
        words = f"{change(self.value)} · "
        if self.shown == "no measurable difference":
            # What the runs do not show has no words: neither a way, nor that both are equal.
            low, high = _ends(self)
            words = "equal · " if max(1 - low, high - 1) <= SAME_WITHIN else ""
        return f"{words}×{_short(self.value)}{ends}{self.mark and f' {self.mark}'}"

    @property
    def said(self) -> str:
        """The same in a sentence, behind what does it.

        >>> Ratio("p99", 0.8, 0.7, 0.9).said, Ratio("p99", 3.0).said
        ('lowers p99 by 20 % (95 % interval 10 % to 30 %)', 'makes p99 3.0 times as high')
        """
        ends = ""
        if self.value >= TWICE:
            if self.low is not None and self.high is not None:
                ends = f" (95 % interval {self.low:.1f} to {self.high:.1f} times)"
            return f"makes {self.figure} {self.value:.1f} times as high{ends}"
        if self.low is not None and self.high is not None:
            least, most = sorted((1 - self.low, 1 - self.high), key=abs)
            across = "" if least * most >= 0 else "\u2212"
            ends = f" (95 % interval {across}{percent(abs(least))} to {percent(abs(most))})"
        verb = "lowers" if self.value < 1 else "raises"
        return f"{verb} {self.figure} by {percent(abs(1 - self.value))}{ends}"


@dataclass(frozen=True)
class Compared:
    """What is compared with one baseline: a panel of the picture."""

    candidate: str
    baseline: str
    ratios: Sequence[Ratio]
    name: str = ""
    """What it is about, where that is not the two."""

    @property
    def title(self) -> str:
        """Above its panel."""
        both = f"{self.candidate} compared with {self.baseline}"
        return f"{self.name}: {both}" if self.name else both


def answer(
    compared: Sequence[Compared],
    *,
    where: str = "",
    elsewhere: Iterable[tuple[str, Sequence[Compared]]] = (),
) -> str:
    """Say in one sentence which effect is the largest, and what goes the other way.

    Args:
        compared: what is compared.
        where: of what, as in "at 4 pages".
        elsewhere: the same of other points, as "at 8 pages", where the effect may be another one.
    """
    found = [(each, ratio) for each in compared for ratio in each.ratios]
    if not found:
        return "Nothing is compared: no figure is known of both."
    known = [(each, ratio) for each, ratio in found if ratio.shown in ("lower", "higher")]
    place = f" {where}" if where else ""
    if not known:
        return f"{_without(compared, found)}{place}{_farthest(elsewhere)}."
    largest, ratio = max(known, key=lambda pair: pair[1].size)
    of = "the only clear effect" if len(known) == 1 else f"the largest of {len(known)} effects"
    text = f"{largest.candidate}, compared with {largest.baseline}{place}, {ratio.said}: {of}"
    if ratio.control is not None:
        text += f"; the simpler {ratio.control.figure} has it {change(ratio.control.value)}"
        text += f" {ratio.control.mark}" if ratio.control.mark else ""
    else:
        against = [each for each in largest.ratios if {each.shown, ratio.shown} == {"lower", "higher"}]
        if against:
            text += f"; it also {max(against, key=lambda each: each.size).said}"
    open_ = [each for each in largest.ratios if each.mark and each.size > ratio.size]
    if open_:
        widest = max(open_, key=lambda each: each.size)
        text += f"; {widest.figure} is {change(widest.value)}, but inconclusive ({widest.mark})"
    return f"{text}{_farthest(elsewhere, largest, ratio)}."


def _farthest(
    elsewhere: Iterable[tuple[str, Sequence[Compared]]],
    largest: Compared | None = None,
    ratio: Ratio | None = None,
) -> str:
    """Where an effect is larger, or goes the other way; without one, the largest. Nothing if nowhere."""
    there = [
        (place, each, one)
        for place, compared in elsewhere
        for each in compared
        for one in each.ratios
        if one.shown in ("lower", "higher")
    ]
    if ratio is not None and largest is not None:
        same = (largest.candidate, largest.baseline, ratio.figure)
        there = [
            (place, each, one)
            for place, each, one in there
            if (each.candidate, each.baseline, one.figure) == same
            and (one.shown != ratio.shown or one.size > ratio.size + math.log(1 + SAME_WITHIN))
        ]
    if not there:
        return ""
    place, each, one = max(there, key=lambda found: found[2].size)
    return f"; {place} it is {change(one.value)}" if ratio else f"; {place} {each.candidate} {one.said}"


def answer_of_pairs(compared: Sequence[Compared]) -> str:
    """Say of pairs, each with its own baseline, how many improve what they are meant to, and which most.

    That is the first ratio of each.
    """
    meant = [(each, each.ratios[0]) for each in compared if each.ratios]
    lower = [(each, ratio) for each, ratio in meant if ratio.shown == "lower"]
    if len(meant) < 2 or not lower:
        return answer(compared)
    largest, ratio = max(lower, key=lambda pair: pair[1].size)
    text = f"{len(lower)} of {len(meant)} lower what they are meant to lower, most of all "
    text += f"{largest.candidate}, which {ratio.said}"
    controls = [(ratio, ratio.control) for _, ratio in lower if ratio.control is not None]
    if controls:
        as_good = sum(
            control.value <= (ratio.high or ratio.value) * (1 + SAME_WITHIN) for ratio, control in controls
        )
        text += f"; a simpler control does as well for {as_good} of the {len(controls)} that have one"
    return f"{text}."


def _without(compared: Sequence[Compared], found: Sequence[tuple[Compared, Ratio]]) -> str:
    """What is said where no effect is known."""
    each, ratio = max(found, key=lambda pair: (not pair[1].mark, pair[1].size))
    both = f"{each.candidate} and {each.baseline}" if len(compared) == 1 else "these schemes"
    alike = (
        f"{both} differ by less than {percent(SAME_WITHIN)}" if ratio.size < math.log(1 + SAME_WITHIN) else ""
    )
    if all(one.mark for _, one in found):
        told = alike or f"{each.candidate}, compared with {each.baseline}, {ratio.said}"
        return f"{LEGEND[ratio.mark].capitalize()} ({ratio.mark}): {told}"
    if all(one.low is None for _, one in found):
        told = alike or f"{each.candidate} {ratio.said} compared with {each.baseline}"
        return f"One run of each is a look, no evidence: {told}"
    return f"No measurable difference between {both}; the largest seen: {each.candidate} {ratio.said}"


def _ends(ratio: Ratio) -> tuple[float, float]:
    low, high = (ratio.value if end is None else end for end in (ratio.low, ratio.high))
    return low, high


def _record(ratio: Ratio, row: str) -> dict[str, Any]:
    low, high = _ends(ratio)
    told = {
        "row": row,
        # As long as leaves room for the ratio on a phone.
        "figure": ratio.figure.replace("amplification", "amplif."),
        "text": ratio.text,
        "shown": ratio.shown,
        "beside": ratio.beside or (f"◇ {ratio.control.figure}" if ratio.control else ""),
        "beside_text": ratio.control.brief if ratio.control else "",
    }
    numbers = {"value": ratio.value, "low": low, "high": high}
    if ratio.control:
        numbers["control"] = ratio.control.value
    return told | {key: float(f"{number:.5g}") for key, number in numbers.items()}


def picture(compared: Sequence[Compared]) -> dict[str, Any] | None:
    """Draw every ratio below its words, in a panel for each candidate; None where there is none."""
    from reclaim.charts import vega_lite_version

    panels = [each for each in compared if each.ratios][:MOST_PANELS]
    every = [ratio for each in panels for ratio in each.ratios]
    if not every:
        return None
    ends = [end for ratio in every for one in (ratio, ratio.control) if one is not None for end in _ends(one)]
    domain = [min([*ends, 1 / NEAR]) / 1.02, max([*ends, NEAR]) * 1.02]
    shown = [each for each in COLOUR if any(ratio.shown == each for ratio in every)]
    width = PANEL if len(panels) > 1 else 2 * PANEL
    return {
        "$schema": f"https://vega.github.io/schema/vega-lite/v{vega_lite_version()}.json",
        "config": {"view": {"stroke": None}, "axis": {"labelFontSize": 11, "titleFontSize": 12}},
        "vconcat": [_panel(each, domain, shown, width) for each in panels],
    }


def _panel(each: Compared, domain: list[float], shown: Sequence[Shown], width: int) -> dict[str, Any]:
    records = [_record(ratio, str(number)) for number, ratio in enumerate(each.ratios)]
    below = any(record["beside"] for record in records)
    step = ROW + (CONTROL if below else 0)
    # Words, mark, words of a control, from the top of a row.
    words, mark, further = -step / 2 + 10, -step / 2 + 26, -step / 2 + 44
    y = {"field": "row", "type": "nominal", "sort": None, "axis": None}
    title = "ratio to the baseline (log scale); lower is on the left"
    # Within a factor of ten a logarithmic axis has no words of its own at some of its ticks.
    labels = {"format": "~r"} if domain[1] > 10 * domain[0] else {"labelExpr": "format(datum.value, '~r')"}
    axis = {"tickCount": 5, "title": title, "grid": False, **labels}
    scale = {"type": "log", "domain": domain, "nice": False, "padding": 8}
    x = {"field": "value", "type": "quantitative", "scale": scale, "axis": axis}
    colour = {
        "field": "shown",
        "type": "nominal",
        "scale": {"domain": [*shown], "range": [COLOUR[name] for name in shown]},
        "legend": {"title": None, "orient": "top"},
    }

    def text(field: str, at: float, align: str) -> dict[str, Any]:
        side = 0 if align == "left" else {"expr": "width"}
        soft = {"color": "#7a8590"} if at == further else {"color": "#000000"}
        font = {"type": "text", "align": align, "fontSize": 12, "yOffset": at, "baseline": "middle"} | soft
        return {"mark": font, "encoding": {"x": {"value": side}, "y": y, "text": {"field": field}}}

    def dots(kind: str, condition: str, **properties: Any) -> dict[str, Any]:
        drawn = {"type": "point", "size": 75, "opacity": 1, "shape": kind, "yOffset": mark} | properties
        return {
            "transform": [{"filter": condition}],
            "mark": drawn,
            "encoding": {"x": x, "y": y, "color": colour},
        }

    known = "datum.shown == 'lower' || datum.shown == 'higher'"
    line = {"type": "rule", "strokeWidth": 2, "yOffset": mark, "y2Offset": mark}
    layers: list[dict[str, Any]] = [
        # No higher than the marks, so that it does not run through words.
        {
            "mark": {"type": "tick", "orient": "vertical", "color": "#8c959f", "size": 16, "yOffset": mark},
            "encoding": {"x": {name: x[name] for name in ("type", "scale", "axis")} | {"datum": 1}, "y": y},
        },
        {
            "mark": line,
            "encoding": {"x": x | {"field": "low"}, "x2": {"field": "high"}, "y": y, "color": colour},
        },
        dots("circle", known, filled=True),
        dots("circle", f"!({known})", filled=False, fill="white", strokeWidth=2),
        text("figure", words, "left"),
        text("text", words, "right"),
    ]
    if any("control" in record for record in records):
        controls = dots("diamond", "isValid(datum.control)", filled=False, color="#7a8590", strokeWidth=1.5)
        controls["encoding"] = {"x": x | {"field": "control"}, "y": y}
        layers.append(controls)
    if below:
        layers += [text("beside", further, "left"), text("beside_text", further, "right")]
    return {
        "data": {"values": records},
        "title": each.title,
        "width": width,
        "height": step * len(records),
        "layer": layers,
    }


def counted(notes: Sequence[Note]) -> str:
    """How many there are of each kind, as the heading that they are folded under.

    >>> counted([Note("a", severity="doubt"), Note("b"), Note("c")])
    '1 doubt and 2 notes'
    """
    kinds = Counter(each.severity for each in notes).items()
    return listed(f"{count} {what}{'s' if count > 1 else ''}" for what, count in kinds) if kinds else ""


def beginning(
    about: str,
    conclusion: str,
    notes: Iterable[Note | str],
    *,
    level: str = "",
    said: str = "",
    grave: Sequence[Block] = (),
    compared: Sequence[Compared] = (),
    chart: Chart | None = None,
    caption: str = "",
    names: Sequence[tuple[str, str]] = (),
) -> list[Block | None]:
    """Begin a document: what it is about, the answer, one picture; doubts and names are folded below.

    Args:
        about: what it is about.
        conclusion: the answer.
        notes: what must be known beside it.
        level: how far it can be trusted, which colours the answer.
        said: that in words.
        grave: what is not folded.
        compared: the ratios of the picture.
        chart: another picture instead.
        caption: what stands below the picture.
        names: every name of a scheme that the page uses, and what it means.
    """
    folded = Notes([*notes], "notes")
    first = chart or Chart(PICTURE, partial(picture, compared))
    words = Table(("", ""), [pair for pair in names if pair[1]], name="names", kind="entries")
    return [
        Text(about, "sub"),
        Verdict([Text(conclusion, name="opening"), Text(said, "level"), *grave], level),
        first,
        caption,
        Fold(counted(folded.items), [folded], page=False),
        Fold("What the schemes are", [words]),
    ]
