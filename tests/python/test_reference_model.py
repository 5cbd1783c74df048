"""The reference model and Reclaim agree on a fixed sample of random drives and traces.

`make differential RUNS=2000` compares on other ones.
"""

from __future__ import annotations

import pytest

from differential.coverage import Coverage
from differential.report import report
from differential.search import DifferenceError, search

RUNS = 150


def test_the_reference_model_gives_the_same_latencies_jobs_and_counters() -> None:
    coverage = Coverage()
    try:
        search(range(RUNS), coverage)
    except DifferenceError as found:
        pytest.fail(report(found.case, found.what), pytrace=False)
    # A sample that collects nothing would agree easily.
    assert coverage.runs == RUNS
    assert coverage.jobs > 10 * RUNS
    for event in ("gc.dropped_moves", "flash.suspends", "flash.wear_erases", "buffer.waits"):
        assert coverage.used[f"{event} > 0"] > 0, event
