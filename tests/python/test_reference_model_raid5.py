"""The reference model against situations worked out on paper: RAID-5, and what it asks of the drive.

Four chips, each on a channel of its own, so that what they do at once takes as long as on one of them; stripe
t has its parity on chip 3 - t mod 4. And on random drives, what the pages hold.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, assume, given, seed, settings

from differential.case import Case
from differential.coverage import has_setting
from differential.search import cases
from paper_drive import PAGE, PROGRAM, READ, Record, parts, raid5, read, write
from reference_model import Outcome, simulate
from reference_model.configuration import Configuration
from reference_model.counters import Counters
from reference_model.drive import Drive
from reference_model.redundancy.layout import Layout
from reference_model.request import Request
from reference_model.simulate import counters_of
from reference_model.warmup import Rounds
from stripe_contents import Contents

RUNS = 50
BROKEN = {"kind": "raid5", "stripe_chips": 4, "unreadable_chip": 0}


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


def warm(config: dict[str, Any], requests: list[Record]) -> Drive:
    """Return the drive after its warm-up."""
    asked = [Request(*record) for record in requests]
    made = Drive(Configuration(config), asked)
    made.warm_up.run(asked)
    return made


def test_a_stripe_write_takes_a_page_of_the_buffer_for_its_parity() -> None:
    four_pages = raid5(controller__write_buffer="16KiB")
    outcome = simulate(four_pages, [write(0, 0), write(1_000, 4)])
    assert (outcome.counters["buffer"]["max_pages"], outcome.counters["buffer"]["waits"]) == (4, 0)


def test_nobody_overtakes_outside_the_buffer() -> None:
    # A whole stripe takes four of six pages, so two pages of another wait; one of a third would fit.
    six_pages = raid5(controller__write_buffer="24KiB")
    outcome = simulate(six_pages, [write(0, 0, 3), write(1_000, 3, 2), write(2_000, 6)])
    first, third, second = outcome.requests
    assert parts(first) == (0, 0, 1_070, 500_000)
    # Both let in when the program on chip 3 has ended. That chip is idle only then, and so the last to begin
    # to read, for the second: the third's programs come first on chips 0 and 1.
    assert parts(third) == (PROGRAM - 2_000, 0, 2_140, 550_000)
    assert parts(second) == (PROGRAM - 1_000 + PROGRAM, 0, 2_140, 550_000)
    buffer = outcome.counters["buffer"]
    assert (buffer["capacity_pages"], buffer["max_pages"], buffer["waits"]) == (6, 5, 2 + 1)
    assert buffer["wait_ns"] == 2 * (PROGRAM - 1_000) + (PROGRAM - 2_000)


def test_old_and_new_copies_need_room() -> None:
    # A plane has eight valid pages and may hold (8 - 5) * 4: four stripe writes, and no fifth.
    records = [write(0, 3 * stripe, 3) for stripe in range(6)]
    outcome = simulate(raid5(), records)
    assert [parts(row) for row in outcome.requests] == [
        (0, 0, 1_070, 500_000),
        (PROGRAM, 0, 1_070, 500_000),
        (2 * PROGRAM, 0, 1_070, 500_000),
        (3 * PROGRAM, 0, 1_070, 500_000),
        # Written when the first is committed, behind three others in each line.
        (3 * PROGRAM, PROGRAM, 1_070, 500_000),
        (3 * PROGRAM, 2 * PROGRAM, 1_070, 500_000),
    ]
    assert outcome.counters["redundancy"]["room_waits"] == 2
    assert outcome.counters["gc"]["stalled_writes"] == 0
    # A smaller drive has more: page for page of what is not stored.
    smaller = raid5(geometry__user_capacity="84KiB")
    assert simulate(smaller, records).counters["redundancy"]["room_waits"] == 1


def test_nobody_overtakes_in_the_line_for_room() -> None:
    # Stripes of two chips, one page each: the even ones on chips 0 and 1, the odd ones on 2 and 3.
    two_sets = raid5(redundancy__stripe_chips=2, geometry__user_capacity="64KiB")
    outcome = simulate(two_sets, [*(write(0, stripe) for stripe in (0, 2, 4, 6, 8)), write(0, 1)])
    assert outcome.counters["redundancy"]["room_waits"] == 2
    # There is room for page 1, but it is behind page 8, which is let in when page 0 is committed.
    rows = {row.offset_bytes // PAGE: row for row in outcome.requests}
    assert parts(rows[1]) == (0, PROGRAM, 1_070, 500_000)
    assert parts(rows[8]) == (3 * PROGRAM, PROGRAM, 1_070, 500_000)


def test_parity_on_the_unreadable_chip_is_not_read_either() -> None:
    # Stripe 3 has it there: an update would read it, so the two other pages are read, and the page.
    outcome = simulate(raid5(redundancy=BROKEN), [write(0, 9)])
    redundancy = outcome.counters["redundancy"]
    assert (redundancy["update_writes"], redundancy["stripe_reads"]) == (1, 3)


def test_degraded_reads_and_stripe_writes_wait_for_each_other() -> None:
    behind = simulate(raid5(redundancy=BROKEN), [write(0, 1), read(1_000, 0)])
    assert parts(behind.requests[1]) == (READ + PROGRAM - 1_000, 0, 1_070, 50_000)
    before = simulate(raid5(redundancy=BROKEN), [read(0, 0), write(1_000, 1)])
    assert parts(before.requests[1]) == (READ - 1_000, 0, 2_140, 550_000)
    for outcome in (behind, before):
        assert outcome.counters["redundancy"]["stripe_waits"] == 1
    # What is in the buffer is read there, and not computed.
    hit = simulate(raid5(redundancy=BROKEN), [write(0, 0), read(READ + 1_000, 0)])
    assert hit.counters["flash"]["buffer_hits"] == 1
    assert hit.counters["redundancy"]["degraded_reads"] == 0


def owners(config: dict[str, Any]) -> list[list[int | None]]:
    """Return what the blocks of chip 0 hold that have pages."""
    space = warm(config, []).space
    blocks = [[space.owner[4 * k + page] for page in range(space.blocks[k].taken)] for k in range(8)]
    return [block for block in blocks if block]


def test_parity_has_blocks_of_its_own() -> None:
    # Four stripes: pages 0, 3 and 6 of the host, then the parity of stripe 3 on chip 0.
    four = {"geometry__user_capacity": "48KiB"}
    assert owners(raid5(**four)) == [[0, 3, 6, 12 + 3]]
    assert owners(raid5(**four, redundancy__parity_blocks="own")) == [[0, 3, 6], [12 + 3]]


def test_warm_up_writes_parity_and_counts_it() -> None:
    filled = warm(raid5(), [])
    assert filled.space.programmed == 32
    # Half as many random pages as the host sees, each with its parity.
    overwritten = warm(raid5(warmup={"kind": "overwrite", "overwrites": 0.5}), [])
    assert overwritten.space.programmed == 32 + 2 * 12
    # Pages 2 to 6: the end of a stripe, a whole one, and the beginning of another.
    replayed = warm(raid5(warmup={"kind": "replay"}), [write(0, 2, 5)])
    assert replayed.space.programmed == 5 + 3
    assert sorted(replayed.mapping.where) == [2, 3, 4, 5, 6, 24, 25, 26]

    counters = Counters()
    flash, rounds = counters.flash, Rounds(counters, 0.0)
    flash.host_programs, flash.parity_programs, flash.gc_programs = 10, 10, 5
    rounds.end()
    assert rounds.noted == [2.5]


@pytest.mark.parametrize("runs", [4, pytest.param(50, marks=pytest.mark.slow)])
def test_random_drives_hold_what_was_written(runs: int) -> None:
    seen: Counter[str] = Counter()
    for number in range(runs):
        random_run(number, seen)
    few = "full_stripe_writes update_writes gc_programs"
    more = "rebuild_writes stripe_waits room_waits degraded_reads trimmed_pages own"
    wanted = f"{few} {more}" if runs == 50 else few
    assert [event for event in wanted.split() if not seen[event]] == []


def random_run(number: int, seen: Counter[str]) -> None:
    """Run a random case that has stripes, and look at what the pages hold."""

    @seed(number)
    @settings(
        max_examples=1,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=cases())
    def follow(case: Case) -> None:
        assume(has_setting(case.drive, "redundancy.kind=raid5"))
        made = Drive(Configuration(case.drive), [Request(*record) for record in case.requests])
        contents = Contents(made)
        made.warm_up.run([Request(*record) for record in case.requests])
        made.run()
        contents.check_at_rest()
        happened = counters_of(made)
        counts = happened["redundancy"] | happened["flash"]
        seen.update(event for event, count in counts.items() if count)
        seen.update({"own": int(has_setting(case.drive, "redundancy.parity_blocks=own"))})

    follow()
