"""`reclaim judge`: a policy on the suite, beside what is stored of others."""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from reclaim import builds, input_file, output_file
from reclaim.arguments import checked
from reclaim.checksums import checksum
from reclaim.encoding import json_text
from reclaim.errors import InputError
from reclaim.experiment.build import Tell
from reclaim.experiment.experiment import Experiment
from reclaim.parsing import json_value
from reclaim.report.document import Document
from reclaim.study.failures import by_reason
from reclaim.study.judging import alike
from reclaim.study.judging.candidate import CANDIDATE, entry_of, files_of, short
from reclaim.study.judging.cost import PolicyCost
from reclaim.study.judging.deciding import BUDGET, Decided, check, decided
from reclaim.study.judging.effects import Against, Effect, against
from reclaim.study.judging.notes import caught, noted, tuned
from reclaim.study.judging.own import chosen, refused
from reclaim.study.judging.suite import (
    AMPLIFICATION,
    BOUND,
    LATEST,
    REFERENCE,
    Suite,
    figures_of,
)
from reclaim.study.runner import Runner
from reclaim.study.study import RunOptions, StudyOptions, carry_out
from reclaim.study.sweep import Sweep, SweepStudy
from reclaim.suggestions import near

if TYPE_CHECKING:
    import polars as pl

VERSIONS = "versions.json"
"""In the folder of a candidate: every version of it that was judged there."""


@dataclass(frozen=True)
class Card:
    """What is known of a candidate."""

    suite: Suite
    name: str
    runs: pl.DataFrame
    against: Against
    caught: Sequence[str] = ()
    """Why it is not to be believed."""
    notes: Sequence[str] = ()
    failures: Sequence[str] = ()
    damaged: Sequence[str] = ()
    """Of each stored run that was changed or incomplete: which it is, and why; it was run again."""
    command: str = ""
    given: str = ""
    """What names the candidate, with its files in one folder."""
    files: Mapping[str, Path] = field(default_factory=dict)
    """These, by their names there."""
    cost: PolicyCost | None = None
    """What it costs a drive."""
    decided: Decided | None = None
    """What decides it, where that was asked for."""
    tuned: alike.Alike | None = None
    """What it reaches beside its rivals, all tuned, where that was asked for."""

    @cached_property
    def first(self) -> str:
        """The rival that it is compared with before all others."""
        known = self.against[AMPLIFICATION]
        return REFERENCE if REFERENCE in known else next(iter(known), "")

    def effect(self, metric: str, rival: str) -> Effect | None:
        """Give how it compares; None where nothing can be compared."""
        return self.against[metric].get(rival)

    @property
    def rivals(self) -> list[str]:
        """With whom it can be compared by the metric that decides, but for the bound."""
        return [rival for rival in self.against[AMPLIFICATION] if rival != BOUND]

    def to_dict(self) -> dict[str, Any]:
        """Give all as JSON holds it."""
        return {
            "suite": self.suite.name,
            "suite_digest": self.suite.digest,
            "build": builds.build(),
            "baselines_build": self.suite.build,
            "candidate": self.name,
            "given": self.given,
            "files": {name: checksum(file) for name, file in self.files.items()},
            "cost": None if self.cost is None else self.cost.to_dict(),
            "decided": None if self.decided is None else self.decided.to_dict(),
            "tuned": None if self.tuned is None else self.tuned.to_dict(),
            "caught": [*self.caught],
            "notes": [*self.notes],
            "failures": [*self.failures],
            "against": {
                metric: {
                    rival: {
                        "shown": each.shown,
                        "ratio": each.value,
                        "interval": each.ends,
                        "by_drive": {name: math.exp(log) for name, log in each.by_drive.items()},
                        "p": each.p,
                        "by_workload": {name: math.exp(log) for name, log in each.by_workload.items()},
                    }
                    for rival, each in of.items()
                }
                for metric, of in self.against.items()
            },
            "runs": self.runs.to_dicts(),
        }


class JudgeStudy(SweepStudy[Card]):
    """The runs of a candidate on a suite; those of its rivals are stored."""

    result = "card.json"

    def __init__(
        self,
        candidate: str,
        suite: Suite,
        *,
        name: str = "",
        rivals: Sequence[str] = (),
        untimed: bool = False,
        decide: bool = False,
        tune: bool = False,
        command: str = "",
        tell: Tell | None = None,
    ) -> None:
        """Make the points.

        Args:
            candidate: what is judged.
            suite: on what.
            name: what tables call it; as it is named if not given.
            rivals: with whom it is compared; none for all of the suite.
            untimed: whether to run nothing but the drive without time.
            decide: whether to find out what decides it, too.
            tune: whether to compare it with its rivals once all are tuned, too.
            command: what asks for it, as a line for a shell.
            tell: called before each point is made.

        Raises:
            InputError: for a candidate that is none, and rivals that the suite does not have.
        """
        entry = entry_of(candidate, name)
        _check_rivals(suite, rivals)
        self._suite, self._command, self._text = suite, command, candidate
        # No rival may have its name, in tables and pictures, and where they run, too.
        if entry["name"] in suite.rivals:
            entry["name"] += " (again)"
        self._rivals = list(rivals or suite.rivals)
        self._entry, self._candidate, self._decides, self._tunes = entry, entry["name"], decide, tune
        entries, self._refused = [entry], dict[str, str]()
        if suite.is_own:
            self._refused = refused(suite, self._rivals, untimed=untimed)
            self._rivals = [each for each in self._rivals if each not in self._refused]
            if not self._rivals:
                rival, reason = next(iter(self._refused.items()))
                raise InputError(f"the drive takes no rival; {rival}: {reason}")
            known = zip(suite.rivals, suite.table["schemes"], strict=True)
            entries = [*(each for name, each in known if name in self._rivals), entry]
        else:
            # Before anything runs: without them there is nothing to compare with.
            suite.tuned if tune else suite.baselines  # noqa: B018
        table = {**suite.experiment(entries, untimed=untimed), "name": "judge"}
        experiment = Experiment.from_dict(table)
        try:
            super().__init__(Sweep(experiment, tell))
        except InputError:
            # The suite's file is not the user's: the first mistake says what is wrong with the candidate.
            mistakes = experiment.mistakes()
            experiment.build(mistakes)
            if not mistakes.told:
                raise
            raise InputError(f"{self._candidate}: {mistakes.told[0].text}") from None
        mine = [each for each in experiment.points() if each.scheme == self._candidate]
        fit = [(each, each.drive) for each in mine if each.drive is not None]
        if not fit:
            raise InputError(f"{self._candidate}: no drive of the suite takes it")
        if decide:
            check(suite, entry)
        if tune:
            alike.check(suite, entry)
        self._first, self._drive = fit[0]
        self._files = files_of(candidate, self._drive.code_files())
        traces = [each for each in table["traces"] if each["name"] == self._first.trace]
        one = {"devices": [self._first.device], "traces": traces, "repeats": {"count": 1}, "schemes": [entry]}
        # One of the points as an experiment of its own: it must come out the same again.
        self._again = Sweep(Experiment.from_dict({**table, **one}))

    @property
    def name(self) -> str:
        """What its candidate is called."""
        return f"judge {self._candidate}"

    def cost(self, folder: Path | None = None) -> list[str]:
        """Say how many runs there are, and what they take."""
        lines = super().cost(folder)
        more = [f"--decide: at most {BUDGET} beside these, and those between it and a rival"]
        head = f"{self._candidate} on {self._suite.name}: {lines[0]}"
        tuned = [f"--tune: {alike.planned(self._suite, self._rivals)}"] if self._tunes else []
        return [head, *lines[1:], *(more if self._decides else []), *tuned]

    def judge(self, points: Runner) -> Card:
        """Run the candidate, and compare it.

        Raises:
            InputError: if it could not be run at all.
        """
        swept = self._sweep.judge(points)
        failures = [each for each in swept.failures if each["scheme"] == self._candidate]
        found = None if len(swept.failures) == swept.total else figures_of(swept)
        runs = None if found is None else found.filter(scheme=self._candidate)
        if found is None or runs is None or runs.is_empty():
            raise InputError(f"{self._candidate} could not be run: {failures[0]['error']}")
        suite, rivals = self._suite, self._suite.rivals
        if suite.is_own:
            suite, rivals = (
                replace(suite, measured=found.filter(found["scheme"] != self._candidate)),
                self._rivals,
            )
        every = against(runs, suite.baselines, rivals, suite.devices)
        known = {
            metric: {rival: each for rival, each in of.items() if rival in self._rivals}
            for metric, of in every.items()
        }
        again = self._not_repeated(swept.folder, points.options, runs)
        told = [
            *noted(runs, known, self._drive, suite),
            *self._versions(swept.folder),
            *tuned(short(self._text), swept.folder, suite.digest),
            *(
                f"Left out, because the drive refuses it: {name} ({why})."
                for name, why in self._refused.items()
            ),
        ]
        reasons = by_reason((Path(each["device"]).name, each["error"]) for each in failures)
        return Card(
            suite,
            self._candidate,
            runs,
            known,
            [*again, *caught(runs, self._drive, suite)],
            told,
            reasons,
            swept.damaged,
            self._command,
            short(self._text),
            self._files,
            self._suite.cost(self._entry),
            self._decided(known, swept.folder, points.options),
            alike.alike(self._suite, self._entry, self._rivals, runs, swept.folder / "tuned", points.options)
            if self._tunes
            else None,
        )

    def _decided(self, known: Against, folder: Path, options: RunOptions) -> Decided | None:
        """Find out what decides it beside the reference, or the first rival that there is."""
        of = known[AMPLIFICATION]
        if not self._decides or not of:
            return None
        first = REFERENCE if REFERENCE in of else next(iter(of))
        return decided(self._suite, self._entry, first, folder / "decides", options)

    def _not_repeated(self, folder: Path, options: RunOptions, runs: pl.DataFrame) -> Iterable[str]:
        """Run one of the points a second time."""
        place = folder / "again"
        again = figures_of(self._again.run(place, RunOptions(workers=1, force=True, accept=options.accept)))
        first = runs.join(again, on=["device", "trace", "scheme", "repeat"], how="semi")
        if not first.equals(again):
            where = f"{again['device'][0]}, {again['trace'][0]}"
            yield f"Two runs of the same thing differ ({where}): it decides by something that it is not told."

    def _versions(self, folder: Path) -> Iterable[str]:
        """Note that this version was judged here, and say how many there were."""
        file = folder / VERSIONS
        before: list[str] = json_value(input_file.text(file)) if input_file.is_there(file) else []
        now = self._first.id
        versions = [*before, *([now] if now not in before else [])]
        output_file.write_text(file, json.dumps(versions) + "\n")
        if len(versions) > 1:
            yield (
                f"{len(versions)} versions of it were judged in this folder: the more are tried, the "
                "more the best of them owes to chance."
            )

    def document(self, result: Card) -> Document:
        """Tell the verdict, with the picture and the tables."""
        from reclaim.study.judging.card import document

        return document(result)

    def files(self, result: Card) -> dict[str, str]:
        """Give all that is known as JSON, and a row of a table for LaTeX."""
        from reclaim.study.judging.card import latex

        return {self.result: json_text(result.to_dict()) + "\n", "card.tex": latex(result)}

    def write(self, result: Card, place: Path, *, report: bool) -> None:
        """Write the card, and beside it the files of the candidate: who has the folder can judge it again."""
        super().write(result, place, report=report)
        shutil.rmtree(place / CANDIDATE, ignore_errors=True)
        for name, file in result.files.items():
            with output_file.whole(place / CANDIDATE / name) as copied:
                shutil.copyfile(file, copied)

    def ending(self, result: Card, folder: Path) -> list[str]:
        """Say where the card is."""
        del result
        return [f"card: {folder / self.page}"]

    def outcome(self, result: Card) -> tuple[int, str]:
        """Give 1 if it is not to be believed."""
        return (1, result.caught[0]) if result.caught else (0, "")


def _check_rivals(suite: Suite, rivals: Sequence[str]) -> None:
    for rival in rivals:
        if rival not in suite.rivals:
            raise InputError(
                f"--against {rival}: {suite.name} has no such rival; valid: {', '.join(suite.rivals)}"
                f"{near(rival, suite.rivals)}"
            )


@checked
def judge(
    candidate: str,
    output: str | Path,
    *,
    suite: str = LATEST,
    name: str = "",
    against: Sequence[str] = (),
    quick: bool = False,
    drive: str = "",
    traces: Sequence[str] = (),
    draw: int | None = None,
    family: str = "",
    decide: bool = False,
    tune: bool = False,
    **options: Unpack[StudyOptions],
) -> Card:
    """Judge a policy on a suite of drives and workloads, beside stored results of others.

    docs/judge.md has the rules.

    Args:
        candidate: `mine.py:my_policy`, `score=EXPRESSION`, a scheme, `KEY=VALUE`, a TOML file of settings, or
            several of these joined by `+`.
        output: the folder where its runs and the card are stored.
        suite: an edition.
        name: what tables call it; as it is named if not given.
        against: the rivals to compare it with; all of the suite if none is given.
        quick: run nothing but the drive without time: write amplification alone.
        drive: one of your own, as a name or a file, instead of those of the suite; all rivals run there, too.
        traces: recordings of your own instead of the workloads of the suite; all rivals run there, too.
        draw: a number from which other generated workloads follow; all rivals run there, too.
        family: `public` for the volumes that `reclaim suite fetch` has taken; all rivals run there, too.
        decide: also take it apart against the nearest rival, and move the choices of the drive; minutes more.
        tune: also compare it with its rivals once each was tuned with the same budget; minutes more.
        workers: points at the same time; one a core if not given.
        dask: address of a Dask scheduler whose workers run the points.
        worker_timeout: after how many seconds without a word a worker of it is given up; 60 if not given.
        memory: what all runs may take together.
        progress: called about five times a second.
        force: use a folder that has other things.
        report: draw `report.html` in the folder, as the command does.
        accept_build: other builds whose points count and whose workers may run some.
        retry: run points again that have ended a process.

    Raises:
        InputError: for a candidate that is none or cannot be run, a suite or rivals that there are not, and a
            folder that cannot be used.
    """
    return carry_out(
        lambda: JudgeStudy(
            candidate,
            chosen(suite, drive=drive, traces=traces, draw=draw, family=family),
            name=name,
            rivals=against,
            untimed=quick,
            decide=decide,
            tune=tune,
        ),
        output,
        options,
    )
