"""Names of the points of an experiment, kept in its folder: a hundred thousand drives take a minute to build.

They follow from the experiment, from this build, and from files of drives and of traces. While all these are
what they were, a drive is built where its point is to be run, and not before.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reclaim import builds, input_file, output_file
from reclaim.checksums import checksum
from reclaim.experiment.build import Builder
from reclaim.experiment.experiment import Experiment
from reclaim.experiment.point import Named, Point, digest
from reclaim.experiment.task import start_of

FILE = "names.json"


@dataclass(frozen=True)
class Names:
    """What is known of the points, in the order of the experiment."""

    points: Sequence[Named]

    @classmethod
    def read(cls, folder: Path, experiment: Experiment) -> Names | None:
        """Read what an earlier run in a folder kept; None if it kept nothing that is sure to hold."""
        try:
            known = json.loads(input_file.text(folder / FILE))
            if known["of"] != _of(experiment) or known["traces"] != _traces(experiment):
                return None
            if any(checksum(Path(file)) != was for file, was in known["files"].items()):
                return None
            return cls([Named(*each) for each in known["points"]])
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return None

    @staticmethod
    def keep(folder: Path, experiment: Experiment, points: Sequence[Point]) -> None:
        """Keep the names of built points; not where policies of one's own, or merged traces, matter.

        Nor where a point lacks a value of an axis: that is known once its drive is built.

        Raises:
            InputError: if they cannot be written.
        """
        files: set[Path] = set()
        starts: dict[Any, int] = {}
        names = []
        for point in points:
            drive, trace = point.drive, point.opened
            if drive is None or trace is None or drive.may_have_code() or drive.merged_files():
                return
            if point.left_out:
                return
            files |= {file.absolute() for file in (*drive.files(), *trace.files)}
            start = starts.setdefault(start_of(drive, trace), len(starts))
            names.append((point.id, point.same_run, start))
        content = {
            "of": _of(experiment),
            "traces": _traces(experiment),
            "files": {str(file): checksum(file) for file in sorted(files)},
            "points": names,
        }
        output_file.write_text(folder / FILE, json.dumps(content) + "\n")


def _of(experiment: Experiment) -> list[str]:
    return [digest(experiment.text), str(experiment.base.absolute()), builds.build()]


def _traces(experiment: Experiment) -> list[str]:
    """Where each trace is that is not generated."""
    traces = Builder(experiment.parts, experiment.base, experiment.mistakes()).traces
    return [traces.place(each) for each in experiment.parts.traces if each.generate is None]
