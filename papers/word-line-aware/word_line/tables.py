"""Tables of the report: which figures stand in which column, a row for each name that they share."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from reclaim.paper.toolkit import Figure, PageTable, in_words

from .pools import DIALS, LEANS, VALID
from .relocation import GOES, PLACEMENTS, POLICIES


class Shown(NamedTuple):
    """A table: {} in the names of its figures is what a row is about."""

    name: str
    head: str
    columns: Mapping[str, str]
    words: Mapping[str, str] = {}
    """What a row is called, and the only rows; without, there is one for each name that figures have."""


_SAVED = {
    f"{scheme}, {goes}": f"{{}}, {goes}: {scheme} saves"
    for scheme in ("wla", "cost-benefit")
    for goes in GOES.values()
}
TABLES = (
    Shown(
        "pools",
        "dependence, %",
        {
            f"{LEANS[lean]}, {valid} % valid": f"pools, {lean}, {{}} % dependent, {valid} % valid"
            for lean in LEANS
            for valid in VALID
        },
        {str(dial): str(dial) for dial in DIALS},
    ),
    Shown(
        "thresholds",
        "blocks above the threshold, %",
        {"largest saving of WLA-GC": "pools, {} % pass, largest", "mean saving": "pools, {} % pass, mean"},
    ),
    Shown(
        "pools-choices",
        "otherwise",
        {"no dependence": "pools, {}, 0 % dependent", "10 %": "pools, {}, 10 % dependent"},
    ),
    Shown("collected", "at 5 % valid pages", {"WLA-GC saves beside the fewest": "pools, {} collected"}),
    Shown(
        "relocation",
        "victims",
        {
            **{name: f"{{}} saves, {name}" for name in ("uniform", "hot-cold", "zipf")},
            "of that, pages moved": "{} saves, pages moved",
            "time of a page": "{} saves, time of a page",
        },
        POLICIES,
    ),
    Shown(
        "relocation-long",
        "workload",
        {
            what: f"long: {what}, {{}}"
            for what in ("time of all jobs", "time of a job", "pages moved", "time of a page")
        },
    ),
    Shown("power-choices", "otherwise", {name: f"wla saves, {name}, {{}}" for name in ("uniform", "zipf")}),
    Shown(
        "dependence",
        "placement",
        {
            "time of a page, us": "{}: time of a page, us",
            "spread between victims, us": "{}: spread of victims, us",
            "WLA-GC saves, hot-cold": "{}: wla saves, hot-cold",
            "WLA-GC saves, zipf": "{}: wla saves, zipf",
            "of that, pages moved": "{}: wla saves, pages moved",
            "time of a page": "{}: wla saves, time of a page",
            "weights reversed": "{}: wla, reversed saves",
            "for each page freed": "{}: per page, drive saves",
        },
        PLACEMENTS,
    ),
    Shown(
        "placement",
        "placement",
        {
            "fewest valid pages": "{}: vanilla beside append",
            "WLA-GC": "{}: wla beside append",
            "weights reversed": "{}: wla, reversed beside append",
            "cost-benefit": "{}: cost-benefit beside append",
        },
        PLACEMENTS,
    ),
    Shown(
        "sizes",
        "workload, blocks",
        {
            "write amplification": "{}: write amplification",
            "die utilization": "{}: die utilization",
            "victims with valid pages": "{}: victims with valid pages",
            **_SAVED,
        },
    ),
    Shown(
        "signs",
        "otherwise",
        {
            f"{name}, {goes}": f"{name}, {goes}: wla saves, {{}}"
            for name in ("sqlite", "varmail", "zipf")
            for goes in ("fast", "slow")
        },
    ),
)


def tables(figures: Mapping[str, Figure]) -> Iterator[PageTable]:
    """Give the tables of which there are figures."""
    for table in TABLES:
        forms = [re.escape(name).replace(r"\{\}", "(.+)") for name in table.columns.values()]
        there = dict.fromkeys(
            match[1] for form in forms for name in figures if (match := re.fullmatch(form, name))
        )
        names = [each for each in table.words or there if each in there]
        columns = {
            head: name
            for head, name in table.columns.items()
            if any(name.format(each) in figures for each in names)
        }
        if names:
            rows = tuple(
                (table.words.get(each, each), *(_cell(figures, name, each) for name in columns.values()))
                for each in names
            )
            yield PageTable(table.name, (table.head, *columns), rows)


def _cell(figures: Mapping[str, Figure], name: str, of: str) -> str:
    figure = figures.get(name.format(of))
    unit = "×" if "beside" in name else "" if name.endswith((", us", "amplification")) else " %"
    return "" if figure is None else in_words(figure, unit)
