"""The rules, each as a search for what breaks it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from codebase.graph import Edge, Graph
from codebase.rooms import Codebase, part_of
from tidy_rules.settings import RULES, Direction, Exempt, Rules, Text, Width, matches


@dataclass(frozen=True, order=True)
class Violation:
    """A rule broken in a line of a file."""

    rule: str
    file: str
    line: int
    what: str
    say: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.what}: {self.say}  [{self.rule}]"


def violations(rules: Rules, files: dict[str, str], codebase: Codebase) -> list[Violation]:
    """Everything that breaks a rule, known or not; a line once for each rule, however often it does."""
    found = [
        *(each for rule in rules.directions for each in _directions(rule, codebase, files)),
        *_circles(rules, codebase),
        *(each for rule in rules.texts for each in _texts(rule, files, codebase)),
        *(each for rule in rules.widths for each in _widths(rule, files)),
        *_lengths(rules, files),
    ]
    return sorted({(each.rule, each.file, each.line): each for each in reversed(found)}.values())


def _exempt(exempt: list[Exempt] | None, file: str) -> Callable[[str], bool]:
    """For a file: which lines a rule does not hold for."""
    holding = [each for each in exempt or [] if matches(file, each.files)]
    return lambda line: any(not each.text or re.search(each.text, line) for each in holding)


def _line(files: dict[str, str], edge: Edge) -> str:
    return files[edge.place.file].splitlines()[edge.place.line - 1]


def _directions(rule: Direction, codebase: Codebase, files: dict[str, str]) -> Iterator[Violation]:
    for (source, target), edges in codebase.files.edges.items():
        if not matches(source, rule.files):
            continue
        if rule.never is not None:
            wrong = matches(target, rule.never)
        else:
            within = part_of(source) == part_of(target)
            wrong = within and not matches(target, [*rule.files, *(rule.only or [])])
        if wrong:
            exempt = _exempt(rule.exempt, source)
            for edge in edges:
                if not exempt(_line(files, edge)):
                    what = f"names {edge.text} of {target}"
                    yield Violation(f"direction.{rule.name}", source, edge.place.line, what, rule.say)


def _circles(rules: Rules, codebase: Codebase) -> Iterator[Violation]:
    yield from _circles_of(codebase.files.binding(), "circle.files", ["*"])
    yield from _circles_of(codebase.rooms.binding(), "circle.rooms", rules.room_circles)


def _circles_of(graph: Graph, rule: str, patterns: list[str]) -> Iterator[Violation]:
    say = "move what both need to a place of its own, or hand it in as an argument"
    for circle in graph.circles():
        for source in circle:
            if not matches(source, patterns):
                continue
            for target in graph.targets(source):
                if target in circle:
                    back = ", ".join(str(edge.place) for edge in graph.way(target, source))
                    for edge in graph.edges[source, target]:
                        what = f"names {edge.text} of {target}, which in turn needs {source} (by {back})"
                        yield Violation(rule, edge.place.file, edge.place.line, what, say)


def _texts(rule: Text, files: dict[str, str], codebase: Codebase) -> Iterator[Violation]:
    regex = rule.regex()
    for file, text in files.items():
        if file == RULES.as_posix() or (rule.files is not None and not matches(file, rule.files)):
            continue
        small = text.lower() if rule.find else ""
        if rule.find and not any(each in small for each in rule.find):
            continue
        searched = text
        if rule.code:
            if file not in codebase.rust.files:
                continue
            searched = codebase.rust.files[file].code
        found = list(regex.finditer(searched))
        if found:
            exempt, lines = _exempt(rule.exempt, file), text.splitlines()
            for match in found:
                shown = "at" if "at" in regex.groupindex else 0
                number = searched.count("\n", 0, match.start(shown)) + 1
                if not exempt(lines[number - 1]):
                    what = f'"{match[shown].strip()}"'
                    yield Violation(f"text.{rule.name}", file, number, what, rule.say)


def _widths(rule: Width, files: dict[str, str]) -> Iterator[Violation]:
    for file, text in files.items():
        if not matches(file, rule.files):
            continue
        exempt = _exempt(rule.exempt, file)
        fenced = False
        for number, line in enumerate(text.splitlines(), 1):
            if file.endswith(".md") and line.startswith("```"):
                fenced = not fenced
            if len(line) <= rule.most or fenced or exempt(line):
                continue
            if re.search(rule.only, line) and not (rule.without and re.search(rule.without, line)):
                what = f"{len(line)} characters, {rule.most} at most"
                yield Violation(f"width.{rule.name}", file, number, what, rule.say)


def _lengths(rules: Rules, files: dict[str, str]) -> Iterator[Violation]:
    for file, text in files.items():
        lines = len(text.splitlines())
        if matches(file, rules.longest_file_of) and lines > rules.longest_file:
            what = f"{lines} lines, {rules.longest_file} at most"
            yield Violation("length", file, rules.longest_file + 1, what, "split the file by what it does")
