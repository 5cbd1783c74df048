"""Configurations of other simulators, in files of ours that have their shape."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import reclaim
from conftest import Command, parsed, refusal
from reclaim.importing import Match
from reclaim.importing.mqsim import read_configuration, read_workload
from reclaim.importing.xml import read_xml

DRIVE = {
    "Seed": 7,
    "Enabled_Preconditioning": "false",
    "HostInterface_Type": "NVME",
    "Caching_Mechanism": "ADVANCED",
    "Data_Cache_Capacity": 1 << 20,
    "Ideal_Mapping_Table": "false",
    "CMT_Capacity": 4096,
    "Plane_Allocation_Scheme": "WCDP",
    "Overprovisioning_Ratio": 0.15,
    "GC_Exec_Threshold": 0.1,
    "GC_Hard_Threshold": 0.02,
    "GC_Block_Selection_Policy": "RGA",
    "Use_Copyback_for_GC": "false",
    "Preemptible_GC_Enabled": "true",
    "Dynamic_Wearleveling_Enabled": "true",
    "Static_Wearleveling_Enabled": "true",
    "Static_Wearleveling_Threshold": 40,
    "Flash_Channel_Count": 2,
    "Flash_Channel_Width": 1,
    "Channel_Transfer_Rate": 400,
    "Chip_No_Per_Channel": 2,
    "Flash_Comm_Protocol": "NVDDR2",
}
FLASH = {
    "Flash_Technology": "TLC",
    "CMD_Suspension_Support": "NONE",
    "Page_Read_Latency_LSB": 60000,
    "Page_Read_Latency_CSB": 70000,
    "Page_Read_Latency_MSB": 80000,
    "Page_Program_Latency_LSB": 500000,
    "Page_Program_Latency_CSB": 500000,
    "Page_Program_Latency_MSB": 500000,
    "Block_Erase_Latency": 3000000,
    "Suspend_Erase_Time": 700000,
    "Die_No_Per_Chip": 1,
    "Plane_No_Per_Die": 2,
    "Block_No_Per_Plane": 200,
    "Page_No_Per_Block": 64,
    "Page_Capacity": 8192,
}
FLOW = {
    "Device_Level_Data_Caching_Mode": "WRITE_CACHE",
    "Working_Set_Percentage": 50,
    "Synthetic_Generator_Type": "QUEUE_DEPTH",
    "Read_Percentage": 25,
    "Address_Distribution": "RANDOM_UNIFORM",
    "Percentage_of_Hot_Region": 20,
    "Generated_Aligned_Addresses": "true",
    "Address_Alignment_Unit": 16,
    "Request_Size_Distribution": "FIXED",
    "Average_Request_Size": 16,
    "Seed": 5,
    "Average_No_of_Reqs_in_Queue": 3,
    "Bandwidth": 8192000,
    "Stop_Time": 0,
    "Total_Requests_To_Generate": 400,
}


def keys(of: dict[str, Any]) -> str:
    return "\n".join(f"<{key}>{value}</{key}>" for key, value in of.items())


def configuration(
    folder: Path, more: dict[str, Any] | None = None, flash: dict[str, Any] | None = None
) -> Path:
    file = folder / "ssd.xml"
    chips = f"<Flash_Parameter_Set>\n{keys(FLASH | (flash or {}))}\n</Flash_Parameter_Set>"
    file.write_text(
        "<Execution_Parameter_Set>\n<Host_Parameter_Set>\n<PCIe_Lane_Count>4</PCIe_Lane_Count>\n</Host_Parameter_Set>\n"
        f"<Device_Parameter_Set>\n{keys(DRIVE | (more or {}))}\n{chips}\n"
        "</Device_Parameter_Set>\n</Execution_Parameter_Set>\n"
    )
    return file


def workload(folder: Path, *flows: dict[str, Any]) -> Path:
    file = folder / "load.xml"
    text = "".join(
        f"<{name}>\n{keys(flow)}\n</{name}>\n"
        for flow in flows
        for name in [f"IO_Flow_Parameter_Set_{'Trace_Based' if 'File_Path' in flow else 'Synthetic'}"]
    )
    file.write_text(f"<MQSim_IO_Scenarios>\n<IO_Scenario>\n{text}</IO_Scenario>\n</MQSim_IO_Scenarios>\n")
    return file


def settings(file: Path) -> dict[str, Any]:
    return {key: value for key, value, _ in read_configuration(file).settings()}


def test_every_key_of_a_drive_becomes_something(tmp_path: Path) -> None:
    made = read_configuration(configuration(tmp_path))
    assert settings(configuration(tmp_path)) == {
        "host.link.lanes": 4,
        "seed": 7,
        "warmup.kind": "empty",
        "controller.write_buffer": "1048576B",
        "controller.acknowledge": "staged",
        "controller.merge_overwrites": True,
        "ftl.allocation.kind": "striping",
        "ftl.allocation.order": "WCDP",
        "geometry.spare_factor": "15%",
        "gc.trigger.start": "20 blocks",
        "gc.trigger.hard": "5 blocks",
        "gc.victim.kind": "d-choices",
        "gc.victim.d": 7,
        "gc.relocation.kind": "controller",
        "scheduler.gc_first": "urgent",
        "ftl.wear.dynamic": True,
        "ftl.wear.static_threshold": 40,
        "geometry.channels": 2,
        "channel.width_bits": 8,
        "channel.rate": "500 MT/s",
        "geometry.chips_per_channel": 2,
        "flash.cell": "TLC",
        "flash.t_read": ["60020ns", "70020ns", "80020ns"],
        "flash.t_program": "500000ns",
        "flash.t_erase": "3000000ns",
        "geometry.dies_per_chip": 1,
        "geometry.planes_per_die": 2,
        "geometry.blocks_per_plane": 200,
        "geometry.pages_per_block": 64,
        "geometry.page_size": "8192B",
    }
    how = {each.key: each.how for each in made.mapped}
    assert len(how) == 1 + len(DRIVE) + len(FLASH)
    assert [key for key in how if how[key] is Match.left_out] == ["Ideal_Mapping_Table", "CMT_Capacity"]
    nothing = ["HostInterface_Type", "Flash_Comm_Protocol", "CMD_Suspension_Support", "Suspend_Erase_Time"]
    assert [key for key in how if how[key] is Match.nothing] == nothing
    assert all(each.why for each in made.mapped if each.how is not Match.same)


@pytest.mark.parametrize(
    ("more", "key", "expected"),
    [
        ({"GC_Exec_Threshold": 0.01}, "gc.trigger.start", "10 blocks"),
        ({"GC_Hard_Threshold": 0.001}, "gc.trigger.hard", "2 blocks"),
        ({"GC_Block_Selection_Policy": "GREEDY"}, "gc.victim.ties", "lowest-number"),
        ({"GC_Block_Selection_Policy": "FIFO"}, "gc.victim.kind", "fifo"),
        ({"Preemptible_GC_Enabled": "false"}, "scheduler.gc_first", "always"),
        ({"Use_Copyback_for_GC": "true"}, "gc.relocation.kind", "copyback"),
        ({"Channel_Transfer_Rate": 333}, "channel.rate", "333.333333 MT/s"),
        ({"Enabled_Preconditioning": "true"}, "warmup.kind", "workload"),
    ],
)
def test_values_of_theirs(tmp_path: Path, more: dict[str, Any], key: str, expected: Any) -> None:
    assert settings(configuration(tmp_path, more))[key] == expected


def test_times_of_levels_are_those_that_the_cell_has(tmp_path: Path) -> None:
    mlc = settings(configuration(tmp_path, flash={"Flash_Technology": "MLC"}))
    assert mlc["flash.t_read"] == ["60020ns", "80020ns"]
    slc = settings(configuration(tmp_path, flash={"Flash_Technology": "SLC"}))
    assert slc["flash.t_read"] == "60020ns"


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"GC_Block_Selection_Policy": "BEST"}, r"ssd.xml:\d+: .*'BEST': unknown; valid: GREEDY, RGA"),
        ({"Flash_Channel_Count": "two"}, r"ssd.xml:\d+: Flash_Channel_Count = 'two': must be a whole number"),
        ({"Overprovisioning_Ratio": 7}, "must be from 0 to 1"),
        ({"Use_Copyback_for_GC": "maybe"}, "unknown; valid: TRUE, FALSE"),
    ],
)
def test_what_cannot_be_is_refused_with_its_line(tmp_path: Path, more: dict[str, Any], says: str) -> None:
    with pytest.raises(reclaim.InputError, match=says):
        read_configuration(configuration(tmp_path, more))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("<a><b></a>", r"ssd.xml:1: is no XML: mismatched tag"),
        ("", "is no XML: no element found"),
        ("<MQSim_IO_Scenarios/>", "<MQSim_IO_Scenarios> is no configuration of MQSim"),
        ("<Execution_Parameter_Set/>", "lacks Flash_Technology"),
        ('<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', "declares entities"),
        ("<a>" * 40 + "</a>" * 40, "lies deeper"),
        ('<?xml version="1.0" encoding="none"?><a/>', "is no XML"),
    ],
)
def test_files_that_are_none_are_refused(tmp_path: Path, text: str, says: str) -> None:
    file = tmp_path / "ssd.xml"
    file.write_text(text)
    with pytest.raises(reclaim.InputError, match=says):
        read_configuration(file)
    with pytest.raises(reclaim.InputError, match="not a regular file"):
        read_xml(tmp_path)


def test_a_flow_becomes_a_description(tmp_path: Path) -> None:
    (load,) = read_workload(workload(tmp_path, FLOW), 1 << 30, 99)
    assert load.arguments == ("--mode", "closed-loop", "--queue-depth", "3")
    assert load.description is not None
    summary = reclaim.generate_trace(**load.description).summary()
    assert (summary["requests"], summary["writes"], summary["reads"]) == (400, 300, 100)
    assert summary["max_end_bytes"] <= 1 << 29
    assert summary["write_bytes"] == 300 * 8192


def test_a_hot_region_has_most_requests(tmp_path: Path) -> None:
    hot = FLOW | {"Address_Distribution": "RANDOM_HOTCOLD", "Read_Percentage": 0}
    (load,) = read_workload(workload(tmp_path, hot), 1 << 30, 99)
    assert load.description is not None
    trace = reclaim.generate_trace(**load.description)
    trace.convert(tmp_path / "rows.csv")
    lines = (tmp_path / "rows.csv").read_text().splitlines()
    at = lines[0].split(",").index("offset_bytes")
    hot_ones = [line for line in lines[1:] if int(line.split(",")[at]) < 0.2 * (1 << 29)]
    assert 0.75 < len(hot_ones) / 400 < 0.85


def test_flows_of_a_rate_have_a_clock_and_a_place_each(tmp_path: Path) -> None:
    rate = FLOW | {"Synthetic_Generator_Type": "BANDWIDTH", "Read_Percentage": 0}
    twice = rate | {"Bandwidth": 16384000, "Address_Distribution": "STREAMING"}
    (load,) = read_workload(workload(tmp_path, rate, twice), 1 << 30, 99)
    assert load.arguments == ()
    assert load.description is not None
    assert load.description["requests"] == 800
    assert load.description["arrivals"] == {"kind": "poisson", "interval": "333333ns"}
    first, second = load.description["write"]["address"]["parts"]
    assert (round(first["weight"], 3), round(second["weight"], 3)) == (0.333, 0.667)
    assert (first["address"]["offset"], second["address"]["offset"]) == ("0B", f"{1 << 29}B")
    assert reclaim.generate_trace(**load.description).summary()["writes"] == 800
    timed = rate | {"Stop_Time": 5_000_000_000}
    (load,) = read_workload(workload(tmp_path, timed), 1 << 30, 99)
    assert load.description is not None
    assert load.description["requests"] == 5000


def test_flows_stay_in_their_parts_of_the_drive(tmp_path: Path) -> None:
    whole = FLOW | {"Working_Set_Percentage": 100, "Read_Percentage": 0}
    (load,) = read_workload(workload(tmp_path, whole, whole, whole), 1_000_003 * 512, 99)
    assert load.description is not None
    parts = [each["address"] for each in load.description["write"]["address"]["parts"]]
    begins = [int(each["offset"][:-1]) for each in parts]
    ends = [begin + int(each["footprint"][:-1]) for begin, each in zip(begins, parts, strict=True)]
    assert all(begin % 8192 == 0 for begin in begins)
    assert all(end <= part * 333_334 * 512 for part, end in enumerate(ends, 1))
    assert reclaim.generate_trace(**load.description).summary()["max_end_bytes"] <= 1_000_003 * 512


def test_what_a_flow_says_of_the_drive_goes_with_the_run(tmp_path: Path) -> None:
    reads = FLOW | {
        "Read_Percentage": 100,
        "Stop_Time": 10**9,
        "Device_Level_Data_Caching_Mode": "TURNED_OFF",
    }
    (load,) = read_workload(workload(tmp_path, reads), 1 << 30, 99)
    assert load.description is not None
    assert load.description["requests"] == 99
    assert load.arguments[-2:] == ("--warmup", "filled")
    assert "controller.acknowledge=programmed" in load.arguments


def test_a_flow_of_a_file_is_played_from_it(tmp_path: Path) -> None:
    flow = {
        "File_Path": "a.trace",
        "Time_Unit": "MICROSECOND",
        "Relay_Count": 3,
        "Percentage_To_Be_Executed": 50,
    }
    (load,) = read_workload(workload(tmp_path, flow), 1 << 30, 99)
    assert (load.trace, load.description) == ("a.trace", None)
    assert load.arguments == (
        *("--format", "mqsim", "--trace-device", "all"),
        *("--time-unit", "us", "--plays", "3"),
    )
    assert load.notes[1:] == ("50 % of it are played there, all of it here",)


@pytest.mark.parametrize(
    ("flows", "says"),
    [
        (
            [FLOW, FLOW | {"Synthetic_Generator_Type": "BANDWIDTH"}],
            "all have a queue depth, or all a bandwidth",
        ),
        ([{key: value for key, value in FLOW.items() if key != "Seed"}], "lacks Seed"),
        ([FLOW | {"Bandwidth": 1, "Synthetic_Generator_Type": "BANDWIDTH"}], "less than a sector a second"),
        ([FLOW | {"Address_Distribution": "NOWHERE"}], "valid: STREAMING, RANDOM_UNIFORM, RANDOM_HOTCOLD"),
        ([], "has no flow"),
    ],
)
def test_workloads_that_cannot_be_are_refused(tmp_path: Path, flows: list[dict[str, Any]], says: str) -> None:
    with pytest.raises(reclaim.InputError, match=says):
        read_workload(workload(tmp_path, *flows), 1 << 30, 99)


def test_the_command_writes_what_runs(tmp_path: Path, command: Command) -> None:
    drive, load = configuration(tmp_path), workload(tmp_path, FLOW | {"Read_Percentage": 0})
    out = tmp_path / "out"
    done = command("device", "import", "mqsim", str(drive), str(load), "-o", str(out))
    assert "keys mean the same" in done.stdout
    assert reclaim.Device(str(out / "drive.toml")).config["seed"] == 7
    words = next(line for line in done.stdout.splitlines() if "reclaim run" in line).split()
    assert parsed(command(*words[1:], "--json"))["requests"]["write"]["count"] == 400
    again = ("device", "import", "mqsim", str(drive), "-o", str(out))
    assert "exists" in refusal(command(*again))
    listed = parsed(command(*again, "--force", "--json"))
    assert len(listed["keys"]) == 1 + len(DRIVE) + len(FLASH)
