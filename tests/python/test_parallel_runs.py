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


class EnoughError(Exception):
    """One run is to end."""


def test_runs_of_two_threads_overlap_and_an_exception_ends_its_own_alone() -> None:
    """Each waits in its progress for the other: they meet only if neither waits for the other's end."""
    begun = threading.Barrier(2, timeout=60)

    def run(seed: int, error: Exception | None = None) -> str:
        phases: list[str] = []

        def progress(phase: str, *_: int) -> None:
            if phase == "run" and phase not in phases:
                begun.wait()
                if error is not None:
                    raise error
            phases.append(phase)

        return long_run(progress, seed=seed).to_json()

    with ThreadPoolExecutor(2) as pool:
        together = list(pool.map(run, (1, 2)))
        alone = [long_run(seed=seed).to_json() for seed in (1, 2)]
        assert together == alone
        stopped, finished = pool.submit(run, 1, EnoughError()), pool.submit(run, 2)
        with pytest.raises(EnoughError):
            stopped.result(timeout=120)
        assert finished.result(timeout=120) == alone[1]
        # Without any progress told, Python goes on meanwhile: twice, as the first may wait for the end.
        silent = pool.submit(long_run, count=1_000_000)
        time.sleep(0.02)
        time.sleep(0.02)
        assert not silent.done()


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
