"""FEMU's black-box drive (Li et al., FAST 2018; read at commit 99ce4fb).

Read are the options of `-device femu`, or a script that sets them, as `run-blackbox.sh` does. Lines there are
superblocks over all LUNs. What FEMU has as constants is in `fixed`; what a key does was read from its source
(hw/femu/bbssd), not from its name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from reclaim.errors import InputError
from reclaim.importing import Given, Imported, Keys, Ours, count, nanoseconds, to
from reclaim.parsing import text_of

ASSIGNED = re.compile(r"^\s*(?:export\s+)?([A-Za-z_]\w*)=([\w.]+)\s*(?:#.*)?$")
OPTIONS = re.compile(r"-device\s+femu,([^\s\"']+)|FEMU_OPTIONS[^,]*\"?,([^\s\"']+)")
ALIASES = {"ssd_size": "devsz_mb"}
"""Names of variables in the script that is shipped, where they are not those of the options."""


def _page(given: Given, every: Mapping[str, Given]) -> Ours:
    return [("geometry.page_size", f"{given.whole(1) * every['secsz'].whole(512)}B")]


def _used(given: Given, _: Mapping[str, Given]) -> Ours:
    used = given.number(1, 99)
    return [("gc.trigger.kind", "free-blocks"), ("gc.trigger.start", f"{100 - used:g}%")]


_FINER = "off unless it is set: a finer model of times, with which operations take longer there"
_OF_FDP = "placement by the host has no counterpart but ftl.separation = by-stream"
KEYS = Keys(
    "FEMU",
    "small",
    same={
        "secs_per_pg": _page,
        "pgs_per_blk": to("geometry.pages_per_block", count),
        "blks_per_pl": to("geometry.blocks_per_plane", count),
        "luns_per_ch": to("geometry.chips_per_channel", count),
        "nchs": to("geometry.channels", count),
        "devsz_mb": to("geometry.user_capacity", lambda given: f"{given.whole(1)}MiB"),
        "pg_rd_lat": to("flash.t_read", nanoseconds),
        "pg_wr_lat": to("flash.t_program", nanoseconds),
        "blk_er_lat": to("flash.t_erase", nanoseconds),
    },
    nearly={
        "pls_per_lun": (
            to("geometry.planes_per_die", count),
            "lines there have one plane of each LUN, ours all planes",
        ),
        "gc_thres_pcent_high": (
            _used,
            "there a line is collected for each write that finds fewer, here until there are more",
        ),
    },
    left_out={
        "gc_thres_pcent": (
            "from here on theirs collects lines of which an eighth is invalid; ours begins at "
            "gc_thres_pcent_high, so that less is relocated here"
        ),
        "ch_xfer_lat": "FEMU's media model has no channel: it does not count there, either",
        "femu_mode": "1 is the black-box drive, the only one that is imported",
        "namespaces": "one namespace",
        "queues": "queues of the guest",
        "enable_gc_delay": "GC always takes time here",
        "nand_cell_type": _FINER,
        "cell_pages": _FINER,
        "pgtype_lat": _FINER,
        "ecc_step_ns": _FINER,
        "cmd_addr_lat": _FINER,
        "pg_xfer_lat": _FINER,
        "status_lat": _FINER,
        "trim_lat_ns": _FINER,
        "serial": "a name",
        "id": "a name",
        "fdp": _OF_FDP,
        "fdp.nruh": _OF_FDP,
    },
    with_others={"secsz": "secs_per_pg"},
    as_there={"pls_per_lun": ("1",)},
    says_nothing=lambda key, every: (
        key in {"ch_xfer_lat", "namespaces", "serial", "id", "enable_gc_delay"}
        or (key == "femu_mode" and every[key].value == "1")
        or every[key].value in {"0", "off", "false"}
    ),
    needed=(
        *("secsz", "secs_per_pg", "pgs_per_blk", "blks_per_pl", "luns_per_ch", "nchs"),
        *("pg_rd_lat", "pg_wr_lat", "blk_er_lat"),
    ),
    fixed=(
        ("flash.cell", "SLC", "one time for all pages"),
        ("geometry.dies_per_chip", 1, "a LUN is a die"),
        ("interconnect.kind", "ideal", "no channel is modelled"),
        ("channel.command_cycle", "0ns", "no channel is modelled"),
        ("channel.rate", "1000000 MT/s", "no channel is modelled: a few ns a page"),
        ("ftl.superblock", "drive", "a line is a block of each LUN"),
        ("ftl.allocation.kind", "striping", "pages go to channels, then to LUNs"),
        ("ftl.allocation.order", "CWDP", "pages go to channels, then to LUNs"),
        ("ftl.allocation.by", "arrival", "pages go to channels, then to LUNs"),
        ("gc.relocation.kind", "controller", "pages are read and written again"),
        ("ftl.wear.dynamic", False, "free lines in the order in which they were freed"),
        ("gc.victim.kind", "greedy", "the line with the fewest valid pages"),
        ("controller.write_buffer", "unlimited", "no limit of writes under way"),
        ("trace.remap", "none", "addresses as they are"),
    ),
)


def read_configuration(file: Path) -> Imported:
    """Read a script that runs FEMU, or a text with its options.

    Raises:
        InputError: if it has none, or a value cannot be, with the line.
    """
    every: dict[str, Given] = {}
    known = {*KEYS.same, *KEYS.nearly, *KEYS.left_out, *KEYS.with_others}
    for given in _given(file):
        # Scripts have variables of their own; options that refer to one say nothing new.
        if given.key in known or given.key not in every:
            every.setdefault(given.key, given)
    found = [given for given in every.values() if given.key in known]
    if not found:
        raise InputError(
            f"{file}: has no options of FEMU, as in secs_per_pg=8 or -device femu,secsz=512,secs_per_pg=8"
        )
    mode = every.get("femu_mode")
    if mode is not None and mode.value != "1":
        raise mode.wrong("only the black-box drive, mode 1, is imported")
    return KEYS.imported(found, file)


def _given(file: Path) -> Iterable[Given]:
    for number, line in enumerate(text_of(file).splitlines(), 1):
        if line.lstrip().startswith("#"):
            continue
        if assigned := ASSIGNED.match(line):
            yield Given(file, number, ALIASES.get(assigned[1], assigned[1]), assigned[2])
        for match in OPTIONS.finditer(line):
            for option in (match[1] or match[2]).split(","):
                key, equals, value = option.partition("=")
                if equals and "$" not in value:
                    yield Given(file, number, key, value)
