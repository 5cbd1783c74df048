"""Every notebook runs, cell after cell, and shows what its text promises."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).parents[2] / "examples" / "notebooks").glob("*.py"))
assert NOTEBOOKS


@pytest.mark.slow
@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_cell_runs(notebook: Path) -> None:
    _, defined = runpy.run_path(str(notebook))["app"].run()
    results, rows, points = (defined[name] for name in ("results", "rows", "points"))
    assert list(results) == ["greedy", "cost-benefit", "mine"]
    assert len({row["write amplification"] for row in rows}) == len(rows), "each policy chooses other victims"
    assert points.comparisons()["low"].drop_nulls().len() > 0, "six repeats have intervals"
