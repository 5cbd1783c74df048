"""Look for what breaks the rules of tests/tidy.toml: `python tools/tidy.py`, or `make tidy`.

What ruff, Clippy and import-linter can check is theirs (pyproject.toml). These are left, because they cannot:
who may use whom in Rust (rust_names.py says why); circles, which import-linter finds between siblings alone;
what little a folder may name of its package, a contract that import-linter lacks; text that Rust or Markdown
must not have; methods called on whatever (`.glob(`), of which ruff knows no type; the drawing of
ARCHITECTURE.md; lengths.
"""

from __future__ import annotations

import os
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from pathlib import Path, PurePosixPath
from typing import Any

import drawing
import python_names
from rust_names import Crates, Edge

ROOT = Path(__file__).resolve().parent.parent
RULES = "tests/tidy.toml"
FOLDERS = ("crates", "python", "tests", "tools", "docs", "examples", "benches", "papers")
ENDINGS = (".rs", ".py", ".pyi", ".md", ".toml", ".json", ".j2", ".css")
FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
BUILT = ("target", "node_modules", "__pycache__")


def matches(file: str, patterns: Iterable[str]) -> bool:
    """Whether a path is one of the patterns: a folder (ends with `/`) or a path with `*` for anything."""
    return any(file.startswith(each) if each.endswith("/") else fnmatchcase(file, each) for each in patterns)


@dataclass
class Rule:
    """Files that must not name other files, or have some text."""

    name: str
    say: str
    files: list[str]
    never: list[str] = field(default_factory=list)
    """What they must not name."""
    only: list[str] | None = None
    """What alone they may name of the same crate or package, beside each other."""
    pattern: str = ""
    """Text that they must not have; a group `at` says which part of it is shown."""
    code: bool = False
    """Only in code of Rust (no comments, strings and tests), and in prose of Markdown (no code)."""
    exempt: list[dict[str, Any]] = field(default_factory=list)
    """`files` where it does not hold, in lines that match `text` or in all, and the `reason`."""

    def holds(self, file: str, line: str) -> bool:
        """Whether a line is not exempt."""
        around = (each for each in self.exempt if matches(file, each["files"]))
        return not any("text" not in each or re.search(each["text"], line) for each in around)


def read_rules(page: str, architecture: str) -> tuple[list[Rule], dict[str, Any]]:
    """The rules of a file and of the table of components, and its other sections."""
    data = tomllib.loads(page)
    rules = [Rule(**each) for each in data.pop("rule")]
    if "components" in data:
        table, folder, beside = (data["components"][key] for key in ("table", "folder", "beside"))
        rows = architecture.partition(table)[2].partition("\n\n")[0]
        for component, asking in re.findall(r"^\| `(\w+)` \|.*\| (.*) \|$", rows, re.MULTILINE):
            rules.append(
                Rule(
                    name=f"asks-{component}",
                    say="by ARCHITECTURE.md only others ask this component: call a method of one of them",
                    files=[folder],
                    pattern=rf"\bself\s*\.\s*{component}\b",
                    code=True,
                    exempt=[
                        {"files": [folder + name for name in (*beside, *re.findall(r"`([\w.]+)`", asking))]}
                    ],
                )
            )
    return rules, data


def source_files(root: Path) -> dict[str, str]:
    """The text of every source file, by its path; of papers only code: pages quote others."""
    found = [path for path in sorted(root.iterdir()) if path.suffix in (".md", ".toml")]
    for folder in FOLDERS:
        for top, inside, names in os.walk(root / folder):
            inside[:] = sorted(each for each in inside if each not in BUILT and not each.startswith("."))
            paths = (Path(top, name) for name in sorted(names) if not name.startswith("."))
            endings = (".py",) if folder == "papers" else ENDINGS
            found += (each for each in paths if each.suffix in endings and not each.is_symlink())
    return {path.relative_to(root).as_posix(): path.read_text(encoding="utf-8") for path in found}


def part_of(file: str) -> str:
    """The crate or package that a file belongs to: `crates/sim`, `python/reclaim`."""
    return "/".join(file.split("/")[:2])


def room_of(file: str, files: Iterable[str]) -> str:
    """The folder a file lies in, or the file itself where it lies beside the folders of a crate or package.

    A file with a folder of its name (`arrow.rs` and `arrow/`) belongs to that room.

    >>> [room_of(f"crates/one/src/{name}", ["crates/one/src/a/c.rs"]) for name in ("a.rs", "a/c.rs", "b.rs")]
    ['crates/one/src/a/', 'crates/one/src/a/', 'crates/one/src/b.rs']
    """
    path = PurePosixPath(file)
    home = path.with_suffix("").as_posix() + "/"
    if any(each.startswith(home) for each in files):
        return home
    folder = path.parent.as_posix()
    return file if folder.removesuffix("/src") == part_of(file) else f"{folder}/"


def circle(edges: Iterable[Edge], rule: str) -> Iterator[str]:
    """A way from some file or room back to it, if there is any, with the line of every step."""
    steps: dict[str, dict[str, Edge]] = {}
    for edge in edges:
        if edge.binds and edge.source != edge.target:
            steps.setdefault(edge.source, {}).setdefault(edge.target, edge)
    try:
        TopologicalSorter(steps).prepare()
    except CycleError as error:
        way = error.args[1][::-1]
        for source, target in pairwise(way):
            edge = steps[source][target]
            what = f"{source} needs {target} in a circle of {len(way) - 1}: move what both need"
            yield f"{edge.text}: {what}  [{rule}]"


def directions(rule: Rule, edges: Iterable[Edge], files: dict[str, str]) -> Iterator[str]:
    """Whatever names what it must not."""
    for edge in edges:
        if not matches(edge.source, rule.files):
            continue
        wrong = matches(edge.target, rule.never)
        if rule.only is not None and part_of(edge.source) == part_of(edge.target):
            wrong = wrong or not matches(edge.target, [*rule.files, *rule.only])
        if wrong and rule.holds(edge.source, files[edge.source].splitlines()[edge.line - 1]):
            what = f"names {edge.text} of {edge.target}: {rule.say}"
            yield f"{edge.source}:{edge.line}: {what}  [{rule.name}]"


def texts(rule: Rule, files: dict[str, str], code: dict[str, str]) -> Iterator[str]:
    """Whatever has text that it must not have."""
    regex = re.compile(rule.pattern, re.MULTILINE)
    for file, text in files.items():
        if file == RULES or not matches(file, rule.files):
            continue
        searched = text
        if rule.code and file.endswith(".md"):
            searched = FENCED.sub(lambda each: "\n" * each[0].count("\n"), text)
        elif rule.code:
            searched = code.get(file, "")
        lines, last = text.splitlines(), 0
        for found in regex.finditer(searched):
            shown = "at" if "at" in regex.groupindex else 0
            line = searched.count("\n", 0, found.start(shown)) + 1
            if line != last and rule.holds(file, lines[line - 1]):
                last = line
                what = found[shown].strip()
                what = f'"{what}"' if len(what) < 80 else f"{len(lines[line - 1])} characters"
                yield f"{file}:{line}: {what}: {rule.say}  [{rule.name}]"


def look(root: Path) -> tuple[list[str], list[str]]:
    """What breaks a rule of a checkout, and what is only to be thought about."""
    files, crates = source_files(root), Crates(root)
    page = files.get("ARCHITECTURE.md", "")
    rules, more = read_rules(files[RULES], page)
    edges = sorted([*crates.edges(), *python_names.edges(root)])
    of_python = (file for file in files if file.startswith("python/") and file.endswith((".py", ".pyi")))
    named = [*crates.code, *of_python]
    found = [each for rule in rules for each in directions(rule, edges, files)]
    found += [each for rule in rules if rule.pattern for each in texts(rule, files, crates.code)]
    found += circle((edge._replace(text=f"{edge.source}:{edge.line}") for edge in edges), "circle.files")
    rooms = {file: room_of(file, named) for file in named}
    between = (
        Edge(rooms[edge.source], rooms[edge.target], edge.line, f"{edge.source}:{edge.line}", edge.binds)
        for edge in edges
        if all(matches(file, more["circles"]["rooms"]) for file in edge[:2])
    )
    found += circle(between, "circle.rooms")
    if page:
        found += (f"ARCHITECTURE.md: {each}" for each in drawing.faults(page, named, edges))
    most = more["length"]["most"]
    lengths = {file: len(text.splitlines()) for file, text in files.items()}
    long = [file for file in lengths if lengths[file] > most and matches(file, more["length"]["files"])]
    return found, [f"{file}: {lengths[file]} lines; over {most} it may do several things" for file in long]


def main() -> int:
    """Print what is to be done; 1 if there is anything."""
    found, warnings = look(ROOT)
    for each in (*(f"warning: {each}" for each in warnings), *found):
        print(each)
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
