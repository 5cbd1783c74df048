"""The standing of an edition: its rivals, and all that has been entered in a folder."""

from __future__ import annotations

import json
import math
import secrets
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reclaim import input_file, output_file
from reclaim.arguments import checked
from reclaim.errors import InputError
from reclaim.parsing import json_value
from reclaim.report.document import Cell, Column, Document, Table, figures_of
from reclaim.report.ratios import listed
from reclaim.study.judging.card import COSTS, called, costs, parts_of
from reclaim.study.judging.cost import PolicyCost
from reclaim.study.judging.effects import Effect, against, turned
from reclaim.study.judging.submission import CARD, Again, Submission
from reclaim.study.judging.suite import AMPLIFICATION, BOUND, LATEST, METRICS, REFERENCE, Suite
from reclaim.units import MISSING

if TYPE_CHECKING:
    import polars as pl

CHECKED = "checked.json"
"""Beside the card of what was entered: which runs were run again, and by which build."""


@dataclass(frozen=True)
class League:
    """An edition, and the folder of what has been entered."""

    suite: Suite
    folder: Path

    @cached_property
    def entered(self) -> Mapping[str, Submission]:
        """What has been entered, by name.

        Raises:
            InputError: for one that was changed, or judged on another suite.
        """
        found = {}
        for card in sorted(self.folder.glob(f"*/{CARD}")):
            each = Submission.read(card.parent)
            each.check(self.suite)
            found[each.name] = each
        return found

    @cached_property
    def runs(self) -> pl.DataFrame:
        """The runs of all that take part."""
        import polars as pl

        kept = self.suite.baselines
        return pl.concat(
            [
                kept,
                *(each.runs.select(kept.columns).cast(kept.schema) for each in self.entered.values()),
            ]
        )

    @cached_property
    def standing(self) -> Mapping[str, LeaguePlace]:
        """Who writes less than whom, who stands highest first, and at the end what knows the trace."""
        names = [*self.suite.rivals, *self.entered]
        of = {
            name: against(self.runs.filter(scheme=name), self.runs, names, self.suite.devices)
            for name in names
        }
        # Some ran on no drive that another one ran on.
        less = {
            name: [rival for rival, effect in of[name][AMPLIFICATION].items() if effect.shown == "lower"]
            for name in names
        }
        above = {name: sum(name in less[each] for each in names if each != BOUND) for name in names}
        beside = {
            metric: {rival: turned(each) for rival, each in known.items()}
            for metric, known in of[REFERENCE].items()
        }
        places = [
            LeaguePlace(
                name,
                0 if name == BOUND else 1 + above[name],
                [rival for rival in less[name] if rival != BOUND],
                {metric: known[name] for metric, known in beside.items() if name in known},
            )
            for name in names
        ]
        return {
            each.name: each
            for each in sorted(places, key=lambda each: (each.name == BOUND, each.place, each.ratio))
        }

    def cost(self, name: str) -> PolicyCost:
        """Give what one that takes part costs.

        Raises:
            InputError: if nothing is known of what was entered.
        """
        if name not in self.entered:
            return self.suite.costs[name]
        file = self.entered[name].folder / CHECKED
        try:
            return PolicyCost.read(json_value(input_file.text(file))["cost"])
        except (OSError, ValueError, TypeError, KeyError) as error:
            why = f"{type(error).__name__}: {error}"
            raise InputError(f"{file}: is not as `league add` writes it ({why}); enter it again") from None

    def document(self) -> Document:
        """Tell the standing."""
        return Document(f"League {self.suite.name}", [table(self)])

    def to_dict(self) -> dict[str, Any]:
        """Give all as JSON holds it."""
        return {
            "suite": self.suite.name,
            "suite_digest": self.suite.digest,
            "standing": [
                {**each.to_dict(), "cost": self.cost(each.name).to_dict()} for each in self.standing.values()
            ],
        }

    def add(self, folder: Path, *, seed: int | None = None, freely: bool = False) -> tuple[Submission, Again]:
        """Enter what `reclaim judge` has left in a folder, once a tenth of it has come out the same again.

        Args:
            folder: of the card.
            seed: which tenth; None draws one that who submits cannot know.
            freely: run its code without limits.

        Raises:
            InputError: if it cannot take part.
        """
        if self.folder.exists() and not self.folder.is_dir():
            raise InputError(f"--league {self.folder}: is no folder")
        given = Submission.read(folder)
        given.check(self.suite)
        if given.name in (*self.suite.rivals, *self.entered):
            raise InputError(
                f"{folder}: {given.name} takes part already; judge it with --name to call it otherwise"
            )
        place = self.folder / given.place
        if place.exists():
            raise InputError(f"{place}: is there already; judge it with --name to call it otherwise")
        seed = secrets.randbelow(1 << 32) if seed is None else seed
        again = given.run_again(self.suite, seed, freely=freely)
        given.copy(place)
        with output_file.whole(place / CARD) as card:
            shutil.copyfile(folder / CARD, card)
        output_file.write_text(place / CHECKED, json.dumps(again.to_dict()) + "\n")
        vars(self).pop("entered", None)
        return given, again


@dataclass(frozen=True)
class LeaguePlace:
    """Where a scheme stands."""

    name: str
    place: int
    """One more than the number of those that write measurably less; 0 for what is out of competition."""
    less_than: list[str]
    """Those that it writes measurably less than."""
    beside: Mapping[str, Effect]
    """Each metric, compared with the reference."""

    @property
    def ratio(self) -> float:
        """Its NAND bytes over those of the reference, on the median workload."""
        known = self.beside.get(AMPLIFICATION)
        return math.inf if known is None else known.value

    def to_dict(self) -> dict[str, Any]:
        """Give it as JSON holds it."""
        return {
            "name": self.name,
            "place": self.place,
            "less_than": self.less_than,
            "beside": {
                name: {"shown": e.shown, "ratio": e.value, "interval": e.ends}
                for name, e in self.beside.items()
            },
        }


@checked
def league(folder: str | Path | None = None, *, suite: str = LATEST) -> League:
    """Give the standing of an edition, as `reclaim league` prints it.

    `standing` of what it gives has the places, `add` enters what `reclaim judge` has left in a folder: that
    runs code of whoever sent it, in a process without network (docs/judge.md).

    Args:
        folder: what has been entered; `out/league/EDITION` if not given, where there need be none.
        suite: the edition.

    Raises:
        InputError: if there is no such edition.
    """
    edition = Suite.named(suite)
    return League(edition, Path(folder) if folder else Path("out") / "league" / edition.name)


def table(league: League) -> Table:
    """Give the standing as a table."""
    suite = league.suite
    rows = []
    for each in league.standing.values():
        figures = [
            Cell(MISSING) if (effect := each.beside.get(metric)) is None else _told(suite, metric, effect)
            for metric in METRICS
        ]
        figures += costs(league.cost(each.name))
        rows.append(
            [
                Cell(str(each.place) if each.place else MISSING),
                Cell(called(each.name)),
                *figures,
                Cell(_beaten(each, [name for name in league.standing if name not in (each.name, BOUND)])),
            ]
        )
    columns = [
        Column("place", right=True),
        *figures_of("scheme", [*METRICS.values(), *COSTS]),
        Column("writes less than"),
    ]
    return Table(columns, rows, name="standing", why=None)


def _beaten(each: LeaguePlace, others: Sequence[str]) -> str:
    """Name whom it writes less than, or whom it does not, where that is shorter.

    >>> _beaten(LeaguePlace("a", 1, ["c", "d", "e"], {}), ["b", "c", "d", "e"])
    'all but b'
    """
    rest = [name for name in others if name not in each.less_than]
    if not each.less_than:
        return MISSING
    return (
        listed(each.less_than)
        if len(each.less_than) <= len(rest)
        else " but ".join(["all", listed(rest)] if rest else ["all"])
    )


def _told(suite: Suite, metric: str, effect: Effect) -> Cell:
    """What it shows; of what is lower or higher, on which workloads or drives."""
    parts = parts_of(suite, metric, effect) if effect.shown in ("lower", "higher") else ""
    ratio = effect.text if metric == AMPLIFICATION else ""
    return Cell(effect.said, below=tuple(Cell(line) for line in (ratio, parts) if line))
