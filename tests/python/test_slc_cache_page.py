"""The sample of docs/concepts/slc_cache.md prints what the page shows. RECLAIM_UPDATE_DOCS=1 renews it."""

from __future__ import annotations

import re
from pathlib import Path

from page_samples import ROOT, check_printed, run, samples

PAGE = "docs/concepts/slc_cache.md"


def test_a_burst_falls_off_the_cliff_that_the_page_shows(tmp_path: Path) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    sample, command = samples(PAGE)
    printed = run(sample, tmp_path)
    check_printed(PAGE, printed, "test_slc_cache_page.py")
    rows = [[int(number) for number in re.findall(r"\d+", line)] for line in printed.splitlines()[1:]]
    first, last = rows[0], rows[-1]
    assert first[2] < first[1] / 2, "in the cache"
    assert last[2] == last[1], "behind it, where folding waits"
    assert last[3] > last[1], "behind it, beside folding"
    assert re.search(r"folded pages.*\d", run(command, tmp_path))
