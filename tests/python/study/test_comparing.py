"""`compare` as a study: repeats, paired ratios with intervals, folders by the names of schemes."""

from __future__ import annotations

import json
from html import unescape
from pathlib import Path

import pytest

import reclaim
from conftest import DEVICE, Command
from reclaim.result.repeated import Repeated
from reclaim.result.table import brief_rows, comparison
from reclaim.study.runner import none_left

COMMON = ("compare", "app-like/varmail", "-d", DEVICE, "--max-requests", "300", "--warmup", "workload")
SCHEMES = ("--schemes", "greedy,fifo")


def test_six_repeats_give_intervals_and_one_says_that_it_is_a_look(
    command: Command, trace_file: Path, tmp_path: Path
) -> None:
    common = ("compare", trace_file, "-d", DEVICE, "--warmup", "workload", *SCHEMES)
    done = command(*common, "-o", "out")
    assert done.returncode in (0, 1, 3), done.stderr
    shown = " ".join(done.stdout.split())
    assert "medians of 6 repeats; ratios against the first column are paired by repeat" in shown
    assert "points: 12 (2 schemes, 6 repeats: each begins elsewhere in the trace)" in done.stderr
    # Who wants tables of all has them, and each scheme has its first repeat by its name.
    stored = reclaim.ResultSet.load(tmp_path / "out")
    assert stored.intervals("write_mean_ns")["count"].to_list() == [6, 6]
    for scheme in ("greedy", "fifo"):
        first = stored.points.filter(scheme=scheme, repeat=0)["point"].item()
        both = [tmp_path / "out" / each / "results.json" for each in (scheme, f"points/{first}")]
        assert both[0].samefile(both[1])
    page = (tmp_path / "out/report.html").read_text()
    assert "in 6 repeats" in page[page.index('id="opening"') :].partition("</p>")[0]
    assert "Medians of 6 repeats. In grey: ratio to the first column, paired by repeat" in page
    assert "Of the first repeat." in page

    # What a screen shows last is the answer, as in the report, and how far to trust it.
    answer = unescape(page[page.index('id="opening"') :].partition(">")[2].partition("</p>")[0])
    assert answer in " ".join(done.stdout.partition("┘")[2].split())

    look = command(*common, "--repeats", "1")
    assert "is a look, no evidence: --repeats 6" in look.stdout
    assert "[" not in look.stdout.split("ratios against", 1)[1].split("verdict")[0]


def test_ratios_are_those_of_the_set(command: Command, tmp_path: Path) -> None:
    done = command(*COMMON, *SCHEMES, "-o", "out", "--json", "--quiet", "--no-report")
    told = json.loads(done.stdout)
    assert (len(told["runs"]), told["repeats"]) == (2, 6)
    (ours,) = (
        each for each in told["ratios"] if (each["section"], each["figure"]) == ("write", "mean latency")
    )
    stored = reclaim.ResultSet.load(tmp_path / "out")
    theirs = stored.normalize(metrics="write_mean_ns").filter(scheme="fifo").row(0, named=True)
    assert [ours[key] for key in ("ratio", "low", "high")] == [
        theirs[key] for key in ("value", "low", "high")
    ]


OWN = """import reclaim


@reclaim.victim_policy
def fewest(plane):
    return plane.blocks[plane.valid.argmin()]


@reclaim.concurrency_policy
class Always:
    def __init__(self, drive):
        self.planes = drive.planes

    def may_start(self, jobs):
        return True


def helper():
    return 1
"""


def test_a_policy_of_ones_own_is_a_scheme_by_its_name(command: Command, tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(OWN)
    look = (*COMMON, "--repeats", "1")
    done = command(*look, "--schemes", "greedy,own.py:fewest+own.py:Always", "-o", "out", "--no-report")
    assert done.returncode in (0, 1, 3), done.stderr
    config = (tmp_path / "out/own.py:fewest+own.py:Always/config.toml").read_text()
    assert all(f'own.py:{name}"' in config for name in ("fewest", "Always"))
    run = command("run", *COMMON[1:], "--scheme", "own.py:fewest", "-o", "one")
    assert "own.py:fewest" in (tmp_path / "one/config.toml").read_text(), run.stderr
    for scheme, says in (
        ("own.py:helper", 'has no policy "helper"; it has fewest, Always'),
        ("own.py:fewest+own.py:fewest", "another policy for gc.victim"),
        ("away.py:fewest", "there is no file"),
    ):
        refused = command(*look, "--schemes", f"greedy,{scheme}")
        assert (refused.returncode, says in refused.stderr) == (2, True), refused.stderr
    told = reclaim.compare(COMMON[1], DEVICE, ["greedy", f"{tmp_path}/own.py:fewest"], repeats=1)
    assert len(told.points) == 2


def test_schemes_that_a_setting_makes_the_same_are_told(command: Command) -> None:
    words = (*COMMON, "--repeats", "1", "--set", "gc.victim=fifo", *SCHEMES)
    done = command(*words)
    assert "greedy and fifo are the same drive here" in done.stdout
    # The verdict is on the screen already; who reads JSON has the reason of the exit code beside it.
    assert (done.returncode, "exit code" in done.stderr) == (3, False)
    assert "exit code 3: greedy: " in command(*words, "--json").stderr


def test_another_comparison_takes_the_folder_over(command: Command, tmp_path: Path) -> None:
    words = (*COMMON, "--repeats", "1", "-o", "out", "--no-report", "--schemes")
    assert command(*words, "greedy,fifo").returncode in (0, 1, 3)
    greedy = tmp_path / "out/greedy/results.json"
    before = greedy.stat()
    command(*words, "greedy,random")
    assert (greedy.stat().st_ino, greedy.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    found = {each.parent.name for each in (tmp_path / "out").glob("*/results.json")}
    assert found == {"greedy", "random"}
    assert (tmp_path / "out/aside").is_dir()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--repeat", "3"), "--plays 3"),
        (("--repeat", "3"), "--repeats 3"),
        (("--rotate", "10%", "--repeats", "2"), "--rotate says where"),
        (("--force",), "-o DIR"),
    ],
)
def test_what_cannot_be_meant(command: Command, words: tuple[str, ...], says: str) -> None:
    done = command(*COMMON, *SCHEMES, *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert says in done.stderr


def test_the_old_name_of_plays_is_told(command: Command) -> None:
    words = ("run", *COMMON[1:], "--json")
    old, new = command(*words, "--repeat", "2"), command(*words, "--plays", "2")
    assert old.stdout == new.stdout
    assert "--repeat: is called --plays now" in old.stderr
    assert command(*words, "--repeat", "2", "--plays", "3").returncode == 2


def test_schemes_that_cannot_differ_are_told_so_after_the_first_points(command: Command) -> None:
    done = command("compare", "app-like/varmail", "-d", DEVICE, "--max-requests", "100", *SCHEMES)
    (said,) = (line for line in done.stderr.splitlines() if line.startswith("note: "))
    assert "no garbage collection ran under any of these schemes" in said


def test_write_amplification_of_one_leaves_nothing_to_choose() -> None:
    def run(amplification: float, jobs: int = 3) -> dict[str, object]:
        return {"gc": {"jobs": jobs, "nand_write_amplification": amplification, "write_amplification": 9.0}}

    assert "1.00 under every scheme" in none_left([run(1.0), run(1.004)])
    assert "no garbage collection ran" in none_left([run(1.0, 0), run(1.0, 0)])
    assert none_left([run(1.0), run(1.2)]) == ""


def test_repeats_are_told_as_one(results: list[reclaim.Result]) -> None:
    first, second = results[:2]
    whole = [Repeated([first, second], "a"), Repeated([first, first], "b")]
    (row,) = (row for row in brief_rows(whole) if (row.section, row.label) == ("write", "mean latency"))
    means = [each.write.mean_ns for each in (first, second)]
    assert row.values == (sum(means) / 2, means[0])
    assert row.paired[1].value == pytest.approx((1 + means[0] / means[1]) / 2)
    assert row.paired[1].low is None, "two repeats have no interval"
    assert "medians of 2 repeats" in comparison(whole).title
    assert whole[0].verdict.level == max(
        (each.verdict.level for each in (first, second)),
        key=("trustworthy", "not-established", "not-trustworthy").index,
    )
