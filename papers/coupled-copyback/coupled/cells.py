"""Schemes of the paper's experiments, and the columns that its figures are made of."""

from __future__ import annotations

from reclaim.paper.toolkit import Cells, LevelRuns

TP, BASELINE, OSPADA, PCGC, COUPLED = "copyback-tp", "copyback-fsp", "ospada", "pcgc", "coupledcb"
FREE = "no rule"
"""Copyback without the odd/even rule: nothing is wasted, whatever is left to win."""
OTHERS = (BASELINE, OSPADA, PCGC)
WASTED, MOVED, WRITTEN = "flash_wasted_pages", "flash_gc_programs", "gc_write_amplification"
TAIL = "write_p99_99_ns"
"""Most requests write, and no percentile of all together is kept."""
WORKLOADS = ("ali2", "stg_0", "proj_0", "ali77", "prxy_0", "ali181")


def cells_of(runs: LevelRuns, experiment: str, *schemes: str) -> Cells | None:
    """The points of an experiment; None where it lacks one of the schemes."""
    cells = Cells.of(runs, experiment)
    return cells if cells.has_all(*schemes) else None
