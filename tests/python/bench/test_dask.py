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
from bench.small import contents, experiment
from conftest import environment
from reclaim import builds
from reclaim.bench.experiment import Experiment
from reclaim.bench.on_dask import Cluster as Scheduler
from reclaim.bench.on_dask import _Gathering, _Sent
from reclaim.bench.on_worker import Answer
from reclaim.bench.parcel import packed
from reclaim.bench.progress import Meter
from reclaim.bench.run import How, sweep_into
from reclaim.bench.store import Store
from reclaim.bench.task import task_of
from reclaim.results.sets.log import read

distributed = pytest.importorskip("distributed")


PLACE = ("--nthreads", "1", "--no-nanny", "--no-dashboard", "--local-directory")


class Cluster:
    """A scheduler, and workers of one thread each; they end with the tests of this file."""

    def __init__(self, place: Path) -> None:
        self.place, self.processes = place, list[subprocess.Popen[bytes]]()
        words = (
            "-m",
            "distributed.cli.dask_scheduler",
            "--host",
            "127.0.0.1",
            "--port",
            "0",
            "--no-dashboard",
        )
        file = place / "scheduler.json"
        self._start(*words, "--scheduler-file", str(file))
        deadline = time.monotonic() + 60
        while not file.is_file() and time.monotonic() < deadline:
            time.sleep(0.05)
        self.address = str(json.loads(file.read_text())["address"])

    def worker(self) -> int:
        """Start one."""
        return self._start("-m", "distributed.cli.dask_worker", self.address, *PLACE, str(self.place))

    def _start(self, *words: str) -> int:
        waits = {"DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "10s"}
        quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        command = [sys.executable, *words]
        self.processes.append(subprocess.Popen(command, cwd=self.place, env=environment() | waits, **quiet))
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


def test_a_lost_worker_changes_no_byte(cluster: Cluster, tmp_path: Path, trace_file: Path) -> None:
    lost = cluster.worker()
    with distributed.Client(cluster.address) as client:
        client.wait_for_workers(3)
    (tmp_path / "drive.toml").write_text('base = "coupled-copyback-mini"\nname = "mine"\n')
    sections = experiment(devices=["drive.toml"], traces=[trace_file.name, experiment()["traces"][0]])
    file = tmp_path / "x.toml"
    file.write_text(Experiment.from_dict(sections, base=tmp_path).text)
    killed = threading.Event()

    def kill(progress: reclaim.bench.Progress) -> None:
        if progress.done >= 2 and not killed.is_set():
            killed.set()
            os.kill(lost, signal.SIGKILL)

    swept = sweep_into(Experiment.load(file), tmp_path / "far", How(dask=cluster.address), kill)
    assert killed.is_set()
    assert swept.failures == []
    sweep_into(Experiment.load(file), tmp_path / "here")
    assert contents(tmp_path / "far") == contents(tmp_path / "here")


@pytest.mark.slow
def test_an_ablation_on_a_cluster_gives_the_same_bytes(cluster: Cluster, tmp_path: Path) -> None:
    schemes = ["greedy", {"name": "B", "schemes": ["d-choices"], "set": {"gc.pages_in_flight": 4}}]
    ablate = {"from": "greedy", "to": "B", "metrics": ["write_mean_ns"]}
    made = experiment(schemes=schemes, axes={}) | {"ablate": ablate}
    far = reclaim.ablate(made, tmp_path / "far", dask=cluster.address)
    here = reclaim.ablate(made, tmp_path / "here")
    assert far.failures == {}
    assert far.conclusions == here.conclusions
    assert contents(tmp_path / "far") == contents(tmp_path / "here")


def test_no_scheduler_is_told_in_a_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reclaim.bench.on_dask.CONNECT_SECONDS", 0.5)
    with pytest.raises(reclaim.InputError, match=r"tcp://127\.0\.0\.1:9"):
        sweep_into(Experiment.from_dict(experiment()), tmp_path / "far", How(dask="tcp://127.0.0.1:9"))


OTHER_BUILD = "01234567-0123456789ab"


def test_another_build_is_refused(cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    theirs = builds.build()
    monkeypatch.setattr(builds, "build", lambda: OTHER_BUILD)
    made = Experiment.from_dict(experiment(schemes=["greedy"], repeats={"count": 1}, record={}))
    told = rf"worker tcp://\S+ .*{re.escape(theirs)}.*{OTHER_BUILD}"
    with pytest.raises(reclaim.InputError, match=told):
        sweep_into(made, tmp_path / "far", How(dask=cluster.address))
    assert not list((tmp_path / "far/points").iterdir())
    found = sweep_into(made, tmp_path / "far", How(dask=cluster.address, accept=(theirs,)))
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


class Client:
    """A cluster on paper: it keeps how a point was given."""

    def __init__(self) -> None:
        self.given: list[tuple[str, bool]] = []

    def submit(self, _work: object, *_: object, alone: bool, key: str, pure: bool) -> str:
        assert not pure
        self.given.append((key, alone))
        return key


def test_a_point_whose_workers_are_lost_is_run_alone_and_then_noted(tmp_path: Path) -> None:
    """Those beside it on the lost workers are given again, too, and are stored."""
    (point, *_) = Experiment.from_dict(experiment(record={})).points()
    store = Store(tmp_path)
    store.prepare()
    failed: list[tuple[str, str]] = []
    client = Client()
    task = task_of(point, 0)
    sent = _Sent(task, packed(task), {}, "", alone=False)
    gathering = _Gathering(
        client, Scheduler("tcp://x"), {}, store, Meter(1, 0, None), lambda *told: failed.append(told)
    )
    assert gathering._take(Ended(KilledWorker("lost")), sent) is not None  # noqa: SLF001
    assert (client.given, failed) == ([(f"reclaim-{point.id}-alone", True)], [])
    told = "its process was killed (SIGKILL)"
    answer = Answer({}, told, 0.0, died=True)
    assert gathering._take(Ended(answer), replace(sent, alone=True)) is None  # noqa: SLF001
    assert failed == [(point.id, told)]
    assert read(tmp_path).of(point.id).died
    with pytest.raises(reclaim.InputError, match="version"):
        gathering._take(Ended(ImportError("no module named reclaim.bench.parcel")), sent)  # noqa: SLF001


def test_a_point_run_alone_on_a_cluster_gives_the_same_bytes(cluster: Cluster, tmp_path: Path) -> None:
    made = Experiment.from_dict(experiment(schemes=["greedy"], repeats={"count": 1}))
    (tmp_path / "far").mkdir()
    (tmp_path / "far/experiment.toml").write_text(made.text)
    # A sweep was killed while they ran.
    lines = [json.dumps({"point": each.id, "outcome": "began"}) for each in made.points()]
    (tmp_path / "far/log.jsonl").write_text("\n".join(lines) + "\n")
    assert sweep_into(made, tmp_path / "far", How(dask=cluster.address)).failures == []
    sweep_into(made, tmp_path / "here")
    assert contents(tmp_path / "far") == contents(tmp_path / "here")


OWN = """import reclaim


@reclaim.victim_policy
def fewest(plane):
    return plane.blocks[plane.valid.argmin()]
"""


@pytest.mark.slow
def test_a_policy_of_one_s_own(cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine.py").write_text(OWN)
    monkeypatch.chdir(tmp_path)
    own = {"name": "mine", "set": {"gc.victim": {"kind": "python", "function": "mine.py:fewest"}}}
    lowest = {"name": "built in", "set": {"gc.victim": {"kind": "greedy", "ties": "lowest-number"}}}
    file = tmp_path / "x.toml"
    sections = experiment(schemes=[lowest, own], axes={"gc.pages_in_flight": [1]})
    file.write_text(Experiment.from_dict(sections, base=tmp_path).text)
    swept = sweep_into(Experiment.load(file), tmp_path / "far", How(dask=cluster.address))
    assert swept.failures == []
    sweep_into(Experiment.load(file), tmp_path / "here")
    assert contents(tmp_path / "far") == contents(tmp_path / "here")
    points = reclaim.ResultSet.load(tmp_path / "far").points
    amplification = points.group_by("scheme").agg("gc_write_amplification").sort("scheme")
    built_in, mine = amplification["gc_write_amplification"].to_list()
    assert built_in == mine
