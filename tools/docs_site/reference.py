"""Reference pages that are made from the code: every command and option, and the Python package."""

from __future__ import annotations

import ast
import dataclasses
import functools
import inspect
import itertools
import re
from collections.abc import Iterator
from typing import Any

import typer

import reclaim
import reclaim.policy
from reclaim.cli.app import app

TASKS = {
    "Open, make and change traces": (
        "open_trace",
        "Trace",
        "generate_trace",
        "fio_trace",
        "uniform_trace",
        "formats",
        "traces",
    ),
    "Describe a drive": ("Device", "devices", "presets", "schemes", "catalogue", "schema"),
    "Run a trace on a drive": ("simulate", "Result"),
    "Compare data placement in a log, without a drive": ("replay_log", "LogReplay"),
    "Compare, sweep, study": (
        "compare",
        "judge",
        "league",
        "Experiment",
        "sweep",
        "ResultSet",
        "ablate",
        "sensitivity",
        "tune",
        "measure",
        "fit",
    ),
    "Write a policy": (
        *("victim_policy", "trigger_policy", "concurrency_policy", "allocation_policy"),
        "separation_policy",
        *(
            "policy.Plane",
            "policy.Space",
            "policy.Jobs",
            "policy.Placement",
            "policy.Pages",
            "policy.Victim",
            "policy.Activity",
            "policy.Drive",
        ),
    ),
    "Errors and warnings": ("ReclaimError", "InputError", "SimulationError", "AuditError", "ResultWarning"),
}
"""What each part of the Python reference is for, and the names that it explains."""

_SECTION = re.compile(r"^(Args|Raises|Returns):$")
_ARGUMENT = re.compile(r"^    (\w+): (.*)$")


def pages() -> dict[str, str]:
    """Give the place on the site of each page that is made as a whole, and its text."""
    return {"reference/python.md": python()}


def commands() -> str:
    """Every command, its arguments and its options: the end of docs/cli.md on the site."""
    whole = typer.main.get_command(app)
    parts = ["## Every command and option", "What `reclaim COMMAND --help` says."]
    for name, command in _commands("reclaim", whole):
        parts += [f"### `{name}`", command.help or ""]
        rows = _options(name, command)
        if rows:
            parts.append("\n".join(["| option | what it does |", "|---|---|", *rows]))
    return "\n\n".join(parts) + "\n"


def _commands(name: str, command: Any) -> Iterator[tuple[str, Any]]:
    """Commands that do something, in the order of `--help`."""
    inner = getattr(command, "commands", None)
    if inner is None:
        yield name, command
        return
    for word, each in inner.items():
        if not each.hidden:
            yield from _commands(f"{name} {word}", each)


def _options(name: str, command: Any) -> list[str]:
    context = command.make_context(name, [], resilient_parsing=True)
    records = (each.get_help_record(context) for each in command.params if not each.hidden)
    return [f"| {_code(left)} | {_cell(right)} |" for left, right in filter(None, records)]


def _code(text: str) -> str:
    return f"`{' '.join(text.split())}`"  # a bar inside of code needs no escape there


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", r"\|")


def python() -> str:
    """Every public name of the packages `reclaim` and `reclaim.policy`, by what one wants to do."""
    parts = [
        "# Python",
        "Made from the package: `import reclaim` gives these names, in the order of what you want to do.",
        "Examples: [the tutorial](../tutorial.md#the-same-in-python), [the command](../cli.md#from-python).",
    ]
    told: set[str] = set()
    for task, names in TASKS.items():
        parts.append(f"## {task}")
        for name in names:
            parts += _entry(f"reclaim.{name}", functools.reduce(getattr, name.split("."), reclaim))
        told.update(names)
    if missing := set(reclaim.__all__) - told:
        raise ValueError(f"no task has {', '.join(sorted(missing))}")
    return "\n\n".join(parts) + "\n"


def _entry(path: str, each: Any) -> list[str]:
    name = path.rpartition(".")[2]
    if inspect.isfunction(each):
        return [f"### `{path}`", *_described(name, each)]
    parts = [f"### `{path}`", *_described(name, each)]
    if fields := "\n".join(_fields(each)):
        parts.append(fields)
    for part, found in _public(each):
        parts += [f"#### `{name}.{part}`", *_described(part, found)]
    return parts


def _fields(of: type) -> Iterator[str]:
    """Fields of a dataclass, with the strings that stand below them in its source, one item each."""
    if not dataclasses.is_dataclass(of):
        return
    body = next(iter(ast.parse(inspect.cleandoc(inspect.getsource(of))).body))
    statements = list(getattr(body, "body", ()))
    for each, after in itertools.zip_longest(statements, statements[1:]):
        match each, after:
            case ast.AnnAssign(ast.Name(name)), _ if name.startswith("_"):
                continue
            case ast.AnnAssign(ast.Name(name), kind), ast.Expr(ast.Constant(str(about))):
                yield f"- `{name}` (`{ast.unparse(kind)}`): {' '.join(about.split())}"
            case ast.AnnAssign(ast.Name(name), kind), _:
                yield f"- `{name}` (`{ast.unparse(kind)}`)"


def _public(owner: Any) -> Iterator[tuple[str, Any]]:
    """Methods, properties and class methods that are documented, in the order of the source."""
    for name, each in vars(owner).items():
        plain = getattr(each, "__func__", each)
        is_told = inspect.isfunction(plain) or isinstance(plain, (property, functools.cached_property))
        if is_told and not name.startswith("_") and inspect.getdoc(plain):
            yield name, plain


def _described(name: str, each: Any) -> list[str]:
    if not inspect.isfunction(each):
        return _documented(each)
    return [f"```python\n{_signature(name, each)}\n```", *_documented(each)]


def _signature(name: str, function: Any) -> str:
    signature = inspect.signature(function)
    parameters = [each for each in signature.parameters.values() if each.name not in {"self", "cls"}]
    plain = signature.replace(parameters=[_unquoted(each) for each in parameters])
    plain = plain.replace(return_annotation=_name(signature.return_annotation))
    text = name + str(plain).replace("'", "")
    if len(text) <= 90:
        return text
    named = False
    lines: list[str] = []
    for each in parameters:
        if each.kind is each.KEYWORD_ONLY and not named:
            lines.append("    *,")
            named = True
        lines.append("    " + str(_unquoted(each)).replace("'", "") + ",")
    return "\n".join([f"{name}(", *lines, ")" + str(plain).rpartition(")")[2].replace("'", "")])


def _unquoted(parameter: inspect.Parameter) -> inspect.Parameter:
    return parameter.replace(annotation=_name(parameter.annotation))


def _name(annotation: Any) -> Any:
    """Annotations are strings in the sources; quotes inside them (`Literal["Q"]`) are kept as double ones."""
    return annotation.replace("'", '"') if isinstance(annotation, str) else annotation


def _documented(each: Any) -> list[str]:
    """A docstring as Markdown: sections are lists, examples are code."""
    text = inspect.getdoc(each) or ""
    blocks: list[str] = []
    for block in text.split("\n\n"):
        lines = block.split("\n")
        if lines[0].startswith(">>>"):
            blocks.append(f"```pycon\n{block}\n```")
        elif _SECTION.match(lines[0]):
            blocks += [f"*{lines[0].removesuffix(':')}*", "\n".join(_items(lines[1:]))]
        else:
            blocks.append(block)
    return blocks


def _items(lines: list[str]) -> Iterator[str]:
    """Arguments of a docstring, one item each."""
    for line in lines:
        found = _ARGUMENT.match(line)
        yield f"- `{found[1]}`: {found[2]}" if found else f"  {line.strip()}"
