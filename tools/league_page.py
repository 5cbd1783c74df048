"""The page of the league: README.md of its folder, made of a template and of what a run found."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import jinja2

from reclaim.results.sets.metrics import describe

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "papers" / "league"
TEMPLATE, DATA, PAGE = FOLDER / "page.md.j2", FOLDER / "page.json", FOLDER / "README.md"
IMAGES = ROOT / "docs" / "images"
MISSING = "–"


def slug(*parts: str) -> str:
    """Name a file.

    >>> slug("tlc", "plain and papers")
    'tlc-plain-and-papers'
    """
    return re.sub(r"[^a-z0-9]+", "-", " ".join(parts).lower())


def shown(found: Mapping[str, Any] | None) -> str:
    """Write a ratio with its interval.

    >>> shown({"ratio": 0.5, "low": 0.25, "high": 1.0}), shown({"ratio": 1.0, "low": None, "high": None})
    ('0.500 [0.250, 1.000]', '1.000')
    """
    if found is None:
        return MISSING
    text = f"{found['ratio']:.3f}"
    return text if found["low"] is None else f"{text} [{found['low']:.3f}, {found['high']:.3f}]"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Write a table, the first column to the left."""
    lines = [f"| {' | '.join(head)} |", f"|---|{'--:|' * (len(head) - 1)}"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])


class League:
    """What the template may ask for."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        """Take what a run found."""
        self.data = data

    def of(self, drive: str, league: str = "plain and papers") -> Mapping[str, Any]:
        """Give a drive and league."""
        return next(
            each for each in self.data["tables"] if (each["drive"], each["league"]) == (drive, league)
        )

    def cell(self, drive: str, scheme: str, league: str = "plain and papers") -> Mapping[str, Any]:
        """Give a cell."""
        return next(each for each in self.of(drive, league)["rows"] if each["scheme"] == scheme)

    def drives(self) -> list[str]:
        """Name the drives."""
        return list(dict.fromkeys(each["drive"] for each in self.data["tables"]))

    def total(self, key: str) -> int:
        """Add up what the cells that have figures took: `trials`, `runs`, `seconds`."""
        return sum(each.get(key, 0) for table in self.data["tables"] for each in table["rows"])

    def counted(self, *, done: bool) -> int:
        """Count the cells of all drives and leagues, or those that have figures."""
        rows = [each for table in self.data["tables"] for each in table["rows"]]
        return sum(not done or "missing" not in each for each in rows)

    def done(self, drive: str, *families: str) -> list[Mapping[str, Any]]:
        """Give the cells of a drive that have figures, of some families or of all."""
        rows = self.of(drive)["rows"]
        return [
            each for each in rows if "missing" not in each and (not families or each["family"] in families)
        ]

    def versus(self, drive: str, scheme: str, rival: str) -> Mapping[str, Any]:
        """Give a composition beside another scheme."""
        listed = self.of(drive)["composed"]
        return next(each for each in listed if (each["scheme"], each["rival"]) == (scheme, rival))

    def rows(self, drive: str, league: str = "plain and papers") -> str:
        """Write the table of a drive and league."""
        found = self.of(drive, league)
        label = describe(self.data["objective"]).label
        head = [
            "scheme",
            f"{label}: tuned / as it is",
            f"tuned / {found['first']} tuned, all",
            "established",
            "",
        ]
        head += ["mean read", "write amplification", "worst p99.9 of writes, ms"]
        return table(head, (_row(each) for each in found["rows"] if "missing" not in each))

    def missing(self, drive: str, league: str = "plain and papers") -> list[Mapping[str, Any]]:
        """Give the cells that have no figures."""
        return [each for each in self.of(drive, league)["rows"] if "missing" in each]

    def duels(self, drive: str) -> str:
        """Write the compositions beside all others."""
        listed = self.of(drive)["composed"]
        ours, rivals = (list(dict.fromkeys(each[key] for each in listed)) for key in ("scheme", "rival"))
        cells = {(each["scheme"], each["rival"]): _duel(each) for each in listed}
        return table(["beside", *ours], ([rival, *(cells[mine, rival] for mine in ours)] for rival in rivals))

    def halves(self, drive: str) -> str:
        """Write the best composition beside others at half the pace."""
        head = ["beside", describe(self.data["objective"]).label, "", "mean read", "write amplification"]
        rows = []
        for each in self.data["after"][drive]["half"]:
            costs = [shown(each["beside"][key]) for key in ("read_mean_ns", "gc_write_amplification")]
            rows.append([each["rival"], established(each), each["says"], *costs])
        return table(head, rows)

    def which(self, drive: str, says: str, *families: str) -> str:
        """Name the cells of which the comparison with the first one says so; of families, all without any."""
        return (
            ", ".join(each["scheme"] for each in self.done(drive, *families) if each.get("says") == says)
            or "none"
        )

    def half(self, drive: str, rival: str) -> Mapping[str, Any]:
        """Give the best composition beside another one at half the pace."""
        return next(each for each in self.data["after"][drive]["half"] if each["rival"] == rival)

    def halved(self, drive: str, says: str) -> str:
        """Name those beside which the best composition came out so at half the pace."""
        return " and ".join(
            each["rival"] for each in self.data["after"][drive]["half"] if each["says"] == says
        )

    def apart(self, drive: str, part: str) -> Mapping[str, Any]:
        """Give what a part does to the objective, in log units, of the composition taken apart."""
        first = self.data["after"][drive]["ablate"][0]
        return next(each for each in first["rows"] if each["parts"] == [part])

    def has(self, drive: str, scheme: str) -> bool:
        """Whether a cell has figures."""
        return drive in self.drives() and any(each["scheme"] == scheme for each in self.done(drive))

    def untuned(self, drive: str, *families: str) -> list[str]:
        """Name the schemes of these families that found no trial within the limits."""
        return [each["scheme"] for each in self.done(drive, *families) if not each["fits"]]

    def untuned_ratio(self, drive: str, scheme: str) -> float:
        """Give a scheme as it is over the first as it is: exact, as logarithms add up."""
        first, other = self.cell(drive, self.of(drive)["first"]), self.cell(drive, scheme)
        return float(other["all"]["ratio"] / other["gain"]["ratio"] * first["gain"]["ratio"])

    def beaten(self, drive: str, scheme: str) -> list[str]:
        """Name whom a composition beats."""
        return [
            each["rival"] for each in self.of(drive)["composed"] if each["scheme"] == scheme and each["beats"]
        ]


def _row(each: Mapping[str, Any]) -> list[str]:
    name = each["scheme"] if each["fits"] else f"{each['scheme']} (breaks a limit)"
    writes = _worst_write(each)
    if "all" not in each:
        return [name, shown(each["gain"]), "", "", "", "", "", writes]
    said = each["says"] != "not established"
    costs = [shown(each["beside"][key]) if said else "" for key in ("read_mean_ns", "gc_write_amplification")]
    return [name, shown(each["gain"]), shown(each["all"]), established(each), each["says"], *costs, writes]


def _worst_write(each: Mapping[str, Any]) -> str:
    """Write the p99.9 of writes on the worst workload, ms."""
    worst = next((value for text, value in each["reached"].items() if text.startswith("write_p99_9")), None)
    return MISSING if worst is None else f"{worst / 1e6:,.1f}"


def established(each: Mapping[str, Any]) -> str:
    """Write the ratio on the workloads whose runs bear it, and how many these are."""
    count = len(each["sound"])
    return f"({count})" if each["established"] is None else f"{shown(each['established'])} ({count})"


def times(found: Mapping[str, float]) -> str:
    """Write a change in log units as a factor.

    >>> times({"value": 0.0, "low": -0.5, "high": 0.5})
    '1.000 [0.607, 1.649]'
    """
    ratios = (math.exp(found[key]) for key in ("value", "low", "high"))
    return shown(dict(zip(("ratio", "low", "high"), ratios, strict=True)))


def _duel(each: Mapping[str, Any]) -> str:
    text = f"{established(each)} {each['says']}"
    return f"**{text}**" if each["beats"] else text


def render(data: Mapping[str, Any]) -> str:
    """Give the page."""
    environment = jinja2.Environment(  # noqa: S701 - it writes Markdown
        undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    label = describe(data["objective"]).label
    template = environment.from_string(TEMPLATE.read_text(encoding="utf-8"))
    league = League(data)
    return template.render(
        league=league,
        run=data,
        shown=shown,
        established=established,
        times=times,
        slug=slug,
        milliseconds=lambda drive, scheme: _worst_write(league.cell(drive, scheme)),
        objective=label,
        of=lambda drive, scheme: established(league.cell(drive, scheme)),
        versus=lambda *names: established(league.versus(*names)),
        beside=lambda drive, ours, other, metric: shown(league.versus(drive, ours, other)["beside"][metric]),
    )


def write() -> None:
    """Write the page from the data that is kept."""
    PAGE.write_text(render(json.loads(DATA.read_text(encoding="utf-8"))), encoding="utf-8")


if __name__ == "__main__":
    write()
