"""The sample of docs/concepts/slc_cache.md prints what the page shows. RECLAIM_UPDATE_DOCS=1 renews it."""

from __future__ import annotations

import os
import re
from pathlib import Path

from page_samples import ROOT, run, samples

PAGE = "docs/concepts/slc_cache.md"
BEGIN = "<!-- what it prints; RECLAIM_UPDATE_DOCS=1 pytest tests/python/test_slc_cache_page.py: begin -->\n"
END = "<!-- what it prints: end -->"


def test_a_burst_falls_off_the_cliff_that_the_page_shows(tmp_path: Path) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    sample, command = samples(PAGE)
    printed = run(sample, tmp_path)
    path = ROOT / PAGE
    before, rest = path.read_text(encoding="utf-8").split(BEGIN)
    found, after = rest.split(END)
    block = f"\n```text\n{printed.rstrip()}\n```\n\n"
    if os.environ.get("RECLAIM_UPDATE_DOCS"):
        path.write_text(f"{before}{BEGIN}{block}{END}{after}", encoding="utf-8")
    else:
        assert found == block, "RECLAIM_UPDATE_DOCS=1 pytest tests/python/test_slc_cache_page.py"
    rows = [[int(number) for number in re.findall(r"\d+", line)] for line in printed.splitlines()[1:]]
    first, last = rows[0], rows[-1]
    assert first[2] < first[1] / 2, "in the cache"
    assert last[2] == last[1], "behind it, where folding waits"
    assert last[3] > last[1], "behind it, beside folding"
    assert re.search(r"folded pages.*\d", run(command, tmp_path))
