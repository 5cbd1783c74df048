"""The reference model against situations worked out on paper: stripe writes of RAID-5.

Four chips, each on a channel of its own, so that what they do at once takes as long as on one of them.
Lines, room, trims and degraded reads are in test_reference_model_raid5_drive.py.
"""

from __future__ import annotations

from typing import Any

import pytest

from paper_drive import PAGE, PROGRAM, READ, Record, latencies, parts, raid5, read, write
from reference_model import Outcome, simulate
from reference_model.configuration import Configuration
from reference_model.drive import Drive
from reference_model.redundancy.layout import Layout
from reference_model.request import Request


def layout_of(config: dict[str, Any]) -> Layout:
    return Drive(Configuration(config), []).stripes.layout


def homes(layout: Layout, stripe: int) -> list[int]:
    return [layout.home(page) for page in layout.pages(stripe)]


def counted(outcome: Outcome) -> tuple[int | None, ...]:
    """Return full stripe writes, update writes, rebuild writes and the pages read for them."""
    counters = outcome.counters["redundancy"]
    kinds = ("full_stripe_writes", "update_writes", "rebuild_writes", "stripe_reads")
    return tuple(counters[kind] for kind in kinds)


def test_parity_goes_round_the_chips_row_by_row_of_planes() -> None:
    # Two planes a chip, numbered 0 and 1, 2 and 3, 4 and 5, 6 and 7: parity stays for two rows.
    layout = layout_of(raid5(geometry__planes_per_die=2, geometry__user_capacity="192KiB"))
    assert (layout.stripes, layout.user_pages, layout.stored_pages) == (16, 48, 64)
    data_then_parity = [
        [0, 2, 4, 6],
        [1, 3, 5, 7],
        [0, 2, 6, 4],
        [1, 3, 7, 5],
        [0, 4, 6, 2],
        [1, 5, 7, 3],
        [2, 4, 6, 0],
        [3, 5, 7, 1],
        [0, 2, 4, 6],
    ]
    assert [homes(layout, stripe) for stripe in range(9)] == data_then_parity
    assert list(layout.data(4)) == [12, 13, 14]
    assert layout.parity(4) == 48 + 4


def test_stripes_take_the_parity_sets_in_turn() -> None:
    layout = layout_of(raid5(redundancy__stripe_chips=2, geometry__user_capacity="64KiB"))
    assert (layout.sets, layout.data_pages, layout.stripes) == (2, 1, 16)
    assert [homes(layout, stripe) for stripe in range(6)] == [[0, 1], [2, 3], [1, 0], [3, 2], [0, 1], [2, 3]]


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


IN_PART = (0, "write", 1024, PAGE)
"""The most of page 0 and a little of page 1."""


@pytest.mark.parametrize(
    ("record", "found"),
    [
        (write(0, 0, 3), (1, 0, 0, 0)),
        (write(0, 0), (0, 1, 0, 2)),  # as many as its neighbours: the page and the parity are read
        (write(0, 1, 2), (0, 0, 1, 1)),  # page 0 instead of 1, 2 and the parity
        ((0, "write", 1024, 1024), (0, 1, 0, 2)),
        (IN_PART, (0, 1, 0, 3)),  # 0, 1, parity; for a rebuild 2 and, for what is not covered, 0 and 1
        ((0, "write", 1024, 3 * PAGE - 1024), (0, 0, 1, 1)),  # all of the stripe but a bit of page 0
    ],
)
def test_the_way_that_reads_less(record: Record, found: tuple[int, ...]) -> None:
    outcome = simulate(raid5(), [record])
    assert counted(outcome) == found
    # What is read is read at once, then everything is programmed at once, as whole pages.
    reads = READ if found[-1] else 0
    assert latencies(outcome) == [reads + PROGRAM]
    (row,) = outcome.requests
    assert parts(row) == (0, 0, 1_070 + (1_070 if reads else 0), 500_000 + (50_000 if reads else 0))
    flash = outcome.counters["flash"]
    assert (flash["host_reads"], flash["rmw_reads"], flash["parity_programs"]) == (0, 0, 1)


def test_only_what_is_in_flash_is_read() -> None:
    empty = raid5() | {"warmup": {"kind": "empty"}}
    nothing = [write(0, 0)]
    assert counted(simulate(empty, nothing)) == (0, 1, 0, 0)
    # The parity, or page 0: both are one read.
    one = [*nothing, write(1_000_000, 1)]
    assert counted(simulate(empty, one)) == (0, 2, 0, 1)
    # The parity, or pages 0 and 1.
    two = [*one, write(2_000_000, 2)]
    assert counted(simulate(empty, two)) == (0, 3, 0, 2)
    # Pages 1 and 2 and the parity, or page 0.
    assert counted(simulate(empty, [*two, write(3_000_000, 1, 2)])) == (0, 3, 1, 3)


def test_a_stripe_has_one_holder_at_a_time() -> None:
    outcome = simulate(raid5(), [write(0, 0), write(1_000, 0), write(2_000, 1)])
    one = READ + PROGRAM
    assert latencies(outcome) == [one, 2 * one - 1_000, 3 * one - 2_000]
    assert parts(outcome.requests[2]) == (2 * one - 2_000, 0, 2_140, 550_000)
    assert outcome.counters["redundancy"]["stripe_waits"] == 2
    # What waits for dies alone is not counted.
    other = simulate(raid5(), [write(0, 0), write(1_000, 4)])
    assert other.counters["redundancy"]["stripe_waits"] == 0


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


def test_a_reader_never_sees_half_a_stripe_write() -> None:
    # Chip 1 reads page 4 first. So three programs end at PROGRAM, that of page 1 later.
    ended = READ + PROGRAM
    between = [read(PROGRAM + 1_000, page) for page in range(3)]
    made = Drive(
        Configuration(raid5()),
        [Request(*record) for record in [read(0, 4), write(0, 0, 3), *between, read(ended + 1, 0)]],
    )
    made.warm_up.run([])
    valid: list[int] = []
    route = made.requests.route

    def watched(*arguments: Any, **named: Any) -> None:
        valid.append(sum(made.space.valid))
        route(*arguments, **named)

    made.requests.route = watched  # type: ignore[method-assign]
    before = made.mapping.where[0]
    made.run()
    rows = made.requests.rows
    assert [row.completion_ns - row.arrival_ns for row in rows] == [READ, 0, 0, 0, ended, READ]
    # Old copies stay until the last new one is there: the stripes' 32 pages, three more, then 32 again.
    assert valid == [32, 35, 35, 35, 32]
    assert made.mapping.where[0] != before


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
