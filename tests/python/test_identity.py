"""Results say what they are of: in the results file, its manifest, the terminal and the report."""

from __future__ import annotations

import json
import pickle
import re
import shlex
from html import unescape
from pathlib import Path

import reclaim
from conftest import DEVICE, Command
from reclaim import _core
from reclaim.output_folder import MANIFEST
from reclaim.result.identity import identity

GIVEN = f"--device {DEVICE} --set gc.victim=fifo --seed 7 --warmup filled --remap wrap".split()
SETTINGS = ["gc.victim=fifo", "seed=7", "trace.remap=wrap", "warmup.kind=filled"]


def test_a_run_is_known_by_its_files(command: Command, trace_file: Path, tmp_path: Path) -> None:
    words = ["run", str(trace_file), *GIVEN, "-o", "it's out"]
    done = command(*words)
    assert done.returncode in (0, 1, 3), done.stderr
    line = shlex.join(["reclaim", *words])
    folder = tmp_path / "it's out"

    manifest = json.loads((folder / MANIFEST).read_text())
    assert manifest["command"] == line
    assert manifest["commit"] == _core.COMMIT
    found = json.loads((folder / "results.json").read_text())
    assert "settings" not in found, "the same configuration gives the same bytes"
    assert (folder / "config.toml").read_text().startswith("# changed: gc.victim=fifo\n# changed: seed=7\n")
    assert (found["device"], found["scheme"], found["seed"]) == (DEVICE, "", 7)

    result = reclaim.Result.load(folder)
    assert (result.command, result.settings) == (line, SETTINGS)
    assert pickle.loads(pickle.dumps(result)).command == line  # noqa: S301 - made right here
    assert result.summary()["settings"] == ", ".join(SETTINGS)

    page = unescape((folder / "report.html").read_text())
    provenance = page[page.index("<h2>Provenance</h2>") :]
    shown = re.sub(r" +", " ", done.stdout)
    for text in (line, ", ".join(SETTINGS), DEVICE, "small.csv (csv)", f"Reclaim {reclaim.__version__}"):
        assert text in shown, text
        assert text in provenance, text
    assert found["trace"]["content_hash"] in provenance
    for text in (page, done.stdout, (folder / "results.json").read_text()):
        assert _core.COMMIT == "unknown" or _core.COMMIT not in text, "the commit is in the manifest only"


def test_a_closed_loop_is_told(command: Command, trace_file: Path) -> None:
    words = ("compare", trace_file, *GIVEN, "--schemes", "greedy", "--repeats", "1")
    assert "closed loop" not in command(*words).stdout
    closed = command(*words, "--mode", "closed-loop", "--queue-depth", "3")
    assert "closed loop of 3 requests: the times of the trace are not used" in closed.stdout


def test_a_comparison_says_what_only_one_run_has(command: Command, trace_file: Path, tmp_path: Path) -> None:
    one = "greedy+gc.pages_in_flight=4"
    done = command("compare", trace_file, *GIVEN[:2], "--seed", "7", "--schemes", f"fifo,{one}", "-o", "out")
    assert done.returncode in (0, 1, 3), done.stderr
    results = [reclaim.Result.load(tmp_path / "out" / name) for name in ("fifo", one)]
    assert [each.settings for each in results] == [["seed=7"], ["gc.pages_in_flight=4", "seed=7"]]
    assert results[0].command.startswith("reclaim compare ")
    lines = dict(identity(results))
    assert lines["settings changed"] == "seed=7"
    assert lines[f"settings changed, {results[1].label}"] == "gc.pages_in_flight=4"
    assert lines["schemes"] == "fifo, greedy"
    # One of settings alone is no scheme, and none is no name of one.
    alone = "gc.pages_in_flight=4"
    words = ("compare", trace_file, *GIVEN[:2], "--schemes", f"fifo,{alone}", "--repeats", "1")
    assert re.search(r"^scheme +fifo$", command(*words).stdout, re.MULTILINE)
    assert lines["command"] == results[0].command


def test_what_is_the_same_has_the_same_bytes(trace_file: Path, tmp_path: Path) -> None:
    trace = reclaim.open_trace(trace_file)
    drive = reclaim.Device.preset(DEVICE)
    either = (drive.set("seed", 7).set("gc.victim", "fifo"), drive.set("gc.victim", "fifo").set("seed", "7"))
    runs = [reclaim.simulate(each, trace, warmup="empty", warn=False) for each in either]
    assert runs[0].to_json() == runs[1].to_json()
    assert runs[0].settings == runs[1].settings == ["gc.victim=fifo", "seed=7", "warmup.kind=empty"]
    assert runs[0].command is None
    runs[0].save(tmp_path / "out", report=False)
    again = reclaim.simulate(reclaim.Device.load(tmp_path / "out" / "config.toml"), trace, warn=False)
    assert (again.to_json(), again.settings) == (runs[0].to_json(), [])
    assert json.loads((tmp_path / "out" / MANIFEST).read_text())["command"] is None
    assert reclaim.Result.load(tmp_path / "out").command is None


def test_a_manifest_without_the_command(results: list[reclaim.Result], tmp_path: Path) -> None:
    (tmp_path / "results.json").write_text(results[0].to_json())
    for manifest in ("[]", "{}", '{"reclaim": "1", "files": ["results.json"]}'):
        (tmp_path / MANIFEST).write_text(manifest)
        assert reclaim.Result.load(tmp_path).command is None
