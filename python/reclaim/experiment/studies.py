"""The studies that there are: a new one has its module, and an entry here.

Commands, `reclaim.NAME`, `reclaim check` and the sections of an experiment file are made of this list. What
a study needs is imported when it is asked for: `reclaim --help` must not wait for arrays.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any, NamedTuple


class Registered(NamedTuple):
    """A study, and where it is."""

    about: str
    """What its command does, in a line."""
    module: str
    """Below `reclaim.study`; it has the public function of the study's name."""
    study: str = ""
    """Of one that an experiment file has a section for, the class in there; it takes the experiment and what
    tells how far it is."""
    section: str = ""
    """Module below `reclaim.study`, and in it the model of the section."""

    def get(self, name: str) -> Any:
        """Give what its module calls so."""
        return getattr(import_module(f"reclaim.study.{self.module}"), name)

    def model(self) -> Any:
        """Give the model of its section."""
        module, _, name = self.section.partition(":")
        return getattr(import_module(f"reclaim.study.{module}"), name)


STUDIES: Mapping[str, Registered] = {
    "compare": Registered("Run a trace under several schemes, side by side.", "comparing"),
    "judge": Registered(
        "Judge a policy on a suite of workloads, beside stored results of others.", "judging.judge"
    ),
    "sweep": Registered("Run every point of an experiment.", "sweep"),
    "ablate": Registered(
        "Find which part of the difference of two schemes makes it, by running the drives between them.",
        "ablation.ablate",
        "AblationStudy",
        "ablation.section:Ablate",
    ),
    "sensitivity": Registered(
        "Move every choice of the model to its alternatives, and say which turn a comparison of two schemes.",
        "sensitivity.sensitivity",
        "SensitivityStudy",
        "sensitivity.section:Sensitivity",
    ),
    "tune": Registered(
        "Search the parameters of a scheme for what is best on some runs, and judge what is found on others.",
        "tuning.tune",
        "TuningStudy",
        "tuning.section:Tune",
    ),
    "measure": Registered("Measure what a drive reaches, fresh and steady.", "measuring.measure"),
    "fit": Registered("Solve what a sheet leaves open of a drive.", "fitting.fit"),
}
OF_EXPERIMENTS = {name: each for name, each in STUDIES.items() if each.section}
"""Those that an experiment asks for in a section of their name."""
