"""The reference model against situations worked out on paper from docs/model.md; and what it refuses.

Situations that tests of the core have worked out (crates/sim/tests: timing, gc, waiting, odd_even, word_line,
raid5, buffered, networks) are not repeated here and in the files beside this one: on random drives both must
agree.
"""

from __future__ import annotations

import tomllib
from typing import Any

import pytest

from paper_drive import PROGRAM, drive, parts, read, write
from reference_model import simulate
from reference_model.randomness import Stream, fnv1a, seeded_state


def test_seeding_has_the_pages_check_values() -> None:
    assert fnv1a("victim") == 0x2B4FB9B471839815
    assert fnv1a("warmup") == 0x33006B31FE1664A5
    assert seeded_state(42, "victim") == 0x45BB05B3271B1350AA251BFB45E9E081
    assert seeded_state(7, "warmup") == 0x77E68BD21794064D445906AFC5BD2D5


@pytest.mark.parametrize(
    ("seed", "name", "bound", "draws"),
    [
        (42, "victim", 1000, [117, 303, 777, 49, 346, 697, 624, 215]),
        (42, "victim", 3_000_000_000, [353831350, 2333530820, 1040666564, 1872516899, 2689708176]),
        (42, "warmup", 1000, [739, 655, 383, 140, 844, 339, 804, 236]),
        (7, "warmup", 3, [2, 1, 1, 1, 0, 0, 0, 0, 2, 0, 1, 1]),
    ],
)
def test_draws_have_the_pages_check_values(seed: int, name: str, bound: int, draws: list[int]) -> None:
    stream = Stream(seed, name)
    assert [stream.below(bound) for _ in draws] == draws


def test_a_write_over_the_link_and_the_flush_behind_it() -> None:
    link = {"lanes": 1, "lane_rate": "1000 MT/s", "max_payload": "256B", "packet_overhead": "20B"}
    link |= {"doorbell": "4B", "submission_entry": "64B", "completion_entry": "16B"}
    written, flushed = simulate(drive(host__link=link), [write(0, 0), (0, "flush", 0, 0)]).requests
    # Doorbell, fetch, entry, fetch of the data, 16 packets of data. The flush's messages go behind the
    # write's and keep nothing up but its data: these are due at 156; the flush's entry takes until 216.
    submitted = 24 + 24 + 84 + 24 + (4096 + 16 * 20) + 60
    assert parts(written) == (0, 0, 1_070, 500_000)
    assert written.link_ns == submitted + 36
    assert flushed.completion_ns == submitted + PROGRAM + 2 * 36


UNITS = 'flash.cell = "TLC"; flash.program_unit = "word-line"'
# Room enough for what units strand.
ROOMY = 'geometry.user_capacity = "4KiB"; geometry.blocks_per_plane = 20'
SERIAL, OWN = 'interconnect.kind = "serialized-channel"', 'redundancy.parity_blocks = "own"'
SIX = "geometry.pages_per_block = 6"
BUFFERED = 'gc.relocation = {kind = "buffered"}'
ODD_EVEN = f'{ROOMY}; gc.relocation = {{kind = "copyback-odd-even"}}'
MESH = """geometry.channels = 2; geometry.chips_per_channel = 3; geometry.user_capacity = "288KiB"; \
interconnect = {kind = "mesh", hop = "7ns"}"""
VENICE = f'{BUFFERED}; interconnect.kind = "venice-priority"; interconnect'
STRIPED = """geometry.channels = 4; geometry.user_capacity = "96KiB"; \
redundancy = {kind = "raid5", stripe_chips = 4}"""
REFUSED = f"""
gc.colour = "red" -> gc has no key colour
gc.victim = {{kind = "greedy", d = 2}} -> gc.victim has no key d
gc.victim.kind = "best" -> gc.victim.kind = 'best'
geometry.user_capacity = "64KiB" -> spare blocks
{SERIAL}; flash.suspend.erase = true -> flash.suspend does not go
{ROOMY}; {UNITS} -> whole word lines
{ROOMY}; {UNITS}; {SIX}; flash.pages_per_word_line = 6 -> as many pages
{ODD_EVEN}; ftl.gc_frontier = "shared" -> copyback-odd-even
{ODD_EVEN}; gc.trigger = {{kind = "frontier-filled"}} -> jobs = 1
gc.victim = {{kind = "word-line", weights = [1, 2]}} -> weights are not 1
gc.concurrency = {{kind = "adaptive", theta2 = "101%"}} -> <= 100%
{BUFFERED}; gc.relocation.capacity = "0 blocks" -> at least 1 block
{BUFFERED}; gc.relocation.destination = "far" -> destination = 'far'
{BUFFERED}; gc.relocation.batches = 0 -> 1 batch
{BUFFERED}; {ROOMY}; {SIX}; {UNITS} -> units of one page
{BUFFERED}; gc.relocation.batches = 2; {SERIAL}; interconnect.gc_tasks = "whole" -> whole
{VENICE}.gc_controller = "shared"; interconnect.gc_at = [0, 0] -> does not go with gc_controller
{VENICE}.elevate_after = 0 -> at least 1
{MESH}; interconnect.rows = -2; interconnect.columns = -3 -> one router for each of 6 chips
{MESH}; interconnect.controllers = [] -> needs a controller
{MESH}; interconnect.controllers = [[0, 3]] -> outside the mesh
{MESH}; interconnect.gc_controllers = [[0, 1], [1, 0]] -> two controllers
redundancy.kind = "raid5" -> stripe_chips
{STRIPED}; redundancy.stripe_chips = 3 -> does not divide 4
{STRIPED}; redundancy.parity_blocks = "none" -> parity_blocks
{STRIPED}; geometry.user_capacity = "108KiB" -> too few
{STRIPED}; ftl.allocation.kind = "dynamic" -> striping by lpn
{STRIPED}; {BUFFERED} -> buffered
{STRIPED}; gc.block_victim_access = true -> block_victim_access
{STRIPED}; controller.write_buffer = "12KiB" -> write_buffer of a stripe
{STRIPED}; {OWN}; ftl.gc_frontier = "shared"; geometry.user_capacity = "48KiB" -> separate
"""
"""Settings, and what the message names."""


@pytest.mark.parametrize(
    "row", REFUSED.replace(";\n", "; ").replace("\n    ", "").replace("\n;", ";").split("\n")[1:-1]
)
def test_what_the_page_does_not_know_or_does_not_go_together_is_refused(row: str) -> None:
    settings, _, named = row.partition(" -> ")
    changes: dict[str, Any] = {}
    for each in settings.split("; "):
        path, _, value = each.strip().partition(" = ")
        changes[path.replace(".", "__")] = tomllib.loads(f"value = {value}")["value"]
    with pytest.raises((KeyError, ValueError)) as refused:
        simulate(drive(**changes), [read(0, 0)])
    assert named in str(refused.value)
