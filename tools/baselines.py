"""What the rivals of the newest suite reach, measured anew, and docs/judge.md: `make baselines`.

With `--page`, the page alone, from what is kept.
"""

from __future__ import annotations

import sys
from dataclasses import replace

from network_study.pictures import draw, spec_of
from network_study.study import ROOT
from reclaim.experiment.experiment import Experiment
from reclaim.report.document import Cell, Table, figures_of
from reclaim.report.forms import markdown_of
from reclaim.study.judging.card import called, parts_of, workloads_drawn
from reclaim.study.judging.effects import Effect, against, by_workload
from reclaim.study.judging.suite import AMPLIFICATION, BOUND, FILE, LATEST, METRICS, REFERENCE, Suite
from reclaim.study.sweep import Sweep
from reclaim.units import MISSING

OUTPUT = ROOT / "out" / "baselines"
PAGE = ROOT / "docs" / "judge.md"
BEGIN, END = "<!-- standing -->\n", "<!-- end -->"
DRAWN = (REFERENCE, "cost-benefit", "DAC", "SepBIT", BOUND)


def standing(suite: Suite) -> str:
    """Every rival beside the reference, as the page has it: who writes the least first."""
    runs = suite.baselines
    # The reference beside all others, the other way round: one family of questions.
    found = {
        metric: {rival: _turned(each) for rival, each in of.items() if rival != REFERENCE}
        for metric, of in against(runs.filter(scheme=REFERENCE), runs, suite.rivals, suite.devices).items()
    }
    first = {rival: each.value for rival, each in found[AMPLIFICATION].items()}
    rows = []
    for rival in sorted(first, key=lambda each: (each == BOUND, first[each])):
        cells = [
            MISSING if (each := of.get(rival)) is None else _told(suite, metric, each)
            for metric, of in found.items()
        ]
        rows.append([Cell(called(rival)), *map(Cell, cells)])
    return markdown_of(Table(figures_of(f"compared with {REFERENCE}", METRICS.values()), rows))


def _turned(effect: Effect) -> Effect:
    logs = {name: -log for name, log in effect.by_workload.items()}
    return replace(effect, by_workload=logs, by_drive={name: -log for name, log in effect.by_drive.items()})


def _told(suite: Suite, metric: str, effect: Effect) -> str:
    """What it shows; of what is lower or higher, on which workloads or drives."""
    parts = parts_of(suite, metric, effect) if effect.shown in ("lower", "higher") else ""
    return f"{effect.said} ({parts})" if parts else effect.said


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
    draw(spec_of(workloads_drawn({name: found[name] for name in DRAWN}, [*suite.families])), "judge")
    PAGE.write_text(page(suite), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
