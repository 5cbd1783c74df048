"""Reading papers: every mistake is one message that names the file, the place and what is valid."""

from __future__ import annotations

from pathlib import Path

import pytest

import reclaim
from reclaim.paper.expected import load_expected
from reclaim.paper.paper import find, keys, load_paper
from reclaim.paper.why import questions
from small_paper import CLAIM, HEADLINE, PAPER, write_paper
from test_shipped_levels import EXPERIMENTS


def refused(tmp_path: Path, text: str) -> str:
    """The message about an expected.toml."""
    file = tmp_path / "expected.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(reclaim.InputError) as caught:
        load_expected(file)
    said = str(caught.value)
    assert str(file) in said
    return said


def with_line(line: str) -> str:
    """The claim with one key given another value."""
    key = line.partition(" =")[0]
    kept = [each for each in CLAIM.splitlines() if not each.startswith(f"{key} =")]
    return "\n".join([*kept, line])


def wrong(contradiction: str) -> str:
    return with_line(f"contradiction = {{ says = 's', {contradiction} }}")


SHAPE = with_line("kind = 'shape'").replace("value = 1.05", "value = 'rises'")
SIGNED = CLAIM.replace('form = "ratio"', 'form = "increase", over = "geomean"')
GROUP = '[[group]]\nname = "a"\ntitle = "A"\n'
FAMILY = '[[family]]\nid = "a"\ngroup = "a"\nwhat = "a"\nwhere = "a"\n'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[claim", "no TOML"),
        ("", "neither a [[claim]] nor a [[family]]"),
        (
            "[[claims]]\nid = 1",
            "claims: unknown key; valid: defaults, group, family, claim",
        ),
        (CLAIM + CLAIM, 'claim[2].id: there is a [[claim]] "wa" already'),
        (with_line("value = 'much'"), 'claim[1].value: "much" is not a number'),
        (
            with_line("kind = 'ratios'"),
            'claim[1].kind: "ratios" is unknown; valid: value, ratio, order',
        ),
        (with_line("better = 'less'"), 'claim[1].better: "less" is unknown; valid: lower, higher, '),
        (with_line("what = ' '"), "claim[1].what: must be text that is not empty"),
        (with_line("origin = 'us'"), 'claim[1].origin: "us" is unknown; valid: paper, program, formula, own'),
        (CLAIM.replace('what = "', 'whta = "'), "claim[1].whta: unknown key; valid: id, what, "),
        (with_line("tolerence = 0.1"), "claim[1].tolerence: unknown key; valid:"),
        (with_line("tolerance = -0.1"), "claim[1].tolerance: must be a number from 0, not -0.1"),
        (with_line("tolerance = true"), "claim[1].tolerance: must be a number from 0, not true"),
        (with_line("missing = 'not built'"), "measure and missing"),
        (with_line("measure = 3"), "claim[1].measure: must be a table, not 3"),
        (with_line("group = 't9'"), 'claim[1].group: no [[group]] "t9"; valid: '),
        (with_line("repeats = 'wb'").replace("measure", "#"), 'claim[1].repeats: "wb"'),
        (CLAIM.replace(', baseline = "greedy"', ""), 'form = "ratio" of a claim of kind "ratio" needs'),
        (CLAIM.replace(', form = "ratio"', ""), 'a claim of kind "ratio" needs a form'),
        (CLAIM.replace("form =", "from ="), "claim[1].measure.from: unknown key; valid: experiment"),
        (CLAIM.replace('"fifo"', "[1]"), "claim[1].measure.scheme: must be text"),
        (SHAPE, "along an axis"),
        (SIGNED, 'form = "increase" may be negative'),
        (wrong("of = 'mode', claims = 'w*'"), 'contradiction.of: "mode" is unknown; valid: mean'),
        (wrong("of = 'sum', claims = 'x*'"), "no claim is called x*"),
        (wrong("of = 'sum'"), "names no numbers"),
        (wrong("of = 'sum', printed = ['a']"), '"a" is not a number'),
        (wrong("of = 'sum', printed = ['1'], must = '1'"), 'must = "1"; write'),
        (GROUP + GROUP, 'group[2].name: there is a [[group]] "a" already'),
        (FAMILY + "count = 0\n", "family[1].count: must be a whole number from 1, not 0"),
    ],
)
def test_a_mistake_in_expected_figures(tmp_path: Path, text: str, said: str) -> None:
    assert said in refused(tmp_path, text)


def test_a_group_gives_what_its_claims_share(tmp_path: Path) -> None:
    text = """
[defaults]
tolerance = 0.2
[[group]]
name = "t1"
title = "Table 1"
origin = "own"
kind = "value"
where = "Table 1"
unit = "ms"
measure = { experiment = "cells", metric = "read_mean_ns" }
[[claim]]
id = "a"
group = "t1"
what = "reads"
value = 427
printed = "427"
open = "measured with one channel only"
measure = { scheme = "greedy" }
[[claim]]
id = "b"
group = "t1"
what = "not built"
value = 1.5
missing = "no such scheme"
[[claim]]
id = "c"
what = "the same, in the conclusion"
where = "section 5"
kind = "value"
unit = "ms"
value = 427
repeats = "a"
"""
    file = tmp_path / "expected.toml"
    file.write_text(text)
    first, second, third = load_expected(file).claims
    assert first.measure is not None
    assert (first.measure.metric, first.measure.scheme, first.tolerance) == ("read_mean_ns", "greedy", 0.2)
    assert first.band == (427 - 0.5 - 85.4, 427 + 0.5 + 85.4)
    assert (second.measure, second.missing, second.printed) == (None, "no such scheme", "1.5")
    assert (first.origin, second.origin, third.origin) == ("own", "own", "paper")
    assert (first.open, second.open, third.open) == ("measured with one channel only", "", first.open)
    # One number has one rule, wherever it is printed.
    assert (third.measure, third.tolerance, third.band) == (first.measure, first.tolerance, first.band)
    said = refused(tmp_path, text.replace('kind = "value"\nunit', 'kind = "ratio"\nunit'))
    assert 'claim[3]: kind = "ratio", but "a"' in said


@pytest.mark.parametrize("key", keys())
def test_claims_of_one_figure_and_one_number_have_one_rule(key: str) -> None:
    rules: dict[tuple[object, ...], set[tuple[object, ...]]] = {}
    for claim in load_paper(key).expected.claims:
        if isinstance(claim.value, float) and (claim.figure or claim.measure):
            asked = (claim.figure, repr(claim.measure), round(claim.value), claim.unit)
            rules.setdefault(asked, set()).add((claim.kind, claim.tolerance, claim.better))
    assert [asked for asked, found in rules.items() if len(found) > 1] == []


WORKLOAD = "[[workload]]"
OTHER = f'[alternatives]\nother = {{ cels = "cells.toml" }}\n{WORKLOAD}'


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('key = "small"', 'key = "other"', 'paper.toml:1: key: "other", but the folder is called small'),
        ('title = "A small paper"\n', "", "title is missing"),
        (
            '"30%", ',
            '"35%", ',
            'loads[1]: "35%" is unknown; valid: own, 30%, 60%, closed',
        ),
        ('quick = { cells = "cells', 'quick = { cells = "cell', "levels.quick.cells: no file"),
        (
            "[levels]",
            '[levels]\nslow = { cells = "cells.toml" }',
            'levels.slow: "slow" is unknown',
        ),
        (
            'kind = "generated"',
            'kind = "made-up"',
            'kind: "made-up" is unknown; valid: real, recording',
        ),
        ('default = "one"', 'default = "two"', 'reading[1].default: "two" is none of '),
        (
            'varied = ["cells"]',
            'varied = ["cell"]',
            'varied[1]: level full has no experiment "cell"',
        ),
        (
            'baseline = "greedy"',
            'baseline = "gready"',
            'baseline: scheme "gready" is not there; ',
        ),
        ('schemes = ["fifo"]', 'schemes = ["fofi"]', 'reading[1].schemes: scheme "fofi" is not there; '),
        ('name = "uniform"', 'name = "uni"', 'workload "uni" is not there; valid: uniform'),
        ('name = "pages"', 'name = "uniform"', 'reading[1].name: there is a [[workload]] "uniform" already'),
        (WORKLOAD, OTHER, 'alternatives.other.cels: level full has no experiment "cels"'),
        ('"wa"', '"wb"', 'headline[1].claims: claim "wb" is not there; valid: wa'),
        ("why.toml", "what.toml", "headline[1].file: no file "),
        ("fewer-writes", "../writes", "headline[1].name: must be letters, digits and hyphens"),
        ("says = ", "say = ", "headline[1].say: unknown key; valid: name, says"),
        (HEADLINE, HEADLINE + HEADLINE, 'headline[2].name: there is a [[headline]] "fewer-writes" already'),
    ],
)
def test_a_mistake_in_a_paper(tmp_path: Path, old: str, new: str, said: str) -> None:
    place = write_paper(tmp_path, paper=(PAPER + HEADLINE).replace(old, new, 1))
    with pytest.raises(reclaim.InputError) as caught:
        load_paper(str(place))
    assert said in str(caught.value)
    assert str(place) in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('experiment = "cells"', 'experiment = "cell"', 'experiment "cell" is not there; valid: cells'),
        ('scheme = "fifo",', 'scheme = "fife",', 'scheme "fife" is not there; valid: greedy, fifo'),
        ('"greedy",', '["greedy", "gredy"],', 'scheme "gredy" is not there; '),
        ("measure = {", 'measure = { workloads = "uni",', 'workload "uni" is not there; valid:'),
        ("measure =", "figure = 'x' #", "figure needs a measures.toml or a module"),
    ],
)
def test_claims_name_what_there_is(tmp_path: Path, old: str, new: str, said: str) -> None:
    place = write_paper(tmp_path, expected=CLAIM.replace(old, new, 1))
    with pytest.raises(reclaim.InputError, match=r"expected\.toml") as caught:
        load_paper(str(place))
    assert said in str(caught.value)


def test_papers_can_lie_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(reclaim.InputError, match=r'no paper "driv"; papers: .*did you mean "drive"\?'):
        find("driv")
    place = write_paper(tmp_path)
    monkeypatch.setenv("RECLAIM_PAPERS", str(tmp_path))
    assert keys() == ["small"]
    assert load_paper("small").folder == place
    monkeypatch.setenv("RECLAIM_PAPERS", str(tmp_path / "none"))
    with pytest.raises(reclaim.InputError, match="there is none in"):
        find("small")


@pytest.mark.parametrize("key", keys())
def test_every_shipped_paper_can_be_read_and_asks_what_its_headline_depends_on(key: str) -> None:
    """With its experiments, whose points `test_shipped_levels` makes."""
    paper = load_paper(key)
    assert (paper.folder / "README.md").is_file()
    files = {file.resolve() for level in paper.levels.values() for file in level.values()}
    assert files <= {each.resolve() for each in EXPERIMENTS}
    asked = questions(paper.headlines)
    assert bool(asked) == (key != "drive")
    for each in asked:
        assert "ablate" in each.experiment.parts.sections
        # As many repeats as an interval of 95 % takes.
        assert each.experiment.parts.repeats.count >= 6
