"""The reference model and Reclaim agree: on fixed random drives and traces, and where chance would not go.

`make differential RUNS=2000` compares on other random ones.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import reclaim
from differential.case import Case, Request
from differential.compare import Outcome, counters_of, first_difference, of_reclaim, of_reference
from differential.coverage import APART, NEW, Coverage, pairs_of
from differential.figures import COUNTERS, NOT_COMPARED, OF_POLICIES
from differential.report import report
from differential.rules import FEWEST, PAGE, RARE, REASONS, numbered
from differential.search import DifferenceError
from differential.tested import Run, choose, chosen_seeds, search_all

DRIVE = {
    "name": "one channel of four dies",
    "geometry": {
        "channels": 1,
        "chips_per_channel": 4,
        "dies_per_chip": 1,
        "planes_per_die": 1,
        "blocks_per_plane": 16,
        "pages_per_block": 32,
        "page_size": "4KiB",
        "spare_factor": "40%",
    },
    "flash": {"t_read": "25us", "t_program": "200us", "t_erase": "700us"},
    "channel": {"rate": "333 MT/s"},
}


def latencies(case: Case) -> list[int]:
    """Of the requests in order of completion, on which both must agree."""
    ours, config = of_reclaim(case)
    assert first_difference(ours, of_reference(config, case)) is None
    return [row["completion_ns"] - row["arrival_ns"] for row in ours.requests]


@pytest.fixture(scope="module")
def tested() -> Coverage:
    coverage = Coverage()
    try:
        search_all(coverage)
    except DifferenceError as found:
        pytest.fail(report(found.case, found.what), pytrace=False)
    return coverage


def test_the_reference_model_gives_the_same_latencies_jobs_and_counters(tested: Coverage) -> None:
    assert tested.runs == sum(len(seeds) for seeds in chosen_seeds().values())
    # A sample in which little happens would agree easily.
    assert tested.jobs > 30 * tested.runs
    happens = "gc.dropped_moves flash.suspends flash.wear_erases flash.padded_pages flash.wasted_pages"
    for event in [*happens.split(), "buffer.waits"]:
        assert tested.used[f"{event} > 0"] > 0, event
    stripes = "full_stripe_writes update_writes rebuild_writes stripe_waits room_waits degraded_reads"
    for event in [*(f"redundancy.{name}" for name in stripes.split()), "flash.trimmed_pages"]:
        assert tested.used[f"with raid5: {event} > 0"] > 0, event
    assert tested.used["redundancy.parity_blocks = own"] > 0


def test_every_rule_is_exercised_or_has_a_reason_why_not(tested: Coverage) -> None:
    counts = tested.rules.counts()
    places = tested.rules.places()
    rare = {rule: places[rule][0] for rule, runs in counts.items() if runs is not None and runs < FEWEST}
    assert rare == {}, "make rules; where no candidate has them, raise the seeds in differential/tested.py"
    assert {rule for rule, runs in counts.items() if runs is None} == set(REASONS), (
        "name new rules where they are followed"
    )


def test_every_two_new_settings_that_can_go_together_do_so(tested: Coverage) -> None:
    pairs = set(pairs_of(NEW))
    assert pairs >= APART
    assert pairs - APART - {*tested.pairs} == set(), "make rules"
    assert APART & {*tested.pairs} == set(), "they can go together"


def test_every_figure_is_compared_or_has_a_reason_why_not(tmp_path: Path) -> None:
    # An odd number: they have streams.
    case = Case(DRIVE, [(0, "write", 0, 4096), (9, "read", 0, 4096), (10, "write", 4096, 4096)])
    ours, config = of_reclaim(case)
    compared = {*COUNTERS, *(f"policies.{name}" for name in OF_POLICIES)}
    reasons = [re.compile(re.escape(path).replace(r"\*", r"\w+")) for path in NOT_COMPARED]
    case.write(tmp_path)
    device = reclaim.Device.load(tmp_path / "device.toml")
    records = zip(case.requests, case.streams, strict=True)
    trace = reclaim.Trace.from_records([(*request, stream) for request, stream in records])
    result = reclaim.simulate(device, trace)
    found = {name for name, _ in counters_of(result.to_dict())}
    left = {name for name in found - compared if not any(reason.match(name) for reason in reasons)}
    assert left == set(), "compare it, or say why not: tests/differential/figures.py"
    unused = [reason.pattern for reason in reasons if not any(map(reason.match, found))]
    assert unused == []
    # What is said to be compared is there on both sides.
    other = of_reference(config, case)
    missing = [name for name in COUNTERS if name not in ours.counters or name not in other.counters]
    of_failing = ("wear.failed_blocks", "wear.available_spare")
    assert all(name.startswith(("power_cuts.", *of_failing)) for name in missing)
    assert ours.timeline


def test_a_paced_job_does_not_wait_for_pages_that_are_rebuilt() -> None:
    """They fill no write buffer, so that the host is at rest (docs/model.md, 13.35 and 18.5)."""
    size = {"blocks_per_plane": 12, "pages_per_block": 9, "page_size": "512B", "planes_per_die": 2}
    case = Case(
        {
            "name": "a chip is rebuilt, three pages at a time",
            "geometry": {"channels": 1, "chips_per_channel": 4, "dies_per_chip": 1, **size}
            | {"user_capacity": "73728B"},
            "flash": {"cell": "TLC", "program_unit": "word-line", "level_order": "level-major"}
            | {"t_read": "1us", "t_program": "2us", "t_erase": "5us"},
            "channel": {"rate": "512 MT/s", "command_cycle": "0ns"},
            "ftl": {"allocation": {"kind": "striping", "by": "lpn"}, "gc_frontier": "separate"},
            "redundancy": {"kind": "raid5", "stripe_chips": 2, "rebuild_chip": 0},
            "gc": {"pages_in_flight": 1, "pace": "by-victim", "relocation": {"kind": "controller"}}
            | {"trigger": {"kind": "free-blocks", "start": "0.0000%", "hard": "off"}},
            "scheduler": {"kind": "read-first"},
            "controller": {"write_buffer": "unlimited"},
            "warmup": {"kind": "filled"},
        },
        [(0, "write", 29_696, 512)],
    )
    ours, config = of_reclaim(case)
    assert first_difference(ours, of_reference(config, case)) is None
    # Pages that are rebuilt wait 60 ms for others of their word line while the job relocates and erases.
    assert [row["end_ns"] - row["start_ns"] for row in ours.gc_jobs][:1] == [19_000]


def test_a_difference_in_any_figure_is_seen() -> None:
    ours, _ = of_reclaim(Case(DRIVE, [(0, "write", 0, 4096), (9, "read", 0, 4096)]))
    for name, value in ours.counters.items():
        changed = [*value, 0] if isinstance(value, list) else (value or 0) + 1
        other = Outcome(ours.requests, ours.gc_jobs, ours.timeline, {**ours.counters, name: changed})
        difference = first_difference(ours, other)
        assert difference is not None
        assert name in difference
    shorter = Outcome(ours.requests, ours.gc_jobs, ours.timeline[:-1], ours.counters)
    assert first_difference(ours, shorter) is not None


def test_the_page_of_rules_counts_them_all() -> None:
    page = PAGE.read_text()
    listed = re.findall(r"^\| (\d\S*) \|(?: (\d+) \|)?", page, re.MULTILINE)
    others = re.search(r"^The other (\d+) are", page, re.MULTILINE)
    assert others
    assert len(listed) + int(others[1]) == len(numbered()), "make rules"
    assert {rule for rule, _ in listed} <= set(numbered()), "make rules"
    assert all(FEWEST <= int(runs) < RARE for _, runs in listed if runs)


def test_a_difference_is_found_and_reported() -> None:
    ours, config = of_reclaim(Case(DRIVE, [(0, "write", 0, 4096), (0, "read", 4096, 4096)]))
    other = of_reference(config, Case(DRIVE, [(0, "write", 0, 4096), (0, "read", 4096, 4095)]))
    difference = first_difference(ours, other)
    assert difference is not None
    assert "size_bytes" in difference


def test_a_read_behind_a_burst_of_programs_stands_in_the_line_of_reads() -> None:
    fill: Request = (0, "write", 0, 32_768)
    burst: Request = (10_000_000, "write", 0, 16_384)
    read: Request = (10_001_000, "read", 28_672, 4_096)
    assert latencies(Case(DRIVE, [fill, burst, read]))[1] == 48_950


def test_one_top_up_of_a_closed_loop_takes_4096_requests() -> None:
    unmapped: list[Request] = [(0, "read", 4096 * (100 + index % 1000), 512) for index in range(5_000)]
    drive = DRIVE | {"host": {"mode": "closed-loop", "queue_depth": 2}}
    case = Case(drive, [(0, "write", 0, 4096), *unmapped])
    ours, config = of_reclaim(case)
    assert first_difference(ours, of_reference(config, case)) is None
    arrivals = [row["arrival_ns"] for row in ours.requests if row["op"] == 0]
    assert arrivals.count(0) == 4_095
    assert arrivals[-1] > 0


def test_few_runs_are_chosen_that_reach_every_place_often_enough() -> None:
    def ran(number: int, places: list[str], used: list[str], seconds: float) -> Run:
        coverage = Coverage()
        coverage.rules.runs.update((place, f"{place}.py") for place in places)
        coverage.used.update(used)
        return Run(("", number), coverage, seconds)

    common = [ran(number, ["1.1"], ["a"], 1.0) for number in range(40)]
    dear = [ran(number, ["1.1", "1.2"], ["a"], 60.0) for number in range(40, 60)]
    cheap = [ran(number, ["1.2"], [], 1.0) for number in range(60, 80)]
    rare = [ran(number, ["1.3"], ["b"], 9.0) for number in range(80, 84)]
    chosen = choose([*common, *dear, *cheap, *rare])
    reached = [place for each in chosen for place in each.coverage.rules.runs]
    counts = [reached.count((place, f"{place}.py")) for place in ("1.1", "1.2", "1.3")]
    assert counts == [FEWEST, FEWEST, 4]
    assert not set(dear) & set(chosen)
    seeds = [each.seed for each in chosen]
    assert seeds == sorted(seeds)
    assert seeds == [each.seed for each in choose([*rare, *cheap, *dear, *common])]
