"""MQSim's ssdconfig.xml and workload.xml (Tavakkol et al., FAST 2018; read at commit 7ec40e3).

What is not a key of theirs is a constant of theirs: the preset `mqsim-mirror` has those, and was compared
with MQSim (docs/validation.md). What a key does there was read from their source, not from its name.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from reclaim.errors import InputError
from reclaim.importing import Given, Imported, ImportedLoad, Keys, Ours, count, nanoseconds, percent, to
from reclaim.importing.xml import Element, read_xml

BASE = "mqsim-mirror"
SECTOR_BYTES = 512
READY_TO_DATA_NS = 20
"""From the end of a read to its first data: a constant of theirs, a part of `flash.t_read` here."""
MOST_JOBS = 10
"""Collections of a plane at once, a constant; the threshold is never below it."""
CONFIGURATION, SCENARIOS = "Execution_Parameter_Set", "MQSim_IO_Scenarios"
SYNTHETIC, TRACE = "IO_Flow_Parameter_Set_Synthetic", "IO_Flow_Parameter_Set_Trace_Based"


def _of_levels(name: str, key: str, more_ns: int = 0) -> Callable[[Given, Mapping[str, Given]], Ours]:
    """Times of pages by level: one where all are the same."""

    def levels(_: Given, every: Mapping[str, Given]) -> Ours:
        cell = every["Flash_Technology"].one_of({"SLC": "LSB", "MLC": "LSB MSB", "TLC": "LSB CSB MSB"})
        keys = [every[f"{name}_{level}"] for level in cell.split()]
        times = [f"{each.whole(1) + more_ns}ns" for each in keys]
        return [(key, times[0] if len(set(times)) == 1 else times)]

    return levels


def _threshold(given: Given, every: Mapping[str, Given]) -> Ours:
    blocks = int(given.number(0, 1) * every["Block_No_Per_Plane"].whole(1))
    return [("gc.trigger.start", f"{max(blocks, MOST_JOBS)} blocks")]


def _hard(given: Given, every: Mapping[str, Given]) -> Ours:
    blocks = int(given.number(0, 1) * every["Block_No_Per_Plane"].whole(1))
    return [("gc.trigger.hard", f"{max(blocks, 1) + 1} blocks")]


def _victim(given: Given, every: Mapping[str, Given]) -> Ours:
    blocks = every["Block_No_Per_Plane"].whole(2)
    kinds: dict[str, list[tuple[str, str | int]]] = {
        "GREEDY": [("gc.victim.kind", "greedy"), ("gc.victim.ties", "lowest-number")],
        "RGA": [("gc.victim.kind", "d-choices"), ("gc.victim.d", int(math.log2(blocks)))],
        "RANDOM": [("gc.victim.kind", "random")],
        "RANDOM_P": [("gc.victim.kind", "random")],
        "RANDOM_PP": [("gc.victim.kind", "random-threshold")],
        "FIFO": [("gc.victim.kind", "fifo")],
    }
    return list(given.one_of(kinds))


def _cache(given: Given, every: Mapping[str, Given]) -> Ours:
    given.one_of({"SIMPLE": "", "ADVANCED": ""})
    room = every["Data_Cache_Capacity"].whole(1)
    return [
        ("controller.write_buffer", f"{room}B"),
        ("controller.acknowledge", "staged"),
        ("controller.merge_overwrites", True),
    ]


def _static(given: Given, every: Mapping[str, Given]) -> Ours:
    threshold = every.get("Static_Wearleveling_Threshold")
    if not given.switch() or threshold is None:
        return []
    return [("ftl.wear.static_threshold", threshold.whole(1))]


def _warm_up(given: Given, _: Mapping[str, Given]) -> Ours:
    return [("warmup.kind", "workload" if given.switch() else "empty")]


SAME: dict[str, Callable[[Given, Mapping[str, Given]], Ours]] = {
    "Flash_Channel_Count": to("geometry.channels", count),
    "Chip_No_Per_Channel": to("geometry.chips_per_channel", count),
    "Die_No_Per_Chip": to("geometry.dies_per_chip", count),
    "Plane_No_Per_Die": to("geometry.planes_per_die", count),
    "Block_No_Per_Plane": to("geometry.blocks_per_plane", count),
    "Page_No_Per_Block": to("geometry.pages_per_block", count),
    "Page_Capacity": to("geometry.page_size", lambda given: f"{given.whole(1)}B"),
    "Overprovisioning_Ratio": to("geometry.spare_factor", percent),
    "Flash_Technology": to("flash.cell", lambda given: given.value.upper()),
    "Page_Read_Latency_LSB": _of_levels("Page_Read_Latency", "flash.t_read", READY_TO_DATA_NS),
    "Page_Program_Latency_LSB": _of_levels("Page_Program_Latency", "flash.t_program"),
    "Block_Erase_Latency": to("flash.t_erase", nanoseconds),
    "Flash_Channel_Width": to("channel.width_bits", lambda given: 8 * given.whole(1)),
    "Plane_Allocation_Scheme": lambda given, _: [
        ("ftl.allocation.kind", "striping"),
        ("ftl.allocation.order", given.value.upper()),
    ],
    "GC_Exec_Threshold": _threshold,
    "Preemptible_GC_Enabled": to(
        "scheduler.gc_first", lambda given: "urgent" if given.switch() else "always"
    ),
    "Use_Copyback_for_GC": to(
        "gc.relocation.kind", lambda given: "copyback" if given.switch() else "controller"
    ),
    "Dynamic_Wearleveling_Enabled": to("ftl.wear.dynamic", lambda given: given.switch()),
    "PCIe_Lane_Count": to("host.link.lanes", count),
    "PCIe_Lane_Bandwidth": to("host.link.lane_rate", lambda given: f"{given.number(0.000001):g} GT/s"),
    "Seed": to("seed", lambda given: given.whole(0)),
}
"""Keys that mean the same here."""

NEARLY: dict[str, tuple[Callable[[Given, Mapping[str, Given]], Ours], str]] = {
    "Channel_Transfer_Rate": (
        lambda given, _: [("channel.rate", f"{1000 / max(int(1000 / given.number(1, 1000)), 1):.9g} MT/s")],
        "a transfer takes whole nanoseconds, as there",
    ),
    "GC_Hard_Threshold": (
        _hard,
        "a block more, as agreed best with their runs; says nothing unless GC is preemptible",
    ),
    "GC_Block_Selection_Policy": (
        _victim,
        "what it draws may be open or empty blocks there; here it is among full ones",
    ),
    "Caching_Mechanism": (
        _cache,
        (
            "pages are programmed at once here, there when their room is needed: more programs wait here, so "
            "that planes work together more often, and writes in a closed loop are faster; no read cache"
        ),
    ),
    "Static_Wearleveling_Enabled": (
        _static,
        "theirs compares a victim with the coldest block at each collection",
    ),
    "Enabled_Preconditioning": (
        _warm_up,
        "theirs draws a state from a model; here the load itself is played until write amplification is flat",
    ),
}
"""Keys that mean nearly the same, and what differs."""

AS_THERE = {
    "GC_Block_Selection_Policy": ("GREEDY", "RANDOM_P", "FIFO"),
    "Static_Wearleveling_Enabled": ("FALSE",),
    "Enabled_Preconditioning": ("FALSE",),
}
"""Of these the values that mean the same."""

WITH_OTHERS = {
    "Page_Read_Latency_CSB": "Page_Read_Latency_LSB",
    "Page_Read_Latency_MSB": "Page_Read_Latency_LSB",
    "Page_Program_Latency_CSB": "Page_Program_Latency_LSB",
    "Page_Program_Latency_MSB": "Page_Program_Latency_LSB",
    "Static_Wearleveling_Threshold": "Static_Wearleveling_Enabled",
    "Data_Cache_Capacity": "Caching_Mechanism",
}
"""Keys that are a part of what another becomes."""

_DRAM = "time in DRAM is not counted: latencies are shorter here by that"
_SUSPENSION = "with CMD_Suspension_Support"
_LOGGING = "all responses are measured"
LEFT_OUT = {
    "HostInterface_Type": "SATA has no model here: latencies are shorter here by the delay of each request",
    "SATA_Processing_Delay": "SATA has no model here: latencies are shorter here by it",
    "IO_Queue_Depth": "no limit here: with more requests than that waiting, latencies are longer here",
    "Queue_Fetch_Size": "no limit here: with as many requests waiting, the order of flows differs",
    "Data_Cache_Sharing_Mode": "one buffer for all flows",
    "Data_Cache_DRAM_Row_Size": _DRAM,
    "Data_Cache_DRAM_Data_Rate": _DRAM,
    "Data_Cache_DRAM_Data_Busrt_Size": _DRAM,
    "Data_Cache_DRAM_tRCD": _DRAM,
    "Data_Cache_DRAM_tCL": _DRAM,
    "Data_Cache_DRAM_tRP": _DRAM,
    "Address_Mapping": "page mapping only: a hybrid one writes more",
    "Ideal_Mapping_Table": (
        "the whole table is in memory: where theirs misses, reads take longer there and more is written"
    ),
    "CMT_Capacity": "with Ideal_Mapping_Table",
    "CMT_Sharing_Mode": "with Ideal_Mapping_Table",
    "Transaction_Scheduling_Policy": "reads, then programs, then erases; no priorities of flows, no fairness",
    "CMD_Suspension_Support": (
        "theirs goes by how long an operation still takes, ours by how often it was suspended: without "
        "flash.suspend, reads behind an erase or a program wait longer here"
    ),
    "Preferred_suspend_erase_time_for_read": _SUSPENSION,
    "Preferred_suspend_erase_time_for_write": _SUSPENSION,
    "Preferred_suspend_write_time_for_read": _SUSPENSION,
    "Suspend_Erase_Time": _SUSPENSION,
    "Suspend_Program_Time": _SUSPENSION,
    "Block_PE_Cycles_Limit": "blocks do not fail",
    "Enable_ResponseTime_Logging": _LOGGING,
    "ResponseTime_Logging_Period_Length": _LOGGING,
    "Memory_Type": "flash is the only one",
    "Flash_Comm_Protocol": f"NV-DDR2 is the only one; {BASE} has its times",
    "Page_Metadat_Capacity": "crosses no channel there, either",
}
"""Keys that have no counterpart, and which way that errs."""
OF_SATA = ("HostInterface_Type", "SATA_Processing_Delay")
ALWAYS_NOTHING = (
    *("Enable_ResponseTime_Logging", "ResponseTime_Logging_Period_Length", "Memory_Type"),
    *("Flash_Comm_Protocol", "Page_Metadat_Capacity"),
)

NEEDED = (
    *("Flash_Technology", "Block_No_Per_Plane", "Page_No_Per_Block"),
    *(f"Page_{what}_Latency_{level}" for what in ("Read", "Program") for level in ("LSB", "CSB", "MSB")),
)


def read_configuration(file: Path) -> Imported:
    """Read an ssdconfig.xml.

    Raises:
        InputError: if it is none, or a value cannot be, with the line.
    """
    top = read_xml(file)
    if top.name != CONFIGURATION:
        raise InputError(
            f"{file}:{top.line}: <{top.name}> is no configuration of MQSim, which is <{CONFIGURATION}>"
        )
    return KEYS.imported(_keys(top, file), file)


def _keys(element: Element, file: Path) -> Iterable[Given]:
    for each in element.inside:
        if each.inside:
            yield from _keys(each, file)
        else:
            yield Given(file, each.line, each.name, each.text.strip())


def _says_nothing(key: str, every: Mapping[str, Given]) -> bool:
    """Whether a key that we leave out has no effect there, beside the others."""

    def is_(name: str, value: str) -> bool:
        return name in every and every[name].value.upper() == value

    return (
        key in ALWAYS_NOTHING
        or (key in OF_SATA and is_("HostInterface_Type", "NVME"))
        or (key == "Address_Mapping" and is_(key, "PAGE_LEVEL"))
        or (LEFT_OUT[key] == _SUSPENSION and is_("CMD_Suspension_Support", "NONE"))
        or (key == "CMD_Suspension_Support" and is_(key, "NONE"))
        or ((key == "Ideal_Mapping_Table" or key.startswith("CMT_")) and is_("Ideal_Mapping_Table", "TRUE"))
    )


KEYS = Keys(
    "MQSim", BASE, SAME, NEARLY, LEFT_OUT, WITH_OTHERS, AS_THERE, says_nothing=_says_nothing, needed=NEEDED
)


def read_workload(file: Path, user_bytes: int, requests: int) -> list[ImportedLoad]:
    """Read a workload.xml: a load for each scenario.

    Args:
        file: is read.
        user_bytes: what the host can address of the drive; flows of a scenario have equal parts of it.
        requests: how many a scenario has whose flows end at a time and keep a number of requests waiting.

    Raises:
        InputError: if it is none, or a value cannot be, with the line.
    """
    top = read_xml(file)
    if top.name != SCENARIOS:
        raise InputError(f"{file}:{top.line}: <{top.name}> is no workload of MQSim, which is <{SCENARIOS}>")
    scenarios = [each for each in top.inside if each.name == "IO_Scenario"]
    if not scenarios:
        raise InputError(f"{file}:{top.line}: has no <IO_Scenario>")
    return [
        load
        for number, each in enumerate(scenarios, 1)
        for load in _scenario(each, file, f"scenario-{number}", user_bytes, requests)
    ]


def _scenario(scenario: Element, file: Path, name: str, user_bytes: int, requests: int) -> list[ImportedLoad]:
    loads: list[ImportedLoad] = []
    flows: list[_Flow] = []
    count = len(scenario.inside)
    if count == 0:
        raise InputError(f"{file}:{scenario.line}: <IO_Scenario> has no flow")
    for number, each in enumerate(scenario.inside):
        every = {key.key: key for key in _keys(each, file)}
        if each.name == TRACE:
            loads.append(_of_trace(each, every, file, f"{name}-flow-{number + 1}"))
        elif each.name == SYNTHETIC:
            part = user_bytes // count // SECTOR_BYTES * SECTOR_BYTES
            flows.append(_Flow(each, every, file, number * part, part))
        else:
            raise InputError(
                f"{file}:{each.line}: <{each.name}> is no flow; they are <{SYNTHETIC}> and <{TRACE}>"
            )
    if flows:
        loads.insert(0, _of_flows(flows, name, requests))
    return loads


def _of_trace(flow: Element, every: Mapping[str, Given], file: Path, name: str) -> ImportedLoad:
    path = _needed(every, "File_Path", flow, file)
    # Theirs does not look at the number of the device.
    arguments = ["--format", "mqsim", "--trace-device", "all"]
    units = {"PICOSECOND": "ps", "NANOSECOND": "ns", "MICROSECOND": "us"}
    if (unit := every.get("Time_Unit")) is not None:
        arguments += ["--time-unit", str(unit.one_of(units))]
    if (plays := every.get("Relay_Count")) is not None and plays.whole(1) > 1:
        arguments += ["--plays", str(plays.whole(1))]
    share = every.get("Percentage_To_Be_Executed")
    notes = [_UNWRITTEN]
    if share is not None and share.number(0, 100) < 100:
        notes.append(f"{share.value} % of it are played there, all of it here")
    return ImportedLoad(name, None, tuple(arguments), path.value, tuple(notes))


def _needed(every: Mapping[str, Given], key: str, flow: Element, file: Path) -> Given:
    if key not in every:
        raise InputError(f"{file}:{flow.line}: <{flow.name}> lacks {key}")
    return every[key]


_UNWRITTEN = "reads of pages never written cost nothing here, and a read of flash there: see --warmup filled"


class _Flow:
    """A flow of generated requests."""

    def __init__(self, flow: Element, every: Mapping[str, Given], file: Path, begin: int, room: int) -> None:
        def key(name: str) -> Given:
            return _needed(every, name, flow, file)

        self.reads = key("Read_Percentage").number(0, 100) / 100
        self.size = key("Average_Request_Size").whole(1) * SECTOR_BYTES
        self.align = SECTOR_BYTES
        if key("Generated_Aligned_Addresses").switch():
            self.align *= key("Address_Alignment_Unit").whole(1)
        self.seed = key("Seed").whole(0)
        working = key("Working_Set_Percentage").whole(0)
        share = working / 100 if 1 <= working <= 100 else 1.0
        self.begin = -(-begin // self.align) * self.align
        self.room = int((room - self.begin + begin) * share)
        self.room -= self.room % max(self.align, self.size)
        if self.room == 0:
            raise key("Working_Set_Percentage").wrong("has no room for a request")
        self.address = key("Address_Distribution").one_of(
            {"STREAMING": "streaming", "RANDOM_UNIFORM": "uniform", "RANDOM_HOTCOLD": "hot-cold"}
        )
        self.hot = 0.0
        if self.address == "hot-cold":
            self.hot = key("Percentage_of_Hot_Region").number(1, 99) / 100
        self.ends_ns = key("Stop_Time").whole(0)
        self.most = key("Total_Requests_To_Generate").whole(0)
        kind = key("Synthetic_Generator_Type").one_of({"QUEUE_DEPTH": "depth", "BANDWIDTH": "rate"})
        self.depth = key("Average_No_of_Reqs_in_Queue").whole(1) if kind == "depth" else 0
        self.interval_ns = 0.0
        if kind == "rate":
            rate = key("Bandwidth")
            per_second = rate.whole(1) // SECTOR_BYTES / (self.size / SECTOR_BYTES)
            if per_second == 0:
                raise rate.wrong("is less than a sector a second")
            self.interval_ns = 1e9 / per_second
        cached = every.get("Device_Level_Data_Caching_Mode")
        self.writes_are_cached = cached is None or cached.value.upper() in ("WRITE_CACHE", "WRITE_READ_CACHE")
        self.spreads = key("Request_Size_Distribution").one_of({"FIXED": False, "NORMAL": True})
        self.line = flow.line
        self.file = file

    def pattern(self) -> dict[str, Any]:
        """Where its requests go."""
        place = {"footprint": f"{self.room}B", "offset": f"{self.begin}B", "align": f"{self.align}B"}
        if self.address == "uniform":
            return {"kind": "uniform", **place}
        if self.address == "streaming":
            return {"kind": "streams", "streams": 1, **place}
        zones = [{"space": self.hot, "access": 1 - self.hot}, {"space": 1 - self.hot, "access": self.hot}]
        return {"kind": "hot-cold", "zones": zones, **place}

    def weight(self) -> float:
        """Its share of all requests: by rate, or by how many wait."""
        return self.depth or 1e9 / self.interval_ns

    def count(self) -> int | None:
        """How many requests it has; None where that follows from the run."""
        if self.ends_ns == 0:
            return self.most
        return None if self.depth else int(self.ends_ns / self.interval_ns)


def _of_flows(flows: list[_Flow], name: str, requests: int) -> ImportedLoad:
    first = flows[0]
    if len({flow.depth > 0 for flow in flows}) > 1:
        raise InputError(
            f"{first.file}:{first.line}: flows of a scenario must all have a queue depth, or all a bandwidth"
        )
    weights = [flow.weight() for flow in flows]
    total = sum(weights)
    counts = [flow.count() for flow in flows]
    known = [each for each in counts if each is not None]
    reads = sum(flow.reads * weight for flow, weight in zip(flows, weights, strict=True)) / total

    def of(share: Callable[[_Flow], float]) -> dict[str, Any]:
        parts = [
            (flow, share(flow) * weight)
            for flow, weight in zip(flows, weights, strict=True)
            if share(flow) > 0
        ]
        address = parts[0][0].pattern()
        if len(parts) > 1:
            address = {
                "kind": "mixed",
                "parts": [{"weight": each / total, "address": flow.pattern()} for flow, each in parts],
            }
        sizes: dict[int, float] = {}
        for flow, each in parts:
            sizes[flow.size] = sizes.get(flow.size, 0) + each / total
        listed = [[f"{size}B", weight] for size, weight in sizes.items()]
        return {"size": listed if len(listed) > 1 else listed[0][0], "address": address}

    description: dict[str, Any] = {
        "requests": sum(known) if len(known) == len(counts) else requests,
        "seed": first.seed,
        "operations": {"write": round(1 - reads, 9)},
    }
    if reads < 1:
        description["write"] = of(lambda flow: 1 - flow.reads)
    if reads > 0:
        description["read"] = of(lambda flow: flow.reads)
    arguments: tuple[str, ...] = ()
    if first.depth:
        arguments = ("--mode", "closed-loop", "--queue-depth", str(sum(flow.depth for flow in flows)))
        description["arrivals"] = {"kind": "closed-loop"}
    else:
        interval = 1 / sum(1 / flow.interval_ns for flow in flows)
        description["arrivals"] = {"kind": "poisson", "interval": f"{interval:.0f}ns"}
    if not any(flow.writes_are_cached for flow in flows):
        arguments += (
            "--set",
            "controller.acknowledge=programmed",
            "--set",
            "controller.merge_overwrites=false",
        )
    if reads == 1:
        # Of pages that were never written theirs reads flash, too.
        arguments += ("--warmup", "filled")
    return ImportedLoad(name, description, arguments, notes=tuple(_notes(flows, reads)))


def _notes(flows: list[_Flow], reads: float) -> Iterable[str]:
    """What of generated flows is not as there."""
    if len(flows) > 1:
        yield "flows are one line of requests here, in which each has its share"
    if len({flow.size for flow in flows}) > 1:
        yield "sizes are drawn for all flows together"
    if any(flow.spreads for flow in flows):
        yield "sizes are all of the mean"
    if any(flow.depth and flow.ends_ns for flow in flows):
        yield "they end at a time there, here after --requests"
    if 0 < reads < 1:
        yield _UNWRITTEN
    if len({flow.writes_are_cached for flow in flows}) > 1:
        yield "writes of all flows are buffered"
