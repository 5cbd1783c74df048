"""A page on which the blocks of a small drive fill up and are collected, moment by moment."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from reclaim.errors import InputError
from reclaim.report.html import inline_json, render_watch
from reclaim.units import written

if TYPE_CHECKING:
    from reclaim.result.result import Result

MOST_BLOCKS = 20_000
"""More squares than this nobody can tell apart, and a page of them takes a browser too long."""
MOST_CHANGES = 1_000_000
"""Blocks that change between two moments, over all moments: a dozen bytes of the page each."""


def check_size(config: Any) -> None:
    """Refuse a drive that is too large to be watched, before it is run.

    Raises:
        InputError: with the number of its blocks.
    """
    geometry = config["geometry"]
    blocks = _planes(geometry) * int(geometry["blocks_per_plane"])
    if blocks > MOST_BLOCKS:
        raise InputError(
            f"--watch: the drive has {blocks:,} blocks, and a page shows {MOST_BLOCKS:,} at most; take a "
            "smaller one, as with --set geometry.blocks_per_plane=64"
        )


def watch_page(result: Result) -> str:
    """Draw the page of a run for which `record_blocks` and `record_gc` were given.

    Raises:
        InputError: if blocks were not recorded.
    """
    import polars as pl

    if result.block_frames is None or result.gc_log is None:
        raise InputError("nothing was recorded of blocks: simulate(record_blocks=True, record_gc=True) does")
    data = result.to_dict()
    geometry = data["config"]["geometry"]
    planes, per_plane, pages = (
        _planes(geometry),
        int(geometry["blocks_per_plane"]),
        int(geometry["pages_per_block"]),
    )
    frames = pl.DataFrame(result.block_frames)
    moments = frames["at_ns"].unique().sort()
    times, changes = _thinned(frames, moments)
    log = pl.DataFrame(result.gc_log)
    jobs = log.select("start_ns", "end_ns", "victim_block").rows()
    begin = times[0]
    under = f"under {result.label} " if result.label != data["device"] else ""
    return render_watch(
        title=f"blocks of {data['device']}",
        finding=_finding(log, pages, times[-1] - begin),
        about=f"{data['trace']['name']} {under}on {data['device']}: {planes} planes of "
        f"{per_plane} blocks of {pages} pages. Victims are outlined while they are collected.",
        last=len(times) - 1,
        data=inline_json(
            {
                "planes": planes,
                "perPlane": per_plane,
                "perChannel": planes // int(geometry["channels"]),
                "perDie": int(geometry["planes_per_die"]),
                "pages": pages,
                "times": times,
                "changes": changes,
                "jobs": [value for job in jobs for value in job],
            }
        ),
    )


def _planes(geometry: Any) -> int:
    keys = ("channels", "chips_per_channel", "dies_per_chip", "planes_per_die")
    return math.prod(int(geometry[key]) for key in keys)


def _finding(log: Any, pages: int, lasted_ns: int) -> str:
    """Say what the page shows, in a sentence."""
    if not log.height:
        return "No block was collected while this run was measured"
    valid = float(log["valid_pages"].mean())
    still = f"on average {valid:.3g} of {pages} pages were" if valid else "none of their pages was"
    return f"GC reclaimed {log.height:,} blocks in {written(lasted_ns, 'time')}; {still} still valid"


def _thinned(frames: Any, moments: Any) -> tuple[list[int], list[list[int]]]:
    """Give the moments of a page, and for each what has changed since the last, four numbers a block."""
    import polars as pl

    kept = moments
    while True:
        # What changed at a moment that is left out has changed by the next that is kept: the last counts.
        at = kept.search_sorted(frames["at_ns"], side="left").clip(0, len(kept) - 1)
        rows = frames.with_columns(moment=at).group_by("moment", "block", maintain_order=True).last()
        if rows.height <= MOST_CHANGES or len(kept) < 3:
            break
        kept = pl.concat([kept[:-1:2], kept[-1:]]).unique().sort()
    columns = ("block", "state", "written_pages", "valid_pages")
    changes: list[list[int]] = [[] for _ in range(len(kept))]
    for moment, *values in rows.select("moment", *columns).rows():
        changes[moment] += values
    return kept.to_list(), changes
