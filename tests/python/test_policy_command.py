"""`reclaim policy show`, and what a shell completes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import reclaim
from conftest import Command

ROOT = Path(__file__).resolve().parents[2]


def test_a_policy_is_shown_with_all_that_is_known_of_it(command: Command) -> None:
    shown = command("policy", "show", "invalid-ratio")
    assert shown.returncode == 0, shown.stderr
    labels = {line[:15].strip(): line[15:].strip() for line in shown.stdout.splitlines() if line[:1].strip()}
    assert labels["setting"] == 'gc.trigger = { kind = "invalid-ratio" }'
    assert labels["instead of it"] == "free-blocks, foreground, frontier-filled, python"
    assert "adaptive" in labels["schemes"].split(", ")
    assert "Hyunho Mun" in labels["papers"]
    assert (ROOT / labels["source"]).is_file()
    words = " ".join(shown.stdout.split())
    for part in ("ratio (default 70%)", "alternatives (unprinted): 70%, 75%, 80%.", "counts blocks_listed: "):
        assert part in words


def test_a_conflict_is_shown_with_its_way_out(command: Command) -> None:
    words = " ".join(command("policy", "show", "pcgc").stdout.split())
    assert "not with ftl.assign_pages = on-arrival: " in words
    assert 'gc.relocation.kind = "controller"' in words


def test_a_name_of_two_kinds_shows_both(command: Command) -> None:
    shown = command("policy", "show", "none").stdout
    assert 'gc.deferral = { kind = "none" }' in shown
    assert 'redundancy = { kind = "none" }' in shown


def test_an_unknown_policy_is_answered_with_the_nearest(command: Command) -> None:
    shown = command("policy", "show", "gredy")
    assert (shown.returncode, shown.stdout) == (2, "")
    assert 'did you mean "greedy"? Valid: ' in shown.stderr
    names = {each["name"] for kind in reclaim.catalogue() for each in kind["policies"]}
    names |= {kind["key"] for kind in reclaim.catalogue()}
    assert set(shown.stderr.partition("Valid: ")[2].strip().split(", ")) == names


@pytest.mark.parametrize(
    ("words", "offered"), [("reclaim policy s", ["show"]), ("reclaim policy show windo", ["windowed-greedy"])]
)
def test_a_shell_completes_commands_and_policies(words: str, offered: list[str]) -> None:
    place = str(len(words.split()) - 1)
    asked = {"_RECLAIM_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": place}
    program = "import sys; sys.argv = ['reclaim']; from reclaim.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", program], env=os.environ | asked, capture_output=True, text=True, check=False
    )
    assert done.stdout.split() == offered, done.stderr
