"""The reference model against situations worked out on paper: buffered relocation, batches, held circuits."""

from __future__ import annotations

from typing import Any

import pytest

from paper_drive import ERASE, PAGE, PROGRAM, READ, Record, drive, parts, read, write
from reference_model import RequestOutcome, rest, simulate
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


def plane_of(made: Drive, page: int) -> int:
    place = made.mapping.where[page]
    assert isinstance(place, int)
    return made.geometry.plane_of_page(place)


def only(made: Drive) -> RequestOutcome:
    (row,) = made.requests.rows
    return row


def test_a_read_of_a_lifted_page_is_answered_from_the_buffer() -> None:
    came = READ + 1_000
    made = run(buffered(), HALF_VALID, [read(came, 2), read(came, 3)])
    lifted, being_read = made.requests.rows
    assert parts(lifted) == (0, 0, 0, 0)
    # Page 3 is in flash when the second read comes; when the die could start that, it is lifted.
    assert parts(being_read) == (0, LIFTED - came, 0, 0)
    assert made.counters.flash.buffer_hits == 2
    assert made.counters.flash.host_reads == 0
    assert made.events.now == ERASED + 2 * PROGRAM


def test_an_overwrite_during_the_erase_cancels_the_write_back() -> None:
    made = run(buffered(), HALF_VALID, [write(LIFTED + 1_000, 2)])
    assert parts(only(made)) == (0, ERASE - 1_000, 1_070, 500_000)
    assert made.counters.flash.gc_programs == 1
    assert made.counters.gc_buffer.cancelled == 1
    assert made.counters.gc.dropped_moves == 0
    assert made.events.now == ERASED + 2 * PROGRAM  # page 2 by the host, then page 3 by collection


@pytest.mark.parametrize(
    ("page", "gc_programs", "cancelled"),
    [
        (3, 1, 1),  # its program waits behind that of page 2, and is dropped
        (2, 2, 0),  # its program is under way, and worth nothing in the end
    ],
)
def test_an_overwrite_after_the_erase(page: int, gc_programs: int, cancelled: int) -> None:
    made = run(buffered(), HALF_VALID, [write(ERASED + 1_000, page)])
    assert made.counters.flash.gc_programs == gc_programs
    assert made.counters.gc_buffer.cancelled == cancelled
    assert made.events.now == ERASED + (1 + gc_programs) * PROGRAM
    assert made.mapping.where[page] == 4 + 2  # in the host's open block


def test_a_page_overwritten_before_it_is_read_gives_its_place_back() -> None:
    # No step has had it: the job ends without it.
    made = run(buffered(), HALF_VALID, [write(1_000, 3)])
    assert made.counters.gc.dropped_moves == 0
    assert made.events.now == READ + PROGRAM + ERASE + PROGRAM
    # Its read waits in the list, and is dropped.
    made = run(buffered(gc__pages_in_flight=2), HALF_VALID, [write(1_000, 3)])
    assert made.counters.gc.dropped_moves == 1
    assert made.events.now == READ + PROGRAM + ERASE + PROGRAM


def test_the_rest_of_a_partly_written_page_is_read_by_the_job() -> None:
    made = run(buffered(), HALF_VALID, [(1_000, "write", 2 * PAGE + 1024, 1024)])
    # When the job's read of page 2 ends, the read of the rest need not begin, and the write goes first.
    assert parts(only(made)) == (0, READ - 1_000, 1_070, 500_000)
    assert made.counters.flash.rmw_reads == 1
    assert made.counters.flash.gc_programs == 1
    assert made.events.now == READ + PROGRAM + READ + ERASE + PROGRAM


def test_the_rest_of_a_lifted_page_is_not_read() -> None:
    came = READ + 1_000
    made = run(buffered(), HALF_VALID, [(came, "write", 2 * PAGE + 1024, 1024)])
    assert parts(only(made)) == (0, LIFTED - came, 1_070, 500_000)
    assert made.counters.flash.rmw_reads == 0
    assert made.counters.gc_buffer.cancelled == 1
    assert made.events.now == LIFTED + PROGRAM + ERASE + PROGRAM


def three_planes(**changes: Any) -> dict[str, Any]:
    relocation = {"destination": "free"}
    return buffered(
        relocation=relocation, geometry__chips_per_channel=3, ftl__allocation=ELSEWHERE, **changes
    )


def test_free_falls_back_to_the_plane_of_the_victim() -> None:
    # The other planes are busy with host reads when the erase ends, the second behind the first's command.
    others = [(1, 4), (2, 5)]
    made = run(three_planes(), HALF_VALID + others, [read(ERASED - 1_000, 4), read(ERASED - 1_000, 5)])
    assert (plane_of(made, 2), plane_of(made, 3)) == (0, 0)
    assert made.events.now == ERASED + 2 * PROGRAM


def test_free_takes_no_plane_that_has_no_page_for_collection() -> None:
    made = written(three_planes(), [*HALF_VALID, (1, 4), (2, 5)], [])
    for plane in made.space.planes[1:]:
        plane.free.clear()  # three pages of the host's open block are left
    made.run()
    rest.check(made)
    assert (plane_of(made, 2), plane_of(made, 3)) == (0, 0)


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
    # Eight places are enough for both.
    roomy = buffered(geometry__channels=2, relocation={"capacity": "2 blocks"})
    made = run(roomy, first + second, [])
    assert [job.start_ns for job in made.jobs.rows] == [0, 0]
    assert made.counters.gc_buffer.stalls == 0


def test_the_host_leaves_blocks_for_what_is_owed() -> None:
    made = written(buffered(), HALF_VALID, [])
    space, plane = made.space, made.space.planes[0]
    assert space.room(0) == 2 + (6 - 1) * 4  # two pages of the open block, all free blocks but one
    plane.owed = 5  # two blocks
    assert space.room(0) == 2 + (6 - 1 - 2) * 4
    plane.jobs = 2
    assert space.room(0) == 2 + (6 - 2 - 2) * 4
    plane.gc_block = plane.free.pop(0)  # has room for four of the five
    assert space.room(0) == 2 + (5 - 2 - 1) * 4


def planes_of(made: Drive, *pages: int) -> list[int]:
    places = [made.mapping.where[page] for page in pages]
    return [made.geometry.plane_of_page(place) for place in places if isinstance(place, int)]


# Batches


def test_a_batch_is_written_back_before_the_next_is_read() -> None:
    made = run(buffered(relocation={"batches": 2}), HALF_VALID, [])
    assert made.gc_buffer.capacity == 2
    (job,) = made.jobs.rows
    assert job.end_ns == READ + PROGRAM + READ + ERASE
    assert made.events.now == job.end_ns + PROGRAM
    flash = made.counters.flash
    assert (flash.gc_reads, flash.gc_programs, flash.erases) == (2, 2, 1)


def test_a_job_waits_for_a_program_that_is_worth_nothing() -> None:
    # The program of page 2 is worth nothing in the end, but the job waits for it.
    made = run(buffered(relocation={"batches": 2}), HALF_VALID, [write(READ + 1_000, 2)])
    assert made.jobs.rows[0].end_ns == READ + PROGRAM + READ + PROGRAM + ERASE
    assert made.counters.gc_buffer.cancelled == 0


@pytest.mark.parametrize(("planes", "expected"), [("even", [2, 3]), ("by-space", [3, 3])])
def test_planes_of_the_chip_get_as_many_or_those_with_space(planes: str, expected: list[int]) -> None:
    two_planes = {"geometry__chips_per_channel": 2, "geometry__planes_per_die": 2}
    relocation = {"destination": "chip", "planes": planes}
    config = buffered(relocation=relocation, ftl__allocation={"kind": "dynamic"}, **two_planes)
    made = run(config, [*HALF_VALID, (2, 4), (2, 5)], [])
    assert planes_of(made, 2, 3) == expected


# Writes of the host


@pytest.mark.parametrize("pages", [PAGE, 1024])
def test_a_write_of_a_lifted_page_is_absorbed(pages: int) -> None:
    request = (LIFTED + 1_000, "write", 2 * PAGE, pages)
    made = run(buffered(relocation={"host_writes": "absorb"}), HALF_VALID, [request])
    (row,) = made.requests.rows
    assert parts(row) == (0, 0, 0, 0)
    assert made.counters.gc_buffer.absorbed_writes == 1
    assert made.counters.flash.host_programs == made.counters.flash.rmw_reads == 0
    assert made.counters.flash.gc_programs == 2
    assert made.counters.buffer.max_pages == 0
    assert made.events.now == ERASED + 2 * PROGRAM


@pytest.mark.parametrize(("page", "absorbed"), [(2, 0), (3, 1)])
def test_a_page_that_is_being_programmed_absorbs_nothing(page: int, absorbed: int) -> None:
    made = run(buffered(relocation={"host_writes": "absorb"}), HALF_VALID, [write(ERASED + 1_000, page)])
    assert made.counters.gc_buffer.absorbed_writes == absorbed
    assert made.counters.flash.host_programs == 1 - absorbed


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


@pytest.mark.parametrize(("hold", "resumed"), [("batch", 1), ("transfer", 0)])
def test_the_programs_of_a_batch_share_a_circuit(hold: str, resumed: int) -> None:
    made = on_network(hold, [])
    assert made.counters.network.circuits_resumed == resumed
    assert made.events.now == ERASED + 2 * PROGRAM


@pytest.mark.parametrize(("hold", "preemptions"), [("batch", 1), ("transfer", 0)])
def test_a_host_read_goes_before_a_circuit_that_rests(hold: str, preemptions: int) -> None:
    made = on_network(hold, [read(ERASED + 10_000, 5)])
    (row,) = made.requests.rows
    assert parts(row) == (0, 0, 1_070 + 2, 50_000)  # a hop for the command, and one for the data
    network = made.counters.network
    assert (network.preemptions, network.circuits_resumed, network.elevations) == (preemptions, 0, 0)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"relocation": {"capacity": "0 blocks"}}, "at least 1 block"),
        ({"relocation": {"destination": "far"}}, "destination = 'far'"),
        ({"relocation": {"destination": "free"}}, "striping by lpn"),
        ({"ftl__gc_frontier": "shared"}, "of its own"),
        ({"ftl__assign_pages": "on-arrival"}, "at-start"),
        (
            {
                "flash__cell": "MLC",
                "flash__program_unit": "word-line",
                "geometry__blocks_per_plane": 16,
            },
            "units of one page",
        ),
        ({"relocation": {"batches": 0}}, "1 batch"),
        ({"relocation": {"destination": "chip"}}, "striping by lpn"),
        (
            {
                "relocation": {"batches": 2},
                "interconnect": {"kind": "serialized-channel", "gc_tasks": "whole"},
            },
            "gc_tasks = whole",
        ),
        ({"interconnect": {"kind": "venice-priority", "gc_controller": "dedicated"}}, "two controllers"),
        (
            {"interconnect": {"kind": "venice-priority", "gc_controller": "shared", "gc_at": [0, 0]}},
            "does not go with gc_controller",
        ),
        ({"interconnect": {"kind": "venice-priority", "gc_at": [0, 1]}}, "outside the mesh"),
        ({"interconnect": {"kind": "venice-priority", "elevate_after": 0}}, "at least 1"),
    ],
)
def test_what_does_not_go_with_buffered_is_refused(change: dict[str, Any], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        simulate(buffered(**change), [])
