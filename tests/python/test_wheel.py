"""The wheel, in an environment of its own without Rust: recordings, drives, and papers with their code."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
VARMAIL = "bundled/varmail"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `make wheel` builds, but for the machine's own glibc."""
    maturin = shutil.which("maturin", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    assert maturin, "make install brings maturin"
    folder = tmp_path_factory.mktemp("wheel")
    words = [maturin, "build", "--quiet", "--release", "--locked", "--out", str(folder)]
    subprocess.run(words, cwd=ROOT, check=True)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def command(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The command, installed where nothing else is."""
    place = tmp_path_factory.mktemp("clean") / "environment"
    venv.create(place, with_pip=True)
    subprocess.run([place / "bin" / "pip", "install", "--quiet", wheel], check=True)
    return place / "bin" / "reclaim"


def run(command: Path, *words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run it with nothing but itself and the system in PATH; neither the checkout nor Rust can be found."""
    clean = {"PATH": f"{command.parent}:/usr/bin:/bin", "HOME": str(folder), "LANG": "C.UTF-8"}
    return subprocess.run(
        [command, *words], cwd=folder, env=clean, capture_output=True, text=True, check=False
    )


def test_one_wheel_for_every_python(wheel: Path) -> None:
    assert "-cp311-abi3-manylinux_" in wheel.name


def test_what_comes_with_reclaim_is_all_in_it(wheel: Path) -> None:
    tracked = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "papers", "examples"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.split()
    names = set(zipfile.ZipFile(wheel).namelist())
    there = [each for each in tracked if (ROOT / each).is_file()]
    assert there
    assert [each for each in there if f"reclaim/shipped/{each}" not in names] == []
    assert not [each for each in names if "__pycache__" in each or each.startswith(("papers/", "examples/"))]


def test_it_runs_compares_sweeps_and_reproduces(command: Path, tmp_path: Path) -> None:
    listed = run(command, "trace", "list", "--json", folder=tmp_path)
    assert VARMAIL in listed.stdout, listed.stderr
    one = run(command, "run", VARMAIL, "--device", "demo.toml", "--json", folder=tmp_path)
    assert one.returncode == 2, "a file of the present folder is meant"
    assert "examples/devices/demo.toml" in one.stderr
    drive = next((command.parents[1] / "lib").glob("python*/site-packages/reclaim/shipped/examples/devices"))
    few = ["--set", "trace.max_requests=2000", "--remap", "compact"]
    one = run(command, "run", VARMAIL, "--device", str(drive / "demo.toml"), "--json", *few, folder=tmp_path)
    assert json.loads(one.stdout), one.stderr
    two = run(
        command,
        *("compare", VARMAIL, "--device", str(drive / "demo.toml"), "--schemes", "greedy,adaptive", *few),
        *("--output", "compared"),
        folder=tmp_path,
    )
    assert two.returncode in (0, 3), two.stderr
    assert (tmp_path / "compared" / "report.html").is_file()
    (tmp_path / "few.toml").write_text(
        f'name = "few"\ndevices = ["{drive / "demo.toml"}"]\nschemes = ["greedy", "adaptive"]\n'
        f'[[traces]]\nname = "varmail"\nsource = "{VARMAIL}"\n'
        'set = { "trace.max_requests" = 500, "trace.remap" = "compact" }\n'
    )
    swept = run(command, "sweep", "few.toml", "--output", "swept", folder=tmp_path)
    assert swept.returncode in (0, 3), swept.stderr
    assert (tmp_path / "swept" / "report.html").is_file()
    papers = run(command, "reproduce", "--list", folder=tmp_path)
    assert "word-line-aware" in papers.stdout, papers.stderr
    shown = run(command, "reproduce", "word-line-aware", "--quick", "-o", "paper", folder=tmp_path)
    assert shown.returncode == 0, shown.stderr
    assert (tmp_path / "paper" / "verdicts.json").is_file()
