"""What keeping data apart costs: instructions beside greedy without it (`python benches/separation.py`).

Writes by Zipf's law (exponent 0.9) on a drive of four planes, victims by greedy, with time and without.
Prints the instructions of every scheme for a write of the host, and for a page programmed, over those of
no separation: what begins and what makes the trace is taken off, as the difference of a long and a short
run. A scheme that relocates less does less, so the second ratio is the higher one. Without time, greedy
writes plane by plane, which no separation can. Two minutes; needs valgrind.
"""

from __future__ import annotations

import json
import re
import tempfile
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path

from run import build, under_cachegrind

SCHEMES = (
    *("none", "by-stream", "by-lifetime", "dac", "eti", "sfr", "fadac", "sepbit"),
    "future-knowledge",
)
LOAD = "load"
MODES = {"with time": ("false", 100_000, 250_000), "without time": ("true", 100_000, 400_000)}
"""Whether `measure.untimed`; writes of the short and the long run."""


def counted(program: Path, untimed: str, scheme: str, writes: int) -> tuple[int, int, int]:
    """Run once; gives instructions and the pages that the host and that collection wrote."""
    asked = [f"ftl.separation={scheme}", f"measure.untimed={untimed}"] if scheme != LOAD else [LOAD]
    with tempfile.TemporaryDirectory() as folder:
        said = under_cachegrind([str(program), str(writes), *asked], Path(folder) / "out")
    pages = json.loads(said.stdout)
    count = re.search(r"refs:\s+([\d,]+)", said.stderr)
    return int(count[1].replace(",", "")) if count else 0, pages["host"], pages["collected"]


def main() -> None:
    """Count, and print a row for each scheme."""
    program = build("separation_cost")
    print(
        f"{'':28} {'amplification':>13} {'instructions a write':>20} {'ratio':>6} {'a page':>7} {'ratio':>6}"
    )
    for mode, (untimed, short, long) in MODES.items():
        runs = list(product((LOAD, *SCHEMES), (short, long)))
        with ThreadPoolExecutor(2) as pool:
            counts = pool.map(lambda run, untimed=untimed: counted(program, untimed, *run), runs)
            found = dict(zip(runs, counts, strict=True))
        of_load, first = found[LOAD, long][0] - found[LOAD, short][0], None
        for scheme in SCHEMES:
            count, host, collected = (
                more - less for more, less in zip(found[scheme, long], found[scheme, short], strict=True)
            )
            cost = (count - of_load) / host, (count - of_load) / (host + collected)
            first = first or cost
            ratios = [now / before for now, before in zip(cost, first, strict=True)]
            print(
                f"{mode:13} {scheme:16} {1 + collected / host:11.2f} {cost[0]:20,.0f} {ratios[0]:6.2f} "
                f"{cost[1]:7,.0f} {ratios[1]:6.2f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
