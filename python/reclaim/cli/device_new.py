"""`reclaim device new` and `scale`: device files from a few words, and small ones of large drives."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Literal

import typer

from reclaim import output_file
from reclaim.cli import options, streams
from reclaim.cli.console import command_line, err
from reclaim.cli.progress import busy
from reclaim.cli.writing import Force
from reclaim.device import Device
from reclaim.errors import InputError
from reclaim.parsing import toml_value
from reclaim.study.sensitivity.scaling import compare
from reclaim.study.sensitivity.small import (
    FEWEST_BLOCKS,
    SettingLine,
    made_small,
    page_bytes,
    raw_bytes,
    size_of,
    trigger,
    values,
)
from reclaim.units import written

TIMES_OF = {"slc": "small", "mlc": "gc-bypass", "tlc": "tlc", "qlc": "intel-p4320"}
"""The drive that has usual times for such cells; that of QLC is a product's, with one time for all pages."""
MOST_BLOCKS, LARGEST_BLOCK_BYTES = 2000, 16 << 20
"""Of a plane, and of a block: flash of large drives has larger blocks, not more of them."""

Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="FILE.toml", help="Write the device file here, not to stdout."),
]


def device_text(head: Iterable[str], base: str, name: str, lines: Iterable[SettingLine]) -> str:
    """Write a device file: a comment, the drive that it starts from, and settings by section."""
    text = "".join(f"# {each}\n" for each in head)
    text += f"base = {toml_value(base)}\nname = {toml_value(name)}\n"
    sections: dict[str, list[SettingLine]] = {}
    for line in lines:
        sections.setdefault(line.key.rpartition(".")[0], []).append(line)
    # Keys of no section stand before all sections.
    for section, members in sorted(sections.items(), key=lambda each: bool(each[0])):
        text += f"\n[{section}]\n" if section else ""
        written_out = [f"{each.key.rpartition('.')[2]} = {toml_value(each.value)}" for each in members]
        width = max(map(len, written_out))
        for each, line in zip(written_out, members, strict=True):
            text += f"{each:{width}}   # {line.why}\n"
    return text


def _spare_factor(drive: Device) -> float:
    return float(drive.facts()["spare_factor"])


def new(
    capacity: Annotated[
        str, typer.Option("--capacity", metavar="SIZE", help="What the host can use, as in 1TB or 512GiB.")
    ],
    cell: Annotated[
        Literal["slc", "mlc", "tlc", "qlc"] | None,
        typer.Option(help="Bits of a cell; sets times unless --like is given."),
    ] = None,
    like: Annotated[
        str | None,
        typer.Option(metavar="NAME|FILE.toml", help="The drive that all else is taken from, times included."),
    ] = None,
    channels: Annotated[int | None, typer.Option(metavar="N", min=1, help="Channels.")] = None,
    chips: Annotated[int | None, typer.Option(metavar="N", min=1, help="Chips on each channel.")] = None,
    name: Annotated[str | None, typer.Option(help="What results call it.")] = None,
    output: Output = None,
    force: Force = False,
    json: options.Json = False,
) -> None:
    """Write a device file for a drive of some capacity, with a comment beside every setting."""
    if like is None and cell is None:
        raise InputError("say what flash it has: --cell tlc, or --like NAME for the times of another drive")
    source = like or TIMES_OF[cell or "tlc"]
    base = Device(source)
    user = size_of("--capacity", capacity)
    whose = "given" if like is not None else f"usual for {str(cell).upper()}"
    lines: list[SettingLine] = []
    if channels is not None:
        lines.append(
            SettingLine(
                "geometry.channels", channels, f"given; {base.config['geometry']['channels']} in {source}"
            )
        )
    if chips is not None:
        was = base.config["geometry"]["chips_per_channel"]
        lines.append(SettingLine("geometry.chips_per_channel", chips, f"given; {was} in {source}"))
    geometry = {**base.config["geometry"], **{each.key.rpartition(".")[2]: each.value for each in lines}}
    spare = _spare_factor(base)
    page, pages = page_bytes(base), int(geometry["pages_per_block"])

    def blocks_of(pages: int) -> int:
        return math.ceil(user / (1 - spare) / raw_bytes({**geometry, "pages_per_block": pages}, page))

    larger = pages
    # Products are modelled with small blocks, whose erases are as much shorter.
    is_enlarged = like is None and cell != "qlc"
    while is_enlarged and blocks_of(larger) > MOST_BLOCKS and 2 * larger * page <= LARGEST_BLOCK_BYTES:
        larger *= 2
    blocks = blocks_of(larger)
    if blocks < FEWEST_BLOCKS:
        raise InputError(
            f"--capacity {capacity}: is {blocks} blocks in every plane of {source}, and a plane needs "
            f"{FEWEST_BLOCKS}; give fewer --channels or --chips, or a larger capacity"
        )
    if larger != pages:
        size = written(larger * page, "bytes")
        why = f"{pages} in {source}; blocks of {size}, as large drives have larger ones"
        lines.append(SettingLine("geometry.pages_per_block", larger, why))
    lines += [
        SettingLine(
            "geometry.blocks_per_plane", blocks, f"as many as give the capacity with {spare:.1%} spare"
        ),
        SettingLine("geometry.user_capacity", capacity, "given"),
    ]
    if cell is not None:
        times = f"the times are those of {source}"
        lines.append(SettingLine("flash.cell", cell.upper(), f"given; {times}"))
    lines += trigger(base, blocks)
    called = name or (output.stem if output is not None else f"{capacity}-{cell or source}".lower())
    made = base.with_settings({**values(lines), "name": called})
    facts = made.facts()
    of_cell = f" of {cell.upper()}" if cell is not None else ""
    head = [
        f"{capacity}{of_cell} on {geometry['channels']} channels, like {source} ({whose}).",
        "What is not here is as there: reclaim device show prints all settings. Made by",
        f"  {command_line()}",
    ]
    text = device_text(head, _based_on(source, output), called, lines)
    _write(text, made, output, force=force, json=json)
    memory = facts["run_memory_bytes"]
    planes = facts["planes"]
    err.print(
        f"{called}: {planes:,} planes of {blocks:,} blocks; "
        f"a run takes {written(memory, 'bytes')} of memory. "
        "For a drive that a short trace fills: reclaim device scale",
        style="dim",
    )


def scale(
    device: options.DeviceSource,
    trace: Annotated[
        str, typer.Option("--to", metavar="TRACE", help="The trace that the small drive is to collect under.")
    ],
    opening: options.Opening,
    name: Annotated[str | None, typer.Option(help="What results call it.")] = None,
    output: Output = None,
    force: Force = False,
    json: options.Json = False,
) -> None:
    """Make a small drive of a large one, on which a trace collects garbage, and say what it keeps."""
    large = Device(device)
    opened = opening.open(Path(trace))
    with busy(f"measuring {opened.name}"):
        lines, small = made_small(large, opened)
        compared = compare(small, large)
    called = name or (output.stem if output is not None else f"{large.config['name']}-small")
    small = small.set("name", called)
    head = [
        f"{large.config['name']} made small for {opened.name}, by docs/scaling-down.md:",
        f"  {command_line()}",
        *(f"keeps {each.what}: {each.small}" for each in compared if each.holds),
        *(
            f"does NOT keep {each.what}: {each.large} there, {each.small} here"
            for each in compared
            if not each.holds
        ),
        "keeps all other settings: channels, chips, dies, planes, times, page size.",
    ]
    text = device_text(head, _based_on(device, output), called, lines)
    _write(text, small, output, force=force, json=json)
    lost = [each.what for each in compared if not each.holds]
    said = f"not kept: {', '.join(lost)}" if lost else "all that a smaller drive must keep is kept"
    found = small.facts(opened)["trace"]
    err.print(
        f"{called}: {written(small.facts()['user_bytes'], 'bytes')} for the host, of which the trace covers "
        f"{found['footprint_share']:.0%} and writes {found['drive_writes']:.2g} times as much; {said}",
        style="dim",
    )


def _based_on(source: str, output: Path | None) -> str:
    """How a device file at `output` names the drive that it starts from."""
    if not (source.endswith(".toml") or "/" in source) or output is None:
        return source
    return Path(os.path.relpath(source, output.parent)).as_posix()


def _write(text: str, made: Device, output: Path | None, *, force: bool, json: bool) -> None:
    if output is not None:
        if output.suffix != ".toml":
            raise InputError(f"{output}: a device file has a name that ends in .toml")
        output_file.check(output, reading=made.files(), overwrite=force)
        output_file.write_text(output, text)
    if json:
        streams.write_json(made.config)
    elif output is None:
        sys.stdout.write(text)
    else:
        err.print(f"written to {output}")
