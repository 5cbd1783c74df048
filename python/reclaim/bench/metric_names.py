"""Whether a name that an experiment gives is one of a metric."""

from __future__ import annotations

from reclaim.bench.lines import KeyPath
from reclaim.bench.mistakes import Mistakes
from reclaim.suggestions import near


def check_metric(name: str, place: KeyPath, mistakes: Mistakes) -> None:
    """Note a name that no column of a result set has, before anything is run."""
    # What is known of metrics brings the libraries of tables along.
    from reclaim.results.sets.metrics import measurable

    known = measurable()
    if name not in known:
        told = near(name, known) or "; the columns of points.parquet are metrics, such as read_p99_ns"
        mistakes.add(place, f'"{name}" is no metric{told}')
