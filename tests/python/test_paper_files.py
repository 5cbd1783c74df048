"""Reading papers: every mistake is one message that names the file, the place and what is valid."""

from __future__ import annotations

from pathlib import Path

import pytest

import reclaim
from reclaim.papers.expected import load_expected
from reclaim.papers.paper import find, keys, load_paper
from reclaim.papers.why import questions
from small_paper import CLAIM, HEADLINE, PAPER, write_paper
from test_shipped_levels import EXPERIMENTS


def refused(tmp_path: Path, text: str) -> str:
    """The message about an expected.toml."""
    file = tmp_path / "expected.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(reclaim.InputError) as caught:
        load_expected(file)
    said = str(caught.value)
    assert said.startswith(f"{file}: ")
    assert "\n" not in said
    return said.removeprefix(f"{file}: ")


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
        ("[[claim", "not a TOML file"),
        ("", "neither a [[claim]] nor a [[family]]"),
        ("[[claims]]\nid = 1", "unknown key claims; valid: claim, class, defaults, family, group; did"),
        (CLAIM + CLAIM, 'claim 2: the id "wa" is taken'),
        (with_line("value = 'much'"), "claim \"wa\": value = 'much' is not a number"),
        (with_line("kind = 'ratios'"), 'kind = "ratios"; valid: value, ratio, order, shape; did'),
        (with_line("better = 'less'"), 'better = "less"; valid: lower, higher, '),
        (with_line("what = ' '"), 'claim "wa": what is empty'),
        (with_line("origin = 'us'"), 'origin = "us"; valid: paper, program, formula, own'),
        (CLAIM.replace('what = "', 'whta = "'), 'claim "wa": has no what'),
        (with_line("tolerence = 0.1"), "unknown key tolerence; valid:"),
        (with_line("tolerance = -0.1"), "tolerance = -0.1 is less than 0"),
        (with_line("tolerance = true"), "tolerance = True is not a number"),
        (with_line("missing = 'not built'"), "measure and missing"),
        (with_line("measure = 3"), 'claim "wa": measure = 3 is not a table'),
        (with_line("group = 't9'"), 'group = "t9"; groups:'),
        (with_line("repeats = 'wb'").replace("measure", "#"), 'repeats = "wb"'),
        (CLAIM.replace(', baseline = "greedy"', ""), 'form = "ratio" of a claim of kind "ratio" needs'),
        (CLAIM.replace(', form = "ratio"', ""), 'a claim of kind "ratio" needs a form'),
        (CLAIM.replace("form =", "from ="), "measure: unknown key from"),
        (CLAIM.replace('"fifo"', "[1]"), "scheme = [1] is not a text"),
        (SHAPE, "along an axis"),
        (SIGNED, 'form = "increase" may be negative'),
        (wrong("of = 'mode', claims = 'w*'"), 'of = "mode"; valid: mean'),
        (wrong("of = 'sum', claims = 'x*'"), "no claim is called x*"),
        (wrong("of = 'sum'"), "names no numbers"),
        (wrong("of = 'sum', printed = ['a']"), '"a" is not a number'),
        (wrong("of = 'sum', printed = ['1'], must = '1'"), 'must = "1"; write'),
        (GROUP + GROUP, 'the name "a" is taken'),
        (FAMILY + "count = 0\n", "count = 0 is less than 1"),
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
    assert said.startswith('claim "c": kind = "ratio", but "a"')


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
        ('key = "small"', 'key = "other"', 'key = "other", but the folder is called small'),
        ('title = "A small paper"\n', "", "the file: has no title"),
        ('"30%", ', '"35%", ', 'loads: no rule "35%"; valid: own, 30%, 60%, closed; did you mean "30%"?'),
        ('quick = { cells = "cells', 'quick = { cells = "cell', "levels: quick.cells: no file"),
        ("[levels]", '[levels]\nslow = { cells = "cells.toml" }', "levels: unknown key slow"),
        ('kind = "generated"', 'kind = "made-up"', 'workload 1: kind = "made-up"; valid: real, recording'),
        ('default = "one"', 'default = "two"', 'default = "two" is none of '),
        ('varied = ["cells"]', 'varied = ["cell"]', 'varied: level full has no experiment "cell"'),
        ('baseline = "greedy"', 'baseline = "gready"', 'baseline "gready" is not there; there are: greedy'),
        ('schemes = ["fifo"]', 'schemes = ["fofi"]', 'reading pages: scheme "fofi" is not there; '),
        ('name = "uniform"', 'name = "uni"', 'workload "uni" is not there; there are: uniform'),
        ('name = "pages"', 'name = "uniform"', 'two workloads or readings are called "uniform"'),
        (WORKLOAD, OTHER, 'alternatives: other: level full has no experiment "cels"'),
        ('"wa"', '"wb"', 'headline 1: claims: expected.toml has no claim "wb"'),
        ("why.toml", "what.toml", "headline 1: file: no file "),
        ("fewer-writes", "../writes", 'headline 1: name = "../writes"'),
        ("says = ", "say = ", "headline 1: has no says"),
        (HEADLINE, HEADLINE + HEADLINE, 'two headlines are called "fewer-writes"'),
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
        ('experiment = "cells"', 'experiment = "cell"', 'experiment "cell" is not there; there are: cells'),
        ('scheme = "fifo",', 'scheme = "fife",', 'scheme "fife" is not there; there are: greedy, fifo'),
        ('"greedy",', '["greedy", "gredy"],', 'scheme "gredy" is not there; '),
        ("measure = {", 'measure = { workloads = "uni",', 'workload "uni" is not there; there are:'),
        ("measure =", "figure = 'x' #", "figure needs a module"),
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
        assert each.experiment.parts.ablate is not None
        # As many repeats as an interval of 95 % takes.
        assert each.experiment.parts.repeats.count >= 6
