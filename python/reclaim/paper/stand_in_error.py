"""How far a figure of stand-ins may be off because they were made from a few published figures.

Stand-ins were made from such figures alone of traces that are at hand, and both were played on the same
drives; `docs/collecting-stand-ins.md` has the deviations one by one. The bar of a class of published figures
is the deviation that four in five of them kept below.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from reclaim.paper.claims import Claim
from reclaim.paper.measured import Figure

CLASSES = (
    ("overwrites.overwrite_ratio", "sizes and overwrite ratio"),
    ("space.write_footprint_bytes", "written space"),
    ("sequentiality.write.next_to_previous_share", "sizes and streams"),
)
"""A published figure, and the class of those who publish it; the first that fits."""
OTHERWISE = "sizes"
AMPLIFICATION = ("write_amplification", "relocat", "erases", "copies", "valid_pages")
"""Parts of the names of metrics that count what collection moves and erases."""
MEANS = ("_mean_ns", "_ns_per_", "throughput", "iops", "span_ns")
TAILS = ("_p9", "_max_ns")
KINDS = {"amplification": AMPLIFICATION, "tails": TAILS, "means": MEANS}
"""Of the errors that were measured; the first of which a metric's name has a part."""


@dataclass(frozen=True)
class Bar:
    """The error of stand-ins of a class."""

    made_of: str
    """What is published of them."""
    value: float
    """Of a figure by itself: natural logarithm of its ratio to what the source gives."""
    ratio: float
    """Of the ratio of two drives: the same."""

    def of(self, claim: Claim) -> float:
        """The one that holds for what is claimed."""
        return self.value if claim.kind == "value" and not claim.relative else self.ratio


def bar_of(claim: Claim, published: Collection[Mapping[str, Any]]) -> Bar | None:
    """Give the widest bar of the stand-ins that a claim rests on, from the figures published of each.

    None if it rests on none, or on a metric whose error was not measured.
    """
    kind = kind_of(claim.measure.metric) if claim.measure is not None else claim.error_of
    if not kind:
        return None
    names = dict.fromkeys(class_of(figures) for figures in published)
    bars = [Bar(name, **_measured()[name][kind]) for name in names]
    return max(bars, key=lambda bar: bar.of(claim), default=None)


def class_of(figures: Mapping[str, Any]) -> str:
    """Name the class of what is published of a trace.

    >>> class_of({"requests.write_ratio": 0.5, "overwrites.overwrite_ratio": 0.9})
    'sizes and overwrite ratio'
    """
    return next((name for path, name in CLASSES if path in figures), OTHERWISE)


def kind_of(metric: str) -> str | None:
    """Say which error a metric has: of amplification, of means of times, or of tails; None for others.

    >>> kind_of("write_p99_9_ns"), kind_of("flushes")
    ('tails', None)
    """
    for kind, parts in KINDS.items():
        if any(part in metric for part in parts):
            return kind
    return None


def remark(claim: Claim, figure: Figure | None, bar: Bar | None) -> str:
    """Say how far stand-ins may be off, and whether the agreement's margin is inside; empty without a bar."""
    if bar is None or figure is None or claim.kind == "shape":
        return ""
    error = bar.of(claim)
    said = f"stand-ins of this class ({bar.made_of}) are off by a factor of up to {math.exp(error):.2f}"
    room = margin(claim, figure)
    if room is not None and room < error:
        return f"{said}, more than the margin of this agreement"
    return said


def margin(claim: Claim, figure: Figure) -> float | None:
    """How far our figure could move before the agreement would be another, as the logarithm of a ratio.

    Of a ratio the nearest of no difference and the edges of its tolerance; None where that is no ratio.
    """
    if claim.kind == "order":
        return _log(figure.value)
    if not isinstance(claim.value, float):
        return None
    edges = list(claim.band)
    if claim.kind == "ratio" and claim.side != 0:
        edges.append(claim.neutral)
    here = as_ratio(claim, figure.value)
    distances = [_log(here / ratio) for edge in edges if (ratio := as_ratio(claim, edge)) > 0]
    return min((each for each in distances if each is not None), default=None)


def as_ratio(claim: Claim, value: float) -> float:
    """A printed gain as the ratio of ours to theirs that it stands for; any other value as it is.

    A gain of 25.87 % is a ratio of 0.7413: percent are hundredths.
    """
    if claim.kind != "ratio" and not claim.relative:
        return value
    form = claim.measure.form if claim.measure is not None else ""
    share = value / 100 if claim.unit == "%" else value
    if form == "increase":
        return 1 + share
    if form == "reduction" or claim.unit == "%":
        return 1 - share
    return value


def _log(ratio: float) -> float | None:
    return abs(math.log(ratio)) if ratio > 0 else None


@cache
def _measured() -> dict[str, dict[str, dict[str, float]]]:
    file = resources.files("reclaim") / "data" / "stand-in-error.toml"
    table: dict[str, Any] = tomllib.loads(file.read_text(encoding="utf-8"))
    return {each["published"]: {kind: each[kind] for kind in KINDS} for each in table["class"]}
