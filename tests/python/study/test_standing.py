"""`reclaim league`: who stands where, what may enter, and what is found out when it is run again."""

from __future__ import annotations

import json
import math
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import small_suite

import reclaim
from conftest import ran
from reclaim.checksums import checksum
from reclaim.study.judging import confined
from reclaim.study.judging.candidate import CANDIDATE, files_of
from reclaim.study.judging.cost import PolicyCost
from reclaim.study.judging.effects import Effect
from reclaim.study.judging.judge import JudgeStudy
from reclaim.study.judging.league import CHECKED, League
from reclaim.study.judging.own import HELD, SEEN
from reclaim.study.judging.submission import CARD, Again, Submission
from reclaim.study.judging.suite import AMPLIFICATION, BOUND, LATEST, Suite
from reclaim.study.study import RunOptions

confines = pytest.mark.skipif(bool(confined.lacking()), reason=f"needs {confined.lacking()}")
POLICY = """
import reclaim


@reclaim.victim_policy
def oldest(plane):
    return plane.blocks[plane.age.argmax()]
"""


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Suite:
    return small_suite.made(tmp_path_factory.mktemp("suite") / "small")


@pytest.fixture(scope="module")
def judged(suite: Suite, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `reclaim judge` leaves of a policy in a file."""
    folder = tmp_path_factory.mktemp("judged")
    (folder / "mine.py").write_text(POLICY)
    study = JudgeStudy(f"{folder / 'mine.py'}:oldest", suite, untimed=True)
    study.run(folder / "card", RunOptions(workers=1))
    return folder / "card"


@pytest.fixture
def sent(judged: Path, tmp_path: Path) -> Path:
    """The same, as somebody else has it."""
    (tmp_path / "sent").mkdir()
    shutil.copy(judged / CARD, tmp_path / "sent" / CARD)
    shutil.copytree(judged / CANDIDATE, tmp_path / "sent" / CANDIDATE)
    return tmp_path / "sent"


def altered(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    card = json.loads((folder / CARD).read_text())
    change(card)
    (folder / CARD).write_text(json.dumps(card))


def test_shipped_edition_ranks_by_whom_nobody_beats() -> None:
    league = League(Suite.named(LATEST), Path("nobody"))
    standing = league.standing
    assert {name for name, each in standing.items() if each.place == 1} == {"SepBIT", "DAC"}
    assert [*standing][-1] == BOUND
    assert standing[BOUND].place == 0
    for name, each in standing.items():
        # Who beats one who is beaten stands above it.
        if name != BOUND:
            assert each.place == 1 + sum(
                name in other.less_than for other in standing.values() if other.place
            )
            assert not any(name in standing[other].less_than for other in each.less_than)


@confines
def test_a_policy_enters_once_a_tenth_comes_out_the_same(suite: Suite, sent: Path, tmp_path: Path) -> None:
    league = League(suite, tmp_path / "league")
    entered, again = league.add(sent, seed=3)
    assert entered.name == "mine.py:oldest"
    assert entered.given == "mine.py:oldest"
    place = league.standing["mine.py:oldest"]
    # The block that changed least lately is FIFO's, or nearly: beaten by all that look at valid pages.
    assert place.place > league.standing["greedy"].place
    stored = tmp_path / "league" / "mine.py-oldest"
    noted = json.loads((stored / CHECKED).read_text())
    assert noted["seed"] == 3
    assert noted["runs"] == [list(each) for each in Submission.read(stored).pairs(3)]
    assert again.unseen is not None
    # Of a drive so small a run may be inconclusive.
    assert SEEN + HELD - 2 < len(again.unseen.by_workload) <= SEEN + HELD
    assert "workloads drawn anew." in again.said
    assert noted["cost"]["bytes_per_block"] == league.cost(entered.name).bytes_per_block == 4
    # Who reads the folder later finds the same.
    again = League(suite, tmp_path / "league")
    assert again.to_dict() == league.to_dict()
    with pytest.raises(reclaim.InputError, match="takes part already; judge it with --name"):
        again.add(sent)


@confines
def test_a_figure_that_is_not_reached_again_is_refused(suite: Suite, sent: Path, tmp_path: Path) -> None:
    def better(card: dict[str, Any]) -> None:
        for row in card["runs"]:
            row[AMPLIFICATION] *= 1 - 1e-9

    altered(sent, better)
    with pytest.raises(reclaim.InputError, match="it does not reach what its card says") as told:
        League(suite, tmp_path / "league").add(sent)
    assert AMPLIFICATION in str(told.value)
    assert not (tmp_path / "league").exists()


def test_what_is_lower_on_the_suite_alone_may_be_tuned_on_it() -> None:
    def of(log: float) -> Effect:
        return Effect({str(each): log + each / 1e3 for each in range(8)}, 0.001)

    assert Again(1, [], PolicyCost(2), of(-0.2), of(-0.3)).said.endswith("on 8 workloads drawn anew.")
    assert Again(1, [], PolicyCost(2), of(0.1), of(-0.3)).said.endswith("It may be tuned on the suite.")
    assert Again(1, [], PolicyCost(2), of(0.1), of(0.3)).said.endswith("on 8 workloads drawn anew.")
    assert Again(1, [], PolicyCost(2), None, of(0.3)).said == ""


def without_a_workload(card: dict[str, Any]) -> None:
    card["runs"] = [row for row in card["runs"] if row["trace"] != "a"]


def twice(card: dict[str, Any]) -> None:
    card["runs"].append(card["runs"][0])


def another_drive(card: dict[str, Any]) -> None:
    card["runs"][0]["device"] = "mine.toml"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (without_a_workload, "lacks runs under a; all workloads count"),
        (twice, "has runs that small does not have"),
        (another_drive, "has runs that small does not have"),
        (lambda card: card.update(suite_digest="0"), "judged on another suite than small"),
        (lambda card: card.update(caught=["Two runs of the same thing differ."]), "Two runs of the same"),
        (lambda card: card.update(files={"../../mine.py": "0"}), r"\.\./\.\./mine.py is not below"),
        (lambda card: card.update(files={"/etc/passwd": "0"}), "/etc/passwd is not below"),
        (lambda card: card.update(files={"mine.py": "0"}), "mine.py was changed since it was judged"),
        (lambda card: card.update(files={"other.py": "0"}), "other.py is missing"),
        (lambda card: card.pop("runs"), "is no card of `reclaim judge`"),
        (lambda card: card.update(runs=[1]), "is no card of `reclaim judge`"),
        (lambda card: card["runs"][0].update({AMPLIFICATION: "much"}), "has no runs that can be read"),
        (lambda card: card["runs"][0].update({AMPLIFICATION: math.nan}), "a figure is no number, or is 0"),
        (lambda card: card["runs"][0].update({AMPLIFICATION: 0}), "a figure is no number, or is 0"),
        (lambda card: card.update(candidate="greedy"), "greedy takes part already"),
    ],
)
def test_what_may_not_enter_is_refused_before_it_runs(
    suite: Suite, sent: Path, tmp_path: Path, change: Callable[[dict[str, Any]], object], said: str
) -> None:
    altered(sent, change)
    with pytest.raises(reclaim.InputError, match=said) as told:
        League(suite, tmp_path / "league").add(sent)
    assert "\n" not in str(told.value)


def test_a_folder_without_a_card_says_what_writes_one(suite: Suite, tmp_path: Path) -> None:
    with pytest.raises(reclaim.InputError, match=r"card.json: is missing: `reclaim judge CANDIDATE -o"):
        League(suite, tmp_path / "league").add(tmp_path)


TRIES = """
import os, socket

def tried(what):
    try:
        what()
    except OSError:
        return "refused"
    return "done"

print(*map(tried, [
    lambda: open("here", "w").close(),
    lambda: open({outside!r} + "/new", "w").close(),
    lambda: open({outside!r} + "/there", "a").close(),
    lambda: open({outside!r} + "/there").close(),
    lambda: os.truncate({outside!r} + "/there", 0),
    lambda: os.unlink({outside!r} + "/there"),
    lambda: os.listdir({outside!r}),
    lambda: socket.socket(),
    lambda: socket.socket(socket.AF_UNIX),
    lambda: open("/etc/passwd").close(),
]))
"""


@confines
def test_what_is_confined_writes_nowhere_else_and_has_no_network(tmp_path: Path) -> None:
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    inside.mkdir()
    outside.mkdir()
    (outside / "there").write_text("precious")
    code = TRIES.format(outside=str(outside))
    command = confined.command(inside, [], [sys.executable, "-c", code])
    done = subprocess.run(
        command,
        cwd=inside,
        env=confined.environment(inside, inside),
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["done", *["refused"] * 9]
    assert (outside / "there").read_text() == "precious"


@confines
def test_code_that_reaches_out_is_refused_with_its_reason(suite: Suite, sent: Path, tmp_path: Path) -> None:
    file = sent / CANDIDATE / "mine.py"
    file.write_text(f"open({str(tmp_path / 'evil')!r}, 'w')\n" + POLICY)
    altered(sent, lambda card: card.update(files={"mine.py": checksum(file)}))
    with pytest.raises(reclaim.InputError, match=r"could not be run again: .*mine.py:1: PermissionError"):
        League(suite, tmp_path / "league").add(sent)
    assert not (tmp_path / "evil").exists()


FORGED = """
import atexit, json, os

def forged():
    open("../found.json", "w").write({answer!r})
    os._exit(0)

atexit.register(forged)
"""


@confines
@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("{}", "is no answer"),
        ("[", "is no answer"),
        ('{"again": [], "drawn": [], "cost": null}', "no answer"),
    ],
)
def test_an_answer_that_code_has_forged_is_no_traceback(
    suite: Suite, sent: Path, tmp_path: Path, answer: str, said: str
) -> None:
    file = sent / CANDIDATE / "mine.py"
    file.write_text(FORGED.format(answer=answer) + POLICY)
    altered(sent, lambda card: card.update(files={"mine.py": checksum(file)}))
    with pytest.raises(reclaim.InputError, match=said):
        League(suite, tmp_path / "league").add(sent)


def test_files_of_a_candidate_lie_in_one_folder(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "mine.py").write_text(POLICY)
    one, other = (tmp_path / folder / "mine.py" for folder in ("a", "b"))
    beside = tmp_path / "a" / "helpers" / "ages.py"
    found = files_of(f"greedy+{one}:oldest+{tmp_path}/set.toml", [one, beside])
    assert found == {"set.toml": tmp_path / "set.toml", "mine.py": one, "helpers/ages.py": beside}
    with pytest.raises(reclaim.InputError, match=r"two of its files are called mine.py"):
        files_of(f"{one}:oldest+{other}:oldest", [])


def test_the_command_prints_the_standing_and_asks_before_code_runs(tmp_path: Path) -> None:
    done = ran(tmp_path, "league")
    assert "SepBIT" in done.stdout, done.stderr
    assert "all but" in done.stdout
    told = json.loads(ran(tmp_path, "league", "--json").stdout)
    assert {each["name"] for each in told["standing"] if each["place"] == 1} == {"SepBIT", "DAC"}
    assert json.loads(json.dumps(reclaim.league().to_dict())) == told
    assert "no such suite" in ran(tmp_path, "league", "--suite", "gc-1").stderr
    with pytest.raises(reclaim.InputError, match="no such suite"):
        reclaim.league(tmp_path, suite="gc-1")
    refused = ran(tmp_path, "league", "add", "somewhere")
    assert refused.returncode == 2
    assert "--allow-code" in refused.stderr
    assert not [*tmp_path.iterdir()]
