"""The code that a paper names: which may run, and that none runs without leave."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import reclaim
from bench.small import experiment
from conftest import Command, environment
from reclaim import own_code
from reclaim.papers import modules
from reclaim.papers.addition import add
from reclaim.papers.custom import module_of
from reclaim.papers.page import DATA, render
from reclaim.papers.page_data import FORMAT
from reclaim.papers.paper import keys, load_paper
from reclaim.papers.reproduce import reproduce
from reclaim.shipped import PAPERS
from small_paper import CLAIM, HEADLINE, PAPER, WHY, write_paper

CODE = """
from pathlib import Path
from reclaim.papers.custom import Custom
from reclaim.papers.measured import Figure

Path(__file__).with_name("ran").touch()

def figures(level, tell):
    return {"seven": Custom(Figure(7.0, exact=True))}
"""
OWN = """[[claim]]
id = "seven"
kind = "value"
what = "a number of the paper's own code"
where = "Table 2"
value = 7
figure = "seven"
"""


def with_code(tmp_path: Path, name: str = "figures", file: str = "figures.py") -> Path:
    paper = PAPER.replace("[schemes]", f'module = "{name}"\n[schemes]', 1)
    place = write_paper(tmp_path, paper=paper, expected=CLAIM + OWN)
    (place / file).parent.mkdir(exist_ok=True)
    (place / file).write_text(CODE)
    return place


def test_code_of_others_runs_only_with_leave(tmp_path: Path) -> None:
    place = with_code(tmp_path)
    with pytest.raises(reclaim.InputError, match=r"did not come with Reclaim.*--allow-code"):
        reproduce(load_paper(str(place)), "quick", tmp_path / "out")
    assert not (place / "ran").exists()
    assert not (tmp_path / "out").exists()
    found = reproduce(load_paper(str(place)), "quick", tmp_path / "out", allow_code=True)
    assert (place / "ran").exists()
    own = next(row for row in found.rows if row.claim.id == "seven")
    assert own.figure is not None
    assert own.figure.value == 7
    assert "figures" not in sys.modules


POLICY = """from pathlib import Path
import reclaim
Path(__file__).with_name('ran').touch()


@reclaim.victim_policy
def first(plane):
    return plane.blocks[0]
"""
MINE = '{ name = "fifo", set = { "gc.victim" = { kind = "python", function = "mine.py:first" } } }'


def test_policies_of_others_run_only_with_leave(tmp_path: Path) -> None:
    place = write_paper(tmp_path)
    (place / "mine.py").write_text(POLICY)
    cells = (place / "cells.toml").read_text()
    (place / "cells.toml").write_text(cells.replace('"fifo"]', f"{MINE}]"))
    with pytest.raises(reclaim.InputError, match=r"mine\.py is code that did not come with .*--allow-code"):
        reproduce(load_paper(str(place)), "quick", tmp_path / "out")
    assert not (place / "ran").exists()
    reproduce(load_paper(str(place)), "quick", tmp_path / "out", allow_code=True)
    assert (place / "ran").exists()


BESIDE_AN_AXIS = '[axes.x]\na = { "gc.victim" = "fifo" }\nb = {}\n'


def test_a_refusal_that_is_one_combination_among_others_refuses_all(tmp_path: Path) -> None:
    place = write_paper(tmp_path)
    (place / "mine.py").write_text(POLICY)
    cells = (place / "cells.toml").read_text()
    (place / "cells.toml").write_text(cells.replace('"fifo"]', f"{MINE}]") + BESIDE_AN_AXIS)
    refused = r"mine\.py is code that did not come with .*--allow-code"
    with pytest.raises(reclaim.InputError, match=refused):
        reproduce(load_paper(str(place)), "quick", tmp_path / "out")
    (place / DATA).write_text("{}")
    with pytest.raises(reclaim.InputError, match=refused):
        add(load_paper(str(place)), [], tmp_path / "out", tell=lambda *_: None)
    assert not (place / "ran").exists()
    assert not (tmp_path / "out").exists()
    reproduce(load_paper(str(place)), "quick", tmp_path / "out", allow_code=True)
    assert (place / "ran").exists()


def test_no_thread_and_no_process_runs_what_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(POLICY)
    given = f'{{ kind = "python", function = "{file}:first" }}'
    drive = reclaim.Device.preset("coupled-copyback-mini")
    mine = drive.set("gc.victim", given)
    (tmp_path / "ran").unlink()
    trace = reclaim.uniform_trace(footprint_bytes=1 << 20, count=10, mean_interarrival_ns=1000)
    tries: list[Callable[[], object]] = [
        lambda: drive.set("gc.victim", given),
        lambda: reclaim.simulate(mine, trace),
    ]
    make = "import sys, reclaim; reclaim.Device.preset('coupled-copyback-mini').set('gc.victim', sys.argv[1])"

    def try_all() -> None:
        with own_code.refused("may not"):
            with ThreadPoolExecutor(1) as pool:
                for each in tries:
                    assert "mine.py may not" in str(pool.submit(each).exception())
            words = [sys.executable, "-c", make, given]
            done = subprocess.run(words, env=environment(), capture_output=True, text=True, check=False)
            assert "mine.py may not" in done.stderr

    with pytest.raises(reclaim.InputError, match=r"mine\.py may not$"):
        try_all()
    assert not (tmp_path / "ran").exists()
    for each in tries:
        each()
    assert (tmp_path / "ran").exists()


def test_a_template_reaches_nothing_behind_what_it_is_given(tmp_path: Path) -> None:
    (tmp_path / "page.json").write_text(json.dumps({"format": FORMAT, "claims": [], "tables": []}))
    for text in (
        "{{ cycler.__init__.__globals__.os.mkdir('ran') }}",
        "{{ run.__class__.__mro__[1].__subclasses__() }}",
        "{{ 1 + run }}",
        "{{ 1 // 0 }}",
    ):
        (tmp_path / "page.md.j2").write_text(text)
        with pytest.raises(reclaim.InputError, match=r"page\.md\.j2: "):
            render(tmp_path)
    assert not Path("ran").exists()


def test_what_only_reads_a_folder_runs_nothing_of_it(command: Command, tmp_path: Path) -> None:
    """A result that came from elsewhere, with an experiment and configurations that name code beside them."""
    made = experiment(axes={}, schemes=["greedy"], repeats={"count": 1})
    out = tmp_path / "out"
    reclaim.sweep(made, out)
    (out / "mine.py").write_text(POLICY)
    text = (out / "experiment.toml").read_text()
    (out / "experiment.toml").write_text(text.replace('["greedy"]', f"[{MINE}]"))
    for file in out.rglob("config.toml"):
        told = file.read_text()
        kind = 'kind = "python"\nfunction = "mine.py:first"'
        file.write_text(told.replace('kind = "greedy"', kind))
    for words in (
        ("results", "show", "out"),
        ("results", "query", "out", "SELECT count(*) FROM points"),
        ("results", "report", "out", "-o", "r.html"),
        ("reproduce", "--list"),
        ("device", "list"),
        ("policy", "list"),
        ("trace", "info", "bundled/varmail"),
    ):
        command(*words)
        assert not (out / "ran").exists(), words


def test_policies_that_headlines_name_run_only_with_leave(tmp_path: Path) -> None:
    place = write_paper(tmp_path, paper=PAPER + HEADLINE)
    (place / "mine.py").write_text(POLICY)
    (place / "why.toml").write_text(WHY.replace("[repeats]", f'schemes = ["greedy", {MINE}]\n[repeats]', 1))
    (place / DATA).write_text("{}")
    paper = load_paper(str(place))
    refused = r"mine\.py is code that did not come with .*--allow-code"
    with pytest.raises(reclaim.InputError, match=refused):
        reproduce(paper, output=tmp_path / "out", why=True)
    with pytest.raises(reclaim.InputError, match=refused):
        add(paper, [], tmp_path / "out", tell=lambda *_: None, why=True)
    assert not (place / "ran").exists()
    assert not (tmp_path / "out").exists()


def test_a_package_in_the_folder_of_a_paper(tmp_path: Path) -> None:
    place = with_code(tmp_path, "figures", "figures/__init__.py")
    with (place / "figures" / "__init__.py").open("a") as file:
        file.write("from . import further\n")
    (place / "figures" / "further.py").write_text("NAME = 1\n")
    assert module_of(load_paper(str(place)), allow_code=True).further.NAME == 1  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "name", [".pwn", "", "os", "json.tool", "../pwn", "a b", "reclaim.cli", "reclaim.papers..x"]
)
def test_nothing_else_is_looked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "pwn.py").write_text("import os\nos.mkdir('ran')\n")
    (tmp_path / "paper").mkdir()
    for each in (name, "pwn"):
        with pytest.raises(reclaim.InputError, match=r"paper\.toml: module = "):
            modules.load(each, tmp_path / "paper", allow_code=True)
    assert not (tmp_path / "ran").exists()


def test_a_module_that_computes_nothing(tmp_path: Path) -> None:
    place = with_code(tmp_path, "figures", "figures.py")
    (place / "figures.py").write_text("x = 1\n")
    with pytest.raises(reclaim.InputError, match="module figures has no function figures or of_runs"):
        module_of(load_paper(str(place)), allow_code=True)


@pytest.mark.parametrize("key", keys())
def test_what_came_with_reclaim_needs_no_leave(key: str) -> None:
    assert module_of(load_paper(key)) is not None


def test_a_copy_of_a_shipped_paper_needs_leave(tmp_path: Path) -> None:
    """Its code could have been changed since."""
    copy = shutil.copytree(PAPERS / "drive", tmp_path / "drive")
    with pytest.raises(reclaim.InputError, match="--allow-code"):
        module_of(load_paper(str(copy)))
    assert module_of(load_paper(str(copy)), allow_code=True)


def test_quick_judges_nothing(tmp_path: Path) -> None:
    place = write_paper(tmp_path)
    found = reproduce(load_paper(str(place)), "quick", tmp_path / "out")
    assert [row.judgement.verdict for row in found.rows] == ["not judged"]
    assert found.rows[0].figure is not None
    written = json.loads((tmp_path / "out" / "verdicts.json").read_text())
    assert written["counts"] == {}
    assert {each["verdict"] for each in written["claims"]} == {"not judged"}
    page = (tmp_path / "out" / "report.html").read_text()
    assert "none of them judged" in page
    assert "not reproduced</span>" not in page


def test_a_file_of_the_present_folder_is_not_taken_for_a_library(tmp_path: Path) -> None:
    for library in ("rich", "typer", "polars", "duckdb", "altair"):
        (tmp_path / f"{library}.py").write_text("open('ran', 'w')\n")
    words = [sys.executable, "-m", "reclaim", "device", "list"]
    done = subprocess.run(words, cwd=tmp_path, env=environment(), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "ran").exists()
