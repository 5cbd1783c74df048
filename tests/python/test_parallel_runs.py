"""Several simulations in one process: threads run side by side, and each can be stopped."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import reclaim
from conftest import DEVICE


def long_run(progress: object = None, *, count: int = 300_000, seed: int = 1) -> reclaim.Result:
    trace = reclaim.uniform_trace(
        footprint_bytes=8 << 20, count=count, mean_interarrival_ns=200_000, seed=seed, write_fraction=0.7
    )
    drive = reclaim.Device.preset(DEVICE)
    return reclaim.simulate(drive, trace, warmup="filled", progress=progress, warn=False)


def test_runs_of_two_threads_overlap_and_give_what_they_give_alone() -> None:
    """Both tell of their progress while the other is under way: neither waits for the other's end."""
    told: dict[int, list[float]] = {1: [], 2: []}
    # So long that a busy computer, too, lets both tell of themselves in between.
    count = 1_500_000

    def run(seed: int) -> str:
        def progress(phase: str, *_: int) -> None:
            if phase == "run":
                told[seed].append(time.monotonic())

        return long_run(progress, count=count, seed=seed).to_json()

    with ThreadPoolExecutor(2) as pool:
        together = list(pool.map(run, (1, 2)))
    assert min(map(len, told.values())) >= 2
    assert max(first[0] for first in told.values()) < min(last[-1] for last in told.values())
    assert together == [long_run(count=count, seed=seed).to_json() for seed in (1, 2)]


def test_an_exception_from_progress_stops_its_own_run_only() -> None:
    class EnoughError(Exception):
        """One run is to end."""

    began = threading.Barrier(2, timeout=60)
    ended: dict[str, float] = {}

    def stopped() -> None:
        waited = False

        def progress(phase: str, *_: int) -> None:
            nonlocal waited
            if phase == "run":
                if not waited:
                    waited = True
                    began.wait()
                raise EnoughError

        # So long that it does not end by itself before it is told to.
        with pytest.raises(EnoughError):
            long_run(progress, count=3_000_000)
        ended["stopped"] = time.monotonic()

    def finished() -> str:
        waited = False

        def progress(phase: str, *_: int) -> None:
            nonlocal waited
            if phase == "run" and not waited:
                waited = True
                began.wait()

        result = long_run(progress).to_json()
        ended["finished"] = time.monotonic()
        return result

    with ThreadPoolExecutor(2) as pool:
        first, second = pool.submit(stopped), pool.submit(finished)
        first.result(timeout=120)
        assert second.result(timeout=120) == long_run().to_json()
    assert ended.keys() == {"stopped", "finished"}


def test_a_state_is_shared_by_runs_of_the_same_key(tmp_path: Path) -> None:
    trace = reclaim.uniform_trace(footprint_bytes=8 << 20, count=2000, mean_interarrival_ns=200_000, seed=1)
    for warmup in ("overwrite", "workload"):
        first = reclaim.Device.preset(DEVICE).set("warmup.kind", warmup)
        second = first.set("scheduler", "fcfs")
        key = first.warm_up_key(trace)
        assert key == second.warm_up_key(trace)
        assert key != first.set("gc.victim", "fifo").warm_up_key(trace)
        state = tmp_path / f"{key}.state"
        reclaim.simulate(first, trace, save_state=state, warn=False)
        loaded = reclaim.simulate(second, trace, load_state=state, warn=False)
        assert loaded.to_json() == reclaim.simulate(second, trace, warn=False).to_json()
