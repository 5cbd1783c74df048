"""A folder says which command made it: no other command replaces what is there, and a message names both."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import DEVICE
from reclaim import builds, output_folder
from reclaim.cli import main
from reclaim.experiment.experiment import Experiment
from reclaim.paper.reproduce import OfPaper
from reclaim.study.fitting.fit import _begun as begun_fit
from reclaim.study.measuring.plan import MeasurePlan
from reclaim.study.store import opened
from small_paper import write_paper
from study import small_tuning
from study.small import experiment
from study.test_fit import LINES, SHEET, line
from study.test_measure import DRIVE
from study.test_sensitivity import small as small_sensitivity

TRACE = ("app-like/varmail", "--device", DEVICE, "--max-requests", "100")
COMMANDS: dict[str, tuple[str, ...]] = {
    "run": ("run", *TRACE),
    "compare": ("compare", *TRACE, "--schemes", "greedy,fifo"),
    "validate": ("validate", "--quick"),
    "reproduce": ("reproduce", "paper/small", "--quick"),
    "device fit": ("device", "fit", "sheet.toml"),
    "device measure": ("device", "measure", "tiny.toml", "--matrix", "small"),
    "sweep": ("sweep", "sweep.toml"),
    "ablate": ("ablate", "ablate.toml"),
    "tune": ("tune", "tune.toml"),
    "sensitivity": ("sensitivity", "sensitivity.toml"),
}
OF_POINTS = {"device measure", "sweep", "ablate", "tune", "sensitivity"}
"""Their folders have points: which experiment those are of is what counts."""


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files that the commands read."""
    place = tmp_path_factory.mktemp("kinds")
    (place / "tiny.toml").write_text(DRIVE)
    (place / "sheet.toml").write_text(SHEET + "".join(line(name, 1.0) for name in LINES))
    write_paper(place / "paper")
    ablate = {"from": "greedy", "to": "fifo", "metrics": ["write_mean_ns"]}
    tables = {
        "sweep": experiment(),
        "ablate": experiment(axes={}, record={}) | {"ablate": ablate},
        "tune": small_tuning.small(),
        "sensitivity": small_sensitivity(),
    }
    for name, table in tables.items():
        (place / f"{name}.toml").write_text(Experiment.from_dict(table | {"name": f"my-{name}"}).text)
    return place


def called(place: Path, kind: str) -> str:
    """What the points of such a folder are of."""
    if kind == "device measure":
        return MeasurePlan(str(place / "tiny.toml"), "small", None).experiment.name
    return f"my-{kind}"


def make(folder: Path, place: Path, kind: str) -> None:
    """Leave what the command has written as soon as it has begun, or all of it where that takes a moment."""
    if kind in OF_POINTS:
        made = (
            MeasurePlan(str(place / "tiny.toml"), "small", None).experiment
            if kind == "device measure"
            else Experiment.load(place / f"{kind}.toml")
        )
        with opened(folder, made, force=False, shared=False):
            pass
    elif kind == "device fit":
        with begun_fit(folder, force=False):
            pass
    elif kind == "reproduce":
        OfPaper.begin(folder, force=False)
    elif kind == "validate":
        with output_folder.writing(folder, ["validation.md"], kind="validate") as staged:
            (staged.path / "validation.md").write_text("all passed")
            staged.publish()
    else:
        assert run((*COMMANDS[kind], "-o", str(folder))) in (0, 1, 3)


def run(words: tuple[str, ...]) -> int:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["reclaim", *words])
        with pytest.raises(SystemExit) as end:
            main()
    return int(end.value.code or 0)


@pytest.fixture(scope="module")
def made(inputs: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    there: dict[str, Path] = {}

    def of(kind: str) -> Path:
        if kind not in there:
            there[kind] = tmp_path_factory.mktemp("made") / "out"
            make(there[kind], inputs, kind)
        return there[kind]

    return of


def contents(folder: Path) -> dict[Path, bytes]:
    return {each: each.read_bytes() for each in folder.rglob("*") if each.is_file()}


KINDS = list(COMMANDS)
NEXT = list(zip(KINDS, [*KINDS[1:], KINDS[0]], strict=True))
"""Each once after another and once before it."""


@pytest.mark.parametrize(("first", "second"), [*NEXT, *(pair[::-1] for pair in NEXT)])
def test_no_command_takes_the_folder_of_another(
    first: str,
    second: str,
    inputs: Path,
    made: Callable[[str], Path],
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    folder = made(first)
    before = contents(folder)
    assert before
    monkeypatch.chdir(inputs)
    capfd.readouterr()
    assert run((*COMMANDS[second], "-o", str(folder))) == 2
    told = capfd.readouterr().err.splitlines()[-1]
    if {first, second} <= OF_POINTS:
        assert f'"{called(inputs, first)}", not of "{called(inputs, second)}"' in told
    else:
        theirs, ours = ("sweep" if each in OF_POINTS else each for each in (first, second))
        assert f"{folder}: has what reclaim {theirs} wrote, and this is reclaim {ours}" in told
    assert contents(folder) == before


@pytest.mark.parametrize("kind", ["run", "compare"])
def test_the_same_command_again_replaces_what_it_wrote(
    kind: str, inputs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(inputs)
    for _ in range(2):
        assert run((*COMMANDS[kind], "-o", str(tmp_path / "out"))) in (0, 1, 3)
    known = json.loads((tmp_path / "out/manifest.json").read_text())
    assert (known["made_by"], known["build"]) == (kind, builds.build())


def test_force_takes_it_all_the_same(inputs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(inputs)
    folder = tmp_path / "out"
    run((*COMMANDS["compare"], "-o", str(folder)))
    run((*COMMANDS["run"], "-o", str(folder), "--force"))
    assert (folder / "results.json").is_file()
    assert (folder / "greedy").is_dir(), "points are kept: they may have taken hours"


def test_a_manifest_of_before_tells_by_its_command(tmp_path: Path) -> None:
    manifest = {"reclaim": "0.1.0", "command": "reclaim compare a.csv", "files": ["greedy/results.json"]}
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    assert output_folder.made_by(tmp_path) == "compare"


STUDIES = [each for each in COMMANDS if each in OF_POINTS or each == "device fit"]


@pytest.mark.parametrize("kind", STUDIES)
def test_every_study_says_what_it_takes_and_runs_nothing(
    kind: str,
    inputs: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(inputs)
    assert run((*COMMANDS[kind], "--cost")) == 0
    told = capfd.readouterr()
    assert told.out.strip()
    assert run((*COMMANDS[kind], "--cost", "-o", str(tmp_path / "out"))) == 0
    assert capfd.readouterr().out == told.out
    assert not (tmp_path / "out").exists()
    assert run(COMMANDS[kind]) == 2
    assert "--output" in capfd.readouterr().err


@pytest.mark.parametrize("kind", ["sweep", "ablate"])
def test_a_study_as_json_without_a_word_beside_it(
    kind: str,
    inputs: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(inputs)
    words = (*COMMANDS[kind], "-o", str(tmp_path / "out"), "--json", "--quiet", "--no-report")
    assert run(words) in (1, 3)
    told = capfd.readouterr()
    assert json.loads(told.out)["experiment"] == f"my-{kind}"
    assert not any("cores" in line for line in told.err.splitlines())
    assert not list((tmp_path / "out").rglob("report.html"))
