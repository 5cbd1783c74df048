"""The wheel in an environment of its own without Rust, with recordings, drives and papers; and the sdist."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from fnmatch import fnmatch
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[2]
VARMAIL = "bundled/varmail"


def made(folder: Path, *words: str) -> Path:
    """The only file that maturin leaves in a folder."""
    maturin = shutil.which("maturin", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    assert maturin, "make install brings maturin"
    subprocess.run([maturin, *words, "--out", str(folder)], cwd=ROOT, check=True, capture_output=True)
    (built,) = folder.iterdir()
    return built


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `make wheel` builds, but from the checkout and for the glibc of this machine."""
    return made(tmp_path_factory.mktemp("wheel"), "build", "--profile", "dev-install", "--locked")


def tracked(*folders: str) -> list[str]:
    """Files of the project in some folders, links not followed."""
    words = ["git", "ls-files", "--cached", "--others", "--exclude-standard", *folders]
    listed = subprocess.run(words, cwd=ROOT, check=True, capture_output=True, text=True)
    found = [each for each in listed.stdout.split() if (ROOT / each).is_file()]
    assert found
    return found


@pytest.fixture(scope="module")
def command(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The command, installed where nothing else is."""
    place = tmp_path_factory.mktemp("clean") / "environment"
    venv.create(place, with_pip=True)
    subprocess.run([place / "bin" / "pip", "install", "--quiet", wheel], check=True)
    return place / "bin" / "reclaim"


def run(command: Path, *words: str, folder: Path) -> str:
    """Run it with nothing but itself and the system in PATH; neither the checkout nor Rust can be found."""
    clean = {"PATH": f"{command.parent}:/usr/bin:/bin", "HOME": str(folder), "LANG": "C.UTF-8"}
    words = [command, *words]
    done = subprocess.run(words, cwd=folder, env=clean, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1, 3), done.stderr
    return done.stdout


def test_one_wheel_for_every_python(wheel: Path) -> None:
    assert "-cp311-abi3-manylinux_" in wheel.name


def test_what_comes_with_reclaim_is_all_in_it(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    # Reports draw pictures from the data of a page; the drawn ones are for who reads the repository.
    wanted = [each for each in tracked("papers", "examples") if "/pictures/" not in each]
    assert [each for each in wanted if f"reclaim/shipped/{each}" not in names] == []
    assert [each for each in tracked("python") if each.removeprefix("python/") not in names] == []
    assert not [each for each in names if "__pycache__" in each or each.startswith(("papers/", "examples/"))]


def test_the_sdist_has_what_the_wheel_is_built_from(wheel: Path, tmp_path: Path) -> None:
    sources = made(tmp_path / "sdist", "sdist")
    with tarfile.open(sources) as archive:
        files = {each.name.partition("/")[2] for each in archive if each.isfile()}
    of_wheel = {f"python/{each}" for each in zipfile.ZipFile(wheel).namelist() if each.startswith("reclaim/")}
    extension = {each for each in of_wheel if fnmatch(each, "python/reclaim/_core.*.so")}
    assert len(extension) == 1
    assert {each for each in files if each.startswith("python/")} == of_wheel - extension
    crates = {each for each in tracked("crates") if "/src/" in each or "/presets/" in each}
    assert {*crates, "Cargo.lock", "LICENSE", "README.md", "pyproject.toml"} - files == set()


def test_the_sdist_is_built_with_the_libraries_of_the_checkout(tmp_path: Path) -> None:
    """Cargo takes what the sdist lacks out of the lock file, and changes nothing else there."""
    with tarfile.open(made(tmp_path / "sdist", "sdist")) as archive:
        archive.extractall(tmp_path, filter="data")
    (sources,) = tmp_path.glob("reclaim-*")
    before = locked(sources)
    words = ["cargo", "metadata", "--offline", "--quiet", "--format-version", "1"]
    subprocess.run(words, cwd=sources, check=True, capture_output=True)
    assert locked(sources) < before


def locked(folder: Path) -> set[tuple[str, str]]:
    """Packages in a lock file, with versions."""
    packages = tomllib.loads((folder / "Cargo.lock").read_text())["package"]
    return {(each["name"], each["version"]) for each in packages}


def test_it_runs_compares_sweeps_and_reproduces(command: Path, tmp_path: Path) -> None:
    assert VARMAIL in run(command, "trace", "list", "--json", folder=tmp_path)
    packages = (command.parents[1] / "lib").glob("python*/site-packages/reclaim/shipped/examples/devices")
    drive = str(next(packages) / "tlc.toml")
    few = (VARMAIL, "--device", drive, "--set", "trace.max_requests=2000", "--remap", "compact")
    assert json.loads(run(command, "run", *few, "--json", folder=tmp_path))
    run(command, "compare", *few, "--schemes", "greedy,adaptive", "--output", "compared", folder=tmp_path)
    (tmp_path / "few.toml").write_text(
        f'name = "few"\ndevices = ["{drive}"]\nschemes = ["greedy", "adaptive"]\n'
        f'[[traces]]\nname = "varmail"\nsource = "{VARMAIL}"\n'
        'set = { "trace.max_requests" = 500, "trace.remap" = "compact" }\n'
    )
    run(command, "sweep", "few.toml", "--output", "swept", folder=tmp_path)
    assert "word-line-aware" in run(command, "reproduce", "--list", folder=tmp_path)
    run(command, "reproduce", "channel-aware", "--quick", "-o", "paper", folder=tmp_path)
    for made in ("compared/report.html", "swept/report.html", "paper/agreement.json"):
        assert (tmp_path / made).is_file()
