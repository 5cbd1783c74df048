"""The open-loop trace on which the simulator is validated against MQSim."""

from __future__ import annotations

import hashlib
from pathlib import Path

import polars as pl

from reclaim import input_file, output_file
from reclaim.errors import SimulationError

LOGICAL_PAGES = 128 * 256 * 64 * 3 // 4
"""Of the preset `mqsim-mirror-mini`: 6 GiB."""
REQUESTS = 2_000_000
PER_SECOND = 2000.0
WRITES = 0.7
SEED = 20_240_607
SHA256 = "20f7b7a569dee44098cb1254bb335d11ccf1d60f4469c00ceae778c60a37f578"


def write_xval(path: Path) -> None:
    """Write the trace as MQSim reads it: time in ns, device, first sector, sectors, 0 to write or 1 to read.

    Every logical page is written once, 64 KiB a millisecond. Five seconds later come 2 million requests of a
    page, at random, 70 % writes, 2000 a second, Poisson.

    Raises:
        SimulationError: if NumPy is missing, or draws other numbers than when MQSim was measured.
    """
    try:
        import numpy as np
    except ImportError:
        raise SimulationError(
            "the comparison with MQSim needs NumPy, which drew the requests: pip install numpy"
        ) from None
    fill = LOGICAL_PAGES // 16
    times = 1_000_000 * np.arange(1, fill + 1)
    draws = np.random.default_rng(SEED)
    gaps = draws.exponential(1e9 / PER_SECOND, REQUESTS).astype(np.int64)
    pages = draws.integers(0, LOGICAL_PAGES, REQUESTS)
    reads = (draws.random(REQUESTS) >= WRITES).astype(np.int64)
    begin = times[-1] + 1_000_000 + 5_000_000_000
    table = pl.DataFrame(
        {
            "time": np.concatenate([times, begin + np.cumsum(gaps)]),
            "device": np.zeros(fill + REQUESTS, np.int64),
            "sector": np.concatenate([128 * np.arange(fill), 8 * pages]),
            "sectors": np.concatenate([np.full(fill, 128), np.full(REQUESTS, 8)]),
            "kind": np.concatenate([np.zeros(fill, np.int64), reads]),
        }
    )
    # polars would take its name for more than a name.
    output_file.write_text(path, table.write_csv(include_header=False, separator=" "))
    with input_file.opened(path) as file:
        if hashlib.file_digest(file, "sha256").hexdigest() != SHA256:
            raise SimulationError(
                f"NumPy {np.__version__} draws other requests than those that MQSim was given"
            )
