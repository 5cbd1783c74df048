"""What the headlines of a paper depend on: sensitivity of each, and ablation where parts can be taken out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from reclaim.experiment.experiment import Experiment
from reclaim.paper.paper import Headline
from reclaim.study.ablation.ablate import AblationStudy
from reclaim.study.sensitivity.conclusion import ComparedNames
from reclaim.study.sensitivity.judging import Key, Variation
from reclaim.study.sensitivity.sensitivity import Sensitivity, SensitivityStudy
from reclaim.study.study import Report, RunOptions, of_part

FOLDER = "why"
"""Of the results of a paper; a folder for each headline is in it."""


@dataclass(frozen=True)
class Finding:
    """What came of one headline."""

    headline: Headline
    conclusion: str
    """Of the study of sensitivity."""
    depends_on: str
    """Readings and unprinted parameters that turn it or leave it open; empty where there are none."""
    parts: tuple[str, ...]
    """Conclusions of the ablation; none where the experiment asks for none."""
    runs: int
    """Of the study of sensitivity."""

    @property
    def text(self) -> str:
        """What a reader is told beside the headline."""
        return " ".join((self.conclusion, *self.parts))

    def to_dict(self) -> dict[str, Any]:
        """Give it as `agreement.json` has it."""
        return {
            "headline": self.headline.name,
            "says": self.headline.says,
            "claims": list(self.headline.claims),
            "conclusion": self.conclusion,
            "depends_on": self.depends_on,
            "parts": list(self.parts),
            "runs": self.runs,
        }


@dataclass(frozen=True)
class Question:
    """A headline whose experiment was read, before anything runs."""

    headline: Headline
    experiment: Experiment
    study: SensitivityStudy

    def ask(self, folder: Path, options: RunOptions, progress: Report | None) -> Finding:
        """Run what is not stored yet, below `folder`.

        Raises:
            InputError: for a folder that cannot be used; if the comparison itself cannot be run.
        """
        name = self.headline.name
        options = replace(options, report=True, force=False)
        place = folder / FOLDER / name
        place.parent.mkdir(parents=True, exist_ok=True)
        told = of_part(f"{FOLDER} {name}", progress)
        study = self.study.run(place, options, told)
        parts: list[str] = []
        if "ablate" in self.experiment.parts.sections:
            parts = AblationStudy(self.experiment).run(place, options, told).conclusions
        return Finding(self.headline, study.conclusion, depends_on(study), tuple(parts), study.runs)


def questions(headlines: Iterable[Headline]) -> list[Question]:
    """Read the experiments of headlines.

    Raises:
        InputError: for mistakes of an experiment; for one without a section `[sensitivity]`.
    """
    found = []
    for each in headlines:
        experiment = Experiment.load(each.file)
        found.append(Question(each, experiment, SensitivityStudy(experiment)))
    return found


def depends_on(found: Sensitivity) -> str:
    """Name the readings and unprinted parameters that turn a comparison or leave it open.

    Another drive, load or start (kind `scope`) says where a comparison holds; it does not depend on it.
    """
    turning: list[str] = []
    opening: list[str] = []
    for study, _ in found.studies:
        for key in (each for each in study.keys if each.kind != "scope"):
            turning += _named(key, key.turning, found.names)
            # Without a direction there is nothing that could be left open.
            opening += _named(key, key.opening, found.names) if study.side else []
    said = {"turned by": turning, "left open by": [each for each in opening if each not in turning]}
    # Under both rules of load a key may do the same.
    return "; ".join(f"{how} {', '.join(dict.fromkeys(which))}" for how, which in said.items() if which)


def _named(key: Key, variations: Iterable[Variation], names: ComparedNames) -> list[str]:
    return [f"`{key.name}` = {each.value}{names.whose(each.move)}" for each in variations]


def turned(findings: Iterable[Mapping[str, Any]]) -> Mapping[str, str]:
    """Give, for each claim that falls with a headline, what turns it; findings as `to_dict` gives them."""
    found: dict[str, str] = {}
    for each in findings:
        for claim in each["claims"]:
            if each["depends_on"]:
                before = f"{found[claim]}; " if claim in found else ""
                found[claim] = f"{before}{each['headline']}: {each['depends_on']}"
    return found
