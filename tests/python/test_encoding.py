"""Names that others wrote: none has an effect of its own on a terminal, a page, a picture or a table."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from unittest.mock import patch
from xml.dom import minidom

import polars as pl
import pytest

import reclaim
from answers.case import DRIVE, TRACE
from conftest import environment, ran
from reclaim import encoding
from reclaim.cli import streams

EVIL = "\x1b[31mevil\u202e\x9b1m"
SHOWN = r"\x1b[31mevil\u202e\x9b1m"
ESCAPED = r"\u001b[31mevil\u202e\u009b1m"
RAW = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
EXPERIMENT = f"""name = "e"
about = "{ESCAPED}"
devices = ["d.toml"]
traces = [{{ name = "tr{ESCAPED}", source = "t.csv" }}]
schemes = ["greedy", {{ name = "s{ESCAPED}", schemes = ["fifo"] }}]
[axes.x]
"v{ESCAPED}" = {{ "gc.pages_in_flight" = 1 }}
w = {{ "gc.pages_in_flight" = 2 }}
"""
DEVICE_FILES = {
    "value": f'[gc]\nvictim = "gre{ESCAPED}"\n',
    "key": f'[gc]\n"vic{ESCAPED}" = 1\n',
    "score": f'[gc.victim]\nkind = "score"\nscore = "valid{ESCAPED}"\n',
    "code": '[gc.victim]\nkind = "python"\nfunction = "p.py:victim"\n',
}
POLICY = f'import reclaim\n@reclaim.victim_policy\ndef victim(block):\n    raise ValueError("{ESCAPED}")\n'


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of files with hostile names, and with hostile names in them; a sweep of them in `out`."""
    top = tmp_path_factory.mktemp("evil")
    for name in ("t.csv", f"t{EVIL}.csv"):
        (top / name).write_text(TRACE)
    drive = DRIVE.replace('"small"', f'"d{ESCAPED}"')
    for name in ("d.toml", f"d{EVIL}.toml"):
        (top / name).write_text(drive)
    for name, text in DEVICE_FILES.items():
        (top / f"{name}.toml").write_text(f'base = "coupled-copyback-mini"\n{text}')
    (top / "p.py").write_text(POLICY)
    (top / "e.toml").write_text(EXPERIMENT)
    # Such names are refused: this is as folders are that another program has written.
    with patch("reclaim.experiment.fields.unfit", return_value=None):
        reclaim.sweep(top / "e.toml", top / "out")
    return top


T, D = f"t{EVIL}.csv", f"d{EVIL}.toml"
COMMANDS: list[tuple[str, ...]] = [
    ("run", T, "-d", "d.toml"),
    ("run", "t.csv", "-d", D),
    ("run", f"gone{EVIL}", "-d", "d.toml"),
    ("run", "t.csv", "-d", "d.toml", f"--{EVIL}"),
    ("run", "t.csv", "-d", "d.toml", "--scheme", EVIL),
    ("run", "t.csv", "-d", "d.toml", "--set", f"gc.{EVIL}=1"),
    *[("run", "t.csv", "-d", f"{name}.toml") for name in DEVICE_FILES],
    ("compare", T, "-d", "d.toml", "--schemes", "greedy,fifo"),
    (EVIL,),
    ("check", "e.toml"),
    ("check", EVIL),
    ("sweep", "e.toml", "-o", "out"),
    ("sweep", "e.toml", "-o", f"other{EVIL}", "--emit"),
    ("ablate", EVIL, "-o", "x"),
    ("tune", EVIL, "-o", "x"),
    ("sensitivity", EVIL, "-o", "x"),
    ("reproduce", EVIL),
    ("device", "check", D),
    ("device", "show", D),
    ("device", "measure", EVIL, "-o", "x"),
    ("device", "fit", EVIL, "-o", "x"),
    ("scheme", "show", EVIL),
    ("policy", "list", EVIL),
    ("policy", "show", EVIL),
    ("trace", "info", T),
    ("trace", "info", T, "--json"),
    ("trace", "convert", T, f"o{EVIL}.parquet", "--force"),
    ("trace", "generate", EVIL, "x.csv"),
    ("trace", "synthesize", T, "o.toml", "--force", "--json"),
    ("results", "show", "out", "--traces"),
    ("results", "show", EVIL),
    ("results", "query", "SELECT trace, scheme, x FROM points", "out", "--csv"),
    ("results", "query", f"SELECT {EVIL}", "out"),
    ("results", "report", "out", "-o", f"r{EVIL}.html", "--figures", "svg"),
]


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: encoding.visible(" ".join(words)))
def test_no_command_prints_what_is_hidden_in_names(place: Path, words: tuple[str, ...]) -> None:
    done = ran(place, *words)
    assert "Traceback" not in done.stderr
    assert not RAW.search(done.stdout), encoding.visible(done.stdout)
    assert not RAW.search(done.stderr), encoding.visible(done.stderr)
    if EVIL in "".join(words) and done.returncode == 2 and words[1:2] not in [("show",), ("query",)]:
        assert re.search(r"\\x1b|\\u001b", done.stderr)


def test_names_are_shown_and_stay_what_they_are_in_json_and_toml(place: Path) -> None:
    shown = ran(place, "results", "show", "out").stdout
    assert r"\x1b[31mevil" in shown
    rows = json.loads(ran(place, "results", "query", "SELECT scheme FROM points", "out", "--json").stdout)
    assert rows[-1] == {"scheme": f"s{EVIL}"}
    assert tomllib.loads(ran(place, "device", "show", "d.toml").stdout)["name"] == f"d{EVIL}"


def test_pages_pictures_and_notebooks_show_names_as_well(place: Path, tmp_path: Path) -> None:
    results = reclaim.ResultSet.load(place / "out")
    page = results.report(tmp_path / "r.html").read_text(encoding="utf-8")
    assert SHOWN in page
    assert not RAW.search(page)
    drawn = results.save_figures(tmp_path, ["svg"])
    for picture in drawn:
        text = picture.read_text(encoding="utf-8")
        assert not RAW.search(text)
        minidom.parseString(text)  # noqa: S318 - what was drawn just now
    one = results.results(results.points["point"].item(-1))
    for told in (one._repr_html_(), results._repr_html_(), repr(one), repr(results)):
        assert not RAW.search(told)
    assert repr(reclaim.open_trace(place / T)) == f"<Trace t{SHOWN}.csv, csv>"
    with pytest.raises(reclaim.InputError) as caught:
        reclaim.open_trace(place / f"gone{EVIL}")
    assert SHOWN in str(caught.value)


def _on_terminal(cwd: Path, *words: str) -> str:
    """What a command writes where both its outputs are a terminal."""
    ours, theirs = pty.openpty()
    surroundings = {key: each for key, each in environment().items() if key != "NO_COLOR"}
    done = subprocess.Popen(
        [sys.executable, "-m", "reclaim", *words],
        cwd=cwd,
        stdout=theirs,
        stderr=theirs,
        env=surroundings | {"TERM": "xterm-256color"},
    )
    os.close(theirs)
    said = b""
    # A terminal that nobody writes to any more is no end of a file, but an error.
    with contextlib.suppress(OSError):
        while part := os.read(ours, 65536):
            said += part
    done.wait()
    os.close(ours)
    return said.decode()


def test_a_terminal_gets_our_colours_and_none_of_a_name(place: Path) -> None:
    text = _on_terminal(place, "results", "show", "out")
    assert "\x1b[1" in text, "no colour at all"
    assert "\x1b[31mevil" not in text
    assert "\u202e" not in text
    assert "\x9b" not in text
    assert r"\x1b" in text


def test_a_name_with_brackets_is_no_markup_in_a_line_of_progress(place: Path, tmp_path: Path) -> None:
    (tmp_path / "x[").mkdir()
    (tmp_path / "x[" / "red].csv").write_text(TRACE)
    text = _on_terminal(tmp_path, "run", "x[/red].csv", "-d", str(place / "d.toml"))
    assert "Traceback" not in text
    assert "verdict" in text


def test_messages_have_an_end(place: Path) -> None:
    long = place / "long.toml"
    long.write_text('base = "coupled-copyback-mini"\n[gc]\n"' + "k" * 900_000 + '" = 1\n')
    done = ran(place, "run", "t.csv", "-d", "long.toml")
    assert done.returncode == 2
    assert done.stderr.startswith("error: long.toml")
    assert len(done.stderr) < 2 * encoding.LONGEST_LINE
    assert "characters left out" in encoding.message("x" * 5000)
    many = encoding.message("\n".join(f"{number}: {'x' * 90}" for number in range(1000)))
    assert len(many) < encoding.LONGEST_MESSAGE + 100
    assert many.endswith("x")
    assert encoding.message(many) == many


def test_csv_has_no_formula_and_keeps_numbers() -> None:
    frame = pl.DataFrame(
        {
            "=name": ["=HYPERLINK(1)", "@SUM(1)", "+1", "-x", "\tx", "\rx", "a,b", None],
            "number": [-1.5, 2.0, float("nan"), float("inf"), -3.0, 0.0, 1e300, None],
            "digits": ["-5", "+5", "-1.5e3", "-5 %", "-5x", "--5", "-", ""],
            "whole": [-1, 2, 3, 4, 5, 6, 7, None],
            "list": [[-1]] * 8,
        }
    )
    lines = encoding.csv_text(frame).splitlines()
    assert lines[0] == "'=name,number,digits,whole,list"
    assert lines[1] == "'=HYPERLINK(1),-1.5,-5,-1,[-1]"
    assert lines[2].startswith("'@SUM(1),2.0,+5,2")
    assert lines[3].startswith("+1,NaN,-1.5e3")
    assert lines[4].startswith("'-x,inf,-5 %")
    assert lines[5].startswith("'\tx,-3.0,'-5x")
    assert [each for each in lines if each.startswith(("=", "@", "\t", "\r"))] == []
    assert pl.read_csv(encoding.csv_text(frame).encode())["number"].to_list()[:2] == [-1.5, 2.0]


def test_json_has_every_digit_and_no_word_that_is_none() -> None:
    value = {"a": float("nan"), "b": [float("inf"), -float("inf")], "c": 2**70, "d": b"\x00\xff", 5: None}
    text = encoding.json_text(value)
    refuse = {"parse_constant": lambda word: pytest.fail(f"{word} is no JSON")}
    found = {"a": "NaN", "b": ["Infinity", "-Infinity"], "c": 2**70, "d": "00ff", "5": None}
    assert json.loads(text, **refuse) == found
    assert json.loads(encoding.json_text(EVIL)) == EVIL
    assert not RAW.search(encoding.json_text(EVIL))
    assert streams.json_text('{"a": "☃"}') == '{"a": "☃"}'
    assert streams.json_text('"\U000e0041"') == r'"\udb40\udc41"'


def test_what_reads_may_stop_reading(place: Path) -> None:
    for words in (["device", "list"], ["results", "show", str(place / "out")]):
        with subprocess.Popen(
            [sys.executable, "-m", "reclaim", *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment(),
        ) as first:
            assert first.stdout is not None
            assert first.stderr is not None
            first.stdout.close()
            said = first.stderr.read()
            assert (first.wait(), said) == (streams.READ_ENOUGH, b""), words


def test_a_piped_table_is_as_wide_as_asked_for(place: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "reclaim", "results", "show", "out"],
        cwd=place,
        capture_output=True,
        text=True,
        check=False,
        env=environment() | {"COLUMNS": "70"},
    )
    assert max(map(len, done.stdout.splitlines())) <= 70
