"""The sample of docs/concepts/superblocks.md prints what the page shows. RECLAIM_UPDATE_DOCS=1 renews it."""

from __future__ import annotations

import re
from pathlib import Path

from page_samples import check_printed, run, samples

PAGE = "docs/concepts/superblocks.md"


def test_superblocks_amplify_uniform_writes_as_the_page_shows(tmp_path: Path) -> None:
    (sample,) = samples(PAGE)
    printed = run(sample, tmp_path)
    check_printed(PAGE, printed, "test_superblocks_page.py")
    rows = printed.splitlines()[1:]
    any_page, hot = ([float(number) for number in re.findall(r"\d\.\d+", row)] for row in rows)
    plane, *scopes = any_page
    assert all(amplification > plane for amplification in scopes), any_page
    assert max(hot) < min(any_page)
