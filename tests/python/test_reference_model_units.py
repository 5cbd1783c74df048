"""The reference model against situations worked out on paper: program units and what came with them.

Three pages are a unit here: a program of them takes 900 us of array, the longest of its levels.
"""

from __future__ import annotations

from typing import Any

import pytest

from paper_drive import ERASE, PROGRAM, WRITES_THAT_COLLECT, Record, drive, latencies, parts, read, write
from reference_model import Outcome, simulate
from reference_model.configuration import Configuration
from reference_model.drive import Drive
from reference_model.request import Request

READS = [70 + 50_000, 70 + 60_000, 70 + 70_000]
"""Command and array time of a read of each level."""
UNIT = 900_000
DATA = 1_000


def unit_drive(**changes: Any) -> dict[str, Any]:
    """Return one plane of ten blocks of four units, empty; `a__b` changes `a.b`."""
    flash = {"cell": "TLC", "program_unit": "word-line", "flush_after": "100us", "t_erase": "3ms"}
    flash |= {"t_read": ["50us", "60us", "70us"], "t_program": ["500us", "700us", "900us"]}
    changes = {"geometry__blocks_per_plane": 10} | changes
    config = drive(geometry__pages_per_block=12, geometry__user_capacity="144KiB", flash=flash, **changes)
    return config | {"warmup": {"kind": "empty"}}


def written(config: dict[str, Any], pages: list[int], requests: list[Record]) -> Drive:
    """Return a drive to which the pages were written one by one, and nothing was collected meanwhile."""
    made = Drive(Configuration(config), [Request(*request) for request in requests])
    for page in pages:
        taken = made.space.take_host_page(0, page)
        assert taken is not None
        made.mapping.untimed_write(page, taken)
    made.program_units.finish_host_blocks()
    made.measuring.count_afresh()
    made.collection.signals.clear()
    return made


def left_valid(*blocks: list[int], block_pages: int = 12) -> list[int]:
    """Return writes that fill blocks and leave these pages of them valid."""
    count = block_pages * len(blocks)
    kept = {number * block_pages + x for number, valid in enumerate(blocks) for x in valid}
    return [*range(count), *(x for x in range(count) if x not in kept)]


# Host writes


@pytest.mark.parametrize(
    ("requests", "expected", "padded"),
    [
        ([write(0, 0, pages=3)], [(0, 0, 3 * 1_070, UNIT)], 0),
        # The third write ends the wait of two.
        (
            [write(0, 0), write(20_000, 1), write(50_000, 2)],
            [(waited, 0, 3 * 1_070, UNIT) for waited in (50_000, 30_000, 0)],
            0,
        ),
        # The third comes at the instant of the timer, but after it. It waits for the die, and no longer.
        (
            [write(0, 0), write(20_000, 1), write(100_000, 2)],
            [
                *((waited, 0, 2 * 1_070, UNIT) for waited in (100_000, 80_000)),
                (2 * 1_070 + UNIT, 0, 1_070, UNIT),
            ],
            1 + 2,
        ),
    ],
)
def test_three_host_writes_are_one_program(
    requests: list[Record], expected: list[tuple[int, ...]], padded: int
) -> None:
    outcome = simulate(unit_drive(), requests)
    assert [parts(row) for row in outcome.requests] == expected
    flash = outcome.counters["flash"]
    assert (flash["host_programs"], flash["padded_pages"]) == (3, padded)


def test_units_of_two_planes_are_programmed_together() -> None:
    both = unit_drive(geometry__planes_per_die=2)
    both["flash"]["multi_plane"] = "any-page"
    outcome = simulate(both, [write(0, 0, pages=6)])
    assert [parts(row) for row in outcome.requests] == [(0, 0, 6 * 1_070, UNIT)]
    assert outcome.counters["flash"]["multi_plane_operations"] == 1
    # Two of the second plane are no unit yet; they wait for their timer behind the first plane's program.
    outcome = simulate(both, [write(0, 0, pages=5)])
    assert latencies(outcome) == [3 * 1_070 + UNIT + 2 * 1_070 + UNIT]
    assert outcome.counters["flash"]["multi_plane_operations"] == 0


# Odd and even


def collected(valid: list[list[int]], *requests: Record, carry: bool = False, **relocation: Any) -> Drive:
    """Return a drive that was left to collect blocks with these valid pages, the first one first."""
    trigger = {"kind": "invalid-ratio", "ratio": "40%", "hard": "1 block"}
    relocation = relocation or {"kind": "copyback-odd-even", "carry": carry}
    config = unit_drive(gc__trigger=trigger, gc__relocation=relocation)
    made = written(config, left_valid(*valid), [*requests])
    made.run()
    return made


def lengths(made: Drive) -> list[int]:
    """Return how long each job took."""
    return [job.end_ns - job.start_ns for job in made.jobs.rows]


def test_copybacks_of_a_unit_share_a_program() -> None:
    made = collected([[0, 1, 4]])
    first = 2 * 70 + 50_000 + 60_000 + 70 + UNIT
    second = READS[1] + 70 + UNIT
    assert lengths(made) == [first + second + ERASE]
    assert made.counters.flash.copybacks == 3
    assert made.counters.flash.wasted_pages == 1 + 2
    assert made.counters.flash.gc_reads == 0
    assert (made.jobs.rows[0].used_pages, made.jobs.rows[0].emergency) == (12 + 9, 0)


def read_over_the_channel(*pages: int) -> int:
    """Return how long they take to be read, and sent to the die again."""
    return sum(READS[page % 3] + DATA + 1_070 for page in pages)


def test_a_tight_job_goes_over_the_channel_where_parities_differ() -> None:
    made = collected([[0, 1, 4, 6, 7, 8, 10]])
    assert lengths(made) == [read_over_the_channel(0, 1, 4, 6, 7, 8, 10) + 3 * UNIT + ERASE]
    flash = made.counters.flash
    assert (flash.copybacks, flash.gc_reads, flash.gc_programs, flash.wasted_pages) == (0, 7, 7, 2)
    # Four pages too many of parity 1 make it tight; the first three fit all the same.
    made = collected([[0, 1, 2, 3, 6, 9, 10]])
    first = 3 * 70 + 50_000 + 60_000 + 70_000 + 70 + UNIT
    assert lengths(made) == [first + read_over_the_channel(3, 6, 9, 10) + 2 * UNIT + ERASE]
    assert made.counters.flash.copybacks == 3


def test_carried_pages_are_programmed_with_those_of_the_next_job() -> None:
    made = collected([[0, 1], [2]], carry=True)
    loaded = 2 * 70 + 50_000 + 60_000
    assert lengths(made) == [loaded + ERASE, READS[2] + 70 + UNIT + ERASE]
    assert made.counters.flash.wasted_pages == 0
    without = collected([[0, 1], [2]])
    # Two units each: the second job's page may not go to the unit of parity 1 that comes next.
    assert lengths(without) == [loaded + 70 + UNIT + ERASE, READS[2] + 70 + UNIT + ERASE]
    assert without.counters.flash.wasted_pages == 1 + 3 + 2


def test_pages_of_a_loaded_unit_are_read_as_any() -> None:
    made = collected([[0, 1]], read(9_000_000, 1), carry=True)
    assert parts(made.requests.rows[0]) == (0, 0, 70 + DATA, 60_000)


@pytest.mark.parametrize(("kind", "counter"), [("controller", "gc_reads"), ("copyback", "copybacks")])
def test_other_relocations_pad_the_last_unit(kind: str, counter: str) -> None:
    made = collected([[0, 4, 8, 9]], kind=kind)
    assert getattr(made.counters.flash, counter) == 4
    assert (made.counters.flash.padded_pages, made.counters.flash.wasted_pages) == (2, 0)
    if kind == "controller":
        assert lengths(made) == [read_over_the_channel(0, 4, 8, 9) + 2 * UNIT + ERASE]
    else:
        assert lengths(made) == [sum(READS) + 70 + UNIT + READS[0] + 70 + UNIT + ERASE]


# How many channels collect


def with_limit(usage: str, theta: str) -> Outcome:
    """Return what comes of writes that collect, and three more, with no collection below a share of use."""
    policy = {"kind": "adaptive", "theta1": theta, "theta2": theta, "max_channels": 1, "usage": usage}
    more = [write(9_000_000, 0), write(10_000_000, 1), write(11_000_000, 2)]
    return simulate(drive(gc__concurrency=policy), [*WRITES_THAT_COLLECT, *more])


def test_a_deferred_plane_is_collected_when_the_limit_has_grown() -> None:
    # It is deferred at 8 ms with 21 of 32 pages in use; 70% are reached with the 23rd.
    assert with_limit("programmed", "70%").gc_jobs[0].start_ns == 10_000_000
    assert with_limit("programmed", "65%").gc_jobs[0].start_ns == 8_000_000
    # 12 pages are valid at most.
    assert with_limit("valid", "70%").gc_jobs == []


def test_a_stalled_plane_is_collected_whatever_the_limit() -> None:
    policy = {"kind": "adaptive", "theta1": "100%", "theta2": "100%"}
    trigger = {"kind": "free-blocks", "start": "2 blocks", "hard": "2 blocks"}
    more = [write(9_000_000 + k * 1_000_000, k) for k in range(8)]
    outcome = simulate(drive(gc__concurrency=policy, gc__trigger=trigger), [*WRITES_THAT_COLLECT, *more])
    # 21 pages are in use at 8 ms, and the plane is urgent. The seventh of the others fills the 28th page; the
    # eighth finds only the block that is kept for collection.
    assert [(job.start_ns, job.used_pages, job.emergency) for job in outcome.gc_jobs] == [(16_000_000, 28, 1)]


# Which block, and when


def test_blocks_are_collected_in_the_order_in_which_they_came_to_the_ratio() -> None:
    trigger = {"kind": "invalid-ratio", "ratio": "50%", "hard": "1 block"}
    requests = [write(0, page) for page in (4, 5, 0, 1, 2)]
    outcome = simulate(drive(gc__trigger=trigger), requests)
    # Block 1 was first to lose half its pages. The channel is idle when all five are programmed.
    assert [(job.victim_block, job.valid_pages, job.emergency) for job in outcome.gc_jobs] == [
        (1, 2, 0),
        (0, 1, 0),
    ]
    assert outcome.gc_jobs[0].start_ns == 5 * PROGRAM
    assert outcome.gc_jobs[1].start_ns == outcome.gc_jobs[0].end_ns
