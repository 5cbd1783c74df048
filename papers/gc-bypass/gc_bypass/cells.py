"""The drive, the schemes and the workloads of the paper."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parents[1]
BASELINE, VENICE, VENICE_FIVE, BYPASS = "baseline", "venice", "venice-five", "gc-bypass"
BOTH = (BASELINE, VENICE)
SCHEMES = (BASELINE, VENICE, VENICE_FIVE, BYPASS)
MSR = ("hm_0", "hm_1", "prn_0", "prxy_0", "rsrch", "stg_0", "usr_0", "wdev_0")
ALIBABA = ("ali0", "ali1", "ali2", "ali3", "ali4")
WORKLOADS = (*MSR, *ALIBABA)
OVERHEAD = ("ali0", "ali1", "ali2", "hm_0", "prn_0", "prxy_0")
"""Workloads of Figure 16."""
PROGRAM_NS = 750_000
"""Of the paper's drive, Table 3."""
PAGES = 256
"""Of a block, and of the collector's buffer for one batch."""
DIES_OF_CHIP = 2
BOUND_PAGES_PER_S = DIES_OF_CHIP * 1e9 / PROGRAM_NS
"""Pages that can be written back in a second over a circuit that is kept while its chip programs, one plane
of a die at a time; with both planes of a die together twice as many."""
