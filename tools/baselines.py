"""What the rivals of the newest suite reach, measured anew, and docs/judge.md: `make baselines`.

With `--page`, the page alone, from what is kept; with `--costs` or `--tuned` beside it, what rivals cost, or
what they reach once they are tuned, is measured, too.
"""

from __future__ import annotations

import sys
from pathlib import Path

from network_study.pictures import draw, spec_of
from network_study.study import ROOT
from reclaim.device import Device
from reclaim.experiment.experiment import Experiment
from reclaim.report.forms import markdown_of
from reclaim.study.judging.alike import keep_tuned
from reclaim.study.judging.card import workloads_drawn
from reclaim.study.judging.effects import by_workload
from reclaim.study.judging.league import League, table
from reclaim.study.judging.suite import BOUND, FILE, LATEST, REFERENCE, Suite
from reclaim.study.study import RunOptions
from reclaim.study.sweep import Sweep

OUTPUT = ROOT / "out" / "baselines"
PAGE = ROOT / "docs" / "judge.md"
DRIVES, STANDING, END = "<!-- drives -->\n", "<!-- standing -->\n", "<!-- end -->"
NOBODY = Path("nobody")
"""No folder: the page has those that come with the suite."""
DRAWN = (REFERENCE, "cost-benefit", "DAC", "SepBIT", BOUND)


def page(suite: Suite) -> str:
    """The page, with what is kept of the suite."""
    text = PAGE.read_text(encoding="utf-8")
    for begin, told in ((DRIVES, drives(suite)), (STANDING, markdown_of(table(League(suite, NOBODY))))):
        head, _, rest = text.partition(begin)
        text = f"{head}{begin}{told}{END}{rest.partition(END)[2]}"
    return text


def drives(suite: Suite) -> str:
    """What its drives have in common."""
    drive = Device(str(suite.folder / suite.devices[0]))
    geometry = drive.config["geometry"]
    chips = geometry["channels"] * geometry["chips_per_channel"]
    spare = drive.facts()["spare_factor"]
    return (
        f"All have {chips} chips, blocks of {geometry['pages_per_block']} pages, {spare:.0%} spare space.\n"
    )


def main(arguments: list[str]) -> None:
    """Run what is not stored in out/baselines yet, keep the figures beside the suite, and write the page."""
    suite = Suite.named(LATEST)
    if "--page" not in arguments:
        swept = Sweep(Experiment.load(suite.folder / FILE)).run(OUTPUT / suite.name)
        for line in swept.complaints():
            print(line)
        print(f"{suite.keep(swept)} runs kept in {suite.folder}")
    if "--page" not in arguments or "--tuned" in arguments:
        keep_tuned(suite, OUTPUT / f"{suite.name}-tuned", RunOptions())
    if "--costs" in arguments:
        suite.keep_costs()
        suite = Suite.named(LATEST)
    found = by_workload(suite.baselines, suite.devices[:1])
    draw(spec_of(workloads_drawn({name: found[name] for name in DRAWN}, [*suite.families])), "judge")
    PAGE.write_text(page(suite), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
