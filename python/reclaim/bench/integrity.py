"""Whether stored points are what their runs wrote, and this build's: the log says so of each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from reclaim import builds, table_file
from reclaim.bench.parts import Record
from reclaim.bench.point import Point
from reclaim.bench.store import DAMAGED, OTHER_BUILDS, Store
from reclaim.checksums import changed, checksums
from reclaim.errors import InputError
from reclaim.results.result import Result
from reclaim.results.sets import log

FOUND = "found"
"""Outcome in the log of a point that was stored without a checksum: by an earlier version, or by a command
that was killed between the two."""


@dataclass(frozen=True)
class Stored:
    """What is known of the points that are stored."""

    damaged: dict[str, str]
    """Those that are not as they were written: which each is, why, and what becomes of it."""
    found: int
    """Those that had no checksum, are complete, and have one now."""


def _incomplete(store: Store, id: str, record: Record) -> str | None:
    """Say what a point lacks that no checksum is known of; None if it has all that its run wrote."""
    folder = store.point(id)
    recorded = {"histograms": True, "timeline": record.timeline, "gc_log": record.gc}
    tables = [name for name, kept in (recorded | {"requests": record.requests}).items() if kept]
    for name in ("results.json", "config.toml", *(f"{table}.parquet" for table in tables)):
        if not (folder / name).is_file():
            return f"{name} is missing"
    try:
        Result.load(folder)
        for table in tables:
            columns = table_file.OF_REQUESTS if table == "histograms" else table_file.NUMBERS
            table_file.read(folder / f"{table}.parquet", columns)
    except InputError as error:
        return str(error).removeprefix(f"{folder}/")
    return None


def check_builds(
    store: Store, points: Iterable[Point], accepted: Sequence[str] = (), *, force: bool = False
) -> None:
    """See that stored points count for this build.

    Args:
        store: where they are.
        points: those that shall count.
        accepted: builds that the user accepts; that is noted, and holds for this build from then on.
        force: put what other builds have run out of the way, to be run again.

    Raises:
        InputError: naming the other builds, and what to do.
    """
    # Before the log, which has its line first: another command may store one meanwhile.
    there = [point for point in dict.fromkeys(each.id for each in points) if store.has(point)]
    notes = log.read(store.folder)
    ours = builds.build()
    before = {each for build, others in notes.accepted.items() if builds.same(build, ours) for each in others}
    strange: dict[str, list[str]] = {}
    for point in there:
        theirs = notes.of(point).build or builds.UNKNOWN
        if not builds.accepts(theirs, before):
            strange.setdefault(theirs, []).append(point)
    refused = {build: ids for build, ids in strange.items() if not builds.accepts(build, accepted)}
    if refused and not force:
        count = sum(map(len, refused.values()))
        raise InputError(
            f"{store.folder}: {count} of its points {'was' if count == 1 else 'were'} "
            f"{builds.refusal(refused)}, or --force to run them again "
            f"(what is there is kept in {store.folder.name}/{OTHER_BUILDS})"
        )
    for point in (each for found in refused.values() for each in found):
        store.discard(point, OTHER_BUILDS)
    if newly := sorted(set(strange) - set(refused)):
        store.log({log.ACCEPTED: newly, "build": ours})


def look(store: Store, points: Sequence[Point], *, mend: bool) -> Stored:
    """Compare stored points with their checksums.

    Args:
        store: where they are.
        points: those to look at.
        mend: put those that are damaged out of the way, and note checksums of those that have none.
    """
    there = [point for point in points if store.has(point.id)]
    known = log.stored_checksums(store.folder)
    damaged, found = {}, 0
    for point in there:
        folder, sums = store.point(point.id), known.get(point.id)
        fault = _incomplete(store, point.id, point.record) if sums is None else changed(folder, sums)
        if fault is not None:
            damaged[point.id] = _told(store, point, fault)
        elif sums is None:
            found += 1
            if mend:
                # Who has run it is not known; that it counts was said before.
                store.log({"point": point.id, "outcome": FOUND, "files": checksums(folder)})
    if mend:
        for each in damaged:
            store.discard(each)
    return Stored(damaged, found)


def missing(store: Store, points: Iterable[Point]) -> list[str]:
    """Give the names of points that are to be run: not stored, or damaged."""
    unique = {each.id: each for each in points}
    damaged = look(store, list(unique.values()), mend=False).damaged
    return [each for each in unique if not store.has(each) or each in damaged]


def _told(store: Store, point: Point, fault: str) -> str:
    where = f"{store.folder.name}/{DAMAGED}/{point.id}"
    return f"{store.point(point.id)} ({point.label()}): {fault}; it is kept in {where}, and run again"
