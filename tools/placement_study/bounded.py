"""Pages that a bounded log writes under each scheme but MiDAS: studies/placement/bounded-log.csv. Minutes."""

from __future__ import annotations

import csv
import tempfile
from pathlib import Path
from typing import Any

import reclaim
from network_study.study import ROOT
from placement_study.loads import LOADS, MIDAS_SPARE, midas_load

STORED = ROOT / "studies" / "placement" / "bounded-log.csv"
SCHEMES: dict[str, dict[str, Any]] = {
    "NoSep": {"collected_apart": False},
    "SepGC": {},
    "DAC": {"separation": "dac"},
    "SepBIT": {"separation": "sepbit"},
    "FK": {"separation": "future-knowledge"},
}
"""Names of the program of SepBIT, and how they are asked for."""
VICTIM = "cost-benefit"


def main() -> None:
    """Run every scheme on every load."""
    with STORED.open("w", newline="") as file, tempfile.TemporaryDirectory() as folder:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["trace", "victim", "scheme", "user_pages", "pages_written"])
        for name in LOADS:
            trace = midas_load(name, Path(folder))
            for scheme, asked in SCHEMES.items():
                log = reclaim.replay_log(trace, victim=VICTIM, spare=MIDAS_SPARE, **asked)
                rows.writerow([name, VICTIM, scheme, log.user_pages, log.pages_written])


if __name__ == "__main__":
    main()
