"""Submissions: the folder that `reclaim judge` leaves, read as what strangers send, and run again in part."""

from __future__ import annotations

import json
import math
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from os import killpg
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from reclaim import builds, input_file, output_file, shipped
from reclaim.checksums import changed
from reclaim.errors import InputError
from reclaim.parsing import json_value
from reclaim.study.judging import confined, rerun
from reclaim.study.judging.candidate import CANDIDATE
from reclaim.study.judging.cost import PolicyCost
from reclaim.study.judging.effects import Effect, against
from reclaim.study.judging.suite import AMPLIFICATION, GENERATED, KEPT, METRICS, REFERENCE, Suite, mark_of

if TYPE_CHECKING:
    import polars as pl

CARD = "card.json"
MOST_BYTES = 16 << 20
"""Of a card, and of all files of a candidate."""
TENTH = 0.1
HOURS = 2
FIGURES = (*KEPT, *map(mark_of, METRICS))
REFUSED = "cannot enter"


@dataclass(frozen=True)
class Submission:
    """A card, and the files of its candidate."""

    folder: Path
    name: str
    given: str
    """What names the candidate, in the folder of its files."""
    files: Mapping[str, str]
    """Checksums of these."""
    build: str
    digest: str
    """Of the suite."""
    caught: Sequence[str]
    rows: Sequence[Mapping[str, Any]]

    @classmethod
    def read(cls, folder: Path) -> Submission:
        """Read one.

        Raises:
            InputError: if it is none, and if a file of it is not as the card says.
        """
        file = folder / CARD
        try:
            card = json_value(input_file.text(file, most=MOST_BYTES))
            made = cls(
                folder,
                name=str(card["candidate"]),
                given=str(card["given"]),
                files={str(name): str(checksum) for name, checksum in card["files"].items()},
                build=str(card["build"]),
                digest=str(card["suite_digest"]),
                caught=[str(each) for each in card["caught"]],
                rows=[{name: row[name] for name in rerun.ROW} for row in card["runs"]],
            )
        except FileNotFoundError:
            raise InputError(f"{file}: is missing: `reclaim judge CANDIDATE -o {folder}` writes it") from None
        except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
            what = f"{type(error).__name__}: {error}"
            raise InputError(f"{file}: is no card of `reclaim judge` ({what}); judge it again") from None
        for name in made.files:
            place = PurePosixPath(name)
            inside = (folder / CANDIDATE / place).resolve().is_relative_to((folder / CANDIDATE).resolve())
            if place.is_absolute() or ".." in place.parts or not inside:
                raise InputError(f"{file}: files: {name} is not below {folder / CANDIDATE}")
        if why := changed(folder / CANDIDATE, made.files):
            raise InputError(f"{folder / CANDIDATE}: {why} since it was judged; judge it again")
        return made

    @property
    def place(self) -> str:
        """What its folder is called."""
        return re.sub(r"[^\w.-]+", "-", self.name).strip("-.")

    @property
    def runs(self) -> pl.DataFrame:
        """What the card says of every run.

        Raises:
            InputError: if that is no table of runs.
        """
        return rerun.frame(self.rows, self.folder / CARD).with_columns(scheme=rerun.text(self.name))

    def check(self, suite: Suite) -> None:
        """See that it can take part.

        Raises:
            InputError: for another suite, runs that are missing, and what is not to be believed by itself.
        """
        if self.digest != suite.digest:
            raise InputError(
                f"{self.folder / CARD}: was judged on another suite than {suite.name} is now; judge it again"
            )
        if self.caught:
            raise InputError(f"{self.folder}: {REFUSED}: {self.caught[0]}")
        found = {_which(row) for row in self.rows}
        wanted = {_which(row) for row in suite.baselines.to_dicts()}
        if len(found) < len(self.rows) or found - wanted:
            raise InputError(
                f"{self.folder / CARD}: has runs that {suite.name} does not have; judge it again"
            )
        # A drive may refuse a policy, but no workload may be left out.
        taken = {device for device, *_ in found}
        left = sorted({trace for device, trace, repeat in wanted - found if device in taken})
        if left or not taken:
            raise InputError(
                f"{self.folder / CARD}: {REFUSED}: lacks runs under {', '.join(left) or 'all workloads'}; "
                "all workloads count"
            )

    def pairs(self, seed: int) -> list[tuple[str, str]]:
        """Draw a tenth of its drives and workloads, both repeats of each."""
        every = sorted({(str(row["device"]), str(row["trace"])) for row in self.rows})
        return sorted(random.Random(seed).sample(every, math.ceil(TENTH * len(every))))  # noqa: S311

    def run_again(self, suite: Suite, seed: int, *, freely: bool = False) -> Again:
        """Run a tenth of it again, and the candidate under workloads that nobody has seen.

        Args:
            suite: where.
            seed: which tenth, and which workloads.
            freely: without the limits of `confined`.

        Raises:
            InputError: if code cannot be confined here, and if a figure is not the one of the card.
        """
        pairs = self.pairs(seed)
        untimed = suite.devices[0]
        order = {
            "given": self.given,
            "name": self.name,
            "suite": str(suite.folder.resolve()),
            "pairs": pairs,
            "seed": seed,
            # What needs time is seen on no other workloads: they would take long.
            "draws": any(row["device"] == untimed for row in self.rows),
        }
        with tempfile.TemporaryDirectory(prefix="reclaim-league-") as name:
            work = Path(name)
            self.copy(work)
            output_file.write_text(work / rerun.ORDER, json.dumps(order))
            found, cost = _confined(work, [suite.folder.resolve()], freely=freely)
        said = {_which(row): row for row in self.runs.to_dicts()}
        again = found[rerun.AGAIN].to_dicts()
        if {*map(_which, again)} != {each for each in said if each[:2] in pairs}:
            raise InputError(f"{self.folder}: {REFUSED}: run again, it does not have the same runs")
        for row in again:
            for figure in FIGURES:
                if said[_which(row)][figure] != row[figure]:
                    raise InputError(self._differs(row, figure, said[_which(row)][figure]))
        return Again(seed, pairs, cost, self._unseen(found[rerun.DRAWN], suite), self._seen(suite))

    def _unseen(self, drawn: pl.DataFrame, suite: Suite) -> Effect | None:
        mine = drawn.filter(scheme=self.name)
        theirs = drawn.filter(scheme=REFERENCE)
        return against(mine, theirs, [REFERENCE], suite.devices)[AMPLIFICATION].get(REFERENCE)

    def _seen(self, suite: Suite) -> Effect | None:
        """Give what the card says of the workloads that the suite has generated."""
        generated = [name for name, family in suite.families.items() if family == GENERATED]
        mine = self.runs.filter(self.runs["trace"].is_in(generated))
        return against(mine, suite.baselines, [REFERENCE], suite.devices)[AMPLIFICATION].get(REFERENCE)

    def _differs(self, row: Mapping[str, Any], figure: str, said: object) -> str:
        device, trace, repeat = _which(row)
        where = f"{device}, {trace}, repeat {repeat}"
        text = (
            f"{self.folder}: {REFUSED}: run again, it does not reach what its card says "
            f"({where}: {figure} is {row[figure]}, not {said})"
        )
        if not builds.same(self.build, builds.build()):
            text += f"; it was judged by build {self.build}, and this is {builds.build()}: judge it again"
        return text

    def copy(self, place: Path) -> None:
        """Copy the files of its candidate.

        Raises:
            InputError: if they are too large.
        """
        files = {name: self.folder / CANDIDATE / name for name in self.files}
        if sum(each.stat().st_size for each in files.values()) > MOST_BYTES:
            raise InputError(f"{self.folder / CANDIDATE}: has more than {MOST_BYTES >> 20} MiB")
        (place / CANDIDATE).mkdir(parents=True)
        for name, file in files.items():
            (place / CANDIDATE / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, place / CANDIDATE / name)


@dataclass(frozen=True)
class Again:
    """What running some of a candidate again has shown."""

    seed: int
    pairs: Sequence[tuple[str, str]]
    """Drives and workloads whose figures came out the same."""
    cost: PolicyCost
    """What it costs, as measured here."""
    unseen: Effect | None
    """NAND bytes beside the reference under workloads that were drawn; None where it needs time."""
    seen: Effect | None
    """The same under those that the suite generates."""

    @property
    def said(self) -> str:
        """Tell how it does where it cannot have been tuned; nothing where that is not known."""
        if self.unseen is None or self.seen is None:
            return ""
        seen, unseen = (f"{each.said} ({each.text})" for each in (self.seen, self.unseen))
        count = len(self.unseen.by_workload)
        told = f"NAND bytes beside {REFERENCE}: {seen} on what the suite generates, "
        told += f"{unseen} on {count} workloads drawn anew."
        least = self.seen.ends[1] if self.seen.ends else self.seen.value
        is_tuned = self.seen.shown == "lower" != self.unseen.shown and self.unseen.value > least
        return f"{told} It may be tuned on the suite." if is_tuned else told

    def to_dict(self) -> dict[str, Any]:
        """Give it as JSON holds it."""
        effects = {name: each for name in ("unseen", "seen") if (each := getattr(self, name)) is not None}
        return {
            "seed": self.seed,
            "runs": [list(each) for each in self.pairs],
            "build": builds.build(),
            "cost": self.cost.to_dict(),
            **{name: {"ratio": each.value, "interval": each.ends} for name, each in effects.items()},
        }


def _which(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return row["device"], row["trace"], row["repeat"]


def _confined(
    work: Path, reads: Sequence[Path], *, freely: bool
) -> tuple[Mapping[str, pl.DataFrame], PolicyCost]:
    """Run what stands in a folder in a process of its own."""
    package = Path(builds.__file__).parent
    recordings = (each.resolve() for each in Path(shipped.__file__).parent.iterdir() if each.is_dir())
    where = [package.parent, *recordings, *reads]
    # Without `-P`, Python looks for modules in the folder of the stranger, too.
    command = [sys.executable, "-P", "-m", rerun.__name__]
    if not freely:
        if lacking := confined.lacking():
            raise InputError(
                f"code cannot be confined here: that needs {lacking}; run it in a machine that holds nothing "
                "else, with --unconfined"
            )
        command = confined.command(work, where, command)
    with subprocess.Popen(  # noqa: S603 - the package's own program
        command,
        cwd=work / CANDIDATE,
        env=confined.environment(work, package.parent),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
    ) as process:
        try:
            _, said = process.communicate(timeout=HOURS * 3600)
        except subprocess.TimeoutExpired:
            said = f"it took more than {HOURS} hours"
        finally:
            with suppress(ProcessLookupError):
                killpg(process.pid, signal.SIGKILL)
    file = work / rerun.FOUND
    if process.returncode != 0 or not file.is_file():
        last = said.strip().splitlines()[-1:] or [f"its process ended with {process.returncode}"]
        raise InputError(f"{REFUSED}: its runs could not be run again: {last[0]}")
    # It is written by a process that a stranger's code had to itself.
    try:
        found = json_value(input_file.text(file, most=MOST_BYTES))
        frames = {name: rerun.frame(found[name], file) for name in (rerun.AGAIN, rerun.DRAWN)}
        cost = PolicyCost.read(found[rerun.COST])
    except (OSError, ValueError, TypeError, KeyError, InputError) as error:
        raise InputError(f"{REFUSED}: what its code has left is no answer ({error})") from None
    return frames, cost
