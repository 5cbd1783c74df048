"""Suites: the drives and workloads that policies are judged on, and what others have reached there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reclaim import builds, input_file, output_file, table_file
from reclaim.checksums import checksum
from reclaim.encoding import json_text
from reclaim.errors import InputError
from reclaim.parsing import json_value, toml_file
from reclaim.study.judging.cost import PolicyCost, cost_of
from reclaim.suggestions import near

if TYPE_CHECKING:
    import polars as pl

    from reclaim.experiment.point import Point
    from reclaim.study.sweep import Swept

EDITIONS = Path(__file__).parent.parent.parent / "data" / "suites"
LATEST = "gc-2026.1"
FILE, BASELINES, COSTS = "suite.toml", "baselines.parquet", "costs.json"
TUNED, CHOSEN = "tuned.parquet", "tuned.json"
"""What the rivals reach once each is tuned, and what was chosen for it."""
REFERENCE, BOUND = "greedy", "future knowledge"
"""What others are first compared with; and what knows the trace, so that no policy is ranked beside it."""
RECORDED, GENERATED, PUBLIC, HELD_OUT = "recorded", "generated", "public", "held out"
"""Families of workloads that are told apart; the last is of kinds that no workload of the edition is of."""
KEY = ("device", "trace", "scheme", "repeat")
AMPLIFICATION = "gc_nand_write_amplification"
READ_TAIL, WRITE_TAIL = "read_p99_9_ns", "write_p99_9_ns"
METRICS = {AMPLIFICATION: "NAND bytes", READ_TAIL: "read p99.9", WRITE_TAIL: "write p99.9"}
"""What is compared: the first decides, the others are told beside it. Of each it is kept whether it is
inconclusive."""
KEPT = (*METRICS, "read_count", "written_nand_bytes", "flash_erases")
"""Figures that are kept of every run."""


def mark_of(metric: str) -> str:
    """Name the column that has the mark of a figure: `?`, `!`, or nothing."""
    return f"{metric}_mark"


COLUMNS: table_file.Columns = {
    **dict.fromkeys(("device", "trace", "scheme", "suite", "build", *map(mark_of, METRICS)), "text"),
    **dict.fromkeys(("repeat", *KEPT), "number"),
}


@dataclass(frozen=True)
class Suite:
    """An experiment whose schemes are the rivals, in a folder with its drives and what was measured."""

    folder: Path
    table: Mapping[str, Any] = field(repr=False)
    """The experiment."""
    drive: str = ""
    """A drive of one's own: a name, or the path of a file; empty for those of the suite."""
    is_own: bool = False
    """Whether drive or workloads are one's own: nothing is stored of the rivals, so they run, too."""
    family: str = RECORDED
    """What its recordings are."""
    held_out: Sequence[str] = ()
    """Names of its workloads whose family its edition holds out."""
    measured: pl.DataFrame | None = field(default=None, repr=False)
    """What the rivals have reached there."""

    @classmethod
    def load(cls, folder: Path) -> Suite:
        """Read it.

        Raises:
            InputError: if there is none.
        """
        return cls(folder, toml_file(folder / FILE))

    @classmethod
    def named(cls, edition: str) -> Suite:
        """Read an edition that comes with Reclaim.

        Raises:
            InputError: if there is none of that name.
        """
        there = sorted(each.parent.name for each in EDITIONS.glob(f"*/{FILE}"))
        if edition not in there:
            raise InputError(
                f"--suite {edition}: there is no such suite; valid: {', '.join(there)}{near(edition, there)}"
            )
        return cls.load(EDITIONS / edition)

    @property
    def name(self) -> str:
        """What it is called."""
        return str(self.table["name"])

    @property
    def devices(self) -> list[str]:
        """The files of its drives, as results call them; the first has no time.

        A drive of one's own is both: amplification is that of its timed runs.
        """
        return [Path(self.drive).name] * 2 if self.drive else list(self.table["devices"])

    @cached_property
    def families(self) -> dict[str, str]:
        """Of every workload, whether it was recorded, is public, is made of a description, or held out."""
        made = dict.fromkeys(self.held_out, HELD_OUT)
        return {
            each["name"]: self.family if "source" in each else made.get(each["name"], GENERATED)
            for each in self.table["traces"]
        }

    @property
    def rivals(self) -> list[str]:
        """The schemes that a candidate is put beside."""
        return [each if isinstance(each, str) else each["name"] for each in self.table["schemes"]]

    @cached_property
    def digest(self) -> str:
        """A name for all that says what is run."""
        found = blake2b(digest_size=6)
        if self.is_own:
            files = [Path(each["source"]) for each in self.table["traces"] if "source" in each]
            # Where a recording lies says nothing of it.
            sums = {str(each): checksum(each) for each in files if each.is_absolute()}
            told = json_text(dict(self.table))
            for source, known in sums.items():
                told = told.replace(json_text(source), known)
            found.update(told.encode())
        for file in sorted(self.folder.glob("*.toml")):
            found.update(f"{file.name}\0".encode() + input_file.data(file))
        return found.hexdigest()

    def experiment(
        self, schemes: Sequence[str | Mapping[str, Any]], *, untimed: bool = False
    ) -> dict[str, Any]:
        """Give the experiment with other schemes.

        Args:
            schemes: entries of an experiment file.
            untimed: whether it has the drive without time alone.
        """
        devices = [str(self.folder / each) for each in self.devices[: 1 if untimed else None]]
        found = {**self.table, "devices": devices, "schemes": [*schemes]}
        if self.drive:
            quick = {"measure.untimed": True} if untimed else {}
            found |= {"devices": [self.drive], "set": {**self.table.get("set", {}), **quick}}
        return found

    @cached_property
    def _kept(self) -> pl.DataFrame:
        return self._kept_in(BASELINES)

    def _kept_in(self, name: str) -> pl.DataFrame:
        file = self.folder / name
        if not input_file.is_there(file):
            raise InputError(f"{file}: is missing: `make baselines` measures what the rivals reach")
        found = table_file.read(file, COLUMNS)
        if {*found["suite"]} != {self.digest}:
            raise InputError(f"{file}: was measured on another suite: `make baselines` measures it anew")
        return found

    @property
    def baselines(self) -> pl.DataFrame:
        """What the rivals have reached: a row for each run.

        Raises:
            InputError: if that is missing, or was measured on another suite.
        """
        return self._kept.drop("suite", "build") if self.measured is None else self.measured

    @cached_property
    def tuned(self) -> tuple[Mapping[str, Mapping[str, Any]], pl.DataFrame]:
        """What was chosen for each rival that runs without time, and what it reaches so: a row for each run.

        Raises:
            InputError: as `baselines`.
        """
        runs = self._kept_in(TUNED).drop("suite", "build")
        return json_value(input_file.text(self.folder / CHOSEN)), runs

    @property
    def build(self) -> str:
        """The build that the rivals were measured with."""
        return str(self._kept["build"][0]) if self.measured is None else builds.build()

    @cached_property
    def costs(self) -> Mapping[str, PolicyCost]:
        """What the rivals cost; the time as on the computer that measured them.

        Raises:
            InputError: if that is missing.
        """
        file = self.folder / COSTS
        if not input_file.is_there(file):
            raise InputError(f"{file}: is missing: `make baselines` measures what the rivals cost")
        return {name: PolicyCost(**each) for name, each in json_value(input_file.text(file)).items()}

    def cost(self, entry: str | Mapping[str, Any], *, timed: bool = True) -> PolicyCost:
        """Give what a scheme costs on the first of the drives that takes it.

        Args:
            entry: as in an experiment file.
            timed: whether to measure the time that it takes.

        Raises:
            InputError: if no drive takes it.
        """
        from reclaim.experiment.experiment import Experiment

        # Recordings are short.
        generated = [each for each in self.table["traces"] if self.families[each["name"]] == GENERATED]
        few = {"traces": [*generated, *self.table["traces"]][:1], "repeats": {"count": 1}}

        def points(scheme: str | Mapping[str, Any]) -> dict[str, Point]:
            experiment = Experiment.from_dict({**self.experiment([scheme]), **few})
            return {each.device: each for each in experiment.points() if each.drive is not None}

        mine, theirs = points(entry), points(REFERENCE) if timed else {}
        if not mine:
            raise InputError(f"{entry}: no drive of the suite takes it")
        device, point = next(iter(mine.items()))
        return cost_of(point, theirs.get(device))

    def keep(self, swept: Swept) -> int:
        """Store what was measured of the rivals, and what they cost; give the number of runs."""
        found = figures_of(swept)
        self._keep_in(BASELINES, found)
        self.keep_costs()
        return found.height

    def _keep_in(self, name: str, runs: pl.DataFrame) -> None:
        import polars as pl

        noted = {"suite": self.digest, "build": builds.build()}
        made = runs.with_columns(pl.lit(value).alias(name) for name, value in noted.items())
        with output_file.whole(self.folder / name) as file:
            table_file.write(made, file)

    def keep_tuned(self, chosen: Mapping[str, Mapping[str, Any]], runs: pl.DataFrame) -> None:
        """Store what was chosen for the rivals, and what they reach so."""
        self._keep_in(TUNED, runs)
        output_file.write_text(self.folder / CHOSEN, json_text(chosen) + "\n")

    def keep_costs(self) -> None:
        """Store what the rivals cost."""
        costs = {
            name: self.cost(entry).to_dict()
            for name, entry in zip(self.rivals, self.table["schemes"], strict=True)
        }
        output_file.write_text(self.folder / COSTS, json_text(costs) + "\n")


def figures_of(swept: Swept) -> pl.DataFrame:
    """Give the figures of every run of a sweep; a drive is called by its file alone."""
    import polars as pl

    from reclaim.result.sets import ResultSet

    results = ResultSet.load(swept.folder)
    points = results.points
    marks = {
        mark_of(metric): [results.mark(metric, points[number]) for number in range(points.height)]
        for metric in METRICS
    }
    return points.select(
        pl.col("device").str.split("/").list.last(),
        *KEY[1:],
        *(each if each in points.columns else pl.lit(None, pl.Float64).alias(each) for each in KEPT),
        *(pl.Series(name, each, pl.String) for name, each in marks.items()),
    ).sort(KEY)
