"""The reference model against situations worked out on paper from docs/model.md.

Program units and the policies that came with them are in test_reference_model_units.py.
"""

from __future__ import annotations

from typing import Any

import pytest

from paper_drive import ERASE, PAGE, PROGRAM, READ, WRITES_THAT_COLLECT, drive, latencies, parts, read, write
from reference_model import JobOutcome, simulate
from reference_model.randomness import Stream, fnv1a, seeded_state


def test_seeding_has_the_pages_check_values() -> None:
    assert fnv1a("victim") == 0x2B4FB9B471839815
    assert fnv1a("warmup") == 0x33006B31FE1664A5
    assert seeded_state(42, "victim") == 0x45BB05B3271B1350AA251BFB45E9E081
    assert seeded_state(42, "warmup") == 0x5B4879F3E6ADAE84CCA39C3188AF5A0D
    assert seeded_state(7, "warmup") == 0x77E68BD21794064D445906AFC5BD2D5


@pytest.mark.parametrize(
    ("seed", "name", "bound", "draws"),
    [
        (42, "victim", 1000, [117, 303, 777, 49, 346, 697, 624, 215]),
        (
            42,
            "victim",
            3_000_000_000,
            [
                353831350,
                2333530820,
                1040666564,
                1872516899,
                2689708176,
                1532582612,
                580774287,
                2520195002,
            ],
        ),
        (42, "warmup", 1000, [739, 655, 383, 140, 844, 339, 804, 236]),
        (7, "warmup", 3, [2, 1, 1, 1, 0, 0, 0, 0, 2, 0, 1, 1]),
    ],
)
def test_draws_have_the_pages_check_values(seed: int, name: str, bound: int, draws: list[int]) -> None:
    stream = Stream(seed, name)
    assert [stream.below(bound) for _ in draws] == draws


def test_requests_that_meet_nobody() -> None:
    records = [write(0, 3), read(1_000_000, 3), (2_000_000, "trim", 3 * PAGE, PAGE), read(2_000_000, 3)]
    outcome = simulate(drive(), records)
    assert [parts(row) for row in outcome.requests] == [
        (0, 0, 1_070, 500_000),
        (0, 0, 1_070, 50_000),
        (0, 0, 0, 0),
        (0, 0, 0, 0),
    ]
    assert outcome.counters["flash"]["unmapped_reads"] == 1
    assert outcome.counters["flash"]["trimmed_pages"] == 1
    assert outcome.simulated_ns == 2_000_000


def test_the_rest_of_a_partly_written_page_is_read_first() -> None:
    outcome = simulate(drive(), [(0, "write", 1024, 1024)])
    assert latencies(outcome) == [READ + PROGRAM]
    assert outcome.counters["flash"]["rmw_reads"] == 1
    assert outcome.counters["flash"]["host_reads"] == 0


def test_two_reads_share_a_channel() -> None:
    two_chips = drive(geometry__chips_per_channel=2)
    first, second = simulate(two_chips, [read(0, 0), read(0, 1)]).requests
    assert parts(first) == (0, 0, 1_070, 50_000)
    # The second waits for the first's command (70 ns) and, from 50,140 to 51,070, for its data.
    assert parts(second) == (70 + 930, 0, 1_070, 50_000)

    held = drive(geometry__chips_per_channel=2, interconnect={"kind": "serialized-channel"})
    assert latencies(simulate(held, [read(0, 0), read(0, 1)])) == [READ, 2 * READ]

    apart = drive(geometry__chips_per_channel=2, interconnect={"kind": "ideal"})
    assert latencies(simulate(apart, [read(0, 0), read(0, 1)])) == [READ, READ]


def test_a_read_waits_for_a_program_or_sets_it_aside() -> None:
    records = [write(0, 0), read(101_070, 1)]
    written, waited = simulate(drive(), records).requests
    assert parts(written) == (0, 0, 1_070, 500_000)
    assert parts(waited) == (PROGRAM - 101_070, 0, 1_070, 50_000)

    suspend = {"program": True, "t_suspend": "20us", "t_resume": "10us"}
    served, resumed = simulate(drive(flash__suspend=suspend), records).requests
    assert parts(served) == (20_000, 0, 1_070, 50_000)
    # Set aside for 20 us and the read; then the rest of its array time and 10 us more.
    assert parts(resumed) == (20_000 + READ, 0, 1_070, 510_000)


def test_pages_of_two_planes_are_programmed_together() -> None:
    records = [write(0, 0, pages=2)]
    one_by_one = simulate(drive(geometry__planes_per_die=2), records)
    assert latencies(one_by_one) == [2 * PROGRAM]
    together = simulate(drive(geometry__planes_per_die=2, flash__multi_plane="same-page"), records)
    assert [parts(row) for row in together.requests] == [(0, 0, 2 * 1_070, 500_000)]
    assert together.counters["flash"]["multi_plane_operations"] == 1


def test_a_write_over_the_link_and_the_flush_behind_it() -> None:
    link = {
        "lanes": 1,
        "lane_rate": "1000 MT/s",
        "max_payload": "256B",
        "packet_overhead": "20B",
        "doorbell": "4B",
        "submission_entry": "64B",
        "completion_entry": "16B",
    }
    written, flushed = simulate(drive(host__link=link), [write(0, 0), (0, "flush", 0, 0)]).requests
    # Doorbell, fetch, entry, fetch of the data, 16 packets of data. The flush's messages go behind the
    # write's and keep nothing up but its data: these are due at 156; the flush's entry takes until 216.
    submitted = 24 + 24 + 84 + 24 + (4096 + 16 * 20) + 60
    assert parts(written) == (0, 0, 1_070, 500_000)
    assert written.link_ns == submitted + 36
    assert flushed.completion_ns == submitted + PROGRAM + 2 * 36


def test_two_collection_jobs() -> None:
    began = 8_000_000
    outcome = simulate(drive(), WRITES_THAT_COLLECT)
    first_end = (
        began + PROGRAM + READ + PROGRAM + ERASE
    )  # the host's program is under way when the job begins
    second_end = first_end + READ + PROGRAM + ERASE
    assert outcome.gc_jobs == [
        JobOutcome(began, first_end, first_end, 0, 0, 1, 2, 0, 0, used_pages=12 + 9),
        JobOutcome(first_end, second_end, second_end, 0, 1, 1, 3, 0, 0, used_pages=21 + 1 - 4),
    ]
    assert latencies(outcome) == [PROGRAM] * 9
    assert outcome.counters["gc"] == {
        "jobs": 2,
        "pages_moved": 2,
        "dropped_moves": 0,
        "free_blocks_low_water": 1,
        "stalled_writes": 0,
        "host_write_stall_ns": 0,
    }
    assert outcome.counters["wear"] == {"min_erases": 0, "max_erases": 1}


def test_a_read_behind_an_erase_waits_for_collection() -> None:
    came = 10_000_000
    outcome = simulate(drive(), [*WRITES_THAT_COLLECT, read(came, 11)])
    first_end, second_end = (job.end_ns for job in outcome.gc_jobs)
    assert parts(outcome.requests[-1]) == (0, first_end - came, 1_070, 50_000)
    assert (
        second_end == first_end + READ + READ + PROGRAM + ERASE
    )  # the host's read goes before the second job


def test_a_copyback_keeps_its_data_off_the_channel() -> None:
    outcome = simulate(drive(gc__relocation={"kind": "copyback"}), WRITES_THAT_COLLECT)
    copyback = 70 + 50_000 + 70 + 500_000
    assert outcome.gc_jobs[0].end_ns == 8_000_000 + PROGRAM + copyback + ERASE
    assert outcome.counters["flash"]["copybacks"] == 2
    assert outcome.counters["flash"]["gc_reads"] == 0


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"gc__colour": "red"}, "gc has no key colour"),
        ({"gc__victim": {"kind": "greedy", "d": 2}}, "gc.victim has no key d"),
        ({"gc__victim": {"kind": "best"}}, "gc.victim.kind = 'best'"),
        ({"geometry__user_capacity": "64KiB"}, "spare blocks"),
        (
            {"interconnect": {"kind": "serialized-channel"}, "flash__suspend": {"erase": True}},
            "flash.suspend does not go",
        ),
    ],
)
def test_what_the_page_does_not_know_is_refused(change: dict[str, Any], named: str) -> None:
    with pytest.raises((KeyError, ValueError), match=named):
        simulate(drive(**change), [write(0, 0)])
