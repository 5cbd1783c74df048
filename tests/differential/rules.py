"""Which numbered rules of docs/model.md the reference model follows in a run.

Comments and docstrings of the reference model name the rules that they follow. Each such place is a *mark*,
which is reached with a function whose docstring names a rule, with the statement that a comment stands
before or beside, with any method but `__init__` of a class whose docstring names a rule, and, for rules
that nothing else names, with any function of a module whose docstring does. When the package is imported,
each mark gets an assignment that notes that. A rule is counted by the mark of it that the fewest runs
reach: if two policies follow it, by the rarer one.
"""

from __future__ import annotations

import ast
import functools
import importlib.abc
import importlib.machinery
import io
import re
import sys
import tokenize
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from textwrap import fill
from types import CodeType, ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
MODEL = ROOT / "docs" / "model.md"
PAGE = ROOT / "docs" / "rules-exercised.md"
PACKAGE = "reference_model"
FEWEST = 10
"""Runs that each rule must be exercised in."""
RARE = 20
"""Rules that fewer runs exercise are listed on the page."""
_NAMED = re.compile(r"(?<![\w.])\d{1,2}\.\d{1,2}[a-z]?(?![\w.]*\d)")
_REACHED = "_marks_reached"
_DOCUMENTED = ast.FunctionDef | ast.ClassDef | ast.Module
# The line of marks that stand for a whole module.
_WHOLE = 1

_WORDS = "says what words mean"
_GIVEN = "says what is given, or refused, before a run begins"
_COUNTED = "says what is compared at the end of every run"
REASONS = {
    "1.1": _WORDS,
    "1.6": "says what is compared at the end of every run",
    "4.3": _WORDS,
    "4.5": _WORDS,
    "4.6": "says how the first run begins",
    "6.1": "names the streams, which are seeded and drawn from by 6.2 and 6.3",
    "6.4": "gives values that a test of the page compares, without a run",
    "7.6": "says when a saved state is taken over by 7.5; tests/python/test_same_start.py compares both",
    "7.7": "another kind of run; tests/python/test_untimed.py compares both on random drives",
    "9.14": "says that a trim takes no time; 9.13 is counted",
    "14.4": _COUNTED,
    "14.5": _COUNTED,
    "14.6": _COUNTED,
    "14.7": _COUNTED,
    "14.8": _COUNTED,
    "14.8a": _COUNTED,
    "17.1": _GIVEN,
    "18.1": _GIVEN,
    "19.2": "lists the places where 19.1, which is counted, has a setting",
    "19.3": "lists where ties go by the rules of the places, which are counted",
}
"""Rules that no run can exercise, and why."""

_TITLE = """# How often the rules of the timed model are exercised

{summary}

These are the random runs of `make test`, in which the simulator and the reference model agree to the
nanosecond: as few of a larger number as exercise every rule in ten runs, if so many do, and every setting in
three (`tests/differential/tested.py`). A rule of [model.md](model.md) is counted where comments and
docstrings of the reference model name it, and by the one of these places that the fewest runs reach.
`make test` fails where that is fewer than ten, or where a rule is neither named nor given a reason.
"""
_reached = bytearray(1 << 14)
_places: list[tuple[str, str]] = []


@functools.cache
def numbered() -> list[str]:
    """The rules of the page, in its order."""
    lines = MODEL.read_text().splitlines()
    before = ["", *lines]
    begun = [re.match(r"(\d+\.\d+[a-z]?) ", line) for line in lines]
    # A line that begins with a number in the middle of a paragraph only quotes a rule.
    return [found[1] for found, above in zip(begun, before, strict=False) if found and not above.strip()]


def _of(text: str | None, known: frozenset[str]) -> list[str]:
    return [name for name in _NAMED.findall(text or "") if name in known]


def _statements(tree: ast.AST) -> Iterator[tuple[list[ast.stmt], int]]:
    for node in ast.walk(tree):
        for field in ("body", "orelse", "finalbody"):
            block = getattr(node, field, None)
            if isinstance(block, list):
                yield from ((block, at) for at in range(len(block)))


class _Marking:
    """The marks of one module."""

    def __init__(self, path: str, known: frozenset[str]) -> None:
        self.path = path
        self.known = known
        # Statements to put before a statement, by block and place in it.
        self.before: dict[tuple[int, int], list[ast.stmt]] = defaultdict(list)

    def mark(self, rule: str, block: list[ast.stmt], at: int, line: int = 0) -> None:
        number = len(_places)
        _places.append((rule, f"{self.path}:{line or block[at].lineno}"))
        note = ast.parse(f"{_REACHED}[{number}] = 1").body[0]
        for node in ast.walk(note):
            ast.copy_location(node, block[at])
        self.before[id(block), at].append(note)

    def docstrings(self, tree: ast.Module) -> None:
        for node in ast.walk(tree):
            named = _of(ast.get_docstring(node), self.known) if isinstance(node, _DOCUMENTED) else []
            if isinstance(node, ast.FunctionDef):
                self.function(named, node)
            elif isinstance(node, ast.ClassDef | ast.Module):
                # Of a module every function, those in its classes included.
                inside = node.body if isinstance(node, ast.ClassDef) else [*ast.walk(node)]
                for function in inside:
                    if isinstance(function, ast.FunctionDef) and not function.name.startswith("__"):
                        line = node.lineno if isinstance(node, ast.ClassDef) else _WHOLE
                        self.function(named, function, line)

    def function(self, rules: Sequence[str], node: ast.FunctionDef, line: int = 0) -> None:
        first = 1 if ast.get_docstring(node) is not None and len(node.body) > 1 else 0
        only = node.body[first]
        if not (isinstance(only, ast.Expr) and isinstance(only.value, ast.Constant)):
            for rule in rules:
                self.mark(rule, node.body, first, line)

    def comments(self, source: str, tree: ast.Module) -> None:
        places: dict[int, tuple[list[ast.stmt], int]] = {}
        for block, at in _statements(tree):
            line = block[at].lineno
            # Of statements of a line the outermost comes first.
            places.setdefault(line, (block, at))
        lines = sorted(places)
        inside = [
            (node.body[0].lineno, node.end_lineno or 0)
            for node in ast.walk(tree)
            if isinstance(node, ast.FunctionDef)
        ]
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            line = token.start[0]
            if token.type != tokenize.COMMENT or not (rules := _of(token.string, self.known)):
                continue
            if not any(first <= line <= last for first, last in inside):
                continue
            beside = bool(token.line[: token.start[1]].strip())
            candidates = [at for at in lines if at <= line] if beside else [at for at in lines if at > line]
            if candidates:
                block, at = places[candidates[-1] if beside else candidates[0]]
                for rule in rules:
                    self.mark(rule, block, at)

    def write(self, tree: ast.Module) -> None:
        for node in [tree, *ast.walk(tree)]:
            for field in ("body", "orelse", "finalbody"):
                block = getattr(node, field, None)
                if isinstance(block, list):
                    marked = [[*self.before.pop((id(block), at), []), each] for at, each in enumerate(block)]
                    block[:] = [each for part in marked for each in part]


class _Loader(importlib.machinery.SourceFileLoader):
    """Loads a module with its marks."""

    def path_stats(self, path: str) -> Mapping[str, Any]:
        # What it compiles is not for others: there is no cache.
        raise OSError(path)

    def source_to_code(  # type: ignore[override]
        self, data: Any, path: Any, *, _optimize: int = -1
    ) -> CodeType:
        source = bytes(data).decode()
        tree = ast.parse(source)
        marking = _Marking(str(Path(path).relative_to(ROOT)), frozenset(numbered()))
        marking.docstrings(tree)
        marking.comments(source, tree)
        marking.write(tree)
        return compile(ast.fix_missing_locations(tree), path, "exec", dont_inherit=True)

    def exec_module(self, module: ModuleType) -> None:
        vars(module)[_REACHED] = _reached
        super().exec_module(module)


class _Finder(importlib.abc.MetaPathFinder):
    """Finds the modules of the reference model."""

    def find_spec(self, name: str, path: Any, target: Any = None) -> ModuleSpec | None:
        if name.partition(".")[0] != PACKAGE:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is not None and spec.origin is not None and spec.origin.endswith(".py"):
            spec.loader = _Loader(name, spec.origin)
        return spec


def install() -> None:
    """From now on the reference model is imported with its marks; what was imported before has none."""
    if not any(isinstance(each, _Finder) for each in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


def begin_run() -> None:
    """No mark is reached yet."""
    _reached[:] = bytes(len(_reached))


class Exercised:
    """Adds up in how many runs each mark was reached."""

    def __init__(self) -> None:
        self.runs: Counter[tuple[str, str]] = Counter()

    def end_run(self) -> None:
        """Add the run that began last."""
        # A function can be named by the docstring and by a comment at its beginning: that is one place.
        self.runs.update({place for at, place in enumerate(_places) if _reached[at]})

    def merge(self, other: Exercised) -> None:
        """Add the runs of another process."""
        self.runs.update(other.runs)

    def places(self) -> dict[str, list[tuple[int, str]]]:
        """Of each rule that is named: in how many runs each of its marks was reached, the rarest first."""
        found = defaultdict(list)
        for rule, where in set(_places):
            found[rule].append((self.runs[rule, where], where))
        own = {
            rule: [mark for mark in marks if not mark[1].endswith(f":{_WHOLE}")]
            for rule, marks in found.items()
        }
        return {rule: sorted(own[rule] or marks) for rule, marks in found.items()}

    def counts(self) -> dict[str, int | None]:
        """Of each rule of the page: how many runs exercised it; None if no place names it."""
        places = self.places()
        return {rule: places[rule][0][0] if rule in places else None for rule in numbered()}

    def summary(self, runs: int) -> str:
        """The counts in a sentence."""
        counted = sorted(count for count in self.counts().values() if count is not None)
        return (
            f"Of {len(counted) + len(REASONS)} rules {len(counted)} are counted, in {runs} runs: the rarest "
            f"is exercised in {counted[0]} of them, half of them in {counted[len(counted) // 2]} or more, "
            f"and {sum(count == runs for count in counted)} in all. {len(REASONS)} cannot be exercised."
        )

    def page(self, runs: int) -> str:
        """The counts as a page: the rarest rules, then those that no run can exercise."""
        places, counts = self.places(), self.counts()
        order = {rule: at for at, rule in enumerate(counts)}
        counted = [(count, order[rule], rule) for rule, count in counts.items() if count is not None]
        lines = [
            _TITLE.format(summary=fill(f"Made by `make rules`. {self.summary(runs)}", 110)),
            "| Rule | Runs | The place reached least |\n|---|--:|---|",
        ]
        rare = [each for each in sorted(counted) if each[0] < RARE]
        lines += [f"| {rule} | {count} | `{places[rule][0][1]}` |" for count, _, rule in rare]
        lines.append(f"\nThe other {len(counted) - len(rare)} are exercised in {RARE} runs or more.")
        lines.append("\n## Not counted\n\n| Rule | Why no run exercises it |\n|---|---|")
        lines += [f"| {rule} | {REASONS.get(rule, '')} |" for rule in order if counts[rule] is None]
        return "\n".join(lines) + "\n"
