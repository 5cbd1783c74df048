"""The code that a paper names: which may run, and that none runs without leave."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import reclaim
from conftest import Command, environment
from reclaim import own_code
from reclaim.paper import figures as modules
from reclaim.paper.addition import AdditionStudy
from reclaim.paper.figures import PaperFigure, family_claims, module_of
from reclaim.paper.measured import Figure
from reclaim.paper.page import DATA, render
from reclaim.paper.page_data import FORMAT
from reclaim.paper.paper import keys, load_paper
from reclaim.paper.reproduce import reproduce
from reclaim.shipped import PAPERS
from small_paper import CELLS, CLAIM, HEADLINE, PAPER, WHY, write_paper
from study.small import experiment

CODE = """
from pathlib import Path
from reclaim.paper.figures import PaperFigure
from reclaim.paper.measured import Figure

Path(__file__).with_name("ran").touch()

def figures(level, tell):
    return {"seven": PaperFigure(Figure(7.0, exact=True))}
"""
OWN = """[[claim]]
id = "seven"
kind = "value"
what = "a number of the paper's own code"
where = "Table 2"
value = 7
figure = "seven"
"""
POLICY = """from pathlib import Path
import reclaim
Path(__file__).with_name('ran').touch()


@reclaim.victim_policy
def first(plane):
    return plane.blocks[0]
"""
MINE = '{ name = "fifo", set = { "gc.victim" = { kind = "python", function = "mine.py:first" } } }'
OF_POLICY = CELLS.replace('"fifo"]', f"{MINE}]")
BESIDE_AN_AXIS = '[axes.x]\na = { "gc.victim" = "fifo" }\nb = {}\n'
OF_HEADLINE = WHY.replace("[repeats]", f'schemes = ["greedy", {MINE}]\n[repeats]', 1)
NAMED = PAPER.replace("[schemes]", 'module = "figures"\n[schemes]', 1)


def written(folder: Path, files: Mapping[str, str]) -> Path:
    """The small paper with some of its files in place of its own."""
    place = write_paper(folder)
    for name, text in files.items():
        (place / name).parent.mkdir(exist_ok=True)
        (place / name).write_text(text)
    return place


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ({"paper.toml": NAMED, "expected.toml": CLAIM + OWN, "figures.py": CODE}, False),
        ({"cells.toml": OF_POLICY, "mine.py": POLICY}, False),
        # A refusal that is one combination among others refuses all.
        ({"cells.toml": OF_POLICY + BESIDE_AN_AXIS, "mine.py": POLICY}, False),
        ({"paper.toml": PAPER + HEADLINE, "why.toml": OF_HEADLINE, "mine.py": POLICY}, True),
    ],
    ids=["module", "policy", "one of many", "headline"],
)
def test_code_of_others_runs_only_with_leave(tmp_path: Path, files: dict[str, str], *, why: bool) -> None:
    place, out = written(tmp_path, files), tmp_path / "out"
    (place / DATA).write_text("{}")
    paper, refused = load_paper(str(place)), r"(figures|mine)\b.*--allow-code"
    with pytest.raises(reclaim.InputError, match=refused):
        reproduce(paper, "default" if why else "quick", out, why=why)
    with pytest.raises(reclaim.InputError, match=refused):
        AdditionStudy(paper, [], why=why).run(out)
    assert not (place / "ran").exists()
    assert not out.exists()
    if why:
        return
    found = reproduce(paper, "quick", out, allow_code=True)
    assert (place / "ran").exists()
    assert "figures" not in sys.modules
    own = {row.claim.id: row.figure.value for row in found.rows if row.figure is not None}
    assert own.get("seven", 7) == 7
    assert len(own) == len(found.rows)


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


@pytest.mark.parametrize(
    "text",
    [
        "{{ cycler.__init__.__globals__.os.mkdir('ran') }}",
        "{{ run.__class__.__mro__[1].__subclasses__() }}",
        "{{ 1 + run }}",
        "{{ 1 // 0 }}",
    ],
)
def test_a_template_reaches_nothing_behind_what_it_is_given(tmp_path: Path, text: str) -> None:
    (tmp_path / "page.json").write_text(json.dumps({"format": FORMAT, "claims": [], "tables": []}))
    (tmp_path / "page.md.j2").write_text(text)
    with pytest.raises(reclaim.InputError, match=r"page\.md\.j2: "):
        render(tmp_path)
    assert not Path("ran").exists()


def test_what_only_reads_a_folder_runs_nothing_of_it(command: Command, tmp_path: Path) -> None:
    """A result that came from elsewhere, with an experiment and configurations that name code beside them."""
    out = tmp_path / "out"
    reclaim.sweep(experiment(axes={}, schemes=["greedy"], repeats={"count": 1}), out)
    (out / "mine.py").write_text(POLICY)
    python = 'kind = "python"\nfunction = "mine.py:first"'
    changes = {out / "experiment.toml": ('["greedy"]', f"[{MINE}]")}
    changes |= dict.fromkeys(out.rglob("config.toml"), ('kind = "greedy"', python))
    for file, change in changes.items():
        file.write_text(file.read_text().replace(*change))
    for words in (
        ("results", "show", "out"),
        ("results", "query", "out", "SELECT count(*) FROM points"),
        ("results", "report", "out", "-o", "r.html"),
        ("reproduce", "--list"),
        ("policy", "list"),
    ):
        command(*words)
        assert not (out / "ran").exists(), words


def test_a_package_in_the_folder_of_a_paper(tmp_path: Path) -> None:
    package = {"figures/__init__.py": CODE + "from . import further\n", "figures/further.py": "NAME = 1\n"}
    place = written(tmp_path, {"paper.toml": NAMED, **package})
    assert module_of(load_paper(str(place)), allow_code=True).further.NAME == 1  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "name", [".pwn", "", "os", "json.tool", "../pwn", "a b", "reclaim.cli", "reclaim.paper..x", "pwn"]
)
def test_nothing_else_is_looked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "pwn.py").write_text("import os\nos.mkdir('ran')\n")
    (tmp_path / "paper").mkdir()
    with pytest.raises(reclaim.InputError, match=r"paper\.toml: module = "):
        modules.load(name, tmp_path / "paper", allow_code=True)
    assert not (tmp_path / "ran").exists()


def test_a_module_that_computes_nothing(tmp_path: Path) -> None:
    place = written(tmp_path, {"paper.toml": NAMED, "figures.py": "x = 1\n"})
    with pytest.raises(reclaim.InputError, match="module figures has no function figures or of_runs"):
        module_of(load_paper(str(place)), allow_code=True)


def test_what_came_with_reclaim_needs_no_leave_and_a_copy_does(tmp_path: Path) -> None:
    """The code of a copy could have been changed since."""
    assert all(module_of(load_paper(key)) is not None for key in keys())
    copy = shutil.copytree(PAPERS / "drive", tmp_path / "drive")
    with pytest.raises(reclaim.InputError, match="--allow-code"):
        module_of(load_paper(str(copy)))
    assert module_of(load_paper(str(copy)), allow_code=True)


def test_a_file_of_the_present_folder_is_not_taken_for_a_library(tmp_path: Path) -> None:
    for library in ("rich", "typer", "polars", "duckdb", "altair"):
        (tmp_path / f"{library}.py").write_text("open('ran', 'w')\n")
    words = [sys.executable, "-m", "reclaim", "device", "list"]
    done = subprocess.run(words, cwd=tmp_path, env=environment(), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "ran").exists()


def test_each_figure_of_a_family_is_a_claim_with_its_own_tolerance() -> None:
    paper = load_paper(PAPERS / "word-line-aware")
    families = paper.expected.families
    found = {
        f"{family.group} {number}": PaperFigure(
            Figure(1.0, exact=True), family.group, 2.5, tolerance=0.25, unit="us"
        )
        for family in families
        for number in range(family.count)
    }
    claims = [claim for claim, _ in family_claims(paper, found)]
    assert {(each.value, each.tolerance, each.unit) for each in claims} == {(2.5, 0.25, "us")}
    assert len({each.id for each in claims}) == len(found) > 0
    found.popitem()
    with pytest.raises(reclaim.InputError, match=families[-1].id):
        family_claims(paper, found)
