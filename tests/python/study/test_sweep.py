"""Running an experiment: the same bytes however it is run, and nothing lost."""

from __future__ import annotations

import json
import random
import shlex
import shutil
import signal
import time
from collections.abc import Callable
from pathlib import Path
from subprocess import Popen

import polars as pl
import pytest

import reclaim
from conftest import Command
from reclaim import input_file
from reclaim.experiment.experiment import Experiment
from reclaim.result.sets.log import LOG, Notes
from reclaim.study import local, store
from reclaim.study.runner import run_command
from reclaim.study.store import Store
from reclaim.study.study import Progress, RunOptions
from reclaim.study.sweep import Sweep
from study.small import DIFFERS, contents, experiment, start

SIMPLE = experiment()


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The experiment run by one worker."""
    folder = tmp_path_factory.mktemp("sweep") / "whole"
    reclaim.sweep(SIMPLE, folder, workers=1)
    return folder


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "small.toml"
    path.write_text(Experiment.from_dict(SIMPLE).text)
    return path


def test_every_point_has_a_row_in_the_order_of_the_experiment(whole: Path) -> None:
    points = pl.read_parquet(whole / "points.parquet")
    wanted = Experiment.from_dict(SIMPLE).points()
    assert points["point"].to_list() == [each.id for each in wanted]
    assert points.columns[:10] == [
        *("point", "experiment", "device", "trace", "scheme", "repeat", "perturbation", "vary"),
        *("gc.pages_in_flight", "format"),
    ]
    assert points["perturbation"].to_list()[:2] == ["", "seed 43"]
    assert points["write_count"].min() == 1200
    for table in ("histograms", "timelines", "gc_logs"):
        frame = pl.read_parquet(whole / f"{table}.parquet")
        assert frame.columns[0] == "point"
        assert frame["point"].unique(maintain_order=True).to_list() == points["point"].to_list()


def test_a_point_is_what_simulate_gives(whole: Path) -> None:
    for point in Experiment.from_dict(SIMPLE).points()[:3]:
        alone = reclaim.simulate(point.drive, point.opened, warn=False)
        assert (whole / "points" / point.id / "results.json").read_text() == alone.to_json()


def test_the_command_writes_the_same(whole: Path, file: Path, tmp_path: Path, command: Command) -> None:
    for workers in ("1", "3"):
        ran = command("sweep", file, "-o", f"by-{workers}", "--workers", workers)
        assert "Ratios to greedy" in ran.stdout
    assert contents(tmp_path / "by-1", DIFFERS) == contents(tmp_path / "by-3", DIFFERS)
    assert contents(tmp_path / "by-1") == contents(whole)
    listed = json.loads((tmp_path / "by-1/manifest.json").read_text())["wrote"]
    assert {"report.html", "points.parquet", "experiment.toml"} <= set(listed)


def test_killed_at_any_moment_and_run_again(whole: Path, file: Path, tmp_path: Path) -> None:
    chance = random.Random(14)  # noqa: S311 - not in secret
    folder = tmp_path / "killed"
    words = ("sweep", file, "-o", folder, "--workers", "2", "--no-report")
    kills, longest = 0, 1.2
    while kills < 2:
        process = start(*words, cwd=tmp_path)
        # From before anything is written to after most is stored.
        time.sleep(longest / 3 + chance.random() * longest)
        ended = process.poll() is not None
        process.send_signal(signal.SIGKILL)
        process.communicate()
        if ended and kills:
            break
        if ended:
            # On a fast machine, earlier.
            shutil.rmtree(folder)
            longest /= 2
        kills += not ended
    assert kills
    start(*words, cwd=tmp_path).communicate(timeout=60)
    assert contents(folder) == contents(whole)
    log = map(json.loads, (folder / "log.jsonl").read_text().splitlines())
    stored = [line["point"] for line in log if line["outcome"] == "stored"]
    assert len(stored) == len(set(stored)), "a point was stored twice"
    assert not list(folder.rglob(".partial*"))


def waited(process: Popen[str], there: Callable[[], object]) -> Popen[str]:
    """The process, when something is there."""
    deadline = time.monotonic() + 30
    while not there() and time.monotonic() < deadline:
        time.sleep(0.01)
    return process


@pytest.mark.parametrize("kind", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_keeps_what_is_stored(whole: Path, file: Path, tmp_path: Path, kind: signal.Signals) -> None:
    folder = tmp_path / "stopped"
    process = start("sweep", file, "-o", folder, "--workers", "1", "--no-report", cwd=tmp_path)
    waited(process, lambda: list(folder.glob("points/[0-9a-f]*"))).send_signal(kind)
    _, stderr = process.communicate(timeout=30)
    assert process.returncode == 128 + kind
    assert "of 8 points are stored" in stderr
    Sweep(Experiment.load(file)).run(folder, RunOptions(workers=2))
    assert contents(folder) == contents(whole)


def test_another_s_folder_is_refused(whole: Path, tmp_path: Path, command: Command) -> None:
    other = Experiment.from_dict(experiment(name="other"))
    with pytest.raises(reclaim.InputError, match=r'"small".* "other"'):
        Sweep(other).run(whole)
    strange = tmp_path / "strange"
    strange.mkdir()
    (strange / "thesis.txt").write_text("years")
    with pytest.raises(reclaim.InputError, match=r"thesis\.txt"):
        Sweep(other).run(strange)
    ran = command("run", "app-like/varmail", "--device", "coupled-copyback-mini", "-o", whole)
    assert ran.returncode == 2
    assert "reclaim sweep" in ran.stderr
    assert (whole / "points.parquet").is_file()


def test_a_second_sweep_into_the_folder_is_refused(file: Path, tmp_path: Path) -> None:
    folder = tmp_path / "two"
    process = start("sweep", file, "-o", folder, "--workers", "1", "--no-report", cwd=tmp_path)
    waited(process, (folder / "points").is_dir)
    with pytest.raises(reclaim.InputError, match="another run is writing there"):
        Sweep(Experiment.load(file)).run(folder)


def test_points_that_an_edit_drops_are_put_aside_and_come_back(whole: Path, tmp_path: Path) -> None:
    folder = tmp_path / "edited"
    shutil.copytree(whole, folder)
    less = Sweep(Experiment.from_dict(experiment(schemes=["greedy"]))).run(folder)
    assert (less.total, less.before, less.aside) == (4, 4, 4)
    assert pl.read_parquet(folder / "points.parquet").height == 4
    log = (folder / "log.jsonl").read_text()
    for _ in range(2):
        more = Sweep(Experiment.from_dict(SIMPLE)).run(folder)
        assert (more.total, more.before) == (8, 8)
        assert (folder / "log.jsonl").read_text() == log
        assert contents(folder) == contents(whole)


def test_a_failing_point_stops_no_other(file: Path, tmp_path: Path, command: Command) -> None:
    axes = {"geometry.spare_factor": ["7%", "20%"], "gc.trigger.start": ["1 block", "3 blocks"]}
    broken = experiment(axes=axes, devices=["gc-bypass-mini"], repeats={}, schemes=["greedy"], set={})
    file.write_text(Experiment.from_dict(broken).text)
    ran = command("sweep", file, "-o", "out", "--no-report")
    assert ran.returncode == 1
    (failure,) = [json.loads(each.read_text()) for each in (tmp_path / "out/failures").iterdir()]
    assert "spare blocks" in failure["error"]
    assert failure["error"] in ran.stderr
    assert failure["command"] in ran.stderr
    assert pl.read_parquet(tmp_path / "out/points.parquet").height == 3
    alone = command(*shlex.split(failure["command"])[1:])
    assert alone.returncode == 2
    assert "spare blocks" in alone.stderr


def test_the_command_of_a_point_gives_its_very_results(whole: Path, command: Command) -> None:
    point = Experiment.from_dict(SIMPLE).points()[-1]
    words = shlex.split(run_command(point, whole))
    recording = {"--record-timeline", "--record-gc"}
    assert recording < set(words)
    # Printed instead of written, for which a report would be drawn.
    words = [word for word in words[: words.index("-o")] if word not in recording]
    ran = command(*words[1:], "--json")
    assert ran.stdout == (whole / "points" / point.id / "results.json").read_text()


def test_memory_is_budgeted(tmp_path: Path) -> None:
    running: list[int] = []

    def watch(progress: Progress) -> None:
        running.append(len(progress.running))

    made = Experiment.from_dict(SIMPLE)
    one = Sweep(made).run(tmp_path / "one", RunOptions(workers=4, memory="40MiB"), watch)
    assert (one.failures, max(running)) == ([], 1)
    none = Sweep(made).run(tmp_path / "none", RunOptions(workers=4, memory="4MiB"))
    assert len(none.failures) == 8


def test_emitted_commands_run_in_any_order_and_gather(whole: Path, file: Path, command: Command) -> None:
    emitted = command("sweep", file, "-o", "shared", "--emit").stdout.splitlines()
    assert len(emitted) == 8
    running = [
        start(*shlex.split(line)[1:], cwd=file.parent) for line in (emitted[5], emitted[5], emitted[0])
    ]
    for process in running:
        printed = process.communicate(timeout=60)
        assert process.returncode == 0, printed
    assert len(command("sweep", file, "-o", "shared", "--emit").stdout.splitlines()) == 6
    command("sweep", file, "-o", "shared", "--no-report")
    assert contents(file.parent / "shared") == contents(whole)


def test_a_point_stored_meanwhile(whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(whole, tmp_path / "out")
    points = Experiment.from_dict(SIMPLE).points()
    log, there = tmp_path / "out" / LOG, tmp_path / "out/points" / points[2].id
    lines = log.read_text()
    log.write_text("".join(line for line in lines.splitlines(True) if points[2].id not in line))
    there.rename(tmp_path / "begun")
    read = store.log.read

    def reads_and_is_overtaken(folder: Path) -> Notes:
        notes = read(folder)
        log.write_text(lines)
        if not there.exists():
            (tmp_path / "begun").rename(there)
        return notes

    monkeypatch.setattr(store.log, "read", reads_and_is_overtaken)
    swept = Sweep(Experiment.from_dict(SIMPLE)).run(tmp_path / "out", RunOptions(only=[points[2].id]))
    assert (swept.failures, swept.damaged) == ([], [])


def test_a_folder_begun_meanwhile(whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    is_there = input_file.is_there

    def looks_and_is_overtaken(path: Path) -> bool:
        found = is_there(path)
        shutil.copytree(whole, tmp_path, dirs_exist_ok=True)
        return found

    monkeypatch.setattr(input_file, "is_there", looks_and_is_overtaken)
    assert store.fault(tmp_path, "small") is None


def test_a_sweep_waits_for_nothing_at_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "TELL_SECONDS", 60.0)
    # What is left to do after its last point: meanwhile its thread is alive.
    monkeypatch.setattr(Store, "remove_state", lambda *_: time.sleep(0.3))
    began = time.monotonic()
    reclaim.sweep(experiment(schemes=["greedy"], repeats={}), tmp_path / "two", workers=1)
    assert time.monotonic() - began < 30


def test_repeats_that_repeat_nothing_are_a_warning(tmp_path: Path) -> None:
    made = Experiment.from_dict(experiment(schemes=["greedy"], axes={}, set={}))
    swept = Sweep(made).run(tmp_path / "same")
    assert len(swept.warnings) == 1
    assert json.loads((tmp_path / "same/warnings.json").read_text()) == swept.warnings


ROTATED = ["", "trace begins at 33.3333%", "trace begins at 66.6667%"]
DRAWN = ["", "draw 1 of the trace", "draw 2 of the trace"]
MOVED = ["", *(f"arrivals moved by up to 200us, seed {seed}" for seed in (43, 44))]


@pytest.mark.parametrize(
    ("repeats", "differ"),
    [({"by": "workload"}, [DRAWN, ROTATED]), ({"by": "jitter", "jitter": "200us"}, [MOVED, MOVED])],
    ids=["workload", "jitter"],
)
def test_repeats_of_the_trace(
    tmp_path: Path, trace_file: Path, repeats: dict[str, str], differ: list[list[str]]
) -> None:
    """By workload, what is generated is drawn anew, and what is recorded is rotated."""
    made = experiment(schemes=["greedy"], axes={}, set={}, record={}, repeats={"count": 3, **repeats})
    made["traces"] = [*made["traces"], {"name": "recorded", "source": str(trace_file.absolute())}]
    swept = Sweep(Experiment.from_dict(made)).run(tmp_path / "out")
    assert (swept.failures, swept.warnings) == ([], [])
    points = pl.read_parquet(tmp_path / "out/points.parquet")
    of_traces = [points.filter(pl.col("trace") == name) for name in dict.fromkeys(points["trace"])]
    assert [each["perturbation"].to_list() for each in of_traces] == differ
    assert [each["write_mean_ns"].n_unique() for each in of_traces] == [3, 3]


def test_no_point_reads_the_trace_again(tmp_path: Path, trace_file: Path) -> None:
    sections = experiment(traces=[str(trace_file)], set={}, repeats={"count": 3, "by": "rotate"})
    made = Experiment.from_dict(sections)
    (trace,) = {id(point.opened): point.opened for point in made.points()}.values()
    trace_file.unlink()
    assert Sweep(made).run(tmp_path / "out").failures == []
    # Of twelve points a third plays it as it is, and two rotations are shared by four points each.
    assert trace._core.kept == 2


def test_what_a_run_reads_with_other_options_is_not_kept(trace_file: Path) -> None:
    trace = reclaim.open_trace(trace_file)
    small = reclaim.Device.preset("gc-bypass-mini").with_settings({"trace.remap": "wrap"})
    reclaim.simulate(small.with_settings({"trace.sort": True}), trace)
    assert trace._core.kept == 0
    reclaim.simulate(small.with_settings({"trace.rotate": "50%"}), trace)
    assert trace._core.kept == 1


def test_compare_from_python(trace_file: Path) -> None:
    schemes = ["greedy", "fifo+gc.pages_in_flight=2"]
    results = reclaim.compare(trace_file, "coupled-copyback-mini", schemes, repeats=1)
    assert results.points["scheme"].to_list() == ["greedy", "fifo+gc.pages_in_flight=2"]
