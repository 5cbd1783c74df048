"""Candidate and rivals tuned alike: each with the same budget, on workloads that nobody is judged on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reclaim.device import Device
from reclaim.errors import InputError
from reclaim.experiment.experiment import Experiment
from reclaim.experiment.parts import value_text
from reclaim.layers import differing, flat, policy_kinds
from reclaim.report.document import Block, Cell, Column, Table, Title, Tone
from reclaim.study.judging.card import called
from reclaim.study.judging.deciding import untimed_drives
from reclaim.study.judging.effects import Effect, against
from reclaim.study.judging.own import drawn
from reclaim.study.judging.suite import AMPLIFICATION, BOUND, REFERENCE, Suite, figures_of
from reclaim.study.sensitivity.alternatives import choices
from reclaim.study.study import RunOptions
from reclaim.study.sweep import Sweep
from reclaim.study.tuning.space import PROMISED, SECTIONS
from reclaim.study.tuning.tune import TuningStudy

if TYPE_CHECKING:
    import polars as pl

TRIALS, VOLUMES = 16, 4
"""The budget of everybody: combinations, each run under one workload of every kind that is drawn."""
DRAW = "tuning"
"""From which these follow: `--draw` takes numbers, so that nobody is judged on them."""
FACTORS = (0.25, 0.5, 1, 2, 4)
"""For the default of a parameter of one's own, of which nothing else is known."""


@dataclass(frozen=True)
class Chosen:
    """What was chosen for one of them."""

    searched: Sequence[str]
    """Its parameters; none where it has none, and runs as it is."""
    values: Mapping[str, str]
    """Those that differ from it as it is."""

    @property
    def cell(self) -> Cell:
        """What was chosen, for a table: a line for each."""
        if not self.searched:
            return Cell("has no parameters")
        first, *others = [f"{key}={value}" for key, value in self.values.items()] or ["as it is"]
        return Cell(first, below=tuple(map(Cell, others)))


@dataclass(frozen=True)
class Alike:
    """What came of it."""

    name: str
    chosen: Mapping[str, Chosen]
    """By name: the candidate, and its rivals."""
    against: Mapping[str, Effect]
    """NAND bytes of the candidate over those of each rival, both tuned."""
    gain: Effect
    """Those of the candidate as it was tuned, over those as it is: on the suite, where it was not tuned."""

    @property
    def budget(self) -> str:
        """What each could take."""
        return f"{TRIALS} trials on {VOLUMES} drawn workloads"

    def blocks(self) -> list[Block]:
        """Tell it."""
        order = sorted(self.against, key=lambda rival: (rival == BOUND, -self.against[rival].value))
        tones: dict[str, Tone] = {"lower": "good", "higher": "bad"}
        gain = Cell(f"{self.gain.said}, beside itself as it is", below=(Cell(self.gain.text),))
        rows = [[Cell(self.name, tone="strong"), gain, self.chosen[self.name].cell]]
        rows += [
            [
                Cell(called(rival)),
                Cell(each.said, below=(Cell(each.text),), tone=tones.get(each.shown, "")),
                self.chosen[rival].cell,
            ]
            for rival in order
            for each in (self.against[rival],)
        ]
        columns: list[str | Column] = ["compared with", Column("NAND bytes", right=True), Column("chosen")]
        about = (
            f"Each with its own best of {self.budget}, which are not those of the suite, by NAND bytes, "
            "without time. Numbers of your own policy are searched from a quarter to four times the default."
        )
        return [
            Title("Tuned alike", "tuned"),
            Table(columns, rows, name="tuned", why=None),
            about,
        ]

    def to_dict(self) -> dict[str, Any]:
        """Give it as JSON holds it."""
        return {
            "trials": TRIALS,
            "workloads": VOLUMES,
            "gain": self.gain.value,
            "chosen": {name: asdict(each) for name, each in self.chosen.items()},
            "against": {
                rival: {"shown": each.shown, "ratio": each.value, "interval": each.ends, "p": each.p}
                for rival, each in self.against.items()
            },
        }


def check(suite: Suite, entry: Mapping[str, Any]) -> None:
    """See that a candidate runs without time, and has something to tune.

    Raises:
        InputError: if not.
    """
    name = entry["name"]
    try:
        drive = untimed_drives(suite, [entry]).get(name)
    except InputError:
        drive = None
    if drive is None:
        raise InputError(f"--tune: runs without time, and {name} needs time; leave --tune out")
    if not any(searched(suite, drive)):
        raise InputError(
            f"--tune: {name} has no parameters to tune; a policy in Python has one for each number, true or "
            "false after its first argument that has a default above 0; leave --tune out"
        )


def searched(suite: Suite, drive: Device) -> tuple[list[str], dict[str, list[str]]]:
    """Give the parameters of what a scheme changes: keys with declared alternatives, and values of one's own.

    Args:
        suite: has the drive that it changes.
        drive: with it.
    """
    plain = untimed_drives(suite, [REFERENCE])[REFERENCE]
    moved = {*differing(flat(plain.config), flat(drive.config))}
    kinds = [kind for kind in policy_kinds() if any(f"{key}.".startswith(f"{kind}.") for key in moved)]
    keys = [
        key
        for key in choices(drive.config)
        if (key in moved or key.startswith(tuple(f"{kind}." for kind in kinds)))
        and key not in policy_kinds()
        and any(fnmatchcase(key, each) for each in SECTIONS)
        and not any(fnmatchcase(key, each) for each in PROMISED)
    ]
    own: dict[str, list[str]] = {}
    for kind in kinds:
        params: Any = drive.config
        for part in (*kind.split("."), "params"):
            params = params.get(part, {})
        own |= {f"{kind}.params.{name}": values_of(value) for name, value in params.items()}
    return keys, {key: values for key, values in own.items() if len(values) > 1}


def planned(suite: Suite, rivals: Sequence[str]) -> str:
    """Say what is tuned, and how."""
    many = 1 + (len(rivals) if suite.is_own else 0)
    return f"{TRIALS} trials on {VOLUMES} drawn workloads for {many} scheme{'s'[: many > 1]}"


def values_of(value: Any) -> list[str]:
    """Give what a parameter of one's own could be; nothing where that cannot be told.

    >>> values_of(True), values_of(2), values_of(0.5), values_of("fast"), values_of(0)
    (['true', 'false'], ['1', '2', '4', '8'], ['0.125', '0.25', '0.5', '1.0', '2.0'], [], [])
    """
    if isinstance(value, bool):
        return ["true", "false"]
    if not isinstance(value, int | float) or not value:
        return []
    made = [type(value)(value * each) for each in FACTORS]
    return [value_text(each) for each in dict.fromkeys(made) if each]


def tuned(
    suite: Suite, entries: Mapping[str, str | Mapping[str, Any]], folder: Path, options: RunOptions
) -> tuple[dict[str, Chosen], pl.DataFrame]:
    """Tune some schemes, and run each as it was chosen on the suite, without time.

    Args:
        suite: where.
        entries: by name; those that need time are left out.
        folder: where runs are stored.
        options: how they are run.
    """
    options = RunOptions(workers=options.workers, accept=options.accept, force=True)
    drives = untimed_drives(suite, [*entries.values()])
    volumes = [drawn(suite, DRAW, number) for number in range(VOLUMES)]
    chosen: dict[str, Chosen] = {}
    for number, (name, entry) in enumerate(entries.items()):
        if name not in drives:
            continue
        keys, values = searched(suite, drives[name])
        found: Mapping[str, str] = {}
        if keys or values:
            table = {
                **suite.experiment([entry], untimed=True),
                "name": f"tune {name}",
                "traces": volumes,
                "repeats": {"count": 2, "by": "workload"},
                "tune": {
                    "objective": [AMPLIFICATION],
                    "budget": f"{TRIALS} trials",
                    "tune_on": {"repeats": [0]},
                    "judge_on": {"repeats": [1]},
                    "around": False,
                    "sampler": "random",
                    **({"keys": keys} if keys else {}),
                    **({"search": values} if values else {}),
                },
            }
            study = TuningStudy(Experiment.from_dict(table))
            found = study.run(folder / str(number), options).values or {}
        chosen[name] = Chosen([*keys, *values], dict(found))
    schemes = [with_values(entries[name], name, each.values) for name, each in chosen.items()]
    swept = Sweep(Experiment.from_dict({**suite.experiment(schemes, untimed=True), "name": "tuned"}))
    return chosen, figures_of(swept.run(folder / "suite", options))


def keep_tuned(suite: Suite, folder: Path, options: RunOptions) -> None:
    """Tune the rivals of an edition, and store what they reach so."""
    chosen, runs = tuned(suite, dict(zip(suite.rivals, suite.table["schemes"], strict=True)), folder, options)
    suite.keep_tuned({name: asdict(each) for name, each in chosen.items()}, runs)


def alike(
    suite: Suite,
    entry: Mapping[str, Any],
    rivals: Sequence[str],
    before: pl.DataFrame,
    folder: Path,
    options: RunOptions,
) -> Alike:
    """Compare a candidate with its rivals, all tuned; those of an edition were tuned before.

    Args:
        suite: where.
        entry: the candidate.
        rivals: with whom it is compared.
        before: its runs as it is.
        folder: where runs are stored.
        options: how they are run.
    """
    name = entry["name"]
    known = dict(zip(suite.rivals, suite.table["schemes"], strict=True))
    if suite.is_own:
        entries = {each: known[each] for each in rivals}
        chosen, frame = tuned(suite, {**entries, name: entry}, folder, options)
        runs, theirs = frame.filter(scheme=name), frame.filter(frame["scheme"] != name)
    else:
        values, theirs = suite.tuned
        mine, runs = tuned(suite, {name: entry}, folder, options)
        chosen = {each: Chosen(**of) for each, of in values.items()} | mine
    every = against(runs, theirs, [each for each in suite.rivals if each in chosen], suite.devices)
    gain = against(runs, before, [name], suite.devices)[AMPLIFICATION][name]
    known_ones = {each: of for each, of in every[AMPLIFICATION].items() if each in rivals}
    return Alike(name, {each: chosen[each] for each in (name, *known_ones)}, known_ones, gain)


def with_values(entry: str | Mapping[str, Any], name: str, values: Mapping[str, str]) -> dict[str, Any]:
    """Give a scheme with settings on top."""
    whole: dict[str, Any] = {"name": name, "schemes": [entry]} if isinstance(entry, str) else dict(entry)
    return {**whole, "set": {**whole.get("set", {}), **values}}
