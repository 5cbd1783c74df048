"""The sample of docs/concepts/superblocks.md prints what the page shows. RECLAIM_UPDATE_DOCS=1 renews it."""

from __future__ import annotations

import os
import re
from pathlib import Path

from page_samples import ROOT, run, samples

PAGE = "docs/concepts/superblocks.md"
BEGIN = "<!-- what it prints; RECLAIM_UPDATE_DOCS=1 pytest tests/python/test_superblocks_page.py: begin -->\n"
END = "<!-- what it prints: end -->"


def test_superblocks_amplify_uniform_writes_as_the_page_shows(tmp_path: Path) -> None:
    (sample,) = samples(PAGE)
    printed = run(sample, tmp_path)
    path = ROOT / PAGE
    before, rest = path.read_text(encoding="utf-8").split(BEGIN)
    found, after = rest.split(END)
    block = f"\n```text\n{printed.rstrip()}\n```\n\n"
    if os.environ.get("RECLAIM_UPDATE_DOCS"):
        path.write_text(f"{before}{BEGIN}{block}{END}{after}", encoding="utf-8")
    else:
        assert found == block, "RECLAIM_UPDATE_DOCS=1 pytest tests/python/test_superblocks_page.py"
    rows = printed.splitlines()[1:]
    any_page, hot = ([float(number) for number in re.findall(r"\d\.\d+", row)] for row in rows)
    plane, *scopes = any_page
    assert all(amplification > plane for amplification in scopes), any_page
    assert max(hot) < min(any_page)
