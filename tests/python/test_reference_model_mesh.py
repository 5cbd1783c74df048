"""The reference model's mesh against situations worked out on paper from docs/model.md, 12.10 to 12.14.

A hop takes 7 ns here, a command 70 ns, the data of a page 1 us (`paper_drive`). Situations that the core's
tests have worked out (crates/sim/tests/mesh.rs, mesh/gc_controllers.rs) are not repeated: on random meshes
both must agree.
"""

from __future__ import annotations

from typing import Any

import pytest

from paper_drive import WRITES_THAT_COLLECT, Record, drive, latencies, parts, read, write
from reference_model import simulate
from reference_model.configuration import Configuration
from reference_model.drive import Drive
from reference_model.interconnects import Refusal

HOP = 7
COMMAND = 70
DATA = 1_000
T_READ, T_PROGRAM, T_ERASE = 50_000, 500_000, 3_000_000


def mesh(
    channels: int, chips: int, controllers: list[list[int]] | None = None, **more: Any
) -> dict[str, Any]:
    """Return a filled drive whose pages lie on its chips in turn, channel by channel before chip by chip."""
    interconnect: dict[str, Any] = {"kind": "mesh", "hop": f"{HOP}ns"} | more
    if controllers is not None:
        interconnect["controllers"] = controllers
    return drive(
        geometry__channels=channels,
        geometry__chips_per_channel=chips,
        geometry__user_capacity=f"{48 * channels * chips}KiB",
        interconnect=interconnect,
    )


@pytest.mark.parametrize("hops", [0, 1, 3])
@pytest.mark.parametrize("copyback", [False, True])
def test_collection_takes_the_way_for_each_of_its_transfers(hops: int, *, copyback: bool) -> None:
    config = mesh(1, 4, [[0, hops]])
    if copyback:
        config["gc"]["relocation"] = {"kind": "copyback"}
    # All of it on the first of four chips.
    outcome = simulate(
        config, [(time, op, 4 * offset, size) for time, op, offset, size in WRITES_THAT_COLLECT]
    )
    on_way = hops * HOP
    program = COMMAND + DATA + on_way + T_PROGRAM
    moved = COMMAND + on_way + T_READ + DATA + on_way + program
    if copyback:
        moved = COMMAND + on_way + T_READ + COMMAND + on_way + T_PROGRAM
    erase = 50 + on_way + T_ERASE
    first_end = 8_000_000 + program + moved + erase
    assert [(job.start_ns, job.end_ns) for job in outcome.gc_jobs] == [
        (8_000_000, first_end),
        (first_end, first_end + moved + erase),
    ]
    assert latencies(outcome) == [program] * 9


def test_a_refused_die_stays_in_line_while_one_behind_it_goes() -> None:
    # The first two chips are the first controller's, the others the second's.
    records = [write(0, 0), read(0, 3), read(0, 1), read(0, 2)]
    read_3, read_2, read_1, written = simulate(mesh(1, 4, [[0, 0], [0, 3]]), records).requests
    assert parts(written) == (0, 0, COMMAND + DATA, T_PROGRAM)
    assert parts(read_3) == (0, 0, COMMAND + DATA, T_READ)
    # At 70 ns the read of page 1, first in line, is refused until the write's transfer ends at 1,070 ns.
    assert parts(read_1) == (COMMAND + DATA, 0, COMMAND + DATA + 2 * HOP, T_READ)
    # The one behind it begins then; its array time ends 77 ns after that before it, whose data need 1,000 ns.
    assert parts(read_2) == (COMMAND + DATA - COMMAND - HOP, 0, COMMAND + DATA + 2 * HOP, T_READ)


def collecting(chips: int, *more: Record) -> list[Record]:
    """Return writes that collect on the first of the chips, the move beginning at `MOVE_BEGINS`, and more."""
    records = [(time, op, chips * offset, size) for time, op, offset, size in WRITES_THAT_COLLECT]
    return records + list(more)


MOVE_BEGINS = 8_000_000 + COMMAND + DATA + T_PROGRAM


def test_a_wait_for_a_port_in_use_for_collection_is_due_to_that() -> None:
    # Two dies on the first chip, which have a controller of the host at it and the collector's a hop away.
    config = mesh(1, 2, [[0, 0]], gc_controllers=[[0, 1]])
    config["geometry"] |= {"dies_per_chip": 2, "user_capacity": "192KiB"}
    # The dies in turn: chip by chip, and then die by die of each.
    outcome = simulate(config, collecting(4, read(MOVE_BEGINS + 10, 2)))
    late = next(row for row in outcome.requests if row.op == "read")
    # It begins when the command of the move is sent; data of the move and its program keep it waiting then.
    command_ends = COMMAND + HOP
    array_end = command_ends + COMMAND + T_READ
    program_sent = command_ends + T_READ + DATA + HOP + COMMAND + DATA + HOP
    assert parts(late) == (0, (command_ends - 10) + (program_sent - array_end), COMMAND + DATA, T_READ)


def test_who_waits_for_the_host_while_collection_is_elsewhere_waits_for_the_host() -> None:
    # Collection of the first chip has its controller and port, and nothing of the ways from [0, 1].
    config = mesh(1, 4, [[0, 1]], gc_controllers=[[0, 0]])
    records = collecting(4, read(MOVE_BEGINS, 2), read(MOVE_BEGINS, 3))
    first, second = (row for row in simulate(config, records).requests if row.op == "read")
    assert parts(first) == (0, 0, COMMAND + DATA + 2 * HOP, T_READ)
    waited = COMMAND + HOP + DATA + HOP - (COMMAND + 2 * HOP)
    assert parts(second) == (waited, 0, COMMAND + DATA + 4 * HOP, T_READ)


def test_the_clock_of_a_chip_runs_once_while_several_circuits_are_in_its_way() -> None:
    config = mesh(1, 4, [[0, 0]], gc_controllers=[[0, 1], [0, 3]], entry="nearest-free")
    channel = Drive(Configuration(config), []).channels.domains[0].channel
    assert channel.take(1, 0, for_gc=True) is None  # from [0, 1], no link
    assert channel.carry(1, 0, 100, for_gc=True) == 100
    assert channel.take(2, 40, for_gc=True) is None  # from [0, 3], over the last link
    assert channel.carry(2, 40, 200, for_gc=True) == 200 + HOP
    # Over the first link from [0, 1], which is in use; over all of them from [0, 3].
    assert channel.take(0, 40, for_gc=True) == Refusal(100)
    assert [channel.gc_clock(die, 60) for die in range(4)] == [0, 60, 20, 20]
    assert channel.take(0, 100, for_gc=True) is None
    assert channel.carry(0, 100, 50, for_gc=True) == 50 + HOP
    # The first link is on the way to all but the first chip, and the first chip's port is in use, too.
    assert [channel.gc_clock(die, 500) for die in range(4)] == [57, 157, 207, 207]
