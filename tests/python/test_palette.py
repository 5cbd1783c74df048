"""Colours of charts are told apart, by readers who see them all and by those who do not, on either page."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from reclaim.charts import PALETTE
from reclaim.results.plots import PARTS

ALL = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
PROTANOPIA = [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
]
DEUTERANOPIA = [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.011820, 0.042940, 0.968881],
]
TRITANOPIA = [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.303900],
]
EYES = {"all": ALL, "protanopia": PROTANOPIA, "deuteranopia": DEUTERANOPIA, "tritanopia": TRITANOPIA}
"""Machado, Oliveira and Fernandes, 2009: what is seen of linear red, green and blue."""
XYZ = [
    [0.4124564, 0.3575761, 0.1804375],
    [0.2126729, 0.7151522, 0.0721750],
    [0.0193339, 0.1191920, 0.9503041],
]
WHITE = (0.95047, 1.0, 1.08883)
PAGES = {"#ffffff": "#000000", "#12161b": "#e8edf2"}
"""Backgrounds, and what black lines are drawn in there."""


def linear(colour: str) -> np.ndarray:
    parts = np.array([int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)])
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def lab(seen: np.ndarray) -> np.ndarray:
    share = np.array(XYZ) @ np.clip(seen, 0, 1) / np.array(WHITE)
    root = np.where(share > (6 / 29) ** 3, np.cbrt(share), share * (29 / 6) ** 2 / 3 + 4 / 29)
    return np.array([116 * root[1] - 16, 500 * (root[0] - root[1]), 200 * (root[1] - root[2])])


def distance(one: str, other: str, eyes: str) -> float:
    """Distance in CIELAB: about 2 is just seen."""
    seen = [lab(np.array(EYES[eyes]) @ linear(each)) for each in (one, other)]
    return float(np.linalg.norm(seen[0] - seen[1]))


def contrast(colour: str, page: str) -> float:
    """The contrast ratio of WCAG."""
    dark, light = sorted(float(np.array(XYZ[1]) @ linear(each)) for each in (colour, page))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("eyes", EYES)
def test_schemes_and_parts_of_a_latency_are_told_apart(eyes: str) -> None:
    for page, black in PAGES.items():
        drawn = [black if each == "#000000" else each for each in PALETTE]
        assert len(set(drawn)) == 8
        assert min(distance(*pair, eyes) for pair in combinations(drawn, 2)) > 15
        assert min(contrast(each, page) for each in drawn) > 2
    assert min(distance(*pair, eyes) for pair in combinations(PARTS, 2)) > 9
    assert min(distance(part, scheme, "all") for part in PARTS for scheme in PALETTE) > 25
