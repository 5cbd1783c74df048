"""`reclaim reproduce`: a small paper from end to end, and the drive itself as the command runs it."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import reclaim
from browser import running
from conftest import Command, ran
from reclaim.errors import InputError
from reclaim.html import with_code
from reclaim.instruments.alternatives import Kind
from reclaim.instruments.conclusion import Names
from reclaim.instruments.judging import Key, Measured, Variation
from reclaim.instruments.keys import Listed
from reclaim.instruments.moves import Pairing
from reclaim.instruments.sensitivity import Sensitivity
from reclaim.instruments.study import Study
from reclaim.papers import report
from reclaim.papers.addition import add
from reclaim.papers.claims import Claim, Measure
from reclaim.papers.decisions import NAMES, WITHOUT_OURS
from reclaim.papers.evaluation import Reproduction, Variations, evaluate
from reclaim.papers.outputs import to_dict
from reclaim.papers.page import DATA, SCREEN, TEMPLATE, render, screen_of, write_page
from reclaim.papers.paper import load_paper
from reclaim.papers.pictures import DECLARED
from reclaim.papers.reproduce import reproduce
from reclaim.papers.text import ours
from reclaim.papers.verdicts import QUICK
from reclaim.papers.why import depends_on
from small_paper import CELLS, CLAIM, HEADLINE, PAPER, is_met, write_paper

MORE = """
[[claim]]
id = "reads"
kind = "value"
what = "mean read latency"
where = "Table 2"
value = 0.5
printed = "0.5"
unit = "ms"
better = "lower"
measure = { experiment = "cells", metric = "read_mean_ns", scheme = "greedy" }
[[claim]]
id = "area"
kind = "value"
what = "area of the controller"
where = "section 5"
value = 1.2
unit = "mm2"
outside = "silicon area"
[[claim]]
id = "sum"
kind = "value"
what = "sum of two numbers"
where = "section 6"
value = 5
printed = "5"
contradiction = { of = "sum", printed = ["2", "1"], says = "two and one make three" }
[[claim]]
id = "later"
kind = "shape"
what = "latency over time"
where = "Figure 7"
value = "falls"
missing = "the timeline is not judged yet"
[[claim]]
id = "hangs"
group = "ours"
kind = "value"
what = "mean write latency"
where = "nowhere"
value = 0.5
unit = "ms"
open = "measured only with one channel; the answer may depend on it"
measure = { experiment = "cells", metric = "write_mean_ns", scheme = "greedy" }
[[group]]
name = "ours"
title = "What the paper does not ask"
origin = "own"
"""
PAGE = """# Small

`{{ run.command }}`: {{ ours("wa") }}, printed {{ printed("wa") }}, {{ verdict("wa") }};
{{ count("performance", verdict("wa")) }}.

{{ totals() }}

{{ why() }}

{{ unsettled() }}

{{ moved() }}

{{ claims() }}
"""


ADDED = """
from reclaim.papers.custom import Custom, PageTable
from reclaim.papers.measured import Figure


def of_runs(ran):
    return {"points of fifo": Custom(Figure(float(ran.cells("fifo").height))), "elsewhere": Custom(None)}


def tables(ran):
    return [PageTable("of fifo", ("points",), ((str(ran.cells("fifo").height),),))]
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the small paper."""
    folder = write_paper(tmp_path_factory.mktemp("papers"), expected=CLAIM + MORE)
    (folder / TEMPLATE).write_text(PAGE, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def output(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the whole level went."""
    return tmp_path_factory.mktemp("out") / "small"


@pytest.fixture(scope="module")
def full(place: Path, output: Path) -> Reproduction:
    """Everything, once."""
    return reproduce(load_paper(str(place)), "full", output)


def test_every_claim_gets_a_verdict_and_its_reason(full: Reproduction) -> None:
    found = {row.claim.id: row for row in full.rows}
    verdicts = {name: row.judgement.verdict for name, row in found.items()}
    # So few requests show no write amplification, and the simulator says so.
    assert verdicts.pop("wa") == "not established"
    assert re.search(r"; of \d+ runs: .*another-workload \(\d+\)", found["wa"].judgement.why)
    assert verdicts.pop("reads") == "not established"
    assert "another trace" not in found["reads"].judgement.why, "it is generated, as the paper's"
    assert verdicts == {
        "area": "outside the model",
        "sum": "error in the paper",
        "later": "not run",
        "hangs": "open",
    }
    assert found["hangs"].figure is not None, "what was measured is shown"
    assert found["hangs"].judgement.why == "measured only with one channel; the answer may depend on it"
    totals = {total.of_class: total for total in full.totals()}
    assert totals["own"].counted == {"open": 1}
    assert totals["performance"].counted == {"not established": 2, "error in the paper": 1}
    assert totals["comparison"].counted == {"not run": 1}
    shown = {of_class: total.shown for of_class, total in totals.items() if total.shown}
    assert shown == {"performance": {"outside the model": 1}}
    assert "sum of 2, 1 = 3 (2 to 4 before rounding); printed: 5" in found["sum"].judgement.why
    figure = found["wa"].figure
    assert figure is not None
    assert figure.low is not None
    assert figure.count > 5, "ten repeats with seeds of their own"
    assert found["reads"].figure is not None
    assert 0.01 < found["reads"].figure.value < 100, "in ms, as the claim"


def test_readings_loads_and_variations_are_shown_beside_the_verdict(full: Reproduction) -> None:
    row = next(row for row in full.rows if row.claim.id == "wa")
    assert [other.label for other in row.readings] == ["pages=four", "scheduler.kind=fcfs"]
    assert [other.label for other in row.loads] == ["30%", "60%", "closed"]
    assert all(other.figure.value > 0 for other in (*row.readings, *row.loads))


def test_workloads_are_scaled_to_the_load_once(full: Reproduction) -> None:
    scaled = {each["rule"]: each for each in full.provenance.scalings}
    for rule, share in (("30%", 0.30), ("60%", 0.60)):
        assert abs(scaled[rule]["reached"] - share) < 0.01
        assert not scaled[rule]["reason"]
    ratio = scaled["60%"]["time_scale"] / scaled["30%"]["time_scale"]
    assert 1.5 < ratio < 2.5


def test_what_was_run_is_not_run_again(full: Reproduction, place: Path, output: Path) -> None:
    before = {
        name: (output / name).read_bytes() for name in ("verdicts.json", "report.html", "verdicts.parquet")
    }
    stored = sorted((output / "sweeps").rglob("results.json"))
    times = [file.stat().st_mtime_ns for file in stored]
    assert len(stored) > 50
    again = reproduce(load_paper(str(place)), "full", output)
    assert to_dict(again) == to_dict(full)
    assert [file.stat().st_mtime_ns for file in stored] == times
    assert {name: (output / name).read_bytes() for name in before} == before


def test_verdicts_are_files_that_other_programs_read(full: Reproduction, output: Path) -> None:
    read = json.loads((output / "verdicts.json").read_text())
    assert read["level"] == "full"
    assert [each["id"] for each in read["claims"]] == [row.claim.id for row in full.rows]
    table = pl.read_parquet(output / "verdicts.parquet")
    assert table["verdict"].to_list() == [row.judgement.verdict for row in full.rows]
    assert table.schema["ours"] == pl.Float64
    manifest = json.loads((output / "manifest.json").read_text())
    assert set(manifest["files"]) == {"report.html", "verdicts.json", "verdicts.parquet"}


def test_the_page_of_a_paper_is_made_of_its_template(full: Reproduction, place: Path) -> None:
    text = write_page(full).read_text()
    row = next(row for row in full.rows if row.claim.id == "wa")
    verdict = row.judgement.verdict
    assert f"{ours(row.figure, row.claim)}, printed 1.05×, {verdict};\n" in text
    total = next(each for each in full.totals() if each.of_class == "performance")
    assert f"\n{total.counted.get(verdict, 0)} of {total.of}.\n" in text
    for total in full.totals():
        assert f"| {total.words} | {total.of} |" in text
    assert "*outside the model*" in text, "what is not counted is marked"
    assert "| claim | asked | ours | verdict | why |" in text, (
        "what is not printed does not stand under printed"
    )
    assert "\n- One channel.\n" in text
    assert text.count("<details>") == text.count("</details>") == len(full.groups())
    assert "| area of the controller | 1.2 mm2 | – | outside the model | silicon area |" in text
    assert write_page(full).read_text() == render(place) == text


SCREEN_OF_PAGE = """# Small

## What we find

Written {{ cell("ours:wa") }} times as often, [printed](page.json) {{ about("printed:wa") }}.

![FIFO writes more](pictures/answer.png)

| a | b |
|---|--:|
| x | 1 |
"""
PICTURES_OF_PAGE = """[[picture]]
name = "answer"
title = "FIFO writes more"
kind = "dots"
axis = "write amplification, relative to greedy"
[[picture.row]]
label = "all"
marks = { printed = "printed:wa", found = "ours:wa" }
"""


def test_reports_open_with_the_first_screen_of_the_page(full: Reproduction, place: Path) -> None:
    assert screen_of(full) == ("", {}), "this page has none"
    try:
        (place / SCREEN).write_text(SCREEN_OF_PAGE)
        (place / DECLARED).write_text(PICTURES_OF_PAGE)
        page = report.render(full)
        assert page.index('<section id="screen">') < page.index("<h2>Claims</h2>")
        opening = page.partition('<section id="screen">')[2].partition("</section>")[0]
        assert "Written " in opening
        assert "printed 1.1." in opening, "links lead nowhere from here"
        assert "<td>x</td>" in opening
        assert 'src="data:image/png;base64,' in opening
        # A run that lacks what the screen names has the page's.
        write_page(full)
        lacking = replace(full, rows=tuple(row for row in full.rows if row.claim.id != "wa"))
        assert screen_of(lacking) == screen_of(full)
        assert (place / "pictures" / "answer.png").read_bytes() == screen_of(full)[1]["answer.png"]
        (place / DECLARED).unlink()
        write_page(full)
        assert not (place / "pictures" / "answer.png").exists(), "it is declared no more"
    finally:
        (place / SCREEN).unlink()
        (place / DECLARED).unlink(missing_ok=True)


def test_figures_of_fewer_runs_do_not_replace_those_of_full(full: Reproduction, place: Path) -> None:
    text = write_page(full).read_text()
    provenance = replace(full.provenance, level="default", command="reclaim reproduce small")
    fewer = replace(full, provenance=provenance)
    with pytest.raises(reclaim.InputError, match="has figures of --full, which those of fewer runs do not"):
        write_page(fewer)
    assert "`reclaim reproduce small`: " in write_page(fewer, keep=True).read_text()
    (place / DATA).unlink()
    by_default = write_page(fewer).read_text()
    assert "`reclaim reproduce small`: " in by_default
    assert write_page(full).read_text() == text, "--full replaces the figures of fewer runs"


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ('{{ ours("waa") }}', 'no claim "waa"; did you mean "wa"'),
        ('{{ table("gains") }}', 'no table "gains"'),
        ('{{ figure("gain") }}', 'no figure "gain"'),
        ("{{ our }}", "'our' is undefined"),
    ],
)
def test_a_template_names_only_what_is_there(
    asked: str, said: str, full: Reproduction, tmp_path: Path
) -> None:
    place = write_paper(tmp_path, expected=CLAIM + MORE)
    (place / TEMPLATE).write_text(asked, encoding="utf-8")
    moved = replace(full, paper=load_paper(str(place)))
    with pytest.raises(reclaim.InputError, match=said):
        write_page(moved)


def test_what_moved_is_told(full: Reproduction, place: Path) -> None:
    row = next(row for row in full.rows if row.claim.id == "wa")
    before = {"verdicts": {"wa": "open"}}
    (place / "before.json").write_text(json.dumps(before), encoding="utf-8")
    text = write_page(full).read_text()
    (place / "before.json").unlink()
    assert f"| open | {row.judgement.verdict} | 1 |" in text
    assert f"|  | new | {len(full.rows) - 1} | asked for the first time |" in text


def page_of(output: Path) -> str:
    """The report without its JavaScript libraries."""
    text = (output / "report.html").read_text()
    return re.sub(r"<script>.*?</script>", "", text, count=1, flags=re.DOTALL)


def test_the_report_says_what_a_reader_must_know(full: Reproduction, output: Path) -> None:
    page = page_of(output)
    for expected in (
        "Workload A",
        "generated",
        "arrival times of the trace",
        "How many pages of a victim move at once.",
        "reclaim reproduce small --full",
        "One plane.",
        "two and one make three",
        'class="chip outside-the-model"',
        "reading pages=four",
        "Under other loads and readings",
    ):
        assert expected in page, expected
    assert not re.search(r"<(script|img|iframe)[^>]*\ssrc=|<link\b|@import|url\(", page)
    assert full.paper.title in page


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)])
def test_a_browser_draws_every_chart(
    full: Reproduction, output: Path, tmp_path: Path, width: int, dark: bool
) -> None:
    with running(tmp_path) as browser:
        opened = browser.open(output / "report.html", width=width, dark=dark)
    assert opened.complaints == []
    assert opened.told["figures"] == opened.told["drawn"]
    assert opened.told["charts"] == 3, "a panel for each unit of a group"
    assert opened.told["empty"] == opened.told["cut"] == 0
    assert opened.told["outside"] == []
    assert full.rows


def test_a_cell_in_which_nothing_was_collected_is_refused(tmp_path: Path) -> None:
    fresh = CELLS.replace('"overwrite"', '"empty"').replace('"warmup.overwrites" = 2.0\n', "")
    fresh = fresh.replace("requests = 6000", "requests = 300")
    found = reproduce(load_paper(str(write_paper(tmp_path, cells=fresh))), "quick")
    row = found.rows[0]
    assert row.judgement.verdict == "not run"
    assert "garbage collection never ran" in row.judgement.why
    assert "garbage collection never ran" in json.dumps(to_dict(found))


def test_points_that_fail_are_named_and_the_others_are_judged(tmp_path: Path) -> None:
    cells = CELLS.replace('schemes = ["greedy", "fifo"]', 'schemes = ["greedy", "fifo", "raid5"]')
    place = write_paper(tmp_path, cells=cells)
    done = ran(tmp_path, "reproduce", place, "--quick", "--json")
    assert done.returncode == 1, done.stderr
    read = json.loads(done.stdout)
    assert len(read["failures"]) == 3
    assert all("raid5" in each for each in read["failures"])
    assert read["claims"][0]["ours"]["value"] > 0.5


def test_a_contradiction_that_does_not_hold_is_a_mistake_of_ours(tmp_path: Path) -> None:
    text = CLAIM + MORE.replace('printed = ["2", "1"]', 'printed = ["2", "3"]')
    place = write_paper(tmp_path, expected=text)
    with pytest.raises(
        reclaim.InputError, match=r'claim "sum": the contradiction does not hold: sum of 2, 3 = 5'
    ):
        reproduce(load_paper(str(place)), "quick")


def test_missing_traces_are_one_message_before_anything_runs(tmp_path: Path) -> None:
    lists = (
        'traces = [{ name = "uniform", source = "nowhere.csv" }, "msr/hm_9"]\nschemes = ["greedy", "fifo"]\n'
    )
    cells = f'name = "cells"\ndevices = ["one.toml"]\n{lists}'
    place = write_paper(tmp_path, cells=cells)
    with pytest.raises(reclaim.InputError) as caught:
        reproduce(load_paper(str(place)), "quick", tmp_path / "out")
    said = str(caught.value)
    assert said.startswith("small: 2 of its traces are not here\n  nowhere.csv: no such file")
    assert "\n  msr/hm_9: " in said
    assert not (tmp_path / "out" / "sweeps").exists()


def test_full_recordings_are_looked_for_in_their_folder(tmp_path: Path, place: Path) -> None:
    paper = load_paper(str(place))
    with pytest.raises(reclaim.InputError, match="--traces names no folder"):
        reproduce(paper, "default", traces=tmp_path / "none")
    with pytest.raises(reclaim.InputError, match=r"has none of a\.csv, which small could use"):
        reproduce(paper, "default", traces=tmp_path)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["drvie"], 'no paper "drvie"; papers: '),
        ([], "no paper named; reclaim reproduce --list shows them"),
        (["drive", "--list"], "--list shows all papers"),
        (["drive", "--quick", "--full"], "--quick and --full: give one of them"),
        (["drive", "--write-page", "--quick"], "--write-page: --quick only shows that everything runs"),
        (["word-line-aware", "--why", "--quick"], "--why: --quick only shows that everything runs"),
        (["all", "--why", "--quick"], "--why: --quick only shows that everything runs"),
        (["drive", "--why"], "--why: "),
    ],
)
def test_words_that_cannot_be_meant(command: Command, words: list[str], said: str) -> None:
    done = command("reproduce", *words)
    assert done.returncode == 2
    assert done.stderr.startswith(f"error: {said}")
    assert done.stdout == ""


def test_papers_are_listed(command: Command) -> None:
    done = command("reproduce", "--list")
    assert done.returncode == 0
    assert {"drive", "channel-aware", "word-line-aware"} <= {
        line.split()[0] for line in done.stdout.splitlines() if line.strip()
    }


def test_all_papers_go_into_folders_of_their_own(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_paper(tmp_path / "papers")
    monkeypatch.setenv("RECLAIM_PAPERS", str(tmp_path / "papers"))
    done = command("reproduce", "all", "--quick", "-o", "out")
    assert done.returncode == 0, done.stderr
    assert "small, level quick: 1 claims, none of them judged: the quick level judges nothing" in done.stdout
    assert (tmp_path / "out" / "small" / "report.html").is_file()


def test_of_all_papers_those_with_a_headline_are_asked(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_paper(tmp_path / "papers")
    monkeypatch.setenv("RECLAIM_PAPERS", str(tmp_path / "papers"))
    done = command("reproduce", "all", "--why", "-o", "out")
    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / "out" / "small" / "verdicts.json").read_text())["why"] == []


def test_a_figure_of_another_trace_says_so(tmp_path: Path) -> None:
    recorded = PAPER.replace('kind = "generated"', 'kind = "recording"')
    paper = load_paper(str(write_paper(tmp_path, paper=recorded)))
    measure = Measure("cells", "read_mean_ns", "greedy")
    claim = Claim("a", "reads", "Table 1", "value", 1.0, "1", "ms", measure=measure)
    paper = replace(paper, expected=replace(paper.expected, claims=(claim,)))
    cell = {"experiment_key": "cells", "load": paper.load, "vary": "", "trace": "uniform", "scheme": "greedy"}
    points = pl.DataFrame([cell | {"repeat": 0, "read_mean_ns": 7e6, "gc_jobs": 1}])
    (row,) = evaluate(paper, points, {}, Variations())
    assert row.judgement.verdict == "other trace"
    assert row.judgement.why.endswith("; of another trace (recording)")
    # A hit is as much by chance as a miss.
    (hit,) = evaluate(paper, points.with_columns(read_mean_ns=pl.lit(1e6)), {}, Variations())
    assert hit.judgement.verdict == "other trace"
    assert hit.judgement.why.startswith("within ")


@pytest.mark.parametrize("key", ["channel-aware", "word-line-aware"])
def test_a_paper_as_the_command_runs_it(key: str, tmp_path: Path) -> None:
    """Level quick of what ships: nothing is judged. `test_validate` has the drive."""
    done = ran(tmp_path, "reproduce", key, "--quick", "-o", "out", seconds=900)
    assert done.returncode == 0, done.stderr
    read = json.loads((tmp_path / "out" / "verdicts.json").read_text())
    assert f"{key}, level quick: " in done.stdout
    assert read["counts"] == {}
    verdicts = {each["verdict"] for each in read["claims"]}
    assert "not judged" in verdicts
    assert not verdicts & (set(NAMES) - set(WITHOUT_OURS))
    origins = Counter(each["origin"] for each in read["claims"])
    if key == "word-line-aware":
        wrong = [each["id"] for each in read["claims"] if each["verdict"] == "error in the paper"]
        assert wrong == ["abstract-analytical-better-in-all-cases"]
        # The paper's own claims are counted apart from our closed forms and from the authors' log.
        assert origins == {"paper": 27, "program": 22, "formula": 128, "own": 40}
        ours = {each["id"]: each for each in read["claims"]}
        assert all(is_met(ours[each]) for each in ("f5-mean-gain", "replica-max-gain", "replica-mean-gain"))
        assert not is_met(ours["f6-max-gain"])
        assert ours["f6-max-gain"]["ours"]["value"] > 0
        assert ours["f5-share-equal"]["verdict"] == ours["f5-share-better"]["verdict"] == "open"
        missing = [each["id"] for each in read["claims"] if each["verdict"] == "not run"]
        assert missing
        assert all(each.startswith(("placement-large", "placement-cost-large")) for each in missing)
    else:
        assert len(read["claims"]) == 428
        assert sum(each["verdict"] == "error in the paper" for each in read["claims"]) == 9
        reads = next(each for each in read["claims"] if each["id"] == "t6-avg-write-sqlite-adaptive")
        assert reads["why"] == QUICK
        # Three repeats have no interval of 95 %.
        assert (reads["ours"]["low"], reads["ours"]["high"]) == (None, None)
    assert (tmp_path / "out" / "report.html").stat().st_size > 100_000


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Reproduction]:
    """The small paper with a headline that a reading turns, its results, and what came of it."""
    # One play writes the drive often enough to be evidence.
    cells = CELLS.replace("6000", "40000")
    place = write_paper(
        tmp_path_factory.mktemp("asked"), paper=PAPER + HEADLINE, expected=CLAIM + MORE, cells=cells
    )
    (place / TEMPLATE).write_text(PAGE, encoding="utf-8")
    output = tmp_path_factory.mktemp("asked-out") / "small"
    return place, output, reproduce(load_paper(str(place)), output=output, why=True)


def test_a_headline_that_a_reading_turns_depends_on_it(asked: tuple[Path, Path, Reproduction]) -> None:
    _, output, found = asked
    (finding,) = found.findings
    row = next(each for each in found.rows if each.claim.id == "wa")
    assert finding.depends_on.startswith("turned by `flash.program_unit` = word-line for greedy alone")
    assert row.judgement.verdict == "depends on a choice"
    assert row.judgement.why.endswith(f"fewer-writes: {finding.depends_on}")
    # Only the claims that the headline names.
    assert [each.claim.id for each in found.rows if each.judgement.verdict == "depends on a choice"] == ["wa"]
    assert "`scheduler`" not in finding.depends_on
    assert len(finding.parts) == 1
    assert finding.parts[0].startswith("From greedy to fifo, write amplification (pages) rises to 1.0")
    (told,) = json.loads((output / "verdicts.json").read_text())["why"]
    assert told == finding.to_dict()
    assert found.provenance.command == "reclaim reproduce small --why"
    assert (output / "why" / "fewer-writes" / "sensitivity" / "report.html").is_file()
    assert (output / "why" / "fewer-writes" / "ablation" / "report.html").is_file()
    assert with_code(finding.text) in (output / "report.html").read_text()


def test_what_a_headline_depends_on_stands_on_the_page(asked: tuple[Path, Path, Reproduction]) -> None:
    place, _, found = asked
    write_page(replace(found, provenance=replace(found.provenance, level="full")))
    page = (place / "README.md").read_text()
    assert f"- *Oldest blocks first cost writes.* {found.findings[0].conclusion} From greedy to fifo" in page
    # Without the question nothing is told of it.
    write_page(
        replace(found, findings=(), provenance=replace(found.provenance, level="full", command="reclaim"))
    )
    assert "Oldest blocks first" not in (place / "README.md").read_text()


def test_what_was_asked_is_not_run_again(asked: tuple[Path, Path, Reproduction]) -> None:
    place, output, found = asked
    points = {each: each.stat().st_mtime_ns for each in output.rglob("*.json") if "points" in each.parts}
    again = reproduce(load_paper(str(place)), output=output, why=True)
    assert again.findings == found.findings
    assert {each: each.stat().st_mtime_ns for each in points} == points


def test_a_headline_that_nothing_turns_changes_no_verdict(tmp_path: Path) -> None:
    place = write_paper(tmp_path, paper=PAPER + HEADLINE)
    study = (place / "why.toml").read_text()
    (place / "why.toml").write_text(study.replace('"flash.program_unit", "gc.trigger.start", ', ""))
    found = reproduce(load_paper(str(place)), why=True)
    plain = reproduce(load_paper(str(place)))
    assert found.findings[0].depends_on == ""
    assert [each.judgement for each in found.rows] == [each.judgement for each in plain.rows]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (('"wa"', '"wb"'), 'headline 1: claims: expected.toml has no claim "wb"'),
        (("why.toml", "what.toml"), "headline 1: file: no file "),
        (("fewer-writes", "../writes"), 'headline 1: name = "../writes": a folder is called so; '),
        (("says = ", "say = "), "headline 1: has no says"),
    ],
)
def test_headlines_that_cannot_be_meant(tmp_path: Path, change: tuple[str, str], said: str) -> None:
    place = write_paper(tmp_path, paper=PAPER + HEADLINE.replace(*change))
    with pytest.raises(InputError, match=re.escape(said)):
        load_paper(str(place))


def test_two_headlines_of_one_name_are_refused(tmp_path: Path) -> None:
    place = write_paper(tmp_path, paper=PAPER + HEADLINE + HEADLINE)
    with pytest.raises(InputError, match='two headlines are called "fewer-writes"'):
        load_paper(str(place))


def test_what_cannot_be_asked_is_said_before_anything_runs(tmp_path: Path) -> None:
    place = write_paper(tmp_path, paper=PAPER + HEADLINE)
    output = tmp_path / "out"
    with pytest.raises(InputError, match="--why: --quick only shows that everything runs"):
        reproduce(load_paper(str(place)), "quick", output, why=True)
    text = (place / "why.toml").read_text()
    (place / "why.toml").write_text(text.replace("[sensitivity]", "[sensible]"))
    with pytest.raises(InputError, match="sensible"):
        reproduce(load_paper(str(place)), output=output, why=True)
    (place / "paper.toml").write_text(PAPER)
    with pytest.raises(InputError, match=r"--why: .*paper.toml declares no \[\[headline\]\]"):
        reproduce(load_paper(str(place)), output=output, why=True)
    assert not output.exists()


def test_what_it_depends_on_names_each_choice_once() -> None:
    def key(name: str, kind: Kind, turning: Sequence[str], opening: Sequence[str]) -> Key:
        def moved(values: Sequence[str]) -> list[Variation]:
            return [Variation(name, value, "A", Pairing()) for value in values]

        return Key(name, kind, "", {}, turning=moved(turning), opening=moved(opening))

    def told(keys: list[Key], side: int = 1) -> str:
        study = Study(Listed(keys), Measured({}, ()), side)
        found = Sensitivity(
            Names("a", "b", "read_mean_ns"), [(study, "arrivals"), (study, "utilisation")], Path(), 0, []
        )
        return depends_on(found)

    turns = key("x", "reading", ["1"], ["1"])
    # What turns it is not left open, too.
    assert told([turns]) == "turned by `x` = 1 for a alone"
    both = [turns, key("y", "unprinted", [], ["2", "3"])]
    assert told(both) == (
        "turned by `x` = 1 for a alone; left open by `y` = 2 for a alone, `y` = 3 for a alone"
    )
    # Without a direction nothing is left open; another drive is where it holds, not a choice.
    assert told(both, side=0) == "turned by `x` = 1 for a alone"
    assert told([key("z", "scope", ["1"], ["2"])]) == ""


BEYOND = """[beyond]
larger = { larger = "larger.toml" }
[[reading]]
"""


def test_what_goes_past_the_paper_is_run_if_it_is_named(tmp_path: Path) -> None:
    place = write_paper(tmp_path, paper=PAPER.replace("[[reading]]\n", BEYOND, 1))
    (place / "larger.toml").write_text(
        CELLS.replace('name = "cells"', 'name = "larger"').replace("128", "64")
    )
    paper = load_paper(str(place))
    found = reproduce(paper, output=tmp_path / "out", beyond=["larger"])
    assert found.provenance.command == "reclaim reproduce small --beyond larger"
    assert (tmp_path / "out/sweeps/default/larger").is_dir()
    without = reproduce(paper, output=tmp_path / "without")
    assert without.provenance.command == "reclaim reproduce small"
    assert not (tmp_path / "without/sweeps/default/larger").exists()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            ["small", "--beyond", "large"],
            '--beyond: nothing is called "large"; valid: larger; did you mean larger?',
        ),
        (["small", "--beyond", "larger", "--full"], "--beyond: --full runs all of it; leave one of them out"),
        (
            ["small", "--beyond", "larger", "--quick"],
            "--beyond: --quick only shows that everything runs; leave one of them out",
        ),
        (["all", "--beyond", "larger"], "--beyond: labels are of one paper; name it instead of all"),
        (["drive", "--beyond", "larger"], '--beyond: nothing is called "larger"; drive has none'),
    ],
)
def test_labels_that_cannot_be_meant(command: Command, tmp_path: Path, options: list[str], said: str) -> None:
    place = write_paper(tmp_path, paper=PAPER.replace("[[reading]]\n", BEYOND, 1))
    (place / "larger.toml").write_text(CELLS.replace('name = "cells"', 'name = "larger"'))
    words = [str(place) if word == "small" else word for word in options]
    done = command("reproduce", *words)
    assert done.returncode == 2
    assert said in done.stderr


def test_what_a_headline_depends_on_is_added_to_the_page(
    asked: tuple[Path, Path, Reproduction], tmp_path: Path
) -> None:
    place, output, found = asked
    (finding,) = found.findings
    # Judged without the question, and asked afterwards: nothing is run again.
    plain = reproduce(load_paper(str(place)), output=tmp_path / "plain")
    plain = replace(plain, provenance=replace(plain.provenance, level="full"))
    write_page(plain)
    before = json.loads((place / DATA).read_text(encoding="utf-8"))
    options: Any = {"tell": lambda *_: None, "why": True}
    text = add(load_paper(str(place)), [], output, **options).read_text(encoding="utf-8")
    assert f"- *Oldest blocks first cost writes.* {finding.conclusion}" in text
    after = json.loads((place / DATA).read_text(encoding="utf-8"))
    assert after["why"] == [finding.to_dict()]
    verdicts = {each["id"]: (each["verdict"], each["why"]) for each in after["claims"]}
    asked_at_once = {row.claim.id: (row.judgement.verdict, row.judgement.why) for row in found.rows}
    assert verdicts == asked_at_once
    (kept,) = after["kept"]
    assert kept["names"] == ["what headlines depend on"]
    assert kept["command"] == "reclaim reproduce small --why --only"
    # A later run without the question keeps what was found, and judges with it.
    write_page(plain, keep=True)
    assert json.loads((place / DATA).read_text(encoding="utf-8"))["claims"] == after["claims"]
    # Without the verdict before, a claim cannot be judged anew.
    with pytest.raises(reclaim.InputError, match="--why --write-page judges it anew"):
        add(load_paper(str(place)), [], output, **options)
    (place / DATA).write_text(json.dumps(before), encoding="utf-8")


def test_what_goes_past_a_paper_is_added_to_its_page(full: Reproduction, tmp_path: Path) -> None:
    paper = PAPER.replace("[levels]", '[beyond]\nfifo = { fifo = "cells.toml" }\n[levels]')
    place = write_paper(tmp_path / "small", paper=f'module = "figures"\n{paper}', expected=CLAIM + MORE)
    (place / "figures.py").write_text(ADDED, encoding="utf-8")
    (place / TEMPLATE).write_text('{{ verdict("wa") }} {{ kept() }}\n', encoding="utf-8")
    loaded = load_paper(str(place))
    options: Any = {"tell": lambda *_: None, "allow_code": True}
    with pytest.raises(reclaim.InputError, match="--write-page makes it first"):
        add(loaded, ["fifo"], tmp_path / "out", **options)
    write_page(replace(full, paper=loaded))
    before = json.loads((place / DATA).read_text(encoding="utf-8"))
    text = add(loaded, ["fifo"], tmp_path / "out", **options).read_text(encoding="utf-8")
    after = json.loads((place / DATA).read_text(encoding="utf-8"))
    assert "`reclaim reproduce small --beyond fifo --only`" in text
    assert "2 figures and tables" in text
    assert after["tables"] == [{"name": "of fifo", "head": ["points"], "rows": [["6"]]}]
    assert after["figures"]["points of fifo"]["value"] == 6
    same = ("claims", "command", "commit", "groups", "level", "why")
    assert {name: after[name] for name in same} == {name: before[name] for name in same}
    # Once more: nothing is there twice.
    add(loaded, ["fifo"], tmp_path / "out", **options)
    assert json.loads((place / DATA).read_text(encoding="utf-8")) == after
