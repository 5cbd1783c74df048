"""The page of the league, README.md of its folder, and its report on the site: made of what runs found."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from reclaim.paper import page
from reclaim.report.document import Table, figures_of
from reclaim.report.forms import markdown_of
from reclaim.result.sets.metrics import describe

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "papers" / "league"
REPORT, DATA, PAGE = FOLDER / "report.md.j2", FOLDER / "page.json", FOLDER / "README.md"
PLANES = FOLDER / "planes.json"
"""Figures of the first screen: league_planes.py."""
IMAGES = ROOT / "docs" / "images"
MISSING = "–"
CONDITIONS = {
    "half": "half the pace",
    "faster": "4/3 of the pace",
    "same-start": "the same start",
    "first-come": "first come, first served",
}
HARD = "hard-off"
"""What variations are called on the page."""


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
    return markdown_of(Table(figures_of(head[0], head[1:]), list(rows))).rstrip("\n")


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

    def varied(self, drive: str) -> str:
        """Write every scheme under all conditions: its ratio to what others are compared with."""
        found: Mapping[str, list[Mapping[str, Any]]] = self.data["after"][drive]["varied"]
        names = [name for name in CONDITIONS if name in found]
        by_name = {name: {each["scheme"]: each for each in found[name]} for name in names}
        head = ["scheme", "as it was tuned for", *(CONDITIONS[name] for name in names)]
        rows = []
        for each in self.done(drive):
            if "all" in each and each["fits"]:
                others = [by_name[name].get(each["scheme"]) for name in names]
                rows.append([each["scheme"], _borne(each), *map(_borne, others)])
        return table(head, rows)

    def untuned(self, drive: str) -> str:
        """Write every scheme as it is, with one setting that was found, and tuned; beside the first one."""
        found = {each["scheme"]: each for each in self.data["after"][drive]["varied"][HARD]}
        head = ["scheme", "as it is", "as it is, never before the host", "tuned"]
        rows = []
        for each in self.done(drive):
            if "all" in each and each["scheme"] in found:
                as_it_is = f"{each['all']['ratio'] / each['gain']['ratio']:.3f}"
                tuned = _borne(each) if each["fits"] else MISSING
                rows.append([each["scheme"], as_it_is, _borne(found[each["scheme"]]), tuned])
        return table(head, rows)

    def alone(self, drive: str, *, suspended: bool, as_they_are: bool = False) -> str:
        """Write between which ratios schemes lie with one setting that was found, or without it."""
        found = {each["scheme"]: each["all"]["ratio"] for each in self.data["after"][drive]["varied"][HARD]}
        ratios = [
            each["all"]["ratio"] / each["gain"]["ratio"] if as_they_are else found[each["scheme"]]
            for each in self.done(drive)
            if each["scheme"] in found and "all" in each and ("suspension" in each["scheme"]) == suspended
        ]
        return self.span([{"all": {"ratio": each}} for each in ratios])

    def with_hard(self) -> list[str]:
        """Name the drives on which that one setting was run alone."""
        return [each for each in self.drives() if HARD in self.data["after"].get(each, {}).get("varied", {})]

    def suspended_papers(self, drive: str) -> list[Mapping[str, Any]]:
        """Give the papers' schemes with suspension, which stand among the controls."""
        there = self.among(drive, "control", suspended=True)
        return [each for each in there if not each["scheme"].startswith("greedy")]

    def all_of(self, drive: str, scheme: str) -> str:
        """Write the ratio of a scheme over all workloads."""
        return shown(self.cell(drive, scheme).get("all"))

    def beside_plain(self, drive: str) -> str:
        """Write every composition beside the plain schemes with suspension of that drive."""
        plain = {each["scheme"] for each in self.among(drive, "plain", suspended=True)}
        listed = [each for each in self.of(drive)["composed"] if each["rival"] in plain]
        return "; ".join(
            f"{each['scheme']} beside {each['rival']} {established(each)}, {each['says']}" for each in listed
        )

    def workloads(self) -> str:
        """Write the first line of a table of workloads."""
        return f"| drive | {' | '.join(self.data['judged'])} |\n|---|{'--:|' * len(self.data['judged'])}"

    def agree(self, drive: str) -> str:
        """Write the highest over the lowest scheme without suspension, with that one setting, by workload."""
        cells = [f"{each:.2f}" for each in self._spreads(drive)]
        return f"| {drive} | {' | '.join(cells)} |"

    def apart(self, factor: float) -> str:
        """Write in how many of all workloads and drives schemes are further apart than that."""
        spreads = [each for drive in self.with_hard() for each in self._spreads(drive)]
        return f"{sum(each > factor for each in spreads)} of {len(spreads)}"

    def _spreads(self, drive: str) -> list[float]:
        there = [each["by_workload"] for each in self._alone(drive) if "suspension" not in each["scheme"]]
        known = [[each[name] for each in there if each.get(name)] for name in self.data["judged"]]
        return [max(ratios) / min(ratios) for ratios in known if ratios]

    def suspending(self, drive: str) -> str:
        """Write what suspension changes with that one setting, by workload: of schemes that have both."""
        by_name = {each["scheme"]: each["by_workload"] for each in self._alone(drive)}
        # The one that others are compared with is there as it was tuned, and is left out.
        pairs = [
            (by_name[f"{name}, suspension"], by_name[name])
            for name in by_name
            if f"{name}, suspension" in by_name
        ]
        cells = []
        for workload in self.data["judged"]:
            known = [(one[workload], other[workload]) for one, other in pairs if one.get(workload)]
            cells.append(self.span([{"all": {"ratio": one / other}} for one, other in known]))
        return f"| {drive} | {' | '.join(cells)} |"

    def _alone(self, drive: str) -> list[Mapping[str, Any]]:
        """Give the schemes with that one setting, as they are otherwise."""
        listed: list[Mapping[str, Any]] = self.data["after"][drive]["varied"][HARD]
        return listed

    def bearing(self, *, suspended: bool) -> str:
        """Write of how many schemes with that one setting most runs bear the figure on enough workloads."""
        there = [
            each
            for drive in self.with_hard()
            for each in self._alone(drive)
            if ("suspension" in each["scheme"]) == suspended
        ]
        return f"{sum(each['says'] != 'not established' for each in there)} of {len(there)}"

    def conditions(self, drive: str, *names: str) -> str:
        """Write between which ratios schemes that are not composed lie under these other conditions."""
        found: Mapping[str, list[Mapping[str, Any]]] = self.data["after"][drive]["varied"]
        kinds = {each["scheme"]: "suspension" in each["scheme"] for each in self.done(drive)}
        composed = {each["scheme"] for each in self.done(drive, "composed")}
        told = []
        for name, label in ((name, CONDITIONS[name]) for name in names):
            there = [each for each in found.get(name, []) if each["scheme"] not in composed]
            without, suspended = (
                self.span([each for each in there if kinds[each["scheme"]] == kind]) for kind in (False, True)
            )
            if there:
                told.append(f"{label} {without}, with suspension {suspended}")
        return "; ".join(told)

    def lowest(self, drive: str, *families: str) -> str:
        """Write the lowest cell of these families of those that are established, and what is said of it."""
        there = [each for each in self.among(drive, *families, suspended=False) if each.get("established")]
        if not there:
            return "none is established"
        best = min(there, key=lambda each: each["established"]["ratio"])
        return f"{best['scheme']} {established(best)}, {best['says']}"

    def among(self, drive: str, *families: str, suspended: bool) -> list[Mapping[str, Any]]:
        """Give the cells of these families that found something, with suspension or without.

        The one that others are compared with is among them.
        """
        return [
            each
            for each in self.done(drive, *families)
            if each["fits"] and ("suspension" in each["scheme"]) == suspended
        ]

    def span(self, cells: Sequence[Mapping[str, Any]]) -> str:
        """Write between which ratios cells lie, and how many they are; over all workloads, borne or not.

        >>> League({}).span([{"all": {"ratio": 0.5}}, {"scheme": "greedy"}])
        '0.50 to 1.00 (2)'
        """
        ratios = [each["all"]["ratio"] if "all" in each else 1.0 for each in cells]
        if not ratios:
            return MISSING
        ends = dict.fromkeys(f"{each:.2f}" for each in (min(ratios), max(ratios)))
        return f"{' to '.join(ends)} ({len(ratios)})"

    def first(self, drive: str) -> str:
        """Name what others are compared with."""
        return str(self.of(drive)["first"])

    def finding(self, drive: str, key: str, value: str, *families: str) -> str:
        """Write of how many cells the search found this setting, and of how many that have it at all."""
        there = [each for each in self.done(drive, *families) if each["fits"]]
        return f"{sum(each['found'].get(key) == value for each in there)} of {len(there)}"


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


def _borne(each: Mapping[str, Any] | None) -> str:
    """Write a ratio over all workloads, and on how many of them the runs of both bear it."""
    return MISSING if each is None else f"{shown(each['all'])} ({len(each['sound'])})"


def established(each: Mapping[str, Any]) -> str:
    """Write the ratio on the workloads whose runs bear it, and how many these are."""
    count = len(each["sound"])
    return f"({count})" if each["established"] is None else f"{shown(each['established'])} ({count})"


def _duel(each: Mapping[str, Any]) -> str:
    text = f"{established(each)} {each['says']}"
    return f"**{text}**" if each["beats"] else text


def render(data: Mapping[str, Any], planes: Mapping[str, Any]) -> str:
    """Give the page."""
    return page.rendered(FOLDER, planes, page.TEMPLATE, **_known(data))


def report(data: Mapping[str, Any]) -> str:
    """Give what the page leaves out: every scheme on every drive, tuned and as it is."""
    return page.environment().from_string(REPORT.read_text(encoding="utf-8")).render(run=data, **_known(data))


def _known(data: Mapping[str, Any]) -> dict[str, Any]:
    league = League(data)
    return {
        "league": league,
        "tuning": data,
        "shown": shown,
        "slug": slug,
        "milliseconds": lambda drive, scheme: _worst_write(league.cell(drive, scheme)),
        "objective": describe(data["objective"]).label,
    }


def read() -> tuple[dict[str, Any], dict[str, Any]]:
    """Read what the league and its sizes of planes found."""
    data, planes = (json.loads(file.read_text(encoding="utf-8")) for file in (DATA, PLANES))
    return data, planes


def write() -> None:
    """Write the page and its pictures from the data that is kept."""
    data, planes = read()
    PAGE.write_text(render(data, planes), encoding="utf-8")
    page.write_pictures(FOLDER, planes)


if __name__ == "__main__":
    write()
