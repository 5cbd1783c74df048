"""The bench: experiments of many points, run on all cores or many machines, resumable."""

from reclaim.bench.experiment import Experiment
from reclaim.bench.point import Point
from reclaim.bench.study import Progress
from reclaim.bench.sweep import compare, sweep

__all__ = ["Experiment", "Point", "Progress", "compare", "sweep"]
