"""Reproducing a paper: its sweeps and its own figures, every claim judged, all of it in a folder."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from reclaim import _core, input_file, output_folder
from reclaim.errors import InputError, ResultWarning
from reclaim.paper import measures
from reclaim.paper.agreements import withheld
from reclaim.paper.evaluation import Evidence, Provenance, Reproduction
from reclaim.paper.experiments import FullRecording, Table, check_settings, read_table, trace_table
from reclaim.paper.figures import LevelRuns, figures_of, leave, module_of
from reclaim.paper.paper import Level, Paper
from reclaim.paper.report import EARLIER, FILES, text_of, write
from reclaim.paper.runs import PaperRuns, Scaled, SweptPoints
from reclaim.paper.why import Question, questions, turned
from reclaim.report.document import Document
from reclaim.report.forms import chosen
from reclaim.study.study import Report, Result, RunOptions, Study, of_part
from reclaim.suggestions import near
from reclaim.trace.catalogue import STAND_IN, entries, resolve
from reclaim.trace.synthesis import stated
from reclaim.trace.trace import open_trace

KIND = "reproduce"
"""What its folders say that they are of."""


class PaperFolder(NamedTuple):
    """The folder that is taken for a paper, and how its points run."""

    runs: PaperRuns
    options: RunOptions
    progress: Report | None


class OfPaper(Study[PaperFolder, Result]):
    """What is run of a paper at a level.

    Args:
        paper: from `load_paper`.
        level: `quick`, `default` or `full`; agreements to be cited come from `full`.
        traces: folder with full recordings, which take the place of the slices that come with the source.
        why: ask of every headline which choices turn it, and let that decide with; stored below `why`.
        beyond: labels of what goes past the paper, to be run at the default level, too; full runs all of it.
        allow_code: let the module run that lies in a paper's folder and did not come with Reclaim, and
            policies in Python that its experiments name.

    Raises:
        InputError: for a mistake in the paper's files, and for traces that are missing; for `why` at the
            quick level, or of a paper that declares no headline; if the paper has nothing of a name in
            `beyond`, or the level runs none of it, or all.
    """

    announced = False

    def __init__(
        self,
        paper: Paper,
        level: Level = "default",
        *,
        traces: Path | None = None,
        why: bool = False,
        beyond: Sequence[str] = (),
        allow_code: bool = False,
    ) -> None:
        self.paper = paper
        self.level = level
        self._full = full_recordings(paper, level, traces)
        self._beyond = tuple(beyond)
        # Whatever its experiments come to, on whatever thread.
        self._leave = partial(leave, paper, allow_code=allow_code)
        check_beyond(paper, level, beyond)
        self._module = module_of(paper, allow_code=allow_code)
        runs = self._runs(Path(), RunOptions(), None)
        # A refusal that became a drive that cannot be, among others that can, comes out at its end.
        with self._leave():
            self._asked = check_experiments(runs, why=why)
        self._used = check_traces(paper, level, runs.tables())

    @property
    def name(self) -> str:
        """The key of the paper."""
        return self.paper.key

    def _runs(self, folder: Path, options: RunOptions, progress: Report | None) -> PaperRuns:
        sweep = sweeper(options, progress)
        return PaperRuns(self.paper, self.level, folder, sweep, self._full, self._beyond)

    def cost(self, folder: Path | None = None) -> list[str]:
        """Say what the default cells of each experiment take; loads are searched for, and not told."""
        from reclaim.experiment.experiment import Experiment
        from reclaim.study.sweep import Sweep

        lines = []
        with self._leave():
            for name, table in self._runs(folder or Path(), RunOptions(), None).default_cells():
                stored = None if folder is None else folder / "sweeps" / self.level / name
                experiment = Experiment.from_dict(table, base=self.paper.folder)
                there = stored if stored is not None and stored.is_dir() else None
                lines += [f"{self.paper.key}, {name}: {line}" for line in Sweep(experiment).cost(there)]
        return lines or [f"{self.name}: runs no experiment"]

    @contextmanager
    def opened(self, folder: Path, options: RunOptions, progress: Report | None) -> Iterator[PaperFolder]:
        """Take the folder before the first sweep; an earlier report is no longer of what is there.

        Raises:
            InputError: for a folder that cannot be used.
        """
        with self._leave():
            self.begin(folder, force=options.force)
            yield PaperFolder(self._runs(folder, options, progress), options, progress)

    @staticmethod
    def begin(folder: Path, *, force: bool) -> None:
        """Take the folder.

        Raises:
            InputError: if it cannot be used.
        """
        with output_folder.writing(folder, (*FILES, *EARLIER), force=force, kind=KIND) as staged:
            staged.publish()


class PaperStudy(OfPaper[Reproduction]):
    """A paper at a level: its sweeps, and every claim judged by what is stored of them."""

    result = "agreement.json"

    def judge(self, points: PaperFolder) -> Reproduction:
        """Run what is not stored yet, and judge every claim."""
        runs, options, progress = points
        paper, level, folder = self.paper, self.level, runs.output
        figures = figures_of(self._module, level, progress)
        every, variations = runs.all()
        ran = LevelRuns(level, paper.load, every, folder / "sweeps" / level, paper.workload_names)
        found = measures.of_runs(paper.folder, self._module, ran, variations.loads, variations.vary)
        figures |= found.figures
        findings = tuple(each.ask(folder, options, progress) for each in self._asked)
        rows = Evidence(
            paper,
            every,
            figures,
            variations,
            stand_ins_of(runs.tables()),
            found.varied,
            full_repeats=level == "full",
            complete=level == "full" and not runs.failures,
            turned=turned(each.to_dict() for each in findings),
        ).rows()
        if level == "quick":
            rows = [replace(row, judgement=withheld(row.judgement)) for row in rows]
        provenance = Provenance(
            level=level,
            command=f"reclaim reproduce {paper.key}"
            + ("" if level == "default" else f" --{level}")
            + (f" --beyond {','.join(runs.beyond)}" if runs.beyond else "")
            + (" --why" if self._asked else ""),
            version=_core.__version__,
            traces=tuple(_provenance(paper, name, source, runs.files) for name, source in self._used.items()),
            scalings=tuple(_scaling(each) for each in runs.scaled),
            failures=tuple(runs.failures),
        )
        return Reproduction(
            paper,
            tuple(rows),
            provenance,
            found.drawings,
            findings,
            tuple((name, each.figure) for name, each in figures.items() if each.figure is not None),
            found.tables,
        )

    def document(self, result: Reproduction) -> Document:
        """Tell every claim."""
        from reclaim.paper.report import document

        return document(result)

    def brief(self, result: Reproduction) -> Document:
        """Tell the first screen of the page, the claims and the totals."""
        from reclaim.paper.report import brief

        return brief(result)

    def files(self, result: Reproduction) -> Mapping[str, str]:
        """Give the agreements."""
        return {self.result: text_of(result)}

    def write(self, result: Reproduction, place: Path, *, report: bool) -> None:
        """Write agreements and report, all at once; the report is always drawn."""
        del report
        with output_folder.writing(place, FILES, force=True, kind=KIND) as staged:
            write(result, staged.path)
            staged.publish()

    def complaints(self, result: Reproduction) -> list[str]:
        """Say which points failed."""
        return [f"failed: {each}" for each in result.provenance.failures]

    def ending(self, result: Reproduction, folder: Path) -> list[str]:
        """Say where the report is."""
        del result
        return [f"{folder / self.page} says why, claim by claim"]

    def outcome(self, result: Reproduction) -> tuple[int, str]:
        """Fail where a point failed."""
        failed = len(result.provenance.failures)
        return (1, f"{failed} points failed") if failed else (0, "")


def reproduce(
    paper: Paper,
    level: Level = "default",
    output: Path | None = None,
    *,
    options: RunOptions = RunOptions(),  # noqa: B008 - it cannot be changed
    **asked: Any,
) -> Reproduction:
    """Run a paper and judge its claims.

    Args:
        paper: from `load_paper`.
        level: `quick`, `default` or `full`; agreements to be cited come from `full`.
        output: where report.html, agreement.json, agreement.parquet and the sweeps go; points that are there
            already, of an interrupted run, are not run again. None keeps nothing.
        options: how each sweep is run.
        asked: what else `PaperStudy` takes, by name.

    Raises:
        InputError: as `PaperStudy`.
    """
    study = PaperStudy(paper, level, **asked)
    if output is not None:
        return study.run(output, options)
    with tempfile.TemporaryDirectory(prefix="reclaim-") as folder:
        return study.run(Path(folder) / study.name, options)


def check_experiments(runs: PaperRuns, *, why: bool) -> list[Question]:
    """See that every setting of a paper's experiments is one that some drive takes, before anything runs.

    Args:
        runs: of the paper.
        why: whether its headlines are asked about, too.

    Returns:
        What is asked of the headlines; nothing unless `why`.

    Raises:
        InputError: with every setting that is not; as `check_why`.
    """
    paper = runs.paper
    tables = {f"{paper.folder}: {what}": table for what, table in runs.planned().items()}
    if why:
        check_why(paper, runs.level)
        tables |= {str(each.file): read_table(each.file, paper.folder) for each in paper.headlines}
    for what, table in tables.items():
        check_settings(what, table, paper.folder)
    return questions(paper.headlines) if why else []


def check_why(paper: Paper, level: Level) -> None:
    """See that the headlines of a paper can be asked about at a level.

    Raises:
        InputError: if the level judges nothing, or the paper declares no headline.
    """
    if level == "quick":
        raise InputError("--why: --quick only shows that everything runs; leave one of them out")
    if not paper.headlines:
        raise InputError(f"--why: {paper.folder / 'paper.toml'} declares no [[headline]]")


def check_beyond(paper: Paper, level: Level, beyond: Sequence[str]) -> None:
    """See that what goes past a paper can be run at a level.

    Raises:
        InputError: if the paper has nothing of that name, or the level runs none of it, or all.
    """
    if beyond and level != "default":
        told = "runs all of it" if level == "full" else "only shows that everything runs"
        raise InputError(f"--beyond: --{level} {told}; leave one of them out")
    for label in beyond:
        if label not in paper.beyond:
            known = [*paper.beyond]
            hint = near(label, known, quote="")
            valid = f"valid: {', '.join(known)}" if known else f"{paper.key} has none"
            raise InputError(f'--beyond: nothing is called "{label}"; {valid}{hint}')


def sweeper(options: RunOptions, progress: Report | None) -> Callable[[Table, Path, Path], SweptPoints]:
    """How an experiment is run: as a study."""
    from reclaim.experiment.experiment import Experiment
    from reclaim.result.sets import ResultSet
    from reclaim.study.sweep import Sweep

    def run(table: Table, base: Path, folder: Path) -> SweptPoints:
        folder.parent.mkdir(parents=True, exist_ok=True)
        swept = Sweep(Experiment.from_dict(table, base=base)).run(
            folder, replace(options, report=False), of_part(folder.name, progress)
        )
        for each in (*swept.damaged, *swept.notes):
            warnings.warn(each, ResultWarning, stacklevel=2)
        found = ResultSet.load(folder)
        failures = tuple(f"{each.label}: {each.error}" for each in found.failures)
        return SweptPoints(found.points, failures)

    return run


def full_recordings(paper: Paper, level: Level, traces: Path | None) -> dict[str, FullRecording]:
    """Files of --traces that take the place of shipped slices; never at the quick level.

    Raises:
        InputError: if the folder is not there, or has none of them.
    """
    if traces is None:
        return {}
    if not traces.is_dir():
        raise InputError(f"{traces}: --traces names no folder")
    wanted = [each for each in paper.workloads if each.full]
    found = {
        each.name: FullRecording(str((traces / each.full).absolute()), each.full_set)
        for each in wanted
        if input_file.is_there(traces / each.full)
    }
    if wanted and not found:
        files = ", ".join(each.full for each in wanted)
        raise InputError(f"{traces}: has none of {files}, which {paper.key} could use")
    return {} if level == "quick" else found


def check_traces(paper: Paper, level: Level, tables: Mapping[str, Table]) -> dict[str, str]:
    """Give the traces of a level, name to source, and see that all of them are here, before anything runs.

    Raises:
        InputError: with every trace that is missing.
    """
    used: dict[str, str] = {}
    missing = []
    for name, table in tables.items():
        base = paper.levels[level][name].parent
        for entry in map(trace_table, table.get("traces", [])):
            if "source" not in entry:
                used[entry["name"]] = "generated"
                continue
            used[entry["name"]] = str(entry["source"])
            try:
                found = resolve(entry["source"]).path if not (base / entry["source"]).exists() else base
            except InputError as error:
                missing.append(f"  {str(error).splitlines()[0]}")
                continue
            if not found.exists():
                missing.append(f"  {entry['source']}: no such file, and no trace of that name")
    if missing:
        lines = "\n".join(dict.fromkeys(missing))
        raise InputError(
            f"{paper.key}: {len(dict.fromkeys(missing))} of its traces are not here\n{lines}\n"
            "reclaim trace list shows what is; --traces DIR names a folder with more"
        )
    return used


def stand_ins_of(tables: Mapping[str, Table]) -> dict[str, dict[str, dict[str, Any]]]:
    """Give, for each experiment, its stand-ins by name with the figures that they were made from."""
    shipped = {each.name for each in entries() if each.kind == STAND_IN}
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for experiment, table in tables.items():
        for entry in map(trace_table, table.get("traces", [])):
            if str(entry.get("source", "")) in shipped:
                figures = stated(open_trace(str(entry["source"]))).get("targets", {})
                found.setdefault(experiment, {})[entry["name"]] = figures
    return found


def _provenance(paper: Paper, name: str, source: str, files: Mapping[str, FullRecording]) -> dict[str, Any]:
    workload = next((each for each in paper.workloads if each.name == name), None)
    note = workload.note if workload else ""
    if name in files:
        note = f"the full recording, {Path(files[name].file).name}"
    return {
        "name": name,
        "of": workload.of if workload else "",
        "kind": workload.kind if workload else "not one of the paper's",
        "source": Path(source).name if name in files else source,
        "note": note,
    }


def _scaling(found: Scaled) -> dict[str, Any]:
    scaling = chosen(found.scaling, "time_scale", "reached", "wanted", "reason")
    return {**chosen(found, "rule", "experiment", "workload"), **scaling, "tries": len(found.scaling.tries)}
