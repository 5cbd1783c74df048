"""SSDsim's page.parameters (Hu et al., ICS 2011; read at commit f411289 of the public copy).

What a key does was read from the source: several keys are read from the file and used nowhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from reclaim import input_file
from reclaim.errors import InputError
from reclaim.importing import Given, Imported, Keys, Ours, count, nanoseconds, percent, to
from reclaim.parsing import MOST_BYTES

ORDERS = ("WDPC", "CWDP", "CPWD", "CDWP", "CPDW", "CDPW")
"""Of static_allocation, by its number: which dimension changes fastest."""
COPYBACK, INTERLEAVE, MULTI_PLANE = 0b00010, 0b01000, 0b10100
"""Bits of `advanced command`."""
TIMINGS = (
    *("t_DBSY", "t_CLS", "t_CLH", "t_CS", "t_CH", "t_WP", "t_ALS", "t_ALH", "t_DS", "t_DH"),
    *("t_WH", "t_ADL", "t_AR", "t_CLR", "t_RR", "t_RP", "t_WB", "t_REA", "t_CEA", "t_RHZ"),
    *("t_CHZ", "t_RHOH", "t_RLOH", "t_COH", "t_REH", "t_IR", "t_RHW", "t_WHR", "t_RST"),
)
ELECTRICITY = (
    *("flash operating current", "flash supply voltage", "dram active current", "dram standby current"),
    *("dram refresh current", "dram voltage"),
)
CHIPS = re.compile(r"chip number\[(\d+)\]")


def _allocation(given: Given, every: Mapping[str, Given]) -> Ours:
    if given.whole() == 0:
        return [("ftl.allocation.kind", "dynamic")]
    order = every["static_allocation"].whole() if "static_allocation" in every else 0
    if order >= len(ORDERS):
        raise every["static_allocation"].wrong(f"must be from 0 to {len(ORDERS) - 1}")
    return [("ftl.allocation.kind", "striping"), ("ftl.allocation.order", ORDERS[order])]


def _commands(given: Given, _: Mapping[str, Given]) -> Ours:
    bits = given.whole()
    return [
        ("flash.multi_plane", "same-page" if bits & MULTI_PLANE else "off"),
        ("flash.dies_overlap", bool(bits & INTERLEAVE)),
        ("gc.relocation.kind", "copyback" if bits & COPYBACK else "controller"),
    ]


def _rate(given: Given, _: Mapping[str, Given]) -> Ours:
    return [("channel.rate", f"{1000 / given.whole(1):.9g} MT/s")]


def _aged(given: Given, _: Mapping[str, Given]) -> Ours:
    if given.whole() == 0:
        return [("warmup.kind", "empty")]
    return [("warmup.kind", "workload")]


def _share_of_free(given: Given, every: Mapping[str, Given]) -> Ours:
    """The share of free pages, where so many can be free at all."""
    wanted = given.number(0, 1)
    spare = every["overprovide"].number(0, 1)
    # A block that is open for the host, one for GC, and one to be freed.
    blocks = every["block number"].whole(4)
    most = max(int(spare * blocks) - 3, 1)
    start = min(max(int(wanted * blocks), 1), most)
    return [("gc.trigger.kind", "free-blocks"), ("gc.trigger.start", f"{start} blocks")]


NOWHERE = {
    "gc threshold": ": gc hard threshold is what starts GC",
    "gc": "",
    "wear leveling": "",
    "erase limit": "",
    "scheduling algorithm": "",
    "address mapping": ": pages are mapped",
    "buffer management": ": there is always a buffer",
}
"""What is read and says nothing, and what counts there."""
_NOWHERE = "read from the file and used nowhere in their source"
_TIMES = "of the order of 100 ns, in no time of an operation there, either"
_ENERGY = "no energy here"


def _says_nothing(key: str, every: Mapping[str, Given]) -> bool:
    return key in {*NOWHERE, *TIMINGS, *ELECTRICITY, "chip number"} or (
        key.startswith("dynamic_allocation") and every[key].value == "0"
    )


KEYS = Keys(
    "SSDsim",
    "small",
    same={
        "channel number": to("geometry.channels", count),
        "die number": to("geometry.dies_per_chip", count),
        "plane number": to("geometry.planes_per_die", count),
        "block number": to("geometry.blocks_per_plane", count),
        "page number": to("geometry.pages_per_block", count),
        "page capacity": to("geometry.page_size", lambda given: f"{given.whole(512)}B"),
        "subpage capacity": to("channel.granularity", lambda given: f"{given.whole(1)}B"),
        "overprovide": to("geometry.spare_factor", percent),
        "t_R": to("flash.t_read", nanoseconds),
        "t_PROG": to("flash.t_program", nanoseconds),
        "t_BERS": to("flash.t_erase", nanoseconds),
        "t_WC": to("channel.command_cycle", nanoseconds),
        "chip number[0]": to("geometry.chips_per_channel", count),
    },
    nearly={
        "t_RC": (_rate, "data of writes take t_WC a byte there, and t_RC here, too"),
        "allocation": (_allocation, "dynamic there is in turn, and here the plane with the least to do"),
        "advanced command": (
            _commands,
            "which planes may share an operation is up to greed MPW command there",
        ),
        "dram capacity": (
            to("controller.write_buffer", lambda given: f"{given.whole(1)}B"),
            "writes are programmed at once here, there when their room is needed; reads are not cached",
        ),
        "gc hard threshold": (
            _share_of_free,
            (
                "theirs counts free pages of a plane, ours free blocks; where more are asked for than can be "
                "free, theirs collects at every write, and ours keeps as many free as it can"
            ),
        ),
        "aged": (
            _aged,
            "theirs marks a share of the pages as invalid; ours plays the load until it is steady",
        ),
    },
    left_out={
        **{key: f"{_NOWHERE}{more}" for key, more in NOWHERE.items()},
        "dynamic_allocation": "0 is in turn over all planes; others fix the channel",
        "dynamic_allocation_priority": "in which order planes have their turns",
        "advanced command priority": "which of two kinds of operation is tried first",
        "advanced command priority2": "which of two kinds of operation is tried first",
        "greed CB command": "copyback only within odd or even pages there: see gc.relocation",
        "greed MPW command": "planes wait for each other there, so that more programs are shared",
        "active write": "whether GC waits for idle time",
        "queue_length": "no limit here: with more requests waiting, latencies are longer here",
        "chip number": "their sum",
        **dict.fromkeys(TIMINGS, _TIMES),
        **dict.fromkeys(ELECTRICITY, _ENERGY),
    },
    with_others={
        "subpage page": "page capacity",
        "static_allocation": "allocation",
        "aged ratio": "aged",
    },
    as_there={
        "allocation": ("1",),
        "aged": ("0",),
        "advanced command": ("0",),
    },
    says_nothing=_says_nothing,
    needed=(
        *("channel number", "chip number[0]", "die number", "plane number", "block number", "page number"),
        *("page capacity", "overprovide", "t_R", "t_PROG", "t_BERS", "gc hard threshold"),
    ),
    fixed=(
        ("flash.cell", "SLC", "one time for all pages"),
        ("channel.partial_programs", True, "only subpages that were written cross the channel"),
        ("controller.acknowledge", "staged", "a write is done when the buffer has it"),
        ("gc.victim.kind", "greedy", "the block with the most invalid pages"),
        ("ftl.wear.dynamic", False, "free blocks in the order of their numbers"),
        ("trace.remap", "wrap", "addresses beyond the drive begin anew"),
    ),
)


def read_configuration(file: Path) -> Imported:
    """Read a page.parameters.

    Raises:
        InputError: if it is none, or a value cannot be, with the line.
    """
    every: dict[str, Given] = {}
    chips: dict[int, Given] = {}
    for given in _given(file):
        if match := CHIPS.fullmatch(given.key):
            chips[int(match[1])] = given
            if match[1] != "0":
                continue
        every[given.key] = given
    if not every:
        raise InputError(f"{file}: has no parameters of SSDsim, as in channel number = 2;")
    made = KEYS.imported(every.values(), file)
    _check_chips(every, chips)
    return made


def _check_chips(every: Mapping[str, Given], chips: Mapping[int, Given]) -> None:
    first = chips[0].whole(1)
    for channel in range(1, every["channel number"].whole(1)):
        if channel in chips and chips[channel].whole() != first:
            raise chips[channel].wrong(f"every channel has as many chips here, as the first: {first}")


def _given(file: Path) -> Iterable[Given]:
    try:
        # Comments are in any encoding: what they hold is of no interest.
        text = input_file.data(file, most=MOST_BYTES).decode("utf-8", errors="replace")
    except OSError as error:
        raise InputError(f"{file}: {input_file.fault(error)}") from None
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith(("#", " ")) or "=" not in line:
            continue
        key, _, value = line.partition("=")
        yield Given(file, number, key.strip(), re.split(r"[;#]", value)[0].strip())
