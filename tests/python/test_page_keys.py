"""Pages that name keys, commands and policies name those that exist."""

from __future__ import annotations

import json
import re
import tomllib
from itertools import takewhile
from pathlib import Path
from typing import Any

import pytest
import typer

import reclaim
from page_samples import samples
from reclaim.cli.app import app

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
ALL_PAGES = ["README.md", *sorted(path.relative_to(ROOT).as_posix() for path in DOCS.rglob("*.md"))]


def configuration_keys() -> set[str]:
    """Every key that docs/configuration.md (made from the code) explains, with its section."""
    keys: set[str] = set()
    section = ""
    for line in (DOCS / "configuration.md").read_text(encoding="utf-8").splitlines():
        if heading := re.match(r"## `\[([\w.]+)\]`|### `([\w.]+)`|## (Top level)", line):
            section = "" if heading[3] else f"{heading[1] or heading[2]}."
        elif line.startswith("## "):
            section = "no keys."
        elif row := re.match(r"\| `(\w+)` \||  - `(\w+)`: ", line):
            keys.add(section + (row[1] or row[2]))
    return {key for key in keys if not key.startswith("no keys.")}


def test_every_key_of_ours_that_other_tools_are_compared_with_exists() -> None:
    valid = configuration_keys()
    assert {"gc.victim", "gc.trigger.start", "scheduler.gc_first", "seed", "host.link.lanes"} <= valid
    unknown: list[str] = []
    found = 0
    for line in (DOCS / "coming-from.md").read_text(encoding="utf-8").splitlines():
        cells = re.split(r"(?<!\\)\|", line)
        if len(cells) != 5 or cells[1].strip("- ") == "" or " Reclaim " in cells[2]:
            continue
        keys = [key for key in re.findall(r"`([\w.]+)`", cells[2]) if key != "reclaim"]
        found += len(keys)
        unknown += [key for key in keys if key not in valid]
        unknown += [key for key in re.findall(r"`(\w+\.[\w.]+)`", cells[3]) if key not in valid]
    assert found > 10
    assert unknown == []


def commands() -> set[str]:
    """Every command, as it is called, and the groups they are in."""
    whole = typer.main.get_command(app)
    names: set[str] = set()
    for word, each in whole.commands.items():
        names.add(word)
        names.update(f"{word} {inner}" for inner in getattr(each, "commands", {}))
    return names


def test_every_command_that_a_page_names_exists() -> None:
    valid = commands()
    groups = {name.split()[0] for name in valid if " " in name}
    for page in ALL_PAGES:
        text = (ROOT / page).read_text(encoding="utf-8")
        for word, after in re.findall(r"(?:^|`)reclaim ([a-z][a-z-]*)(?: ([a-z-]+))?", text, re.MULTILINE):
            assert (f"{word} {after}" if word in groups and after else word) in valid, page
        # And what it shows can be read.
        for language, code in re.findall(r"^```(toml|json)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
            (tomllib if language == "toml" else json).loads(code)


def test_the_policies_of_mqsim_have_the_names_given() -> None:
    (victims,) = (kind["policies"] for kind in reclaim.catalogue() if kind["key"] == "gc.victim")
    lines = (DOCS / "coming-from.md").read_text(encoding="utf-8").splitlines()
    line = next(line for line in lines if "GC_Block_Selection_Policy" in line)
    assert set(re.findall(r"`([a-z-]+)`", line.split("|")[3])) <= {each["name"] for each in victims}


def command_lines(page: str) -> list[tuple[str, ...]]:
    """The words of every command of `reclaim` in the blocks of a page; not those with a gap to fill in."""
    lines = [sample.words[1:] for sample in samples(page) if sample.words]
    whole = [words for words in lines if "…" not in " ".join(words)]
    return [tuple(takewhile(lambda word: word not in {">", "|"}, words)) for words in whole]


def parse(words: tuple[str, ...]) -> None:
    """Read the words of a command as the program would, without running it."""
    command: Any = typer.main.get_command(app)
    rest = list(words)
    while hasattr(command, "commands") and rest:
        command = command.commands[rest.pop(0)]
    if not hasattr(command, "commands"):
        command.make_context("reclaim", rest)


@pytest.mark.parametrize("page", [page for page in ALL_PAGES if command_lines(page)])
def test_every_command_line_of_a_page_has_options_that_exist(page: str) -> None:
    for words in command_lines(page):
        parse(words)


def test_every_command_of_the_page_at_a_glance_has_options_that_exist() -> None:
    """They stand whole in cells of a table."""
    text = (DOCS / "how-to.md").read_text(encoding="utf-8")
    found = re.findall(r"\| `reclaim ([^`…]+)` \|", text)
    assert len(found) > 15
    for command in found:
        parse(tuple(command.split()))
