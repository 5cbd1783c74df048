"""NVMeVirt's ssd_config.h (Kim et al., FAST 2023; read at commit 61c90f7): the macros of a conventional SSD.

The header has a part for each model (`BASE_SSD`), of which the conventional one is imported. How large the
drive is comes with the module (`memmap_size`), and sets the pages of a block. Constants are conv_ftl.c's.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping
from pathlib import Path

from reclaim.errors import InputError
from reclaim.importing import Given, Imported, Keys, Ours, count, nanoseconds, percent, to
from reclaim.parsing import text_of

DEFINE = re.compile(r"\s*#\s*define\s+([A-Za-z_]\w*)\s+(.+?)\s*$")
IF = re.compile(r"\s*#\s*(if|elif|else|endif|ifdef|ifndef)\b\s*(.*)$")
MODEL = re.compile(r"\(?\s*BASE_SSD\s*==\s*(\w+)\s*\)?")
UNITS = {"KB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30, "TB": 1 << 40}
CONVENTIONAL = "SSD_TYPE_CONV"
MAPPED_BYTES = 4096
"""Of a page of the mapping: a constant."""
_OPERATORS: Mapping[type, Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: lambda a, b: a // b if isinstance(a, int) and isinstance(b, int) else a / b,
    ast.LShift: lambda a, b: int(a) << int(b),
}
CAPACITY = "memmap_size"


def _levels(_: Given, every: Mapping[str, Given]) -> Ours:
    cell = every["CELL_MODE"].value.removeprefix("CELL_MODE_")
    names = {"MLC": "LSB MSB", "TLC": "LSB CSB MSB"}.get(cell, "LSB")
    times = [nanoseconds(every[f"NAND_READ_LATENCY_{level}"]) for level in names.split()]
    return [("flash.t_read", times[0] if len(set(times)) == 1 else times)]


def _blocks(given: Given, every: Mapping[str, Given]) -> Ours:
    """Blocks of a plane, and the pages of each, which follow from the size of the drive."""
    blocks = given.whole(1)
    dies = (
        every["NAND_CHANNELS"].whole(1) * every["LUNS_PER_NAND_CH"].whole(1) * every["PLNS_PER_LUN"].whole(1)
    )
    oneshot = every["ONESHOT_PAGE_SIZE"].whole(1)
    room = -(-every[CAPACITY].whole(1) // (blocks * dies))
    return [("geometry.blocks_per_plane", blocks), ("geometry.pages_per_block", -(-room // oneshot))]


_SMALL = "reads of 4 KiB take this there; here a page of flash is always read whole"
KEYS = Keys(
    "NVMeVirt",
    "small",
    same={
        "NAND_CHANNELS": to("geometry.channels", count),
        "LUNS_PER_NAND_CH": to("geometry.chips_per_channel", count),
        "PLNS_PER_LUN": to("geometry.planes_per_die", count),
        "BLKS_PER_PLN": _blocks,
        "ONESHOT_PAGE_SIZE": to("geometry.page_size", lambda given: f"{given.whole(MAPPED_BYTES)}B"),
        "OP_AREA_PERCENT": to("geometry.over_provisioning", percent),
        "CELL_MODE": to("flash.cell", lambda given: given.value.removeprefix("CELL_MODE_")),
        "NAND_READ_LATENCY_LSB": _levels,
        "NAND_PROG_LATENCY": to("flash.t_program", nanoseconds),
        "NAND_CHANNEL_BANDWIDTH": to("channel.rate", lambda given: f"{given.whole(1)} MT/s"),
        "PCIE_BANDWIDTH": lambda given, _: [
            ("host.link.lanes", 1),
            ("host.link.lane_rate", f"{given.whole(1)} MT/s"),
        ],
        "GLOBAL_WB_SIZE": to("controller.write_buffer", lambda given: f"{given.whole(1)}B"),
        "WRITE_EARLY_COMPLETION": to(
            "controller.acknowledge", lambda given: "staged" if given.whole() else "programmed"
        ),
    },
    nearly={
        "NAND_ERASE_LATENCY": (
            to("flash.t_erase", lambda given: f"{max(given.whole(), 1)}ns"),
            "no time there; the least that a time can be here",
        ),
        "FW_READ_LATENCY": (
            to("controller.lookup", lambda given: f"{given.whole()}ns"),
            "writes wait for it here, too: FW_WBUF_LATENCY0 and 1 are shorter",
        ),
        "SSD_PARTITIONS": (
            lambda *_: [("ftl.superblock", "channel")],
            "each partition has lines over its own channels there; here each channel has its own",
        ),
    },
    left_out={
        "FLASH_PAGE_SIZE": "a read moves ONESHOT_PAGE_SIZE here: where that is more, reads are longer here",
        "NAND_4KB_READ_LATENCY_LSB": _SMALL,
        "NAND_4KB_READ_LATENCY_MSB": _SMALL,
        "NAND_4KB_READ_LATENCY_CSB": _SMALL,
        "FW_4KB_READ_LATENCY": "with FW_READ_LATENCY: a read of 4 KiB waits a little longer here",
        "FW_WBUF_LATENCY0": "with FW_READ_LATENCY",
        "FW_WBUF_LATENCY1": "with FW_READ_LATENCY",
        "FW_CH_XFER_LATENCY": "latencies are shorter here by it",
        "MAX_CH_XFER_SIZE": "data cross the channel in one piece here: reads are longer here",
        "WRITE_UNIT_SIZE": "a smaller write reads the rest of its page first, there as here",
        "BLK_SIZE": "0 where BLKS_PER_PLN says it",
        "MDTS": "largest transfer: the host's driver keeps to it",
        "NR_NAMESPACES": "one namespace",
        "NS_SSD_TYPE_0": "conventional: the only type that is imported",
        "NS_SSD_TYPE_1": "of a second namespace",
        "NS_CAPACITY_0": "0 is all of the memory",
        "NS_CAPACITY_1": "of a second namespace",
        "LBA_BITS": "sectors of 512 B",
        "LBA_SIZE": "sectors of 512 B",
    },
    with_others={
        "NAND_READ_LATENCY_MSB": "NAND_READ_LATENCY_LSB",
        "NAND_READ_LATENCY_CSB": "NAND_READ_LATENCY_LSB",
        CAPACITY: "BLKS_PER_PLN",
    },
    says_nothing=lambda key, every: (
        key.startswith(("NS_", "LBA_", "NR_", "MDTS", "WRITE_UNIT_SIZE", "BLK_SIZE"))
        or every[key].value == "0"
        or (key == "FLASH_PAGE_SIZE" and every[key].value == every["ONESHOT_PAGE_SIZE"].value)
    ),
    needed=(
        *("NAND_CHANNELS", "LUNS_PER_NAND_CH", "PLNS_PER_LUN", "BLKS_PER_PLN", "FLASH_PAGE_SIZE"),
        *("ONESHOT_PAGE_SIZE", "OP_AREA_PERCENT", "CELL_MODE", "NAND_READ_LATENCY_LSB", "NAND_PROG_LATENCY"),
    ),
    fixed=(
        ("geometry.dies_per_chip", 1, "a LUN is a die"),
        ("geometry.mapping_unit", f"{MAPPED_BYTES}B", "pages of the mapping"),
        ("channel.command_cycle", "0ns", "data alone take time on a channel"),
        ("ftl.allocation.kind", "striping", "pages go to channels, then to LUNs"),
        ("ftl.allocation.order", "CWDP", "pages go to channels, then to LUNs"),
        ("ftl.allocation.by", "arrival", "pages go to channels, then to LUNs"),
        ("gc.relocation.kind", "controller", "pages are read and written again"),
        ("ftl.wear.dynamic", False, "free lines in the order in which they were freed"),
        ("gc.trigger.kind", "free-blocks", "gc_thres_lines"),
        ("gc.trigger.start", "2 blocks", "gc_thres_lines"),
        ("gc.victim.kind", "greedy", "the line with the fewest valid pages"),
        ("trace.remap", "none", "addresses as they are"),
    ),
)


def read_configuration(file: Path, capacity_bytes: int | None) -> Imported:
    """Read an ssd_config.h; of its models the first conventional one.

    Args:
        file: is read.
        capacity_bytes: memory that the module is given (`memmap_size`), spare pages included.

    Raises:
        InputError: if it has none, or a value cannot be, with the line; without a capacity.
    """
    if capacity_bytes is None:
        raise InputError(
            f"{file}: does not say how large the drive is: give what NVMeVirt gets as memmap_size, as in "
            "--capacity 60GiB"
        )
    shared, models = _parts(file)
    chosen = [
        (name, part)
        for name, part in models.items()
        if any(each.key == "NS_SSD_TYPE_0" and each.value == CONVENTIONAL for each in part)
    ]
    if not chosen:
        names = ", ".join(models) or "none"
        raise InputError(
            f"{file}: has no conventional SSD (NS_SSD_TYPE_0 {CONVENTIONAL}); its models: {names}"
        )
    name, part = chosen[0]
    macros = {each.key: each for each in [*shared, *part]}
    given = [_evaluated(each, macros) for each in part]
    given.append(Given(file, 0, CAPACITY, str(capacity_bytes)))
    return KEYS.imported(given, file, name.lower().replace("_", "-"))


def _parts(file: Path) -> tuple[list[Given], dict[str, list[Given]]]:
    """Give the macros of all models, and those of each."""
    shared: list[Given] = []
    models: dict[str, list[Given]] = {}
    # For each #if under way: the model it is about, if any, whether it has an effect, and whether one had.
    under_way: list[tuple[str | None, bool, bool]] = []
    for number, line in enumerate(text_of(file).splitlines(), 1):
        if match := IF.match(line):
            word, condition = match[1], match[2]
            if word == "endif":
                if not under_way:
                    raise InputError(f"{file}:{number}: #endif without #if")
                under_way.pop()
                continue
            had = under_way.pop()[2] if word in ("elif", "else") and under_way else False
            model = MODEL.match(condition)
            holds = not had and (word == "else" or (condition.strip() != "0" and word != "ifdef"))
            # Every model is read; of others only the first branch that holds.
            under_way.append((model[1], True, False) if model else (None, holds, had or holds))
            continue
        if not all(holds for _, holds, _ in under_way):
            continue
        if match := DEFINE.match(re.sub(r"/\*.*?\*/|//.*", "", line)):
            given = Given(file, number, match[1], match[2].strip())
            model_of = next((name for name, *_ in under_way if name is not None), None)
            (shared if model_of is None else models.setdefault(model_of, [])).append(given)
    return shared, models


def _evaluated(given: Given, macros: Mapping[str, Given]) -> Given:
    """The macro with its expression as a number; a word as it is."""
    word = given.value.strip("() ")
    if re.fullmatch(r"[A-Z_]\w*", word) and word.startswith(("CELL_MODE", "SSD_TYPE", "NS_SSD")):
        return Given(given.file, given.line, given.key, word)
    try:
        value = _number(given.value, macros, 0)
    except (ValueError, SyntaxError, KeyError, ZeroDivisionError, RecursionError):
        return given
    return Given(
        given.file, given.line, given.key, f"{value:.12g}" if isinstance(value, float) else str(value)
    )


def _number(text: str, macros: Mapping[str, Given], depth: int) -> float:
    if depth > len(macros):
        raise RecursionError(text)
    plain = re.sub(r"\b(0x[0-9a-fA-F]+|\d+)[uUlL]+\b", r"\1", text)
    return _value(ast.parse(plain.strip(), mode="eval").body, macros, depth)


def _value(node: ast.expr, macros: Mapping[str, Given], depth: int) -> float:
    match node:
        case ast.Constant(value=int() | float() as value):
            return value
        case ast.Name(id=name):
            return _number(macros[name].value, macros, depth + 1)
        case ast.Call(func=ast.Name(id=unit), args=[inner]) if unit in UNITS:
            return _value(inner, macros, depth) * UNITS[unit]
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            return _OPERATORS[type(op)](_value(left, macros, depth), _value(right, macros, depth))
        case _:
            raise ValueError(ast.dump(node))
