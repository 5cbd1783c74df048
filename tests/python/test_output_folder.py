"""Folders that results go to: nothing is lost that no run wrote, and what a run wrote appears as a whole."""

from __future__ import annotations

import json
import shutil
import signal
import sys
import threading
import time
from pathlib import Path

import pytest

import reclaim
from conftest import DEVICE, start
from reclaim import output_folder
from reclaim.cli import main

PARTIAL = output_folder.PARTIAL


@pytest.fixture(scope="module")
def result() -> reclaim.Result:
    trace = reclaim.uniform_trace(footprint_bytes=1 << 20, count=200, mean_interarrival_ns=100_000)
    return reclaim.simulate(
        reclaim.Device.preset(DEVICE), trace, warmup="empty", record_gc=True, record_timeline=True, warn=False
    )


def contents(folder: Path) -> dict[str, bytes]:
    return {str(each.relative_to(folder)): each.read_bytes() for each in folder.rglob("*") if each.is_file()}


def test_what_a_run_wrote_is_replaced_as_a_whole(
    result: reclaim.Result, results: list[reclaim.Result], tmp_path: Path
) -> None:
    result.save(tmp_path / "out")
    assert {"gc_log.parquet", "timeline.parquet", "config.toml", "report.html"} <= set(
        contents(tmp_path / "out")
    )
    results[0].save(tmp_path / "out", report=False)
    # Nothing of the run before: not its tables, not its figures, and no folder without anything in it.
    assert sorted(each.name for each in (tmp_path / "out").iterdir()) == ["manifest.json", "results.json"]


def test_a_folder_that_no_run_wrote_is_left_alone(result: reclaim.Result, tmp_path: Path) -> None:
    (tmp_path / "report.html").write_text("mine")
    (tmp_path / "notes.txt").write_text("mine")
    before = contents(tmp_path)
    with pytest.raises(reclaim.InputError, match="no run wrote what is in it; --force"):
        result.save(tmp_path, report=False)
    assert contents(tmp_path) == before
    result.save(tmp_path, report=False, force=True)
    assert (tmp_path / "notes.txt").read_text() == "mine"
    assert reclaim.Result.load(tmp_path).to_json() == result.to_json()


def test_what_was_put_beside_results_is_kept(result: reclaim.Result, tmp_path: Path) -> None:
    result.save(tmp_path, report=False)
    (tmp_path / "notes.txt").write_text("mine")
    result.save(tmp_path, report=False)
    assert (tmp_path / "notes.txt").read_text() == "mine"
    # Where a name is needed that is not from a run, it is asked for.
    (tmp_path / "figures").mkdir()
    (tmp_path / "figures" / "drawn.png").write_text("mine")
    with pytest.raises(reclaim.InputError, match=r"figures/drawn.png: was not written by the run before"):
        result.save(tmp_path)
    assert (tmp_path / "figures" / "drawn.png").read_text() == "mine"


def test_a_manifest_cannot_name_files_elsewhere(result: reclaim.Result, tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("mine")
    (tmp_path / "out").mkdir()
    files = ["../precious", str(tmp_path / "precious")]
    (tmp_path / "out" / "manifest.json").write_text(json.dumps({"reclaim": "1", "files": files}))
    result.save(tmp_path / "out", report=False)
    assert (tmp_path / "precious").read_text() == "mine"


def test_a_failure_leaves_what_was_there(
    result: reclaim.Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    result.save(tmp_path / "old", report=False)
    before = contents(tmp_path / "old")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("reclaim.result.report.write_report", full)
    for folder in ("old", "deep/er"):
        with pytest.raises(reclaim.InputError, match="cannot write results here: No space left on device"):
            result.save(tmp_path / folder)
    assert contents(tmp_path) == {f"old/{name}": text for name, text in before.items()}
    assert [each.name for each in tmp_path.iterdir()] == ["old"]


def test_a_second_run_into_a_folder_is_refused(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "new"):
        with output_folder.writing(folder, ["a"]) as staged:
            (staged.path / "a").write_text("first")
            with (
                pytest.raises(reclaim.InputError, match="another run is writing there"),
                output_folder.writing(folder, ["a"]),
            ):
                pass
            staged.publish()
        assert (folder / "a").read_text() == "first"
        assert not (folder / PARTIAL).exists()


def test_runs_that_begin_at_once_write_whole_or_are_told(tmp_path: Path) -> None:
    """One of them publishes nothing and removes the folders that it made, whatever the others are at."""
    folder = tmp_path / "a" / "out"
    told: list[str] = []
    published: list[int] = []

    def write(names: list[str]) -> None:
        try:
            with output_folder.writing(folder, ["x"]) as staged:
                for name in names:
                    (staged.path / name).write_text("whole", encoding="utf-8")
                if names:
                    staged.publish()
                    published.append(threading.get_ident())
        except reclaim.InputError as error:
            told.append(str(error))

    for _ in range(50):
        told.clear()
        published.clear()
        threads = [threading.Thread(target=write, args=(names,)) for names in (["x"], ["x"], [], ["x"])]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        assert {each.removeprefix(str(folder)).split(";")[0] for each in told} <= {
            ": another run is writing there"
        }
        assert sorted(contents(folder)) == (["manifest.json", "x"] if published else [])
        shutil.rmtree(tmp_path / "a", ignore_errors=True)


def test_what_a_killed_run_left_is_cleared(result: reclaim.Result, tmp_path: Path) -> None:
    (tmp_path / PARTIAL).mkdir()
    (tmp_path / PARTIAL / "results.json").write_text("half")
    result.save(tmp_path, report=False)
    assert set(contents(tmp_path)) == set(json.loads((tmp_path / "manifest.json").read_text())["files"]) | {
        "manifest.json"
    }


def test_a_disk_too_full_for_the_report(
    tmp_path: Path, results: list[reclaim.Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = Path.write_text

    def full(path: Path, content: str, encoding: str | None = None) -> int:
        if path.suffix == ".html":
            raise OSError(28, "No space left on device")
        return text(path, content, encoding=encoding)

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(reclaim.InputError, match="out: cannot write the report here: No space left"):
        results[0].save(tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def stopped(tmp_path: Path, seen: str, *words: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of a command that Ctrl-C ended once there was such a file."""
    process = start([sys.executable, "-m", "reclaim", *words], tmp_path)
    deadline = time.monotonic() + 60
    while not list(tmp_path.glob(seen)):
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.05)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=60)
    return process.returncode, stdout, stderr


def long_trace(tmp_path: Path, requests: int = 10_000_000) -> None:
    """Minutes of requests that are generated while they are played."""
    (tmp_path / "long.toml").write_text(
        f'generator = 1\nrequests = {requests}\nsize = "4KiB"\noperations = {{ write = 1.0 }}\n'
        'arrivals = { kind = "constant", interval = "500us" }\n'
        'address = { kind = "uniform", footprint = "4MiB" }\n'
    )


def test_an_interrupted_run_says_how_far_it_came(tmp_path: Path) -> None:
    long_trace(tmp_path)
    words = ("run", "long.toml", "--device", DEVICE, "--warmup", "filled", "--json", "-o", "out")
    code, stdout, stderr = stopped(tmp_path, "a.state", *words, "--save-state", "a.state")
    assert (code, stdout) == (130, "")
    assert stderr.startswith("long: stopped in the run, at "), stderr
    assert " of 10,000,000), after " in stderr
    assert len(stderr.splitlines()) == 1
    # The warm-up had ended: its state is complete. Of the results there is nothing.
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a.state", "long.toml"]
    assert reclaim.Device.preset(DEVICE).facts(load_state=tmp_path / "a.state")["raw_bytes"] > 0


def test_an_interrupted_comparison_goes_on_from_there(tmp_path: Path) -> None:
    # The second of the schemes has a trace that takes long; the first has none of it.
    long_trace(tmp_path)
    schemes = ("--schemes", "fifo+trace.max_requests=2000,greedy", "--repeats", "1", "--no-report")
    words = ("compare", "long.toml", "--device", DEVICE, "--warmup", "empty", "-o", "out", *schemes)
    code, stdout, stderr = stopped(tmp_path, "out/points/*/results.json", *words)
    assert (code, stdout.count("ratios")) == (130, 0)
    assert "stopped: 1 of 2 points are stored in out; the same command goes on from there" in stderr, stderr
    (stored,) = (tmp_path / "out/points").iterdir()
    reclaim.Result.load(stored)
    # Until its manifest is there, the experiment says whose folder it is.
    assert output_folder.made_by(tmp_path / "out") == "compare"


@pytest.mark.parametrize("words", [("run",), ("compare", "--schemes", "greedy,fifo")], ids=["run", "compare"])
def test_a_report_that_is_interrupted_does_not_cost_the_results(
    tmp_path: Path,
    trace_file: Path,
    words: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def stop(_: object, folder: Path, *_more: object) -> None:
        (folder / "figures").mkdir()
        (folder / "figures" / "half.png").write_bytes(b"")
        raise KeyboardInterrupt

    monkeypatch.setattr("reclaim.result.report.write_report", stop)
    out = tmp_path / "out"
    options = ["--device", DEVICE, "--warmup", "empty", "--json", "-o", str(out)]
    monkeypatch.setattr(sys, "argv", ["reclaim", words[0], str(trace_file), *options, *words[1:]])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 130
    assert "stopped while the report was drawn" in capsys.readouterr().err
    folders = [out] if words == ("run",) else [out / "greedy", out / "fifo"]
    for folder in folders:
        assert reclaim.Result.load(folder).write.count == 2000
    assert not [name for name in contents(out) if "figures" in name or "report" in name]
    assert not (out / PARTIAL).exists()
