"""The reference model against situations worked out on paper: stripe writes of RAID-5.

Four chips, each on a channel of its own, so that what they do at once takes as long as on one of them.
Lines, room, trims and degraded reads are in test_reference_model_raid5_drive.py.
"""

from __future__ import annotations

from typing import Any

import pytest

from paper_drive import READ, parts, raid5, read, write
from reference_model import Outcome, simulate
from reference_model.configuration import Configuration
from reference_model.drive import Drive
from reference_model.redundancy.layout import Layout


def layout_of(config: dict[str, Any]) -> Layout:
    return Drive(Configuration(config), []).stripes.layout


def counted(outcome: Outcome) -> tuple[int | None, ...]:
    """Return full stripe writes, update writes, rebuild writes and the pages read for them."""
    counters = outcome.counters["redundancy"]
    kinds = ("full_stripe_writes", "update_writes", "rebuild_writes", "stripe_reads")
    return tuple(counters[kind] for kind in kinds)


@pytest.mark.parametrize(
    ("capacity", "stripes", "user_pages"),
    [
        ({"user_capacity": "108KiB"}, 9, 27),
        ({"user_capacity": "118KiB"}, 9, 27),  # two pages that make no stripe
        ({"spare_factor": "70%"}, 9, 27),  # 39 of 128 pages, with their parity
        ({"over_provisioning": "300%"}, 8, 24),  # 32 pages
    ],
)
def test_what_the_host_sees_is_whole_stripes(capacity: dict[str, str], stripes: int, user_pages: int) -> None:
    config = raid5(gc__trigger={"kind": "free-blocks", "start": "1 block"})
    del config["geometry"]["user_capacity"]
    config["geometry"] |= capacity
    layout = layout_of(config)
    assert (layout.stripes, layout.user_pages) == (stripes, user_pages)


def test_a_write_is_gathered_into_stripe_writes() -> None:
    layout = layout_of(raid5())
    # A page that is not greater than the one before it begins another one, also of the same stripe.
    assert layout.runs([1, 2, 3, 5, 4, 4, 0]) == [[1, 2], [3, 5], [4], [4], [0]]
    # As the trace's pages 2 to 9 of a drive of 24: parts of two stripes and one whole one.
    outcome = simulate(raid5(), [write(0, 2, 6)])
    assert counted(outcome) == (1, 1, 1, 2 + 1)
    assert outcome.counters["flash"]["host_programs"] == 6
    assert outcome.counters["flash"]["parity_programs"] == 3


def test_two_stripe_writes_of_one_request_to_a_stripe_follow_each_other() -> None:
    # Pages 24 to 26 of the trace are pages 0 to 2 again.
    config = raid5(trace={"remap": "wrap"})
    outcome = simulate(config, [write(0, 0, 27)])
    assert counted(outcome) == (9, 0, 0, 0)
    assert outcome.counters["redundancy"]["stripe_waits"] == 1


def test_reads_find_the_old_page_until_it_is_in_the_buffer() -> None:
    outcome = simulate(raid5(), [write(0, 0), read(1_000, 0), read(2 * READ + 1_000, 0)])
    early, late, written = outcome.requests
    # The page of the stripe write leaves first; then the die has a read, and the program comes after it.
    assert early.completion_ns == 2 * READ
    assert late.completion_ns == late.arrival_ns
    assert parts(written) == (READ, 0, 2_140, 550_000)
    assert outcome.counters["flash"]["buffer_hits"] == 1
    assert outcome.counters["flash"]["host_reads"] == 1


def test_the_programs_of_a_stripe_write_bear_its_account_and_the_last_one_is_the_requests() -> None:
    # Chip 3, where the parity of stripe 0 is, reads page 8 first: the parity's program ends last.
    outcome = simulate(raid5(), [read(0, 8), write(0, 0, 3)])
    assert layout_of(raid5()).home(8) == 3
    assert parts(outcome.requests[1]) == (READ, 0, 1_070, 500_000)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"redundancy": {"kind": "raid5"}}, "stripe_chips"),
        ({"redundancy__stripe_chips": 1}, "stripe_chips = 1"),
        ({"redundancy__stripe_chips": 3}, "does not divide 4"),
        ({"redundancy__unreadable_chip": 4}, "unreadable_chip = 4"),
        ({"redundancy__parity_blocks": "none"}, "parity_blocks"),
        ({"redundancy__further": 1}, "no key further"),
        ({"geometry__user_capacity": "8KiB"}, "less than a stripe"),
        ({"geometry__user_capacity": "108KiB"}, "too few"),
        ({"redundancy__parity_blocks": "own"}, "too few"),
        ({"ftl__allocation": {"kind": "dynamic"}}, "striping by lpn"),
        ({"ftl__allocation": {"kind": "striping", "by": "arrival"}}, "striping by lpn"),
        ({"gc__relocation": {"kind": "buffered"}}, "buffered"),
        ({"ftl__assign_pages": "on-arrival"}, "at-start"),
        ({"gc__block_victim_access": True}, "block_victim_access"),
        ({"controller": {"write_buffer": "12KiB"}}, "write_buffer of a stripe"),
        (
            {
                "redundancy__parity_blocks": "own",
                "ftl__gc_frontier": "shared",
                "geometry__user_capacity": "48KiB",
            },
            "separate open blocks",
        ),
    ],
)
def test_what_does_not_go_with_raid5_is_refused(change: dict[str, Any], named: str) -> None:
    with pytest.raises((ValueError, KeyError), match=named):
        simulate(raid5(**change), [])
