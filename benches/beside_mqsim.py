"""MQSim and `whole_drive` by turns: `python benches/beside_mqsim.py FOLDER`, the folder of MQSim's source.

MQSim is built by its own makefile in a copy of that folder, and configured as for docs/validation.md. Prints
the processor time of the event loop for each row and turn, then medians and ranges. MQSim tells no times, but
a line for every twentieth of its requests: a loop is taken from the first such line to the last, and scaled
to all requests. As published it loses requests that wait for collection (63 of 3 million writes), and with
them what is in flight, by which it gets quicker (docs/performance.md). A turn of `writes-64g` takes minutes,
most of them MQSim's preparation of its drive; MQSim goes first in each, then the default model, then the
mirror of MQSim's own.
`--also NAME=PROGRAM` takes turns with another build of `whole_drive`, too; `--store` keeps what is found,
which README quotes. Without a folder the stored figures are told, with their date.
"""

import argparse
import datetime as dt
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from pathlib import Path

from run import ROOT, build, measure

STORED = ROOT / "benches" / "turns.json"
# Requests, percentage of reads, and percentage of the drive that is written before.
ROWS = {"writes-64g": (3_000_000, 0, 90), "reads-64g": (1_000_000, 100, 0)}
DRIVE = {
    "Ideal_Mapping_Table": "true",
    "Transaction_Scheduling_Policy": "OUT_OF_ORDER",
    "Overprovisioning_Ratio": "0.125",
    "GC_Block_Selection_Policy": "GREEDY",
    "Flash_Channel_Count": "4",
    "Chip_No_Per_Channel": "8",
    "CMD_Suspension_Support": "NONE",
    "Block_No_Per_Plane": "512",
    "Page_Capacity": "4096",
}
FLOW = {
    "Device_Level_Data_Caching_Mode": "TURNED_OFF",
    "Channel_IDs": "0,1,2,3",
    "Chip_IDs": "0,1,2,3,4,5,6,7",
    "Working_Set_Percentage": "100",
    "Address_Alignment_Unit": "8",
    "Average_No_of_Reqs_in_Queue": "64",
    "Stop_Time": "0",
}
MODELS = {"": "", ", mirror": "-mirror"}
"""What is added to the name of a program, and of a row, for each model of a drive."""


Turns = dict[str, list[float]]


def set_all(root: ET.Element, values: dict[str, str]) -> None:
    """Set the text of the first element of each name."""
    for name, value in values.items():
        found = root.find(f".//{name}")
        if found is None:
            sys.exit(f"MQSim's shipped configuration has no {name}")
        found.text = value


def configured(source: Path, folder: Path, row: str) -> list[str]:
    """Write the files of a row, made of those that MQSim ships; the command that runs it."""
    requests, reads, occupied = ROWS[row]
    drive = ET.parse(source / "ssdconfig.xml")  # noqa: S314  whoever builds it trusts it
    set_all(drive.getroot(), DRIVE | {"Enabled_Preconditioning": str(occupied > 0).lower()})
    work = ET.parse(source / "workload.xml")  # noqa: S314
    scenarios = work.getroot()
    for scenario in scenarios.findall("IO_Scenario")[1:]:
        scenarios.remove(scenario)
    scenario = scenarios[0]
    for flow in scenario[1:]:
        scenario.remove(flow)
    amounts = {"Read_Percentage": reads, "Initial_Occupancy_Percentage": occupied}
    amounts["Total_Requests_To_Generate"] = requests
    set_all(scenario, FLOW | {name: str(amount) for name, amount in amounts.items()})
    files = folder / "drive.xml", folder / f"{row}.xml"
    drive.write(files[0])
    work.write(files[1])
    return [str(folder / "MQSim" / "MQSim"), "-i", str(files[0]), "-w", str(files[1])]


def processor_seconds(pid: int) -> float:
    """Time that a process has had so far, s."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def loop_of_mqsim(command: list[str]) -> float:
    """Processor time of a run's event loop, s."""
    seen: list[tuple[int, float]] = []
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, errors="replace"
    ) as running:
        for line in running.stdout or ():
            if "% progress" in line:
                percent = int(line.rpartition("%")[0].split()[-1])
                seen.append((percent, processor_seconds(running.pid)))
            if "Press any key" in line:
                break
        # It waits for a key.
        running.communicate("")
    if len(seen) < 2:
        sys.exit(f"{' '.join(command)} said nothing of its progress")
    (first, begun), (last, ended) = seen[0], seen[-1]
    return (ended - begun) * 100 / (last - first)


def turns_of(row: str, command: list[str], programs: dict[str, Path], folder: Path, turns: int) -> Turns:
    """Of MQSim and of each program the processor time of a request in each turn, µs; always in this order."""
    names = [name + model for name in programs for model in MODELS]
    times: Turns = {name: [] for name in ("MQSim", *names)}
    for turn in range(turns):
        times["MQSim"].append(loop_of_mqsim(command) * 1e6 / ROWS[row][0])
        for name, program in programs.items():
            for model, ours in MODELS.items():
                found = measure(program, row + ours, folder, counting=False)
                times[name + model].append(1e6 / found["requests_per_s"])
        told = ", ".join(f"{name} {taken[turn]:.3f} µs" for name, taken in times.items())
        print(f"{row} turn {turn + 1}: {told} a request", flush=True)
    return times


def summed_up(times: Turns) -> dict[str, dict[str, list[float]]]:
    """Of each the median, lowest and highest time, µs, and times as fast as MQSim in the same turn."""
    found = {}
    for name, taken in times.items():
        ratios = [theirs / ours for theirs, ours in zip(times["MQSim"], taken, strict=True)]
        found[name] = {
            column: [float(f"{of(values):.4g}") for of in (statistics.median, min, max)]
            for column, values in (("us", taken), ("times", ratios))
        }
    return found


def tell(row: str, found: dict[str, dict[str, list[float]]]) -> None:
    """Print a line for each."""
    for name, columns in found.items():
        (middle, low, high), (times, least, most) = columns["us"], columns["times"]
        print(
            f"{row:12} {name:16} {middle:7.3f} µs a request ({low:.3f} to {high:.3f}), "
            f"{times:.1f} times as fast ({least:.1f} to {most:.1f})"
        )


def program(named: str) -> tuple[str, Path]:
    """The name and the file of `NAME=PROGRAM`."""
    name, _, file = named.partition("=")
    path = Path(file).resolve()
    if not name or name in ("MQSim", "Reclaim") or not path.is_file():
        raise argparse.ArgumentTypeError(f"{named!r}: a name of its own, = and a program are wanted")
    return name, path


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", nargs="?", type=Path, help="the folder of MQSim's source")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--row", action="append", choices=list(ROWS), help="only this row")
    parser.add_argument("--also", action="append", default=[], type=program, metavar="NAME=PROGRAM")
    parser.add_argument("--store", action="store_true", help=f"keep the figures in {STORED.name}")
    given = parser.parse_args()
    if given.turns < 1:
        parser.error("--turns: at least 1")
    if given.source is None and (given.store or given.also):
        parser.error("without MQSim's source nothing is measured")
    return given


def main() -> None:
    """Take turns, and tell."""
    given = arguments()
    stored = json.loads(STORED.read_text(encoding="utf-8"))
    rows = given.row or list(ROWS)
    if given.source is None:
        for row in rows:
            print(f"{row}: measured on {stored[row]['measured']}; MQSIM=FOLDER, MQSim's source, does it anew")
            tell(row, stored[row]["found"])
        return
    programs = {"Reclaim": build(), **dict(given.also)}
    asked = ["git", "-C", str(given.source), "describe", "--always", "--dirty", "--abbrev=7"]
    commit = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        shutil.copytree(given.source, folder / "MQSim", ignore=shutil.ignore_patterns(".git", "build"))
        making = ["make", "--quiet", "-j2", "-C", str(folder / "MQSim")]
        subprocess.run(making, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for row in rows:
            command = configured(given.source, folder, row)
            found = summed_up(turns_of(row, command, programs, folder, given.turns))
            tell(row, found)
            if given.store:
                today = dt.datetime.now(tz=dt.UTC).date().isoformat()
                stored[row] = {"measured": today, "turns": given.turns, "mqsim": commit, "found": found}
                STORED.write_text(json.dumps(stored, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
