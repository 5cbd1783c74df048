"""The rules of tests/tidy.toml as values; a key that is no key of a rule is an error."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, TypeVar

RULES = Path("tests") / "tidy.toml"

Rule = TypeVar("Rule")


class RulesError(Exception):
    """tests/tidy.toml cannot be used."""


def matches(file: str, patterns: list[str]) -> bool:
    """Whether a path is one of the patterns: a folder (ends with `/`) or a path with `*` for anything."""
    return any(file.startswith(each) if each.endswith("/") else fnmatchcase(file, each) for each in patterns)


@dataclass
class Exempt:
    """Where a rule does not hold."""

    files: list[str]
    reason: str
    text: str = ""
    """Only in lines that match this; everywhere in the file without."""


@dataclass
class Direction:
    """Files that must not name what certain others define."""

    name: str
    files: list[str]
    say: str
    never: list[str] | None = None
    """What they must not name. Without it: everything but `only`."""
    only: list[str] | None = None
    """What alone they may name of the same crate or package, beside each other."""
    exempt: list[Exempt] | None = None


@dataclass
class Text:
    """Text that must not stand in files."""

    name: str
    say: str
    pattern: str
    """A regular expression over the text as it is; a group `at` says which part of it is shown."""
    find: list[str] = field(default_factory=list)
    """Small letters one of which every match of the pattern has: files without are passed over quickly."""
    files: list[str] | None = None
    """Where it holds; everywhere without."""
    code: bool = False
    """Only in the code of Rust files: not in comments, strings and tests."""
    exempt: list[Exempt] | None = None

    def regex(self) -> re.Pattern[str]:
        """What is searched for."""
        return re.compile(self.pattern, re.MULTILINE)


@dataclass
class Width:
    """Longest lines."""

    name: str
    files: list[str]
    most: int
    say: str
    only: str = ""
    """Only lines that match this."""
    without: str = ""
    """Not lines that match this."""
    exempt: list[Exempt] | None = None


@dataclass
class Rules:
    """All rules, and what is known to break them."""

    directions: list[Direction]
    texts: list[Text]
    widths: list[Width]
    longest_file: int
    longest_file_of: list[str]
    room_circles: list[str]
    """Crates and packages in which rooms must not use each other in a circle, either."""
    known: dict[str, dict[str, int]]
    """By rule and file: how often the rule is broken."""


def read_rules(path: Path) -> Rules:
    """Read a file of rules."""
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    length, circles, components = data.pop("length"), data.pop("circles"), data.pop("components", None)
    rules = Rules(
        directions=[_rule(Direction, each) for each in data.pop("direction", [])],
        texts=[_rule(Text, each) for each in data.pop("text", [])],
        widths=[_rule(Width, each) for each in data.pop("width", [])],
        longest_file=int(length.pop("most")),
        longest_file_of=list(length.pop("files")),
        room_circles=list(circles.pop("rooms")),
        known=data.pop("known", {}),
    )
    if components is not None:
        page = (path.parents[1] / "ARCHITECTURE.md").read_text(encoding="utf-8")
        rules.texts += _components(page, **components)
    rest = [*data, *length, *circles]
    if rest:
        raise RulesError(f"{path}: unknown keys: {', '.join(rest)}")
    for text in rules.texts:
        strays = [each for each in text.find if each not in text.pattern.lower().replace("\\", "")]
        if strays:
            raise RulesError(f'{path}: text "{text.name}": find: not in the pattern: {", ".join(strays)}')
        text.regex()
    for direction in rules.directions:
        if (direction.never is None) == (direction.only is None):
            raise RulesError(f'{path}: direction "{direction.name}": give one of never and only')
    return rules


def _components(page: str, table: str, folder: str, beside: list[str]) -> Iterator[Text]:
    """The rules of a table: a component is asked by the files of its row alone."""
    rows = page.partition(table)[2].partition("\n\n")[0]
    for component, asking in re.findall(r"^\| `(\w+)` \|.*\| (.*) \|$", rows, re.MULTILINE):
        files = [folder + name for name in (*beside, *re.findall(r"`([\w.]+)`", asking))]
        yield Text(
            name=f"asks-{component}",
            say="not one of those who ask this component by ARCHITECTURE.md: call a method of one of them",
            pattern=rf"\bself\s*\.\s*{component}\b",
            find=[component],
            files=[folder],
            code=True,
            exempt=[Exempt(files, "they ask it")],
        )


def _rule(kind: type[Rule], data: dict[str, Any]) -> Rule:
    known = {each.name for each in fields(kind)}  # type: ignore[arg-type]
    name = data.get("name", "without a name")
    if unknown := sorted(set(data) - known):
        raise RulesError(f'tidy.toml: rule "{name}": unknown keys: {", ".join(unknown)}')
    if "exempt" in data:
        data = data | {"exempt": [_rule(Exempt, each) for each in data["exempt"]]}
    try:
        return kind(**data)
    except TypeError as error:
        raise RulesError(f'tidy.toml: rule "{name}": {error}') from error
