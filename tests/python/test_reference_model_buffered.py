"""The reference model against situations worked out on paper: buffered relocation, batches, held circuits."""

from __future__ import annotations

from operator import attrgetter
from typing import Any

import pytest

from paper_drive import ERASE, PAGE, PROGRAM, READ, Record, drive, parts, read, write
from reference_model import rest
from reference_model.configuration import Configuration
from reference_model.drive import Drive
from reference_model.request import Request

LIFTED = 2 * READ
"""When both valid pages of the victim have been read: the erase begins."""
ERASED = LIFTED + ERASE
HALF_VALID = [(0, page) for page in (0, 1, 2, 3, 0, 1)]
"""Writes to plane 0 that leave pages 2 and 3 valid in its first block: the victim."""
ELSEWHERE = {"kind": "dynamic"}


def buffered(**changes: Any) -> dict[str, Any]:
    """Return a drive that collects a block at rest that has lost a quarter of its pages."""
    relocation = {"kind": "buffered"} | changes.pop("relocation", {})
    trigger = {"kind": "invalid-ratio", "ratio": "25%", "hard": "1 block"}
    config = drive(gc__trigger=trigger, gc__relocation=relocation, **changes)
    return config | {"warmup": {"kind": "empty"}}


def written(config: dict[str, Any], pages: list[tuple[int, int]], requests: list[Record]) -> Drive:
    """Return a drive whose planes were given the pages, and nothing was collected meanwhile."""
    made = Drive(Configuration(config), [Request(*request) for request in requests])
    for plane, page in pages:
        taken = made.space.take_host_page(plane, page)
        assert taken is not None
        made.mapping.untimed_write(page, taken)
    made.measuring.count_afresh()
    made.collection.signals.clear()
    return made


def run(config: dict[str, Any], pages: list[tuple[int, int]], requests: list[Record]) -> Drive:
    """Return the drive at rest."""
    made = written(config, pages, requests)
    made.run()
    rest.check(made)
    return made


def planes_of(made: Drive, *pages: int) -> list[int]:
    places = [made.mapping.where[page] for page in pages]
    return [made.geometry.plane_of_page(place) for place in places if isinstance(place, int)]


BATCHES: dict[str, Any] = {"relocation": {"batches": 2}}
ABSORB: dict[str, Any] = {"relocation": {"host_writes": "absorb"}}
PROGRAMMED = (1_070, 500_000)
"""Transfer and array of a write."""
CAME = READ + 1_000
SITUATIONS: dict[str, tuple[dict[str, Any], list[Record], list[tuple[int, ...]], dict[str, int], int]] = {
    # Page 3 is in flash when the second read comes; when the die could start that, it is lifted.
    "a read of a lifted page is answered from the buffer": (
        *({}, [read(CAME, 2), read(CAME, 3)], [(0, 0, 0, 0), (0, LIFTED - CAME, 0, 0)]),
        *({"flash.buffer_hits": 2, "flash.host_reads": 0}, ERASED + 2 * PROGRAM),
    ),
    # Page 2 is programmed by the host, then page 3 by collection.
    "an overwrite during the erase cancels the write back": (
        *({}, [write(LIFTED + 1_000, 2)], [(0, ERASE - 1_000, *PROGRAMMED)]),
        {"flash.gc_programs": 1, "gc_buffer.cancelled": 1, "gc.dropped_moves": 0},
        ERASED + 2 * PROGRAM,
    ),
    "a program that is under way is worth nothing in the end": (
        *({}, [write(ERASED + 1_000, 2)], [(0, PROGRAM - 1_000, *PROGRAMMED)]),
        *({"flash.gc_programs": 2, "gc_buffer.cancelled": 0}, ERASED + 3 * PROGRAM),
    ),
    # No step has had it: the job ends without it.
    "a page overwritten before it is read gives its place back": (
        *({}, [write(1_000, 3)], [(0, READ - 1_000, *PROGRAMMED)]),
        *({"gc.dropped_moves": 0}, READ + PROGRAM + ERASE + PROGRAM),
    ),
    # When the job's read of page 2 ends, the read of the rest need not begin, and the write goes first.
    "the rest of a partly written page is read by the job": (
        *({}, [(1_000, "write", 2 * PAGE + 1024, 1024)], [(0, READ - 1_000, *PROGRAMMED)]),
        *({"flash.rmw_reads": 1, "flash.gc_programs": 1}, READ + PROGRAM + READ + ERASE + PROGRAM),
    ),
    "a batch is written back before the next is read": (
        *(BATCHES, [], [], {"flash.gc_reads": 2, "flash.gc_programs": 2, "flash.erases": 1}),
        READ + PROGRAM + READ + ERASE + PROGRAM,
    ),
    # The program of page 2 is worth nothing in the end, but the job waits for it.
    "a job waits for a program that is worth nothing": (
        *(BATCHES, [write(CAME, 2)], [(0, READ + PROGRAM - CAME, *PROGRAMMED)]),
        *({"gc_buffer.cancelled": 0}, READ + PROGRAM + READ + PROGRAM + ERASE + PROGRAM),
    ),
    "a write of a lifted page is absorbed": (
        *(ABSORB, [write(LIFTED + 1_000, 2)], [(0, 0, 0, 0)]),
        {"gc_buffer.absorbed_writes": 1, "flash.host_programs": 0, "flash.gc_programs": 2},
        ERASED + 2 * PROGRAM,
    ),
    "a page whose program waits absorbs": (
        *(ABSORB, [write(ERASED + 1_000, 3)], [(0, 0, 0, 0)]),
        *({"gc_buffer.absorbed_writes": 1, "flash.host_programs": 0}, ERASED + 2 * PROGRAM),
    ),
    "a page that is being programmed absorbs nothing": (
        *(ABSORB, [write(ERASED + 1_000, 2)], [(0, PROGRAM - 1_000, *PROGRAMMED)]),
        *({"gc_buffer.absorbed_writes": 0, "flash.host_programs": 1}, ERASED + 3 * PROGRAM),
    ),
}
"""Changes of the drive, requests; their parts, counters and when all is at rest."""


@pytest.mark.parametrize("name", SITUATIONS)
def test_a_situation_of_the_buffer(name: str) -> None:
    changes, requests, expected, counters, end = SITUATIONS[name]
    made = run(buffered(**changes), HALF_VALID, requests)
    assert [parts(row) for row in made.requests.rows] == expected
    assert {path: attrgetter(path)(made.counters) for path in counters} == counters
    assert made.events.now == end


def three_planes(**changes: Any) -> dict[str, Any]:
    relocation = {"destination": "free"}
    return buffered(
        relocation=relocation, geometry__chips_per_channel=3, ftl__allocation=ELSEWHERE, **changes
    )


def test_free_falls_back_to_the_plane_of_the_victim() -> None:
    # The other planes are busy with host reads when the erase ends, the second behind the first's command.
    others = [(1, 4), (2, 5)]
    made = run(three_planes(), HALF_VALID + others, [read(ERASED - 1_000, 4), read(ERASED - 1_000, 5)])
    assert planes_of(made, 2, 3) == [0, 0]
    assert made.events.now == ERASED + 2 * PROGRAM


def test_a_second_plane_waits_until_the_buffer_has_room() -> None:
    first = [(0, page) for page in (0, 1, 2, 3, 0)]
    second = [(1, page) for page in (4, 5, 6, 7, 4)]
    made = run(buffered(geometry__channels=2), first + second, [])
    ended, waited = made.jobs.rows
    erased = 3 * READ + ERASE
    assert (ended.plane, ended.start_ns, ended.end_ns) == (0, 0, erased)
    # Four places: the three pages of plane 1 fit when two of plane 0 have been programmed.
    began = erased + 2 * PROGRAM
    assert (waited.plane, waited.start_ns, waited.end_ns) == (1, began, began + erased)
    # At the start, when the first job ended, when its first program ended.
    assert made.counters.gc_buffer.stalls == 3


@pytest.mark.parametrize(("planes", "expected"), [("even", [2, 3]), ("by-space", [3, 3])])
def test_planes_of_the_chip_get_as_many_or_those_with_space(planes: str, expected: list[int]) -> None:
    two_planes = {"geometry__chips_per_channel": 2, "geometry__planes_per_die": 2}
    relocation = {"destination": "chip", "planes": planes}
    config = buffered(relocation=relocation, ftl__allocation={"kind": "dynamic"}, **two_planes)
    made = run(config, [*HALF_VALID, (2, 4), (2, 5)], [])
    assert planes_of(made, 2, 3) == expected


def test_an_absorbed_write_is_lost_with_the_buffer() -> None:
    def losing_cuts(requests: list[Record]) -> int:
        config = buffered(relocation={"host_writes": "absorb"}, measure={"power_cut_every": 1})
        counters = run(config, HALF_VALID, requests).power_cuts.counters
        assert counters.replaced_pages == 0
        return counters.losing_cuts

    # What the block still holds is no matter any more: from the arrival on, one event before the erase.
    assert losing_cuts([write(READ + 1_000, 2)]) == losing_cuts([]) + 2


# Held circuits


def on_network(hold: str, requests: list[Record]) -> Drive:
    """Two chips in a row, and one controller, at the first of them."""
    network = {"kind": "venice-priority", "controllers": [[0, 0]], "gc_controller": "shared"}
    relocation = {"hold": hold}
    config = buffered(relocation=relocation, geometry__chips_per_channel=2, interconnect=network)
    return run(config, [*HALF_VALID, (1, 5)], requests)


@pytest.mark.parametrize(("hold", "kept"), [("batch", 1), ("transfer", 0)])
def test_the_programs_of_a_batch_share_a_circuit_that_a_host_read_may_take(hold: str, kept: int) -> None:
    made = on_network(hold, [])
    assert made.counters.network.circuits_resumed == kept
    assert made.events.now == ERASED + 2 * PROGRAM
    made = on_network(hold, [read(ERASED + 10_000, 5)])
    # A hop for the command, and one for the data.
    assert [parts(row) for row in made.requests.rows] == [(0, 0, 1_070 + 2, 50_000)]
    network = made.counters.network
    assert (network.preemptions, network.circuits_resumed, network.elevations) == (kept, 0, 0)
