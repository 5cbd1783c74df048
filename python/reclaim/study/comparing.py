"""One trace on one drive under several schemes: `reclaim compare`, a sweep that is told scheme by scheme."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from reclaim.arguments import checked, path, shown
from reclaim.encoding import json_text
from reclaim.errors import InputError
from reclaim.experiment.experiment import Experiment
from reclaim.experiment.parts import parse_scheme
from reclaim.output_folder import MANIFEST
from reclaim.parsing import to_toml
from reclaim.report import PAGE
from reclaim.report.document import Block, Document, Table, Text
from reclaim.report.ratios import listed
from reclaim.result.identity import identity_lines
from reclaim.result.opening import LOOK, opening
from reclaim.result.repeated import Repeated
from reclaim.result.result import REPORT, Result
from reclaim.result.table import brief_rows, comparison, not_collected, remark_blocks
from reclaim.result.verdict import EXIT_CODES, reason_of, worst
from reclaim.study.study import StudyOptions, carry_out
from reclaim.study.sweep import Sweep, Swept, swept_set

if TYPE_CHECKING:
    from reclaim.result.sets import ResultSet

REPEATS = 6
"""Without as many there is no 95 % interval."""
NAME = "comparison"


def comparing(
    device: str,
    trace: str,
    schemes: Mapping[str, tuple[Sequence[str], Mapping[str, Any]]],
    settings: Mapping[str, Any],
    *,
    repeats: int,
    by: str = "workload",
    record: Mapping[str, bool] | None = None,
    command: str = "",
) -> Experiment:
    """Give the experiment that a comparison is.

    Args:
        device: a preset or a file.
        trace: a file, or a name of the catalogue.
        schemes: what each is called, the schemes that it is joined of, and its own settings, which win.
        settings: of every run.
        repeats: how many runs there are of each.
        by: in what repeats differ.
        record: what is kept of every run beside its results.
        command: what asks for it, as a line for a shell.
    """
    table = {
        "name": NAME,
        "devices": [device],
        "traces": [trace],
        "schemes": [
            {"name": name, "schemes": list(joined), "for_traces": {trace: dict(own)}}
            for name, (joined, own) in schemes.items()
        ],
        "set": dict(settings),
        "repeats": {"count": repeats, "by": by},
        "record": dict(record or {}),
    }
    comment = f"# {command}\n" if command else ""
    return Experiment.parse(comment + to_toml(table))


def scheme_of(text: str) -> tuple[tuple[str, ...], dict[str, str]]:
    """Take a scheme apart as `parse_scheme` does; `mine.py:fewest_valid` in it is a policy of one's own.

    Raises:
        InputError: as `parse_scheme`, and for a policy that is not there.
    """
    joined, settings = parse_scheme(text)
    # What reads policies is for those that have some.
    from reclaim.policy.files import among

    built_in, own = among(joined)
    return built_in, own | settings


class ComparisonStudy(Sweep):
    """Schemes side by side, each with its repeats."""

    kind = "compare"
    packs = False
    announced = True
    tells_reasons = True

    def __init__(
        self,
        experiment: Experiment,
        *,
        command: str | None = None,
        formats: Sequence[str] = (),
    ) -> None:
        """Make the points.

        Args:
            experiment: as `comparing` gives it.
            command: what asks for it, for manifest and report.
            formats: what figures are written in beside PNG.
        """
        super().__init__(experiment)
        self.command = command
        self._formats = formats
        self._repeats = experiment.parts.repeats.count
        self.folders = folders_of(each.name for each in experiment.parts.schemes)

    def cost(self, folder: Path | None = None) -> list[str]:
        """Say what is run, and what it takes."""
        points, *rest = super().cost(folder)
        each = "each begins elsewhere in the trace"
        many = f"{self._repeats} repeats: {each}" if self._repeats > 1 else "one run of each"
        return [f"{points} ({len(self.folders)} schemes, {many})", *rest]

    def results(self, swept: Swept) -> list[Result]:
        """Give what was measured of each scheme, in order: those repeats that every scheme has."""
        failed = {failure["point"] for failure in swept.failures}
        stored = {(each.scheme, each.repeat): each.id for each in self._all if each.id not in failed}
        schemes = [name for name in self.folders if any(scheme == name for scheme, _ in stored)]
        whole = [
            number for number in range(self._repeats) if all((name, number) in stored for name in schemes)
        ]
        found: list[Result] = []
        for name in schemes if whole else ():
            runs = [Result.load(swept.folder / "points" / stored[name, number]) for number in whole]
            found.append(Repeated(runs, name, self.command))
        return found

    def write(self, result: Swept, place: Path, *, report: bool) -> None:
        """Put the first repeat of every scheme where its name says, then draw the report."""
        for each in place.iterdir():
            # Of schemes that an earlier comparison had; what a run wrote has a manifest.
            if (each / "results.json").is_file() and not (each / MANIFEST).exists():
                shutil.rmtree(each)
        stored = {each.scheme: place / "points" / each.id for each in self._all if each.repeat == 0}
        for name, folder in self.folders.items():
            if stored[name].is_dir():
                shutil.copytree(stored[name], place / folder, copy_function=_linked)
        super().write(result, place, report=report)

    def files_beside(self, place: Path) -> Iterable[Path]:
        """Name the files of the folders of schemes, and of the figures."""
        return (file for name in (*self.folders.values(), "figures") for file in (place / name).glob("*"))

    def draw(self, result: Swept, place: Path) -> None:
        """Draw the report of all schemes, and its figures beside it."""
        from reclaim.result.report import write_report

        shutil.rmtree(place / "figures", ignore_errors=True)
        if not (results := self.results(result)):
            return
        try:
            write_report(results, place, self._formats)
        except KeyboardInterrupt as stop:
            shutil.rmtree(place / "figures", ignore_errors=True)
            (place / PAGE).unlink(missing_ok=True)
            raise KeyboardInterrupt(str(stop) or "stopped while the report was drawn") from None

    def document(self, result: Swept) -> Document:
        """Give the report."""
        from reclaim.result.plots import figures
        from reclaim.result.report import document

        results = self.results(result)
        return document(results, figures(results))

    def brief(self, result: Swept) -> Document:
        """Tell the main figures side by side, with what must be known to read them."""
        results = self.results(result)
        if not results:
            return Document(self.name, [])
        # The table is longer than a screen: what it shows is said below it.
        told = opening(results) if len(results) > 1 else ""
        look = LOOK if self._repeats == 1 and len(results) > 1 else ""
        blocks: list[Block] = [*identity_lines(results)]
        blocks += [Text(not_collected(results), "strong"), *self._tables(results)]
        blocks += [Text(self._alike(results) or told, "strong"), Text(look, "strong")]
        return Document(self.name, [*blocks, *remark_blocks(results)])

    def _alike(self, results: Sequence[Result]) -> str:
        """Which schemes make the drive of the first: a setting of all overrides what they differ in."""
        first, *others = ((each.label, each.to_dict()["config"]) for each in results)
        same = [label for label, config in others if config == first[1]]
        if not same:
            return ""
        return f"{listed([first[0], *same])} are the same drive here: settings of all override what differs."

    def _tables(self, results: Sequence[Result]) -> list[Table]:
        """A table for each start: schemes from their own, and from one that a scheme has prepared."""
        groups: dict[str | None, list[Result]] = {}
        for each in results:
            groups.setdefault(each.to_dict()["warmup"]["prepared_by"], []).append(each)
        return [comparison(group, _start(by) if len(groups) > 1 else "") for by, group in groups.items()]

    def json(self, result: Swept) -> str:
        """Write the first repeat of every scheme, and the ratios that all repeats give."""
        results = self.results(result)
        labels = [each.label for each in results]
        ratios = [
            {
                "scheme": label,
                "section": row.section,
                "figure": row.label,
                "ratio": known.value,
                "low": known.low,
                "high": known.high,
            }
            for row in brief_rows(results)
            for label, known in list(zip(labels, row.paired, strict=False))[1:]
        ]
        told = {"runs": [each.to_dict() for each in results], "repeats": self._repeats, "ratios": ratios}
        return json_text(told) + "\n"

    def ending(self, result: Swept, folder: Path) -> list[str]:
        """Say where the report is."""
        return [f"report: {result.report}" if result.report else f"results: {folder}"]

    def complaints(self, result: Swept) -> list[str]:
        """Say what failed, and what is to be known of the repeats."""
        return result.complaints()[0 if result.failures else 1 :]

    def outcome(self, result: Swept) -> tuple[int, str]:
        """Give 1 if a run failed or a result is not to be trusted, 3 if some figures are inconclusive."""
        if result.failures:
            return 1, f"{len(result.failures)} of {result.total} runs failed"
        results = self.results(result)
        level = worst([each.verdict for each in results])
        return EXIT_CODES[level], reason_of(results, level)


def _linked(source: str, target: str) -> None:
    """Give a file a second name, or copy it where that cannot be."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def _start(prepared_by: str | None) -> str:
    return (
        "each scheme from its own steady state" if prepared_by is None else f"all prepared by {prepared_by}"
    )


def folders_of(schemes: Iterable[str]) -> dict[str, str]:
    """Give where the results of each scheme go.

    Raises:
        InputError: for two in one folder, and one that is taken.
    """
    folders: dict[str, str] = {}
    for scheme in schemes:
        name = scheme.replace("/", "_")
        if name in folders.values() or name in (*REPORT, "points", "failures", "states", "traces"):
            raise InputError(f"--schemes: {scheme}: another folder than {name} is needed; write it otherwise")
        folders[scheme] = name
    return folders


@checked
def compare(
    trace: str | Path,
    device: str | Path,
    schemes: Sequence[str],
    *,
    set: Mapping[str, Any] | None = None,
    repeats: int = REPEATS,
    by: str = "workload",
    output: str | Path | None = None,
    **options: Unpack[StudyOptions],
) -> ResultSet:
    """Run one trace on one drive under several schemes; the first is what the others are compared with.

    Args:
        trace: a file, or a name of the catalogue.
        device: a preset, or a .toml file.
        schemes: names joined by `+`, with settings, as in `greedy+gc.pages_in_flight=4`; a policy of your
            own is named by its file, as in `mine.py:fewest_valid+gc.victim.params.exponent=2`.
        set: settings of every run, by dotted keys; a scheme's own settings win.
        repeats: how often each is run; fewer than six give no 95 % interval.
        by: in what repeats differ: `seed`, where the trace begins (`rotate`), or which draw of a generated
            trace it is and where a recorded one begins (`workload`).
        output: the folder to store results in; a new temporary one if not given.
        workers: points at the same time; one a core if not given.
        dask: address of a Dask scheduler whose workers run the points.
        worker_timeout: after how many seconds without a word a worker of it is given up; 60 if not given.
        memory: what all runs may take together.
        progress: called about five times a second.
        force: use a folder that has other things.
        report: draw `report.html` in the folder.
        accept_build: other builds whose points count and whose workers may run some.
        retry: run points again that have ended a process.

    Raises:
        InputError: as `sweep`.
    """
    if set is not None and not isinstance(set, Mapping):
        raise InputError(f'set must be a mapping, as in {{"gc.pages_in_flight": 4}}, not {shown(set)}')
    parsed = {each: scheme_of(each) for each in schemes}
    where = str(path("device", device)), str(path("trace", trace))
    experiment = comparing(*where, parsed, set or {}, repeats=repeats, by=by)
    folder = path("output", output) if output is not None else Path(tempfile.mkdtemp(prefix="reclaim-"))
    return swept_set(carry_out(lambda: ComparisonStudy(experiment), folder, options), stacklevel=3)
