"""The closed forms against values from their papers, an independent Monte Carlo, and each other."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reclaim.validation.closed_forms import amplification as wa
from reclaim.validation.closed_forms import channel, queueing
from reclaim.validation.closed_forms.queueing import Class

# A Monte Carlo of the model itself (4096 blocks, no simulator of ours involved). It runs up to 0.5 % high,
# because its open block and its one free block are not available; random and d = 2 have noise of up to 1 %.
# Pages per block, spare factor, then greedy, FIFO, random, d = 2, d = 10.
MONTE_CARLO = [
    (32, 0.07, 6.072, 7.340, 14.38, 9.359, 6.413),
    (32, 0.28, 1.900, 1.994, 3.587, 2.552, 1.956),
    (64, 0.20, 2.602, 2.696, 5.000, 3.537, 2.678),
    (256, 0.07, 7.149, 7.342, 14.30, 9.952, 7.362),
    (256, 0.28, 1.981, 1.993, 3.583, 2.577, 2.024),
]

spare_factors = st.floats(0.02, 0.6)


@pytest.mark.parametrize(("pages", "spare", "greedy", "fifo", "random_", "two", "ten"), MONTE_CARLO)
def test_uniform_writes_against_monte_carlo(
    pages: int, spare: float, greedy: float, fifo: float, random_: float, two: float, ten: float
) -> None:
    assert wa.greedy(spare, pages) == pytest.approx(greedy, rel=0.005)
    assert wa.fifo(spare) == pytest.approx(fifo, rel=0.005)
    assert wa.random_victim(spare) == pytest.approx(random_, rel=0.01)
    assert wa.d_choices(spare, pages, 2) == pytest.approx(two, rel=0.01)
    assert wa.d_choices(spare, pages, 10) == pytest.approx(ten, rel=0.005)
    assert wa.greedy_desnoyers(spare, pages) == pytest.approx(wa.greedy(spare, pages), rel=0.01)


def test_hot_and_cold_pages_and_trims_against_monte_carlo() -> None:
    by_hot = {(0.1, 0.2): 5.549, (0.1, 0.05): 7.085, (0.2, 0.1): 3.537, (0.28, 0.2): 2.319}
    for (spare, hot), expected in by_hot.items():
        classes = [(hot, 1 - hot), (1 - hot, hot)]
        assert wa.fifo_classes(spare, classes) == pytest.approx(expected, rel=0.005)
    for (spare, trims), expected in {(0.07, 0.02): 5.342, (0.07, 0.2): 1.824, (0.15, 0.1): 2.185}.items():
        assert wa.greedy(wa.with_trims(spare, trims), 64) == pytest.approx(expected, rel=0.005)
    # Desnoyers 2012, at an over-provisioning of 0.3: 2.36, where Agarwal and Marrow have 2.17.
    assert round(wa.fifo(wa.spare_factor_of(0.3)), 2) == 2.36
    assert round(wa.agarwal_marrow(wa.spare_factor_of(0.3)), 2) == 2.17


@given(spare_factors, st.integers(4, 300))
def test_more_choice_and_smaller_blocks_never_hurt(spare: float, pages: int) -> None:
    order = [wa.d_choices(spare, pages, d) for d in (math.inf, 10, 2, 1)]
    assert order == sorted(order)
    assert order[-1] == pytest.approx(1 / spare, rel=1e-6)
    assert 1 <= order[0] <= wa.fifo(spare) * (1 + 1e-9)
    assert wa.greedy(spare, 2 * pages) >= order[0]


@given(spare_factors, st.floats(0.05, 0.95), st.floats(0.05, 0.95))
def test_classes_written_alike_are_one_class(spare: float, share: float, other: float) -> None:
    alike = wa.fifo_classes(spare, [(share, share), (1 - share, 1 - share)])
    assert alike == pytest.approx(wa.fifo(spare), rel=1e-9)
    assert wa.fifo_classes(spare, [(share, other), (1 - share, 1 - other)]) >= alike * (1 - 1e-9)


@given(st.floats(-1 / math.e, -1e-12))
def test_lambert_w_inverts(x: float) -> None:
    w = wa.lambert_w(x)
    assert w >= -1
    assert w * math.exp(w) == pytest.approx(x, rel=1e-9)


@pytest.mark.parametrize("x", [-0.4, 0.0, 1.0])
def test_lambert_w_refuses_what_it_has_no_answer_for(x: float) -> None:
    with pytest.raises(ValueError, match="must be from"):
        wa.lambert_w(x)


def lindley(gap: float, services: list[float], count: int) -> tuple[float, float]:
    """Mean and 99th percentile of the waits of `count` requests in a queue played by hand."""
    draw = random.Random(1)  # noqa: S311 (nothing secret)
    waits, wait = [], 0.0
    for _ in range(count):
        waits.append(wait)
        wait = max(0.0, wait + draw.choice(services) - draw.expovariate(1 / gap))
    return sum(waits) / count, sorted(waits)[int(count * 0.99)]


@pytest.mark.parametrize("load", [0.2, 0.8])
def test_one_server_played_by_hand(load: float) -> None:
    mean, p99 = lindley(1 / load, [1.0], 400_000)
    assert 1 + mean == pytest.approx(queueing.md1_response(service=1, load=load), rel=0.02)
    assert p99 == pytest.approx(queueing.md1_wait_percentile(99, service=1, load=load), rel=0.05)
    mean, _ = lindley(2 / load, [1.0, 3.0], 400_000)
    classes = [Class(load / 4, 1.0), Class(load / 4, 3.0)]
    assert mean == pytest.approx(queueing.mg1_wait(classes), rel=0.04)


@given(st.floats(0.05, 0.45), st.floats(0.05, 0.45), st.floats(0.1, 10), st.floats(0.1, 10))
def test_priority_moves_waiting_about_but_does_not_remove_it(
    one: float, two: float, short: float, long: float
) -> None:
    classes = [Class(one / short, short), Class(two / long, long)]
    waits = queueing.cobham_waits(classes)
    # Kleinrock's conservation law.
    kept = sum(each.load * wait for each, wait in zip(classes, waits, strict=True))
    assert kept == pytest.approx((one + two) * queueing.mg1_wait(classes))
    assert waits[0] < queueing.mg1_wait(classes) < waits[1]


@pytest.mark.parametrize(("load", "p99"), [(0.2, 1.434), (0.5, 3.336), (0.8, 10.356), (0.9, 21.90)])
def test_percentile_inverts_the_distribution(load: float, p99: float) -> None:
    wait = queueing.md1_wait_percentile(99, service=1, load=load)
    assert wait == pytest.approx(p99, rel=1e-3)
    of = [queueing.md1_wait_cdf(each, service=1, load=load) for each in (wait, -1, 0)]
    assert of == pytest.approx([0.99, 0, 1 - load], rel=1e-9)


def test_channel() -> None:
    commands = {"read_command": 175, "program_command": 175, "erase_command": 125}
    timing = channel.Timing(8192, 40_000_000, 90_000, 1_100_000, 10_000_000, **commands)
    assert (timing.data, timing.read, timing.erase) == (204_800, 294_975, 10_000_125)
    assert timing.program == 175 + 204_800 + 1_100_000
    assert timing.read_bytes_per_s == pytest.approx(8192 / 204_975e-9)
    assert timing.dies_to_fill_the_channel[0] == pytest.approx(294_975 / 204_975)
    assert channel.Timing(8192, 40_000_000, 0, 0, 0, width_bits=16).data == 102_400
