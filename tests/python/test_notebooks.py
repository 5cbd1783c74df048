"""Every notebook runs, cell after cell, and shows what its text promises."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest

NOTEBOOKS = sorted((Path(__file__).parents[2] / "examples" / "notebooks").glob("*.py"))


def defined_by(notebook: Path) -> dict[str, Any]:
    """What the cells define, after all have run; a cell that fails raises."""
    _, defined = runpy.run_path(str(notebook))["app"].run()
    return dict(defined)


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_cell_runs(notebook: Path) -> None:
    defined = defined_by(notebook)
    results, rows, points = (defined[name] for name in ("results", "rows", "points"))
    assert list(results) == ["greedy", "cost-benefit", "mine"]
    assert len({row["write amplification"] for row in rows}) == len(rows), "each policy chooses other victims"
    assert points.comparisons()["low"].drop_nulls().len() > 0, "six repeats have intervals"


def test_there_are_notebooks() -> None:
    assert NOTEBOOKS
