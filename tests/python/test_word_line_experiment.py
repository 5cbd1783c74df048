"""The experiment on word-line-aware GC: small pools against a plain model, large ones against figures."""

from __future__ import annotations

import math
from bisect import bisect_right
from itertools import accumulate, product
from typing import Any

import pytest

from reclaim import _core
from reclaim.errors import InputError
from reference_model.randomness import M64, M128, Stream
from word_line import READINGS, as_printed, experiment, published, reductions
from word_line.experimental import half_interval
from word_line.normal import reduction
from word_line.reproduction import NORMAL_ROOM

Block = tuple[int, int, int, int]


class Bits(Stream):
    """The same stream, 64 bits at a time."""

    def next_u64(self) -> int:
        self.state = (self.state * 0x2360ED051FC65DA44385DF649FCCF645) & M128
        turn, x = self.state >> 122, ((self.state >> 64) ^ self.state) & M64
        return ((x >> turn) | (x << (64 - turn))) & M64


def cumulative(pages: int, chance: float) -> list[int]:
    """P(at most k) times 2^64 for k = 0 … pages - 1, from ratios of neighbours, the most likely first."""
    terms = [1.0] * (pages + 1)
    likeliest = min(int((pages + 1) * chance), pages)
    for k in range(likeliest, pages):
        terms[k + 1] = terms[k] * ((pages - k) * chance) / ((k + 1) * (1 - chance))
    for k in reversed(range(likeliest)):
        terms[k] = terms[k + 1] * ((k + 1) * (1 - chance)) / ((pages - k) * chance)
    sums = list(accumulate(terms))
    return [min(int(upto / sums[-1] * 2.0**64), M64) for upto in sums[:-1]]


def drawn(blocks: int, pages: int, percent: int, batch: int, seed: int, *, by_page: bool) -> list[Block]:
    stream = Bits(seed, f"word-line validity {percent} {batch}")
    chance, of_level = percent / 100, pages // 4
    upto = cumulative(of_level, chance)

    def level() -> int:
        if by_page:
            return sum((stream.next_u64() >> 11) * 2.0**-53 < chance for _ in range(of_level))
        return bisect_right(upto, stream.next_u64())

    return [(level(), level(), level(), level()) for _ in range(blocks)]


def dot(block: Block, costs: list[float]) -> float:
    return sum(pages * cost for pages, cost in zip(block, costs, strict=True))


def plain_model(
    pool: list[Block], weights: list[float], costs: list[float], erase: float, stream: Stream
) -> dict[str, tuple[int, float]]:
    """Valid pages and latency of each policy's quarter."""
    quarter = len(pool) // 4
    wanted, any_of = quarter, []
    for at in range(len(pool)):
        if stream.below(len(pool) - at) < wanted:
            wanted -= 1
            any_of.append(at)
    by_weight = sorted(range(len(pool)), key=lambda at: (dot(pool[at], weights), at))
    chosen = {
        "word-line": by_weight[:quarter],
        "greedy": sorted(range(len(pool)), key=lambda at: (sum(pool[at]), at))[:quarter],
        "arbitrary": list(range(quarter)),
        "random": any_of,
        "worst": sorted(range(len(pool)), key=lambda at: (-dot(pool[at], costs), at))[:quarter],
        "published-replica": by_weight[:1] * quarter,
    }
    return {
        policy: (sum(sum(pool[at]) for at in victims), sum(dot(pool[at], costs) + erase for at in victims))
        for policy, victims in chosen.items()
    }


@pytest.mark.parametrize("drawing", ["by-level", "by-page"])
@pytest.mark.parametrize(("reading", "weigh"), [("program", "read"), ("table-1-erase", "read-program")])
def test_small_pools_are_those_of_the_plain_model(drawing: Any, reading: str, weigh: Any) -> None:
    blocks, pages, percents, seed = 90, 64, [5, 40, 95, 100], 11
    ways = {"reading": reading, "weigh": weigh, "drawing": drawing, "seed": seed}
    table = experiment(blocks=blocks, pages_per_block=pages, valid_percents=percents, batches=2, **ways)
    costs = READINGS[reading].page_us.tolist()
    weights = list(READINGS[reading].read_us) if weigh == "read" else costs
    expected = []
    for percent, batch in product(percents, range(2)):
        pool = drawn(blocks, pages, percent, batch, seed, by_page=drawing == "by-page")
        stream = Stream(seed, f"word-line victims {percent} {batch}")
        model = plain_model(pool, weights, costs, READINGS[reading].erase_us, stream)
        expected += [(percent, batch, policy, blocks // 4, *of) for policy, of in model.items()]
    assert table.rows() == expected


@pytest.mark.parametrize("pages", [16, 1024, 4096])
@pytest.mark.parametrize("percent", [1, 50, 99])
def test_numbers_of_valid_pages_are_drawn_by_inversion(pages: int, percent: int) -> None:
    found = _core.word_line_pool(blocks=500, pages_per_block=pages, valid_percent=percent, batch=3, seed=5)
    assert list(map(tuple, found)) == drawn(500, pages, percent, 3, 5, by_page=False)


def test_threads_change_nothing() -> None:
    one, *more = (experiment(blocks=2000, batches=2, valid_percents=[5, 60], threads=n) for n in (1, 2, 5))
    assert all(one.equals(each) for each in more)


@pytest.mark.parametrize("blocks", [4000, pytest.param(500_000, marks=pytest.mark.slow)])
def test_the_published_replica_has_the_papers_two_numbers(blocks: int) -> None:
    """At the size of the log in which they stand, and with that log's sign: a full pool costs so much."""
    printed, victims = as_printed(published(blocks=blocks)), blocks // 4
    improvements = [100 * improvement for improvement in printed["improvement"]]
    assert max(improvements) == improvements[0]
    assert improvements[-1] == 0
    # 5.5 is the mean of 1 to 10: the sum is never cleared. Victims of 64 full word lines.
    assert printed["vanilla"][-1] == (64 * 72 + 9) * victims * 5.5
    # The baseline is what 1,024 pages of 4.5 on average and an erase cost.
    for percent, vanilla in zip(printed["valid_percent"], printed["vanilla"], strict=True):
        assert vanilla / victims / 5.5 == pytest.approx(1024 * percent / 100 * 4.5 + 9, rel=1e-2)
    if blocks == 500_000:
        # What the log of the published program has: the largest and the mean of 20 improvements.
        assert max(improvements) == pytest.approx(55.0, abs=1.5)
        assert sum(improvements) / 20 == pytest.approx(17.7, abs=0.6)


@pytest.mark.parametrize(
    ("pages", "reading", "weigh", "arbitrary", "greedy"),
    [
        # Largest and mean over 20 shares, per cent, of an independent program (numpy, 200,000 blocks).
        (1024, "program", "read", (16.65, 4.91), (0.255, 0.074)),
        (4096, "table-1-erase", "read-program", (8.42, 2.51), (0.323, 0.093)),
        (16384, "table-1-erase", "read-program", (4.40, 1.27), (0.16, 0.05)),
    ],
)
def test_the_correct_policy_gains_little(
    pages: int, reading: str, weigh: Any, arbitrary: tuple[float, float], greedy: tuple[float, float]
) -> None:
    table = experiment(blocks=25_000, pages_per_block=pages, batches=4, reading=reading, weigh=weigh)
    saved = reductions(table)
    for baseline, (largest, mean) in (("arbitrary", arbitrary), ("greedy", greedy)):
        percent = 100 * saved[baseline]
        assert percent.max() == pytest.approx(largest, rel=0.03, abs=0.02)
        assert percent.mean() == pytest.approx(mean, rel=0.03, abs=0.01)
    assert saved["random"].max() == pytest.approx(saved["arbitrary"].max(), abs=5e-3)
    assert (saved["worst"] >= saved["arbitrary"]).all()


def test_the_closed_form_is_near_the_experiment() -> None:
    """Weights of blocks are nearly normal: the lightest quarter lies 1.271 deviations below the mean."""
    reading, pages = READINGS["table-1-erase"], 16384
    table = experiment(blocks=40_000, pages_per_block=pages, valid_percents=[25, 75], batches=2)
    for row in reductions(table).iter_rows(named=True):
        for baseline, room in NORMAL_ROOM.items():
            formula = reduction(reading, pages, row["valid_percent"] / 100, baseline)
            assert row[baseline] == pytest.approx(formula, rel=room), baseline
    spread = math.sqrt(pages / 4 * 0.25 * 0.75 * sum(cost**2 for cost in (3, 5, 6, 7)))
    by_hand = 1.271 * spread / (pages / 4 * 0.25 * 21 + 60)
    assert reduction(reading, pages, 0.25, "arbitrary") == pytest.approx(by_hand, rel=0.01)


def test_reductions_have_intervals() -> None:
    table = experiment(blocks=4000, valid_percents=[20], batches=5)
    one = reductions(table).row(0, named=True)
    wide = table.pivot(on="policy", index="batch", values="latency_us")
    each = 1 - wide["word-line"] / wide["arbitrary"]
    assert one["arbitrary ±"] == pytest.approx(2.776 * each.std() / math.sqrt(5), rel=1e-3)
    assert one["arbitrary"] == pytest.approx(each.mean(), rel=1e-3)
    alone = reductions(experiment(blocks=400, valid_percents=[20], batches=1))
    assert alone["greedy ±"].to_list() == [None]
    assert half_interval([1.0]) is None
    assert half_interval([0.0, 2.0]) == pytest.approx(12.706, rel=1e-3)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"blocks": 2}, "^blocks: "),
        ({"blocks": 8, "pages_per_block": 10}, "^pages_per_block: .*multiple of 4"),
        ({"blocks": 8, "reading": "table-2"}, 'reading "table-2" .*valid: table-1, '),
        ({"blocks": 8, "weigh": "write"}, 'weigh "write" .*valid: read'),
        ({"blocks": 8, "drawing": "by-block"}, 'drawing "by-block" .*valid: by-level'),
    ],
)
def test_what_cannot_be_is_refused(given: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError, match=says):
        experiment(**given)


def test_it_tells_how_far_it_is_and_can_be_stopped() -> None:
    def stop(done: int, total: int) -> None:
        raise RuntimeError(f"{done <= total}")

    with pytest.raises(RuntimeError, match="True"):
        experiment(blocks=500_000, drawing="by-page", progress=stop)
