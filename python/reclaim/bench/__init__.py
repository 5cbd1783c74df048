"""The bench: experiments of many points, run on all cores or many machines, resumable."""

from reclaim.bench.experiment import Experiment
from reclaim.bench.point import Point

__all__ = ["Experiment", "Point"]
