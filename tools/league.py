"""The league: every scheme tuned for every drive, then compared where none was tuned.

python tools/league.py papers/league/small.toml [--drives tlc.toml qlc.toml] [--cost] [--page]
"""

from __future__ import annotations

import argparse
import json
import math
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from league_plots import By, front, heat, write
from reclaim.bench.experiment import Experiment
from reclaim.bench.runner import How
from reclaim.errors import InputError
from reclaim.instruments.statistics import ALPHA, Sample, holm
from reclaim.instruments.tuning.plan import Prepared
from reclaim.instruments.tuning.tune import tune_into
from reclaim.instruments.tuning.words import factor
from reclaim.results.sets.metrics import describe

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "papers" / "league" / "README.md"
SCHEMES = "schemes.toml"
BEGIN, END = "<!-- made by `make league`: begin -->\n", "<!-- made by `make league`: end -->\n"
BESIDE = ("gc_write_amplification", "read_mean_ns")
"""Metrics that are compared beside the objective."""
FEWEST = 6
"""Repeats of which an interval is given."""


@dataclass
class Cell:
    """A scheme on a drive."""

    league: str
    drive: str
    scheme: str
    family: str
    experiment: Experiment
    missing: str = ""
    """Why there is no figure; empty where there is."""
    result: dict[str, Any] = field(default_factory=dict)

    @property
    def folder(self) -> Path:
        """Where it is stored, below the folder of the league."""
        slug = re.sub(r"[^a-z0-9]+", "-", self.scheme.lower()).strip("-")
        return Path(self.drive.removesuffix(".toml")) / slug

    def values(self, metric: str) -> By:
        """Give the figures of what was found, where it was judged; of the scheme as it is if nothing was."""
        for each in self.result["judged"]:
            if each["is_found"] and metric in each["metrics"]:
                return dict(each["metrics"][metric]["values"])
        return dict(self.result["values_as_it_is"].get(metric, {}))

    def gain(self, metric: str) -> Sample | None:
        """Give the log ratio of what was found to the scheme as it is, where it was judged."""
        return paired(self.values(metric), self.result["values_as_it_is"].get(metric, {}))


def cells(file: Path, drives: Sequence[str]) -> Iterator[Cell]:
    """Make the tunings of a league: the experiment of a file, of every scheme on every drive.

    Raises:
        InputError: for a file that is no experiment.
    """
    table = tomllib.loads(file.read_text(encoding="utf-8"))
    listed = tomllib.loads((file.parent / SCHEMES).read_text(encoding="utf-8"))["league"]
    for drive in drives or table["devices"]:
        for league in listed:
            for scheme in league["schemes"]:
                entry = {key: value for key, value in scheme.items() if key != "family"}
                made = table | {
                    "devices": [drive],
                    "schemes": [entry],
                    "name": f"{table['name']}, {scheme['name']}",
                }
                made = _started(made, league["start"])
                experiment = Experiment.from_dict(made, base=file.parent)
                yield Cell(league["name"], drive, scheme["name"], scheme["family"], experiment)


def _started(table: dict[str, Any], start: str) -> dict[str, Any]:
    """The same with the scheme that prepares the drive of this league where all start from one."""
    axes = {
        name: {group: _prepared(settings, start) for group, settings in groups.items()}
        if isinstance(groups, Mapping)
        else groups
        for name, groups in table.get("axes", {}).items()
    }
    return table | ({"axes": axes} if axes else {})


def _prepared(settings: Mapping[str, Any], start: str) -> dict[str, Any]:
    return dict(settings) | ({"warmup.scheme": start} if "warmup.scheme" in settings else {})


def prepared(cell: Cell) -> Prepared | None:
    """Prepare a tuning; note why there is none."""
    try:
        return Prepared(cell.experiment)
    except InputError as error:
        cell.missing = reason(str(error))
        return None


def reason(text: str) -> str:
    """Take the reason out of a message.

    >>> reason('experiment:7: tune: "gc-bypass" cannot run on a as it is: it needs a mesh')
    'it needs a mesh'
    """
    return text.rpartition(" as it is: ")[2].partition("\n")[0]


def run(cell: Cell, folder: Path) -> None:
    """Tune a scheme, or go on with it; note why it cannot be."""
    plan = prepared(cell)
    if plan is None:
        return
    place = folder / cell.folder
    try:
        tune_into(plan, place, How(report=True))
    except InputError as error:
        cell.missing = reason(str(error))
        return
    cell.result = json.loads((place / "tune" / "result.json").read_text(encoding="utf-8"))


def paired(ours: By, theirs: By) -> Sample | None:
    """Sum up log ratios, paired by workload and repeat: the mean over workloads of each repeat.

    None where something was not measured.

    >>> found = paired({"a": [2.0, 2.0], "b": [4.0, 4.0]}, {"a": [1.0, 2.0], "b": [1.0, 1.0]})
    >>> round(found.mean, 4), found.count
    (0.8664, 2)
    """
    if not ours or ours.keys() != theirs.keys():
        return None
    logs: list[list[float]] = []
    for name, values in ours.items():
        pairs = list(zip(values, theirs[name], strict=True))
        if any(not one or not other for one, other in pairs):
            return None
        logs.append([math.log(one / other) for one, other in pairs if one and other])
    return Sample.of([math.fsum(each) / len(each) for each in zip(*logs, strict=True)])


def text(sample: Sample | None) -> str:
    """Write a ratio with its interval, where there are repeats enough for one."""
    if sample is None:
        return "–"
    span = sample.interval() if sample.count >= FEWEST else None
    shown = factor(sample.mean)
    return shown if span is None else f"{shown} ({math.exp(span[0]):.3f} to {math.exp(span[1]):.3f})"


def rows(found: Sequence[Cell], metric: str) -> Iterator[tuple[str, ...]]:
    """Give the table of the cells of one drive and league, those that are missing left out.

    Holm's correction is over all schemes that are compared with the first one.
    """
    there = [each for each in found if not each.missing]
    if not there:
        return
    first = there[0]
    against = {each.scheme: paired(each.values(metric), first.values(metric)) for each in there[1:]}
    corrected = holm({name: 1.0 if each is None else each.p() for name, each in against.items()})
    for each in there:
        mine = against.get(each.scheme)
        beside = [text(paired(each.values(name), first.values(name))) for name in BESIDE]
        gain = text(each.gain(metric))
        if mine is None:
            yield (each.scheme, gain, *("" for _ in ("ratio", "says", *BESIDE)))
            continue
        says = "not shown" if corrected[each.scheme] > ALPHA else "lower" if mine.mean < 0 else "higher"
        yield (each.scheme, gain, text(mine), says, *beside)


def section(found: Sequence[Cell], experiment: Experiment) -> Iterator[str]:
    """Write what was run, and the tables, as Markdown."""
    entry = experiment.parts.tune
    assert entry is not None  # noqa: S101 - its cells were tuned
    metric = entry.objectives[0]
    done = [each for each in found if not each.missing]
    runs = sum(each.result["runs"] for each in done)
    trials = sum(len(each.result["trials"]) for each in done)
    tuned, judged = (" and ".join(each.traces) for each in (entry.tune_on, entry.judge_on))
    counted = f"{len(done)} of {len(found)} cells, {trials:,} trials, {runs:,} runs"
    yield f"Run: `{experiment.name}`, {counted}; tuned on {tuned}, judged on {judged}.\n"
    label = describe(metric).label
    beside = [describe(name).label for name in BESIDE]
    for drive, league in dict.fromkeys((each.drive, each.league) for each in found):
        mine = [each for each in found if (each.drive, each.league) == (drive, league)]
        listed = list(rows(mine, metric))
        yield f"### {drive.removesuffix('.toml')}: {league}\n"
        if listed:
            first = listed[0][0]
            head = ("scheme", f"{label}: tuned / as it is", f"tuned / {first} tuned", "", *beside)
            yield f"| {' | '.join(head)} |\n|---|{'--:|' * (len(head) - 1)}"
            yield "\n".join(f"| {' | '.join(row)} |" for row in listed) + "\n"
        missing = [f"* {each.scheme}: {each.missing}" for each in mine if each.missing]
        if missing:
            yield "Missing, as the drive or the load refuses them:\n\n" + "\n".join(missing) + "\n"


def pictures(found: Sequence[Cell], folder: Path, metric: str) -> None:
    """Draw each drive and league: schemes by workloads, and amplification against the objective."""
    for drive, league in dict.fromkeys((each.drive, each.league) for each in found):
        there = [each for each in found if (each.drive, each.league) == (drive, league) and not each.missing]
        if len(there) < 2:
            continue
        slug = re.sub(r"[^a-z0-9]+", "-", f"{drive.removesuffix('.toml')} {league}".lower())
        write(heat({each.scheme: each.values(metric) for each in there}, metric), folder / f"heat-{slug}.png")
        traded = {}
        for each in there:
            pair = [paired(each.values(name), there[0].values(name)) for name in (metric, BESIDE[0])]
            if pair[0] is not None and pair[1] is not None:
                traded[each.scheme] = (pair[0].mean, pair[1].mean)
        write(front(traded, (metric, BESIDE[0])), folder / f"front-{slug}.png")


def main() -> None:
    """Run it and write it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--drives", nargs="+", default=[], help="device files beside the league")
    parser.add_argument("--output", type=Path, default=Path("out/league"))
    parser.add_argument("--cost", action="store_true", help="say which cells there are and what they take")
    parser.add_argument(
        "--page", action="store_true", help="write the tables to papers/league/README.md, too"
    )
    asked = parser.parse_args()
    found = list(cells(asked.file, asked.drives))
    if asked.cost:
        for each in found:
            plan = prepared(each)
            cost = (
                each.missing
                if plan is None
                else f"{plan.cost().points} runs, {plan.cost().seconds / 60:.0f} min"
            )
            print(f"{each.drive}, {each.scheme}: {cost}")
        return
    for each in found:
        run(each, asked.output / asked.file.stem)
        print(f"{each.drive}, {each.scheme}: {each.missing or each.result['conclusion']}")
    experiment = Experiment.load(asked.file)
    written = "\n".join(section(found, experiment))
    assert experiment.parts.tune is not None  # noqa: S101 - its cells were tuned
    pictures(found, asked.output / asked.file.stem, experiment.parts.tune.objectives[0])
    (asked.output / asked.file.stem / "league.md").write_text(written, encoding="utf-8")
    if asked.page:
        before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
        _, _, after = rest.partition(END)
        PAGE.write_text(f"{before}{BEGIN}\n{written}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
