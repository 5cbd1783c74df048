"""What the rivals of the newest suite reach, measured anew, and docs/judge.md: `make baselines`.

With `--page`, the page alone, from what is kept.
"""

from __future__ import annotations

import sys

from network_study.pictures import _spec, draw
from network_study.study import ROOT
from reclaim.experiment.experiment import Experiment
from reclaim.report.document import Cell, Table, figures_of
from reclaim.report.forms import markdown_of
from reclaim.study.judging.card import workloads_drawn
from reclaim.study.judging.effects import METRICS, Effect, against, by_workload
from reclaim.study.judging.suite import AMPLIFICATION, BOUND, FILE, LATEST, REFERENCE, Suite
from reclaim.study.sweep import Sweep
from reclaim.units import MISSING

OUTPUT = ROOT / "out" / "baselines"
PAGE = ROOT / "docs" / "judge.md"
BEGIN, END = "<!-- standing -->\n", "<!-- end -->"
DRAWN = (REFERENCE, "cost-benefit", "DAC", "SepBIT", BOUND)


def standing(suite: Suite) -> str:
    """Every rival beside the reference, as the page has it: who writes the least first."""
    runs = suite.baselines
    found = {
        rival: against(runs.filter(scheme=rival), runs, [REFERENCE], suite.devices)
        for rival in suite.rivals
        if rival != REFERENCE
    }
    first = {rival: of[AMPLIFICATION][REFERENCE].value for rival, of in found.items()}
    rows = []
    for rival in sorted(first, key=lambda each: (each == BOUND, first[each])):
        effects = [found[rival][metric].get(REFERENCE) for metric in METRICS]
        cells = [MISSING if each is None else _told(each) for each in effects]
        rows.append([Cell(f"{rival} (a bound)" if rival == BOUND else rival), *map(Cell, cells)])
    return markdown_of(Table(figures_of(f"compared with {REFERENCE}", METRICS.values()), rows))


def _told(effect: Effect) -> str:
    return f"{effect.said} ({effect.text})" if effect.shown in ("lower", "higher") else effect.said


def page(suite: Suite) -> str:
    """The page, with what is kept of the suite."""
    head, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    return f"{head}{BEGIN}{standing(suite)}{END}{rest.partition(END)[2]}"


def main(arguments: list[str]) -> None:
    """Run what is not stored in out/baselines yet, keep the figures beside the suite, and write the page."""
    suite = Suite.named(LATEST)
    if "--page" not in arguments:
        swept = Sweep(Experiment.load(suite.folder / FILE)).run(OUTPUT / suite.name)
        for line in swept.complaints():
            print(line)
        print(f"{suite.keep(swept)} runs kept in {suite.folder}")
    found = by_workload(suite.baselines, suite.devices[:1])
    draw(_spec(workloads_drawn({name: found[name] for name in DRAWN}, [*suite.families])), "judge")
    PAGE.write_text(page(suite), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
