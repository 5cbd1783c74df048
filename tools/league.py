"""The league: every scheme tuned for every drive, then compared where none was tuned.

python tools/league.py papers/league/league.toml [--drives tlc.toml qlc.toml] [--cost] [--page]
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import league_after
import league_page
from league_cells import LeagueCell, cells, prepared, run
from league_figures import BESIDE, CONTROL, objective, paired, reference, tables
from league_plots import front, heat, write
from reclaim.experiment.experiment import Experiment
from reclaim.study.study import RunOptions
from reclaim.study.tuning.section import Tune


def data(found: Sequence[LeagueCell], experiment: Experiment) -> dict[str, Any]:
    """Give all that the page is made of."""
    entry = experiment.parts.section(Tune)
    assert entry is not None  # noqa: S101 - its cells were tuned
    return {
        "league": experiment.name,
        "objective": entry.objective[0],
        "constraints": [each.text for each in entry.constraints],
        "tuned": list(entry.tune_on.traces),
        "judged": list(entry.judge_on.traces),
        "repeats": len(entry.judge_on.repeats),
        "budget": entry.budget.trials,
        "load": experiment.table.get("set", {}).get("host.target_total_utilisation"),
        "tables": list(tables(found)),
    }


def beside(made: dict[str, Any], kept: Mapping[str, Any]) -> dict[str, Any]:
    """Add the drives that were run before to those that were run now: each is compared with itself alone.

    Raises:
        ValueError: where what is kept was asked for otherwise: drives would not stand beside each other.
    """
    asked = [key for key in made if key not in ("tables", "after")]
    other = [key for key in asked if made[key] != kept.get(key)]
    if other:
        raise ValueError(f"{league_page.DATA} is of another league: {', '.join(other)}; remove it")
    # Drives keep their places on the page.
    ordered = {(each["drive"], each.get("league")): each for each in (*kept["tables"], *made["tables"])}
    return made | {"tables": list(ordered.values()), "after": kept["after"] | made["after"]}


def pictures(found: Sequence[LeagueCell], folder: Path) -> None:
    """Draw each drive and league: schemes by workloads, and amplification against the objective."""
    for drive, league in dict.fromkeys((each.drive, each.league) for each in found):
        there = [each for each in found if (each.drive, each.league) == (drive, league) and not each.missing]
        if len(there) < 2:
            continue
        metric, cost, first = objective(there[0]), BESIDE[-1], reference(there)
        there = [first, *(each for each in there if each is not first)]
        slug = league_page.slug(there[0].drive_name, league)
        write(
            heat({each.scheme: each.values(metric) for each in there}, metric),
            folder / f"league-heat-{slug}.png",
        )
        traded = {}
        for each in (one for one in there if one.family != CONTROL and one.result["found"] is not None):
            pair = [paired(each.values(name), first.values(name)) for name in (metric, cost)]
            if pair[0] is not None and pair[1] is not None:
                traded[each.scheme] = (pair[0].mean, pair[1].mean)
        write(front(traded, (metric, cost)), folder / f"league-front-{slug}.png")


def main() -> None:
    """Run it and write it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--drives", nargs="+", default=[], help="device files, seen from its folder")
    parser.add_argument("--without", nargs="+", default=[], help="families of schemes that are left out")
    parser.add_argument("--output", type=Path, default=Path("out/league"))
    parser.add_argument("--workers", type=int, help="runs at the same time; one a core if not given")
    parser.add_argument("--report", action="store_true", help="a report of every tuning, too")
    parser.add_argument("--cost", action="store_true", help="say which cells there are and what they take")
    parser.add_argument(
        "--after",
        nargs="+",
        default=[],
        choices=league_after.NAMES,
        help="run what follows: the best composition taken apart and moved; all under other conditions",
    )
    parser.add_argument(
        "--page", action="store_true", help="write papers/league/README.md and its pictures, too"
    )
    asked = parser.parse_args()
    if asked.cost:
        for each in cells(asked.file, asked.drives, without=asked.without):
            plan = prepared(each)
            cost = each.missing if plan is None else f"{plan.cost().points} runs"
            print(f"{each.drive}, {each.scheme}: {cost}")
        return
    folder, found = asked.output / asked.file.stem, []
    how = RunOptions(workers=asked.workers, report=asked.report)
    for each in cells(asked.file, asked.drives, folder, asked.without):
        run(each, folder, how)
        print(f"{each.drive}, {each.scheme}: {each.missing or each.result['conclusion']}", flush=True)
        found.append(each)
    made = data(found, Experiment.load(asked.file))
    base = asked.file.resolve().parent
    league_after.write(found, folder, base)
    league_after.run(found, folder, base, how, asked.after)
    firsts = {each["drive"]: each["first"] for each in made["tables"] if each["league"] == found[0].league}
    made["after"] = league_after.results(folder, made["objective"], firsts)
    text = json.dumps(made, indent=1, ensure_ascii=False) + "\n"
    (folder / "league.json").write_text(text, encoding="utf-8")
    pictures(found, folder)
    if asked.page:
        if league_page.DATA.is_file():
            made = beside(made, json.loads(league_page.DATA.read_text(encoding="utf-8")))
            text = json.dumps(made, indent=1, ensure_ascii=False) + "\n"
        league_page.DATA.write_text(text, encoding="utf-8")
        pictures(found, league_page.IMAGES)
        league_page.write()


if __name__ == "__main__":
    main()
