"""`reclaim reproduce`: a small paper from end to end, and what ships as the command runs it."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace as Made
from typing import Any, NamedTuple

import polars as pl
import pytest

from browser import running
from conftest import Command, ran
from reclaim.errors import InputError
from reclaim.paper import report
from reclaim.paper.addition import AdditionStudy
from reclaim.paper.agreements import QUICK
from reclaim.paper.claims import Claim, Measure
from reclaim.paper.decisions import NAMES, WITHOUT_OURS
from reclaim.paper.evaluation import Evidence, Reproduction, Variations
from reclaim.paper.page import DATA, SCREEN, TEMPLATE, pictures_of, render, screen_text, write_page
from reclaim.paper.paper import load_paper
from reclaim.paper.pictures import DECLARED
from reclaim.paper.report import to_dict
from reclaim.paper.reproduce import reproduce
from reclaim.paper.text import ours
from reclaim.paper.why import depends_on
from reclaim.report import html
from reclaim.report.html import prose
from small_paper import CELLS, CLAIM, HEADLINE, PAPER, is_met, write_paper


def claim(name: str, kind: str, value: object, *more: str) -> str:
    said = f'id = "{name}"\nkind = "{kind}"\nvalue = {value}\nwhat = "what {name} is"\nwhere = "Table 2"\n'
    return "\n".join((f"[[claim]]\n{said}", *more, ""))


def of_greedy(metric: str) -> str:
    return f'measure = {{ experiment = "cells", metric = "{metric}", scheme = "greedy" }}\nunit = "ms"'


WRONG = 'contradiction = { of = "sum", printed = ["2", "1"], says = "two and one make three" }'
OPEN = 'open = "measured only with one channel"'
MORE = (
    claim("reads", "value", 0.5, of_greedy("read_mean_ns"), 'better = "lower"\nprinted = "0.5"')
    + claim("area", "value", 1.2, 'unit = "mm2"\noutside = "silicon area"')
    + claim("sum", "value", 5, WRONG, 'printed = "5"')
    + claim("later", "shape", '"falls"', 'missing = "the timeline is not judged yet"')
    + claim("hangs", "value", 0.5, of_greedy("write_mean_ns"), OPEN, 'group = "ours"')
    + '[[group]]\nname = "ours"\ntitle = "What the paper does not ask"\norigin = "own"\n'
)
PAGE = """# Small

`{{ run.command }}`: {{ ours("wa") }}, printed {{ printed("wa") }}, {{ agreement("wa") }};
{{ count("performance", agreement("wa")) }}.

{{ totals() }}

{{ why() }}

{{ unsettled() }}

{{ moved() }}

{{ claims() }}
"""
ADDED = """
from reclaim.paper.figures import PaperFigure, PageTable
from reclaim.paper.measured import Figure


def of_runs(ran):
    return {"points of fifo": Figure(float(ran.cells("fifo").height)), "elsewhere": PaperFigure(None)}


def tables(ran):
    return [PageTable("of fifo", ("points",), ((str(ran.cells("fifo").height),),))]
"""


class Done(NamedTuple):
    """A paper, where its results went, and what came of it."""

    place: Path
    output: Path
    found: Reproduction

    def again(self, **options: Any) -> Reproduction:
        return reproduce(load_paper(str(self.place)), output=self.output, **options)

    def data(self) -> dict[str, Any]:
        read: dict[str, Any] = json.loads((self.place / DATA).read_text(encoding="utf-8"))
        return read


def row_of(found: Reproduction, name: str = "wa") -> Any:
    return next(row for row in found.rows if row.claim.id == name)


def with_run(found: Reproduction, **changes: str) -> Reproduction:
    return replace(found, provenance=replace(found.provenance, **changes))


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Done:
    """The small paper, everything, once."""
    place = write_paper(tmp_path_factory.mktemp("papers"), expected=CLAIM + MORE)
    (place / TEMPLATE).write_text(PAGE, encoding="utf-8")
    output = tmp_path_factory.mktemp("out") / "small"
    return Done(place, output, reproduce(load_paper(str(place)), "full", output))


def test_every_claim_gets_a_agreement_and_its_reason(full: Done) -> None:
    rows = {row.claim.id: row for row in full.found.rows}
    assert {name: row.judgement.agreement for name, row in rows.items()} == {
        # So few requests show no write amplification, and the simulator says so.
        "wa": "not established",
        "reads": "not established",
        "area": "outside the model",
        "sum": "error in the paper",
        "later": "not run",
        "hangs": "open",
    }
    assert re.search(r"; of \d+ runs: .*another-workload \(\d+\)", rows["wa"].judgement.why)
    assert "another trace" not in rows["reads"].judgement.why, "it is generated, as the paper's"
    assert rows["hangs"].figure is not None, "what was measured is shown"
    assert rows["hangs"].judgement.why in OPEN
    assert "sum of 2, 1 = 3 (2 to 4 before rounding); printed: 5" in rows["sum"].judgement.why
    totals = {total.of_class: total for total in full.found.totals()}
    assert totals["own"].counted == {"open": 1}
    assert totals["performance"].counted == {"not established": 2, "error in the paper": 1}
    assert totals["comparison"].counted == {"not run": 1}
    assert {name: each.shown for name, each in totals.items() if each.shown} == {
        "performance": {"outside the model": 1}
    }
    assert rows["wa"].figure.low is not None
    assert rows["wa"].figure.count > 5, "ten repeats with seeds of their own"
    assert 0.01 < rows["reads"].figure.value < 100, "in ms, as the claim"


def test_readings_loads_and_variations_are_shown_beside_the_agreement(full: Done) -> None:
    row = row_of(full.found)
    assert [other.label for other in row.readings] == ["pages=four", "scheduler.kind=fcfs"]
    assert [other.label for other in row.loads] == ["30%", "60%", "closed"]
    assert all(other.figure.value > 0 for other in (*row.readings, *row.loads))


def test_workloads_are_scaled_to_the_load_once(full: Done) -> None:
    scaled = {each["rule"]: each for each in full.found.provenance.scalings}
    for rule, share in (("30%", 0.30), ("60%", 0.60)):
        assert abs(scaled[rule]["reached"] - share) < 0.01
        assert not scaled[rule]["reason"]
    assert 1.5 < scaled["60%"]["time_scale"] / scaled["30%"]["time_scale"] < 2.5


def test_what_was_run_is_not_run_again(full: Done) -> None:
    names = ("agreement.json", "report.html", "agreement.parquet")
    before = {name: (full.output / name).read_bytes() for name in names}
    stored = sorted((full.output / "sweeps").rglob("results.json"))
    times = [file.stat().st_mtime_ns for file in stored]
    assert len(stored) > 50
    assert to_dict(full.again(level="full")) == to_dict(full.found)
    assert [file.stat().st_mtime_ns for file in stored] == times
    assert {name: (full.output / name).read_bytes() for name in names} == before


def test_agreements_are_files_that_other_programs_read(full: Done) -> None:
    read = json.loads((full.output / "agreement.json").read_text())
    assert read["level"] == "full"
    assert [each["id"] for each in read["claims"]] == [row.claim.id for row in full.found.rows]
    table = pl.read_parquet(full.output / "agreement.parquet")
    assert table["agreement"].to_list() == [row.judgement.agreement for row in full.found.rows]
    assert table.schema["ours"] == pl.Float64
    manifest = json.loads((full.output / "manifest.json").read_text())
    assert set(manifest["files"]) == {"report.html", "agreement.json", "agreement.parquet"}


def test_the_page_of_a_paper_is_made_of_its_template(full: Done) -> None:
    text = write_page(full.found).read_text()
    row, totals = row_of(full.found), full.found.totals()
    assert f"{ours(row.figure, row.claim)}, printed 1.05×, {row.judgement.agreement};\n2 of 3.\n" in text
    assert all(f"| {total.words} | {total.of} |" in text for total in totals)
    assert "*outside the model*" in text, "what is not counted is marked"
    # What is not printed does not stand under "printed".
    assert "| claim | asked | ours | agreement | why |" in text
    assert "\n- One channel.\n" in text
    assert text.count("<details>") == text.count("</details>") == len(full.found.groups())
    assert "| what area is | 1.2 mm2 | – | outside the model | silicon area |" in text
    assert write_page(full.found).read_text() == render(full.place) == text


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


def test_reports_open_with_the_first_screen_of_the_page(full: Done) -> None:
    found, place = full.found, full.place
    assert screen_text(found) == "", "this page has none"
    try:
        (place / SCREEN).write_text(SCREEN_OF_PAGE)
        (place / DECLARED).write_text(PICTURES_OF_PAGE)
        page = html.render(report.document(found))
        assert page.index('<section id="screen">') < page.index("<h2>Claims</h2>")
        opening = page.partition('<section id="screen">')[2].partition("</section>")[0]
        assert "printed 1.1." in opening, "links lead nowhere from here"
        assert "<td>x</td>" in opening
        assert 'src="data:image/png;base64,' in opening
        # A run that lacks what the screen names has the page's.
        write_page(found)
        lacking = replace(found, rows=tuple(row for row in found.rows if row.claim.id != "wa"))
        assert screen_text(lacking) == screen_text(found)
        assert (place / "pictures" / "answer.png").read_bytes() == pictures_of(found)["answer.png"]
        (place / DECLARED).unlink()
        write_page(found)
        assert not (place / "pictures" / "answer.png").exists(), "it is declared no more"
    finally:
        (place / SCREEN).unlink()
        (place / DECLARED).unlink(missing_ok=True)


def test_figures_of_fewer_runs_do_not_replace_those_of_full(full: Done) -> None:
    text = write_page(full.found).read_text()
    fewer = with_run(full.found, level="default", command="reclaim reproduce small")
    with pytest.raises(InputError, match="has figures of --full"):
        write_page(fewer)
    assert "`reclaim reproduce small`: " in write_page(fewer, keep=True).read_text()
    (full.place / DATA).unlink()
    assert "`reclaim reproduce small`: " in write_page(fewer).read_text()
    assert write_page(full.found).read_text() == text, "--full replaces the figures of fewer runs"


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ('{{ ours("waa") }}', 'no claim "waa"; did you mean "wa"'),
        ('{{ table("gains") }}', 'no table "gains"'),
        ('{{ figure("gain") }}', 'no figure "gain"'),
        ("{{ our }}", "'our' is undefined"),
    ],
)
def test_a_template_names_only_what_is_there(asked: str, said: str, full: Done, tmp_path: Path) -> None:
    place = write_paper(tmp_path, expected=CLAIM + MORE)
    (place / TEMPLATE).write_text(asked, encoding="utf-8")
    with pytest.raises(InputError, match=said):
        write_page(replace(full.found, paper=load_paper(str(place))))


def test_what_moved_is_told(full: Done) -> None:
    before = full.place / "before.json"
    before.write_text(json.dumps({"agreements": {"wa": "open"}}), encoding="utf-8")
    text = write_page(full.found).read_text()
    before.unlink()
    assert f"| open | {row_of(full.found).judgement.agreement} | 1 |" in text
    assert f"|  | new | {len(full.found.rows) - 1} | " in text


def test_the_report_says_what_a_reader_must_know(full: Done) -> None:
    """Workload, reading, deviation, proof and command; and it takes nothing from elsewhere."""
    text = (full.output / "report.html").read_text()
    page = re.sub(r"<script>.*?</script>", "", text, count=1, flags=re.DOTALL)
    told = ["Workload A", "How many pages of a victim move at once.", "reclaim reproduce small --full"]
    told += ["One plane.", "two and one make three", 'class="chip soft"', "reading pages=four"]
    assert [each for each in (*told, full.found.paper.title) if each not in page] == []
    assert not re.search(r"<(script|img|iframe)[^>]*\ssrc=|<link\b|@import|url\(", page)


@pytest.mark.parametrize(("width", "dark"), [(390, True), pytest.param(1280, False, marks=pytest.mark.slow)])
def test_a_browser_draws_every_chart(full: Done, tmp_path: Path, width: int, *, dark: bool) -> None:
    with running(tmp_path) as browser:
        opened = browser.open(full.output / "report.html", width=width, dark=dark)
    assert opened.complaints == []
    assert opened.told["figures"] == opened.told["drawn"]
    assert opened.told["charts"] == 3, "a panel for each unit of a group"
    assert (opened.told["empty"], opened.told["cut"], opened.told["outside"]) == (0, 0, [])


def test_a_cell_in_which_nothing_was_collected_is_refused(tmp_path: Path) -> None:
    fresh = CELLS.replace('"overwrite"', '"empty"').replace('"warmup.overwrites" = 2.0\n', "")
    fresh = fresh.replace("requests = 6000", "requests = 300")
    found = reproduce(load_paper(str(write_paper(tmp_path, cells=fresh))), "quick")
    judgement = found.rows[0].judgement
    assert (judgement.agreement, "garbage collection never ran" in judgement.why) == ("not run", True)


def test_points_that_fail_are_named_and_the_others_are_judged(tmp_path: Path) -> None:
    cells = CELLS.replace('schemes = ["greedy", "fifo"]', 'schemes = ["greedy", "fifo", "raid5"]')
    done = ran(tmp_path, "reproduce", write_paper(tmp_path, cells=cells), "--quick", "--json")
    assert done.returncode == 1, done.stderr
    read = json.loads(done.stdout)
    assert len(read["failures"]) == 3
    assert all("raid5" in each for each in read["failures"])
    assert read["claims"][0]["ours"]["value"] > 0.5


def test_missing_traces_are_one_message_before_anything_runs(full: Done, tmp_path: Path) -> None:
    traces = 'traces = [{ name = "uniform", source = "nowhere.csv" }, "msr/hm_9"]'
    cells = f'name = "cells"\ndevices = ["one.toml"]\n{traces}\nschemes = ["greedy", "fifo"]\n'
    place, out = write_paper(tmp_path, cells=cells), tmp_path / "out"
    with pytest.raises(InputError, match=r"^small: 2 of .*\n  nowhere\.csv: .*\n  msr/hm_9: "):
        reproduce(load_paper(str(place)), "quick", out)
    assert not (out / "sweeps").exists()
    # Full recordings are looked for in their folder.
    for folder, said in ((tmp_path / "none", "--traces names no folder"), (tmp_path, r"none of a\.csv")):
        with pytest.raises(InputError, match=said):
            full.again(traces=folder)


BEYOND = """[beyond]
larger = { larger = "larger.toml" }
[[reading]]
"""


def with_beyond(folder: Path) -> Path:
    place = write_paper(folder, paper=PAPER.replace("[[reading]]\n", BEYOND, 1))
    (place / "larger.toml").write_text(
        CELLS.replace('name = "cells"', 'name = "larger"').replace("128", "64")
    )
    return place


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("drvie", 'no paper "drvie"; papers: '),
        ("", "no paper named; "),
        ("drive --list", "--list "),
        ("drive --quick --full", "--quick and --full"),
        ("drive --write-page --quick", "--write-page: --quick"),
        ("word-line-aware --why --quick", "--why: --quick"),
        ("all --why --quick", "--why: --quick"),
        ("drive --why", "--why: "),
        ("small --beyond large", '--beyond: nothing is called "large"; valid: larger; did you'),
        ("small --beyond larger --full", "--beyond: --full"),
        ("small --beyond larger --quick", "--beyond: --quick"),
        ("all --beyond larger", "--beyond: labels are of one paper"),
        ("drive --beyond larger", '--beyond: nothing is called "larger"; drive has none'),
    ],
)
def test_words_that_cannot_be_meant(command: Command, tmp_path: Path, words: str, said: str) -> None:
    done = command("reproduce", *words.replace("small", str(with_beyond(tmp_path))).split())
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"error: {said}")


def test_cost_is_of_the_default_cells_and_runs_nothing(command: Command, tmp_path: Path) -> None:
    done = command("reproduce", str(write_paper(tmp_path)), "--cost", "-o", str(tmp_path / "out"))
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("small, cells: points: 12\n"), "two schemes, six repeats"
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("how", ["--quick", "--why"])
def test_all_papers_go_into_folders_of_their_own(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    """The quick level judges nothing; why is asked of those that have a headline."""
    write_paper(tmp_path / "papers")
    monkeypatch.setenv("RECLAIM_PAPERS", str(tmp_path / "papers"))
    done = command("reproduce", "all", how, "-o", "out")
    assert done.returncode == 0, done.stderr
    out = tmp_path / "out" / "small"
    written = json.loads((out / "agreement.json").read_text())
    agreements = [each["agreement"] for each in written["claims"]]
    assert written["why"] == []
    assert (agreements == ["not judged"], written["counts"] == {}) == (how == "--quick",) * 2
    assert ("none of them judged" in (out / "report.html").read_text()) == (how == "--quick")


def test_a_figure_of_another_trace_says_so(tmp_path: Path) -> None:
    recorded = PAPER.replace('kind = "generated"', 'kind = "recording"')
    paper = load_paper(str(write_paper(tmp_path, paper=recorded)))
    measure = Measure(experiment="cells", metric="read_mean_ns", scheme="greedy")
    given = {"id": "a", "what": "reads", "where": "Table 1", "kind": "value", "value": 1.0, "printed": "1"}
    one = Claim.model_validate({**given, "unit": "ms", "measure": measure})
    paper = paper.model_copy(update={"expected": replace(paper.expected, claims=(one,))})
    cell = {"experiment_key": "cells", "load": paper.load, "vary": "", "trace": "uniform", "scheme": "greedy"}
    # A hit is as much by chance as a miss.
    for ns, why in ((7e6, "of another trace (recording)"), (1e6, "within ")):
        points = pl.DataFrame([cell | {"repeat": 0, "read_mean_ns": ns, "gc_jobs": 1}])
        stand_ins = {"cells": {"uniform": {}}, "others": {}}
        (row,) = Evidence(paper, points, {}, Variations(), stand_ins).rows()
        assert (row.judgement.agreement, why in row.judgement.why) == ("other trace", True)
        assert "stand-ins of this class" in row.judgement.why


@pytest.mark.slow
@pytest.mark.parametrize("key", ["channel-aware", "word-line-aware"])
def test_a_paper_as_the_command_runs_it(key: str, tmp_path: Path) -> None:
    """Level quick of what ships: nothing is judged. `test_validate` has the drive."""
    done = ran(tmp_path, "reproduce", key, "--quick", "-o", "out", seconds=900)
    assert done.returncode == 0, done.stderr
    read = json.loads((tmp_path / "out" / "agreement.json").read_text())
    claims = {each["id"]: each for each in read["claims"]}
    by_agreement: dict[str, list[str]] = {}
    for name, each in claims.items():
        by_agreement.setdefault(each["agreement"], []).append(name)
    assert read["counts"] == {}
    assert "not judged" in by_agreement
    assert not by_agreement.keys() & (set(NAMES) - set(WITHOUT_OURS))
    assert (tmp_path / "out" / "report.html").stat().st_size > 100_000
    if key == "word-line-aware":
        assert by_agreement["error in the paper"] == ["abstract-analytical-better-in-all-cases"]
        # The paper's own claims are counted apart from our closed forms and from the authors' log.
        origins = Counter(each["origin"] for each in claims.values())
        assert origins == {"paper": 27, "program": 22, "formula": 128, "own": 40}
        assert all(is_met(claims[each]) for each in ("f5-mean-gain", "replica-max-gain", "replica-mean-gain"))
        assert not is_met(claims["f6-max-gain"])
        assert claims["f6-max-gain"]["ours"]["value"] > 0
        assert {"f5-share-equal", "f5-share-better"} <= set(by_agreement["open"])
        missing = ("placement-large", "placement-cost-large")
        assert all(each.startswith(missing) for each in by_agreement["not run"])
    else:
        assert len(claims) == 428
        assert len(by_agreement["error in the paper"]) == 9
        reads = claims["t6-avg-write-sqlite-adaptive"]
        assert reads["why"] == QUICK
        # Three repeats have no interval of 95 %.
        assert (reads["ours"]["low"], reads["ours"]["high"]) == (None, None)


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Done:
    """The small paper with a headline that a reading turns."""
    # One play writes the drive often enough to be evidence.
    texts = {"paper": PAPER + HEADLINE, "expected": CLAIM + MORE, "cells": CELLS.replace("6000", "40000")}
    place = write_paper(tmp_path_factory.mktemp("asked"), **texts)
    (place / TEMPLATE).write_text(PAGE, encoding="utf-8")
    output = tmp_path_factory.mktemp("asked-out") / "small"
    return Done(place, output, reproduce(load_paper(str(place)), output=output, why=True))


def test_a_headline_that_a_reading_turns_depends_on_it(asked: Done) -> None:
    (finding,) = asked.found.findings
    assert finding.depends_on.startswith("turned by `flash.program_unit` = word-line for greedy alone")
    assert "`scheduler`" not in finding.depends_on
    assert row_of(asked.found).judgement.why.endswith(f"fewer-writes: {finding.depends_on}")
    # Only the claims that the headline names.
    agreements = {each.claim.id: each.judgement.agreement for each in asked.found.rows}
    assert [name for name, agreement in agreements.items() if agreement == "depends on a choice"] == ["wa"]
    (part,) = finding.parts
    assert part.startswith("From greedy to fifo, write amplification (pages) rises to 1.0")
    (told,) = json.loads((asked.output / "agreement.json").read_text())["why"]
    assert told == finding.to_dict()
    assert asked.found.provenance.command == "reclaim reproduce small --why"
    for study in ("sensitivity", "ablation"):
        assert (asked.output / "why" / "fewer-writes" / study / "report.html").is_file()
    assert prose(finding.text) in (asked.output / "report.html").read_text()
    # On the page, too; without the question nothing is told of it.
    full = with_run(asked.found, level="full")
    assert f"{finding.conclusion} From greedy to fifo" in write_page(full).read_text()
    without = write_page(with_run(replace(full, findings=()), command="reclaim"))
    assert "Oldest blocks first" not in without.read_text()


def test_what_was_asked_is_not_run_again(asked: Done) -> None:
    stored = [each for each in asked.output.rglob("*.json") if "points" in each.parts]
    points = {each: each.stat().st_mtime_ns for each in stored}
    assert asked.again(why=True).findings == asked.found.findings
    assert {each: each.stat().st_mtime_ns for each in points} == points


def test_a_headline_that_nothing_turns_changes_no_agreement(tmp_path: Path) -> None:
    place = write_paper(tmp_path, paper=PAPER + HEADLINE)
    study = (place / "why.toml").read_text()
    (place / "why.toml").write_text(study.replace('"flash.program_unit", "gc.trigger.start", ', ""))
    found, plain = (reproduce(load_paper(str(place)), why=why) for why in (True, False))
    assert found.findings[0].depends_on == ""
    assert [each.judgement for each in found.rows] == [each.judgement for each in plain.rows]


def test_what_cannot_be_asked_is_said_before_anything_runs(tmp_path: Path) -> None:
    place, output = write_paper(tmp_path, paper=PAPER + HEADLINE), tmp_path / "out"

    def refused(said: str, level: Any = "default") -> None:
        with pytest.raises(InputError, match=said):
            reproduce(load_paper(str(place)), level, output, why=True)

    refused("--why: --quick", "quick")
    text = (place / "why.toml").read_text()
    (place / "why.toml").write_text(text.replace("[sensitivity]", "[sensible]"))
    refused("sensible")
    (place / "paper.toml").write_text(PAPER)
    refused(r"--why: .*paper.toml declares no \[\[headline\]\]")
    assert not output.exists()


def test_what_it_depends_on_names_each_choice_once() -> None:
    def key(name: str, kind: str, turning: str, opening: str) -> Made:
        turns, opens = ([Made(value=value, move=None) for value in of] for of in (turning, opening))
        return Made(name=name, kind=kind, turning=turns, opening=opens)

    def told(*keys: Made, side: int = 1) -> str:
        study, names = Made(keys=keys, side=side), Made(whose=lambda _: " for a")
        found: Any = Made(studies=[(study, "arrivals"), (study, "utilisation")], names=names)
        return depends_on(found)

    turns, opens = key("x", "reading", "1", "1"), key("y", "unprinted", "", "23")
    # What turns it is not left open, too.
    assert told(turns) == "turned by `x` = 1 for a"
    both = "turned by `x` = 1 for a; left open by `y` = 2 for a, `y` = 3 for a"
    assert told(turns, opens) == both
    # Without a direction nothing is left open; another drive is where it holds, not a choice.
    assert told(turns, opens, side=0) == told(turns)
    assert told(key("z", "scope", "1", "2")) == ""


def test_what_goes_past_the_paper_is_run_if_it_is_named(tmp_path: Path) -> None:
    paper = load_paper(str(with_beyond(tmp_path)))
    for labels, words in ((["larger"], " --beyond larger"), ([], "")):
        found = reproduce(paper, output=tmp_path / f"out{words}", beyond=labels)
        assert found.provenance.command == f"reclaim reproduce small{words}"
        assert (tmp_path / f"out{words}" / "sweeps/default/larger").is_dir() == bool(labels)


def test_what_a_headline_depends_on_is_added_to_the_page(asked: Done, tmp_path: Path) -> None:
    (finding,) = asked.found.findings
    # Judged without the question, and asked afterwards: nothing is run again.
    plain = with_run(reproduce(load_paper(str(asked.place)), output=tmp_path / "plain"), level="full")
    write_page(plain)
    before = asked.data()

    def add_why() -> Path:
        return AdditionStudy(load_paper(str(asked.place)), [], why=True).run(asked.output)

    assert finding.conclusion in add_why().read_text(encoding="utf-8")
    after = asked.data()
    assert after["why"] == [finding.to_dict()]
    agreements = {each["id"]: (each["agreement"], each["why"]) for each in after["claims"]}
    at_once = {row.claim.id: (row.judgement.agreement, row.judgement.why) for row in asked.found.rows}
    assert agreements == at_once
    (kept,) = after["kept"]
    assert kept["names"] == ["what headlines depend on"]
    assert kept["command"] == "reclaim reproduce small --why --only"
    # A later run without the question keeps what was found, and judges with it.
    write_page(plain, keep=True)
    assert asked.data()["claims"] == after["claims"]
    # Without the agreement before, a claim cannot be judged anew.
    with pytest.raises(InputError, match="--why --write-page judges it anew"):
        add_why()
    (asked.place / DATA).write_text(json.dumps(before), encoding="utf-8")


def test_what_goes_past_a_paper_is_added_to_its_page(full: Done, tmp_path: Path) -> None:
    paper = PAPER.replace("[levels]", '[beyond]\nfifo = { fifo = "cells.toml" }\n[levels]')
    place = write_paper(tmp_path / "small", paper=f'module = "figures"\n{paper}', expected=CLAIM + MORE)
    (place / "figures.py").write_text(ADDED, encoding="utf-8")
    (place / TEMPLATE).write_text('{{ agreement("wa") }} {{ kept() }}\n', encoding="utf-8")
    loaded = load_paper(str(place))
    page = Done(place, tmp_path / "out", replace(full.found, paper=loaded))

    def add_fifo() -> str:
        text = AdditionStudy(loaded, ["fifo"], allow_code=True).run(page.output)
        return text.read_text(encoding="utf-8")

    with pytest.raises(InputError, match="--write-page makes it first"):
        add_fifo()
    write_page(page.found)
    before = page.data()
    assert "`reclaim reproduce small --beyond fifo --only`" in add_fifo()
    after = page.data()
    assert after["tables"] == [{"name": "of fifo", "head": ["points"], "rows": [["6"]]}]
    assert after["figures"]["points of fifo"]["value"] == 6
    same = ("claims", "command", "commit", "groups", "level", "why")
    assert {name: after[name] for name in same} == {name: before[name] for name in same}
    # Once more: nothing is there twice.
    add_fifo()
    assert page.data() == after
