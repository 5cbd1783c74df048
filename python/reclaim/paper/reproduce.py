"""Reproducing a paper: its sweeps and its own figures, every claim judged, all of it in a folder."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any

from reclaim import _core, input_file, output_folder
from reclaim.errors import InputError, ResultWarning
from reclaim.paper import measures
from reclaim.paper.agreements import withheld
from reclaim.paper.evaluation import Evidence, Provenance, Reproduction
from reclaim.paper.experiments import check_settings, read_table
from reclaim.paper.figures import LevelRuns, Tell, figures_of, leave, module_of
from reclaim.paper.outputs import EARLIER, FILES, text_of, write
from reclaim.paper.paper import Level, Paper
from reclaim.paper.runs import Runs, Scaled, Swept
from reclaim.paper.variants import FullRecording, Table, trace_table
from reclaim.paper.why import Question, questions, turned
from reclaim.report.document import Document
from reclaim.study.study import Report, RunOptions, Study
from reclaim.suggestions import near
from reclaim.trace.catalogue import STAND_IN, entries, resolve
from reclaim.trace.opening import open_trace
from reclaim.trace.synthesis import stated

KIND = "reproduce"
"""What its folders say that they are of."""


@dataclass(frozen=True)
class PaperStudy(Study["Begun", Reproduction]):
    """A paper at a level: its sweeps, and every claim judged by what is stored of them.

    Args:
        paper: from `load_paper`.
        level: `quick`, `default` or `full`; agreements to be cited come from `full`.
        traces: folder with full recordings, which take the place of the slices that come with the source.
        why: ask of every headline which choices turn it, and let that decide with; stored below `why`.
        beyond: labels of what goes past the paper, to be run at the default level, too; full runs all of it.
        allow_code: let the module run that lies in a paper's folder and did not come with Reclaim, and
            policies in Python that its experiments name.
        tell: called now and then with what is done, how much of it, and out of how much.
    """

    paper: Paper
    level: Level = "default"
    traces: Path | None = None
    why: bool = False
    beyond: Sequence[str] = ()
    allow_code: bool = False
    tell: Tell | None = None

    result = "agreement.json"
    announced = False

    @property
    def name(self) -> str:
        """The key of the paper."""
        return self.paper.key

    def _runs(self, folder: Path, options: RunOptions, tell: Tell) -> Runs:
        full = full_recordings(self.paper, self.level, self.traces)
        return Runs(self.paper, self.level, folder, sweeper(options, tell), full, tuple(self.beyond))

    def cost(self, folder: Path | None = None) -> list[str]:
        """Say what the default cells of each experiment take; loads are searched for, and not told."""
        from reclaim.experiment.experiment import Experiment
        from reclaim.study.sweep import Sweep

        lines = []
        with leave(self.paper, allow_code=self.allow_code):
            runs = self._runs(folder or Path(), RunOptions(), _nobody)
            for name, table in runs.default_cells():
                stored = None if folder is None else folder / "sweeps" / self.level / name
                experiment = Experiment.from_dict(table, base=self.paper.folder)
                there = stored if stored is not None and stored.is_dir() else None
                lines += [f"{self.paper.key}, {name}: {line}" for line in Sweep(experiment).cost(there)]
        return lines

    @contextmanager
    def opened(self, folder: Path, options: RunOptions, progress: Report | None) -> Iterator[Begun]:
        """Check all, and take the folder.

        Raises:
            InputError: for a mistake in the paper's files, and for traces that are missing; for `why` at the
                quick level, or of a paper that declares no headline.
        """
        del progress
        tell = self.tell or _nobody
        # Whatever its experiments come to, on whatever thread.
        with leave(self.paper, allow_code=self.allow_code):
            runs = self._runs(folder, options, tell)
            # All mistakes come out before anything is written, and before anything runs.
            module = module_of(self.paper, allow_code=self.allow_code)
            with leave(self.paper, allow_code=self.allow_code):
                # A refusal that became a drive that cannot be, among others that can, comes out here.
                asked = check_experiments(runs, why=self.why)
            used = check_traces(self.paper, self.level, runs.tables())
            check_beyond(self.paper, self.level, self.beyond)
            _begin(folder, force=options.force)
            yield Begun(runs, used, module, asked, tell, options)

    def judge(self, points: Begun) -> Reproduction:
        """Run what is not stored yet, and judge every claim."""
        return _run(points)

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

    def outcome(self, result: Reproduction) -> tuple[int, str]:
        """Fail where a point failed."""
        return (1, "") if result.provenance.failures else (0, "")


@dataclass(frozen=True)
class Begun:
    """A paper whose files have no mistake, and whose folder is taken."""

    runs: Runs
    used: Mapping[str, str]
    """Traces: name to source."""
    module: ModuleType | None
    asked: Sequence[Question]
    tell: Tell
    options: RunOptions


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
    return stored(PaperStudy(paper, level, **asked), output, options)


def stored(study: PaperStudy, output: Path | None, options: RunOptions) -> Reproduction:
    """Run a paper in a folder, or in one that is gone afterwards."""
    if output is not None:
        return study.run(output, options)
    with tempfile.TemporaryDirectory(prefix="reclaim-") as folder:
        return study.run(Path(folder) / study.name, options)


def _nobody(_what: str, _done: int, _total: int) -> None:
    """Tell nobody."""


def check_experiments(runs: Runs, *, why: bool) -> list[Question]:
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


def _begin(folder: Path, *, force: bool) -> None:
    """Take the folder before the first sweep; an earlier report is no longer of what is there."""
    with output_folder.writing(folder, (*FILES, *EARLIER), force=force, kind=KIND) as staged:
        staged.publish()


def _run(begun: Begun) -> Reproduction:
    runs, module, asked, tell, options = begun.runs, begun.module, begun.asked, begun.tell, begun.options
    paper, level, folder = runs.paper, runs.level, runs.output
    figures = figures_of(module, level, tell)
    points, variations = runs.all()
    ran = LevelRuns(level, paper.load, points, folder / "sweeps" / level, paper.workload_names)
    found = measures.of_runs(paper.folder, module, ran, variations.loads, variations.vary)
    figures |= found.figures
    findings = tuple(each.ask(folder, options, tell) for each in asked)
    rows = Evidence(
        paper,
        points,
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
        + (" --why" if asked else ""),
        version=_core.__version__,
        traces=tuple(_provenance(paper, name, source, runs.files) for name, source in begun.used.items()),
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


def sweeper(options: RunOptions, tell: Tell) -> Callable[[Table, Path, Path], Swept]:
    """How an experiment is run: as a study."""
    from reclaim.experiment.experiment import Experiment
    from reclaim.result.sets import ResultSet
    from reclaim.study.sweep import Sweep

    def run(table: Table, base: Path, folder: Path) -> Swept:
        folder.parent.mkdir(parents=True, exist_ok=True)
        swept = Sweep(Experiment.from_dict(table, base=base)).run(
            folder, replace(options, report=False), lambda now: tell(folder.name, now.done, now.total)
        )
        for each in (*swept.damaged, *swept.notes):
            warnings.warn(each, ResultWarning, stacklevel=2)
        found = ResultSet.load(folder)
        failures = tuple(f"{each.label}: {each.error}" for each in found.failures)
        return Swept(found.points, failures)

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
    return {
        "rule": found.rule,
        "experiment": found.experiment,
        "workload": found.workload,
        "time_scale": found.scaling.time_scale,
        "reached": found.scaling.reached,
        "wanted": found.scaling.wanted,
        "tries": len(found.scaling.tries),
        "reason": found.scaling.reason,
    }
