"""docs/networks.md from its template and the stored figures: no result in it is typed. `make networks`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from textwrap import fill
from typing import Any

from network_study.measured import MARKS, Rows, stored
from network_study.study import BUS, DRIVE, FOLDER, ROOT, STUDY
from reclaim.device import Device
from reclaim.paper.page import environment
from reclaim.report.document import Table, figures_of
from reclaim.report.forms import markdown_of

PAGE = ROOT / "docs" / "networks.md"
TEMPLATE = FOLDER / "page.md.j2"
NEAR = 0.05
"""Ratios nearer to one than this are called the same."""

CLOSE = 0.01
FACTORS = 1.995
"""Ratios from this on are told as factors."""

WIDTH = 120
CONTROLLERS = 4
"""Of Venice, one at each row."""

Chosen = str | int | Iterable[Any] | None


def render() -> str:
    """The page."""
    asked: dict[str, Callable[..., Any]] = {
        "ratio": ratio,
        "cell": cell,
        "ratios": ratios,
        "span": span,
        "widest": widest,
        "share": share,
        "needed": needed,
        "lowest": lowest,
        "cells": lambda step="coarse": len(places(step)),
        "grid": grid,
        "turns": turns,
        "peaks": peaks,
        "costs": costs,
    }
    template = environment().from_string(TEMPLATE.read_text(encoding="utf-8"))
    return wrapped(template.render(study=STUDY, near=NEAR, wires=wires(), **asked))


def wires() -> dict[str, int | Fraction]:
    """Stretches between chips and controllers that a mesh and the buses of the drive have; their share."""
    geometry = Device.load(DRIVE).config["geometry"]
    rows, columns = geometry["channels"], geometry["chips_per_channel"]
    mesh = {"along_rows": rows * (columns - 1), "along_columns": (rows - 1) * columns, "controllers": rows}
    buses = rows * columns
    return {**mesh, "buses": buses, "share": Fraction(buses, sum(mesh.values()))}


def wrapped(text: str) -> str:
    r"""Markdown with its paragraphs and list items wrapped anew, as figures make lines longer and shorter.

    >>> print(wrapped("- a\n  b\n\n# c\nd\ne\n\n| f |\n| g |\n"), end="")
    - a b
    <BLANKLINE>
    # c
    d e
    <BLANKLINE>
    | f |
    | g |
    """
    made: list[str] = []
    open_paragraph = False
    for line in text.splitlines():
        alone = not line.strip() or line.startswith(("|", "#", "!"))
        if alone or line.startswith("- ") or not open_paragraph:
            made.append(line)
        else:
            made[-1] += f" {line.strip()}"
        open_paragraph = not alone
    return "\n".join(_filled(line) for line in made) + "\n"


def _filled(line: str) -> str:
    if line.startswith(("|", "#", "!")):
        return line
    below = "  " if line.startswith("- ") else ""
    return fill(line, WIDTH, subsequent_indent=below, break_long_words=False, break_on_hyphens=False)


def _drive(row: dict[str, Any]) -> str:
    return f"{row['flash']}, {row['page']}, {row['rate']}"


def chosen(step: str, **where: Chosen) -> Rows:
    """Rows of a step with these values; `drive` is flash, page and rate, `load` a number or several.

    Raises:
        KeyError: if there is none, so that no sentence rests on nothing.
    """
    found = []
    for row in stored(step):
        told = {**row, "drive": _drive(row), "load": int(row["cell"].split()[0])}
        if all(_is(told[key], wanted) for key, wanted in where.items()):
            found.append(told)
    if not found:
        raise KeyError(f"{step}: nothing has {where}")
    return found


def _is(known: Any, wanted: Chosen) -> bool:
    if wanted is None or isinstance(wanted, str | int):
        return wanted is None or known == wanted
    return known in set(wanted)


def ratio(step: str, metric: str = "mean", **where: Chosen) -> str:
    """How much one figure is longer or shorter than the bus's; `?` or `!` if its runs do not establish it."""
    rows = chosen(step, **where)
    if len(rows) > 1:
        raise KeyError(f"{step}: {len(rows)} rows have {where}")
    return _in_words(rows[0], metric)


def cell(step: str, **where: Chosen) -> str:
    """The same, or a dash where that network was not run."""
    networks = {row["network"] for row in stored(step)}
    return ratio(step, "mean", **where) if where["network"] in networks else "–"


def _in_words(row: dict[str, Any], metric: str) -> str:
    return _change(row[metric][0]) + MARKS[row["verdict"]]


def _change(ratio: float) -> str:
    """A ratio as percents that it is above or below one; as a factor from two on.

    >>> _change(0.754), _change(1.0), _change(2.04), _change(741.2)
    ('-25 %', '0 %', '×2.0', '×741')
    """
    if ratio >= FACTORS:
        return f"×{ratio:.1f}" if ratio < 10 else f"×{ratio:.0f}"
    percents = round(100 * (ratio - 1))
    return f"{percents:+d} %" if percents else "0 %"


def ratios(step: str, metric: str = "mean", **where: Chosen) -> list[float]:
    """The medians of several."""
    return [row[metric][0] for row in chosen(step, **where)]


def span(step: str, metric: str = "mean", **where: Chosen) -> str:
    """From the lowest to the highest of several medians."""
    found = ratios(step, metric, **where)
    return f"{_change(min(found))} to {_change(max(found))}"


def widest(*steps: str) -> str:
    """How far intervals of trustworthy means reach from their medians, in 19 of 20."""
    reach = sorted(
        max(high / middle, middle / low) - 1
        for step in steps
        for middle, low, high in (row["mean"] for row in stored(step) if row["verdict"] == "trustworthy")
        if low is not None
    )
    return f"{100 * reach[int(0.95 * len(reach))]:.0f} %"


def share(way: str, **where: Chosen) -> str:
    """How many cells of the coarse map are `shorter`, `longer` or the `same` for a network, of how many."""
    found = ratios("coarse", "mean", **where)
    told = {
        "shorter": sum(each < 1 - NEAR for each in found),
        "longer": sum(each > 1 + NEAR for each in found),
    }
    told["same"] = len(found) - sum(told.values())
    return f"{told[way]} of {len(found)}"


def places(step: str) -> set[tuple[str, int]]:
    """Cells of a step: drives and loads."""
    return {(row["drive"], row["load"]) for row in chosen(step)}


def lowest(network: str) -> str:
    """In how many cells of the coarse map no network is shorter by more than a hundredth, of how many."""
    found: dict[tuple[str, int], list[float]] = {place: [] for place in places("coarse")}
    for row in chosen("coarse"):
        found[row["drive"], row["load"]].append(row["mean"][0])
    own = {(row["drive"], row["load"]): row["mean"][0] for row in chosen("coarse", network=network)}
    best = sum(own[place] <= min(ratios_of) + CLOSE for place, ratios_of in found.items())
    return f"{best} of {len(found)}"


def needed(step: str, load: int, drive: str) -> float:
    """Controllers that collection would keep busy by itself, of those of Venice, had it some of its own.

    A request moves a page once; each page that is collected crosses the network twice.
    """
    (row,) = chosen(step, network="venice-4", load=load, drive=drive)
    write = float(STUDY[step].get("trace", {}).get("operations", STUDY)["write"])
    moved = 2 * write * (float(row["amplification"]) - 1)
    busy = float(row["channel"])
    return CONTROLLERS * busy * moved / (1 + moved)


def grid(step: str, metric: str = "mean", networks: Iterable[str] | None = None, **where: Chosen) -> str:
    """A table: networks down, drives and loads across."""
    rows = [row for row in chosen(step, **where) if metric in row]
    across = list(dict.fromkeys((row["drive"], row["load"]) for row in rows))
    down = list(networks) if networks else list(dict.fromkeys(row["network"] for row in rows))
    at = {(row["network"], row["drive"], row["load"]): row for row in rows}
    heads = [f"{drive}: {of_load} %" for drive, of_load in across]
    lines = [[name, *(_in_words(at[name, *place], metric) for place in across)] for name in down]
    return _table(["", *heads], lines)


def turns(load: Chosen = None) -> str:
    """A table for each drive: choices down, networks across."""
    rows = [row for row in chosen("turns", load=load) if row["network"] != BUS]
    networks = list(dict.fromkeys(row["network"] for row in rows))
    at = {(row["drive"], row["choice"], row["network"]): row for row in rows}
    tables: dict[str, list[list[str]]] = {}
    for drive, choice in dict.fromkeys((row["drive"], row["choice"]) for row in rows):
        line = [choice, *(_in_words(at[drive, choice, name], "mean") for name in networks)]
        tables.setdefault(drive, []).append(line)
    return "\n\n".join(_table([drive, *networks], lines) for drive, lines in tables.items())


def peaks() -> str:
    """What the bus does on the drives of the map with the fastest and the slowest links."""
    rates = list(dict.fromkeys(row["drive"].split(", ")[-1] for row in stored("peaks")))
    lines = [
        [
            row["drive"],
            f"{1000 * row['per_us']:,.1f}",
            f"{100 * row['channel']:.0f} %",
            f"{100 * row['die']:.0f} %",
        ]
        for row in stored("peaks")
        if row["drive"].split(", ")[-1] in (rates[0], rates[-1])
    ]
    return _table(["drive", "thousand requests a second", "channels used", "dies used"], lines)


def costs() -> str:
    """Say how many instructions a page operation takes on networks beside the bus: least and most."""
    of = {row["network"]: row["instructions"] for row in stored("cost")}
    beside = {name: count / of[BUS] for name, count in of.items() if name != BUS}
    least, most = min(beside, key=beside.__getitem__), max(beside, key=beside.__getitem__)
    return f"{beside[least]:.1f} ({least}) to {beside[most]:.1f} times ({most})"


def _table(heads: list[str], lines: list[list[str]]) -> str:
    return markdown_of(Table(figures_of(heads[0], heads[1:]), lines)).rstrip("\n")


def main() -> None:
    """Write the page and its pictures."""
    from network_study.pictures import pictures

    pictures()
    PAGE.write_text(render(), encoding="utf-8")


if __name__ == "__main__":
    main()
