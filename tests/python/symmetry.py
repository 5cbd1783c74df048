"""Whether every chip, plane and channel of a symmetric drive does its share; makes docs/ties.md.

Every scheme runs several times on 16 chips under uniform load, with other seeds each time. What a chip did
beyond the mean of the chips that it is compared with is averaged over the runs, and set beside its standard
error, which comes from how much chips differ from run to run: no model of the load is assumed.
"""

from __future__ import annotations

import math
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import NormalDist
from typing import Any

import reclaim

PAGE = Path(__file__).parents[2] / "docs" / "ties.md"
SIDE, PLANES = 4, 2
"""Channels, chips of each, and planes of each chip."""
CHIPS = SIDE * SIDE
RUNS, REQUESTS, PAGES = 16, 40_000, 15_360
"""Pages are as many for every plane and every place of a stripe."""
FIGURES = ("jobs", "erases", "host_programs")
FALSE_ALARMS = 0.01
"""Chance that any of all comparisons is beyond its bound although everything is symmetric."""
POWER = 0.9

DRIVE: Mapping[str, Any] = {
    "geometry.channels": SIDE,
    "geometry.chips_per_channel": SIDE,
    "geometry.dies_per_chip": 1,
    "geometry.planes_per_die": PLANES,
    "geometry.blocks_per_plane": 80,
    "geometry.pages_per_block": 12,
    "geometry.spare_factor": "30%",
    "flash.cell": "TLC",
    "flash.t_read": "50us",
    "flash.t_program": "500us",
    "flash.t_erase": "1ms",
    "warmup.kind": "overwrite",
    "warmup.overwrites": 1.0,
}
FREE_BLOCKS = {"gc.trigger.start": "3 blocks", "gc.trigger.hard": "1 block"}
STRIPES = ("raid5", "dgc")
SLOW = (*STRIPES, "gc-bypass")
"""Schemes that a request costs more."""
MESHES = ("mesh", "nossd", "venice", "smartnetssd", "gc-bypass")
CORNERS = [(0, 0), (0, SIDE - 1), (SIDE - 1, 0), (SIDE - 1, SIDE - 1)]
"""Where the controllers of a mesh are: many chips are as far from them as others."""
OF_COLLECTOR = {"gc-bypass": CORNERS[-1:]}
AS_BEFORE = {
    "dgc": {"gc.deferral.ties": "lowest"},
    "buffered": {"gc.relocation.ties": "lowest"},
    "gc-bypass": {"gc.relocation.ties": "lowest"},
}
"""The schemes in which ties went to the lowest number and go in turn now."""

Work = Sequence[Sequence[float]]
"""By run, what each plane did."""


@dataclass(frozen=True)
class Deviation:
    """What one part of the drive did beyond its share."""

    scheme: str
    part: str
    """`chip`, `plane` (its place in its chip) or `channel`."""
    number: int
    figure: str
    share: float
    """Of the mean of those that it is compared with."""
    z: float
    """In standard errors, as a normal distribution has them."""
    error: float
    """The standard error, as `share`."""
    grain: float
    """One job or erase, or a block of programs, of each plane and run, as `share`."""

    def is_asymmetric(self, limit: float) -> bool:
        """Tell whether it is neither chance nor the head start of whoever begins to collect first."""
        return abs(self.z) > limit and abs(self.share) > self.grain


def device(scheme: str, more: Mapping[str, Any] | None = None) -> reclaim.Device:
    """Give the symmetric drive with a scheme."""
    settings = dict(DRIVE)
    settings |= {"redundancy.stripe_chips": SIDE} if scheme in STRIPES else {}
    if scheme in MESHES:
        settings["interconnect.controllers"] = str([list(place) for place in CORNERS])
    settings |= more or {}
    drive = reclaim.Device.preset("gc-bypass-mini").with_scheme(scheme, settings=settings)
    by_free_blocks = drive.config["gc"]["trigger"]["kind"] == "free-blocks"
    return drive.with_settings(FREE_BLOCKS) if by_free_blocks else drive


def work(scheme: str, more: Mapping[str, Any] | None = None) -> dict[str, Work]:
    """Run a scheme several times."""
    found: dict[str, list[Sequence[float]]] = {figure: [] for figure in FIGURES}
    drive = device(scheme, more)
    gap_us = 400 if scheme in SLOW else 150
    for seed in range(1, RUNS + 1):
        trace = reclaim.uniform_trace(
            footprint_bytes=4096 * PAGES, count=REQUESTS, mean_interarrival_ns=1000 * gap_us, seed=seed
        )
        table: Any = reclaim.simulate(drive, trace, seed=seed, warn=False).work_by("plane")
        for figure in FIGURES:
            columns = [figure, "parity_programs"] if figure == "host_programs" else [figure]
            found[figure].append([sum(row) for row in table.select(columns).iter_rows()])
    return dict(found)


def alike(scheme: str) -> list[list[int]]:
    """Give the chips that are compared: all, or on a mesh those as far from its controllers."""
    if scheme not in MESHES:
        return [list(range(CHIPS))]
    groups: dict[tuple[list[int], ...] | str, list[int]] = defaultdict(list)
    for chip in range(CHIPS):
        row, column = divmod(chip, SIDE)
        kinds = (CORNERS, OF_COLLECTOR.get(scheme, []))
        far = [sorted(abs(row - r) + abs(column - c) for r, c in places) for places in kinds]
        groups[str(far)].append(chip)
    return [group for group in groups.values() if len(group) > 1]


def normal(t: float, freedom: int) -> float:
    """Give what a normal distribution has in place of a value of Student's t (Wallace 1959).

    >>> round(normal(1.984, 100), 2), round(normal(-5.0, 100), 2)
    (1.96, -4.71)
    """
    z = math.sqrt(freedom * math.log1p(t * t / freedom)) * (1 - 2 / (8 * freedom + 3))
    return math.copysign(z, t)


def mean_deviations(values: Work) -> tuple[list[float], float, int]:
    """Give the mean deviation of each of several equals, its standard error and degrees of freedom."""
    runs, count = len(values), len(values[0])
    shares = [[value / (sum(row) / count) - 1 for value in row] for row in values]
    means = [sum(row[at] for row in shares) / runs for at in range(count)]
    squares = sum((row[at] - means[at]) ** 2 for row in shares for at in range(count))
    freedom = (runs - 1) * (count - 1)
    return means, math.sqrt(squares / freedom * (count - 1) / count / runs), freedom


def deviations(scheme: str, found: Mapping[str, Work]) -> Iterator[Deviation]:
    """Compare chips, places of planes and channels."""
    for figure, by_plane in found.items():
        mean_count = sum(map(sum, by_plane)) / len(by_plane) / len(by_plane[0])
        grain = (DRIVE["geometry.pages_per_block"] if figure == "host_programs" else 1) / mean_count
        by_chip = [[sum(row[at : at + PLANES]) for at in range(0, len(row), PLANES)] for row in by_plane]
        equals = [
            ("chip", group, [[row[chip] for chip in group] for row in by_chip]) for group in alike(scheme)
        ]
        # That of one of two places is that of the other.
        equals.append(("plane", [0], [[sum(row[at::PLANES]) for at in range(PLANES)] for row in by_plane]))
        if scheme not in MESHES:
            channels = [[sum(row[at : at + SIDE]) for at in range(0, CHIPS, SIDE)] for row in by_chip]
            equals.append(("channel", list(range(SIDE)), channels))
        for part, numbers, values in equals:
            means, error, freedom = mean_deviations(values)
            for number, share in zip(numbers, means, strict=False):
                # What is the same to the last page in every run is no deviation, and has no error.
                t = share / error if error > 0 else 0.0 if abs(share) < 1e-12 else math.inf
                z = normal(t, freedom) if math.isfinite(t) else t
                yield Deviation(scheme, part, number, figure, share, z, error, grain)


def bound(comparisons: int) -> float:
    """Give the z beyond which one of so many comparisons shows an asymmetry (Bonferroni)."""
    return NormalDist().inv_cdf(1 - FALSE_ALARMS / (2 * comparisons))


def seen(comparisons: int, error: float) -> float:
    """Give the deviation that would be beyond the bound nine times in ten."""
    return (bound(comparisons) + NormalDist().inv_cdf(POWER)) * error


def measure(
    settings: Callable[[str], Mapping[str, Any] | None] = lambda _: None, schemes: Sequence[str] = ()
) -> list[Deviation]:
    """Run schemes, all by default, and compare."""
    names = schemes or list(reclaim.schemes())
    return [each for name in names for each in deviations(name, work(name, settings(name)))]


def worst(found: Sequence[Deviation], scheme: str, part: str) -> Deviation | None:
    """Give the deviation of a scheme that is furthest from chance."""
    of_part = [each for each in found if (each.scheme, each.part) == (scheme, part)]
    return max(of_part, key=lambda each: abs(each.z), default=None)


def error_of_chips(found: Sequence[Deviation], scheme: str) -> float:
    """Give the greatest standard error of the jobs of a chip."""
    of_jobs = (each for each in found if (each.scheme, each.part, each.figure) == (scheme, "chip", "jobs"))
    return max(each.error for each in of_jobs)


FURTHEST = 5
"""Rows that are shown of schemes as they are."""
HEADER = """# Whether every chip does its share

{answer}

`make ties` makes this page, from the runs that `tests/python/test_symmetry.py` checks.

A choice between equals goes where a rule says: [model.md, section 19](model.md#19-ties) lists all of them,
with the settings that change them. A rule that prefers low numbers can give some chips more work than others.
So every scheme runs {runs} times, with other seeds, on a drive of {chips} chips ({side} channels of {side})
with {planes} planes each, under {requests:,} uniform writes. Compared are jobs, erases and pages programmed
for the host, parity included (`Result.work_by`), of chips, of channels and of the places of planes in their
chips. On a mesh, with controllers at its corners, only chips equally far from them are compared, and no
channels (its rows). The standard error comes from how much chips differ from run to run.

With {comparisons:,} comparisons and a chance of {alarms:.0%} that any of them is beyond by accident, the
bound is {bound:.2f} standard errors (Bonferroni). *Seen* is the deviation of a chip, in jobs, that would be
found nine times in ten. Each cell has the deviation that is furthest from chance, with its standard errors;
**bold** where it is beyond the bound. A plane that begins to collect first stays a job ahead of the others:
less than that (of pages programmed, a block) is no asymmetry.

"""


def _cell(each: Deviation | None, limit: float) -> str:
    if each is None:
        return "–"
    name = {"chip": f"chip {each.number}", "channel": f"channel {each.number}", "plane": "first planes"}
    what = each.figure.replace("_", " ")
    text = f"{name[each.part]}, {what}: {100 * each.share:+.2f} % ({each.z:+.1f})"
    return f"**{text}**" if each.is_asymmetric(limit) else text


def page(now: Sequence[Deviation], before: Sequence[Deviation]) -> str:
    """Give the page of all schemes, and of some as they were."""
    comparisons, limit = len(now), bound(len(now))
    sizes = {"runs": RUNS, "chips": CHIPS, "side": SIDE, "planes": PLANES, "requests": REQUESTS}
    uneven = len({each.scheme for each in now if each.is_asymmetric(limit)})
    treats = f"{uneven} treat" if uneven > 1 else f"{uneven or 'none'} treats"
    schemes = len({each.scheme for each in now})
    answer = f"Of {schemes} schemes {treats} chips, channels or planes otherwise than by chance."
    text = HEADER.format(answer=answer, **sizes, comparisons=comparisons, alarms=FALSE_ALARMS, bound=limit)
    parts = ("chip", "plane", "channel")
    head = "| scheme | seen | chips | places of planes | channels |\n|---|---|---|---|---|\n"
    for title, found in (
        ("The five schemes furthest from chance", now),
        ('Three as they were, with ties to the lowest number (`ties = "lowest"`)', before),
    ):
        text += f"## {title}\n\n{head}"
        rows: dict[str, list[str]] = {}
        furthest = sorted(found, key=lambda each: abs(each.z), reverse=True)
        for scheme in [*dict.fromkeys(each.scheme for each in furthest)][:FURTHEST]:
            error = error_of_chips(found, scheme)
            cells = [_cell(worst(found, scheme, part), limit) for part in parts]
            row = f"{100 * seen(comparisons, error):.1f} % | {' | '.join(cells)}"
            rows.setdefault(row, []).append(scheme)
        text += "".join(f"| {', '.join(schemes)} | {row} |\n" for row, schemes in rows.items())
        text += "\n"
    return text.rstrip("\n") + "\n"


if __name__ == "__main__":
    sys.stdout.write(f"{PAGE}\n")
    PAGE.write_text(page(measure(), measure(AS_BEFORE.get, list(AS_BEFORE))), encoding="utf-8")
