"""The reference model against situations worked out on paper from docs/model.md.

Situations that tests of the core have worked out (crates/sim/tests: timing, gc, waiting, odd_even, word_line,
raid5, buffered, networks) are not repeated here and in the files beside this one: on random drives both must
agree.
"""

from __future__ import annotations

from typing import Any

import pytest

from paper_drive import PROGRAM, drive, parts, write
from reference_model import simulate
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
