"""`reclaim device import`: a drive and its workloads from the configuration of another simulator."""

from __future__ import annotations

from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from reclaim import output_file
from reclaim.cli import options, streams
from reclaim.cli.console import command_line, err, out
from reclaim.cli.device_new import device_text
from reclaim.cli.writing import Force
from reclaim.device import Device
from reclaim.encoding import shell_line
from reclaim.errors import InputError
from reclaim.importing import Imported, ImportedLoad, Mapped, Match
from reclaim.importing.simulators import SIMULATORS
from reclaim.parsing import toml_value
from reclaim.study.sensitivity.small import SettingLine, size_of

SimulatorName = StrEnum("SimulatorName", {each: each for each in SIMULATORS})  # type: ignore[misc]
FILES = ", ".join(each.file for each in SIMULATORS.values())


def import_(
    simulator: Annotated[
        SimulatorName, typer.Argument(metavar="SIMULATOR", help=f"{', '.join(SIMULATORS)}.")
    ],
    configuration: Annotated[Path, typer.Argument(metavar="FILE", help=f"The drive: {FILES}.")],
    workload: Annotated[
        Path | None, typer.Argument(metavar="workload.xml", help="Workloads, of MQSim; none is needed.")
    ] = None,
    capacity: Annotated[
        str | None,
        typer.Option(metavar="SIZE", help="What NVMeVirt gets as memmap_size, as in 60GiB."),
    ] = None,
    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="FOLDER", help="Write drive.toml and the workloads here."),
    ] = Path("imported"),
    requests: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=1,
            help="Requests of a workload that keeps a number of them waiting and ends at a time.",
        ),
    ] = 200_000,
    force: Force = False,
    json: options.Json = False,
) -> None:
    """Write another simulator's drive and workloads as ours, and say what became of every key."""
    of = SIMULATORS[simulator.value]
    for option, given, takes in (
        ("--capacity", capacity, of.takes_capacity),
        (str(workload), workload, of.read_workload is not None),
    ):
        if given is not None and not takes:
            able = ", ".join(
                each.name
                for each in SIMULATORS.values()
                if (each.takes_capacity if option == "--capacity" else each.read_workload)
            )
            raise InputError(f"{option}: says nothing of a drive of {of.name}; it is for {able}")
    made = of.read(configuration, None if capacity is None else size_of("--capacity", capacity))
    settings = list(made.settings())
    texts = {key: value if not isinstance(value, list) else toml_value(value) for key, value, _ in settings}
    try:
        drive = Device(made.base).with_settings({**texts, "name": made.name})
    except InputError as error:
        raise InputError(f"{configuration}: as a drive of ours: {error}") from None
    if workload is not None and of.read_workload is not None:
        made.loads = of.read_workload(workload, int(drive.facts()["user_bytes"]), requests)
    files = _files(made, configuration, of.name)
    for file in files:
        output_file.check(output / file, reading=[configuration], overwrite=force)
    output.mkdir(parents=True, exist_ok=True)
    for file, text in files.items():
        output_file.write_text(output / file, text)
    commands = [_command(output, each, workload) for each in made.loads]
    if json:
        mapped = [asdict(each) for each in made.mapped]
        streams.write_json(
            {"files": [str(output / each) for each in files], "keys": mapped, "commands": commands}
        )
        return
    _say(made, drive, output, commands)


def _files(made: Imported, configuration: Path, simulator: str) -> dict[str, str]:
    """What is written, by name."""
    head = [
        f"The drive of {simulator}'s {configuration.name}. What no key says is that of {made.base}. Made by",
        f"  {command_line()}",
        *(f"nearly: {each.key} = {each.value}: {each.why}" for each in _of(made, Match.nearly)),
        *(f"left out: {each.key} = {each.value}: {each.why}" for each in _of(made, Match.left_out)),
    ]
    lines = [SettingLine(key, value, theirs) for key, value, theirs in made.settings()]
    files = {"drive.toml": device_text(head, made.base, made.name, lines)}
    for load in made.loads:
        if load.description is not None:
            keys = {"generator": 1, **load.description}
            files[f"{load.name}.toml"] = "".join(
                f"{key} = {toml_value(value)}\n" for key, value in keys.items()
            )
    return files


def _of(made: Imported, how: Match) -> list[Mapped]:
    return [each for each in made.mapped if each.how is how]


def _command(folder: Path, load: ImportedLoad, workload: Path | None) -> str:
    """How to run a workload on the drive."""
    trace = load.trace
    if load.description is not None:
        trace = str(folder / f"{load.name}.toml")
    elif workload is not None and not Path(trace).is_absolute():
        trace = str(workload.parent / trace)
    return shell_line(["reclaim", "run", trace, "-d", str(folder / "drive.toml"), *load.arguments])


def _say(made: Imported, drive: Device, folder: Path, commands: list[str]) -> None:
    expected = drive.facts()["light_load"]["write_amplification"]
    out.print(
        f"{made.count(Match.same)} of {len(made.mapped)} keys mean the same, {made.count(Match.nearly)} "
        f"nearly; {made.count(Match.left_out)} are left out, "
        f"{made.count(Match.nothing)} say nothing of the drive."
    )
    for how, heading in ((Match.nearly, "Nearly the same"), (Match.left_out, "Left out")):
        if made.count(how):
            out.print(f"{heading}:", style="bold")
        for each in _of(made, how):
            out.print(f"  {each.key} = {each.value}: {each.why}")
    # Of some drives, as of those with superblocks, no closed form knows it.
    if expected is not None:
        out.print(
            f"Random overwrites of the drive: write amplification about {expected:.3g} (reclaim device check)"
        )
    if not made.loads:
        out.print(
            f"Run a trace on it: {shell_line(['reclaim', 'run', 'TRACE', '-d', str(folder / 'drive.toml')])}"
        )
    for load, command in zip(made.loads, commands, strict=True):
        out.print(f"\n{load.name}:", style="bold")
        out.print(f"  {command}")
        for note in load.notes:
            out.print(f"  {note}")
    err.print(f"written to {folder}")
