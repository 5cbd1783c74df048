"""The reference model against situations worked out on paper: batches, held circuits, absorbed writes."""

from __future__ import annotations

from typing import Any

import pytest

from paper_drive import ERASE, PAGE, PROGRAM, READ, Record, drive, parts, read, write
from reference_model import rest, simulate
from reference_model.configuration import Configuration, Table
from reference_model.drive import Drive
from reference_model.geometry import Geometry
from reference_model.interconnects.venice_priority import Transfer, VenicePriority
from reference_model.request import Request

LIFTED = 2 * READ
"""When both valid pages of the victim have been read: the erase begins."""
ERASED = LIFTED + ERASE
HALF_VALID = [(0, page) for page in (0, 1, 2, 3, 0, 1)]
"""Writes to plane 0 that leave pages 2 and 3 valid in its first block: the victim."""
LOW = Transfer(low=True)
KEPT = Transfer(low=True, kept=True)
HIGH = Transfer(low=False)


def bypass(**changes: Any) -> dict[str, Any]:
    """Return a drive that collects a block at rest that has lost a quarter of its pages."""
    relocation = {"kind": "buffered"} | changes.pop("relocation", {})
    trigger = {"kind": "invalid-ratio", "ratio": "25%", "hard": "1 block"}
    config = drive(gc__trigger=trigger, gc__relocation=relocation, **changes)
    return config | {"warmup": {"kind": "empty"}}


def run(
    config: dict[str, Any], requests: list[Record], *, elsewhere: tuple[tuple[int, int], ...] = ()
) -> Drive:
    """Return the drive at rest, after its planes were given pages and requests came."""
    made = Drive(Configuration(config), [Request(*request) for request in requests])
    for plane, page in (*HALF_VALID, *elsewhere):
        taken = made.space.take_host_page(plane, page)
        assert taken is not None
        made.mapping.untimed_write(page, taken)
    made.measuring.count_afresh()
    made.collection.signals.clear()
    made.run()
    rest.check(made)
    return made


def planes_of(made: Drive, *pages: int) -> list[int]:
    places = [made.mapping.where[page] for page in pages]
    return [made.geometry.plane_of_page(place) for place in places if isinstance(place, int)]


# Batches


def test_a_batch_is_written_back_before_the_next_is_read() -> None:
    made = run(bypass(relocation={"batches": 2}), [])
    assert made.gc_buffer.capacity == 2
    (job,) = made.jobs.rows
    assert job.end_ns == READ + PROGRAM + READ + ERASE
    assert made.events.now == job.end_ns + PROGRAM
    flash = made.counters.flash
    assert (flash.gc_reads, flash.gc_programs, flash.erases) == (2, 2, 1)


def test_a_job_waits_for_a_program_that_is_worth_nothing() -> None:
    # The program of page 2 is worth nothing in the end, but the job waits for it.
    made = run(bypass(relocation={"batches": 2}), [write(READ + 1_000, 2)])
    assert made.jobs.rows[0].end_ns == READ + PROGRAM + READ + PROGRAM + ERASE
    assert made.counters.gc_buffer.cancelled == 0


def test_the_pages_of_a_batch_go_to_one_chip() -> None:
    three_chips = {"geometry__chips_per_channel": 3, "ftl__allocation": {"kind": "dynamic"}}
    made = run(bypass(relocation={"destination": "free"}, **three_chips), [])
    assert planes_of(made, 2, 3) == [1, 2]
    made = run(bypass(relocation={"destination": "chip"}, **three_chips), [])
    assert planes_of(made, 2, 3) == [1, 1]


@pytest.mark.parametrize(("planes", "expected"), [("even", [2, 3]), ("by-space", [3, 3])])
def test_planes_of_the_chip_get_as_many_or_those_with_space(planes: str, expected: list[int]) -> None:
    two_planes = {"geometry__chips_per_channel": 2, "geometry__planes_per_die": 2}
    relocation = {"destination": "chip", "planes": planes}
    config = bypass(relocation=relocation, ftl__allocation={"kind": "dynamic"}, **two_planes)
    made = run(config, [], elsewhere=((2, 4), (2, 5)))
    assert planes_of(made, 2, 3) == expected


# Writes of the host


@pytest.mark.parametrize("pages", [PAGE, 1024])
def test_a_write_of_a_lifted_page_is_absorbed(pages: int) -> None:
    request = (LIFTED + 1_000, "write", 2 * PAGE, pages)
    made = run(bypass(relocation={"host_writes": "absorb"}), [request])
    (row,) = made.requests.rows
    assert parts(row) == (0, 0, 0, 0)
    assert made.counters.gc_buffer.absorbed_writes == 1
    assert made.counters.flash.host_programs == made.counters.flash.rmw_reads == 0
    assert made.counters.flash.gc_programs == 2
    assert made.counters.buffer.max_pages == 0
    assert made.events.now == ERASED + 2 * PROGRAM


@pytest.mark.parametrize(("page", "absorbed"), [(2, 0), (3, 1)])
def test_a_page_that_is_being_programmed_absorbs_nothing(page: int, absorbed: int) -> None:
    made = run(bypass(relocation={"host_writes": "absorb"}), [write(ERASED + 1_000, page)])
    assert made.counters.gc_buffer.absorbed_writes == absorbed
    assert made.counters.flash.host_programs == 1 - absorbed


def test_an_absorbed_write_is_lost_with_the_buffer() -> None:
    def losing_cuts(requests: list[Record]) -> int:
        config = bypass(relocation={"host_writes": "absorb"}, measure={"power_cut_every": 1})
        counters = run(config, requests).power_cuts.counters
        assert counters.replaced_pages == 0
        return counters.losing_cuts

    # What the block still holds is no matter any more: from the arrival on, one event before the erase.
    assert losing_cuts([write(READ + 1_000, 2)]) == losing_cuts([]) + 2


# Held circuits


def on_network(hold: str, requests: list[Record]) -> Drive:
    """Two chips in a row, and one controller, at the first of them."""
    network = {"kind": "venice-priority", "controllers": [[0, 0]], "gc_controller": "shared"}
    relocation = {"hold": hold}
    config = bypass(relocation=relocation, geometry__chips_per_channel=2, interconnect=network)
    return run(config, requests, elsewhere=((1, 5),))


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


def row_of_four(**changes: Any) -> VenicePriority:
    """Controllers at the first two of four routers in a row, chips 1 and 0 at the others."""
    network = {"rows": 1, "columns": 4, "controllers": [[0, 0], [0, 1]], "chips": [[0, 3], [0, 2]]}
    network |= {"gc_controller": "shared"} | changes
    geometry = Geometry(Configuration(drive(geometry__chips_per_channel=2)))
    return VenicePriority(Table("interconnect", network), geometry, 42)


def takes(network: VenicePriority, die: int, now: int, asking: Transfer) -> bool:
    """Whether a transfer gets a circuit at once, which it has for 100 ns then."""
    network.asking = asking
    if network.take(die, now, for_gc=asking.low) is not None:
        return False
    network.carry(die, now, 100, for_gc=asking.low)
    return True


def test_a_low_transfer_goes_before_a_circuit_that_rests_only_when_elevated() -> None:
    network = row_of_four(elevate_after=1, hop="0ns")
    assert takes(network, 0, 0, KEPT)
    # The second controller's circuit to chip 0 rests on the only link that leads to chip 1.
    assert not takes(network, 1, 100, LOW)
    assert network.failures == [0, 1]
    assert takes(network, 1, 100, LOW)
    counters = network.counters.network
    assert (counters.preemptions, counters.elevations, counters.circuits_resumed) == (1, 1, 0)
    assert network.failures == [1, 0]
    assert not network.resting


def test_a_circuit_in_use_is_never_removed() -> None:
    network = row_of_four(elevate_after=1, hop="0ns")
    assert takes(network, 0, 0, KEPT)
    assert not takes(network, 1, 99, HIGH)
    assert takes(network, 1, 100, HIGH)
    assert network.counters.network.preemptions == 1


def test_a_freed_circuit_lets_a_scout_go_again() -> None:
    network = row_of_four(hop="0ns")
    assert takes(network, 0, 0, KEPT)
    assert not takes(network, 1, 100, LOW)
    assert not takes(network, 1, 100, LOW)
    assert network.failures == [0, 1]  # no second scout was sent
    assert network.none_to_come(0, 100)
    assert takes(network, 1, 100, LOW)
    assert network.counters.network.preemptions == 0


@pytest.mark.parametrize(("free", "failures"), [(0, 1), (1, 2), (2, 3), (3, 5), (5, 6), (99, 6)])
def test_with_few_free_blocks_transfers_are_elevated_sooner(free: int, failures: int) -> None:
    network = row_of_four(elevate="free-space")
    network.asking = Transfer(low=True, free=free, start=2)
    network.failures[1] = failures - 1
    assert not network._goes_before(1)  # noqa: SLF001
    network.failures[1] = failures
    assert network._goes_before(1)  # noqa: SLF001


@pytest.mark.parametrize(
    ("change", "named"),
    [
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
def test_what_does_not_go_together_is_refused(change: dict[str, Any], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        simulate(bypass(**change), [])
