"""Studies: the points of an experiment, run on all cores or many machines, and what is made of them."""

from reclaim.experiment.experiment import Experiment
from reclaim.experiment.point import Point
from reclaim.study.study import Progress
from reclaim.study.sweep import compare, sweep

__all__ = ["Experiment", "Point", "Progress", "compare", "sweep"]
