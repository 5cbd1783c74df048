"""The same points on a cluster: a real scheduler and two worker processes, one of them killed midway."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import reclaim
from conftest import environment
from reclaim import builds
from reclaim.experiment.experiment import Experiment
from reclaim.experiment.task import task_of
from reclaim.result.sets.log import read
from reclaim.study.alone import packed
from reclaim.study.on_dask import Cluster as Scheduler
from reclaim.study.on_dask import _Gathering, _Sent
from reclaim.study.on_worker import Answer
from reclaim.study.store import Store
from reclaim.study.study import Meter, RunOptions
from reclaim.study.sweep import Sweep
from study.small import contents, experiment

distributed = pytest.importorskip("distributed")


SCHEDULER = "distributed.cli.dask_scheduler --host 127.0.0.1 --port 0 --no-dashboard --scheduler-file"
WORKER = "distributed.cli.dask_worker --nthreads 1 --no-nanny --no-dashboard --local-directory"
OWN = """import reclaim


@reclaim.victim_policy
def fewest(plane):
    return plane.blocks[plane.valid.argmin()]
"""


class Cluster:
    """A scheduler, and workers of one thread each; they end with the tests of this file."""

    def __init__(self, place: Path) -> None:
        self.place, self.processes = place, list[subprocess.Popen[bytes]]()
        file = place / "scheduler.json"
        self._start(*SCHEDULER.split(), str(file))
        deadline = time.monotonic() + 60
        while not file.is_file() and time.monotonic() < deadline:
            time.sleep(0.05)
        self.address = str(json.loads(file.read_text())["address"])

    def worker(self) -> int:
        """Start one."""
        return self._start(*WORKER.split(), str(self.place), self.address)

    def _start(self, *words: str) -> int:
        waits = environment() | {"DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "10s"}
        quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.processes.append(
            subprocess.Popen([sys.executable, "-m", *words], cwd=self.place, env=waits, **quiet)
        )
        return self.processes[-1].pid


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Two workers."""
    made = Cluster(tmp_path_factory.mktemp("cluster"))
    made.worker()
    made.worker()
    yield made
    for each in made.processes:
        each.kill()
        each.wait()


@pytest.mark.slow
def test_a_lost_worker_changes_no_byte(
    cluster: Cluster, tmp_path: Path, trace_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a drive, a trace and a policy of one's own."""
    lost = cluster.worker()
    with distributed.Client(cluster.address) as client:
        client.wait_for_workers(3)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(OWN)
    (tmp_path / "drive.toml").write_text('base = "coupled-copyback-mini"\nname = "mine"\n')
    own = {"name": "mine", "set": {"gc.victim": {"kind": "python", "function": "mine.py:fewest"}}}
    lowest = {"name": "built in", "set": {"gc.victim": {"kind": "greedy", "ties": "lowest-number"}}}
    traces = [trace_file.name, experiment()["traces"][0]]
    sections = experiment(devices=["drive.toml"], traces=traces, schemes=[own, lowest])
    file = tmp_path / "x.toml"
    file.write_text(Experiment.from_dict(sections, base=tmp_path).text)
    killed = threading.Event()

    def kill(progress: reclaim.study.Progress) -> None:
        if progress.done >= 2 and not killed.is_set():
            killed.set()
            os.kill(lost, signal.SIGKILL)

    swept = Sweep(Experiment.load(file)).run(tmp_path / "far", RunOptions(dask=cluster.address), kill)
    assert (killed.is_set(), swept.failures) == (True, [])
    Sweep(Experiment.load(file)).run(tmp_path / "here")
    assert contents(tmp_path / "far") == contents(tmp_path / "here")
    results = reclaim.ResultSet.load(tmp_path / "far")
    mine, built_in = (
        results.filter(scheme=name).points["gc_write_amplification"] for name in ("mine", "built in")
    )
    assert mine.to_list() == built_in.to_list()


@pytest.mark.slow
def test_a_worker_that_stops_is_given_up(cluster: Cluster, tmp_path: Path) -> None:
    silent = cluster.worker()
    with distributed.Client(cluster.address) as client:
        client.wait_for_workers(3)
    made = Experiment.from_dict(experiment())
    stopped = threading.Event()

    def stop(progress: reclaim.study.Progress) -> None:
        if progress.done >= 1 and not stopped.is_set():
            stopped.set()
            os.kill(silent, signal.SIGSTOP)

    began = time.monotonic()
    how = RunOptions(dask=cluster.address, worker_timeout=6.0)
    swept = Sweep(made).run(tmp_path / "far", how, stop)
    # Dask itself takes five minutes.
    assert time.monotonic() - began < 120
    assert (stopped.is_set(), swept.failures) == (True, [])
    Sweep(made).run(tmp_path / "here")
    assert contents(tmp_path / "far") == contents(tmp_path / "here")
    with pytest.raises(reclaim.InputError, match="--worker-timeout 1: at least 5 seconds"):
        Sweep(made).run(tmp_path / "far", RunOptions(dask=cluster.address, worker_timeout=1.0))


def test_an_ablation_gives_the_same_bytes(cluster: Cluster, tmp_path: Path) -> None:
    schemes = ["greedy", {"name": "B", "schemes": ["d-choices"], "set": {"gc.pages_in_flight": 4}}]
    ablate = {"from": "greedy", "to": "B", "metrics": ["write_mean_ns"]}
    made = experiment(schemes=schemes, axes={}, repeats={"count": 1}, record={}) | {"ablate": ablate}
    far = reclaim.ablate(made, tmp_path / "far", dask=cluster.address)
    assert far.failures == {}
    assert far.conclusions == reclaim.ablate(made, tmp_path / "here").conclusions
    assert contents(tmp_path / "far") == contents(tmp_path / "here")


FEW = experiment(schemes=["greedy"], repeats={"count": 1}, record={})
OTHER = "01234567-0123456789ab"


def test_no_scheduler_and_another_build_are_refused(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reclaim.study.on_dask.CONNECT_SECONDS", 0.5)
    made, theirs = Experiment.from_dict(FEW), builds.build()
    with pytest.raises(reclaim.InputError, match=r"tcp://127\.0\.0\.1:9"):
        Sweep(made).run(tmp_path / "nowhere", RunOptions(dask="tcp://127.0.0.1:9"))
    monkeypatch.undo()
    monkeypatch.setattr(builds, "build", lambda: OTHER)
    with pytest.raises(reclaim.InputError, match=rf"worker tcp://\S+ .*{re.escape(theirs)}.*{OTHER}"):
        Sweep(made).run(tmp_path / "far", RunOptions(dask=cluster.address))
    assert not list((tmp_path / "far/points").iterdir())
    found = Sweep(made).run(tmp_path / "far", RunOptions(dask=cluster.address, accept=(theirs,)))
    assert found.failures == []
    assert json.loads((tmp_path / "far/manifest.json").read_text())["builds"] == {theirs: 2}


class KilledWorker(Exception):  # noqa: N818 - as distributed calls it
    """What comes back of a point whose workers were lost."""


class Ended:
    def __init__(self, answer: Answer | Exception) -> None:
        self.answer = answer

    def result(self) -> Answer:
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


class Client(list[tuple[str, bool]]):
    """A cluster on paper: it keeps how a point was given."""

    def submit(self, _work: object, *_: object, alone: bool, key: str, pure: bool) -> str:
        assert not pure
        self.append((key, alone))
        return key


def test_a_point_whose_workers_are_lost_is_run_alone_and_then_noted(tmp_path: Path) -> None:
    """Those beside it on the lost workers are given again, too, and are stored."""
    (point, *_) = Experiment.from_dict(FEW).points()
    store, client, failed = Store(tmp_path), Client(), list[tuple[str, str]]()
    store.prepare()
    task = task_of(point, 0)
    sent = _Sent(task, packed(task), {}, "", alone=False)
    fails, meter = (lambda *told: failed.append(told)), Meter(1, 0, None)
    take = _Gathering(client, Scheduler("tcp://x"), {}, store, meter, fails)._take  # noqa: SLF001
    assert take(Ended(KilledWorker("lost")), sent) is not None
    assert (client, failed) == ([(f"reclaim-{point.id}-alone", True)], [])
    told = "its process was killed (SIGKILL)"
    assert take(Ended(Answer({}, told, 0.0, died=True)), replace(sent, alone=True)) is None
    assert failed == [(point.id, told)]
    assert read(tmp_path).of(point.id).died
    with pytest.raises(reclaim.InputError, match="version"):
        take(Ended(ImportError("no module named reclaim.study.alone")), sent)


def test_a_point_run_alone_gives_the_same_bytes(cluster: Cluster, tmp_path: Path) -> None:
    made = Experiment.from_dict(FEW)
    (tmp_path / "far").mkdir()
    (tmp_path / "far/experiment.toml").write_text(made.text)
    # A sweep was killed while they ran.
    lines = [json.dumps({"point": each.id, "outcome": "began"}) for each in made.points()]
    (tmp_path / "far/log.jsonl").write_text("\n".join(lines) + "\n")
    assert Sweep(made).run(tmp_path / "far", RunOptions(dask=cluster.address)).failures == []
    Sweep(made).run(tmp_path / "here")
    assert contents(tmp_path / "far") == contents(tmp_path / "here")
