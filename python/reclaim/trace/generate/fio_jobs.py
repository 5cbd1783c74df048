"""Several jobs of fio as one trace: clones, sections side by side, and sections that wait for others."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from reclaim import table_file
from reclaim.errors import InputError
from reclaim.trace.generate.fio import FioJob, fio_job
from reclaim.trace.generate.fio_file import JobSection
from reclaim.trace.generate.fio_options import KEYWORDS
from reclaim.trace.trace import Trace, made, open_trace

MOST_JOBS = 4096
MOST_REQUESTS = 200_000_000
"""Of several jobs, which are put in order in memory."""
COLUMNS = {"time_ns": "number", "op": "text", "offset_bytes": "number", "size_bytes": "number"}


@dataclass(frozen=True)
class PlacedJob:
    """A job with its place among others."""

    name: str
    job: FioJob
    phase: int
    """Those of one number are at work together, after those of lower ones."""
    flow: float
    delay_ns: int

    @property
    def requests(self) -> int:
        """How many it has."""
        return int(self.job.description["requests"])


@dataclass
class FioJobs:
    """All jobs of a file."""

    parts: list[PlacedJob]
    notes: list[str] = field(default_factory=list)

    @property
    def rated(self) -> bool:
        """Whether their requests come by the clock, and not one after the other."""
        return self.parts[0].job.interval_ns is not None

    @property
    def depth(self) -> int:
        """Requests that wait at once, at most."""
        phases = {each.phase for each in self.parts}
        return max(sum(each.job.depth for each in self.parts if each.phase == phase) for phase in phases)


def fio_jobs(sections: Sequence[JobSection], origin: str, more: Mapping[str, str] | None = None) -> FioJobs:
    """Translate the jobs of a file; options of `more` count more than those in it.

    Raises:
        InputError: for an option that has no meaning for a trace, and for jobs that cannot be one, with the
            line.
    """
    parts: list[PlacedJob] = []
    notes: list[str] = []
    phase = 0
    ends: dict[str, int] = {}
    regions = _Regions()
    for section in sections:
        options = {**section.options, **(more or {})}
        places = {key: place for key, place in section.places.items() if key not in (more or {})}
        waits = options.get("wait_for")
        if waits is not None and waits not in ends:
            where = places.get("wait_for", origin)
            raise InputError(f"{where}: wait_for {waits}: no job above is called so")
        if parts and (options.get("stonewall", options.get("wait_for_previous")) not in (None, "0")):
            phase += 1
        elif waits is not None:
            phase = max(phase, ends[waits] + 1)
        ends[section.name] = phase
        count = _number(options, "numjobs", places, origin, highest=MOST_JOBS)
        for clone in range(count):
            job = fio_job(options, origin=f"{origin} [{section.name}]", clone=clone, places=places)
            notes += [f"[{section.name}] {note}" for note in job.notes]
            job = regions.placed(job, f"{section.name}.{clone}", clone)
            job.description["seed"] += len(parts)
            delay = _delay(options, job, places, origin)
            flow = float(_number(options, "flow", places, origin, highest=2**31))
            parts.append(PlacedJob(section.name, job, phase, flow, delay))
    jobs = FioJobs(parts, _told_once(notes))
    _check(jobs, origin)
    if len(parts) > 1 and (count_all := sum(each.requests for each in parts)) > MOST_REQUESTS:
        raise InputError(
            f"{origin}: {count_all:,} requests of {len(parts)} jobs are more than can be put in order here "
            f"({MOST_REQUESTS:,}): give less, as with io_size=1g or number_ios=100000"
        )
    if len(parts) > 1:
        jobs.notes = [note for note in jobs.notes if "iodepth has no effect" not in note]
        jobs.notes.append(_how_to_replay(jobs))
    return jobs


def _told_once(notes: Sequence[str]) -> list[str]:
    """What is said of every job is said once, without their names."""
    of: dict[str, list[str]] = {}
    for note in dict.fromkeys(notes):
        name, _, text = note.partition("] ")
        of.setdefault(text, []).append(name[1:])
    every = {name for names in of.values() for name in names}
    return [text if len(names) == len(every) else f"{', '.join(names)}: {text}" for text, names in of.items()]


def _how_to_replay(jobs: FioJobs) -> str:
    phases = len({each.phase for each in jobs.parts})
    what = f"{len(jobs.parts)} jobs" + (f" in {phases} phases, one after the other" if phases > 1 else "")
    if jobs.rated:
        return what + (
            "; a phase begins when the one before it would have ended by its rate" if phases > 1 else ""
        )
    return (
        f"{what}; jobs side by side take turns in proportion to their queue depths (or flow): replay with "
        f"--mode closed-loop --queue-depth {jobs.depth}"
    )


def _number(
    options: Mapping[str, str], key: str, places: Mapping[str, str], origin: str, *, highest: int
) -> int:
    text = KEYWORDS.get(options.get(key, "1").strip(), options.get(key, "1").strip())
    if not text.isdigit() or not 1 <= int(text) <= highest:
        raise InputError(f"{places.get(key, origin)}: {key} must be from 1 to {highest}, not {text}")
    return int(text)


def _delay(options: Mapping[str, str], job: FioJob, places: Mapping[str, str], origin: str) -> int:
    text = options.get("startdelay", "0").strip()
    if job.interval_ns is None:
        return 0
    try:
        return round(float(text.rstrip("s")) * 1e9)
    except ValueError:
        raise InputError(
            f"{places.get('startdelay', origin)}: startdelay {text}: write it in seconds"
        ) from None


def _check(jobs: FioJobs, origin: str) -> None:
    """Refuse jobs of which some come by the clock and others as the drive lets them."""
    kinds = {each.job.interval_ns is not None: each.name for each in jobs.parts}
    if len(kinds) > 1:
        raise InputError(
            f"{origin}: [{kinds[True]}] has a rate and [{kinds[False]}] none: when both come is for a drive "
            "to say; give all a rate (rate_iops), or none, or keep one of them"
        )


class _Regions:
    """Where the files of jobs lie: one behind the other, those of one name at one place."""

    def __init__(self) -> None:
        self.begins: dict[str, int] = {}
        self.end = 0

    def placed(self, job: FioJob, own: str, clone: int) -> FioJob:
        name = own if job.region is None else job.region.replace("$jobnum", str(clone))
        begin = self.begins.get(name, self.end)
        self.begins[name] = begin
        self.end = max(self.end, -(-(begin + job.room_bytes) // (1 << 20)) << 20)
        address = job.description["address"]
        offset = begin + int(str(address.get("offset", "0B")).removesuffix("B"))
        if offset:
            address["offset"] = f"{offset}B"
        return job


def jobs_trace(jobs: FioJobs, folder: Path, name: str) -> Trace:
    """Make the trace of several jobs: a file in `folder`, which is theirs.

    Requests of jobs without a rate all arrive at once, in the order in which they would come.
    """
    import polars as pl

    frames: list[pl.DataFrame] = []
    began_ns = 0
    for phase in sorted({each.phase for each in jobs.parts}):
        together = [each for each in jobs.parts if each.phase == phase]
        ended_ns = began_ns
        turn = max(each.job.depth for each in together) * max(each.flow for each in together)
        for part in together:
            interval = part.job.interval_ns
            begin = began_ns + part.delay_ns
            if interval is None:
                interval = max(1, round(turn / (part.job.depth * part.flow)))
            frames.append(_requests(part, interval, begin, folder))
            ended_ns = max(ended_ns, begin + part.requests * interval)
        began_ns = ended_ns
    every = pl.concat(frames).sort("time_ns", maintain_order=True)
    if not jobs.rated:
        every = every.with_columns(time_ns=pl.lit(0, dtype=pl.UInt64))
    file = folder / f"{name}.parquet"
    table_file.write(every, file)
    return open_trace(file)


def _requests(part: PlacedJob, interval_ns: int, begin_ns: int, folder: Path) -> Any:
    """The requests of a job, from when it begins."""
    import polars as pl

    keys = {"generator": 1, **part.job.description}
    if part.job.interval_ns is None:
        keys["arrivals"] = {"kind": "constant", "interval": f"{interval_ns}ns"}
    with TemporaryDirectory(dir=folder) as own:
        file = Path(own) / "job.parquet"
        made("generated", (json.dumps(keys), part.name)).convert(file)
        frame = table_file.read(file, COLUMNS)
    return frame.select(
        (pl.col("time_ns").cast(pl.UInt64) + begin_ns).alias("time_ns"), "op", "offset_bytes", "size_bytes"
    )
